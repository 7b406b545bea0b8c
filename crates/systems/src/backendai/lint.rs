//! Findings about a profile that is valid, and probably not what its author intended.

use super::manifest::cause::Cause;
use super::manifest::{LAYERS, Profile, effective_entry, layer_node, read_cause};
use crate::lint::{Bounds, Budget, WorstCase, report_duplicates, same_memory, short_budget};
use document::diag::{Diagnostic, Findings, Place};
use document::{Document, Node};

/// Limit of retries whose waits are summed; more are far beyond any bound.
const MAX_SUMMED: u32 = 10_000;

/// Returns the findings about a profile.
pub(super) fn lint(document: &Document, profile: &Profile, bounds: &Bounds) -> Findings {
    let mut findings = Findings::new();
    for layer in LAYERS.into_iter().filter_map(|name| layer_node(&document.root, name)) {
        let cause = |item: &Node| read_cause(item).map(|cause| cause.as_str().to_owned());
        report_duplicates(document, layer.entry("eligible_causes"), cause, &mut findings);
    }
    findings.extend(same_memory_of(document, profile));
    findings.extend(beyond_bounds(document, profile, bounds));
    findings.extend(short_retry_budget(document, profile, bounds));
    findings
}

/// Returns the information that OOM kills are retried with the same resources, if the profile lists them.
fn same_memory_of(document: &Document, profile: &Profile) -> Option<Diagnostic> {
    let is_retried =
        profile.policy.max_retries > 0 && profile.policy.eligible_causes.admit(Cause::OomKilled);
    let (_, list) = effective_entry(&document.root, "eligible_causes").filter(|_| is_retried)?;
    let mut items = list.value.items().iter();
    let item = items.find(|item| read_cause(item) == Some(Cause::OomKilled))?;
    let remedy = "leave out `oom_killed`: the session that follows has the resources of the first";
    Some(same_memory(document.place(item.span), "`oom_killed` is retried", remedy))
}

/// Returns the place of `max_retries`, or of the name if no layer sets it.
fn limit_place(document: &Document) -> Place {
    let name = document.root.at(&["metadata", "name"]).unwrap_or(&document.root);
    let entry = effective_entry(&document.root, "max_retries");
    document.place(entry.map_or(name.span, |(_, entry)| entry.key_span))
}

/// Returns the shortest and the longest delay before a retry, by its number from 1, in seconds.
fn wait_range(profile: &Profile, number: u32) -> (f64, f64) {
    let range = profile.policy.delay_range(profile.interpretation.cap, number.saturating_sub(1));
    (range.least, range.most)
}

/// Returns the most attempts of a session, and the longest waits between them.
pub(super) fn worst_case(profile: &Profile) -> WorstCase {
    let retries = if profile.policy.can_retry() { profile.policy.max_retries } else { 0 };
    WorstCase {
        attempts: u64::from(retries) + 1,
        wait: (1..=retries.min(MAX_SUMMED)).map(|number| wait_range(profile, number).1).sum(),
        memory_factor: 1.0,
    }
}

fn beyond_bounds(document: &Document, profile: &Profile, bounds: &Bounds) -> Option<Diagnostic> {
    let subject = format!("a session under `{}`", profile.name);
    let worst = worst_case(profile);
    worst.finding(bounds, (limit_place(document), &subject), [None, None, None], "")
}

/// Returns the information that the retries are used up before the outage of an agent ends.
fn short_retry_budget(
    document: &Document,
    profile: &Profile,
    bounds: &Bounds,
) -> Option<Diagnostic> {
    let policy = &profile.policy;
    if !policy.eligible_causes.admit(Cause::AgentTransient) {
        return None;
    }
    let wait = |number: u32| wait_range(profile, number);
    let budget = Budget {
        retries: u64::from(policy.max_retries),
        wait: &wait,
        scope: " of a session after `agent_transient`",
        assumption: "",
        remedy: "raise `retry_delay`",
    };
    short_budget(limit_place(document), &budget, bounds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backendai::engine::{Chain, Failure};
    use crate::backendai::manifest::cause::Causes;
    use crate::backendai::manifest::interpretation::Interpretation;
    use crate::backendai::{BackoffStrategy, Draw, JitterMode, RetryPolicy, SessionId};
    use proptest::option::of;
    use proptest::prelude::*;
    use proptest::sample::{select, subsequence};

    fn profiles() -> impl Strategy<Value = Profile> {
        let causes = subsequence(Cause::ALL.to_vec(), 0..=Cause::ALL.len());
        let modes = (select(BackoffStrategy::ALL.to_vec()), select(JitterMode::ALL.to_vec()));
        let delays = (1.0..400.0_f64, 0.5..3.0_f64, of(1.0..4000.0_f64), 0.0..=1.0_f64);
        (0..9_u32, causes, modes, delays).prop_map(
            |(max_retries, causes, (backoff, jitter), (delay, multiplier, limit, ratio))| Profile {
                name: "p".to_owned(),
                policy: RetryPolicy {
                    max_retries,
                    retry_delay: delay,
                    backoff,
                    backoff_multiplier: multiplier,
                    max_retry_delay: limit,
                    jitter,
                    jitter_ratio: ratio,
                    eligible_causes: causes.into_iter().collect::<Causes>(),
                    ..RetryPolicy::default()
                },
                interpretation: Interpretation::default(),
            },
        )
    }

    /// The attempts and the waits of a chain whose sessions all fail by one cause, by the engine.
    fn replay(profile: &Profile, cause: Cause, bits: u64) -> (u64, f64) {
        let (mut chain, mut attempts, mut waits) = (Chain::default(), 0_u64, 0.0);
        loop {
            attempts += 1;
            let id = SessionId::Uuid(u128::from(bits) + u128::from(attempts));
            let failure =
                Failure { id: &id, has_own_id: true, retry_count: None, cause, batch: true };
            let draw = Draw::of_bits(bits);
            let decision = chain.decide(&profile.policy, profile.interpretation, &failure, draw);
            match decision.verdict.retry() {
                Some(retry) => waits += retry.delay.seconds,
                None => return (attempts, waits),
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        /// The attempts are the most over all causes; the waits are between the shortest and the longest sum, and equal
        /// without jitter.
        #[test]
        fn costs_are_those_of_the_engine(profile in profiles(), bits: u64) {
            let worst = worst_case(&profile);
            let runs = Cause::ALL.map(|cause| replay(&profile, cause, bits));
            prop_assert_eq!(worst.attempts, runs.iter().map(|run| run.0).max().unwrap());
            let longest = runs.iter().map(|run| run.1).fold(0.0, f64::max);
            let retries = u32::try_from(worst.attempts - 1).unwrap();
            let shortest: f64 = (1..=retries).map(|number| wait_range(&profile, number).0).sum();
            let error = 1e-6 * worst.wait;
            prop_assert!(shortest - error <= longest && longest <= worst.wait + error);
            if profile.policy.jitter == JitterMode::None {
                prop_assert!((longest - worst.wait).abs() <= error);
            }
        }
    }
}
