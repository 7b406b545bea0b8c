//! Rules of a retry policy that decide nothing, or nothing else than what follows them.

use super::field::entry;
use crate::airflow::manifest::AirflowPolicy;
use crate::airflow::manifest::exceptions::{canonical, complete};
use crate::airflow::manifest::python_time::TimeDelta;
use crate::airflow::manifest::retry_policy::{
    ExceptionRetryPolicy, FIELD, RetryAction, RetryRule, RulePlace, TaskRetryPolicy,
};
use crate::airflow::validate::retry_policy::never_asked;
use crate::lint::{NamedRule, correction, report_duplicates, same_memory, shadowed_rule};
use compact_str::CompactString;
use document::diag::{Code, Diagnostic, Findings, Fix};
use document::{Document, Entry, Node};

const MEMORY_ERROR: &str = "builtins.MemoryError";

/// Adds the findings about the rules of the retry policy, if the release has any.
pub(super) fn add(document: &Document, policy: &AirflowPolicy, findings: &mut Findings) {
    let own = policy.retry_policy.as_ref().filter(|_| policy.profile.has_retry_policies());
    let (Some(own), Some(field)) = (own, entry(document, FIELD)) else { return };
    let rules = Rules { document, own, node: &field.value };
    for number in 0..own.policies.len() {
        // A policy that is never asked has a finding of its own, and its rules need no more.
        if never_asked(own, number).is_none() {
            rules.add_of_policy(number, findings);
        }
    }
}

struct Rules<'d> {
    document: &'d Document,
    own: &'d TaskRetryPolicy,
    /// The node of the retry policy.
    node: &'d Node,
}

impl<'d> Rules<'d> {
    /// The entry with the rules of a policy.
    fn list(&self, policy: usize) -> Option<&'d Entry> {
        let of_chain = self.node.get("policies").and_then(|all| all.items().get(policy));
        of_chain.unwrap_or(self.node).entry("rules")
    }

    /// A rule in messages, with its place.
    fn named(&self, place: RulePlace) -> Option<NamedRule> {
        let node = self.list(place.policy)?.value.items().get(place.rule)?;
        let text = self.document.source.text();
        let span = node.span.first_line(text);
        Some(NamedRule {
            name: format!("`{}`", self.own.path(place)),
            place: self.document.place(span),
        })
    }

    fn add_of_policy(&self, policy: usize, findings: &mut Findings) {
        let (Some(list), Some(exceptions)) = (self.list(policy), self.own.policies.get(policy))
        else {
            return;
        };
        let rules = exceptions.rules.iter().zip(list.value.items());
        for (index, (rule, node)) in rules.enumerate() {
            let place = RulePlace { policy, rule: index };
            self.add_duplicates(node, findings);
            let Some(named) = self.named(place) else { continue };
            let by = covering_rules(self.own, place);
            if !by.is_empty() {
                let fix = self.duplicate_fix(place, &by, list);
                let by: Vec<NamedRule> = by.iter().filter_map(|it| self.named(*it)).collect();
                findings.push(shadowed_rule(named, "", &by).fixed_by(fix));
            } else if is_redundant(self.own, place) {
                findings.push(redundant(&named));
            } else if retries_memory_errors(rule) {
                let subject = format!("{} retries `MemoryError`", named.name);
                let remedy = "write `action: fail`, or give the task more memory";
                findings.push(same_memory(named.place, &subject, remedy));
            }
        }
    }

    /// The removal of a rule that equals the one that covers it. Other covered rules may be in the wrong place.
    fn duplicate_fix(&self, place: RulePlace, by: &[RulePlace], list: &Entry) -> Option<Fix> {
        let &[earlier] = by else { return None };
        let (rule, earlier) = (self.own.rule(place)?, self.own.rule(earlier)?);
        // The reason is only shown, and changes no decision.
        let without_reason = |rule: &RetryRule| RetryRule { reason: None, ..rule.clone() };
        if without_reason(rule) != without_reason(earlier) {
            return None;
        }
        let title = format!("remove `{}`", self.own.path(place));
        correction(self.document, title, |layout| layout.remove_item(list, place.rule))
    }

    /// Adds findings about classes that a rule lists twice.
    fn add_duplicates(&self, rule: &Node, findings: &mut Findings) {
        let class = |item: &Node| item.text().map(|name| canonical(name).to_string());
        report_duplicates(self.document, rule.entry("exception"), class, findings);
    }
}

