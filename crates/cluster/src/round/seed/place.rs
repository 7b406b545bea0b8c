//! Placement of a gang: all of its members or none, on nodes of one cluster.

use super::super::limits::check_floating;
use super::super::{Preemption, PreemptionKind, Refusal};
use super::choose::Choice;
use super::queue_heads::NextGang;
use super::running::Round;
use crate::job::JobIndex;
use std::collections::BTreeSet;

/// The changes of an attempt to place a gang.
#[derive(Debug, Default)]
struct Attempt {
    placed: Vec<(JobIndex, Choice)>,
    nodes: BTreeSet<usize>,
}

impl Round<'_> {
    /// Places a gang of a queue, or returns the refusal. An evicted gang that does not return is preempted.
    pub(super) fn place(&mut self, queue: usize, gang: &NextGang) -> Result<(), Refusal> {
        // Evicted jobs ran before, so that no limit applies to them.
        if gang.is_evicted {
            self.return_evicted(gang);
            return Ok(());
        }
        if self.limits.is_over_round_limit() {
            return Err(Refusal::RoundLimit);
        }
        self.add_allocation(&gang.members);
        let class = gang.members.first().map_or(0, |job| self.shape(*job).class);
        let allocated = &self.queues[queue].allocated_by_class[class];
        let limits = self.limits.check(gang.members.len(), queue, class, allocated);
        let requests = gang.members.iter().map(|job| &self.shape(*job).request);
        let queues = self.queues.iter().map(|queue| &queue.allocated);
        let limits = limits.and_then(|()| check_floating(self.settings, requests, queues));
        let placed = limits.and_then(|()| self.place_new(&gang.members));
        match &placed {
            Ok(()) => {
                // Taken when the gang is placed: a refusal costs no token.
                self.limits.take_tokens(gang.members.len(), queue);
                for job in &gang.members {
                    self.limits.add(&self.shape(*job).request);
                }
            }
            Err(refusal) => self.refuse(&gang.members, refusal),
        }
        placed
    }

    fn refuse(&mut self, members: &[JobIndex], refusal: &Refusal) {
        for job in members {
            self.subtract_allocation(*job);
            self.refused.insert(*job, refusal);
        }
        if let ([job], true) = (members, refusal.is_of_shape())
            && !self.avoided.contains_key(job)
        {
            self.refused_shapes[self.jobs[*job as usize].shape] = Some(refusal.clone());
        }
    }

    /// Places new jobs: a single job anywhere, a gang on the first cluster that takes it.
    fn place_new(&mut self, members: &[JobIndex]) -> Result<(), Refusal> {
        let gang = members.first().and_then(|job| self.jobs[*job as usize].gang);
        let Some(gang) = gang else {
            return self.attempt(members, None).map_err(|_| Refusal::NoNode);
        };
        let clusters = self.clusters.iter().max().map_or(0, |last| last + 1);
        // All members are in one cluster, the first with room.
        for cluster in 0..clusters {
            if self.attempt(members, Some(cluster)).is_ok() {
                self.rank_gang(gang);
                return Ok(());
            }
        }
        Err(Refusal::GangWithoutNode)
    }

    /// Returns evicted jobs to their nodes, or preempts them.
    fn return_evicted(&mut self, gang: &NextGang) {
        let Err(blocked) = self.attempt(&gang.members, None) else {
            self.add_allocation(&gang.members);
            return;
        };
        let by = self.evicted.get(&blocked).and_then(|node| self.last_placed.get(node)).copied();
        for job in &gang.members {
            let Some(node) = self.evicted.get(job).copied() else { continue };
            self.nodes.remove(node, *job, &self.shape(*job).request);
            self.refresh(node);
            let kind = match by {
                Some(_) => PreemptionKind::FairShare,
                None if gang.members.len() > 1 => PreemptionKind::UnknownGang,
                None => PreemptionKind::Unknown,
            };
            self.preempted.insert(*job, Preemption { node, kind, by });
        }
    }

    /// Places all members and preempts their victims; if a member has no node, changes nothing and returns
    /// that member.
    fn attempt(&mut self, members: &[JobIndex], cluster: Option<usize>) -> Result<(), JobIndex> {
        self.nodes.begin();
        let mut attempt = Attempt::default();
        for job in members {
            let Some(choice) = self.choose(*job, cluster) else {
                self.undo(&attempt);
                return Err(*job);
            };
            self.bind(*job, choice, &mut attempt);
        }
        self.nodes.commit();
        self.keep(attempt);
        Ok(())
    }

    fn bind(&mut self, job: JobIndex, choice: Choice, attempt: &mut Attempt) {
        let mut changed = BTreeSet::from([choice.placement.node]);
        for victim in &choice.victims {
            if let Some(node) = self.node_of(*victim) {
                self.nodes.remove(node, *victim, &self.shape(*victim).request);
                changed.insert(node);
            }
        }
        let (shape, placement) = (self.shape(job), choice.placement);
        let cutoff = self.nodes.cutoff(self.settings, shape.class, placement.priority);
        self.nodes.bind(placement.node, job, &shape.request, cutoff);
        for node in &changed {
            self.refresh(*node);
        }
        attempt.nodes.extend(changed);
        attempt.placed.push((job, choice));
    }

    fn undo(&mut self, attempt: &Attempt) {
        let (jobs, shapes) = (self.jobs, self.shapes);
        self.nodes.roll_back(|job| &shapes[jobs[job as usize].shape].request);
        for node in &attempt.nodes {
            self.refresh(*node);
        }
    }

    fn keep(&mut self, attempt: Attempt) {
        for (job, choice) in attempt.placed {
            for victim in choice.victims {
                self.preempt_by_urgency(victim);
            }
            self.last_placed.insert(choice.placement.node, job);
            if !self.evicted.contains_key(&job) {
                self.placements.insert(job, choice.placement);
            }
        }
    }

    /// Counts a victim as preempted, or as queued if it would have started.
    fn preempt_by_urgency(&mut self, job: JobIndex) {
        let Some(node) = self.node_of(job) else { return };
        if self.placements.remove(&job).is_some() {
            let is_single = self.jobs[job as usize].gang.is_none();
            let refusal = if is_single { Refusal::NoNode } else { Refusal::GangWithoutNode };
            self.refused.insert(job, &refusal);
            self.limits.subtract(&self.shape(job).request);
        } else {
            let kind = PreemptionKind::Urgency;
            self.preempted.insert(job, Preemption { node, kind, by: None });
        }
        self.subtract_allocation(job);
        // Victims may free more resources than their preemptor takes.
        self.refused_shapes.fill(None);
    }

    /// Counts jobs as allocated to their queues.
    fn add_allocation(&mut self, jobs: &[JobIndex]) {
        for job in jobs {
            let shape = self.shape(*job);
            if let Some(queue) = self.jobs[*job as usize].queue {
                self.queues[queue].add(shape.class, &shape.request);
            }
        }
    }

    fn subtract_allocation(&mut self, job: JobIndex) {
        let shape = self.shape(job);
        if let Some(queue) = self.jobs[job as usize].queue {
            self.queues[queue].subtract(shape.class, &shape.request);
        }
    }
}
