//! Warnings about a profile: fields whose effect differs from what a reader expects.

use super::manifest::{MAX_RETRIES_PREEMPTION, Policy, Profile, Rules};
use crate::lint::surprising_default;
use document::diag::{Code, Diagnostic, Findings};
use document::{Document, Entry, Node};

/// Warns of the fields of a checked policy whose effect differs from what a reader expects. `rules` are as
/// written, before the cap at submission.
pub(super) fn add_warnings(
    document: &Document,
    policy: Option<&Node>,
    rules: Rules,
    findings: &mut Findings,
) {
    Warnings { document, policy, rules, findings }.add_all();
}

struct Warnings<'a> {
    document: &'a Document,
    policy: Option<&'a Node>,
    rules: Rules,
    findings: &'a mut Findings,
}

impl<'a> Warnings<'a> {
    /// Returns the entry of a field that is present and not null.
    fn entry(&self, field: &str) -> Option<&'a Entry> {
        self.policy?.entry(field).filter(|entry| !entry.value.is_null())
    }

    /// Warns, at a field that is present, of another one that is absent and has the default 0.
    fn warn_of_default(&mut self, at: &str, field: &str, effect: &str, help: &str) {
        let Some(entry) = self.entry(at) else { return };
        let place = self.document.place(entry.key_span);
        self.findings.push(surprising_default(place, (field, "0"), effect, help));
    }

    /// Warns of a field, if it is present.
    fn warn(&mut self, field: &str, message: String, help: impl Into<String>) {
        let Some(entry) = self.policy.and_then(|policy| policy.entry(field)) else { return };
        let place = self.document.place(entry.key_span);
        self.findings.push(Diagnostic::warning(Code::Misleading, place, message).help(help));
    }

    fn add_all(&mut self) {
        self.check_negative_limits();
        match self.rules.profile {
            Profile::Seed => self.check_seed(),
            Profile::Upstream => self.check_upstream(),
        }
        if self.rules.policy.coscheduled && self.rules.policy.replicas == 1 {
            let message = "`coscheduled` has no effect: a job of one task has no gang".to_owned();
            self.warn("coscheduled", message, "write `replicas`, or leave it out");
        }
    }

    fn check_negative_limits(&mut self) {
        let policy = self.rules.policy;
        for (field, limit) in [
            ("max_retries_failure", policy.max_retries_failure),
            ("max_retries_preemption", policy.max_retries_preemption),
        ] {
            if limit < 0 {
                let message = format!("`{field}` {limit} is read as 0, not as unlimited");
                self.warn(field, message, "write 0, or the intended number of retries");
            }
        }
        if policy.max_task_failures < 0 {
            let limit = policy.max_task_failures;
            let message = format!(
                "`max_task_failures` {limit} fails every job at its first event, unless all its \
                 tasks have succeeded by then"
            );
            self.warn("max_task_failures", message, "write 0, or the intended number of failures");
        }
    }

    fn check_seed(&mut self) {
        if self.rules.policy.max_task_failures > 0 {
            let message = "a job that tolerated a failed task stays RUNNING after all have ended: the seed \
                           has no state for it";
            let help = "write `profile: upstream`, which fails it then, or `max_task_failures: 0`";
            self.warn("max_task_failures", message.to_owned(), help);
        }
    }

    fn check_upstream(&mut self) {
        let Policy {
            max_retries_failure, max_retries_preemption, max_task_failures, replicas, ..
        } = self.rules.policy;
        let (retries, borne) = (max_retries_failure.max(0), max_task_failures.max(0));
        if retries > borne {
            let help = format!("write `max_task_failures: {retries}` or more beside it");
            if self.entry("max_task_failures").is_some() {
                let message = format!(
                    "`max_retries_failure` {retries} is not reached: max_task_failures {borne} fails the \
                     job at failed attempt {}, retried or not",
                    i64::from(borne) + 1
                );
                self.warn("max_retries_failure", message, help);
            } else {
                let effect = format!(
                    "the job fails at its first failed attempt, retried or not, and `max_retries_failure` \
                     {retries} is not reached"
                );
                self.warn_of_default("max_retries_failure", "max_task_failures", &effect, &help);
            }
        }
        // In 64 bits: the product of two numbers of 32 bits.
        if i64::from(borne) > i64::from(retries) * i64::from(replicas) {
            let message = "`max_task_failures` does not tolerate a task that failed permanently: the job is \
                           FAILED once all tasks are over";
            let help = "it only ends jobs early; raise `max_retries_failure` to survive failures";
            self.warn("max_task_failures", message.to_owned(), help);
        }
        if max_retries_preemption > MAX_RETRIES_PREEMPTION {
            let message = format!(
                "`max_retries_preemption` {max_retries_preemption} is capped at {MAX_RETRIES_PREEMPTION} \
                 when the job is submitted"
            );
            self.warn("max_retries_preemption", message, format!("write {MAX_RETRIES_PREEMPTION}"));
        }
    }
}
