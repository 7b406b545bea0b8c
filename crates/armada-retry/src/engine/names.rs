//! Names of pods and events (semantics.md, section 9).

use super::decision::{Decision, DecisionCode};

/// The name of the pod of a run. The legacy form is that of the first run, and of every run unless `indexed`.
pub fn pod_name(job_id: &str, run_index: u32, indexed: bool) -> String {
    if indexed && run_index > 0 {
        format!("armada-{job_id}-0-{run_index}")
    } else {
        format!("armada-{job_id}-0")
    }
}

impl Decision {
    /// The name of the pod of the run that failed.
    pub fn pod_name(&self, job_id: &str) -> String {
        pod_name(job_id, self.run_index, self.indexed_pods)
    }

    /// The name of the next run's pod; `None` if the engine grants no run.
    pub fn next_pod_name(&self, job_id: &str) -> Option<String> {
        let granted = matches!(self.code, DecisionCode::Retry | DecisionCode::GangRerun);
        granted.then(|| pod_name(job_id, self.run_index.saturating_add(1), self.indexed_pods))
    }

    /// The name of the event that Armada emits: `JobRequeued` or `JobFailed`.
    pub fn event(&self) -> &'static str {
        if self.code.retries() { "JobRequeued" } else { "JobFailed" }
    }
}