/// The finding that a rule has the effect of what follows it.
fn redundant(rule: &NamedRule) -> Diagnostic {
    let message = format!(
        "{} changes no action: without it, the rules after it and the default decide the same",
        rule.name
    );
    Diagnostic::info(Code::RedundantRule, rule.place.clone(), message)
        .help("keep it if its `reason` is to be stored, else remove it")
}

/// Returns whether a rule is for exceptions of Python that memory is lacking, and retries them.
fn retries_memory_errors(rule: &RetryRule) -> bool {
    rule.action == RetryAction::Retry
        && !rule.exceptions.is_empty()
        && rule.exceptions.iter().all(|class| class == MEMORY_ERROR)
}

/// Returns whether the rule, those after it in its policy, and the default all have one effect. Others may be redundant too:
/// an exception can derive from classes of several rules.
pub(super) fn is_redundant(chain: &TaskRetryPolicy, place: RulePlace) -> bool {
    let Some(policy) = chain.policies.get(place.policy) else { return false };
    let is_last = place.policy + 1 == chain.policies.len();
    let default = effect(policy.default, None, is_last);
    policy.rules.iter().skip(place.rule).all(|rule| {
        // A reschedule uses up no try, so that it never equals another effect.
        rule.action != RetryAction::Reschedule
            && effect(rule.action, rule.retry_delay, is_last) == default
    })
}

/// Returns the part of an action and its delay that a decision depends on. At the end of a chain no other policy follows, so
/// that `default` is a retry with the task's delay.
fn effect(
    action: RetryAction,
    delay: Option<TimeDelta>,
    is_last: bool,
) -> (RetryAction, Option<TimeDelta>) {
    match action {
        RetryAction::Default if is_last => (RetryAction::Retry, None),
        RetryAction::Retry => (action, delay),
        RetryAction::Default | RetryAction::Fail | RetryAction::Reschedule => (action, None),
    }
}

/// Returns the earlier rules that decide about every exception that a rule matches; none if they leave it some.
pub(super) fn covering_rules(chain: &TaskRetryPolicy, place: RulePlace) -> Vec<RulePlace> {
    let Some(rule) = chain.rule(place) else { return Vec::new() };
    let earlier: Vec<(RulePlace, &RetryRule)> =
        chain.rules().filter(|(other, _)| decides_before(chain, *other, place)).collect();
    let mut by = Vec::new();
    for class in &rule.exceptions {
        // A class is covered too where a rule names one of its bases.
        let mut classes = vec![class.clone()];
        complete(&mut classes);
        let Some((other, _)) = earlier.iter().find(|(_, it)| covers(it, rule, &classes)) else {
            return Vec::new();
        };
        if !by.contains(other) {
            by.push(*other);
        }
    }
    by.sort_unstable_by_key(|it| (it.policy, it.rule));
    by
}

/// Returns whether a rule that matches an exception keeps it from a later rule: in the same policy in any case, in an earlier
/// one before the first rule that leaves the decision to the next policy.
fn decides_before(chain: &TaskRetryPolicy, other: RulePlace, place: RulePlace) -> bool {
    let leaves = |policy: &ExceptionRetryPolicy| {
        policy.rules.iter().take(other.rule + 1).any(|rule| rule.action == RetryAction::Default)
    };
    let is_final = || chain.policies.get(other.policy).is_some_and(|policy| !leaves(policy));
    (other.policy == place.policy && other.rule < place.rule)
        || (other.policy < place.policy && is_final())
}

/// Returns whether a rule matches all exceptions of a class that a later one matches by it. `classes` is the
/// class with its known bases.
fn covers(earlier: &RetryRule, later: &RetryRule, classes: &[CompactString]) -> bool {
    if earlier.match_subclasses {
        let is_object = earlier.exceptions.contains(&canonical("builtins.object"));
        is_object || earlier.matches(classes)
    } else {
        !later.match_subclasses && earlier.matches(classes)
    }
}
