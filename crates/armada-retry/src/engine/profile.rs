//! The two engine profiles: what differs between them, as data (semantics.md, section 1).

use crate::policy::Form;

/// The rules of evaluation in which the profiles differ. The one evaluator reads them.
#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    /// `v1` or `v1beta1`.
    pub form: Form,
    /// The `globalMaxRetries` without a setting (semantics.md, section 2).
    pub global_max_retries: u32,
    /// The policies of a queue that apply.
    pub policies: QueuePolicies,
    /// The count that is compared with limits.
    pub counting: Counting,
    /// How preempted runs are decided.
    pub preempted: Preempted,
    /// How gangs of two or more and jobs with `failFast` are decided.
    pub special_jobs: SpecialJobs,
    /// Whether a retry waits.
    pub waits: Waits,
    /// The nodes that a retry avoids if its rule requests anti-affinity.
    pub avoidance: Avoidance,
    /// The names of the pods of retries.
    pub pod_names: PodNames,
}

/// The policies of a queue that apply to a job (semantics.md, section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueuePolicies {
    /// All policies of the queue, then those of the job's annotation.
    AllAndAnnotated,
    /// The first policy of the queue.
    FirstOnly,
}

/// The count that is compared with limits (semantics.md, section 5, step 10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// Granted retries: a count for each rule, and a total for the job.
    GrantedRetries,
    /// One count for all limits: the job's failures so far, less one.
    FailuresLessOne,
}

/// How preempted runs are decided (semantics.md, section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preempted {
    /// Preempted runs are decided like any other failure.
    Evaluated,
    /// A preempted run ends the job and is never counted.
    EndsTheJob,
}

/// How gangs of two or more and jobs with the annotation `failFast` are decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecialJobs {
    /// The engine decides them (semantics.md, sections 5 and 9).
    Evaluated,
    /// The legacy path decides them (semantics.md, section 8).
    Legacy,
}

/// Whether a retry waits (semantics.md, sections 6 and 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waits {
    /// A retry waits for its backoff, and for the pod of a preempted run.
    BackoffAndPod,
    /// A retry does not wait.
    Never,
}

/// The nodes that a retry avoids if its rule requests anti-affinity (semantics.md, section 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Avoidance {
    /// The node of the most recent failed run.
    LastFailed,
    /// The nodes of all runs so far.
    AllTried,
}

/// The names of the pods of retries (semantics.md, sections 1 and 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PodNames {
    /// `armada-<jobId>-0-<runIndex>`.
    ByRun,
    /// `armada-<jobId>-0`, for every run.
    Legacy,
}

/// The design of Armada's issue 4683.
pub static V1: Profile = Profile {
    form: Form::V1,
    global_max_retries: Form::V1.global_max_retries(),
    policies: QueuePolicies::AllAndAnnotated,
    counting: Counting::GrantedRetries,
    preempted: Preempted::Evaluated,
    special_jobs: SpecialJobs::Evaluated,
    waits: Waits::BackoffAndPod,
    avoidance: Avoidance::LastFailed,
    pod_names: PodNames::ByRun,
};

/// The engine of Armada servers since August 2026 (Armada's internal/scheduler/retry).
pub static V1BETA1: Profile = Profile {
    form: Form::V1beta1,
    global_max_retries: Form::V1beta1.global_max_retries(),
    policies: QueuePolicies::FirstOnly,
    counting: Counting::FailuresLessOne,
    preempted: Preempted::EndsTheJob,
    special_jobs: SpecialJobs::Legacy,
    waits: Waits::Never,
    avoidance: Avoidance::AllTried,
    pod_names: PodNames::Legacy,
};

impl Profile {
    /// The profile of documents of this form.
    pub fn of(form: Form) -> &'static Self {
        match form {
            Form::V1 => &V1,
            Form::V1beta1 => &V1BETA1,
        }
    }
}
