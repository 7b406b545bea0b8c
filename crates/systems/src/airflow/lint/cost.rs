//! The worst case of a task, and the time that its retries last.

use super::field::entry;
use crate::airflow::engine::AirflowManifest;
use crate::airflow::engine::delay::{delay_range, first_overflow};
use crate::airflow::engine::retry_policy::ends_tries;
use crate::airflow::manifest::AirflowPolicy;
use crate::airflow::manifest::exceptions::complete;
use crate::airflow::manifest::python_time::TimeDelta;
use crate::airflow::manifest::retry_policy::{RetryAction, RetryRule, RulePlace, TaskRetryPolicy};
use crate::lint::{Bounds, Budget, WorstCase, retries_text, short_budget, time_text};
use document::Document;
use document::diag::{Diagnostic, Findings, Place};

/// Limit of tries whose waits are summed; more are far beyond any bound.
const MAX_SUMMED: u32 = 10_000;

/// Adds the findings about the cost of a task.
pub(super) fn add(
    document: &Document,
    manifest: &AirflowManifest,
    bounds: &Bounds,
    findings: &mut Findings,
) {
    let policy = &manifest.policy;
    findings.extend(beyond_bounds(document, manifest, bounds));
    let place = place(document, "retries");
    let wait = |number: u32| wait_range(policy, number);
    let budget = Budget {
        retries: u64::from(policy.retries),
        wait: &wait,
        scope: " of a task",
        assumption: "",
        remedy: &longer_delay(policy, bounds.outage.as_secs_f64()),
        limit: &retries_text,
    };
    findings.extend(short_budget(place, &budget, bounds));
}

/// Returns the delay with which the retries last some time, as a remedy. Where the cap is not above it, the cap is part of
/// the remedy.
fn longer_delay(policy: &AirflowPolicy, time: f64) -> String {
    let delay = (time / f64::from(policy.retries)).ceil();
    // A cap bounds delays that grow, and no others.
    let grows = policy.profile.multiplier(policy.backoff).is_some();
    let cap = policy.max_retry_delay.filter(|cap| grows && !cap.is_zero());
    if cap.is_some_and(|cap| cap.total_seconds() <= delay) {
        format!(
            "write `retry_delay_seconds: {delay}` and `max_retry_delay_seconds: {}`",
            // Twice the delay leaves room for the jitter, which is less than the delay.
            2.0 * delay
        )
    } else {
        format!("write `retry_delay_seconds: {delay}`")
    }
}

/// Returns the place of a field, or of the name if it is absent.
fn place(document: &Document, field: &str) -> Place {
    let name = document.root.at(&["metadata", "name"]).unwrap_or(&document.root);
    let span = entry(document, field).map_or(name.span, |entry| entry.key_span);
    document.place(span)
}

/// Returns the shortest and the longest delay after a failed try, in seconds; infinite if the release cannot compute it.
fn wait_range(policy: &AirflowPolicy, try_number: u32) -> (f64, f64) {
    let try_number = i32::try_from(try_number).unwrap_or(i32::MAX);
    let range = delay_range(policy, try_number);
    range.map_or((f64::INFINITY, f64::INFINITY), |(least, most)| {
        (least.total_seconds(), most.total_seconds())
    })
}

fn beyond_bounds(
    document: &Document,
    manifest: &AirflowManifest,
    bounds: &Bounds,
) -> Option<Diagnostic> {
    let policy = &manifest.policy;
    let worst = worst_case(policy);
    let subject = format!("a task under `{}`", manifest.name);
    let longest = wait_range(policy, policy.retries).1;
    let causes = [
        None,
        Some((
            place(document, "retry_delay_seconds"),
            format!("up to {} each", time_text(longest)),
        )),
        None,
    ];
    let grows = policy.profile.multiplier(policy.backoff).is_some();
    let is_long = worst.wait > bounds.wait.as_secs_f64();
    let assumption = if grows && is_long { " with the longest jitter" } else { "" };
    let found =
        worst.finding(bounds, (place(document, "retries"), &subject), causes, assumption)?;
    let has_cap = policy.max_retry_delay.is_some_and(|cap| !cap.is_zero());
    let cap = (bounds.wait.as_secs_f64() / f64::from(policy.retries)).floor();
    // Without a retry policy the cap bounds each wait, so that it is enough.
    let is_enough = worst.attempts <= bounds.attempts && policy.retry_policy.is_none();
    // Growing delays are whole seconds.
    Some(if is_long && grows && !has_cap && is_enough && cap >= 1.0 {
        found.help(format!("set `max_retry_delay_seconds` to at most {cap}, or lower `retries`"))
    } else {
        found
    })
}

