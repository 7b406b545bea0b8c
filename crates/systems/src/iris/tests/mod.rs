//! Tests of Iris's rules against an independent model, of its engine, and of its conversions.

mod compare;
mod convert;
mod convert_notes;
mod engine;
mod oracle;
mod properties;

use super::{Policy, Profile, Rules};
use proptest::prelude::*;
use proptest::sample::select;

/// Generates profiles whose limits are small, negative or this large one.
fn rules(large: i32) -> impl Strategy<Value = Rules> {
    let limit = move || prop_oneof![6 => 0..4_i32, 1 => Just(-1), 1 => Just(large)];
    let replicas = prop_oneof![Just(1), 2..5_u32];
    let policy = (limit(), limit(), limit(), replicas, any::<bool>()).prop_map(
        |(failure, preemption, failures, replicas, coscheduled)| Policy {
            max_retries_failure: failure,
            max_retries_preemption: preemption,
            max_task_failures: failures,
            replicas,
            coscheduled,
        },
    );
    (select(Profile::ALL.to_vec()), policy).prop_map(|(profile, policy)| Rules { profile, policy })
}
