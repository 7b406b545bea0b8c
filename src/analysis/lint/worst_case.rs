//! The worst case of a job: how often it runs, how long it waits and how much its memory grows.

use super::context::{Context, Policy};
use super::definition::Lint;
use armada_retry::engine::Schedule;
use armada_retry::policy::{Action, Backoff, Form, MemoryBump, Rule};
use document::diag::{Code, Findings, Place, plural};
use systems::WorstCase;

pub(super) const LINT: Lint = Lint { code: Code::WorstCase, check };

/// Limit of retries whose waits are summed; more are far beyond any bound.
const MAX_SUMMED: u64 = 10_000;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for set in context.sets() {
        let policies: Vec<&Policy<'_>> = set.iter().map(|&at| &context.policies[at]).collect();
        let Some(first) = policies.first() else { continue };
        let (worst, causes) = worst_case(context, &policies);
        let names: Vec<String> = policies.iter().map(|it| format!("`{}`", it.name())).collect();
        let assumed = if context.input.scheduler.is_some() {
            ""
        } else {
            ", if `globalMaxRetries` has its default"
        };
        let subject = format!("a job under {}", names.join(", "));
        let bounds = &context.input.bounds;
        findings.extend(worst.finding(bounds, (first.name_place(), &subject), causes, assumed));
    }
}

/// The origin of granted retries: a rule, or a default action.
struct Granter {
    limit: u64,
    schedule: Schedule,
    factor: f64,
    place: Place,
}

/// A case that can occur: each retry is granted by a rule whose limit is not reached. The waits are at least those
/// of the case, and the attempts and the growth of memory exactly the most. With it the granter that contributes most to
/// each.
fn worst_case(
    context: &Context<'_>,
    policies: &[&Policy<'_>],
) -> (WorstCase, [Option<(Place, String)>; 3]) {
    let mut granters = granters(context, policies);
    let form = policies.first().map_or(Form::V1, |it| it.policy().form);
    let mut most = u64::from(context.assumed_max_retries(form));
    // In `v1beta1` one limit is for all retries of the job.
    if let (Form::V1beta1, Some(policy)) = (form, policies.first()) {
        most = most.min(u64::from(policy.policy().limit().unwrap_or(0)));
    }
    let sum = granters.iter().fold(0_u64, |sum, it| sum.saturating_add(it.limit));
    let retries = sum.min(most);
    let memory_factor = memory_factor(&granters, retries);
    let causes = causes(&granters, most);
    let wait = longest_wait(&mut granters, retries);
    (WorstCase { attempts: retries.saturating_add(1), wait, memory_factor }, causes)
}

/// The granters that contribute most to attempts, waits and memory.
fn causes(granters: &[Granter], most: u64) -> [Option<(Place, String)>; 3] {
    let retries = |it: &Granter| it.limit.min(most);
    let failures = |it: &Granter| u32::try_from(retries(it)).unwrap_or(u32::MAX);
    let label = |it: Option<&Granter>| {
        let it = it?;
        Some((it.place.clone(), format!("up to {}", plural_of(retries(it)))))
    };
    let growth = |it: &Granter| it.factor.powi(i32::try_from(retries(it)).unwrap_or(i32::MAX));
    [
        label(granters.iter().max_by_key(|it| it.limit)),
        label(granters.iter().max_by_key(|it| it.schedule.wait(failures(it)))),
        label(granters.iter().max_by(|one, other| growth(one).total_cmp(&growth(other)))),
    ]
}

fn plural_of(retries: u64) -> String {
    plural(usize::try_from(retries).unwrap_or(usize::MAX), "retry", "retries")
}

fn granters(context: &Context<'_>, policies: &[&Policy<'_>]) -> Vec<Granter> {
    let scheduler = context.input.scheduler.map(|it| it.settings.default_backoff);
    let scheduler = scheduler.unwrap_or_default();
    let mut granters = Vec::new();
    for (at, policy) in policies.iter().enumerate() {
        let global = context.assumed_max_retries(policy.policy().form);
        let granter = |rule: Option<&Rule>, place: Place| {
            let own = rule.map_or_else(Backoff::default, |rule| rule.backoff);
            Granter {
                limit: u64::from(policy.limit(rule).unwrap_or(global)),
                schedule: Schedule::resolve(own, policy.policy().backoff, scheduler),
                factor: match rule.and_then(|rule| rule.memory) {
                    Some(MemoryBump::Factor(factor)) => factor,
                    _ => 1.0,
                },
                place,
            }
        };
        for (number, rule, _) in policy.numbered() {
            if policy.can_retry(number) {
                granters.push(granter(Some(rule), policy.rule_place(number)));
            }
        }
        // Only the default of the first policy decides.
        if at == 0 && policy.policy().default_action() == Action::Retry {
            granters.push(granter(None, policy.default_place()));
        }
    }
    granters
}

/// The largest product of factors over some retries.
fn memory_factor(granters: &[Granter], retries: u64) -> f64 {
    let mut factors: Vec<(f64, u64)> =
        granters.iter().filter(|it| it.factor > 1.0).map(|it| (it.factor, it.limit)).collect();
    // Factors above 1 multiply, so the largest ones first make the largest product.
    factors.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut left = retries;
    factors.iter().fold(1.0, |product, (factor, limit)| {
        let times = left.min(*limit);
        left -= times;
        product * factor.powi(i32::try_from(times).unwrap_or(i32::MAX))
    })
}

/// The sum of the waits, each by the granter with the longest wait that has retries left, from the last retry to the
/// first: waits grow with the number of the failure.
fn longest_wait(granters: &mut [Granter], retries: u64) -> f64 {
    let mut sum = 0.0;
    for number in (1..=retries.min(MAX_SUMMED)).rev() {
        let failures = u32::try_from(number).unwrap_or(u32::MAX);
        let wait = |it: &Granter| it.schedule.wait(failures);
        let left = granters.iter_mut().filter(|it| it.limit > 0);
        let Some(granter) = left.max_by_key(|it| wait(it)) else { break };
        granter.limit -= 1;
        sum += granter.schedule.wait(failures).as_secs_f64();
    }
    sum
}
