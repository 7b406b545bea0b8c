//! Phase two: the jobs of a shard take their events.

use super::Streamed;
use super::event::{Event, Share, What};
use super::kinds::{All, Kind};
use super::read::{Context, Worker};
use super::shard::{Latest, Shard};
use super::standing::{Standing, State, Wait};
use super::trouble::{Trouble, Why};
use crate::engine::{Effect, Passing};
use crate::history::{Prior, line_at, read_line};
use crate::simulate::described::Tally;
use crate::simulate::replay::{Contradiction, Outcome, contradiction};
use crate::simulate::summary::{Granted, RunFacts, Waited};

/// A piece of a batch on its way to a shard.
pub(super) struct Batch<'b, E: Streamed> {
    pub(super) context: &'b Context<'b, E>,
    pub(super) kinds: &'b All<'b, E::Course>,
    pub(super) bytes: &'b [u8],
    /// What the piece says to the shard.
    pub(super) share: &'b Share<E>,
    /// The piece's place in the batch.
    pub(super) piece: usize,
    /// Bytes before this piece.
    pub(super) before: u64,
}

/// A job's run on its way through the engines.
struct Taken<'t, E: Streamed> {
    number: usize,
    job: usize,
    event: &'t Event<E::Glance>,
    index: u32,
    /// The latest time before this run.
    latest: Latest,
    facts: RunFacts,
}

