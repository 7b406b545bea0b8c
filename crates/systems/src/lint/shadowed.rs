//! The finding that a rule decides nothing.

use armada_retry::policy::Coverage;
use document::diag::{Code, Diagnostic, Findings, Place, plural};
use document::{Document, Node};

/// Limit of places in one finding.
const MAX_PLACES: usize = 4;

/// A rule in a finding: its name and place.
#[derive(Debug, Clone)]
pub struct NamedRule {
    /// The name in messages.
    pub name: String,
    /// The place.
    pub place: Place,
}

/// The finding that a rule decides nothing, because others match all of its failures first. `scope` restricts this, such
/// as ` for queue x`.
pub fn shadowed_rule(rule: NamedRule, scope: &str, by: &[NamedRule]) -> Diagnostic {
    let names: Vec<&str> = by.iter().take(MAX_PLACES).map(|rule| rule.name.as_str()).collect();
    let subject = match (names.as_slice(), by.len() - names.len()) {
        ([one], 0) => format!("{one} matches"),
        ([first @ .., last], 0) => format!("{} and {last} together match", first.join(", ")),
        (names, more) => {
            let more = plural(more, "other rule", "other rules");
            format!("{} and {more} together match", names.join(", "))
        }
    };
    let message =
        format!("{} decides nothing{scope}: {subject} all of its failures first", rule.name);
    let finding = Diagnostic::warning(Code::ShadowedRule, rule.place, message);
    by.iter()
        .take(MAX_PLACES)
        .fold(finding.labelled("decides nothing"), |finding, by| {
            finding.also(by.place.clone(), "matches first")
        })
        .help("move the rule up if its failures need another decision, else remove it")
}

/// Reports each rule of a list that decides nothing because of earlier ones. `coverage` is that of the rule with this
/// number.
pub(crate) fn report_shadowed(
    document: &Document,
    rules: &[Node],
    coverage: impl Fn(usize) -> Coverage,
    findings: &mut Findings,
) {
    let named = |number: usize| {
        let place = document.place(rules.get(number)?.span);
        Some(NamedRule { name: format!("rule {number}"), place })
    };
    for number in 0..rules.len() {
        let Coverage::Covered(by) = coverage(number) else { continue };
        let by: Vec<NamedRule> = by.into_iter().filter_map(named).collect();
        if let (Some(rule), false) = (named(number), by.is_empty()) {
            findings.push(shadowed_rule(rule, "", &by));
        }
    }
}
