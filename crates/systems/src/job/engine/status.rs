//! The controller's status of a Job, updated by one sync: counts of pods, and whether the Job has failed
//! (`pkg/controller/job/job_controller.go`, `syncJob`).
//!
//! Owns the comparison with `backoffLimit`.

use super::pod::{Phase, Pod};
use super::replacement::BackoffRecord;
use super::rule_match::{RuleMatch, counts, first_match, met_rule};
use crate::job::manifest::indexes::Indexes;
use crate::job::manifest::{JobPolicy, PodAction, RestartPolicy};
use document::names;
use document::units::Time;

names! {
    /// The reason of a Job's condition `Failed`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum FailureReason {
        /// A rule with the action `FailJob` matched.
        PodFailurePolicy = "PodFailurePolicy",
        /// Too many pods failed, or too many containers were restarted.
        BackoffLimitExceeded = "BackoffLimitExceeded",
        /// The Job exceeded its deadline.
        DeadlineExceeded = "DeadlineExceeded",
        /// More indexes failed than `maxFailedIndexes`.
        MaxFailedIndexesExceeded = "MaxFailedIndexesExceeded",
        /// All indexes are done, and at least one failed.
        FailedIndexes = "FailedIndexes",
    }
}

impl FailureReason {
    /// Returns the condition's message, if it is the same for every Job; that of a pod failure policy names
    /// the pod ([`message`](crate::job::message)).
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
    /// The reason.
    pub reason: FailureReason,
    /// The index of the pod that caused it among the pods of the sync, if one did.
    pub causing_pod: Option<usize>,
}

/// The controller's ruling on one pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ruling {
    /// Whether the pod has failed.
    pub failed: bool,
    /// The rule that matched the pod, if it has failed and a rule matched.
    pub matched: Option<RuleMatch>,
    /// Whether the failure counts towards the limits.
    pub counted: bool,
    /// Whether the pod's index has failed and is not retried.
    pub index_failed: bool,
}

impl Ruling {
    /// Returns the ruling on a pod of a Job with this number of indexes. `FailJob` is checked for every
    /// failed pod (`getFailJobMessage`); a pod without an index of the Job has no other effect.
    pub fn on(policy: &JobPolicy, pod: &Pod<'_>, indexes: u32) -> Self {
        if !pod.failed(policy) {
            return Self::default();
        }
        let matched = first_match(policy.rules(), pod);
        if !pod.has_valid_index(policy, indexes) {
            let matched = matched.filter(|matched| matched.action == PodAction::FailJob);
            return Self { matched, ..Self::default() };
        }
        // `earlier` has the failures before this one, so that N counted failures are allowed and the next fails the
        // index.
        let counted = counts(matched);
        let limit = policy.backoff_limit_per_index.filter(|_| policy.is_indexed());
        let at_once = matched.is_some_and(|matched| matched.action == PodAction::FailIndex);
        let exceeds = |limit| at_once || counted && pod.earlier.counted >= limit;
        Self { failed: true, matched, counted, index_failed: limit.is_some_and(exceeds) }
    }
}

/// The inputs of a sync besides the pods.
#[derive(Debug, Clone, Default)]
pub struct SyncContext {
    /// The time, if known.
    pub now: Option<Time>,
    /// The number of the Job's indexes, if it has any.
    pub indexes: u32,
    /// The number of indexes without a recorded pod that are assumed to have succeeded.
    pub presumed: u32,
    /// The indexes that are assumed to have succeeded, if a success policy may count them.
    pub presumed_indexes: Indexes,
    /// The restarts of containers in pods that have not ended and are not part of the sync.
    pub restarts: u32,
}

/// A Job's status from one sync to the next.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Status {
    /// `status.failed`: the number of failed pods that count.
    pub failed: u32,
    /// The number of failed pods that a rule ignored.
    pub ignored: u32,
    /// `status.succeeded`: the number of pods that succeeded, or of indexes with such a pod.
    pub succeeded: u32,
    /// `status.failedIndexes`.
    pub failed_indexes: Indexes,
    /// `status.completedIndexes`.
    pub succeeded_indexes: Indexes,
    /// The failures that the delay before the next pod depends on.
    pub backoff: BackoffRecord,
    /// The start of the Job, if known.
    pub started_at: Option<Time>,
    /// The reason of its failure, if it has failed: the condition `FailureTarget`, which is permanent.
    pub failure: Option<FailureReason>,
    /// The first rule of the success policy that was met: the condition `SuccessCriteriaMet`, which is
    /// permanent. No failure follows it.
    pub success: Option<usize>,
}

impl Status {
    /// Counts pods that have not been synced in their present state, writes a ruling on each to `rulings`,
    /// and returns whether the Job has failed.
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
        // The controller checks for `SuccessCriteriaMet` first: no failure follows it.
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

