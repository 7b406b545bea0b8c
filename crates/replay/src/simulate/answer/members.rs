//! The answer about members in memory: the record, and each column of policies from the log of its replay.

use super::groups::RetryPlace;
use super::policy::{Granted, PolicyCounts};
use super::reasons::{ReasonKey, Reasons};
use super::record::RecordCounts;
use super::run::LastRun;
use crate::history::{Member, RecordFields as _, Run, UnitOutcomes};
use crate::simulate::changes::{Decided, DecisionLog, MemberLog, Reach};
use crate::simulate::end_facts::end_facts;
use crate::simulate::engine::Engine;
use crate::simulate::evaluation::ReportedPer;
use crate::simulate::figures::Ending;
use crate::simulate::names::{NameCache, Names};
use crate::simulate::outcome::Outcome;
use crate::simulate::summary::{LastDecision, RunFacts};
use crate::simulate::unit::is_end_of_run;
use crate::simulate::unit_members::{UnitMembers, group_by, group_by_unit};

/// The record of members in memory.
#[derive(Debug, Default)]
pub struct MemberRecords {
    pub counts: RecordCounts,
    /// The outcome on record of each job, by the number of its member, or of the first member of its unit.
    outcomes: Vec<Option<Outcome>>,
}

/// The record of members in memory, with the outcomes of units that sources report; of the one job, or the unit, of
/// the member `only` if one is given. With `has_groups` its retries are counted by where and when they ran.
pub fn record_of_members<E: Engine>(
    engine: &E,
    names: &Names,
    (members, outcomes): (&[Member<E::Fields>], &UnitOutcomes),
    only: Option<usize>,
    has_groups: bool,
) -> MemberRecords {
    let groups = has_groups.then(Box::default);
    let counts = RecordCounts { groups, ..RecordCounts::default() };
    let mut record = MemberRecords { outcomes: vec![None; members.len()], counts };
    let mut names = NameCache::new(names);
    let units = group_by(members, |member| recorded_unit_key(engine, member));
    for unit in jobs_of(&units, only) {
        record.add_unit(engine, &mut names, (members, outcomes), unit, only);
    }
    record
}

/// The members of the units; only those of the unit of one member if one is given.
fn jobs_of(units: &[UnitMembers], only: Option<usize>) -> impl Iterator<Item = &[usize]> {
    let all = units.iter().map(UnitMembers::numbers);
    all.filter(move |numbers| only.is_none_or(|only| numbers.contains(&only)))
}

/// Whether the job of a member is reported: all are, or only the unit or member of one.
fn is_reported<E: Engine>(number: usize, only: Option<usize>) -> bool {
    E::REPORTED_PER == ReportedPer::Unit || only.is_none_or(|only| only == number)
}

/// The key of the unit that a member belongs to on record, whatever the policies.
fn recorded_unit_key<E: Engine>(engine: &E, member: &Member<E::Fields>) -> Option<String> {
    let recorded = E::Fields::recorded_unit_key(&member.queue, &member.unit_fields);
    recorded.or_else(|| engine.unit_key(member))
}

impl MemberRecords {
    fn add_unit<E: Engine>(
        &mut self,
        engine: &E,
        names: &mut NameCache<'_>,
        (members, outcomes): (&[Member<E::Fields>], &UnitOutcomes),
        numbers: &[usize],
        only: Option<usize>,
    ) {
        let last = numbers.iter().map(|number| {
            let counts = is_reported::<E>(*number, only).then_some(&mut self.counts);
            let last = last_run(engine, names, &members[*number], counts);
            let outcome = outcomes.get(&*members[*number].unit);
            outcome.map_or(last, |outcome| last.with_outcome(Outcome::from(*outcome)))
        });
        let last: Vec<LastRun> = last.collect();
        match E::REPORTED_PER {
            ReportedPer::Member => {
                // Only a unit on record is cancelled as a whole.
                let is_cancelled = recorded_unit_key(engine, &members[numbers[0]]).is_some()
                    && is_last_generation_cancelled(engine, members, numbers);
                for (number, last) in numbers.iter().zip(last) {
                    let outcome = match last.outcome().unwrap_or(Outcome::Unresolved) {
                        Outcome::Succeeded => Outcome::Succeeded,
                        _ if is_cancelled => Outcome::Cancelled,
                        own => own,
                    };
                    self.outcomes[*number] = Some(outcome);
                    if is_reported::<E>(*number, only) {
                        self.counts.add_job(outcome, last.is_retry());
                    }
                }
            }
            ReportedPer::Unit => {
                let unit = unit_outcome(&last);
                self.outcomes[numbers[0]] = Some(unit);
                self.counts.add_job(unit, last.iter().any(|last| last.is_retry()));
            }
        }
    }
}

