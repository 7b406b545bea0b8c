//! The outcome of a stream: at its end, or so far.

use super::Stream;
use super::end;
use super::key::{key_of, shard_of};
use super::outcome::{StreamOutcome, UnmatchedUnits, earlier};
use super::pool::SHARDS;
use super::shard::{Shard, ShardEnd};
use super::worker::{Worker, WorkerCounts};
use crate::history::History;
use crate::simulate::answer::{LastRun, PolicyCounts, RecordCounts};
use crate::simulate::changes::{Changes, Comparison};
use crate::simulate::engine::Engine;
use crate::simulate::outcome::Outcome;
use crate::simulate::summary::Summary;
use document::diag::Findings;

impl<'e, E: Engine> Stream<'e, E> {
    /// The outcome if the history ended now. The stream goes on.
    ///
    /// The counts of all threads are copied, and the units that are kept.
    pub fn snapshot(&mut self) -> StreamOutcome<E::Fields> {
        // The end is counted into the threads' own counts, which are then put back: the stream goes on as if nothing
        // had ended.
        let saved: Vec<_> = self.pool.workers().map(|worker| worker.counts()).collect();
        let last_runs = self.set_outcomes();
        self.count_ends();
        for (shard, (unit, last)) in last_runs {
            if let Some((_, shard)) = self.pool.worker_and_shard(shard) {
                shard.units.get_mut(unit).last = last;
            }
        }
        let counts: Vec<_> = self.pool.workers().map(Worker::take_counts).collect();
        for (worker, saved) in self.pool.workers().zip(saved) {
            worker.set_counts(saved);
        }
        let ends = self.pool.shards().map(|shard| ShardEnd::copy(shard)).collect();
        let findings = self.reader.take_findings();
        self.outcome(counts, ends, (self.reader.history(), findings))
    }

    /// Ends the history: units that wait for a granted run are unresolved.
    pub fn finish(mut self) -> StreamOutcome<E::Fields> {
        self.write_changes();
        self.set_outcomes();
        self.count_ends();
        let mut counts: Vec<_> = self.pool.workers().map(Worker::take_counts).collect();
        if self.writes_changes() {
            self.write_unended(&mut counts);
        }
        let findings = self.reader.take_findings();
        let history = self.reader.history();
        let ends = self.pool.shards().map(ShardEnd::take).collect();
        self.outcome(counts, ends, (history, findings))
    }

    /// Sets the outcomes that sources report apart from runs. Returns the shard of each unit, its number there and its last
    /// run before.
    fn set_outcomes(&mut self) -> Vec<(usize, (usize, LastRun))> {
        let mut last_runs = Vec::new();
        for (id, outcome) in self.reader.outcomes() {
            let key = key_of(self.options.hash_key, id);
            let number = shard_of(key, SHARDS);
            if let Some((_, shard)) = self.pool.worker_and_shard(number) {
                let before = shard.set_outcome(&key, Outcome::from(*outcome));
                last_runs.extend(before.map(|before| (number, before)));
            }
        }
        last_runs
    }

    fn writes_changes(&self) -> bool {
        self.compare.is_some_and(|compare| compare.lines.is_some())
    }

    /// Counts the units that have not ended as unresolved, and the outcomes on record.
    fn count_ends(&self) {
        let has_lines = self.writes_changes();
        let (engines, kinds) = (self.engines, &self.kinds);
        self.pool.each_shard(|worker, _, shard| {
            let mut summaries = std::mem::take(&mut worker.summaries);
            let queues = worker.queues(engines, kinds);
            shard.finish(&mut summaries, |kind| queues.number(kind));
            worker.summaries = summaries;
            shard.finish_record(&mut worker.record, &mut worker.columns);
            // With lines the order counts, so that units of all shards are merged afterwards.
            if let Some(comparison) = worker.comparison.as_mut().filter(|_| !has_lines) {
                shard.compare_unended(comparison, &queues);
            } else if has_lines {
                shard.sort_unended();
            }
        });
    }

    /// Writes the changes of the units that have ended under some engines only.
    fn write_unended(&mut self, counts: &mut [WorkerCounts<'e>]) {
        let (engines, kinds) = (self.engines, &self.kinds);
        let queues = self.pool.workers().next().map(|worker| worker.queues(engines, kinds));
        let comparison = counts.first_mut().and_then(|counts| counts.comparison.as_mut());
        if let Some((queues, comparison)) = queues.zip(comparison) {
            let mut shards: Vec<&mut Shard<E>> = self.pool.shards().collect();
            end::write_unended(comparison, &mut shards, &queues);
        }
    }

    /// The outcome of all threads and shards.
    fn outcome(
        &self,
        workers: Vec<WorkerCounts<'e>>,
        shards: Vec<ShardEnd<E>>,
        (mut history, findings): (History<E::Fields>, Findings),
    ) -> StreamOutcome<E::Fields> {
        let engines = self.engines;
        let mut summaries: Vec<Summary> =
            engines.iter().map(|engine| Summary::new(engine.rules().len())).collect();
        let mut record = RecordCounts::default();
        let mut columns = vec![PolicyCounts::default(); engines.len()];
        let mut changes = Changes::for_engines(engines.len(), self.compare);
        for worker in workers {
            let parts = worker.comparison.map(Comparison::into_changes).unwrap_or_default();
            changes.iter_mut().zip(parts).for_each(|(changes, part)| changes.merge(part));
            for (summary, part) in summaries.iter_mut().zip(worker.summaries) {
                summary.merge(part);
            }
            record.merge(worker.record);
            columns.iter_mut().zip(worker.columns).for_each(|(counts, part)| counts.merge(part));
        }
        let (mut units, mut unit_of_several, mut kept) = (0, None, Vec::new());
        let mut unmatched = vec![UnmatchedUnits::default(); engines.len()];
        for shard in shards {
            units += shard.units;
            for (unmatched, more) in unmatched.iter_mut().zip(shard.unmatched) {
                unmatched.merge(more);
            }
            unit_of_several = earlier(unit_of_several, shard.unit_of_several);
            kept.extend(shard.kept_members);
        }
        // Which shard has a unit depends on a random key; the order of the history does not.
        kept.sort_by_key(|kept| kept.order);
        history.members = kept.into_iter().map(|kept| kept.member).collect();
        let unit_of_several = unit_of_several.map(|(_, id)| id);
        StreamOutcome {
            summaries,
            record,
            columns,
            history,
            has_rows: self.rows > 0,
            findings,
            units,
            unmatched,
            unit_of_several,
            changes,
        }
    }
}
