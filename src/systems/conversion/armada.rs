//! What a fleet is set up with as Armada comes, against which conversions are measured, and what it
//! calls things that other systems have words of their own for.

use super::Notes;
use crate::policy::Backoff;
use crate::units::GoDuration;

/// What applies where no level sets anything (semantics.md, section 6).
pub(in crate::systems) const BUILT_IN: Backoff = Backoff {
    initial_delay: Some(GoDuration::ZERO),
    max_delay: Some(GoDuration::from_secs(600)),
    multiplier: Some(2.0),
};

/// The category and subcategory that an expired lease has, which is what Armada sees of a lost node.
pub(in crate::systems) const LEASE_EXPIRED: (&str, &str) = ("internal", "lease-expired");

/// How many retries a job gets: `globalMaxRetries`.
pub(in crate::systems) fn fleet_limit() -> u32 {
    crate::engine::V1.global_max_retries
}

/// Says where a fleet ends a job before its policy does.
pub(in crate::systems) fn within_fleet(retries: u32, path: &str, notes: &mut Notes) {
    let fleet = fleet_limit();
    if retries > fleet {
        let what = format!(
            "a fleet's globalMaxRetries, {fleet} unless it is set, ends the job before {retries} retries"
        );
        let help = format!("set the fleet's globalMaxRetries to at least {retries}");
        notes.approximated(path, what).help(help);
    }
}

/// The limit of a policy that sets none, and a note that it is written down.
pub(in crate::systems) fn unsaid_limit(path: impl Into<String>, notes: &mut Notes) -> u32 {
    let fleet = fleet_limit();
    let what = format!(
        "absent, so that the fleet's globalMaxRetries holds; its default, {fleet}, is written down"
    );
    notes.approximated(path, what).help("set `retryLimit`");
    fleet
}