impl<E: Streamed> Batch<'_, E> {
    /// Lets the jobs of a shard take their events.
    pub(super) fn shard(&self, shard: &mut Shard<E>, worker: &mut Worker<'_, E>) {
        // Jobs lie all over memory. Looked up one after another, with nothing between, several are
        // on their way at once.
        let mut known = std::mem::take(&mut worker.known);
        known.clear();
        known.extend(self.share.events.iter().map(|event| shard.find(&event.key)));
        let jobs = shard.jobs.len();
        for (number, event) in self.share.events.iter().enumerate() {
            let is_new = known[number].is_none() && shard.jobs.len() > jobs;
            let known = if is_new { shard.find(&event.key) } else { known[number] };
            self.event(shard, worker, number, known);
        }
        worker.known = known;
    }

    fn event(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        number: usize,
        known: Option<usize>,
    ) {
        let event = &self.share.events[number];
        let trouble = |why| Trouble { piece: self.piece, at: event.at, why };
        if event.what == What::Bad {
            *shard.bad.entry(event.key).or_default() += 1;
            worker.troubles.push(trouble(Why::Bad));
            return;
        }
        let kind = known.map_or(event.kind, |job| shard.jobs.get(job).kind);
        let body = &self.kinds[kind];
        if event.what == What::Keep || body.kept {
            // Its first record tells for all that follow.
            known.unwrap_or_else(|| self.insert(shard, worker, event, body));
            worker.troubles.push(trouble(Why::Kept));
            return;
        }
        let bad =
            if shard.bad.is_empty() { 0 } else { shard.bad.get(&event.key).copied().unwrap_or(0) };
        let seen = known.map(|job| *shard.jobs.get(job));
        let position = seen.map_or(0, |seen| seen.runs).saturating_add(bad);
        let index = event.index.unwrap_or(position);
        let latest = known.map_or(Latest::Unknown, |job| shard.latest(job));
        let last = seen.map(|seen| seen.index);
        let backwards = event.time.is_some_and(|time| latest.is_after(time));
        if backwards || last.is_some_and(|last| index <= last) || self.suspect(event) {
            *shard.bad.entry(event.key).or_default() += 1;
            let prior = Prior { latest: latest.time(), last_index: last };
            worker.troubles.push(trouble(Why::Fault { prior, index }));
            return;
        }
        if kind != event.kind {
            let later = &self.kinds[event.kind].fields;
            let differs = |key| trouble(Why::Differs(key));
            worker.troubles.extend(body.fields.differences(later).map(differs));
        }
        let job = known.unwrap_or_else(|| self.insert(shard, worker, event, body));
        let facts = RunFacts {
            queue: body.queue,
            category: event.category,
            group: event.group,
            time: event.time,
            length: event.length,
            ending: event.ending,
            demand: body.demand,
        };
        let taken = Taken { number, job, event, index, latest, facts };
        self.take(shard, worker, body, &taken);
    }

    fn insert(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        event: &Event<E::Glance>,
        kind: &Kind<E::Course>,
    ) -> usize {
        if kind.is_first() {
            worker.met.push(event.kind);
        }
        shard.insert(self.context.engines, event.key, event.kind, &kind.courses)
    }

    /// Whether the run breaks a rule by itself, now that its job is known to be in no gang.
    fn suspect(&self, event: &Event<E::Glance>) -> bool {
        event.what == What::Suspect
            && read_line_at(self.bytes, event.at, |record| {
                record.fields.fault_alone(self.context.bounds, false).is_some()
            })
            .unwrap_or(false)
    }

    fn take(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        kind: &Kind<E::Course>,
        taken: &Taken<'_, E>,
    ) {
        let seen = shard.jobs.get_mut(taken.job);
        seen.runs = seen.runs.saturating_add(1);
        seen.index = taken.index;
        E::passed(&mut seen.passed, &taken.event.glance);
        if let Some(time) = taken.event.time {
            shard.set_latest(taken.job, time);
        }
        for engine in 0..self.context.engines.len() {
            if shard.standings[engine].get(taken.job).state() == State::Over {
                worker.summaries[engine].passed_over(taken.facts.length, taken.facts.demand);
            } else {
                self.judge(shard, worker, kind, taken, engine);
            }
        }
    }

    /// Lets one engine judge a run.
    fn judge(
        &self,
        shard: &mut Shard<E>,
        worker: &mut Worker<'_, E>,
        kind: &Kind<E::Course>,
        taken: &Taken<'_, E>,
        number: usize,
    ) {
        let engine = &self.context.engines[number];
        let course = &kind.courses[number];
        let mut standing = *shard.standings[number].get(taken.job);
        let node = E::wants_nodes(course).then(|| self.node(taken.event.at)).flatten();
        let state = standing.state();
        if let State::Granted(rule) = state {
            let not_before = shard.not_before(number, taken.job, &standing, taken.latest);
            if node.is_some() || taken.event.started.is_some() {
                let avoided = E::avoids(standing.slot, &shard.spills[number]);
                let started = taken.event.started;
                let what = contradiction(node.as_deref(), started, not_before.time(), avoided);
                if let Some(what) = what {
                    self.contradicted(worker, taken, number, what);
                }
            }
            let granted = Granted { rule, waited: not_before.minute() };
            worker.summaries[number].followed(&granted, &taken.facts);
        }
        // A run with a time is never earlier than those before it.
        let now = taken.event.time.or_else(|| taken.latest.time());
        let run = Passing {
            glance: &taken.event.glance,
            found: self.found(worker, course, taken, number),
            now,
            node: node.as_deref(),
        };
        let passed = shard.jobs.get(taken.job).passed;
        let spill = &mut shard.spills[number];
        let step = engine.step(course, passed, &mut standing.slot, spill, &run);
        let tally = step.decision.as_ref().map(|one| engine.glance_tally(&taken.event.glance, one));
        if let Some(tally) = &tally {
            let facts = self.caught(worker, &taken.facts, taken.event.at, tally);
            worker.summaries[number].decided(&facts, tally, Waited::by(step.effect));
        }
        let summary = &mut worker.summaries[number];
        match step.effect {
            Effect::Rerun { delay, not_before, .. } => {
                let rule = tally.and_then(|tally| tally.rule);
                let wait = match (not_before, taken.event.time) {
                    (None, _) => Wait::Unknown,
                    (Some(end), Some(time)) if Some(end.since(time)) == delay => {
                        Wait::For(end.since(time))
                    }
                    (Some(_), _) => Wait::Elsewhere,
                };
                standing.grant(rule, wait);
                if standing.wait() == Wait::Elsewhere {
                    shard.waits.insert((number, taken.job), not_before);
                }
            }
            effect => {
                let outcome = match effect {
                    Effect::End(end) => end.into(),
                    _ => Outcome::Unresolved,
                };
                standing.end();
                summary.ended(kind.queue, outcome, state != State::Fresh, tally.as_ref());
            }
        }
        *shard.standings[number].get_mut(taken.job) = standing;
    }

    /// What an engine found in the run's texts: on the job's own course, which is nearly always
    /// the one that the run's record names.
    fn found(
        &self,
        worker: &mut Worker<'_, E>,
        course: &E::Course,
        taken: &Taken<'_, E>,
        number: usize,
    ) -> E::Found {
        let named = &self.kinds[taken.event.kind].courses[number];
        if E::alike(course, named) {
            return self.share.found[taken.number * self.context.engines.len() + number];
        }
        let engine = &self.context.engines[number];
        let memory = &mut worker.memory[number];
        let again = read_line_at(self.bytes, taken.event.at, |record| {
            engine.find(course, &record.fields.run, memory)
        });
        again.unwrap_or_default()
    }

    /// What a summary is told of a run that was decided so. Only a run whose record names another
    /// course than its job's may go to a default unforeseen.
    fn caught(
        &self,
        worker: &mut Worker<'_, E>,
        facts: &RunFacts,
        at: u32,
        tally: &Tally,
    ) -> RunFacts {
        if !tally.by_default || facts.group.is_some() {
            return *facts;
        }
        let names = &mut worker.names;
        let group =
            read_line_at(self.bytes, at, |record| names.group(&E::run_labels(&record.fields.run)));
        RunFacts { group, ..*facts }
    }

    fn node(&self, at: u32) -> Option<String> {
        read_line_at(self.bytes, at, |record| record.fields.run.node.as_deref().map(str::to_owned))
            .flatten()
    }

    fn contradicted(
        &self,
        worker: &mut Worker<'_, E>,
        taken: &Taken<'_, E>,
        number: usize,
        what: String,
    ) {
        let id = read_line_at(self.bytes, taken.event.at, |record| record.id.to_string());
        let place = self.before + u64::from(taken.event.at);
        let contradiction = Contradiction { run_index: taken.index, what };
        worker.summaries[number].contradicted(place, &id.unwrap_or_default(), &contradiction);
    }
}

impl<E: Streamed> Shard<E> {
    /// Until when a granted run waits, where that is known.
    fn not_before(
        &self,
        engine: usize,
        job: usize,
        standing: &Standing<E::Slot>,
        latest: Latest,
    ) -> Latest {
        match standing.wait() {
            Wait::For(wait) => latest.plus(wait),
            Wait::Unknown => Latest::Unknown,
            Wait::Elsewhere => {
                let known = self.waits.get(&(engine, job)).copied().flatten();
                known.map_or(Latest::Unknown, Latest::At)
            }
        }
    }
}

/// Reads a line once more, for what was not kept of it. Its times are not asked for.
fn read_line_at<T>(
    bytes: &[u8],
    at: u32,
    look: impl FnOnce(&crate::history::Record<'_>) -> T,
) -> Option<T> {
    let line = std::str::from_utf8(line_at(bytes, at as usize)).ok()?;
    let record = read_line(line.trim_ascii_end(), &mut crate::history::Clock::of_lines())?;
    Some(look(&record))
}
