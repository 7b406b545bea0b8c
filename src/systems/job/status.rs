//! One look of the controller at a Job's pods: what they count, and whether the Job has failed
//! (facts, B3 to B7; `pkg/controller/job/job_controller.go`, `syncJob`).

use super::backoff::BackoffRecord;
use super::indexes::Indexes;
use super::limits;
use super::matching::{Matched, counts, first_match};
use super::model::{JobPolicy, PodAction};
use super::pod::{Phase, Pod};
use super::success::met_rule;
use crate::units::Time;

/// The reason of a Job's condition `Failed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureReason {
    /// A rule said `FailJob`.
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
    /// policy's tells of the pod ([`message`](super::message)).
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

/// What the controller makes of one pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ruling {
    /// Whether the pod has failed.
    pub failed: bool,
    /// The rule that matched it, if it has failed and one did.
    pub matched: Option<Matched>,
    /// Whether its failure counts towards the limits.
    pub counted: bool,
    /// Whether its index has failed for good.
    pub index_failed: bool,
}

impl Ruling {
    /// What the controller makes of a pod of a Job with so many indexes. `FailJob` is looked for in
    /// every failed pod (`getFailJobMessage`); one without an index of the Job counts for nothing
    /// else.
    pub fn on(policy: &JobPolicy, pod: &Pod<'_>, indexes: u32) -> Self {
        if !pod.failed(policy) {
            return Self::default();
        }
        let matched = first_match(policy.rules(), pod);
        if !pod.known(policy, indexes) {
            let matched = matched.filter(|matched| matched.action == PodAction::FailJob);
            return Self { matched, ..Self::default() };
        }
        let counted = counts(matched);
        let limit = policy.backoff_limit_per_index.filter(|_| policy.indexed());
        let at_once = matched.is_some_and(|matched| matched.action == PodAction::FailIndex);
        let exceeds = |limit| at_once || counted && pod.earlier.counted >= limit;
        Self { failed: true, matched, counted, index_failed: limit.is_some_and(exceeds) }
    }
}

/// What a look goes by beside the pods.
#[derive(Debug, Clone, Default)]
pub struct Around {
    /// The time, if it is known.
    pub now: Option<Time>,
    /// How many indexes the Job has, where it has any.
    pub indexes: u32,
    /// How many of them are taken to have succeeded without a pod to tell of it.
    pub presumed: u32,
    /// Which those are, if there is a success policy that may look at them.
    pub presumed_indexes: Indexes,
    /// Restarts of containers in pods that have not ended and are not looked at.
    pub restarts: u32,
}

