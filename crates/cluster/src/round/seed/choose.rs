//! The node for a job, and the jobs that are preempted there by urgency.

use super::super::{Method, Placement};
use super::RUNNING;
use super::running::Round;
use crate::job::{Job, JobIndex};
use crate::nodes::EVICTED;
use crate::resources::Amounts;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A node for a job.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) placement: Placement,
    /// The jobs that are preempted by urgency, on this node and in the rest of their gangs.
    pub(super) victims: Vec<JobIndex>,
}

/// Jobs on a node that are preempted together: a job, or the members of a gang.
struct PreemptionUnit {
    /// The priority, start and job of the most important member; the greater value is more important.
    importance: (i32, Reverse<i64>, Reverse<JobIndex>),
    /// The sum of their amounts on the node.
    request: Amounts,
    job: JobIndex,
}

impl Round<'_> {
    /// Chooses a node for a job, in one cluster if `cluster` is present.
    pub(super) fn choose(&mut self, job: JobIndex, cluster: Option<usize>) -> Option<Choice> {
        let priority = self.priority(job);
        if let Some(node) = self.evicted.get(&job).copied() {
            return self.choose_own(job, priority, node);
        }
        let Job { queue, shape: position, .. } = self.jobs[job as usize];
        let (shape, queue) = (self.shape(job), queue?);
        let fit = self.fit_cache.get(self.nodes, position, shape, &[]);
        let avoided = self.avoided.get(&job);
        let is_allowed = |node: usize| {
            fit.is_allowed(node)
                && avoided.is_none_or(|nodes| !nodes.contains(&node))
                && cluster.is_none_or(|cluster| self.clusters[node] == cluster)
        };
        let best = |level| self.sets.best(self.nodes, (queue, level), &shape.request, is_allowed);
        let choice = |node, method, victims| Choice {
            placement: Placement { node, priority, method },
            victims,
        };
        // First without any preemption, then by fair share, and by urgency last: it stops running jobs.
        if let Some(node) = best(EVICTED) {
            return Some(choice(node, Method::NoPreemption, Vec::new()));
        }
        if let Some(node) = best(RUNNING) {
            return Some(choice(node, Method::FairShare, Vec::new()));
        }
        let level = self.nodes.level(priority);
        let can_make_room =
            |node: usize| is_allowed(node) && self.victims(job, priority, node).is_some();
        let node = self.sets.best(self.nodes, (queue, level), &shape.request, can_make_room)?;
        Some(choice(node, Method::Urgency, self.victims(job, priority, node)?))
    }

    /// Chooses the node of an evicted job, if the job still fits there.
    fn choose_own(&self, job: JobIndex, priority: i32, node: usize) -> Option<Choice> {
        let victims = self.victims(job, priority, node)?;
        Some(Choice {
            placement: Placement { node, priority, method: Method::Rescheduled },
            victims,
        })
    }

    /// Returns the jobs to preempt so that a job fits on a node: as few and as unimportant as kube-scheduler
    /// chooses. `None` if it does not fit even without all jobs that it may preempt.
    fn victims(&self, job: JobIndex, priority: i32, node: usize) -> Option<Vec<JobIndex>> {
        let request = &self.shape(job).request;
        let mut room = self.nodes.get(node).free(RUNNING).clone();
        if request.fits(&room) {
            return Some(Vec::new());
        }
        let mut units = self.less_urgent(job, priority, node);
        for unit in &units {
            // All of them leave first: without room even then no choice of them helps.
            room.add(&unit.request);
        }
        if !request.fits(&room) {
            return None;
        }
        // The most important first, as they return if there is room.
        units.sort_by_key(|unit| Reverse(unit.importance));
        let mut victims = Vec::new();
        for unit in units {
            room.subtract(&unit.request);
            if !request.fits(&room) {
                room.add(&unit.request);
                victims.extend(self.running_members(unit.job));
            }
        }
        Some(victims)
    }

    /// Returns the jobs on a node that a job of this priority may preempt.
    fn less_urgent(&self, job: JobIndex, priority: i32, node: usize) -> Vec<PreemptionUnit> {
        let gang_of = |job: JobIndex| self.jobs[job as usize].gang;
        let own_gang = gang_of(job);
        let mut units: BTreeMap<(Option<usize>, Option<JobIndex>), PreemptionUnit> =
            BTreeMap::new();
        for other in self.nodes.get(node).active_jobs() {
            let gang = gang_of(other);
            let Some(at) = self.preemptible_at(other).filter(|at| *at < priority) else { continue };
            // A member of its own gang is never its victim.
            if gang.is_some() && gang == own_gang {
                continue;
            }
            // A job that starts in this round has the latest start.
            let started = self.jobs[other as usize].run.map_or(i64::MAX, |run| run.started);
            let importance = (at, Reverse(started), Reverse(other));
            let request = &self.shape(other).request;
            let key = (gang, gang.is_none().then_some(other));
            let unit = units.entry(key).or_insert_with(|| PreemptionUnit {
                importance,
                request: self.settings.resources.zero(),
                job: other,
            });
            unit.importance = unit.importance.max(importance);
            unit.request.add(request);
        }
        units.into_values().collect()
    }
}
