//! The jobs that a round refused, with the reasons.

use super::refusal::Refusal;
use crate::job::JobIndex;
use document::steps;
use std::collections::VecDeque;

/// The reasons by job. A round may refuse all queued jobs, for example 100,000: writing a number for each
/// takes a few nanoseconds, while a map took a tenth of a microsecond.
#[derive(Debug, Clone, Default)]
pub struct Refusals {
    /// The distinct reasons.
    reasons: Vec<Refusal>,
    /// The first job of `by_job`: those that a round considers may be far behind others that have ended.
    first: JobIndex,
    /// One more than the position of each job's reason, from `first` on; 0 without a reason.
    by_job: VecDeque<u32>,
}

impl Refusals {
    /// Sets the reason of a job.
    pub(super) fn insert(&mut self, job: JobIndex, refusal: &Refusal) {
        // There are few different reasons, so that a list is searched.
        let known = self.reasons.iter().position(|reason| reason == refusal);
        let position = known.unwrap_or_else(|| {
            self.reasons.push(refusal.clone());
            self.reasons.len() - 1
        });
        if self.by_job.is_empty() {
            self.first = job;
        }
        // The jobs of a round have neighbouring numbers, so that a list is smaller than a map.
        while job < self.first {
            self.by_job.push_front(0);
            self.first -= 1;
        }
        let at = (job - self.first) as usize;
        if at >= self.by_job.len() {
            self.by_job.resize(at + 1, 0);
        }
        // There are at most as many reasons as jobs, which are fewer than 2^32.
        self.by_job[at] = u32::try_from(position + 1).unwrap_or(u32::MAX);
    }

    fn position(&self, job: JobIndex) -> Option<usize> {
        Some(job.checked_sub(self.first)? as usize)
    }

    pub(super) fn remove(&mut self, job: JobIndex) {
        let number = self.position(job).and_then(|at| self.by_job.get_mut(at));
        if let Some(number) = number {
            *number = 0;
        }
    }

    /// Returns the reason for which a job was refused.
    pub fn get(&self, job: JobIndex) -> Option<&Refusal> {
        let number = *self.by_job.get(self.position(job)?)?;
        self.reasons.get((number as usize).checked_sub(1)?)
    }

    /// Returns the refused jobs in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (JobIndex, &Refusal)> {
        let reason = |number: u32| self.reasons.get((number as usize).checked_sub(1)?);
        let by_job = self.by_job.iter().inspect(|_| steps::count(1));
        (self.first..).zip(by_job).filter_map(move |(job, number)| Some((job, reason(*number)?)))
    }

    /// Returns the reasons of all refused jobs.
    pub fn reasons(&self) -> impl Iterator<Item = &Refusal> {
        self.iter().map(|(_, refusal)| refusal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_has_the_reason_that_was_set_last() {
        let mut refusals = Refusals::default();
        refusals.insert(7, &Refusal::NoNode);
        refusals.insert(2, &Refusal::Rate);
        refusals.insert(7, &Refusal::Cordoned);
        refusals.insert(4, &Refusal::Rate);
        refusals.remove(4);
        refusals.remove(400);
        let all: Vec<_> = refusals.iter().collect();
        assert_eq!(all, [(2, &Refusal::Rate), (7, &Refusal::Cordoned)]);
        assert_eq!(refusals.get(3), None);
        assert_eq!(refusals.get(8), None);
    }
}
