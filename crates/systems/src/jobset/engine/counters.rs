//! The restart counters of a JobSet's status, and the limit on restarts in place (`in_place_restart.go`, gate
//! `InPlaceRestart`).
//!
//! That limit is checked when no Job has failed. Unlike the limit on recreation, it is exceeded only by more
//! than `maxRestarts`: the attempt of a pod is its number of restarts so far.

/// The restart counts of a JobSet and its Jobs. Nothing lowers or resets a counter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counters {
    /// `status.restarts`: the number of restarts of the whole set.
    pub restarts: u32,
    /// `status.restartsCountTowardsMax`: the number of those that count.
    pub restarts_count_towards_max: u32,
    /// The unrecorded part of both counts.
    before_record: u32,
    /// The last recorded generation: the number of restarts of the set before its Jobs were created.
    generation: Option<u32>,
    /// The restarts of single Jobs. Boxed, since few sets have any.
    jobs: Option<Box<JobCounts>>,
}

/// The counts of Jobs that were restarted alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct JobCounts {
    /// The counts by replicated Job and index; shorter if the rest has none.
    each: Vec<Vec<JobCount>>,
    /// The sum of those that count.
    restarts_count_towards_max: u64,
}

/// The restarts of one Job alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JobCount {
    /// `jobRestarts`.
    pub restarts: u32,
    /// `jobRestartsCountTowardsMax`.
    pub restarts_count_towards_max: u32,
}

/// Whether a restart counts towards `maxRestarts`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// The restart counts.
    Yes,
    /// The restart does not count.
    No,
}

impl Counters {
    /// Returns the restarts that count towards `maxRestarts`: those of the set, and with the gate
    /// `RestartJob` those of single Jobs, summed (`totalRestartsCountTowardsMax`).
    pub fn counted(&self, with_jobs: bool) -> u64 {
        let jobs = self.jobs.as_ref().filter(|_| with_jobs);
        let jobs = jobs.map_or(0, |jobs| jobs.restarts_count_towards_max);
        u64::from(self.restarts_count_towards_max) + jobs
    }

    /// Returns the counters of every Job of a replicated Job that was restarted alone or precedes one that
    /// was.
    pub fn jobs(&self, replicated_job: usize) -> &[JobCount] {
        let of_job = self.jobs.as_ref().and_then(|jobs| jobs.each.get(replicated_job));
        of_job.map_or(&[], Vec::as_slice)
    }

    /// Returns whether any Job was restarted alone.
    pub fn restarted_jobs(&self) -> bool {
        let each = self.jobs.iter().flat_map(|jobs| jobs.each.iter().flatten());
        each.into_iter().any(|count| count.restarts > 0)
    }

    /// Sets the counters of a Job.
    pub fn set_job(&mut self, replicated_job: usize, index: usize, count: JobCount) {
        let jobs = self.jobs.get_or_insert_default();
        let before = std::mem::replace(jobs.slot(replicated_job, index), count);
        jobs.restarts_count_towards_max -= u64::from(before.restarts_count_towards_max);
        jobs.restarts_count_towards_max += u64::from(count.restarts_count_towards_max);
    }

    /// Counts the restarts of the set that have no record: those before the first recorded generation, and
    /// those of generations missing between two. Records do not show whether such a restart counts towards
    /// `maxRestarts`; it is assumed to.
    pub(crate) fn add_unrecorded_restarts(&mut self, generation: u32) {
        let known = match self.generation {
            None => self.restarts,
            // The restart that leads to the next generation is derived, so it is not missing.
            Some(last) => last.saturating_add(1),
        };
        let missing = generation.saturating_sub(known);
        // Records may come late: the generation never goes back.
        self.generation = self.generation.max(Some(generation));
        self.before_record = self.before_record.saturating_add(missing);
        self.restarts = self.restarts.saturating_add(missing);
        self.restarts_count_towards_max = self.restarts_count_towards_max.saturating_add(missing);
    }

    /// Returns the number of restarts of the set without a record.
    pub(crate) fn before_record(&self) -> u32 {
        self.before_record
    }

    /// Counts a restart of the set.
    pub(crate) fn restart_set(&mut self, counted: Counted) {
        self.restarts = self.restarts.saturating_add(1);
        if counted == Counted::Yes {
            self.restarts_count_towards_max = self.restarts_count_towards_max.saturating_add(1);
        }
    }

    /// Counts a restart of one Job alone.
    pub(crate) fn restart_job(&mut self, replicated_job: usize, index: usize, counted: Counted) {
        let mut count = self.jobs(replicated_job).get(index).copied().unwrap_or_default();
        count.restarts = count.restarts.saturating_add(1);
        if counted == Counted::Yes {
            count.restarts_count_towards_max = count.restarts_count_towards_max.saturating_add(1);
        }
        self.set_job(replicated_job, index, count);
    }
}

impl JobCounts {
    fn slot(&mut self, replicated_job: usize, index: usize) -> &mut JobCount {
        if self.each.len() <= replicated_job {
            self.each.resize_with(replicated_job + 1, Vec::new);
        }
        let jobs = &mut self.each[replicated_job];
        if jobs.len() <= index {
            jobs.resize(index + 1, JobCount::default());
        }
        &mut jobs[index]
    }
}

/// The restarts in place of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PodAttempt {
    /// The maximum of its containers' restarts.
    pub container_restarts: u32,
    /// The attempt in its annotation; absent for a pod that has failed, or whose agent has not begun.
    pub attempt: Option<u32>,
}

/// Returns whether pods were restarted in place more often than `maxRestarts` allows, after the restarts that
/// do not count are subtracted.
pub fn in_place_limit(
    max_restarts: i32,
    counters: &Counters,
    pods: impl IntoIterator<Item = PodAttempt>,
) -> bool {
    let most = pods.into_iter().fold((0, 0), |(restarts, attempt), pod| {
        (pod.container_restarts.max(restarts), pod.attempt.unwrap_or(0).max(attempt))
    });
    // Restarts that do not count are part of the attempt's number.
    let uncounted = i64::from(counters.restarts) - i64::from(counters.restarts_count_towards_max);
    let max_restarts = i64::from(max_restarts);
    i64::from(most.0) > max_restarts || i64::from(most.1) - uncounted > max_restarts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exceeds_limit(max_restarts: i32, uncounted: u32, attempts: &[u32]) -> bool {
        let counters = Counters { restarts: uncounted, ..Counters::default() };
        let pods = attempts
            .iter()
            .map(|attempt| PodAttempt { attempt: Some(*attempt), ..PodAttempt::default() });
        in_place_limit(max_restarts, &counters, pods)
    }

    #[test]
    fn the_limit_itself_is_allowed() {
        assert!(!exceeds_limit(1, 0, &[1, 0]));
        assert!(exceeds_limit(1, 0, &[1, 2]));
        assert!(!exceeds_limit(1, 1, &[1, 2]));
        assert!(exceeds_limit(-1, 0, &[]));
        let restarted = PodAttempt { container_restarts: 2, attempt: None };
        assert!(in_place_limit(1, &Counters::default(), [restarted]));
        assert!(!in_place_limit(2, &Counters::default(), [restarted]));
    }
}
