//! Rules without which the set would do the same.
//!
//! Rules are compared by reasons and targets: a rule with patterns may match a failure or not.

use super::failures::Failures;
use super::subject::Subject;
use crate::jobset::manifest::{Action, Rule};
use document::diag::{Code, Diagnostic, Findings};

/// The most rules that are examined.
const MAX_RULES: usize = 64;
/// The most kinds of failures, of which pairs are examined.
const MAX_KINDS: usize = 64;

/// Failures with the same reason and target, as far as rules distinguish them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kind {
    /// The rules that may match: a bit for each, the first rule's the lowest.
    may_match: u64,
    /// Those of them that match whatever the message is.
    matches: u64,
    /// The only Job that has such failures, if there is one.
    only_job: Option<usize>,
}

/// Adds a finding for each such rule.
pub(super) fn check(subject: &Subject<'_>, failures: &Failures<'_>, findings: &mut Findings) {
    let rules = &subject.policy.rules;
    let Some(kinds) = kinds(rules, failures) else { return };
    for (number, _, node) in subject.rules() {
        if !is_redundant(rules, &kinds, number) {
            continue;
        }
        let message = format!("rule {number} changes no action: without it, the set does the same");
        let finding = Diagnostic::info(Code::RedundantRule, subject.place(node), message);
        findings.push(finding.help("keep it if events are to name these failures, else remove it"));
    }
}

/// Returns the kinds of failures; `None` if there are too many to be compared.
fn kinds(rules: &[Rule], failures: &Failures<'_>) -> Option<Vec<Kind>> {
    // A set of rules is a word of 64 bits.
    if rules.len() > MAX_RULES {
        return None;
    }
    let mut kinds: Vec<Kind> = Vec::new();
    for case in &failures.cases {
        let job = &failures.jobs[case.job];
        let bit = |number: usize, is_set: bool| u64::from(is_set) << number;
        let accepts = |list: &[Box<str>], name: &str| {
            list.is_empty() || list.iter().any(|listed| **listed == *name)
        };
        let (mut may_match, mut matches) = (0, 0);
        for (number, rule) in rules.iter().enumerate() {
            let is_accepted = accepts(&rule.reasons, case.failure.reason.as_str())
                && accepts(&rule.targets, &job.name);
            may_match |= bit(number, is_accepted);
            matches |= bit(number, is_accepted && rule.patterns.is_empty());
        }
        // Of a single Job no two failures come at the same time.
        let only_job = (job.replicas < 2).then_some(case.job);
        let same = |kind: &&mut Kind| (kind.may_match, kind.matches) == (may_match, matches);
        match kinds.iter_mut().find(same) {
            Some(kind) if kind.only_job == only_job => {}
            Some(kind) => kind.only_job = None,
            None => kinds.push(Kind { may_match, matches, only_job }),
        }
        if kinds.len() > MAX_KINDS {
            return None;
        }
    }
    Some(kinds)
}

/// Returns whether a rule decides about some failures, and without it the others have the same effect on all of them. Of
/// Jobs that failed at the same time a later rule may match another one than this rule does, so pairs are examined.
fn is_redundant(rules: &[Rule], kinds: &[Kind], number: usize) -> bool {
    // Which of several failed Jobs restarts depends on the rule.
    if rules[number].action.restarts_one_job() {
        return false;
    }
    let before = (1_u64 << number) - 1;
    let reaches = |kind: &&Kind| kind.matches & before == 0;
    let mut decided = kinds.iter().filter(reaches).filter(|kind| kind.may_match >> number & 1 == 1);
    let first = decided.next();
    let is_same = |one: &Kind| {
        let can_both_fail = |other: &&Kind| {
            one.only_job.is_none() || other.only_job.is_none() || one.only_job != other.only_job
        };
        let others = kinds.iter().filter(reaches).filter(can_both_fail);
        std::iter::once(one).chain(others).all(|other| {
            let both = (one.may_match | other.may_match, one.matches | other.matches);
            has_same_effect(rules, number, both)
        })
    };
    first.into_iter().chain(decided).all(is_same) && first.is_some()
}

/// Returns whether the rules after one have its effect on failures that these may match, and these match.
fn has_same_effect(rules: &[Rule], number: usize, (may_match, matches): (u64, u64)) -> bool {
    let action = rules[number].action;
    for (later, rule) in rules.iter().enumerate().skip(number + 1) {
        if may_match >> later & 1 == 0 {
            continue;
        }
        if rule.action != action {
            return false;
        }
        if matches >> later & 1 == 1 {
            return true;
        }
    }
    // Without a rule the set restarts.
    action == Action::RestartJobSet
}
