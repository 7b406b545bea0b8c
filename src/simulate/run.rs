//! The replay of a whole history, on as many threads as asked for, with the same result.

use super::assume::Assume;
use super::described::{Described, Reported};
use super::digest::digest;
use super::names::Names;
use super::replay::{MemberOutcome, Replay};
use super::report::{ContradictionReport, JobReport, SimulationReport};
use super::summary::Summary;
use std::collections::HashMap;
use std::num::NonZeroUsize;

/// How many threads replay at the most.
pub(super) const MOST_THREADS: usize = 256;

/// Whether timelines are written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timelines {
    /// A timeline a job.
    All,
    /// Only the summary.
    None,
}

/// How a history is replayed.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Whether timelines are written out.
    pub timelines: Timelines,
    /// How unresolved jobs are settled, if at all.
    pub assume: Option<Assume>,
    /// The number of the only member that is reported on; its unit is replayed whole.
    pub only: Option<usize>,
    /// How many threads replay.
    pub threads: NonZeroUsize,
    /// Bad records that reading left out.
    pub skipped_records: usize,
    /// What is left to chance hangs on it, and on nothing else.
    pub seed: u64,
}

/// What members of a history came to.
#[derive(Debug)]
pub struct Replayed {
    /// Timelines, in the order of the members; none where they were not asked for.
    pub jobs: Option<Vec<JobReport>>,
    /// The counts of those that are reported on.
    pub summary: Summary,
    /// The counts of all of them: what was observed, whoever is reported on.
    pub observed: Summary,
}

/// Replays members through an engine and reports what came of it.
pub fn simulate<E: Described>(
    engine: &E,
    members: &[E::Member],
    options: Options,
) -> SimulationReport {
    let names = Names::default();
    let replayed = replay(engine, &names, members, options);
    report(engine, &names, replayed, options)
}

/// The report on what was replayed.
pub fn report<E: Described>(
    engine: &E,
    names: &Names,
    replayed: Replayed,
    options: Options,
) -> SimulationReport {
    SimulationReport {
        api_version: "armadaproject.io/v1",
        kind: "SimulationReport",
        engine: engine.name().to_owned(),
        notes: Vec::new(),
        jobs: replayed.jobs,
        summary: digest(engine, names, replayed.summary, &replayed.observed, options),
        variants: None,
    }
}

/// Replays members through an engine. Summaries count by these `names`.
pub fn replay<E: Described>(
    engine: &E,
    names: &Names,
    members: &[E::Member],
    options: Options,
) -> Replayed {
    replay_beside(engine, names, members, options, Summary::new(engine.rules().len()))
}

/// Replays members beside others that streamed by and came to `streamed`. Those are observed, and
/// reported on unless the report is on one member only.
pub fn replay_beside<E: Described>(
    engine: &E,
    names: &Names,
    members: &[E::Member],
    options: Options,
    streamed: Summary,
) -> Replayed {
    let mut units = units(engine, members);
    let reported = |unit: &Unit| options.only.is_none_or(|only| unit.members().contains(&only));
    // What was observed of all jobs settles the one that is reported on.
    if options.assume != Some(Assume::Observed) {
        units.retain(|unit| reported(unit));
    }
    let parts =
        on_threads(&units, options.threads, |units| part(engine, names, members, options, units));
    let rules = engine.rules().len();
    let (mut summary, mut observed) = (Summary::new(rules), Summary::new(rules));
    let mut outcomes: Vec<(usize, MemberOutcome)> = Vec::new();
    for part in parts {
        summary.merge(part.summary);
        observed.merge(part.others);
        outcomes.extend(part.outcomes);
    }
    let beside = if options.only.is_none() { &mut summary } else { &mut observed };
    beside.merge(streamed);
    observed.merge(summary.clone());
    outcomes.sort_by_key(|(number, _)| *number);
    let jobs = outcomes
        .into_iter()
        .map(|(number, out)| job(engine, &members[number], out, options.assume, &observed))
        .collect();
    let jobs = (options.timelines == Timelines::All).then_some(jobs);
    Replayed { jobs, summary, observed }
}

/// What one thread's units came to.
struct Part {
    outcomes: Vec<(usize, MemberOutcome)>,
    summary: Summary,
    /// The counts of those that are not reported on.
    others: Summary,
}

