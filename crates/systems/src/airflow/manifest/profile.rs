//! The releases whose rules differ.

use super::backoff::Backoff;
use crate::release::Version;
use document::choices;

choices! {
    /// A group of releases with the same rules, the newest first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum Profile = "profile of Airflow" {
        /// 3.4, a preview (3.4.0b2): as 3.3, with chains of retry policies and reschedules.
        V3_4 = "3.4",
        /// 3.3.0 to 3.3.2: as 3.2, with retry policies.
        #[default]
        V3_3 = "3.3",
        /// 3.2.0 to 3.2.2: the delay grows by a multiplier of the task's own.
        V3_2 = "3.2",
        // 3.1.2 and 3.1.3 (task-sdk 1.1.2 and 1.1.3) fail the task if the process ended with a positive exit code.
        /// 3.1.5 to 3.1.8: it doubles, and a process that was killed is retried.
        V3_1 = "3.1",
        /// 3.0.6 to 3.1.1: it doubles, and a process that was killed fails the task.
        V3_0 = "3.0",
        /// 3.0.0 to 3.0.4: as 3.0, with a ceiling of a day and OverflowError.
        V3_0_0 = "3.0.0",
        // 2.10.5 to 2.11.2; the hashed number is that of the failed try.
        /// 2.10 and 2.11: it doubles, and OverflowError from about try 1,017 on.
        V2_10 = "2.10",
        // 2.8.4 and 2.9.3.
        /// 2.8 and 2.9: as 2.10, and the number hashed is one higher.
        V2_9 = "2.9",
        // 2.6.3.
        /// 2.6, which decides as 2.9 does.
        V2_6 = "2.6",
    }
}

impl Profile {
    /// Returns the profile of a version.
    pub(crate) fn at(version: Version) -> Self {
        // From the newest to the oldest, since the first that fits is taken.
        let firsts = [
            (Version::since(3, 4), Self::V3_4),
            (Version::since(3, 3), Self::V3_3),
            (Version::since(3, 2), Self::V3_2),
            (Version::patch(3, 1, 2), Self::V3_1),
            (Version::patch(3, 0, 6), Self::V3_0),
            (Version::since(3, 0), Self::V3_0_0),
            (Version::since(2, 10), Self::V2_10),
            (Version::since(2, 8), Self::V2_9),
        ];
        let found = firsts.into_iter().find(|(first, _)| version >= *first);
        found.map_or(Self::V2_6, |(_, profile)| profile)
    }

    /// Returns whether it is this profile or a newer one.
    const fn is_since(self, first: Self) -> bool {
        // The newest is declared first.
        self as u8 <= first as u8
    }

    /// Returns the value of `try_number` while the task is not running, from the column of that name. Up to
    /// 2.9 `try_number` is a property, and one higher than the column.
    pub fn read_try_number(self, column: i32) -> i32 {
        if self.is_property() { column.saturating_add(1) } else { column }
    }

    /// Returns whether `try_number` is a property that depends on whether the task is running.
    pub fn is_property(self) -> bool {
        !self.is_since(Self::V2_10)
    }

    /// Returns how often the delay has grown at this value of `try_number`: 0 before the second try.
    pub(crate) fn growths(self, read: i32) -> i32 {
        // The property is one higher than the column, so that both give the same exponent.
        read.saturating_sub(if self.is_property() { 2 } else { 1 })
    }

    /// Returns the factor by which the delay grows from try to try; `None` if it is constant.
    ///
    /// Up to 3.1.8 any value that is true in Python means doubling, a negative one included.
    #[expect(clippy::float_cmp, reason = "Airflow compares with 1.0 itself")]
    pub fn multiplier(self, backoff: Backoff) -> Option<f64> {
        match backoff {
            Backoff::Flag(grows) => grows.then_some(2.0),
            // 0 means 1. A delay does not grow by a factor of 1 or a negative one.
            Backoff::Number(number) if self.has_multiplier() => {
                (number > 0.0 && number != 1.0).then_some(number)
            }
            // Python's truth of a number: any but 0.
            Backoff::Number(number) => (number != 0.0).then_some(2.0),
        }
    }

    /// Returns whether the task sets the factor, as it does since 3.2.
    pub(crate) fn has_multiplier(self) -> bool {
        self.is_since(Self::V3_2)
    }