/// The outcome of a unit from those of its members. Records name one member of a unit that was cancelled as a whole.
fn unit_outcome(members: &[LastRun]) -> Outcome {
    // A member that was cancelled or failed ends its unit, whatever the others did.
    let order = [Outcome::Cancelled, Outcome::Failed, Outcome::Unresolved];
    let has = |outcome: &Outcome| members.iter().any(|last| last.outcome() == Some(*outcome));
    order.into_iter().find(has).unwrap_or(Outcome::Succeeded)
}

/// Counts the runs of a member on record, and returns the last one.
fn last_run<E: Engine>(
    engine: &E,
    names: &mut NameCache<'_>,
    member: &Member<E::Fields>,
    mut counts: Option<&mut RecordCounts>,
) -> LastRun {
    let (mut last, mut before, mut number) = (LastRun::default(), None, 0);
    for run in &member.runs {
        let Some(recorded) = recorded_run(engine, names, member, run) else {
            last = last.after_event(run, engine.ending(run));
            continue;
        };
        if let Some(counts) = &mut counts {
            counts.add(last, before, &recorded);
            if let Some(groups) = counts.groups.as_mut().filter(|_| !last.is_none()) {
                let queue = names.queue(&member.queue);
                let node = run.node.as_deref();
                let node = node.and_then(|node| names.node(run.cluster.as_deref(), node));
                let after = before.filter(|_| last.is_timed());
                groups.add(RetryPlace { queue, node, number, after }, &recorded);
            }
        }
        (last, before, number) = (last.after(&recorded), recorded.time, number + 1);
    }
    last
}

/// The facts of a run on record; none if the record is an event, or reports a part of a run.
fn recorded_run<E: Engine>(
    engine: &E,
    names: &mut NameCache<'_>,
    member: &Member<E::Fields>,
    run: &Run<E::Fields>,
) -> Option<RunFacts> {
    let facts = || {
        let end = end_facts(engine, names, run, false);
        RunFacts::new(names.queue(&member.queue), &*member.unit_fields, run, end)
    };
    is_end_of_run(run).then(facts)
}

/// Whether a run of the last generation of a gang was cancelled.
fn is_last_generation_cancelled<E: Engine>(
    engine: &E,
    members: &[Member<E::Fields>],
    numbers: &[usize],
) -> bool {
    let runs = |number: &usize| &members[*number].runs;
    let generations = numbers.iter().map(|number| runs(number).len()).max().unwrap_or_default();
    let last = numbers.iter().filter(|number| runs(number).len() == generations);
    last.filter_map(|number| runs(number).last()).any(|run| engine.ending(run) == Ending::Cancelled)
}

/// Counts a column of policies beside the record, from the log of its replay of the same members.
pub fn count_members<E: Engine>(
    engine: &E,
    names: &Names,
    members: &[Member<E::Fields>],
    record: &MemberRecords,
    log: &DecisionLog,
    only: Option<usize>,
) -> PolicyCounts {
    let mut column = Column::new(engine, names, members, log);
    let mut reasons = Reasons::default();
    for numbers in jobs_of(&group_by_unit(engine, members), only) {
        column.add_unit(numbers, record, only, &mut reasons);
    }
    column.counts.add_reasons(reasons);
    column.counts
}

