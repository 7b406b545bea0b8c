//! Converts the strategies of a workflow to `v1` policies, one for each template that has a strategy.

use crate::argo::ArgoManifest;
use crate::argo::manifest::{Backoff, RetryPolicyName, RetryStrategy, TemplateStrategy};
use crate::convert::{Conversion, Notes, fleet_limit, note_fleet_limit};
use armada_retry::policy::{self, Action, AntiAffinity, Form, PolicyName, RetryPolicy};
use document::units::GoDuration;

/// Converts the strategies of a checked workflow; `None` if it has none, or a name cannot be made a policy's.
pub fn to_v1(manifest: &ArgoManifest) -> Option<Conversion<Vec<RetryPolicy>>> {
    let mut notes = Notes::default();
    let is_single = manifest.strategies().count() == 1;
    let mut policies = Vec::new();
    for (number, template) in manifest.templates.iter().enumerate() {
        let Some(strategy) = &template.strategy else { continue };
        policies.push(RetryPolicy {
            name: policy_name(manifest, template, is_single)?,
            ..convert(strategy, &format!("spec.templates[{number}].retryStrategy"), &mut notes)?
        });
    }
    (!policies.is_empty()).then(|| Conversion { result: policies, notes: notes.into_vec() })
}

/// Returns the name of the policy of a template: the workflow's, with the template's if there are several.
fn policy_name(
    manifest: &ArgoManifest,
    template: &TemplateStrategy,
    is_single: bool,
) -> Option<PolicyName> {
    // `generateName` ends with a hyphen, which no policy's name may.
    let workflow = manifest.name.trim_end_matches('-');
    if is_single {
        return PolicyName::new(workflow);
    }
    PolicyName::new(&format!("{workflow}-{}", template.template.to_lowercase()))
}

fn convert(strategy: &RetryStrategy, path: &str, notes: &mut Notes) -> Option<RetryPolicy> {
    let field = |name: &str| format!("{path}.{name}");
    // A limit below 0 grants nothing, as 0.
    let limit = strategy.limit.map(|limit| u32::try_from(limit).unwrap_or(0));
    let retries = limit.is_none_or(|limit| limit > 0);
    match limit {
        Some(0) => notes.carried(field("limit"), "as `defaultAction: Fail`"),
        Some(limit) => {
            notes.carried(
                field("limit"),
                format!("as `retryLimit: {limit}` and `defaultAction: Retry`"),
            );
            note_fleet_limit(limit, &field("limit"), notes);
        }
        None => {
            let fleet = fleet_limit();
            let what = format!(
                "absent, so Argo retries without end; a fleet's globalMaxRetries, {fleet} unless it is set, ends the job"
            );
            notes.approximated(field("limit"), what).help("set `limit`");
        }
    }
    note_policy(strategy, path, notes);
    if strategy.expression.is_some() {
        let what = "`v1` has no expressions: every failure is decided as one for which it is true";
        notes.lost(field("expression"), what).help("write rules on exit codes or on messages");
    }
    let backoff = match (strategy.backoff, strategy.limit) {
        (Some(backoff), Some(_)) if retries => convert_backoff(backoff, path, notes),
        (Some(_), None) => {
            let what = "left out: without a limit Argo does not wait";
            notes.carried(field("backoff"), what);
            policy::Backoff::default()
        }
        _ => policy::Backoff::default(),
    };
    if strategy.avoids_nodes {
        notes.carried(field("affinity"), "as `antiAffinity: {mode: node}`");
    }
    Some(RetryPolicy {
        name: PolicyName::new("any")?,
        form: Form::V1,
        retry_limit: limit.filter(|limit| *limit > 0),
        default_action: Some(if retries { Action::Retry } else { Action::Fail }),
        backoff,
        anti_affinity: (strategy.avoids_nodes && retries).then_some(AntiAffinity::Node),
        rules: Vec::new(),
    })
}

fn note_policy(strategy: &RetryStrategy, path: &str, notes: &mut Notes) {
    let path = format!("{path}.retryPolicy");
    match strategy.policy() {
        RetryPolicyName::Always => {
            if strategy.retry_policy.is_some() {
                notes.carried(path, "as `defaultAction: Retry`");
            }
        }
        RetryPolicyName::OnFailure => {
            let what = "attempts in the phase Error are not retried by Argo; `v1` does not tell them from others";
            notes.lost(path, what).help("write a Fail rule on their conditions or messages");
        }
        RetryPolicyName::OnError | RetryPolicyName::OnTransientError => {
            let what = "`v1` does not tell the phases apart: failed attempts are retried too";
            notes.lost(path, what).help("write Fail rules on exit codes");
        }
    }
}

fn convert_backoff(backoff: Backoff, path: &str, notes: &mut Notes) -> policy::Backoff {
    let path = |name: &str| format!("{path}.backoff.{name}");
    notes.carried(path("duration"), format!("as `initialDelay: {}`", backoff.duration));
    // A factor of 1 or less does not grow.
    let growth = backoff.factor.filter(|factor| *factor > 1);
    if backoff.factor.is_some() {
        notes.carried(path("factor"), format!("as `multiplier: {}`", growth.unwrap_or(1)));
    }
    let longest = match (backoff.cap, growth) {
        (Some(cap), _) => {
            notes.carried(path("cap"), format!("as `maxDelay: {cap}`"));
            cap
        }
        (None, None) => backoff.duration,
        // The longest that a policy can have.
        (None, Some(_)) => GoDuration::from_nanos(i64::MAX),
    };
    if let Some(most) = backoff.max_duration {
        let what = format!("`v1` has no end of retries by time: they go on after {most}");
        notes.lost(path("maxDuration"), what).help("set a deadline of the job");
    }
    policy::Backoff {
        initial_delay: Some(backoff.duration.min(longest)),
        max_delay: Some(longest),
        multiplier: Some(f64::from(growth.unwrap_or(1))),
    }
}
