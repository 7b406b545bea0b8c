//! How a profile is read.

mod policy;
pub(super) mod shape;

use super::validate::add_warnings;
use crate::profile::name;
use document::diag::Findings;
use document::{Document, FieldValue, KeyCase, check};
pub(super) use policy::MAX_RETRIES_PREEMPTION;
pub use policy::{IrisProfile, Policy, Profile, Rules};
use shape::PROFILE;

/// Reads a profile; `None` if it has errors.
pub(super) fn read(document: &Document, findings: &mut Findings) -> Option<IrisProfile> {
    let mut own = Findings::new();
    check(&document.source, &document.root, &PROFILE, KeyCase::Exact, &mut own);
    let sound = !own.has_errors();
    findings.extend(own);
    let spec = document.root.get("spec").filter(|_| sound)?;
    let rules = Rules {
        profile: Profile::from_field(spec, "profile").unwrap_or_default(),
        policy: Policy::from_field(spec, "policy").unwrap_or_default(),
    };
    // With the uncapped rules: a warning tells of the cap.
    add_warnings(document, spec.get("policy"), rules, findings);
    Some(IrisProfile { name: name(document).to_owned(), rules: cap_preemptions(rules) })
}

/// Applies the cap at submission.
fn cap_preemptions(mut rules: Rules) -> Rules {
    // The seed has no cap.
    if rules.profile == Profile::Upstream {
        let limit = &mut rules.policy.max_retries_preemption;
        *limit = (*limit).min(MAX_RETRIES_PREEMPTION);
    }
    rules
}
