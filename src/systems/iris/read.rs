//! From a profile's tree to what it means, with Iris's defaults, and warnings of fields that do
//! something else than they seem to say.

use super::policy::{Policy, Profile, Rules};
use super::shape::PROFILE;
use crate::diag::{Code, Diagnostic, Findings};
use crate::document::{Document, KeyCase, Node, check};
use crate::systems::profile::name;

/// What submission caps `max_retries_preemption` at, since May 2026: so say the pull requests (issues
/// 5633 and 5638) and a migration; it was not seen in the code of submission.
pub(super) const MOST_PREEMPTIONS: i32 = 1000;

/// A policy that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IrisProfile {
    /// `metadata.name`.
    pub name: String,
    /// What it means.
    pub rules: Rules,
}

impl Default for IrisProfile {
    /// What Iris does with a job that says nothing.
    fn default() -> Self {
        let rules = Rules { profile: Profile::Upstream, policy: Policy::default() };
        Self { name: String::new(), rules }
    }
}

/// Reads a profile; nothing if it has errors.
pub(super) fn read(document: &Document, findings: &mut Findings) -> Option<IrisProfile> {
    let mut own = Findings::new();
    check(&document.source, &document.root, &PROFILE, KeyCase::Exact, &mut own);
    let sound = !own.has_errors();
    findings.extend(own);
    let spec = document.root.get("spec").filter(|_| sound)?;
    let named = spec.get("profile").and_then(Node::text).and_then(Profile::from_name);
    let written = policy(spec.get("policy"));
    let profile = named.unwrap_or(Profile::Upstream);
    let rules = Rules { profile, policy: written };
    Warnings { document, policy: spec.get("policy"), rules, findings }.all();
    Some(IrisProfile { name: name(document).to_owned(), rules: capped(rules) })
}

fn policy(node: Option<&Node>) -> Policy {
    let usual = Policy::default();
    let Some(node) = node else { return usual };
    let whole = |field| node.get(field).and_then(Node::integer);
    let limit = |field, usual| whole(field).and_then(|n| i32::try_from(n).ok()).unwrap_or(usual);
    Policy {
        max_retries_failure: limit("max_retries_failure", usual.max_retries_failure),
        max_retries_preemption: limit("max_retries_preemption", usual.max_retries_preemption),
        max_task_failures: limit("max_task_failures", usual.max_task_failures),
        replicas: whole("replicas").and_then(|n| u32::try_from(n).ok()).unwrap_or(usual.replicas),
        coscheduled: node.get("coscheduled").and_then(Node::boolean).unwrap_or(usual.coscheduled),
    }
}

/// As the job is submitted.
fn capped(mut rules: Rules) -> Rules {
    if rules.profile == Profile::Upstream {
        let limit = &mut rules.policy.max_retries_preemption;
        *limit = (*limit).min(MOST_PREEMPTIONS);
    }
    rules
}

struct Warnings<'a> {
    document: &'a Document,
    policy: Option<&'a Node>,
    rules: Rules,
    findings: &'a mut Findings,
}

impl Warnings<'_> {
    /// Warns of a field, if it is written.
    fn warn(&mut self, field: &str, message: String, help: impl Into<String>) {
        let Some(entry) = self.policy.and_then(|policy| policy.entry(field)) else { return };
        let place = self.document.place(entry.key_span);
        self.findings.push(Diagnostic::warning(Code::Misleading, place, message).help(help));
    }

    fn all(&mut self) {
        self.below_zero();
        match self.rules.profile {
            Profile::Seed => self.of_seed(),
            Profile::Upstream => self.of_upstream(),
        }
        if self.rules.policy.coscheduled && self.rules.policy.replicas == 1 {
            let message = "`coscheduled` changes nothing: a job of one task has no gang".to_owned();
            self.warn("coscheduled", message, "write `replicas`, or leave it out");
        }
    }

    fn below_zero(&mut self) {
        let policy = self.rules.policy;
        for (field, limit) in [
            ("max_retries_failure", policy.max_retries_failure),
            ("max_retries_preemption", policy.max_retries_preemption),
        ] {
            if limit < 0 {
                let message = format!("`{field}` {limit} is as 0, and not without limit");
                self.warn(field, message, "write 0, or as many retries as are meant");
            }
        }
        if policy.max_task_failures < 0 {
            let limit = policy.max_task_failures;
            let message = format!(
                "`max_task_failures` {limit} fails every job at its first event, unless all its \
                 tasks have succeeded by then"
            );
            self.warn("max_task_failures", message, "write 0, or as many failures as are meant");
        }
    }

    fn of_seed(&mut self) {
        if self.rules.policy.max_task_failures > 0 {
            let message = "a job that has borne a failed task stays RUNNING when all are over: the \
                           seed has no state for it";
            let help = "write `profile: upstream`, which fails it then, or `max_task_failures: 0`";
            self.warn("max_task_failures", message.to_owned(), help);
        }
    }

    fn of_upstream(&mut self) {
        let Policy {
            max_retries_failure, max_retries_preemption, max_task_failures, replicas, ..
        } = self.rules.policy;
        let (retries, borne) = (max_retries_failure.max(0), max_task_failures.max(0));
        if retries > borne {
            let message = format!(
                "`max_retries_failure` {retries} is not reached: max_task_failures {borne} fails the \
                 job at failed attempt {}, retried or not",
                i64::from(borne) + 1
            );
            let help = format!("write `max_task_failures: {retries}` or more beside it");
            self.warn("max_retries_failure", message, help);
        }
        if i64::from(borne) > i64::from(retries) * i64::from(replicas) {
            let message = "`max_task_failures` bears no task that has failed for good: the job is \
                           FAILED once all tasks are over";
            let help = "it only ends jobs early; raise `max_retries_failure` to survive failures";
            self.warn("max_task_failures", message.to_owned(), help);
        }
        if max_retries_preemption > MOST_PREEMPTIONS {
            let message = format!(
                "`max_retries_preemption` {max_retries_preemption} is capped at {MOST_PREEMPTIONS} \
                 when the job is submitted"
            );
            self.warn("max_retries_preemption", message, format!("write {MOST_PREEMPTIONS}"));
        }
    }
}
