//! Rules that decide nothing, because earlier rules match all of their failures.

use super::Lint;
use super::context::{Context, Policy};
use crate::diag::{Code, Diagnostic, Findings, Fix, plural};
use crate::policy::{Coverage, RuleSet};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const LINT: Lint = Lint { code: Code::ShadowedRule, check };

/// Limit of places in one finding.
const MAX_PLACES: usize = 4;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for policy in &context.policies {
        for (number, coverage) in policy.coverage.iter().enumerate() {
            match coverage {
                Coverage::Covered(by) if !by.is_empty() => {
                    let by: Vec<_> = by.iter().map(|&number| (policy, number)).collect();
                    let fix = duplicate_fix(context, policy, number, &by);
                    findings.push(shadowed(policy, number, &by, None).fixed_by(fix));
                }
                Coverage::Unknown => findings.push(unknown(policy, number)),
                // A rule that matches nothing at all has another finding.
                Coverage::Covered(_) | Coverage::Reached => {}
            }
        }
    }
    across_policies(context, findings);
}

/// The removal of a rule that has the matchers and the action of the one that covers it. Other covered rules may be in
/// the wrong place.
fn duplicate_fix(
    context: &Context<'_>,
    policy: &Policy<'_>,
    number: usize,
    by: &[(&Policy<'_>, usize)],
) -> Option<Fix> {
    let &[(_, earlier)] = by else { return None };
    let rules = &policy.policy().rules;
    let (earlier, rule) = (rules.get(earlier)?, rules.get(number)?);
    let is_equal = rule.matchers() == earlier.matchers()
        && rule.action == earlier.action
        && rule.container == earlier.container
        && rule.include_init_containers == earlier.include_init_containers;
    let list = policy.field("rules").filter(|_| is_equal)?;
    let title = format!("remove {}", policy.rule_name(number));
    context.fix(policy, title, |layout| layout.remove_item(list, number))
}

fn unknown(policy: &Policy<'_>, number: usize) -> Diagnostic {
    let message = format!(
        "whether {} can be reached was not determined: its earlier rules combine in too many ways",
        policy.rule_name(number)
    );
    Diagnostic::info(Code::ShadowedRule, policy.rule_place(number), message)
}

/// A finding about a rule, and the rules of policies that cover it. `queues` are those for which they do, if they are
/// of other policies.
fn shadowed(
    policy: &Policy<'_>,
    number: usize,
    by: &[(&Policy<'_>, usize)],
    queues: Option<&str>,
) -> Diagnostic {
    let names: Vec<String> =
        by.iter().take(MAX_PLACES).map(|(policy, number)| policy.rule_name(*number)).collect();
    let more = by.len().saturating_sub(MAX_PLACES);
    let all = match (names.as_slice(), more) {
        ([one], 0) => format!("{one} matches"),
        ([first @ .., last], 0) => format!("{} and {last} together match", first.join(", ")),
        (names, more) => {
            let more = plural(more, "other rule", "other rules");
            format!("{} and {more} together match", names.join(", "))
        }
    };
    let of = queues.map(|queues| format!(" for {queues}")).unwrap_or_default();
    let message = format!(
        "{} decides nothing{of}: {all} all of its failures first",
        policy.rule_name(number)
    );
    let place = policy.rule_place(number);
    let mut finding =
        Diagnostic::warning(Code::ShadowedRule, place, message).labelled("decides nothing");
    for (policy, number) in by.iter().take(MAX_PLACES) {
        finding = finding.also(policy.rule_place(*number), "matches first");
    }
    finding.help("move the rule up if its failures need another decision, else remove it")
}

/// Rules that decide nothing for any queue which uses their policy, because of the policies before it.
fn across_policies(context: &Context<'_>, findings: &mut Findings) {
    type Rule = (usize, usize);
    let mut queues_of: BTreeMap<usize, usize> = BTreeMap::new();
    let mut covered: BTreeMap<Rule, (Vec<&str>, BTreeSet<Rule>)> = BTreeMap::new();
    for queue in &context.queues {
        queue.policies.iter().for_each(|policy| *queues_of.entry(*policy).or_default() += 1);
        let numbers: Vec<Rule> = queue
            .policies
            .iter()
            .flat_map(|&at| (0..context.policies[at].policy().rules.len()).map(move |it| (at, it)))
            .collect();
        let first = queue.policies.first();
        let rules =
            queue.policies.iter().flat_map(|&at| context.policies[at].policy().rules.iter());
        let rules = RuleSet::new(rules);
        for (number, rule) in numbers.iter().enumerate() {
            if Some(&rule.0) == first || context.policies[rule.0].coverage[rule.1].is_covered() {
                continue;
            }
            if let Coverage::Covered(by) = rules.coverage(number) {
                let (names, all) = covered.entry(*rule).or_default();
                names.extend(queue.name);
                all.extend(by.iter().map(|&number| numbers[number]));
                // With `--queue-policies` there is one list for all queues.
                if queue.name.is_none() {
                    names.push("");
                }
            }
        }
    }
    for ((policy, number), (queues, by)) in covered {
        if queues.len() < queues_of.get(&policy).copied().unwrap_or_default() {
            continue;
        }
        let by: Vec<_> = by.into_iter().map(|(at, it)| (&context.policies[at], it)).collect();
        let text = match queues.as_slice() {
            [""] => "every queue".to_owned(),
            [one] => format!("queue `{one}`"),
            all => format!("the {} queues that use it", all.len()),
        };
        findings.push(shadowed(&context.policies[policy], number, &by, Some(&text)));
    }
}
