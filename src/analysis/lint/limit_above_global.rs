//! Limits above `globalMaxRetries`, which are never reached.

use super::context::{Context, Policy, limit, present};
use super::definition::Lint;
use armada_retry::policy::Action;
use document::Entry;
use document::diag::{Code, Diagnostic, Findings, Place};
use systems::HUGE_LIMIT;

pub(super) const LINT: Lint = Lint { code: Code::LimitAboveGlobal, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    let Some(config) = context.input.scheduler else { return };
    let setting = config.document.root.at(&["scheduling", "retryPolicy", "globalMaxRetries"]);
    let setting = setting.map(|node| config.document.place(node.span));
    for policy in &context.policies {
        let Some(global) = context.global_max_retries(policy.policy().form) else { continue };
        // A limit of 0 has its own finding.
        if global == 0 {
            continue;
        }
        let of_rules = policy.numbered().filter(|(_, rule, _)| rule.action == Action::Retry);
        let of_rules = of_rules.filter_map(|(_, _, node)| present(node, "retryLimit"));
        for entry in policy.field("retryLimit").into_iter().chain(of_rules) {
            findings.extend(check_limit(policy, entry, global, setting.as_ref()));
        }
    }
}

fn check_limit(
    policy: &Policy<'_>,
    entry: &Entry,
    global: u32,
    setting: Option<&Place>,
) -> Option<Diagnostic> {
    let limit = limit(&entry.value).filter(|limit| *limit > u64::from(global))?;
    if limit >= HUGE_LIMIT {
        return None;
    }
    let message = format!(
        "a job never reaches this limit of {limit} retries: `globalMaxRetries` is {global}"
    );
    let place = policy.place(entry.value.span);
    let mut finding = Diagnostic::warning(Code::LimitAboveGlobal, place, message);
    if let Some(setting) = setting {
        finding = finding.also(setting.clone(), "the most retries of any job");
    }
    Some(finding.help(format!("write at most {global}, or raise `globalMaxRetries`")))
}
