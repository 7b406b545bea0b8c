//! How the time of runs was spent: useful, lost, or overhead.

use super::jobs::Ended;
use super::simulation::Simulation;
use super::{JobOutcome, Observer, SettledRun, Spent};
use crate::failure::{Checkpoint, Progress};

impl Simulation<'_> {
    /// Counts the time of a run that has ended, for a job with this outcome; `None` if another run follows.
    pub(super) fn settle(
        &mut self,
        ended: &Ended,
        outcome: Option<JobOutcome>,
        observer: &mut impl Observer,
    ) -> Spent {
        let spent = self.spent(ended, outcome);
        let kept = self.progress(ended).kept;
        let keeps_work = self.retries.is_some();
        let origin = self.jobs.origin_mut(ended.job);
        origin.unsettled = 0;
        if outcome.is_none() && keeps_work {
            origin.saved += kept;
            origin.overhead += spent.overhead;
        }
        observer.settled(&SettledRun { event: ended.event, spent, outcome });
        spent
    }

    fn spent(&self, ended: &Ended, outcome: Option<JobOutcome>) -> Spent {
        let origin = self.jobs.origin(ended.job);
        let allocated = ended.event.allocated();
        let none = Spent::default();
        match outcome {
            Some(JobOutcome::Succeeded) => {
                let overhead = allocated - origin.work;
                Spent { useful: origin.work + origin.saved, overhead, ..none }
            }
            // What earlier runs had as overhead is lost with the job.
            Some(JobOutcome::Failed) => {
                let earlier = origin.overhead;
                Spent { lost: allocated + origin.saved + earlier, overhead: -earlier, ..none }
            }
            None => {
                let progress = self.progress(ended);
                let running = progress.kept + progress.overhead + progress.lost;
                // The time before the start and after a preemption.
                let overhead = allocated - running + progress.overhead;
                // Without retries, the job that replaces this one begins anew.
                let kept = if self.retries.is_some() { 0 } else { progress.kept };
                Spent { lost: progress.lost + kept, overhead, ..none }
            }
        }
    }

    /// Returns the parts of the running time of a run that has ended and is followed by another. So may be a run that
    /// succeeded: that of a member of a gang.
    fn progress(&self, ended: &Ended) -> Progress {
        let origin = self.jobs.origin(ended.job);
        let leased = ended.event.leased.unwrap_or(ended.event.time);
        let running = (ended.event.time - leased - origin.pending).max(0);
        let checkpoint = self.template(origin.template).failures.checkpoint;
        Checkpoint::progress(checkpoint, origin.work, origin.saved > 0, running)
    }
}
