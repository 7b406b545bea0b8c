//! Retries after disruptions that are used up before an outage ends.

use super::context::{Context, Policy};
use super::definition::Lint;
use armada_retry::engine::{OF_EXPIRED_LEASES, Schedule};
use armada_retry::policy::{Action, AntiAffinity, Backoff, Condition, Form, Matcher, Rule};
use document::diag::{Code, Findings, Place};
use replay::disruption::DISRUPTION_CONDITIONS;
use systems::{Budget, retries_text, short_budget};

pub(super) const LINT: Lint = Lint { code: Code::ShortBudget, check };

const REMEDY: &str = "set a backoff, such as `backoff: {initialDelay: 30s}`, or `antiAffinity: {mode: node}`, which avoids the node";

fn check(context: &Context<'_>, findings: &mut Findings) {
    // In `v1beta1` no retry waits, and a preempted run ends the job.
    for policy in context.policies.iter().filter(|it| it.policy().form == Form::V1) {
        let mut granters: Vec<(Granter, Vec<&str>)> = Vec::new();
        for disruption in Disruption::ALL {
            let Some(granter) = granter(policy, disruption) else { continue };
            match granters.iter_mut().find(|(known, _)| *known == granter) {
                Some((_, names)) => names.push(disruption.noun()),
                None => granters.push((granter, vec![disruption.noun()])),
            }
        }
        for (granter, names) in granters {
            findings.extend(finding(context, policy, granter, &alternatives(&names)));
        }
    }
}

/// Several disruptions in words: `an eviction, a preemption or an expired lease`.
fn alternatives(names: &[&str]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        names => names.concat(),
    }
}

/// A disruption, as rules match it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Disruption {
    /// A condition of the pod.
    Condition(Condition),
    /// The expiry of the lease.
    ExpiredLease,
}

impl Disruption {
    const ALL: [Self; 3] = {
        let [first, second] = DISRUPTION_CONDITIONS;
        [Self::Condition(first), Self::Condition(second), Self::ExpiredLease]
    };

    fn noun(self) -> &'static str {
        match self {
            Self::Condition(Condition::Preempted) => "a preemption",
            Self::Condition(_) => "an eviction",
            Self::ExpiredLease => "an expired lease",
        }
    }

    /// Whether a rule matches it, whatever else the run has.
    fn is_matched(self, rule: &Rule) -> bool {
        match self {
            Self::Condition(condition) => {
                rule.matchers().len() == 1
                    && rule.container.is_none()
                    && rule.conditions.contains(&condition)
            }
            Self::ExpiredLease => {
                let (category, subcategory) = OF_EXPIRED_LEASES;
                let takes = |names: &[String], name: &str| {
                    names.is_empty() || names.iter().any(|it| it == name)
                };
                // It has no other sign.
                let has_others = |matcher: &Matcher<'_>| {
                    !matches!(matcher, Matcher::Categories(_) | Matcher::Subcategories(_))
                };
                takes(&rule.categories, category)
                    && takes(&rule.subcategories, subcategory)
                    && !rule.matchers().iter().any(has_others)
            }
        }
    }
}

/// The part of a policy that grants a retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Granter {
    /// The rule with this number.
    Rule(usize),
    Default,
}

/// The granter of a retry of a disruption; `None` if there is none.
fn granter(policy: &Policy<'_>, disruption: Disruption) -> Option<Granter> {
    let mut rules = policy.policy().rules.iter().enumerate();
    let rule = rules.find(|(_, rule)| disruption.is_matched(rule));
    let action = rule.map_or(policy.policy().default_action(), |(_, rule)| rule.action);
    let is_covered = rule.is_some_and(|(number, _)| !policy.can_retry(number));
    let granter = || rule.map_or(Granter::Default, |(number, _)| Granter::Rule(number));
    (action == Action::Retry && !is_covered).then(granter)
}

/// The finding about what grants retries of these disruptions.
fn finding(
    context: &Context<'_>,
    policy: &Policy<'_>,
    granter: Granter,
    disruptions: &str,
) -> Option<document::diag::Diagnostic> {
    let own = policy.policy();
    let rule = match granter {
        Granter::Rule(number) => own.rules.get(number),
        Granter::Default => None,
    };
    let avoids = rule.and_then(|rule| rule.anti_affinity).or(own.anti_affinity);
    if avoids == Some(AntiAffinity::Node) {
        return None;
    }
    let scheduler = context.input.scheduler.map(|it| it.settings.default_backoff);
    let of_rule = rule.map_or_else(Backoff::default, |rule| rule.backoff);
    let schedule = Schedule::resolve(of_rule, own.backoff, scheduler.unwrap_or_default());
    let wait = |failures: u32| {
        let wait = schedule.wait(failures).as_secs_f64();
        (wait, wait)
    };
    let global = context.assumed_max_retries(own.form);
    let is_assumed = of_rule.or(own.backoff).initial_delay.is_none() && scheduler.is_none();
    let (name, place): (String, Place) = match granter {
        Granter::Rule(number) => (policy.rule_name(number), policy.rule_place(number)),
        Granter::Default => (format!("the default of `{}`", policy.name()), policy.default_place()),
    };
    let budget = Budget {
        retries: u64::from(policy.limit(rule).unwrap_or(global).min(global)),
        wait: &wait,
        scope: &format!(" of {name} after {disruptions}"),
        assumption: if is_assumed { ", unless `defaultBackoff` is set" } else { "" },
        remedy: REMEDY,
        // A limit above the global one is another finding.
        limit: &|retries| retries_text(retries).filter(|_| retries <= global),
    };
    short_budget(place, &budget, &context.input.bounds)
}