    /// Returns what an installation makes of a `retry_exponential_backoff` that is a number; `None` if it is the factor.
    /// From 2.10 to 3.1 the operator compares its type (`BASEOPERATOR_ARGS_EXPECTED_TYPES`), before that only the schema
    /// of a stored DAG does (`serialization/schema.json`).
    pub(crate) fn refusal_of_numbers(self) -> Option<&'static str> {
        if self.has_multiplier() {
            None
        } else if self.is_since(Self::V2_10) {
            Some(
                "its operators take a bool, and raise TypeError for a number, so the DAG does not load",
            )
        } else {
            Some("the schema of stored DAGs takes a boolean, so the DAG does not load")
        }
    }

    /// Returns whether a task may have a retry policy, which may set a try's delay in
    /// `retry_delay_override`.
    pub fn has_retry_policies(self) -> bool {
        self.is_since(Self::V3_3)
    }

    /// Returns whether a retry policy may be a chain of others, and may reschedule a task.
    pub fn has_chains(self) -> bool {
        self == Self::V3_4
    }

    /// Returns whether the reason of a retry policy is stored with a task that fails for good.
    pub(crate) fn stores_reason_of_failure(self) -> bool {
        self == Self::V3_4
    }

    /// Returns whether the worker decides about a try that raised an exception, as it does since 3.0. It compares
    /// `max_tries` alone (`_is_eligible_to_retry` of `execution_api/routes/task_instances.py`), and
    /// `AirflowTaskTerminated` ends the task's tries (`run` of `task_runner.py`).
    pub(crate) fn decides_in_worker(self) -> bool {
        self.is_since(Self::V3_0_0)
    }

    /// Returns whether a try whose process ended with an exit code other than 0 and without an outcome fails the task, though
    /// tries are left (`final_state` of `supervisor.py`, task-sdk 1.0.0 to 1.1.1).
    pub(crate) fn fails_killed_processes(self) -> bool {
        matches!(self, Self::V3_0 | Self::V3_0_0)
    }

    /// Returns whether `core.max_task_retry_delay` is not read: task-sdk 1.0.0 to 1.0.4 have a constant
    /// (`MAX_RETRY_DELAY` of `definitions/_internal/abstractoperator.py`).
    pub(crate) fn ignores_ceiling(self) -> bool {
        self == Self::V3_0_0
    }

    /// Returns whether a delay that is too large for Python is the ceiling. Releases before 3.0.6 raise
    /// `OverflowError`.
    pub fn guards_overflow(self) -> bool {
        self.is_since(Self::V3_0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn booleans_and_numbers_mean_what_each_release_makes_of_them() {
        let constant =
            |profile: Profile, number| profile.multiplier(Backoff::Number(number)).is_none();
        for number in [0.0, -0.0, 1.0, -2.0, f64::NAN] {
            assert!(constant(Profile::V3_3, number), "{number}");
            assert!(constant(Profile::V3_4, number), "{number}");
            assert!(constant(Profile::V3_2, number), "{number}");
        }
        for profile in [Profile::V3_1, Profile::V3_0, Profile::V2_10, Profile::V2_9] {
            assert!(!constant(profile, 1.0) && !constant(profile, -2.0));
        }
        for profile in Profile::ALL {
            assert_eq!(Profile::from_name(profile.as_str()), Some(profile));
            assert_eq!(profile.multiplier(Backoff::Flag(true)), Some(2.0));
            assert_eq!(profile.multiplier(Backoff::Flag(false)), None);
            assert!(constant(profile, 0.0));
        }
    }

    #[test]
    fn a_profile_without_a_patch_number_is_that_of_its_newest_release() {
        for profile in Profile::ALL {
            let version = Version::parse(profile.as_str()).unwrap();
            assert_eq!(Profile::at(version), profile);
        }
        for (version, profile) in [
            ("3.1.1", Profile::V3_0),
            ("3.1.0", Profile::V3_0),
            ("3.1.2", Profile::V3_1),
            ("3.0.4", Profile::V3_0_0),
            ("2.11.2", Profile::V2_10),
            ("2.7.3", Profile::V2_6),
        ] {
            assert_eq!(Profile::at(Version::parse(version).unwrap()), profile, "{version}");
        }
    }

    proptest! {
        /// The property and the exponent changed together: the base is that of the column's number.
        #[test]
        fn every_release_counts_the_same_growths(column in -5..10_000) {
            for profile in Profile::ALL {
                prop_assert_eq!(profile.growths(profile.read_try_number(column)), column - 1);
            }
        }
    }
}
