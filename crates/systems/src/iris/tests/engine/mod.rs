//! Jobs replayed from first attempt to last.

mod cancels;
mod gangs;
mod histories;

use crate::iris::*;
use document::units::Time;
use replay::history::{Member, Run};
use replay::simulate::{JobReport, Options, Timelines, simulate};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

const OPTIONS: Options = Options {
    timelines: Timelines::All,
    assume: None,
    only: None,
    threads: NonZeroUsize::MIN,
    skipped_records: 0,
    seed: 0,
};

fn engine(profile: Profile, policy: Policy) -> IrisEngine {
    let rules = Rules { profile, policy };
    IrisEngine::new(IrisProfile { name: "nightly".into(), rules })
}

fn at(seconds: i64) -> Time {
    Time::from_epoch_seconds(seconds)
}

/// Makes the tasks of these events: event n is the end of an attempt that began when the one before it ended,
/// ten seconds earlier.
fn members(events: &[Event]) -> Vec<Member<IrisFields>> {
    let mut tasks: BTreeMap<u32, Vec<Run<IrisFields>>> = BTreeMap::new();
    for (number, event) in events.iter().enumerate() {
        let Event { task, outcome, phase } = *event;
        let runs = tasks.entry(task).or_default();
        let end = i64::try_from(number).unwrap() * 10;
        runs.push(Run {
            run_index: u32::try_from(runs.len()).unwrap(),
            started_at: Some(at(end - 10)),
            finished_at: Some(at(end)),
            node: None,
            cluster: None,
            own: IrisFields { task, outcome, phase },
        });
    }
    let is_single = tasks.len() == 1;
    tasks.into_iter().map(|(key, runs)| member(key, is_single, runs)).collect()
}

fn member(key: u32, is_single: bool, runs: Vec<Run<IrisFields>>) -> Member<IrisFields> {
    let (unit, queue, unit_fields) = ("j".into(), "".into(), Arc::new(()));
    Member { unit, queue, unit_fields, key, is_single, runs }
}

/// A record: its task, its outcome, the start of its attempt, if it had one, and the end.
type RecordedEnd = (u32, Outcome, Option<i64>, i64);

/// Makes the tasks of these records, in the order of their first records.
fn members_of(records: &[RecordedEnd]) -> Vec<Member<IrisFields>> {
    let mut tasks: Vec<Member<IrisFields>> = Vec::new();
    for (task, outcome, start, end) in records.iter().copied() {
        let place = tasks.iter().position(|member| member.key == task).unwrap_or_else(|| {
            tasks.push(member(task, false, Vec::new()));
            tasks.len() - 1
        });
        let runs = &mut tasks[place].runs;
        runs.push(Run {
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

fn replay(engine: &IrisEngine, members: &[Member<IrisFields>]) -> JobReport {
    simulate(engine, members, OPTIONS).jobs.unwrap().remove(0)
}

fn codes(outcome: &JobReport) -> Vec<&str> {
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
