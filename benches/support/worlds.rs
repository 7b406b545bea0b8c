//! Policies, jobs and both evaluators, ready to be timed against each other.

use super::naive::{Features, GLOBAL, Naive, NaiveState};
use super::{policies, runs};
use armada_retry::engine::{Evaluator, Failure, JobState, Route, Scratch, V1};
use armada_retry::policy::SchedulerSettings;
use replay::history::{Job, RunRecord};
use std::sync::Arc;

/// The numbers of rules that are measured.
pub const SIZES: [usize; 3] = [5, 20, 100];
/// Policies of each size, so that no figure hangs on the luck of one.
pub const POLICIES: u64 = 8;
/// Few enough that the runs stay in a core's cache: a scheduler has just read the run it decides on.
const JOBS: usize = 200;
const JOB_SEED: u64 = 42;

/// The jobs that all policies decide about.
pub struct History {
    /// The jobs.
    pub jobs: Vec<Job>,
}

/// One policy, compiled for both sides.
pub struct World<'h> {
    /// The engine.
    pub evaluator: Evaluator,
    /// The policy's route.
    pub route: Arc<Route>,
    /// The baseline.
    pub naive: Naive,
    /// All runs with their jobs' numbers, the first runs of all jobs before any second one.
    pub runs: Vec<(usize, &'h RunRecord)>,
    jobs: &'h [Job],
}

impl History {
    /// From the seed.
    pub fn generate() -> Self {
        Self { jobs: runs::jobs(JOB_SEED, JOBS) }
    }

    /// The policies of a size.
    pub fn worlds(&self, rules: usize) -> Vec<World<'_>> {
        (0..POLICIES).map(|seed| self.world(policies::policy(seed, rules))).collect()
    }

    fn world(&self, policy: armada_retry::policy::RetryPolicy) -> World<'_> {
        let settings = SchedulerSettings {
            enabled: true,
            global_max_retries: Some(GLOBAL),
            ..SchedulerSettings::default()
        };
        let policy = Arc::new(policy);
        let evaluator = Evaluator::new(&V1, vec![Arc::clone(&policy)], settings, &[]);
        let naive = Naive::new(&policy, &evaluator);
        let route = evaluator.route(&[0]);
        let all = self.jobs.iter().enumerate();
        let mut runs: Vec<(usize, &RunRecord)> =
            all.flat_map(|(job, body)| body.runs.iter().map(move |run| (job, run))).collect();
        runs.sort_by_key(|(_, run)| run.run_index);
        World { evaluator, route, naive, runs, jobs: &self.jobs }
    }
}

impl World<'_> {
    /// The engine's features of every run.
    pub fn failures(&self) -> Vec<(usize, Failure<'_>)> {
        self.runs.iter().map(|(job, run)| (*job, self.evaluator.failure(run.ended()))).collect()
    }

    /// The baseline's features of every run.
    pub fn features(&self) -> Vec<(usize, Features<'_>)> {
        self.runs.iter().map(|(job, run)| (*job, self.naive.features(run))).collect()
    }

    /// The engine's states before any run.
    pub fn states(&self) -> Vec<JobState> {
        self.jobs
            .iter()
            .map(|job| JobState::new(&job.unit_fields, Arc::clone(&self.route)))
            .collect()
    }

    /// The baseline's states before any run.
    pub fn naive_states(&self) -> Vec<NaiveState> {
        self.jobs.iter().map(|_| NaiveState::new()).collect()
    }

    /// Decides about all runs with both, panics where they differ, and returns for each run the
    /// rule that decided.
    pub fn compare(&self) -> Vec<Option<usize>> {
        let mut scratch = Scratch::default();
        let (mut states, mut naive_states) = (self.states(), self.naive_states());
        let decided = self.failures().into_iter().zip(self.features());
        let decided = decided.map(|((job, failure), (_, features))| {
            let ours = &mut states[job];
            let ours = self.evaluator.decide_failure(ours, &failure, None, &mut scratch);
            let theirs = self.naive.decide(&mut naive_states[job], &features);
            assert_eq!(ours, theirs);
            ours.rule.and_then(|id| self.evaluator.rule(id).index)
        });
        decided.collect()
    }
}
