//! Jobs replayed from first attempt to last.

mod cancels;
mod courses;
mod gangs;

use super::*;
use crate::history::{Member, MemberRun};
use crate::simulate::{Described, MemberOutcome, Names, Outcome as Came, Replay, Summary};
use crate::units::Time;
use std::collections::BTreeMap;

fn engine(profile: Profile, policy: Policy) -> IrisEngine {
    let rules = Rules { profile, policy };
    IrisEngine::new(IrisProfile { name: "nightly".into(), rules })
}

fn at(seconds: i64) -> Time {
    Time::from_epoch_seconds(seconds)
}

/// The tasks of these events: event n is the end of an attempt that began when the one before it
/// ended, ten seconds earlier.
fn members(events: &[Event]) -> Vec<Member<IrisFields>> {
    let mut tasks: BTreeMap<u32, Vec<MemberRun<IrisFields>>> = BTreeMap::new();
    for (number, event) in events.iter().enumerate() {
        let Event { task, outcome, phase } = *event;
        let runs = tasks.entry(task).or_default();
        let end = i64::try_from(number).unwrap() * 10;
        runs.push(MemberRun {
            run_index: u32::try_from(runs.len()).unwrap(),
            started_at: Some(at(end - 10)),
            finished_at: Some(at(end)),
            node: None,
            cluster: None,
            own: IrisFields { task, outcome, phase },
        });
    }
    let alone = tasks.len() == 1;
    let member = |(key, runs)| Member { unit: "j".into(), queue: "".into(), key, alone, runs };
    tasks.into_iter().map(member).collect()
}

/// A record: its task, its outcome, when its attempt began, if it had one, and when it ended.
type Told = (u32, Outcome, Option<i64>, i64);

/// The tasks of these records, in the order in which they are first met.
fn told(records: &[Told]) -> Vec<Member<IrisFields>> {
    let mut tasks: Vec<Member<IrisFields>> = Vec::new();
    for (task, outcome, start, end) in records.iter().copied() {
        let place = tasks.iter().position(|member| member.key == task).unwrap_or_else(|| {
            let (unit, queue) = ("j".into(), "".into());
            tasks.push(Member { unit, queue, key: task, alone: false, runs: Vec::new() });
            tasks.len() - 1
        });
        let runs = &mut tasks[place].runs;
        runs.push(MemberRun {
            run_index: u32::try_from(runs.len()).unwrap(),
            started_at: start.map(at),
            finished_at: Some(at(end)),
            node: None,
            cluster: None,
            own: event(task, outcome).into(),
        });
    }
    tasks
}

impl From<Event> for IrisFields {
    fn from(Event { task, outcome, phase }: Event) -> Self {
        Self { task, outcome, phase }
    }
}

fn replay(engine: &IrisEngine, members: &[Member<IrisFields>]) -> MemberOutcome {
    let (members, names) = (members.iter().collect::<Vec<_>>(), Names::default());
    let places: Vec<usize> = (0..members.len()).collect();
    let mut summary = Summary::new(Described::rules(engine).len());
    Replay::new(engine, &names, true).unit(&members, &places, None, &mut summary).remove(0)
}

fn codes(outcome: &MemberOutcome) -> Vec<&str> {
    outcome.decisions.iter().map(|decision| decision.decision.as_str()).collect()
}

fn event(task: u32, outcome: Outcome) -> Event {
    Event { task, outcome, phase: Phase::Running }
}

#[test]
fn a_unit_of_one_task_is_small() {
    assert!(size_of::<IrisUnit>() <= 96, "{}", size_of::<IrisUnit>());
    assert!(size_of::<IrisFields>() <= 8);
}
