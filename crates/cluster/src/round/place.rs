//! Placement of a gang: all of its members or none, on nodes with one value of its label if it has one.
//!
//! Source: Armada, `internal/scheduler/scheduling/gang_scheduler.go` and `ScheduleManyWithTxn` in
//! `internal/scheduler/nodedb/nodedb.go`.

use super::attempt::{Attempt, Uniform};
use super::candidates::Candidate;
use super::limits::check_floating;
use super::outcome::Placement;
use super::refusal::Refusal;
use super::running::Round;
use crate::job::JobIndex;

impl Round<'_> {
    /// Places a gang, or returns the refusal.
    pub(super) fn place_gang(&mut self, gang: &Candidate) -> Result<(), Refusal> {
        if !gang.is_evicted && self.limits.is_over_round_limit() {
            return Err(Refusal::RoundLimit);
        }
        // Counted before the limits are checked, which include the gang.
        for job in &gang.members {
            self.add(*job);
        }
        // Evicted gangs ran before, so that rates and limits have counted them already.
        let limits = if gang.is_evicted { Ok(()) } else { self.check_limits(gang) };
        let limits = limits.and_then(|()| self.check_floating(gang));
        let placed = limits.and_then(|()| self.place_members(&gang.members));
        match &placed {
            Ok(()) if !gang.is_evicted => {
                // Taken when the gang is placed, not when it is tried: a refusal costs no token.
                self.limits.take_tokens(gang.members.len(), gang.queue);
            }
            Ok(()) => {}
            Err(refusal) => self.refuse(gang, refusal),
        }
        placed
    }

    /// Returns whether limits allow a new gang, which is counted already.
    fn check_limits(&self, gang: &Candidate) -> Result<(), Refusal> {
        let class = gang.members.first().map_or(0, |job| self.shape(*job).class);
        let allocated = &self.queues[gang.queue].allocated_by_class[class];
        self.limits.check(gang.members.len(), gang.queue, class, allocated)
    }

    /// Returns whether the pool has enough floating resources for a gang, which is counted already. Evicted gangs need
    /// them too.
    fn check_floating(&self, gang: &Candidate) -> Result<(), Refusal> {
        let requests = gang.members.iter().map(|job| &self.shape(*job).request);
        let allocated = self.queues.iter().map(|queue| &queue.allocated);
        check_floating(self.settings, requests, allocated)
    }

    fn refuse(&mut self, gang: &Candidate, refusal: &Refusal) {
        for job in &gang.members {
            self.withdraw(*job);
            self.refused.insert(*job, refusal);
        }
        // The refusal of a gang depends on all of its members, not on one shape.
        if let ([job], true) = (gang.members.as_slice(), refusal.is_of_shape())
            && !self.is_evicted(*job)
            && !self.avoided.contains_key(job)
        {
            let shape = self.jobs[*job as usize].shape;
            self.refused_shapes[shape].get_or_insert_with(|| refusal.clone());
            self.record_refused_shape(shape, *job);
        }
    }

    fn place_members(&mut self, members: &[JobIndex]) -> Result<(), Refusal> {
        let gangs = self.gangs;
        let gang = members.first().and_then(|job| self.jobs[*job as usize].gang);
        match gang.and_then(|gang| gangs[gang].uniformity_label.as_deref()) {
            Some(label) => self.place_uniform(members, label),
            None => self.place_anywhere(members, None),
        }
    }

    fn place_anywhere(
        &mut self,
        members: &[JobIndex],
        uniform: Option<Uniform<'_>>,
    ) -> Result<(), Refusal> {
        match self.attempt(members, uniform) {
            Some(attempt) => {
                self.keep(attempt);
                Ok(())
            }
            None if members.len() > 1 => Err(Refusal::GangWithoutNode),
            None => Err(Refusal::NoNode),
        }
    }

    /// Places a gang on nodes with one value of a label: the first value that needs no preemption, else the
    /// value that displaces the least urgent jobs.
    fn place_uniform(&mut self, members: &[JobIndex], label: &str) -> Result<(), Refusal> {
        let values = self.nodes.label_values(label).map(<[String]>::to_vec);
        let values = values.ok_or_else(|| Refusal::LabelNotIndexed(label.to_owned()))?;
        if values.is_empty() {
            return Err(Refusal::LabelWithoutValues(label.to_owned()));
        }
        let mut best: Option<(f64, &str)> = None;
        for (tried, value) in values.iter().enumerate().filter(|(_, value)| !value.is_empty()) {
            let uniform = Uniform { label, value };
            let Some(attempt) = self.attempt(members, Some(uniform)) else { continue };
            let displaces = attempt.displaces();
            let is_free = displaces <= f64::from(self.nodes.priority(crate::nodes::EVICTED));
            let is_best = best.is_none_or(|(least, _)| displaces < least);
            // As in Armada, the last value is not tried again if it is the best: a second attempt starts from the
            // priorities and tolerations that the first one left, so that it does not count as one on away nodes.
            if is_free || is_best && tried + 1 == values.len() {
                self.keep(attempt);
                return Ok(());
            }
            if is_best {
                best = Some((displaces, value));
            }
            self.undo(attempt);
        }
        let (_, value) = best.ok_or(Refusal::UniformGangWithoutNode)?;
        self.place_anywhere(members, Some(Uniform { label, value }))
    }

    /// Tries to place all members. If one fails, all changes are undone; otherwise the caller keeps or undoes
    /// them.
    fn attempt(&mut self, members: &[JobIndex], uniform: Option<Uniform<'_>>) -> Option<Attempt> {
        self.nodes.begin();
        let mut attempt = Attempt::default();
        for job in members {
            // Siblings are displaced for the jobs that this member displaced, not for those of earlier members.
            let before = attempt.displaced.len();
            let Some(choice) = self.select(*job, uniform, &mut attempt) else {
                self.record_unplaced(members, attempt.placed.len(), uniform);
                self.undo(attempt);
                return None;
            };
            self.bind(*job, choice.placement);
            self.remove_evicted(*job, &mut attempt);
            self.displace_siblings(before, &mut attempt);
            attempt.placed.push((*job, choice));
        }
        Some(attempt)
    }

    fn bind(&mut self, job: JobIndex, placement: Placement) {
        let shape = self.shape(job);
        let cutoff = self.nodes.cutoff(self.settings, shape.class, placement.priority);
        self.nodes.bind(placement.node, job, &shape.request, cutoff);
        self.priorities.insert(job, placement.priority);
    }

    /// Removes an evicted job from its node in favour of another.
    pub(super) fn displace(
        &mut self,
        node: usize,
        job: JobIndex,
        by: JobIndex,
        attempt: &mut Attempt,
    ) {
        let request = &self.shape(job).request;
        self.nodes.remove(node, job, request);
        self.remove_evicted(job, attempt);
        attempt.displaced.push((job, by));
    }

    /// Displaces the other members of the gangs of displaced jobs.
    fn displace_siblings(&mut self, from: usize, attempt: &mut Attempt) {
        let gangs = self.gangs;
        let displaced: Vec<_> = attempt.displaced.iter().skip(from).copied().collect();
        for (job, by) in displaced {
            let Some(gang) = self.jobs[job as usize].gang else { continue };
            for sibling in &gangs[gang].members {
                let node = self.evicted_from.get(sibling).copied();
                if let (true, Some(node)) = (self.evicted.contains(*sibling), node) {
                    self.displace(node, *sibling, by, attempt);
                }
            }
        }
    }

    fn remove_evicted(&mut self, job: JobIndex, attempt: &mut Attempt) {
        if let Some(position) = self.evicted.remove(job) {
            attempt.taken_out.push((job, position));
        }
    }

    fn keep(&mut self, attempt: Attempt) {
        self.nodes.commit();
        self.record_placed(&attempt);
        self.displaced.extend(attempt.displaced);
        let placed = attempt.placed.into_iter();
        self.placements.extend(placed.map(|(job, choice)| (job, choice.placement)));
    }

    fn undo(&mut self, attempt: Attempt) {
        let (jobs, shapes) = (self.jobs, self.shapes);
        // The journal has no amounts: all requests of a job are those of its shape.
        self.nodes.roll_back(|job| &shapes[jobs[job as usize].shape].request);
        for (job, position) in attempt.taken_out {
            self.evicted.restore(job, position);
        }
    }
}
