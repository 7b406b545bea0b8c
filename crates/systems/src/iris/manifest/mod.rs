//! How a profile is read.

mod policy;
pub(super) mod shape;

use super::validate::add_warnings;
use crate::profile::name;
use document::diag::Findings;
use document::{Document, KeyCase, Node, check};
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
    let named = spec.get("profile").and_then(Node::text).and_then(Profile::from_name);
    let written = read_policy(spec.get("policy"));
    let profile = named.unwrap_or(Profile::Upstream);
    let rules = Rules { profile, policy: written };
    add_warnings(document, spec.get("policy"), rules, findings);
    Some(IrisProfile { name: name(document).to_owned(), rules: cap_preemptions(rules) })
}

fn read_policy(node: Option<&Node>) -> Policy {
    let defaults = Policy::default();
    let Some(node) = node else { return defaults };
    let whole = |field| node.get(field).and_then(Node::integer);
    let limit =
        |field, defaults| whole(field).and_then(|n| i32::try_from(n).ok()).unwrap_or(defaults);
    Policy {
        max_retries_failure: limit("max_retries_failure", defaults.max_retries_failure),
        max_retries_preemption: limit("max_retries_preemption", defaults.max_retries_preemption),
        max_task_failures: limit("max_task_failures", defaults.max_task_failures),
        replicas: whole("replicas")
            .and_then(|n| u32::try_from(n).ok())
            .unwrap_or(defaults.replicas),
        coscheduled: node
            .get("coscheduled")
            .and_then(Node::boolean)
            .unwrap_or(defaults.coscheduled),
    }
}

/// Applies the cap at submission.
fn cap_preemptions(mut rules: Rules) -> Rules {
    if rules.profile == Profile::Upstream {
        let limit = &mut rules.policy.max_retries_preemption;
        *limit = (*limit).min(MAX_RETRIES_PREEMPTION);
    }
    rules
}