fn part<E: Described>(
    engine: &E,
    names: &Names,
    members: &[E::Member],
    options: Options,
    units: &[Unit],
) -> Part {
    let timelines = options.timelines == Timelines::All;
    let rules = engine.rules().len();
    let mut replay = Replay::new(engine, names, timelines).seeded(options.seed);
    let mut part =
        Part { outcomes: Vec::new(), summary: Summary::new(rules), others: Summary::new(rules) };
    let mut jobs: Vec<&E::Member> = Vec::new();
    for unit in units {
        let unit = unit.members();
        jobs.clear();
        jobs.extend(unit.iter().map(|number| &members[*number]));
        let only = options.only.map(|only| unit.iter().position(|number| *number == only));
        if only == Some(None) {
            replay.unit(&jobs, unit, None, &mut part.others);
            continue;
        }
        let only = only.flatten().filter(|_| E::REPORTED == Reported::Members);
        let ended = replay.unit(&jobs, unit, only, &mut part.summary);
        if timelines && E::REPORTED == Reported::Units {
            part.outcomes.extend(ended.into_iter().map(|ended| (unit[0], ended)));
        } else if timelines {
            let reported = |number: &usize| options.only.is_none_or(|only| only == *number);
            let all = unit.iter().copied().zip(ended);
            part.outcomes.extend(all.filter(|(number, _)| reported(number)));
        }
    }
    part.others.merge(replay.into_unreported());
    part
}

/// Does a part of some things on each thread.
fn on_threads<T: Sync, P: Send>(
    things: &[T],
    threads: NonZeroUsize,
    part: impl Fn(&[T]) -> P + Sync,
) -> Vec<P> {
    // More threads than this help nobody, and a system refuses them at some point.
    let threads = threads.get().min(MOST_THREADS);
    let share = things.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let part = &part;
        let threads: Vec<_> =
            things.chunks(share).map(|things| scope.spawn(move || part(things))).collect();
        let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        // A panic of a thread is this one's: no job may go missing in silence.
        joined.map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

/// The numbers of a unit's members.
enum Unit {
    /// It has one; most do, and take no list.
    One(usize),
    /// It has several.
    Many(Vec<usize>),
}

impl Unit {
    fn members(&self) -> &[usize] {
        match self {
            Self::One(number) => std::slice::from_ref(number),
            Self::Many(numbers) => numbers,
        }
    }
}

/// Members by unit, in the order of each unit's first member.
fn units<E: Described>(engine: &E, members: &[E::Member]) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for (number, member) in members.iter().enumerate() {
        let Some(key) = engine.unit_key(member) else {
            units.push(Unit::One(number));
            continue;
        };
        let unit = *known.entry(key).or_insert_with(|| {
            units.push(Unit::Many(Vec::new()));
            units.len() - 1
        });
        if let Unit::Many(numbers) = &mut units[unit] {
            numbers.push(number);
        }
    }
    units
}

fn job<E: Described>(
    engine: &E,
    member: &E::Member,
    out: MemberOutcome,
    assume: Option<Assume>,
    observed: &Summary,
) -> JobReport {
    let id = engine.id(member);
    // A job that nothing is missing of stays as it is, whatever is assumed.
    let assumed = assume.zip(out.missing).and_then(|(assume, missing)| {
        let counts = missing.rule.map_or(&observed.by_no_rule, |rule| &observed.by_rule[rule]);
        assume.chance(counts)
    });
    JobReport {
        job_id: id.to_owned(),
        queue: engine.queue(member).to_owned(),
        effective_policies: engine.effective_policies(member),
        outcome: out.outcome.as_str().to_owned(),
        system_outcome: out.system_outcome,
        reason: out.reason,
        retries: out.retries,
        not_reached: out.not_reached,
        cut_off: Some(out.cut_off).filter(|runs| *runs > 0),
        assumed_success: assumed,
        contradictions: out
            .contradictions
            .into_iter()
            .map(|c| ContradictionReport {
                job_id: id.to_owned(),
                run_index: c.run_index,
                what: c.what,
            })
            .collect(),
        decisions: out.decisions,
    }
}
