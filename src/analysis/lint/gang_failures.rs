//! Failures of gangs in a history, which no policy of `v1beta1` decides.

use super::context::Context;
use super::definition::Lint;
use armada_retry::policy::Form;
use document::diag::{Code, Diagnostic, Findings, plural};
use replay::simulate::QueueReport;

pub(super) const LINT: Lint = Lint { code: Code::GangFailures, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    let Some(summary) = context.input.history else { return };
    for (number, policy) in context.policies.iter().enumerate() {
        let is_own = |queue: &&QueueReport| policy_of(context, queue) == Some(number);
        let queues: Vec<&QueueReport> = summary.by_queue.iter().filter(is_own).collect();
        let gangs: u64 = queues.iter().map(|queue| queue.figures.gang_failures).sum();
        if gangs == 0 {
            continue;
        }
        let failures: u64 = queues.iter().map(|queue| queue.figures.failures).sum();
        let of_queues = match queues.as_slice() {
            [one] => format!("queue `{}`", one.queue),
            several => format!("its {} queues", several.len()),
        };
        let name = policy.name();
        let failures = plural(failures, "failure", "failures");
        let message = format!(
            "`{name}` does not decide {gangs} of the {failures} in {of_queues}: they are of gangs"
        );
        findings.push(
            Diagnostic::info(Code::GangFailures, policy.name_place(), message).help(
                "`v1beta1` never retries a gang: expect its jobs to fail, or submit them again",
            ),
        );
    }
}

/// The number of the policy that the queue's jobs have.
fn policy_of(context: &Context<'_>, report: &QueueReport) -> Option<usize> {
    let of_queue = context
        .queues
        .iter()
        .find(|queue| queue.found.is_none_or(|found| found.queue.name == report.queue));
    let settings = context.input.scheduler.map(|config| config.settings);
    let default = settings.and_then(|settings| settings.default_policy.as_deref());
    let named = |name: &str| context.policies.iter().position(|policy| policy.name() == name);
    let first = of_queue.and_then(|queue| queue.policies.first().copied());
    let policy = first.or_else(|| default.and_then(named)).unwrap_or_default();
    let form = context.policies.get(policy)?.policy().form;
    (form == Form::V1beta1).then_some(policy)
}
