//! The preemptions of a round.

use super::outcome::{Method, Preemption, PreemptionKind};
use super::running::Round;
use crate::job::JobIndex;
use std::collections::{HashMap, HashSet};

/// Source: Armada, `internal/scheduler/scheduling/preemption_description.go`.
impl Round<'_> {
    /// Returns by node the jobs that start there because of their priority.
    pub(super) fn urgent_by_node(
        &self,
        scheduled: &HashSet<JobIndex>,
    ) -> HashMap<usize, Vec<JobIndex>> {
        let mut by_node: HashMap<usize, Vec<JobIndex>> = HashMap::new();
        for job in scheduled {
            let placement = self.placements.get(job);
            if let Some(placement) = placement.filter(|it| it.method == Method::Urgency) {
                by_node.entry(placement.node).or_default().push(*job);
            }
        }
        by_node
    }

    /// Returns the preemption of a job that was evicted and not placed again.
    pub(super) fn preemption(
        &self,
        job: JobIndex,
        urgent: &HashMap<usize, Vec<JobIndex>>,
    ) -> Option<Preemption> {
        let node = *self.evicted_from.get(&job)?;
        if let Some(by) = self.displaced.get(&job) {
            return Some(Preemption { node, kind: PreemptionKind::FairShare, by: Some(*by) });
        }
        Some(match urgent.get(&node).map(Vec::as_slice) {
            Some([only]) => Preemption { node, kind: PreemptionKind::Urgency, by: Some(*only) },
            // Several jobs were placed there: which of them took the room is not known.
            Some(_) => Preemption { node, kind: PreemptionKind::Urgency, by: None },
            None if self.jobs[job as usize].gang.is_some() => {
                Preemption { node, kind: PreemptionKind::UnknownGang, by: None }
            }
            None => Preemption { node, kind: PreemptionKind::Unknown, by: None },
        })
    }
}