/// The number of the kind of the failure that ended each member, or its unit, if one did.
pub(crate) fn kinds_of_ends<E: Engine>(
    engine: &E,
    names: &Names,
    members: &[Member<E::Fields>],
    log: &DecisionLog,
) -> Vec<Option<u32>> {
    let mut column = Column::new(engine, names, members, log);
    let mut kinds = vec![None; members.len()];
    for unit in group_by_unit(engine, members) {
        let of_unit = column.unit_reason(unit.numbers());
        for number in unit.numbers() {
            kinds[*number] = column.reason(*number, of_unit).map(|reason| reason.kind);
        }
    }
    kinds
}

/// A column while its members are counted.
struct Column<'c, E: Engine> {
    engine: &'c E,
    names: NameCache<'c>,
    members: &'c [Member<E::Fields>],
    log: &'c DecisionLog,
    counts: PolicyCounts,
}

/// A failure that ended a job or a unit, and the decision about it.
#[derive(Debug, Clone, Copy)]
struct LastReason {
    kind: u32,
    decision: LastDecision,
    /// The place of the decision among those about the unit.
    place: usize,
}

impl LastReason {
    /// Whether the member failed only since another member's failure ended the gang.
    fn is_with_gang(&self) -> bool {
        self.decision.code() == ENDED_WITH_GANG
    }
}

/// The code of a decision that another member's failure turned into the end of the gang (semantics.md, section 9).
const ENDED_WITH_GANG: &str = "fail_gang";

impl<'c, E: Engine> Column<'c, E> {
    fn new(
        engine: &'c E,
        names: &'c Names,
        members: &'c [Member<E::Fields>],
        log: &'c DecisionLog,
    ) -> Self {
        let (names, counts) = (NameCache::new(names), PolicyCounts::default());
        Self { engine, names, members, log, counts }
    }

    fn add_unit(
        &mut self,
        numbers: &[usize],
        record: &MemberRecords,
        only: Option<usize>,
        reasons: &mut Reasons,
    ) {
        let unit_reason = self.unit_reason(numbers);
        let is_group = self.engine.unit_key(&self.members[numbers[0]]).is_some();
        let unit_outcome = self.log(numbers[0]).and_then(|log| log.outcome);
        let (mut has_retries, mut not_reached) = (false, None);
        for number in numbers.iter().filter(|number| is_reported::<E>(**number, only)) {
            let outcome = match E::REPORTED_PER {
                ReportedPer::Member => self.log(*number).and_then(|log| log.outcome),
                ReportedPer::Unit => unit_outcome,
            };
            let reason = self.reason(*number, unit_reason);
            let failed = reason.filter(|_| outcome == Some(Outcome::Failed));
            let failed = failed.map(|it| reasons.number(ReasonKey::new(it.kind, it.decision)));
            let (reached, has_more) = self.add_runs(*number, failed, reasons);
            if is_group {
                self.counts.reruns += self.log(*number).map_or(0, |log| log.reruns);
            }
            has_retries |= reached > 1;
            not_reached = not_reached.or(failed.filter(|_| has_more));
            if E::REPORTED_PER == ReportedPer::Member {
                let on_record = record.outcomes[*number];
                self.add_job((outcome, on_record), has_retries, not_reached, reasons);
                (has_retries, not_reached) = (false, None);
            }
        }
        if E::REPORTED_PER == ReportedPer::Unit {
            let outcomes = (unit_outcome, record.outcomes[numbers[0]]);
            self.add_job(outcomes, has_retries, not_reached, reasons);
        }
    }

    /// The failure that ended a unit: of a gang that of the member which did not fail with the others, else the last. Of
    /// several members it is the one with the first id, whatever the order of their records.
    fn unit_reason(&mut self, numbers: &[usize]) -> Option<LastReason> {
        let reason = |number: &usize| Some((*number, self.last_reason(*number)?));
        let reasons: Vec<(usize, LastReason)> = numbers.iter().filter_map(reason).collect();
        let id = |number: usize| &*self.members[number].unit;
        let reason = match E::REPORTED_PER {
            ReportedPer::Member => reasons.into_iter().min_by(|(one, a), (other, b)| {
                (a.is_with_gang(), id(*one)).cmp(&(b.is_with_gang(), id(*other)))
            }),
            ReportedPer::Unit => reasons.into_iter().max_by_key(|(_, reason)| reason.place),
        };
        reason.map(|(_, reason)| reason)
    }

