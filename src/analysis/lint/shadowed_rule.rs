//! Rules that decide nothing, because earlier rules match all of their failures.

use super::context::{Context, Policy, Queue, RuleNumber};
use super::definition::Lint;
use armada_retry::policy::Coverage;
use document::diag::{Code, Diagnostic, Findings, Fix};
use std::collections::{BTreeMap, BTreeSet};
use systems::{NamedRule, shadowed_rule};

pub(super) const LINT: Lint = Lint { code: Code::ShadowedRule, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    for policy in &context.policies {
        for (number, coverage) in policy.coverage.iter().enumerate() {
            match coverage {
                Coverage::Covered(by) if !by.is_empty() => {
                    let fix = duplicate_fix(context, policy, number, by);
                    let by: Vec<NamedRule> = by.iter().map(|&it| named(policy, it)).collect();
                    let finding = shadowed_rule(named(policy, number), "", &by);
                    findings.push(finding.fixed_by(fix));
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
    by: &[usize],
) -> Option<Fix> {
    let &[earlier] = by else { return None };
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

/// The rule of a policy in a finding.
fn named(policy: &Policy<'_>, number: usize) -> NamedRule {
    NamedRule { name: policy.rule_name(number), place: policy.rule_place(number) }
}

/// Rules that decide nothing for any queue which uses their policy, because of the policies before it.
fn across_policies(context: &Context<'_>, findings: &mut Findings) {
    let mut covered: BTreeMap<RuleNumber, Covered<'_>> = BTreeMap::new();
    for queue in &context.queues {
        if queue.policies.len() < 2 {
            continue;
        }
        for (rule, coverage) in queue.numbers.iter().zip(queue.rules.coverages()) {
            let is_first = Some(&rule.0) == queue.policies.first();
            if is_first || context.policies[rule.0].coverage[rule.1].is_covered() {
                continue;
            }
            if let Coverage::Covered(by) = coverage {
                let covered = covered.entry(*rule).or_default();
                covered.queues.push(queue);
                covered.by.extend(by.iter().map(|&number| queue.numbers[number]));
            }
        }
    }
    for ((policy, number), Covered { queues, by }) in covered {
        let uses = |queue: &&Queue<'_>| queue.policies.contains(&policy);
        if queues.len() < context.queues.iter().filter(uses).count() {
            continue;
        }
        let by: Vec<_> = by.into_iter().map(|(at, it)| named(&context.policies[at], it)).collect();
        let scope = match queues.as_slice() {
            [one] => format!(" for {}", one.text()),
            all => format!(" for the {} queues that use it", all.len()),
        };
        findings.push(shadowed_rule(named(&context.policies[policy], number), &scope, &by));
    }
}

/// The queues for which other policies cover a rule, and the rules that do.
#[derive(Default)]
struct Covered<'c> {
    queues: Vec<&'c Queue<'c>>,
    by: BTreeSet<RuleNumber>,
}
