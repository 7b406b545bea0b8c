//! Settings of the scheduler under which no policy retries anything.

use super::context::Context;
use super::definition::Lint;
use armada_retry::policy::Form;
use document::diag::{Code, Diagnostic, Findings};

pub(super) const LINT: Lint = Lint { code: Code::RetriesDisabled, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    let Some(config) = context.input.scheduler else { return };
    let Some(policy) = context.policies.iter().find(|it| it.policy().can_retry()) else { return };
    let root = &config.document.root;
    let at = |key| root.at(&["scheduling", "retryPolicy", key]);
    let section = || root.at(&["scheduling", "retryPolicy"]).or_else(|| root.get("scheduling"));
    let place = |key| config.document.place(at(key).or_else(section).unwrap_or(root).span);
    let (place, message, help) = if !config.settings.enabled {
        let message = "no policy is evaluated: `scheduling.retryPolicy.enabled` is not true";
        (place("enabled"), message, "set `scheduling.retryPolicy.enabled: true`")
    } else if context.global_max_retries(Form::V1) == Some(0) {
        let message = "no policy retries anything: `globalMaxRetries` is 0";
        (place("globalMaxRetries"), message, "raise `scheduling.retryPolicy.globalMaxRetries`")
    } else {
        return;
    };
    findings.push(
        Diagnostic::warning(Code::RetriesDisabled, place, message)
            .also(policy.name_place(), "this policy has retries")
            .help(help),
    );
}