    /// The failure that ended a member: its own, else that of its unit.
    fn reason(&mut self, number: usize, of_unit: Option<LastReason>) -> Option<LastReason> {
        match E::REPORTED_PER {
            ReportedPer::Member => {
                let own = self.last_reason(number).filter(|own| !own.is_with_gang());
                own.or(of_unit)
            }
            ReportedPer::Unit => of_unit,
        }
    }

    fn log(&self, number: usize) -> Option<&MemberLog> {
        self.log.member(number)
    }

    /// Counts a job with its outcome here and on record. `reason` is that of its end if runs are not reached.
    fn add_job(
        &mut self,
        (outcome, on_record): (Option<Outcome>, Option<Outcome>),
        has_retries: bool,
        reason: Option<u32>,
        reasons: &mut Reasons,
    ) {
        let has_succeeded = on_record == Some(Outcome::Succeeded);
        self.counts.recovered += u64::from(outcome == Some(Outcome::Succeeded) && has_retries);
        if outcome == Some(Outcome::Failed) && has_succeeded {
            self.counts.failed_succeeded += 1;
        }
        if let Some(reason) = reason {
            reasons.add_job(reason, has_succeeded);
        }
    }

    /// The last failure of a member that no run follows, with the decision about it.
    fn last_reason(&mut self, number: usize) -> Option<LastReason> {
        let log = self.log.member(number)?;
        let runs = self.members[number].runs.iter().enumerate().rev();
        let mut failed = runs.filter(|(at, run)| {
            let (decisions, reach) = log.run(*at);
            let has_ended = reach == Reach::Reached;
            !(decisions.is_empty() || has_ended && self.engine.ending(run) == Ending::Succeeded)
        });
        let (at, run) = failed.next()?;
        let (decisions, reach) = log.run(at);
        let last = decisions.last().filter(|last| !last.grants_run)?.decision;
        let is_past = |it: &Decided| it.decision.is_past_deadline();
        let kind = if reach != Reach::Reached || decisions.iter().any(is_past) {
            self.names.deadline()
        } else {
            self.names.kind(&self.engine.labels(run))
        };
        Some(LastReason { kind, decision: last, place: log.last_place })
    }

    /// Counts the runs of a member: those after the first that are reached, and those that are not, or not to their
    /// end. Returns the number of those that are reached, and whether some are not.
    fn add_runs(
        &mut self,
        number: usize,
        reason: Option<u32>,
        reasons: &mut Reasons,
    ) -> (u64, bool) {
        let member = &self.members[number];
        let Some(log) = self.log.member(number) else { return (0, false) };
        let (mut reached, mut has_more) = (0, false);
        // The kind of the run before, and the last decision about it.
        let mut before: Option<(u32, Option<LastDecision>)> = None;
        for (at, run) in member.runs.iter().enumerate() {
            let recorded = recorded_run(self.engine, &mut self.names, member, run);
            let Some(recorded) = recorded else { continue };
            let reach = log.run(at).1;
            let last = log.run(at).0.last().map(|decided| decided.decision);
            let before = before.replace((recorded.end.kind, last));
            reached += u64::from(reach != Reach::NotReached);
            if reach == Reach::Reached {
                if let Some((kind, decision)) = before {
                    self.counts.add_retry(&recorded, Granted::new(kind, decision));
                }
                continue;
            }
            has_more = true;
            let Some(reason) = reason else {
                self.counts.add_not_reached(&recorded);
                continue;
            };
            reasons.add_run(reason, &recorded);
            if recorded.has_succeeded() {
                self.counts.add_sample(&member.unit);
            }
        }
        (reached, has_more)
    }
}
