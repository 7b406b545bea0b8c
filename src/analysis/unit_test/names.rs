//! The names in expectations: policies, rules, and the words of a system.

use super::case::{Case, ExpectedField};
use document::diag::{Code, Diagnostic, Findings, did_you_mean};
use replay::simulate::RuleLabel;
use serde_json::Value;
use systems::Words;

/// The names that expectations may use.
#[derive(Debug)]
pub struct Names<'n> {
    /// The words of the system.
    pub words: &'n Words,
    /// All rules and defaults.
    pub rules: &'n [RuleLabel],
}

/// How a job can end.
const OUTCOMES: [&str; 4] = ["Succeeded", "Failed", "Unresolved", "Cancelled"];

/// Reports the names in a case's expectations that do not exist. Without this, an expectation of a misspelt name could
/// hold, or could never hold.
pub fn check_names(case: &Case<'_>, names: &Names<'_>, findings: &mut Findings) {
    for expectation in &case.expectations {
        for field in &expectation.fields {
            names.check(field, findings);
        }
        names.check_rule(&expectation.fields, findings);
    }
    for field in case.job.iter().flat_map(|job| &job.fields) {
        match (field.name.as_str(), field.value.as_array()) {
            ("outcome", _) => check_word(field, "outcome of a job", &OUTCOMES, findings),
            ("effectivePolicies", Some(policies)) => {
                for name in policies.iter().filter_map(Value::as_str) {
                    names.check_policy(field, name, findings);
                }
            }
            _ => {}
        }
    }
}

impl Names<'_> {
    fn check(&self, field: &ExpectedField, findings: &mut Findings) {
        let Words { actions, decisions, limit_sources, .. } = self.words;
        match (field.name.as_str(), field.value.as_str()) {
            ("action", _) => check_word(field, "action", actions, findings),
            ("decision", _) => check_word(field, "decision", decisions, findings),
            ("limitSource", _) => check_word(field, "source of a limit", limit_sources, findings),
            ("policy", Some(name)) => self.check_policy(field, name, findings),
            _ => {}
        }
    }

    fn policies(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.rules.iter().map(|rule| rule.policy.as_str()).collect();
        names.dedup();
        names
    }

    fn check_policy(&self, field: &ExpectedField, name: &str, findings: &mut Findings) {
        let known = self.policies();
        if known.contains(&name) {
            return;
        }
        let help = match did_you_mean(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the policies are {}", known.join(", ")),
        };
        let message = format!("there is no policy `{name}`");
        findings
            .push(Diagnostic::error(Code::UnknownName, field.place.clone(), message).help(help));
    }

    /// Reports the index of a rule that its policy, or any policy, does not have.
    fn check_rule(&self, fields: &[ExpectedField], findings: &mut Findings) {
        let field = |name: &str| fields.iter().find(|field| field.name == name);
        let Some(index) = field("ruleIndex") else { return };
        let Some(number) = index.value.as_u64() else { return };
        let policy = field("policy").and_then(|field| field.value.as_str());
        let of_policy = |rule: &&RuleLabel| policy.is_none_or(|policy| rule.policy == policy);
        let of_policy = self.rules.iter().filter(of_policy);
        let indexes: Vec<u64> =
            of_policy.filter_map(|rule| rule.index).map(|it| it as u64).collect();
        let is_known = policy.is_some_and(|policy| !self.policies().contains(&policy));
        if indexes.contains(&number) || is_known {
            return;
        }
        let of =
            policy.map_or("no policy has".to_owned(), |policy| format!("policy `{policy}` has no"));
        let message = format!("{of} rule {number}");
        let help = match indexes.iter().max() {
            Some(last) => format!("rules count from 0; the last is {last}"),
            None => "it has no rules: the default has `ruleIndex: null`".to_owned(),
        };
        findings
            .push(Diagnostic::error(Code::UndefinedName, index.place.clone(), message).help(help));
    }
}

fn check_word(field: &ExpectedField, what: &str, known: &[&str], findings: &mut Findings) {
    let Some(word) = field.value.as_str().filter(|word| !known.contains(word)) else { return };
    let help = match did_you_mean(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("write one of {}", known.join(", ")),
    };
    let message = format!("`{word}` is no {what}");
    findings.push(Diagnostic::error(Code::NotAChoice, field.place.clone(), message).help(help));
}
