//! The shape of the BEP-1053 draft's `RetryProfile`. `validate` reports values that the draft's schema refuses beyond
//! a field's type.

use super::interpretation::Interpretation;
use super::layer::Layers;
use crate::profile::{API_VERSION, KIND_FIELD, METADATA};
use document::{FieldValue, Kind, choices, shapes};

/// The value of `spec.system`.
pub const SYSTEM: &str = "backendai";

shapes! {
    /// The BEP-1053 draft: a session that fails is created again after a wait.
    pub static PROFILE = "RetryProfile" {
        API_VERSION,
        KIND_FIELD,
        METADATA,
        /// The policy's layers, and how the draft is read.
        required spec: Kind::Object(&SPEC),
    }

    /// The layers of a session's policy, and how the draft is read where it leaves things open.
    static SPEC = "spec" (elsewhere: &[
        ("policy", "the draft has layers: write `layers: {session: {..}}`"),
        (
            "rules",
            "the draft has none; `eligible_causes` of a layer lists the failures that are retried",
        ),
    ]) {
        /// The system: backendai, which means the BEP-1053 draft.
        /// The draft was never implemented.
        required system: Kind::Exactly(SYSTEM),
        /// The draft; absent means draft, the only one.
        optional profile: Kind::OneOf(&PROFILES),
        /// The session's request and the defaults below it, each as it is written.
        /// They are merged first and defaults are filled in last, so that a value which is written counts
        /// though it is the default.
        required layers: Layers::KIND,
        /// How the draft is read where its formula is ambiguous.
        optional options: Interpretation::KIND,
    }
}

choices! {
    static PROFILES = "profile" {
        /// The first draft of BEP-1053, of 2026-04-27.
        "draft",
    }
}
