//! A task's retry settings, and how they are read from a profile.
//!
//! Owns the values of `spec.policy` with Airflow's defaults.
//!
//! Reading reports nothing: a value that a check rejected is read as if it were absent.

pub(super) mod backoff;
pub(super) mod exceptions;
pub(super) mod policy;
pub(super) mod profile;
pub(super) mod python_time;
pub(super) mod retry_policy;
pub(super) mod shape;

use document::{FieldValue, Node};
pub use policy::AirflowPolicy;
use profile::Profile;

/// Reads the policy from the `spec` of a profile.
pub fn read(spec: &Node) -> AirflowPolicy {
    let policy = AirflowPolicy::from_field(spec, "policy").unwrap_or_default();
    AirflowPolicy { profile: read_profile(spec), ..policy }
}

/// Reads the release from the `spec` of a profile.
pub(super) fn read_profile(spec: &Node) -> Profile {
    // YAML may read `3.0` as a number; the text as written names the release.
    let profile = spec.get("profile").and_then(Node::scalar).map(|scalar| scalar.text.as_str());
    profile.and_then(Profile::from_name).unwrap_or_default()
}
