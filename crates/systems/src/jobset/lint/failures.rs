//! The failures that the Jobs of a set can have, and the rules that apply to them.

use crate::job::lint::container_names;
use crate::job::lint::failures::{JobFailure, impossible, possible_failures};
use crate::job::lint::memory::{KILLED, is_of_signal, listed_kill};
use crate::job::lint::pod_facts::{Cause, PodFacts, codes_text};
use crate::job::{
    FailureReason, MatchSource, Pod, PodAction, PodCondition, PodContainer, RuleMatch, message,
};
use crate::jobset::engine::failure_policy::{FailedJob, mismatch};
use crate::jobset::manifest::{Action, FailurePolicy, JobSet, ReplicatedJob};
use document::Node;
use document::diag::plural;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The most comparisons of rules with failures. Beyond it, one exit code stands for all that a Job's rules do not
/// distinguish.
const MAX_COMPARISONS: usize = 100_000;

/// A failure of a Job of the set.
#[derive(Debug, Clone)]
pub(super) struct Case<'a> {
    /// The index of the replicated Job.
    pub(super) job: usize,
    pub(super) failure: JobFailure<'a>,
    /// The message, in which the name of the pod is an example.
    pub(super) message: String,
    /// The first rule that applies.
    pub(super) rule: Option<usize>,
}

/// The failures that the Jobs of a set can have.
pub(super) struct Failures<'a> {
    pub(super) jobs: &'a [ReplicatedJob],
    facts: Vec<PodFacts<'a>>,
    /// The failures, each with its replicated Job.
    pub(super) all: Vec<(usize, JobFailure<'a>)>,
    /// For each failure one case, or if rules read messages one for each exit code.
    pub(super) cases: Vec<Case<'a>>,
}

impl<'a> Failures<'a> {
    /// Returns the failures of Jobs with these specs; `None` if there are none, or too many rules.
    pub(super) fn new(
        set: &'a JobSet,
        policy: &FailurePolicy,
        specs: &[Option<&'a Node>],
    ) -> Option<Self> {
        let facts = |(job, spec): (&'a ReplicatedJob, Option<&'a Node>)| {
            PodFacts::for_job(&job.job, &container_names(spec))
        };
        let specs = specs.iter().copied();
        let facts: Vec<PodFacts<'a>> =
            set.replicated_jobs.iter().zip(specs).map(facts).collect::<Option<_>>()?;
        let mut failures: Vec<(usize, JobFailure<'a>)> = Vec::new();
        for (number, (job, facts)) in set.replicated_jobs.iter().zip(&facts).enumerate() {
            let possible = possible_failures(&job.job, facts);
            failures.extend(possible.into_iter().map(|failure| (number, failure)));
        }
        let all = failures.iter().map(|(_, failure)| codes(failure).len().max(1)).sum::<usize>();
        let is_each =
            policy.reads_messages() && all.saturating_mul(policy.rules.len()) <= MAX_COMPARISONS;
        let mut cases = Vec::new();
        for (job, failure) in &failures {
            let (job, name) = (*job, &set.replicated_jobs[*job].name);
            let failures = if is_each { by_code(failure) } else { vec![failure.clone()] };
            for failure in failures {
                let message = sample_message(set, name, &failure);
                let rule = first_rule(policy, name, failure.reason, &message);
                cases.push(Case { job, failure, message: message.into_owned(), rule });
            }
        }
        Some(Self { jobs: &set.replicated_jobs, facts, all: failures, cases })
    }

    /// Returns the cases that a rule decides about.
    pub(super) fn reaching(&self, rule: usize) -> impl Iterator<Item = &Case<'a>> {
        self.cases.iter().filter(move |case| case.rule == Some(rule))
    }

    /// Returns why the Jobs of a replicated Job cannot fail for a reason; `None` if they can.
    pub(super) fn impossible(&self, job: usize, reason: FailureReason) -> Option<&'static str> {
        impossible(&self.jobs[job].job, &self.facts[job], reason)
    }

    /// Returns the action on a case.
    pub(super) fn action(policy: &FailurePolicy, case: &Case<'_>) -> Action {
        let rule = case.rule.and_then(|rule| policy.rules.get(rule));
        rule.map_or(Action::RestartJobSet, |rule| rule.action)
    }

