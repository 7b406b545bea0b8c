//! A pool before a round, with the names of its positions.

use super::job::{Gang, Job, JobIndex, Shape};
use super::nodes::Nodes;
use super::resources::Amounts;
use super::round::{QueueInput, RoundInput};
use super::settings::Settings;
use std::collections::{BTreeMap, HashMap};

/// A pool before a round: nodes, queues, and jobs that are queued or running.
#[derive(Debug, Clone)]
pub struct PoolState {
    /// The name of the pool; empty for one without a name.
    pub pool: String,
    /// The settings of the pool.
    pub settings: Settings,
    /// The jobs, in the order of their ids.
    pub jobs: Vec<Job>,
    /// The id of each job.
    pub job_ids: Vec<String>,
    /// The names of the queues of jobs whose queue is not listed.
    pub unlisted_queues: BTreeMap<JobIndex, String>,
    /// The needs of the jobs.
    pub shapes: Vec<Shape>,
    /// The gangs of the jobs.
    pub gangs: Vec<Gang>,
    /// The id of each gang.
    pub gang_ids: Vec<String>,
    /// The nodes, with the running jobs bound.
    pub nodes: Nodes,
    /// The capacity of all nodes.
    pub total: Amounts,
    /// The queues, in the order of their names.
    pub queues: Vec<QueueInput>,
    /// The name of each queue.
    pub queue_names: Vec<String>,
    /// The tokens for new jobs; `None` means a full burst.
    pub tokens: Option<f64>,
    /// The seed of the draws of the profile `seed`.
    pub seed: u64,
    /// The priorities that jobs were placed at in earlier rounds: none.
    pub priorities: HashMap<JobIndex, i32>,
    /// The nodes on which jobs may not start: none.
    pub avoided: HashMap<JobIndex, Vec<usize>>,
}

impl PoolState {
    /// Returns the input of a round, which changes the nodes.
    pub fn input(&mut self) -> RoundInput<'_> {
        RoundInput {
            settings: &self.settings,
            total: self.total.clone(),
            jobs: &self.jobs,
            shapes: &self.shapes,
            gangs: &self.gangs,
            nodes: &mut self.nodes,
            queues: self.queues.clone(),
            tokens: self.tokens,
            seed: self.seed,
            number: 0,
            priorities: &mut self.priorities,
            avoided: &self.avoided,
        }
    }

    /// Returns the name of a job's queue.
    pub fn queue_name(&self, job: JobIndex) -> &str {
        let listed = self.jobs.get(job as usize).and_then(|job| job.queue);
        let listed = listed.and_then(|queue| self.queue_names.get(queue));
        listed.or_else(|| self.unlisted_queues.get(&job)).map_or("", String::as_str)
    }
}