/// What a Job's status says from one look to the next.
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
    /// What the wait before the next pod hangs on.
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
        around: &Around,
        rulings: &mut Vec<Ruling>,
    ) -> Option<Failure> {
        rulings.clear();
        rulings.extend(pods.iter().map(|pod| Ruling::on(policy, pod, around.indexes)));
        self.count(policy, pods, rulings, around.indexes);
        if self.success.is_some() {
            return None;
        }
        let Some(failure) = self.failure(policy, pods, rulings, around) else {
            self.success = met_rule(&policy.success_rules, &self.succeeded_indexes);
            return None;
        };
        self.failure = Some(failure.reason);
        self.delete(policy, pods, rulings, around.indexes);
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
            } else if pod.phase == Phase::Succeeded && pod.known(policy, indexes) {
                let index = pod.index.filter(|_| policy.indexed());
                let new = index.is_none_or(|index| self.succeeded_indexes.insert(index));
                self.succeeded = self.succeeded.saturating_add(u32::from(new));
            }
        }
        let succeeded = pods.iter().filter(|pod| pod.phase == Phase::Succeeded);
        let succeeded = succeeded.filter(|pod| pod.known(policy, indexes));
        let failed = pods.iter().zip(rulings).filter(|(_, ruling)| ruling.failed);
        let failed = failed.map(|(pod, _)| pod.finished_at);
        self.backoff.observe(succeeded.map(|pod| pod.finished_at), failed);
    }

    /// The first reason that holds, in the order in which the controller asks (facts, B5).
    fn failure(
        &self,
        policy: &JobPolicy,
        pods: &[Pod<'_>],
        rulings: &[Ruling],
        around: &Around,
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
        let reason = if limits::exceeded(policy, self.failed, restarts(pods, around)) {
            FailureReason::BackoffLimitExceeded
        } else if self.deadline(policy).zip(around.now).is_some_and(|(end, now)| now >= end) {
            return Some(Failure { reason: FailureReason::DeadlineExceeded, culprit: None });
        } else {
            self.too_many_indexes(policy, around)?
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
    fn too_many_indexes(&self, policy: &JobPolicy, around: &Around) -> Option<FailureReason> {
        let failed = self.failed_indexes.len();
        if policy.max_failed_indexes.is_some_and(|most| failed > u64::from(most)) {
            return Some(FailureReason::MaxFailedIndexesExceeded);
        }
        let done = failed + self.succeeded_indexes.len() + u64::from(around.presumed);
        let all_done = failed > 0 && done >= u64::from(around.indexes);
        (all_done && !self.presumably_met(policy, around)).then_some(FailureReason::FailedIndexes)
    }

    /// Whether the success policy is met by indexes that are taken to have succeeded: with those, an
    /// index that failed last finds the Job complete.
    fn presumably_met(&self, policy: &JobPolicy, around: &Around) -> bool {
        if policy.success_rules.is_empty() || around.presumed_indexes.is_empty() {
            return false;
        }
        let all = self.succeeded_indexes.with(&around.presumed_indexes);
        met_rule(&policy.success_rules, &all).is_some()
    }

    /// A Job that has failed deletes what is left of its pods, and they count as failed.
    fn delete(&mut self, policy: &JobPolicy, pods: &[Pod<'_>], rulings: &[Ruling], indexes: u32) {
        for (pod, ruling) in pods.iter().zip(rulings) {
            let left = !ruling.failed && pod.phase != Phase::Succeeded;
            if left && pod.known(policy, indexes) && counts(first_match(policy.rules(), pod)) {
                self.failed = self.failed.saturating_add(1);
            }
        }
    }
}

/// Restarts of containers in pods that have not ended.
fn restarts(pods: &[Pod<'_>], around: &Around) -> u32 {
    let live = pods.iter().filter(|pod| matches!(pod.phase, Phase::Pending | Phase::Running));
    live.fold(around.restarts, |sum, pod| sum.saturating_add(pod.restarts))
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

    fn around() -> Around {
        Around { indexes: 2, ..Around::default() }
    }

    #[test]
    fn a_rule_fails_the_job_for_a_pod_without_an_index_of_it() {
        let policy = policy(INDEXED);
        for index in [None, Some(2), Some(9)] {
            let look = |code| {
                let containers = container(code);
                let failed = Pod { phase: Phase::Failed, index, ..Pod::default() };
                let failed = Pod { containers: &containers, ..failed };
                let running = Pod { phase: Phase::Running, index: Some(0), ..Pod::default() };
                let (mut status, mut rulings) = (Status::default(), Vec::new());
                let failure = status.sync(&policy, &[running, failed], &around(), &mut rulings);
                (failure, status.failed, status.ignored)
            };
            let reason = FailureReason::PodFailurePolicy;
            let failure = Some(Failure { reason, culprit: Some(1) });
            // The pod itself counts for nothing; the one that the Job's end stops does.
            assert_eq!(look(9), (failure, 1, 0), "{index:?}");
            assert_eq!((look(7), look(1)), ((None, 0, 0), (None, 0, 0)), "{index:?}");
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
                status.sync(&policy(INDEXED), &[pod], &around(), &mut Vec::new());
            }
            (status.backoff.failures, status.succeeded)
        };
        assert_eq!(failures(Some(1)), (1, 1));
        assert_eq!((failures(None), failures(Some(2))), ((2, 0), (2, 0)));
    }
}