    /// Divides failures by whether a container was killed, for its memory for one: by an exit code that a rule of the Job
    /// lists beside or as that of OOM kills. Without that code none is.
    pub(super) fn divide_kills(&self, cases: &[&Case<'a>]) -> (Vec<Case<'a>>, Vec<Case<'a>>) {
        let (mut kills, mut others) = (Vec::new(), Vec::new());
        for case in cases {
            let Some((rule, Cause::ExitCodes { container, codes, .. })) = &case.failure.cause
            else {
                others.push((*case).clone());
                continue;
            };
            let rules = self.jobs[case.job].job.rules();
            let lists_kill = rules.get(*rule).is_some_and(|rule| listed_kill(rule).is_some());
            let (killed, other): (Vec<i32>, Vec<i32>) =
                codes.iter().partition(|code| lists_kill && is_of_signal(**code));
            for (codes, all) in [(killed, &mut kills), (other, &mut others)] {
                if !codes.is_empty() {
                    let cause = Cause::ExitCodes { container, codes, has_others: false };
                    let failure =
                        JobFailure { cause: Some((*rule, cause)), ..case.failure.clone() };
                    all.push(Case { failure, ..(*case).clone() });
                }
            }
        }
        let is_oom = |case: &Case<'_>| codes(&case.failure).contains(&KILLED);
        // A signal alone says nothing about memory: only 137 is the code of an OOM kill.
        if kills.iter().any(is_oom) {
            (kills, others)
        } else {
            (Vec::new(), cases.iter().map(|case| (*case).clone()).collect())
        }
    }

    /// Describes some failures, for texts; a few are named.
    pub(super) fn describe<'c>(&self, cases: impl IntoIterator<Item = &'c Case<'a>>) -> String
    where
        'a: 'c,
    {
        /// The failures that are named if there are more.
        const NAMED: usize = 3;
        let (mut texts, mut by_job) = (Vec::new(), BTreeMap::<usize, BTreeSet<i32>>::new());
        for case in cases {
            by_job.entry(case.job).or_default().extend(codes(&case.failure));
            if let Some(text) = self.describe_case(case).filter(|text| !texts.contains(text)) {
                texts.push(text);
            }
        }
        let by_job = by_job.into_iter().filter(|(_, codes)| !codes.is_empty());
        let by_job = by_job.map(|(job, codes)| {
            let codes: Vec<i32> = codes.into_iter().collect();
            format!("{} of `{}`", codes_text(&codes), self.jobs[job].name)
        });
        let texts: Vec<String> = by_job.chain(texts).collect();
        match texts.as_slice() {
            [first @ .., last] if (1..NAMED).contains(&first.len()) => {
                format!("{} and {last}", first.join(", "))
            }
            texts => {
                let named = texts.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>();
                let more = match texts.len().saturating_sub(NAMED) {
                    0 => String::new(),
                    more => format!(" and {}", plural(more, "other failure", "other failures")),
                };
                format!("{}{more}", named.join(", "))
            }
        }
    }

    /// Describes a failure that has no exit codes.
    fn describe_case(&self, case: &Case<'_>) -> Option<String> {
        let job = &self.jobs[case.job].name;
        match &case.failure.cause {
            Some((_, Cause::ExitCodes { .. })) => None,
            Some((_, Cause::Condition { kind, .. })) => {
                Some(format!("condition `{kind}` of `{job}`"))
            }
            None => Some(format!("`{}` of `{job}`", case.failure.reason.as_str())),
        }
    }
}

/// Returns the exit codes of a failure.
pub(super) fn codes<'f>(failure: &'f JobFailure<'_>) -> &'f [i32] {
    match &failure.cause {
        Some((_, Cause::ExitCodes { codes, .. })) => codes,
        Some((_, Cause::Condition { .. })) | None => &[],
    }
}

/// Returns a failure for each exit code.
fn by_code<'a>(failure: &JobFailure<'a>) -> Vec<JobFailure<'a>> {
    let Some((rule, Cause::ExitCodes { container, codes, .. })) = &failure.cause else {
        return vec![failure.clone()];
    };
    let (rule, container) = (*rule, *container);
    let for_code = |code: &i32| {
        let cause = Cause::ExitCodes { container, codes: vec![*code], has_others: false };
        JobFailure { reason: failure.reason, cause: Some((rule, cause)) }
    };
    codes.iter().map(for_code).collect()
}

fn first_rule(
    policy: &FailurePolicy,
    replicated_job: &str,
    reason: FailureReason,
    message: &str,
) -> Option<usize> {
    let failed = FailedJob {
        name: "",
        replicated_job,
        job_index: Some(0),
        reason: reason.as_str(),
        message,
        failed_at: 0,
    };
    policy.rules.iter().position(|rule| mismatch(rule, &failed).is_none())
}

/// Returns a message of a failure, with the name that the first pod of a Job may have.
fn sample_message(set: &JobSet, job: &str, failure: &JobFailure<'_>) -> Cow<'static, str> {
    let Some((rule, cause)) = &failure.cause else {
        return Cow::Borrowed(failure.reason.message().unwrap_or_default());
    };
    // The controller adds five random characters.
    let name = format!("{}-{job}-0-0-x7k2p", set.name);
    let pod = Pod { name: &name, namespace: &set.namespace, ..Pod::default() };
    let matched = |by| RuleMatch { rule: *rule, action: PodAction::FailJob, by };
    Cow::Owned(match cause {
        Cause::ExitCodes { container, codes, .. } => {
            let exit_code = codes.first().copied();
            let name = (*container).into();
            let containers = [PodContainer { name, exit_code, ..PodContainer::default() }];
            let by = MatchSource::Container(0);
            message(matched(by), &Pod { containers: &containers, ..pod })
        }
        Cause::Condition { kind, status } => {
            let condition = PodCondition { kind: (*kind).into(), status: *status, reason: None };
            let by = MatchSource::Condition(0);
            message(matched(by), &Pod { conditions: &[condition], ..pod })
        }
    })
}
