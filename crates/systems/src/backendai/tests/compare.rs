//! Comparisons of two profiles with all sequences of failures.

use crate::ManifestSystem;
use crate::backendai::{
    BackendAiEngine, BackoffStrategy, Cause, Causes, Ceiling, HashText, Interpretation, JitterMode,
    Profile, Reduction, RetryPolicy,
};
use crate::compare::testing::{check, scaled};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};

fn profiles() -> impl Strategy<Value = Profile> {
    let causes = subsequence(Cause::ALL.to_vec(), 0..=Cause::ALL.len());
    let limits = select(vec![None, Some(20.0), Some(100_000.0)]);
    let delays = (select(vec![10.0, 15.0, 90_000.0]), select(vec![0.5, 1.0, 2.0]), limits);
    let backoff = (select(BackoffStrategy::ALL.to_vec()), select(JitterMode::ALL.to_vec()));
    let ratio = select(vec![0.0, 0.25, 1.0]);
    let reading = (
        select(HashText::ALL.to_vec()),
        select(Reduction::ALL.to_vec()),
        select(Ceiling::ALL.to_vec()),
    );
    (0..4_u32, causes, delays, backoff, ratio, reading, any::<bool>()).prop_map(
        |(
            max_retries,
            causes,
            delays,
            (backoff, jitter),
            jitter_ratio,
            (hash, reduce, cap),
            events,
        )| Profile {
            name: "p".to_owned(),
            policy: RetryPolicy {
                max_retries,
                retry_delay: delays.0,
                backoff,
                backoff_multiplier: delays.1,
                max_retry_delay: delays.2,
                jitter,
                jitter_ratio,
                eligible_causes: causes.into_iter().collect::<Causes>(),
                emit_retry_events: events,
            },
            interpretation: Interpretation { hash, reduce, cap },
        },
    )
}

/// Returns a profile with one field of another.
fn edited(profile: &Profile, other: &Profile, field: usize) -> Profile {
    let mut edited = profile.clone();
    let (policy, new) = (&mut edited.policy, other.policy);
    match field {
        0 => policy.max_retries = new.max_retries,
        1 => policy.retry_delay = new.retry_delay,
        2 => policy.backoff = new.backoff,
        3 => policy.backoff_multiplier = new.backoff_multiplier,
        4 => policy.max_retry_delay = new.max_retry_delay,
        5 => policy.jitter = new.jitter,
        6 => policy.jitter_ratio = new.jitter_ratio,
        7 => policy.eligible_causes = new.eligible_causes,
        8 => policy.emit_retry_events = new.emit_retry_events,
        9 => edited.interpretation = other.interpretation,
        _ => edited = other.clone(),
    }
    edited
}

fn failures() -> Vec<Value> {
    let types = ["batch", "interactive", "inference", "system"];
    let failures = Cause::ALL.into_iter().flat_map(|cause| {
        types.map(|kind| json!({"outcome": "Failed", "cause": cause.as_str(), "sessionType": kind}))
    });
    failures.chain([json!({"outcome": "Failed"})]).collect()
}

proptest! {
    #![proptest_config(scaled(48))]

    #[test]
    fn differences_are_those_of_all_sequences(old in profiles(), other in profiles(), field in 0..11_usize) {
        let new = edited(&old, &other, field);
        let engines = [old, new].map(|profile| BackendAiEngine::new(Some(profile)));
        let engines = [&engines[0], &engines[1]];
        let comparison = check(engines, &failures(), 4)?;
        let [before, after] = engines.map(ManifestSystem::parameters);
        prop_assert!(field != 8 || comparison.is_same());
        let has_jitter = [&before, &after].iter().any(|it| !it["jitter"].is_null());
        prop_assert!(has_jitter || comparison.undecided.is_empty());
    }
}