    /// Returns the time at which the Job fails, whatever the state of its pods, if known.
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
                // A second success of an index is not counted: the controller counts indexes, not pods.
                self.succeeded = self.succeeded.saturating_add(u32::from(new));
            }
        }
        let succeeded = pods.iter().filter(|pod| pod.phase == Phase::Succeeded);
        let succeeded = succeeded.filter(|pod| pod.has_valid_index(policy, indexes));
        let failed = pods.iter().zip(rulings).filter(|(_, ruling)| ruling.failed);
        let failed = failed.map(|(pod, _)| pod.finished_at);
        self.backoff.observe(succeeded.map(|pod| pod.finished_at), failed);
    }

    /// Returns the first reason that holds, in the order of the controller's checks (`syncJob`).
    fn failure(
        &self,
        policy: &JobPolicy,
        pods: &[Pod<'_>],
        rulings: &[Ruling],
        context: &SyncContext,
    ) -> Option<Failure> {
        // The condition `FailureTarget` is permanent, and later syncs report the same failure.
        if let Some(reason) = self.failure {
            return Some(Failure { reason, causing_pod: None });
        }
        let fails =
            |ruling: &Ruling| ruling.matched.is_some_and(|m| m.action == PodAction::FailJob);
        if let Some(place) = rulings.iter().position(fails) {
            let reason = FailureReason::PodFailurePolicy;
            return Some(Failure { reason, causing_pod: Some(place) });
        }
        let reason = if exceeds_backoff_limit(policy, self.failed, restarts(pods, context)) {
            FailureReason::BackoffLimitExceeded
        // After the backoff limit, as in `syncJob`: a Job that reaches both at once has exceeded the limit.
        } else if self.deadline(policy).zip(context.now).is_some_and(|(end, now)| now >= end) {
            return Some(Failure { reason: FailureReason::DeadlineExceeded, causing_pod: None });
        } else {
            self.too_many_indexes(policy, context)?
        };
        // The pod that was counted last is the one that reached the limit.
        let brought = |ruling: &Ruling| match reason {
            FailureReason::BackoffLimitExceeded => ruling.counted,
            _ => ruling.index_failed,
        };
        let restarted = || pods.iter().rposition(|pod| pod.restarts > 0);
        Some(Failure { reason, causing_pod: rulings.iter().rposition(brought).or_else(restarted) })
    }

    /// Returns whether failed indexes fail the Job. The Job survives up to `maxFailedIndexes` of them, but
    /// once all indexes are done a single one fails it.
    fn too_many_indexes(&self, policy: &JobPolicy, context: &SyncContext) -> Option<FailureReason> {
        let failed = self.failed_indexes.len();
        // More than, not as many: the Job survives the number itself.
        if policy.max_failed_indexes.is_some_and(|most| failed > u64::from(most)) {
            return Some(FailureReason::MaxFailedIndexesExceeded);
        }
        // In 64 bits, since sums of indexes may exceed 32.
        let done = failed + self.succeeded_indexes.len() + u64::from(context.presumed);
        let all_done = failed > 0 && done >= u64::from(context.indexes);
        (all_done && !self.presumably_met(policy, context)).then_some(FailureReason::FailedIndexes)
    }

    /// Returns whether the indexes that are assumed to have succeeded meet the success policy: then an index
    /// that fails last does not fail the Job.
    fn presumably_met(&self, policy: &JobPolicy, context: &SyncContext) -> bool {
        if policy.success_rules.is_empty() || context.presumed_indexes.is_empty() {
            return false;
        }
        let all = self.succeeded_indexes.with(&context.presumed_indexes);
        met_rule(&policy.success_rules, &all).is_some()
    }

    /// Counts the remaining pods of a failed Job as failed: the controller deletes them.
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

/// Returns the restarts of containers in pods that have not ended.
fn restarts(pods: &[Pod<'_>], context: &SyncContext) -> u32 {
    let live = pods.iter().filter(|pod| matches!(pod.phase, Phase::Pending | Phase::Running));
    live.fold(context.restarts, |sum, pod| sum.saturating_add(pod.restarts))
}

/// Returns whether the Job exceeds `backoffLimit`. `failed` is the number of pods counted so far, and
/// `restarts` that of containers of pods that have not ended.
///
/// A limit of N allows N failed pods, but only N-1 restarts; 0 and 1 both allow no restart.
pub fn exceeds_backoff_limit(policy: &JobPolicy, failed: u32, restarts: u32) -> bool {
    failed > policy.backoff_limit
        || policy.restart_policy == RestartPolicy::OnFailure
            && restarts >= policy.backoff_limit.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Creator, FeatureGates, PodContainer, read};
    use document::diag::Source;
    use document::units::GoDuration;
    use document::{Limits, parse};

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
            let failure = Some(Failure { reason, causing_pod: Some(1) });
            // The pod itself is not counted; the one that the Job's end stops is.
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
