//! One sync of the controller with a Job's pods: their counts, and whether the Job has failed
//! (facts, B3 to B7; `pkg/controller/job/job_controller.go`, `syncJob`).
//!
//! The limit is that of facts, B6.

use super::pod::{Phase, Pod};
use super::replacement::BackoffRecord;
use super::rule_match::{RuleMatch, counts, first_match, met_rule};
use crate::systems::job::manifest::indexes::Indexes;
use crate::systems::job::manifest::{JobPolicy, PodAction, RestartPolicy};
use crate::units::Time;

/// The reason of a Job's condition `Failed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureReason {
    /// A rule with the action `FailJob` matched.
    PodFailurePolicy,
    /// Too many pods failed, or too many containers were restarted.
    BackoffLimitExceeded,
    /// It took too long.
    DeadlineExceeded,
    /// More indexes failed than `maxFailedIndexes`.
    MaxFailedIndexesExceeded,
    /// All indexes are done, and at least one failed.
    FailedIndexes,
}

impl FailureReason {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::PodFailurePolicy,
        Self::BackoffLimitExceeded,
        Self::DeadlineExceeded,
        Self::MaxFailedIndexesExceeded,
        Self::FailedIndexes,
    ];

    /// The reason of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }

    /// The reason as the condition has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PodFailurePolicy => "PodFailurePolicy",
            Self::BackoffLimitExceeded => "BackoffLimitExceeded",
            Self::DeadlineExceeded => "DeadlineExceeded",
            Self::MaxFailedIndexesExceeded => "MaxFailedIndexesExceeded",
            Self::FailedIndexes => "FailedIndexes",
        }
    }

    /// The condition's message, where it is the same for every Job (facts, A6); a pod failure
    /// policy's tells of the pod ([`message`](crate::systems::job::message)).
    pub fn message(self) -> Option<&'static str> {
        match self {
            Self::PodFailurePolicy => None,
            Self::BackoffLimitExceeded => Some("Job has reached the specified backoff limit"),
            Self::DeadlineExceeded => Some("Job was active longer than specified deadline"),
            Self::MaxFailedIndexesExceeded => {
                Some("Job has exceeded the specified maximal number of failed indexes")
            }
            Self::FailedIndexes => Some("Job has failed indexes"),
        }
    }
}

/// A Job's failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    /// Why it failed.
    pub reason: FailureReason,
    /// The pod that brought it about, by its place among those looked at, if one did.
    pub culprit: Option<usize>,
}

/// The controller's ruling on one pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ruling {
    /// Whether the pod has failed.
    pub failed: bool,
    /// The rule that matched it, if it has failed and one did.
    pub matched: Option<RuleMatch>,
    /// Whether its failure counts towards the limits.
    pub counted: bool,
    /// Whether its index has failed for good.
    pub index_failed: bool,
}

impl Ruling {
    /// The ruling on a pod of a Job with this number of indexes. `FailJob` is checked for every
    /// failed pod (`getFailJobMessage`); one without an index of the Job counts for nothing else.
    pub fn on(policy: &JobPolicy, pod: &Pod<'_>, indexes: u32) -> Self {
        if !pod.failed(policy) {
            return Self::default();
        }
        let matched = first_match(policy.rules(), pod);
        if !pod.has_valid_index(policy, indexes) {
            let matched = matched.filter(|matched| matched.action == PodAction::FailJob);
            return Self { matched, ..Self::default() };
        }
        let counted = counts(matched);
        let limit = policy.backoff_limit_per_index.filter(|_| policy.is_indexed());
        let at_once = matched.is_some_and(|matched| matched.action == PodAction::FailIndex);
        let exceeds = |limit| at_once || counted && pod.earlier.counted >= limit;
        Self { failed: true, matched, counted, index_failed: limit.is_some_and(exceeds) }
    }
}

/// The inputs of a sync beside the pods.
#[derive(Debug, Clone, Default)]
pub struct SyncContext {
    /// The time, if it is known.
    pub now: Option<Time>,
    /// How many indexes the Job has, where it has any.
    pub indexes: u32,
    /// How many of them are presumed to have succeeded without a pod on record.
    pub presumed: u32,
    /// Those indexes, if there is a success policy that may count them.
    pub presumed_indexes: Indexes,
    /// Restarts of containers in pods that have not ended and are not looked at.
    pub restarts: u32,
}

/// A Job's status from one sync to the next.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Status {
    /// Failed pods that count: `status.failed`.
    pub failed: u32,
    /// Failed pods that a rule ignored.
    pub ignored: u32,
    /// Pods that succeeded, or indexes with one that did: `status.succeeded`.
    pub succeeded: u32,
    /// `status.failedIndexes`.
    pub failed_indexes: Indexes,
    /// `status.completedIndexes`.
    pub succeeded_indexes: Indexes,
    /// The failures that the delay before the next pod depends on.
    pub backoff: BackoffRecord,
    /// When the Job began, if that is known.
    pub started_at: Option<Time>,
    /// Why it failed, once it has: the condition `FailureTarget`, which stays.
    pub failure: Option<FailureReason>,
    /// The rule of the success policy that was met, once one is: the condition
    /// `SuccessCriteriaMet`, which stays. No failure comes after it.
    pub success: Option<usize>,
}