/// Returns the worst case of a task: the most runs, and the longest wait in all, each with the failures that cost most.
pub(crate) fn worst_case(policy: &AirflowPolicy) -> WorstCase {
    let overflow = first_overflow(policy).and_then(|first| u64::try_from(first).ok());
    let tries = u64::from(policy.retries) + 1;
    let tries = overflow.map_or(tries, |first| tries.min(first));
    let own = policy.retry_policy.as_ref().filter(|_| policy.profile.has_retry_policies());
    let reached: Vec<&RetryRule> = own.map(|own| reached_rules(policy, own)).unwrap_or_default();
    let of_action = |action| reached.iter().copied().filter(move |rule| rule.action == action);
    let delays = of_action(RetryAction::Retry).filter_map(|rule| rule.retry_delay);
    let longest = delays.map(TimeDelta::total_seconds).fold(0.0, f64::max);
    let (reschedules, time) = reschedules(policy, of_action(RetryAction::Reschedule).collect());
    let most = u32::try_from(tries - 1).unwrap_or(u32::MAX).min(MAX_SUMMED);
    let retries: f64 = (1..=most).map(|number| wait_range(policy, number).1.max(longest)).sum();
    WorstCase {
        attempts: tries.saturating_mul(reschedules.saturating_add(1)),
        wait: retries + product(tries, time),
        memory_factor: 1.0,
    }
}

/// Returns the most reschedules of one try by some rules, and the longest that they wait in all, if each run fails at once.
/// A rule with a timeout is taken alone: the waits of others use up its time.
fn reschedules(policy: &AirflowPolicy, rules: Vec<&RetryRule>) -> (u64, f64) {
    let delay = |rule: &RetryRule| rule.retry_delay.unwrap_or(policy.retry_delay).total_seconds();
    let (timed, mut counted): (Vec<&RetryRule>, Vec<&RetryRule>) =
        rules.into_iter().partition(|rule| rule.reschedule_timeout.is_some());
    // The longest waits first: the sum is then the most that any order of failures can reach.
    counted.sort_by(|one, other| delay(other).total_cmp(&delay(one)));
    let (mut count, mut wait) = (0, 0.0);
    // A rule reschedules while the count, which all rules share, is below its own bound.
    for rule in counted {
        let most = reschedule_bound(rule, delay(rule));
        wait += product(most.saturating_sub(count), delay(rule));
        count = count.max(most);
    }
    timed.into_iter().fold((count, wait), |(count, wait), rule| {
        let most = reschedule_bound(rule, delay(rule));
        (count.max(most), wait.max(product(most, delay(rule))))
    })
}

/// Returns the sum of equal waits; any number of waits of 0 are 0.
#[expect(clippy::cast_precision_loss, reason = "a sum of waits")]
fn product(number: u64, wait: f64) -> f64 {
    if wait > 0.0 { number as f64 * wait } else { 0.0 }
}

/// Returns the most reschedules by a rule alone.
fn reschedule_bound(rule: &RetryRule, delay: f64) -> u64 {
    let by_count = rule.max_reschedules.map_or(u64::MAX, u64::from);
    let by_time = rule.reschedule_timeout.map_or(u64::MAX, |timeout| {
        // A reschedule at the end of the time is refused, so that the last one begins before it.
        let number = (timeout.total_seconds() / delay).ceil();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturates, also without a delay"
        )]
        let number = number as u64;
        number
    });
    by_count.min(by_time)
}

/// Returns the rules by which the policy answers some exception that does not end the tries before: one of a class that a
/// rule names, or of a class that derives from it.
fn reached_rules<'p>(policy: &AirflowPolicy, own: &'p TaskRetryPolicy) -> Vec<&'p RetryRule> {
    let mut reached: Vec<RulePlace> = Vec::new();
    for class in own.rules().flat_map(|(_, rule)| &rule.exceptions) {
        let mut exact = vec![class.clone()];
        complete(&mut exact);
        let derived = [&["derived.Exception".into()], &*exact].concat();
        for classes in [exact, derived] {
            let answer = own.evaluate(&classes);
            let is_consulted = !ends_tries(policy.profile, &classes);
            reached.extend(answer.rule.filter(|_| is_consulted));
        }
    }
    let rules = own.rules().filter(|(place, _)| reached.contains(place));
    rules.map(|(_, rule)| rule).collect()
}
