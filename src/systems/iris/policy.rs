//! What a job's submission says of retries, and which text is followed.

/// Which text is followed where they differ (facts, 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Profile {
    /// The seed: the project's document of task states.
    Seed,
    /// The controller's code (`cluster/controller/reconcile`).
    Upstream,
}

impl Profile {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Seed, Self::Upstream];

    /// The name as profiles write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Upstream => "upstream",
        }
    }

    /// The profile of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.as_str() == name)
    }
}

/// The most tasks that a job can be submitted with (upstream, `MAX_REPLICAS_PER_JOB`).
pub const MAX_REPLICAS: u32 = 10_000;

/// A job's retry policy: fields of its submission, by their names there.
///
/// Limits are `int32` on the wire, and none of them stands for "without limit": below 0 is as 0
/// for a task's retries (issue 6830), and for `max_task_failures` fails a job at its first event,
/// unless all its tasks have succeeded by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Attempts of a task that may fail and be followed by another. Default 0.
    pub max_retries_failure: i32,
    /// Attempts of a task that may be lost, once begun, and be followed by another. Default 100.
    pub max_retries_preemption: i32,
    /// Failures that the job bears. Default 0. The seed counts tasks that are `FAILED`, upstream
    /// every attempt that failed.
    pub max_task_failures: i32,
    /// How many tasks the job has. Default 1; the most are [`MAX_REPLICAS`].
    pub replicas: u32,
    /// Whether the tasks are a gang, which is placed together or not at all. Default no.
    pub coscheduled: bool,
}

impl Policy {
    /// Whether it grants an attempt after a failure or a loss.
    pub fn can_retry(&self) -> bool {
        self.max_retries_failure > 0 || self.max_retries_preemption > 0
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            max_retries_failure: 0,
            max_retries_preemption: 100,
            max_task_failures: 0,
            replicas: 1,
            coscheduled: false,
        }
    }
}

/// A policy as one of the texts understands it: every rule is a function of this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// The text.
    pub profile: Profile,
    /// The policy.
    pub policy: Policy,
}
