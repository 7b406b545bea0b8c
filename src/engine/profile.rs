//! The two engine profiles: what differs between them, as data (semantics.md, section 1).

use crate::policy::Form;

/// How an engine differs from another. There is one evaluator; it asks the profile.
#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    /// `v1` or `v1beta1`.
    pub form: Form,
    /// `globalMaxRetries` where nothing sets it.
    pub global_max_retries: u32,
    /// Which of a queue's policies apply.
    pub policies: QueuePolicies,
    /// What is counted against limits.
    pub counting: Counting,
    /// What becomes of a preempted run.
    pub preempted: Preempted,
    /// What becomes of gangs of two or more, and of jobs that ask to fail fast.
    pub special_jobs: SpecialJobs,
    /// Whether a retry waits.
    pub waits: Waits,
    /// Which nodes a retry avoids that is asked to avoid any.
    pub avoidance: Avoidance,
    /// How pods of retries are named.
    pub pod_names: PodNames,
}

/// Which of a queue's policies apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueuePolicies {
    /// All of them, then those of the job's annotation.
    AllAndAnnotated,
    /// The first.
    FirstOnly,
}

/// What is counted against limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// Granted retries: each rule its own, and the job's total.
    GrantedRetries,
    /// One count for all: the job's failures so far, less one.
    FailuresLessOne,
}

/// What becomes of a preempted run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preempted {
    /// It is evaluated like any failure.
    Evaluated,
    /// It ends the job, and is never counted.
    EndsTheJob,
}

/// What becomes of gangs of two or more, and of jobs that ask to fail fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecialJobs {
    /// The engine decides on them.
    Evaluated,
    /// They take the legacy path.
    Legacy,
}

/// Whether a retry waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waits {
    /// For its backoff, and for the pod of a preempted run.
    BackoffAndPod,
    /// Not at all.
    Never,
}

/// Which nodes a retry avoids that is asked to avoid any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Avoidance {
    /// That of the most recent failed run.
    LastFailed,
    /// Those of all runs so far.
    AllTried,
}

/// How pods of retries are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PodNames {
    /// With the run's index.
    ByRun,
    /// All alike.
    Legacy,
}

/// The design.
pub static V1: Profile = Profile {
    form: Form::V1,
    global_max_retries: 20,
    policies: QueuePolicies::AllAndAnnotated,
    counting: Counting::GrantedRetries,
    preempted: Preempted::Evaluated,
    special_jobs: SpecialJobs::Evaluated,
    waits: Waits::BackoffAndPod,
    avoidance: Avoidance::LastFailed,
    pod_names: PodNames::ByRun,
};

/// What Armada servers run since August 2026.
pub static V1BETA1: Profile = Profile {
    form: Form::V1beta1,
    global_max_retries: 5,
    policies: QueuePolicies::FirstOnly,
    counting: Counting::FailuresLessOne,
    preempted: Preempted::EndsTheJob,
    special_jobs: SpecialJobs::Legacy,
    waits: Waits::Never,
    avoidance: Avoidance::AllTried,
    pod_names: PodNames::Legacy,
};

impl Profile {
    /// The profile that documents of a form ask for.
    pub fn of(form: Form) -> &'static Self {
        match form {
            Form::V1 => &V1,
            Form::V1beta1 => &V1BETA1,
        }
    }
}
