//! Histories that are another system's than the policies they are to be replayed through.

use super::Whose;
use crate::diag::{Code, Diagnostic, Findings, Place, Severity, Source, Span};
use crate::document::{Kind, Shape};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::str::from_utf8;

/// Says once that a history is another system's, in place of everything that is wrong with it for
/// that alone. `own` is what the records of the policies' system hold; `strange` says of lines that
/// they are another system's, which of lines with errors is the one to be told.
pub(in crate::commands) fn of_another(
    own: &'static Shape,
    findings: Findings,
    strange: Findings,
) -> Findings {
    let name = |one: &Diagnostic| one.place.as_ref().map(|place| place.source.name().to_owned());
    let is_error = |one: &&Diagnostic| one.severity == Severity::Error;
    let broken: BTreeSet<String> = findings.iter().filter(is_error).filter_map(name).collect();
    let strangers: BTreeSet<String> = strange.iter().filter_map(name).collect();
    let is_among = |one: &Diagnostic, names: &BTreeSet<String>| {
        name(one).is_some_and(|name| names.contains(&name))
    };
    let mut left = Findings::new();
    left.extend(findings.into_iter().filter(|one| !is_among(one, &strangers)));
    let mut left = told_once(own, left);
    left.extend(strange.into_iter().map(|one| {
        let severity = if is_among(&one, &broken) { Severity::Error } else { one.severity };
        Diagnostic { severity, ..one }
    }));
    left
}

fn told_once(own: &'static Shape, findings: Findings) -> Findings {
    let explained = |whose: Whose| findings.iter().filter(move |one| explains(whose.record(), one));
    let others = Whose::ALL.into_iter().filter(|whose| !std::ptr::eq(whose.record(), own));
    // Of two that explain as much the first is it: all that a Job's records hold a set's do.
    let Some(whose) = others.rev().max_by_key(|whose| explained(*whose).count()) else {
        return findings;
    };
    let first = explained(whose).find_map(|one| Some((word(one)?.to_owned(), one.place.clone()?)));
    let Some((word, place)) = first else { return findings };
    let mut left = Findings::new();
    left.push(told(own, whose, &word, Diagnostic::error(Code::MixedForms, place, "")));
    for finding in findings.into_iter().filter(|one| !explains(whose.record(), one)) {
        left.push(finding);
    }
    left
}

/// Warns of lines whose first record has fields of another system's alone. Unknown keys of a line
/// are passed over, so that nothing else would say it.
pub(in crate::commands) fn line_of_another(
    own: &'static Shape,
    name: &str,
    lines: &[u8],
) -> Option<Diagnostic> {
    let lines = lines.strip_prefix(b"\xef\xbb\xbf").unwrap_or(lines);
    let mut lines = lines.split(|byte| *byte == b'\n');
    let line = from_utf8(lines.find(|line| !line.trim_ascii().is_empty())?).ok()?;
    let record: Map<String, Value> = serde_json::from_str(line).ok()?;
    let strange = record.keys().find(|key| own.field(key).is_none())?;
    let mut others = Whose::ALL.into_iter().filter(|whose| !std::ptr::eq(whose.record(), own));
    let whose =
        others.find(|whose| record.keys().all(|key| whose.record().field(key).is_some()))?;
    let start = line.find(&format!("\"{strange}\""))?;
    let place = Place::new(&Source::new(name, line), Span::new(start, start + strange.len() + 2));
    Some(told(own, whose, strange, Diagnostic::warning(Code::MixedForms, place, "")))
}

fn told(own: &'static Shape, whose: Whose, word: &str, finding: Diagnostic) -> Diagnostic {
    let policies = Whose::ALL.into_iter().find(|one| std::ptr::eq(one.record(), own));
    let policies = policies.map_or("other", |policies| policies.words().whose);
    let words = whose.words();
    let message =
        format!("`{word}` is of {} history, and the policies are {policies}", words.whose);
    let help = format!("give the {} that it is of with -f", words.manifest);
    Diagnostic { message, ..finding }.help(help)
}

/// Whether something is wrong only since the history is read as another system's.
fn explains(record: &Shape, finding: &Diagnostic) -> bool {
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

/// What a finding points at.
fn word(finding: &Diagnostic) -> Option<&str> {
    let place = finding.place.as_ref()?;
    Some(place.source.text().get(place.span.range())?.trim_matches(['"', '\'']))
}
