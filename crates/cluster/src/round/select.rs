//! The choice of a node for a job: the one that displaces the least.
//!
//! Source: Armada, `SelectNodeForJobWithTxn` in `internal/scheduler/nodedb/nodedb.go`.

use super::attempt::{Attempt, Choice, Uniform};
use super::fit_cache::Fit;
use super::outcome::{Method, Placement};
use super::running::Round;
use crate::job::JobIndex;
use crate::nodes::{EVICTED, Level};
use crate::requirements::Toleration;
use std::collections::HashMap;

impl Round<'_> {
    /// Chooses a node. Jobs that are displaced by fair share are removed.
    pub(super) fn select(
        &mut self,
        job: JobIndex,
        uniform: Option<Uniform<'_>>,
        attempt: &mut Attempt,
    ) -> Option<Choice> {
        let class = &self.settings.classes[self.shape(job).class];
        let priority = self.last_priority(job).unwrap_or(class.priority);
        // An evicted job returns to its own node only.
        if let Some(node) = self.evicted_from.get(&job).copied() {
            let level = self.nodes.level(priority);
            let has_room = self.shape(job).request.fits(self.nodes.get(node).free(level));
            let placement = Placement { node, priority, method: Method::Rescheduled };
            return has_room.then_some(Choice { placement, displaces: priority });
        }
        let own = self.guest_tolerations.get(&job).cloned().unwrap_or_default();
        // Its own priority first: away nodes are for jobs that have no other place.
        if let Some(choice) = self.select_at(job, priority, &own, uniform, attempt) {
            return Some(choice);
        }
        for away in &class.away {
            let request = self.shape(job).request.clone();
            let units = |position| self.settings.resources.base_units(&request, position);
            let mut tolerations = away.tolerations(units);
            if tolerations.is_empty() {
                continue;
            }
            tolerations.splice(0..0, own.iter().cloned());
            let choice = self.select_at(job, away.priority, &tolerations, uniform, attempt);
            if let Some(choice) = choice {
                self.guest_tolerations.insert(job, tolerations);
                let placement = Placement { method: Method::Away, ..choice.placement };
                return Some(Choice { placement, ..choice });
            }
        }
        None
    }

    /// Chooses a node for a job at a priority.
    fn select_at(
        &mut self,
        job: JobIndex,
        priority: i32,
        tolerations: &[Toleration],
        uniform: Option<Uniform<'_>>,
        attempt: &mut Attempt,
    ) -> Option<Choice> {
        let fit = self.fit(job, tolerations);
        let choice = |node, method, displaces| {
            Some(Choice { placement: Placement { node, priority, method }, displaces })
        };
        if let Some(node) = self.best_fit(job, &fit, EVICTED, uniform) {
            return choice(node, Method::NoPreemption, self.nodes.priority(EVICTED));
        }
        let own = self.nodes.level(priority);
        // If the job does not fit at its own priority, displacing evicted jobs cannot help.
        self.best_fit(job, &fit, own, uniform)?;
        if let Some((node, displaces)) =
            self.displace_by_share(job, priority, &fit, uniform, attempt)
        {
            return choice(node, Method::FairShare, displaces);
        }
        (EVICTED + 1..=own).find_map(|level| {
            let node = self.best_fit(job, &fit, level, uniform)?;
            choice(node, Method::Urgency, self.nodes.priority(level))
        })
    }

    fn best_fit(
        &self,
        job: JobIndex,
        fit: &Fit,
        level: Level,
        uniform: Option<Uniform<'_>>,
    ) -> Option<usize> {
        let request = &self.shape(job).request;
        let is_allowed = |node: usize| {
            fit.is_allowed(node) && !self.avoids(job, node) && self.is_uniform(node, uniform)
        };
        self.nodes.best_fit(level, &fit.node_types, request, is_allowed)
    }

    /// Returns whether a job may not start on a node, although jobs of its shape may.
    fn avoids(&self, job: JobIndex, node: usize) -> bool {
        self.avoided.get(&job).is_some_and(|nodes| nodes.contains(&node))
    }

    pub(super) fn is_uniform(&self, node: usize, uniform: Option<Uniform<'_>>) -> bool {
        let label = |key| self.nodes.get(node).spec.label(key);
        uniform.is_none_or(|uniform| label(uniform.label) == Some(uniform.value))
    }

    /// Frees resources by displacing the evicted jobs that would return last; returns the node, and the
    /// highest priority of the displaced jobs.
    fn displace_by_share(
        &mut self,
        job: JobIndex,
        priority: i32,
        fit: &Fit,
        uniform: Option<Uniform<'_>>,
        attempt: &mut Attempt,
    ) -> Option<(usize, i32)> {
        let request = &self.shape(job).request;
        let mut considered: HashMap<usize, (_, Vec<JobIndex>)> = HashMap::new();
        let mut found = None;
        for evicted in self.evicted.last_first() {
            let its_priority = self.last_priority(evicted).unwrap_or(i32::MAX);
            let Some(node) = self.evicted_from.get(&evicted).copied() else { continue };
            if its_priority > priority
                || !fit.is_allowed(node)
                || self.avoids(job, node)
                || !self.is_uniform(node, uniform)
            {
                continue;
            }
            let free = || (self.nodes.get(node).free(EVICTED).clone(), Vec::new());
            let (available, displaced) = considered.entry(node).or_insert_with(free);
            available.add(&self.shape(evicted).request);
            displaced.push(evicted);
            if request.fits(available) {
                found = Some((node, std::mem::take(displaced)));
                break;
            }
        }
        let (node, displaced) = found?;
        let priorities = displaced.iter().filter_map(|one| self.last_priority(*one));
        let highest = priorities.max().unwrap_or(self.nodes.priority(EVICTED));
        for one in displaced {
            self.displace(node, one, job, attempt);
        }
        Some((node, highest))
    }
}
