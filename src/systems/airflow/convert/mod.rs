//! A profile of Airflow's as a `v1` policy, and a `v1` policy as such a profile.
//!
//! A task instance is tried until it succeeds or its retries are used up, as an Armada job is run.
//! Airflow asks for no reason of a failure, so that a `v1` policy without rules says as much; it
//! waits as long each time, or grows with a jitter, which `v1` has not. Where nothing is lost, the
//! same failures lead to another try after the same wait, or to the end. What a try says for itself
//! (`AirflowFailException`, a retry policy, that it was cleared) stands in no profile, and so in no
//! conversion.

mod from_v1;
#[cfg(test)]
mod tests;
mod to_v1;

pub use from_v1::from_v1;
pub use to_v1::to_v1;

use crate::systems::conversion::Notes;

/// How many retries a job gets in a fleet that is set up as Armada comes: `globalMaxRetries`.
fn fleet_limit() -> u32 {
    crate::engine::V1.global_max_retries
}

/// Says where a fleet ends a job before its policy does.
fn within_fleet(retries: u32, path: &str, notes: &mut Notes) {
    let fleet = fleet_limit();
    if retries > fleet {
        let what = format!(
            "a fleet's globalMaxRetries, {fleet} unless it is set, ends the job before {retries} retries"
        );
        let help = format!("set the fleet's globalMaxRetries to at least {retries}");
        notes.approximated(path, what).help(help);
    }
}
