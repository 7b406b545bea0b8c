//! Counts of the record: what happened, whatever the policies (docs/answer.md, The record).

use super::run::{LastRun, RecordedRun};
use crate::simulate::outcome::Outcome;
use crate::simulate::summary::{Hours, Minute, RetryHours, Storm, add_each, at};
use crate::units::Time;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Counts of recorded runs and jobs. Merging is associative and commutative, and empty counts change nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordCounts {
    /// Jobs by outcome.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Jobs that succeeded in a run after their first.
    pub recovered: u64,
    /// All runs.
    pub runs: Hours,
    /// Runs after a first one.
    pub retries: RetryHours,
    /// Those that request no cores.
    pub retries_without_cores: Hours,
    /// Those that request no GPUs.
    pub retries_without_gpus: Hours,
    /// Runs that request no cores.
    pub runs_without_cores: u64,
    /// Runs that request no GPUs.
    pub runs_without_gpus: u64,
    /// Retries that wait or run at the same time: from the end of the run before to the own end.
    pub storm: Storm,
    /// Retries by the number of the kind of failure before them.
    pub kinds: Vec<RetryHours>,
    /// Retries by their number in their member, from 1.
    pub numbers: Vec<RetryHours>,
    /// Retries by the number of their queue.
    pub queues: Vec<RetryHours>,
    /// Retries by the number of their node.
    pub nodes: Vec<RetryHours>,
    /// Retries by the day of their time, counted from 1970.
    pub days: BTreeMap<i64, RetryHours>,
    /// The first and the last time of all runs.
    pub period: Option<(Time, Time)>,
}

/// Seconds of a day.
const DAY: i64 = 86_400;

/// The last number by which retries are counted alone; those of later numbers are counted together.
const NUMBERED_RETRIES: u32 = 20;

/// The place of a recorded run: where it ran, and at which position in its member.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunPlace {
    /// The number of its queue.
    pub(crate) queue: u32,
    /// The number of its node, if that is recorded. Needed for retries alone.
    pub(crate) node: Option<u32>,
    /// Its position in its member, from 0.
    pub(crate) position: u32,
}

impl RecordCounts {
    /// Counts a run of a member after its `last` one, which had the time `before`.
    pub(crate) fn add(
        &mut self,
        last: LastRun,
        before: Option<Time>,
        run: &RecordedRun,
        place: impl FnOnce() -> RunPlace,
    ) {
        self.runs.add(run.length, run.demand);
        self.runs_without_cores += u64::from(run.demand.cpu.is_none());
        self.runs_without_gpus += u64::from(run.demand.gpu.is_none());
        if let Some(time) = run.time {
            let (first, latest) = self.period.unwrap_or((time, time));
            self.period = Some((first.min(time), latest.max(time)));
        }
        if !last.is_none() {
            self.add_retry(last, before, run, place());
        }
    }

    fn add_retry(
        &mut self,
        last: LastRun,
        before: Option<Time>,
        run: &RecordedRun,
        place: RunPlace,
    ) {
        let number = place.position.min(NUMBERED_RETRIES + 1);
        let day = run.time.map(|time| self.days.entry(time.epoch_seconds().div_euclid(DAY)));
        let node = place.node.map(|node| at(&mut self.nodes, node));
        let all = [
            &mut self.retries,
            at(&mut self.kinds, last.kind()),
            at(&mut self.numbers, number),
            at(&mut self.queues, place.queue),
        ];
        for hours in all.into_iter().chain(day.map(Entry::or_default)).chain(node) {
            hours.add(run.ending, run.length, run.demand);
        }
        if run.demand.cpu.is_none() {
            self.retries_without_cores.add(run.length, run.demand);
        }
        if run.demand.gpu.is_none() {
            self.retries_without_gpus.add(run.length, run.demand);
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

    /// Adds other counts of the same names.
    pub fn merge(&mut self, other: Self) {
        for (outcome, jobs) in other.outcomes {
            *self.outcomes.entry(outcome).or_default() += jobs;
        }
        for (day, hours) in other.days {
            self.days.entry(day).or_default().merge(hours);
        }
        self.recovered += other.recovered;
        self.runs.merge(other.runs);
        self.retries.merge(other.retries);
        self.retries_without_cores.merge(other.retries_without_cores);
        self.retries_without_gpus.merge(other.retries_without_gpus);
        self.runs_without_cores += other.runs_without_cores;
        self.runs_without_gpus += other.runs_without_gpus;
        self.storm.merge(other.storm);
        add_each(&mut self.kinds, other.kinds, RetryHours::merge);
        add_each(&mut self.numbers, other.numbers, RetryHours::merge);
        add_each(&mut self.queues, other.queues, RetryHours::merge);
        add_each(&mut self.nodes, other.nodes, RetryHours::merge);
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
    use super::*;
    use crate::simulate::figures::Ending;
    use crate::simulate::summary::Demand;
    use crate::units::{GoDuration, Quantity};
    use proptest::prelude::*;

    /// The runs of a member: how each ended, when and how long it ran, if that is recorded.
    type Runs = Vec<(usize, Option<(i64, i64)>)>;

    const ENDINGS: [Ending; 5] =
        [Ending::Succeeded, Ending::Failed, Ending::Interrupted, Ending::Cancelled, Ending::Open];

    fn count(members: &[Runs]) -> RecordCounts {
        let mut counts = RecordCounts::default();
        for runs in members {
            // Of the member alone, so that it is the same in each part.
            let number = u32::try_from(runs.len()).expect("few");
            let (mut last, mut before) = (LastRun::default(), None);
            for (position, (ending, times)) in (0u32..).zip(runs) {
                let gpu = (number % 2 == 0).then(|| Quantity::parse("2").expect("a quantity"));
                let run = RecordedRun {
                    ending: ENDINGS[*ending],
                    length: times.map(|(_, minutes)| GoDuration::from_secs(minutes * 60)),
                    demand: Demand { cpu: None, gpu },
                    time: times.map(|(at, _)| Time::from_epoch_seconds(at * 600)),
                    kind: position % 3,
                };
                let place = || RunPlace { queue: number % 2, node: Some(position), position };
                counts.add(last, before, &run, place);
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
        /// and every run after a member's first is a retry of each kind of count.
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
            for sums in [&whole.kinds, &whole.numbers, &whole.queues, &whole.nodes] {
                prop_assert_eq!(sums.iter().map(RetryHours::runs).sum::<u64>(), retries);
            }
            prop_assert_eq!(whole.retries.runs(), retries);
        }
    }
}
