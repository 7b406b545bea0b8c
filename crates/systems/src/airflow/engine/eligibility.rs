//! Whether a failed try is followed by another (`TaskInstance.is_eligible_to_retry`).

use crate::airflow::manifest::profile::Profile;

/// The state of a task instance, as far as its retries depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum InstanceState {
    /// `running`: the task failed by itself.
    #[default]
    Running,
    /// `restarting`: it was cleared while it ran.
    Restarting,
    /// Any other state: for example, the task was found dead while it was `queued`.
    Other,
}

impl InstanceState {
    /// Airflow's names of the other states (`airflow/utils/state.py`).
    pub(crate) const OTHERS: [&'static str; 11] = [
        "removed",
        "scheduled",
        "queued",
        "success",
        "failed",
        "up_for_retry",
        "up_for_reschedule",
        "upstream_failed",
        "skipped",
        "deferred",
        "awaiting_input",
    ];

    /// Returns the state with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "running" => Some(Self::Running),
            "restarting" => Some(Self::Restarting),
            name => Self::OTHERS.contains(&name).then_some(Self::Other),
        }
    }
}

/// The numbers that eligibility depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TryNumbers {
    /// `retries` of the task; absent if its DAG could not be loaded.
    pub retries: Option<u32>,
    /// The column `try_number` of the failed try; the first try is 1.
    pub try_number: i32,
    /// `max_tries`: `retries` of the task when its instance was created; clearing raises it.
    pub max_tries: i32,
}

/// Whether a failed try is followed by another, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Eligibility {
    /// Another try follows, because the task was cleared while it ran, whatever the number of tries.
    Restarting,
    /// Another try follows: `try_number` is at most `max_tries`.
    TriesLeft,
    /// Tries are left, and the release raises `OverflowError` as it computes the delay: the task stays `up_for_retry`,
    /// and the scheduler, which computes it whenever it considers the task, ends each time.
    DelayOverflow,
    /// The same try runs again: a retry policy rescheduled it.
    Rescheduled,
    /// The task excluded another try: `AirflowFailException`, a sensor's timeout, or since 3.3 a retry
    /// policy. This is checked before anything else (`handle_failure`, `force_fail`).
    ForceFail,
    /// The task's retry policy answered `fail`.
    PolicyFail,
    /// The process was killed, and the release fails the task though tries may be left.
    ProcessKilled,
    /// No try follows, because the task has no `retries`, whatever `max_tries` is.
    NoRetries,
    /// No try follows: `try_number` is above `max_tries`.
    TriesUsedUp,
}

impl Eligibility {
    /// Returns whether another try follows.
    pub fn retries(self) -> bool {
        matches!(self, Self::Restarting | Self::TriesLeft)
    }

    /// Returns whether the task runs again, as another try or the same one.
    pub fn reruns(self) -> bool {
        self.retries() || self == Self::Rescheduled
    }
}

/// Returns whether a try that failed in this state is followed by another, and why.
pub fn eligibility(profile: Profile, state: InstanceState, tries: TryNumbers) -> Eligibility {
    let try_number = match state {
        InstanceState::Restarting => return Eligibility::Restarting,
        InstanceState::Running => tries.try_number,
        InstanceState::Other => profile.read_try_number(tries.try_number),
    };
    // Before the number of tries: clearing a task raises `max_tries`, but not its `retries`.
    if tries.retries == Some(0) {
        Eligibility::NoRetries
    } else if try_number <= tries.max_tries {
        Eligibility::TriesLeft
    } else {
        Eligibility::TriesUsedUp
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_dead_task_has_a_retry_less_up_to_2_9() {
        let tries = TryNumbers { retries: Some(3), try_number: 3, max_tries: 3 };
        let dead = |profile| eligibility(profile, InstanceState::Other, tries);
        assert_eq!(dead(Profile::V3_0), Eligibility::TriesLeft);
        assert_eq!(dead(Profile::V2_9), Eligibility::TriesUsedUp);
        assert_eq!(
            eligibility(Profile::V2_9, InstanceState::Running, tries),
            Eligibility::TriesLeft
        );
    }

    proptest! {
        /// If a task with retries fails by itself, exactly the tries up to `max_tries` are followed by
        /// another; a try that is cleared while it runs always is.
        #[test]
        fn as_many_retries_as_max_tries(max_tries in 0..50, retries in proptest::option::of(0..5_u32)) {
            for profile in Profile::ALL {
                let followed = |state| {
                    let one = |try_number| TryNumbers { retries, try_number, max_tries };
                    let all = (1..100).map(|number| eligibility(profile, state, one(number)));
                    all.take_while(|each| each.retries()).count()
                };
                let expected = if retries == Some(0) { 0 } else { max_tries };
                prop_assert_eq!(i32::try_from(followed(InstanceState::Running)), Ok(expected));
                prop_assert_eq!(followed(InstanceState::Restarting), 99);
            }
        }
    }
}
