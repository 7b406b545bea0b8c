//! Armada's defaults, which conversions are compared with, its names for causes of other systems, and names of its policies.

use super::Notes;
use armada_retry::policy::PolicyName;

/// The category and subcategory of an expired lease: Armada's counterpart of a lost node.
pub(crate) const LEASE_EXPIRED: (&str, &str) = ("internal", "lease-expired");

/// Returns the default of `globalMaxRetries`: the retries of a job.
pub(crate) fn fleet_limit() -> u32 {
    armada_retry::engine::V1.global_max_retries
}

/// Notes that a fleet ends a job before its policy does.
pub(crate) fn note_fleet_limit(retries: u32, path: &str, notes: &mut Notes) {
    let fleet = fleet_limit();
    if retries > fleet {
        let what = format!(
            "a fleet's globalMaxRetries, {fleet} unless it is set, ends the job before {retries} retries"
        );
        let help = format!("set the fleet's globalMaxRetries to at least {retries}");
        notes.approximated(path, what).help(help);
    }
}

/// Returns the limit of a policy that sets none, with a note that it becomes explicit.
pub(crate) fn note_default_limit(path: impl Into<String>, notes: &mut Notes) -> u32 {
    let fleet = fleet_limit();
    let what = format!(
        "absent, so the fleet's globalMaxRetries applies; its default, {fleet}, is written"
    );
    notes.approximated(path, what).help("set `retryLimit`");
    fleet
}

/// Makes a policy's name from a manifest's: invalid characters become dashes, and it is cut after 63
/// characters. `None` if no valid character is left.
pub(crate) fn policy_name(name: &str) -> Option<PolicyName> {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = name.chars().map(letter).take(63).collect();
    PolicyName::new(name.trim_matches('-'))
}
