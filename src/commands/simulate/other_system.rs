//! Histories of another system than that of the policies.

use document::diag::{BYTE_ORDER_MARK, Code, Diagnostic, Findings, Place, Severity, Source, Span};
use document::{Kind, Shape};
use replay::history::{RecordFields, Table};
use replay::simulate::Units;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::str::from_utf8;
use systems::{SystemName, with_system};

/// The shape of a system's records.
fn record_of(system: SystemName) -> &'static Shape {
    with_system!(system, S => Table::<<S as Units>::Fields>::RECORD)
}

/// The systems with other records than `F`, and the one with these.
fn systems_of<F: RecordFields>() -> (Vec<SystemName>, Option<SystemName>) {
    // Constants have no unique address, so that shapes are compared by their text, which only one record has.
    let is_own = |system: &SystemName| record_of(*system).doc == F::DOC;
    let (own, others): (Vec<_>, Vec<_>) = SystemName::all().partition(is_own);
    (others, own.first().copied())
}

/// Replaces all errors that another system's records cause in a history by one error that names the system.
/// The policies' system has the records `F`. `lines` are the [warnings](warning_of_other_system) about inputs
/// of lines, of which those with errors are errors.
pub(in crate::commands) fn merge_errors_of_other_system<F: RecordFields>(
    findings: Findings,
    lines: Findings,
) -> Findings {
    let name = |one: &Diagnostic| one.place.as_ref().map(|place| place.source.name().to_owned());
    let is_error = |one: &&Diagnostic| one.severity == Severity::Error;
    let broken: BTreeSet<String> = findings.iter().filter(is_error).filter_map(name).collect();
    let warned: BTreeSet<String> = lines.iter().filter_map(name).collect();
    let is_among = |one: &Diagnostic, names: &BTreeSet<String>| {
        name(one).is_some_and(|name| names.contains(&name))
    };
    let mut left = Findings::new();
    left.extend(findings.into_iter().filter(|one| !is_among(one, &warned)));
    let mut left = merge_by_system::<F>(left);
    left.extend(lines.into_iter().map(|one| {
        let severity = if is_among(&one, &broken) { Severity::Error } else { one.severity };
        Diagnostic { severity, ..one }
    }));
    left
}

/// Merges the findings about fields of another system: of that which has most of the fields.
fn merge_by_system<F: RecordFields>(findings: Findings) -> Findings {
    let (others, _) = systems_of::<F>();
    let of_other = |system: SystemName| {
        findings.iter().filter(move |one| is_of_other_system(record_of(system), one))
    };
    // Of several systems with as many the first is reported, and `max_by_key` returns the last.
    let system = others.into_iter().rev().max_by_key(|system| of_other(*system).count());
    let Some(system) = system else { return findings };
    let first = of_other(system).find_map(|one| Some((word(one)?.to_owned(), one.place.clone()?)));
    let Some((word, place)) = first else { return findings };
    let mut left = Findings::new();
    left.push(name_system::<F>(system, &word, Diagnostic::error(Code::MixedForms, place, "")));
    left.extend(findings.into_iter().filter(|one| !is_of_other_system(record_of(system), one)));
    left
}

/// Warns about lines whose first record has fields of another system alone. Unknown keys of a line are
/// ignored, so that no other finding reports it.
pub(in crate::commands) fn warning_of_other_system<F: RecordFields>(
    name: &str,
    lines: &[u8],
) -> Option<Diagnostic> {
    let own = Table::<F>::RECORD;
    let lines = lines.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(lines);
    let mut lines = lines.split(|byte| *byte == b'\n');
    let line = from_utf8(lines.find(|line| !line.trim_ascii().is_empty())?).ok()?;
    let record: Map<String, Value> = serde_json::from_str(line).ok()?;
    let foreign = record.keys().find(|key| own.field(key).is_none())?;
    let has_all = |system: &SystemName| {
        let shape = record_of(*system);
        record.keys().all(|key| shape.field(key).is_some())
    };
    let system = systems_of::<F>().0.into_iter().find(has_all)?;
    let start = line.find(&format!("\"{foreign}\""))?;
    let place = Place::new(&Source::new(name, line), Span::new(start, start + foreign.len() + 2));
    let warning = Diagnostic::warning(Code::MixedForms, place, "");
    Some(name_system::<F>(system, foreign, warning))
}

/// The finding that a word belongs to the history of another system.
fn name_system<F: RecordFields>(system: SystemName, word: &str, finding: Diagnostic) -> Diagnostic {
    let (_, own) = systems_of::<F>();
    let policies = own.map_or("other", |own| own.description().possessive);
    let description = system.description();
    let message = format!(
        "`{word}` belongs to {} history, but the policies are {policies}",
        description.possessive
    );
    let help = format!("give the {} that the history belongs to with -f", description.manifest);
    Diagnostic { message, ..finding }.help(help)
}

/// Whether records of this shape have the word that a finding reports as unknown.
fn is_of_other_system(record: &Shape, finding: &Diagnostic) -> bool {
    let Some(word) = word(finding) else { return false };
    match finding.code {
        Code::UnknownField => record.field(word).is_some(),
        Code::NotAChoice => match record.field("outcome").map(|field| field.kind) {
            Some(Kind::OneOf(outcomes)) => outcomes.find(word).is_some(),
            _ => false,
        },
        _ => false,
    }
}

/// The word at a finding's place.
fn word(finding: &Diagnostic) -> Option<&str> {
    let place = finding.place.as_ref()?;
    Some(place.source.text().get(place.span.range())?.trim_matches(['"', '\'']))
}