impl Status {
    /// Counts pods that have not been looked at in their present state, says in `rulings` what
    /// each of them comes to, and whether the Job has failed.
    pub fn sync(
        &mut self,
        policy: &JobPolicy,
        pods: &[Pod<'_>],
        context: &SyncContext,
        rulings: &mut Vec<Ruling>,
    ) -> Option<Failure> {
        rulings.clear();
        rulings.extend(pods.iter().map(|pod| Ruling::on(policy, pod, context.indexes)));
        self.count(policy, pods, rulings, context.indexes);
        if self.success.is_some() {
            return None;
        }
        let Some(failure) = self.failure(policy, pods, rulings, context) else {
            self.success = met_rule(&policy.success_rules, &self.succeeded_indexes);
            return None;
        };
        self.failure = Some(failure.reason);
        self.delete(policy, pods, rulings, context.indexes);
        Some(failure)
    }

    /// When the Job fails whatever its pods do, if that is known.
    pub fn deadline(&self, policy: &JobPolicy) -> Option<Time> {
        Some(self.started_at?.plus(policy.active_deadline?))
    }

    fn count(&mut self, policy: &JobPolicy, pods: &[Pod<'_>], rulings: &[Ruling], indexes: u32) {
        for (pod, ruling) in pods.iter().zip(rulings) {
            if ruling.failed {
                let counter = if ruling.counted { &mut self.failed } else { &mut self.ignored };
                *counter = counter.saturating_add(1);
                if let Some(index) = pod.index.filter(|_| ruling.index_failed) {
                    self.failed_indexes.insert(index);
                }
            } else if pod.phase == Phase::Succeeded && pod.has_valid_index(policy, indexes) {
                let index = pod.index.filter(|_| policy.is_indexed());
                let new = index.is_none_or(|index| self.succeeded_indexes.insert(index));
                self.succeeded = self.succeeded.saturating_add(u32::from(new));
            }
        }
        let succeeded = pods.iter().filter(|pod| pod.phase == Phase::Succeeded);
        let succeeded = succeeded.filter(|pod| pod.has_valid_index(policy, indexes));
        let failed = pods.iter().zip(rulings).filter(|(_, ruling)| ruling.failed);
        let failed = failed.map(|(pod, _)| pod.finished_at);
        self.backoff.observe(succeeded.map(|pod| pod.finished_at), failed);
    }

    /// The first reason that holds, in the order of the controller's checks (facts, B5).
    fn failure(
        &self,
        policy: &JobPolicy,
        pods: &[Pod<'_>],
        rulings: &[Ruling],
        context: &SyncContext,
    ) -> Option<Failure> {
        if let Some(reason) = self.failure {
            return Some(Failure { reason, culprit: None });
        }
        let fails =
            |ruling: &Ruling| ruling.matched.is_some_and(|m| m.action == PodAction::FailJob);
        if let Some(place) = rulings.iter().position(fails) {
            let reason = FailureReason::PodFailurePolicy;
            return Some(Failure { reason, culprit: Some(place) });
        }
        let reason = if exceeds_backoff_limit(policy, self.failed, restarts(pods, context)) {
            FailureReason::BackoffLimitExceeded
        } else if self.deadline(policy).zip(context.now).is_some_and(|(end, now)| now >= end) {
            return Some(Failure { reason: FailureReason::DeadlineExceeded, culprit: None });
        } else {
            self.too_many_indexes(policy, context)?
        };
        let brought = |ruling: &Ruling| match reason {
            FailureReason::BackoffLimitExceeded => ruling.counted,
            _ => ruling.index_failed,
        };
        let restarted = || pods.iter().rposition(|pod| pod.restarts > 0);
        Some(Failure { reason, culprit: rulings.iter().rposition(brought).or_else(restarted) })
    }

    /// Whether failed indexes fail the Job. `maxFailedIndexes` is the most that it survives, but
    /// once all indexes are done a single one is too many.
    fn too_many_indexes(&self, policy: &JobPolicy, context: &SyncContext) -> Option<FailureReason> {
        let failed = self.failed_indexes.len();
        if policy.max_failed_indexes.is_some_and(|most| failed > u64::from(most)) {
            return Some(FailureReason::MaxFailedIndexesExceeded);
        }
        let done = failed + self.succeeded_indexes.len() + u64::from(context.presumed);
        let all_done = failed > 0 && done >= u64::from(context.indexes);
        (all_done && !self.presumably_met(policy, context)).then_some(FailureReason::FailedIndexes)
    }

    /// Whether the success policy is met by indexes that are taken to have succeeded: with those,
    /// an index that failed last finds the Job complete.
    fn presumably_met(&self, policy: &JobPolicy, context: &SyncContext) -> bool {
        if policy.success_rules.is_empty() || context.presumed_indexes.is_empty() {
            return false;
        }
        let all = self.succeeded_indexes.with(&context.presumed_indexes);
        met_rule(&policy.success_rules, &all).is_some()
    }

    /// A Job that has failed deletes its remaining pods, and they count as failed.
    fn delete(&mut self, policy: &JobPolicy, pods: &[Pod<'_>], rulings: &[Ruling], indexes: u32) {
        for (pod, ruling) in pods.iter().zip(rulings) {
            let is_gone = !ruling.failed && pod.phase != Phase::Succeeded;
            if is_gone
                && pod.has_valid_index(policy, indexes)
                && counts(first_match(policy.rules(), pod))
            {
                self.failed = self.failed.saturating_add(1);
            }
        }
    }
}

/// Restarts of containers in pods that have not ended.
fn restarts(pods: &[Pod<'_>], context: &SyncContext) -> u32 {
    let live = pods.iter().filter(|pod| matches!(pod.phase, Phase::Pending | Phase::Running));
    live.fold(context.restarts, |sum, pod| sum.saturating_add(pod.restarts))
}

/// Whether the Job has failed for good: `failed` pods counted so far, and `restarts` of containers
/// of pods that have not ended.
///
/// N allows N failed pods, but only N-1 restarts; 0 and 1 allow no restart alike.
pub fn exceeds_backoff_limit(policy: &JobPolicy, failed: u32, restarts: u32) -> bool {
    failed > policy.backoff_limit
        || policy.restart_policy == RestartPolicy::OnFailure
            && restarts >= policy.backoff_limit.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Source;
    use crate::document::{Limits, parse};
    use crate::systems::job::{Creator, FeatureGates, PodContainer, read};
    use crate::units::GoDuration;

    const INDEXED: &str =
        "{completionMode: Indexed, completions: 2, parallelism: 2, podFailurePolicy: {rules: [
        {action: Ignore, onExitCodes: {operator: In, values: [7]}},
        {action: FailJob, onExitCodes: {operator: In, values: [9]}}]}}";

    fn policy(spec: &str) -> JobPolicy {
        let (documents, _) = parse(&Source::new("job.yaml", spec), Limits::POLICY);
        read(&documents[0].root, Creator::Manifest, FeatureGates::default())
    }

    fn container(code: i32) -> [PodContainer; 1] {
        [PodContainer { name: "main".into(), exit_code: Some(code), ..PodContainer::default() }]
    }

    fn context() -> SyncContext {
        SyncContext { indexes: 2, ..SyncContext::default() }
    }

    #[test]
    fn a_rule_fails_the_job_for_a_pod_without_an_index_of_it() {
        let policy = policy(INDEXED);
        for index in [None, Some(2), Some(9)] {
            let sync = |code| {
                let containers = container(code);
                let failed = Pod { phase: Phase::Failed, index, ..Pod::default() };
                let failed = Pod { containers: &containers, ..failed };
                let running = Pod { phase: Phase::Running, index: Some(0), ..Pod::default() };
                let (mut status, mut rulings) = (Status::default(), Vec::new());
                let failure = status.sync(&policy, &[running, failed], &context(), &mut rulings);
                (failure, status.failed, status.ignored)
            };
            let reason = FailureReason::PodFailurePolicy;
            let failure = Some(Failure { reason, culprit: Some(1) });
            // The pod itself counts for nothing; the one that the Job's end stops does.
            assert_eq!(sync(9), (failure, 1, 0), "{index:?}");
            assert_eq!((sync(7), sync(1)), ((None, 0, 0), (None, 0, 0)), "{index:?}");
        }
    }

    #[test]
    fn a_success_without_an_index_of_the_job_does_not_shorten_waits() {
        let at = |seconds| Some(Time::from_epoch_seconds(0).plus(GoDuration::from_secs(seconds)));
        let failures = |index| {
            let failed = |end| Pod {
                phase: Phase::Failed,
                index: Some(0),
                finished_at: at(end),
                ..Pod::default()
            };
            let succeeded =
                Pod { phase: Phase::Succeeded, index, finished_at: at(20), ..Pod::default() };
            let mut status = Status::default();
            for pod in [failed(10), succeeded, failed(30)] {
                status.sync(&policy(INDEXED), &[pod], &context(), &mut Vec::new());
            }
            (status.backoff.failures, status.succeeded)
        };
        assert_eq!(failures(Some(1)), (1, 1));
        assert_eq!((failures(None), failures(Some(2))), ((2, 0), (2, 0)));
    }

    #[test]
    fn restarts_are_counted_one_stricter_than_failures() {
        let (documents, _) = parse(&Source::new("job.yaml", "{}"), Limits::POLICY);
        let plain = read(&documents[0].root, Creator::Manifest, FeatureGates::default());
        for limit in 0..5 {
            let never = JobPolicy { backoff_limit: limit, ..plain.clone() };
            let failed = (0..9).find(|failed| exceeds_backoff_limit(&never, *failed, 100));
            assert_eq!(failed, Some(limit + 1));
            let on_failure = JobPolicy { restart_policy: RestartPolicy::OnFailure, ..never };
            let restarts = (0..9).find(|restarts| exceeds_backoff_limit(&on_failure, 0, *restarts));
            assert_eq!(restarts, Some(limit.max(1)));
        }
    }
}
