//! Rules on exit codes 137 and 143 that decide about evictions and preemptions too.
//!
//! A pod that is evicted or preempted is killed: its containers end with 137 or 143. A rule on these codes without a
//! rule on the conditions before it charges disruptions to the budget of failures, or fails the job for them. Iris,
//! Ray, Airflow and Google Batch each had this defect (facts of the seed documents).

use super::context::{Context, Policy, Queue, present};
use super::definition::Lint;
use armada_retry::policy::{Action, Condition, Coverage, ExitCodes, Form, Operator, Rule, RuleSet};
use document::diag::{Code, Diagnostic, Findings};
use replay::disruption::{DISRUPTION_CONDITIONS, exit_codes};

pub(super) const LINT: Lint = Lint { code: Code::ChargedDisruptions, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (at, policy) in context.policies.iter().enumerate() {
        if policy.policy().form != Form::V1 {
            continue;
        }
        for (number, rule, node) in policy.numbered() {
            let Some(codes) = killed_codes(rule) else { continue };
            let conditions = charged(context, at, number, &codes);
            let Some(values) = node.at(&["onExitCodes", "values"]) else { continue };
            if conditions.is_empty() {
                continue;
            }
            let item = values.items().iter().find(|item| {
                item.integer().is_some_and(|it| codes.iter().any(|code| i128::from(*code) == it))
            });
            let place = item
                .map(|item| item.span)
                .or_else(|| present(node, "onExitCodes").map(|it| it.key_span));
            let Some(place) = place else { continue };
            findings.push(finding(
                policy,
                number,
                rule,
                (policy.place(place), &codes, &conditions),
            ));
        }
    }
}

fn finding(
    policy: &Policy<'_>,
    number: usize,
    rule: &Rule,
    (place, codes, conditions): (document::diag::Place, &[i32], &[Condition]),
) -> Diagnostic {
    let names: Vec<&str> = conditions.iter().map(|it| it.as_str()).collect();
    let codes: Vec<String> = codes.iter().map(ToString::to_string).collect();
    let effect = match rule.action {
        Action::Fail => "fails jobs whose pod was",
        Action::Retry => "charges its limit for pods that were",
    };
    let words: Vec<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
    let message = format!(
        "{} {effect} {}: their containers end with {}",
        policy.rule_name(number),
        words.join(" or "),
        codes.join(" or "),
    );
    let mut help = match later_rule(policy, number, conditions) {
        Some(later) => format!("move {} before it", policy.rule_name(later)),
        None => format!(
            "put a rule before it: `{{action: Retry, onConditions: [{}]}}`",
            names.join(", ")
        ),
    };
    if lists_crashes(rule) {
        help.push_str(CRASHES);
    }
    Diagnostic::warning(Code::ChargedDisruptions, place, message).help(help)
}

/// The part of the help about a list of codes of signals.
const CRASHES: &str = "; most codes above 128 are crashes of the program (134 SIGABRT, 139 SIGSEGV), and a failure without a \
                       code, such as an eviction before the start, matches no rule on codes";

/// Whether a rule lists codes of signals that are no sign of a disruption.
fn lists_crashes(rule: &Rule) -> bool {
    rule.exit_codes.as_ref().is_some_and(|codes| {
        // A shell reports a signal as 128 and its number, and Linux has 64 signals.
        let is_crash =
            |code: &i32| (129..=128 + 64).contains(code) && exit_codes().all(|it| it != *code);
        codes.operator == Operator::In && codes.values.iter().any(is_crash)
    })
}

/// The rule after another one that retries all of these conditions, and nothing narrower.
fn later_rule(policy: &Policy<'_>, number: usize, conditions: &[Condition]) -> Option<usize> {
    let is_for_all = |rule: &Rule| {
        rule.action == Action::Retry
            && rule.matchers().len() == 1
            && rule.container.is_none()
            && conditions.iter().all(|condition| rule.conditions.contains(condition))
    };
    let mut later = policy.numbered().filter(|(other, ..)| *other > number);
    later.find(|(_, rule, _)| is_for_all(rule)).map(|(other, ..)| other)
}

/// The codes of killed containers that a rule on exit codes alone matches.
fn killed_codes(rule: &Rule) -> Option<Vec<i32>> {
    let codes = rule.exit_codes.as_ref()?;
    if rule.matchers().len() > 1 {
        return None;
    }
    let is_in = |code: &i32| codes.values.contains(code) == (codes.operator == Operator::In);
    let killed: Vec<i32> = exit_codes().filter(is_in).collect();
    (!killed.is_empty()).then_some(killed)
}

/// The disruptions that a rule decides about in a queue which uses the policy, or in the policy alone.
fn charged(context: &Context<'_>, policy: usize, number: usize, codes: &[i32]) -> Vec<Condition> {
    let own = &context.policies[policy].rules;
    let queues: Vec<&Queue<'_>> =
        context.queues.iter().filter(|queue| queue.policies.contains(&policy)).collect();
    // The rules before it; a policy that is not here may take the disruptions.
    let mut earlier: Vec<(&RuleSet<'_>, usize)> = Vec::new();
    for queue in queues.iter().filter(|queue| queue.missing.is_empty()) {
        let before = queue.numbers.iter().position(|it| *it == (policy, number));
        earlier.extend(before.map(|before| (&queue.rules, before)));
    }
    if queues.is_empty() {
        earlier.push((own, number));
    }
    let is_charged = |condition: &Condition| {
        // The failure of a pod with one container, which ended with the code because of the condition.
        let failure = Rule {
            exit_codes: Some(ExitCodes { operator: Operator::In, values: codes.to_vec() }),
            conditions: vec![*condition],
            ..Rule::new(Action::Fail)
        };
        earlier
            .iter()
            .any(|(rules, before)| rules.coverage_of_other(&failure, *before) == Coverage::Reached)
    };
    DISRUPTION_CONDITIONS.into_iter().filter(is_charged).collect()
}
