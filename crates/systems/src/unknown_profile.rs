//! The check of `RetryProfile` documents that name no known system: against the common fields only.

use super::profile::{API_VERSION, KIND, KIND_FIELD, METADATA, system};
use super::{SYSTEMS as REGISTRY, profiles};
use document::diag::Findings;
use document::{Choice, Choices, Document, Extra, KeyCase, Kind, check, choice, shapes};

shapes! {
    /// The retry policy of a system that has no manifest of its own.
    static FRAME = KIND {
        API_VERSION,
        KIND_FIELD,
        METADATA,
        /// The system, and its policy.
        required spec: Kind::Object(&SPEC),
    }

    /// The system, and its policy.
    static SPEC = "spec" (extra: Extra::Ignored) {
        /// The system that the policy is for.
        required system: Kind::OneOf(&SYSTEMS),
    }
}

static SYSTEMS: Choices = Choices {
    name: "system",
    values: CHOICES.0.split_at(CHOICES.1).0,
    any_case: false,
    elsewhere: &[],
};

const NO_CHOICE: Choice = choice("", "");

/// The systems with profiles, and their number.
const CHOICES: &([Choice; REGISTRY.len()], usize) = &{
    let (mut choices, mut count, mut at) = ([NO_CHOICE; REGISTRY.len()], 0, 0);
    while at < REGISTRY.len() {
        if let Some(profile) = REGISTRY[at].1.profile() {
            choices[count] = choice(profile.system, profile.doc);
            count += 1;
        }
        at += 1;
    }
    (choices, count)
};

/// Reports the errors of a profile that names no known system. Others are skipped: their systems read them.
pub fn refuse_unknown_profile(document: &Document, findings: &mut Findings) {
    let named = system(document);
    if profiles().all(|profile| named != Some(profile.system)) {
        check(&document.source, &document.root, &FRAME, KeyCase::Exact, findings);
    }
}
