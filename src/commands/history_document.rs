//! A `FailureHistory` document that a command writes: JSON Lines have no queues and no reloads.

use armada_retry::engine::Reload;
use armada_retry::policy::Queue;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// A history that is written when all runs are known.
pub(super) struct HistoryDocument {
    /// Queues and their policies.
    queues: Vec<Queue>,
    /// Changes of the scheduler's settings.
    reloads: Vec<Reload>,
    /// Each job without its runs, and its runs, as JSON, in the order of the jobs' first runs.
    jobs: Vec<(String, Vec<String>)>,
    /// The positions of the jobs.
    positions: HashMap<String, usize>,
}

impl HistoryDocument {
    /// A history without jobs and queues.
    pub(super) fn new(reloads: Vec<Reload>) -> Self {
        Self { queues: Vec::new(), reloads, jobs: Vec::new(), positions: HashMap::new() }
    }

    pub(super) fn set_queues(&mut self, queues: Vec<Queue>) {
        self.queues = queues;
    }

    /// Adds a run to the job of a key, which was added with its first run.
    pub(super) fn add(&mut self, key: String, job: String, run: String) {
        let position = *self.positions.entry(key).or_insert_with(|| {
            self.jobs.push((job, Vec::new()));
            self.jobs.len() - 1
        });
        self.jobs[position].1.push(run);
    }

    /// Writes the document, a run a line.
    pub(super) fn write(&self, mut line: impl FnMut(&str)) {
        let list = |key: &str, list: Vec<Value>| {
            if list.is_empty() {
                String::new()
            } else {
                format!("\"{key}\":{},", Value::Array(list))
            }
        };
        let queue =
            |queue: &Queue| json!({"name": queue.name, "retryPolicies": queue.retry_policies});
        let queues = list("queues", self.queues.iter().map(queue).collect());
        let events = list("events", self.reloads.iter().map(event).collect());
        line(&format!(
            "{{\"apiVersion\":\"armadaproject.io/v1\",\"kind\":\"FailureHistory\",\"spec\":{{{queues}{events}\"jobs\":["
        ));
        for (position, (job, runs)) in self.jobs.iter().enumerate() {
            let job = job.strip_suffix('}').unwrap_or(job);
            line(&format!("{job},\"runs\":["));
            line(&runs.join(",\n"));
            line(if position + 1 < self.jobs.len() { "]}," } else { "]}" });
        }
        line("]}}");
    }
}

/// A reload as an event of a history.
fn event(reload: &Reload) -> Value {
    let mut settings = Map::new();
    if let Some(limit) = reload.global_max_retries {
        settings.insert("globalMaxRetries".to_owned(), limit.into());
    }
    if let Some(enabled) = reload.enabled {
        settings.insert("enabled".to_owned(), enabled.into());
    }
    json!({"at": reload.at.to_string(), "reload": settings})
}
