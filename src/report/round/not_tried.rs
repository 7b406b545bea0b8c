//! The reason that a queued job was not tried.

use super::index::RoundIndex;
use super::reasons::end;
use cluster::job::JobIndex;
use cluster::round::{RoundEnd, TrialResult};

/// A reason as a short text, and as a sentence.
type Texts = (String, String);

fn same(text: String) -> Texts {
    (text.clone(), text)
}

impl RoundIndex<'_> {
    /// The reason that a queued job was not tried.
    pub(super) fn not_tried(&self, job: JobIndex) -> Texts {
        let job_record = self.job_of(job);
        let Some(queue) = job_record.queue else {
            return same(format!("queue {} is not listed", self.state.queue_name(job)));
        };
        let Some(gang) = job_record.gang else { return self.unreached(job, queue) };
        let last = match self.last_of_gang(job, gang) {
            Ok(last) => last,
            Err(texts) => return texts,
        };
        let (brief, reason) = self.unreached(last, queue);
        if last == job {
            return (brief, reason);
        }
        // A gang is tried when the scheduler reaches the last of its members.
        (
            format!("its gang waits for a later member: {brief}"),
            format!("its gang waits for member {}: {reason}", self.id(last)),
        )
    }

    /// The member that completes the gang of a job, or the reason that no member does.
    fn last_of_gang(&self, job: JobIndex, gang: usize) -> Result<JobIndex, Texts> {
        let (gang, id) = (&self.state.gangs[gang], &self.state.gang_ids[gang]);
        let is_queued = |job: &JobIndex| self.job_of(*job).run.is_none();
        let mut queued: Vec<JobIndex> = gang.members.iter().copied().filter(is_queued).collect();
        let (count, all) = (queued.len(), gang.cardinality.max(1));
        if count < all {
            return Err(same(format!("gang {id} is not complete: {count} of {all} are queued")));
        }
        if let Some(member) = queued.iter().find(|member| self.skipped.contains_key(member)) {
            return Err((
                format!("a member of gang {id} was skipped for its shape"),
                format!("job {} of gang {id} was skipped for its shape", self.id(*member)),
            ));
        }
        let position = |job: &JobIndex| self.positions.get(job).copied();
        let before = queued.iter().filter(|member| position(member) < position(&job)).count();
        // The scheduler tries as many members together as the cardinality.
        let last = before / all * all + all - 1;
        if last >= count {
            return Err(same(format!(
                "gang {id} has {count} queued members, and {all} are tried together: this one is left over"
            )));
        }
        Ok(*queued.select_nth_unstable_by_key(last, position).1)
    }

    /// The reason that the round did not reach a job of a queue.
    fn unreached(&self, job: JobIndex, queue: usize) -> Texts {
        if let Some(step) = self.ends.get(&queue) {
            let trial = &self.trace.trials[*step];
            if let TrialResult::Refused(refusal, _) = &trial.result {
                return (
                    format!("behind a job of its queue: {}", end(refusal)),
                    format!("behind job {}: {}", self.first_id(trial), end(refusal)),
                );
            }
        }
        let most = self.state.settings.queue_lookback;
        let is_beyond = self.positions.get(&job).is_some_and(|position| *position >= most);
        if is_beyond && self.trace.lookbacks_reached.get(queue) == Some(&true) {
            return same(format!("beyond maxQueueLookback ({most})"));
        }
        match &self.outcome.end {
            RoundEnd::Limit(refusal) => same(format!("the round ended: {}", end(refusal))),
            RoundEnd::NoJobLeft => same("it was not reached".to_owned()),
        }
    }
}
