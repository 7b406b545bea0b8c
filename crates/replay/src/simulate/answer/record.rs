//! Counts of the record: what happened, whatever the policies (docs/answer.md, The record).

use super::groups::RecordGroups;
use super::run::LastRun;
use crate::simulate::numbering::{NumberError, Numbers};
use crate::simulate::outcome::Outcome;
use crate::simulate::summary::{Hours, Minute, RetryHours, RunFacts, Storm, add_each, at};
use borsh::{BorshDeserialize, BorshSerialize};
use document::units::Time;
use std::collections::BTreeMap;

/// Counts of recorded runs and jobs. Merging is associative and commutative, and empty counts change nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct RecordCounts {
    /// Jobs by outcome.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Jobs that succeeded in a run after their first.
    pub recovered: u64,
    /// All runs.
    pub runs: Hours,
    /// Retries that wait or run at the same time: from the end of the run before to the own end.
    pub storm: Storm,
    /// Retries of jobs that request no GPU.
    pub without_gpu: Hours,
    /// Retries of jobs that request no cores.
    pub without_cpu: Hours,
    /// Runs after a first one, by the number of the kind of failure before them.
    pub kinds: Vec<RetryHours>,
    /// The first and the last time of all runs.
    pub period: Option<(Time, Time)>,
    /// Retries by where and when they ran, if they are counted. Boxed, since replays of policies have none.
    pub groups: Option<Box<RecordGroups>>,
}

impl RecordCounts {
    /// Runs after a first one.
    pub fn retries(&self) -> RetryHours {
        let mut all = RetryHours::default();
        self.kinds.iter().for_each(|kind| all.merge(*kind));
        all
    }

    /// Counts a run of a member after its `last` one, which had the time `before`.
    pub(crate) fn add(&mut self, last: LastRun, before: Option<Time>, run: &RunFacts) {
        self.runs.merge(run.hours);
        if let Some(time) = run.time {
            let (first, latest) = self.period.unwrap_or((time, time));
            self.period = Some((first.min(time), latest.max(time)));
        }
        if !last.is_none() {
            self.add_retry(last, before, run);
        }
    }

    fn add_retry(&mut self, last: LastRun, before: Option<Time>, run: &RunFacts) {
        at(&mut self.kinds, last.kind()).add(run.end.ending, &run.hours);
        // Runs without a request have no hours of that unit, so that they are shown apart.
        for (has_requested, hours) in
            [(run.has_gpu, &mut self.without_gpu), (run.has_cpu, &mut self.without_cpu)]
        {
            if !has_requested {
                hours.merge(run.hours);
            }
        }
        if let Some((before, time)) = before.filter(|_| last.is_timed()).zip(run.time) {
            self.storm.add(Minute::of(before), Minute::of(time));
        }
    }

    /// Counts a job with its outcome.
    pub(crate) fn add_job(&mut self, outcome: Outcome, has_retries: bool) {
        *self.outcomes.entry(outcome).or_default() += 1;
        self.recovered += u64::from(outcome == Outcome::Succeeded && has_retries);
    }

    /// The counts by other numbers of names.
    pub(in crate::simulate) fn renumber(self, numbers: &Numbers) -> Result<Self, NumberError> {
        let groups = self.groups.map(|groups| groups.renumber(numbers)).transpose()?;
        let kinds = numbers.kinds.list(self.kinds, RetryHours::merge)?;
        Ok(Self { kinds, groups: groups.map(Box::new), ..self })
    }

    /// Adds other counts of the same names.
    pub fn merge(&mut self, other: Self) {
        for (outcome, jobs) in other.outcomes {
            *self.outcomes.entry(outcome).or_default() += jobs;
        }
        self.recovered += other.recovered;
        self.runs.merge(other.runs);
        self.without_gpu.merge(other.without_gpu);
        self.without_cpu.merge(other.without_cpu);
        self.storm.merge(other.storm);
        add_each(&mut self.kinds, other.kinds, RetryHours::merge);
        if let Some(groups) = other.groups {
            self.groups.get_or_insert_default().merge(*groups);
        }
        self.period = match (self.period, other.period) {
            (Some((first, last)), Some((other_first, other_last))) => {
                Some((first.min(other_first), last.max(other_last)))
            }
            (own, other) => own.or(other),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::groups::RetryPlace;
    use super::*;
    use crate::simulate::figures::Ending;
    use crate::simulate::summary::{Demand, EndFacts};
    use document::units::{GoDuration, Quantity};
    use proptest::prelude::*;
    use std::cell::Cell;

    /// The runs of a member: how each ended, when and how long it ran, if that is recorded.
    type Runs = Vec<(usize, Option<(i64, i64)>)>;

    const ENDINGS: [Ending; 5] =
        [Ending::Succeeded, Ending::Failed, Ending::Interrupted, Ending::Cancelled, Ending::Open];

    fn count(members: &[Runs]) -> RecordCounts {
        let mut counts = RecordCounts { groups: Some(Box::default()), ..RecordCounts::default() };
        for runs in members {
            // Of the member alone, so that it is the same in each part.
            let number = u32::try_from(runs.len()).expect("few");
            let (mut last, mut before) = (LastRun::default(), None);
            for (position, (ending, times)) in (0u32..).zip(runs) {
                let gpu = (number % 2 == 0).then(|| Quantity::parse("2").expect("a quantity"));
                let length = times.map(|(_, minutes)| GoDuration::from_secs(minutes * 60));
                let run = RunFacts {
                    queue: 0,
                    end: EndFacts {
                        ending: ENDINGS[*ending],
                        kind: position % 3,
                        category: 0,
                        group: None,
                        disruption: None,
                        survived_memory: false,
                    },
                    group: Cell::default(),
                    hours: Hours::new(length, Demand { cpu: None, gpu }),
                    has_cpu: false,
                    has_gpu: gpu.is_some(),
                    time: times.map(|(at, _)| Time::from_epoch_seconds(at * 600)),
                };
                counts.add(last, before, &run);
                if let Some(groups) = counts.groups.as_mut().filter(|_| !last.is_none()) {
                    let node = (number > 2).then_some(number);
                    let after = before.filter(|_| last.is_timed());
                    groups.add(RetryPlace { queue: number, node, number: position, after }, &run);
                }
                (last, before) = (last.after(&run), run.time);
            }
            if let Some(outcome) = last.outcome() {
                counts.add_job(outcome, last.is_retry());
            }
        }
        counts
    }

    proptest! {
        /// The counts of some members, merged with those of the others, are the counts of all; a job is in one outcome,
        /// and every run after a member's first is a retry after one kind of failure.
        #[test]
        fn parts_of_a_record_merge(
            members in prop::collection::vec(
                prop::collection::vec((0_usize..5, prop::option::of((0_i64..500, 0_i64..90))), 1..6),
                0..8,
            ),
            cut in 0_usize..8,
        ) {
            let (one, other) = members.split_at(cut.min(members.len()));
            let (mut ahead, mut behind) = (count(one), count(other));
            ahead.merge(count(other));
            behind.merge(count(one));
            let whole = count(&members);
            prop_assert_eq!(&ahead, &whole);
            prop_assert_eq!(&behind, &whole);
            prop_assert_eq!(whole.outcomes.values().sum::<u64>(), members.len() as u64);
            let runs: usize = members.iter().map(Vec::len).sum();
            let retries = (runs - members.len()) as u64;
            prop_assert_eq!(whole.retries().runs(), retries);
        }
    }
}
