//! Runs a case: replays its history, and compares the decisions with what is expected.

use super::case::{Case, Expectation, JobExpectation};
use super::case_history::{Attempt, Recorded};
use super::compare::{FieldDifference, differences};
use document::diag::{Code, Diagnostic, Findings, Place, plural};
use replay::history::Run;
use replay::simulate::{
    DecisionNote, DecisionReport, Ending, Engine, JobReport, NotedReplay, replay_noted,
};
use serde_json::Value;
use std::collections::HashMap;
use systems::{System, Tried};

/// The outcome of a case.
#[derive(Debug)]
pub struct CaseOutcome {
    /// The expectations that do not hold; empty if the test passes.
    pub mismatches: Vec<Mismatch>,
    /// The decisions, with what was checked of each.
    pub decided: Vec<CheckedDecision>,
}

/// An expectation that does not hold.
#[derive(Debug)]
pub struct Mismatch {
    /// The place of the expectation.
    pub place: Place,
    /// Its subject: `attempt 11: Preempted`, or `the job's end`.
    pub subject: String,
    /// The fields that differ; empty if there is nothing to compare.
    pub fields: Vec<FieldDifference>,
    /// Why there is nothing to compare, or the reason of what came instead.
    pub reason: String,
    /// The decision, if there is one, and every rule that was tried.
    pub decision: Option<(Box<DecisionReport>, Vec<Tried>)>,
}

/// A decision, with what holding expectations check of it.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct CheckedDecision {
    /// The number of the rule or default that it is attributed to, among those of the engine.
    pub rule: Option<usize>,
    /// Whether a limit stopped it.
    pub exhausted: bool,
    /// Whether it grants a retry.
    pub retry: bool,
    /// The decision.
    pub report: DecisionReport,
    /// The attempt, from 1.
    pub attempt: usize,
    /// Whether its action or its code is checked.
    pub has_outcome_check: bool,
    /// Whether the rule that decided is checked.
    pub has_rule_check: bool,
}

/// Reports attempts and jobs of a case's expectations that its history does not have.
pub fn check_attempts<S: Engine>(
    case: &Case<'_>,
    recorded: &Recorded<S::Fields>,
    findings: &mut Findings,
) {
    let count = recorded.attempts.len();
    for expectation in &case.expectations {
        if let Some(attempt) = expectation.attempt.filter(|attempt| *attempt > count) {
            let attempts = plural(count, "attempt", "attempts");
            let message = format!("attempt {attempt} does not exist: the test has {attempts}");
            let place = expectation.attempt_place.clone();
            findings.push(
                Diagnostic::error(Code::OutOfRange, place, message)
                    .help("attempts count from 1; add failures, or `repeat: N` to one"),
            );
        }
    }
    let mut ids: Vec<&str> = recorded.history.members.iter().map(|it| &*it.unit).collect();
    ids.dedup();
    match case.job.as_ref().map(|job| (job, &job.job)) {
        Some((_, Some((id, place)))) if !ids.contains(&id.as_str()) => {
            let message = format!("there is no job `{id}`");
            let help = format!("the jobs are {}", ids.join(", "));
            findings
                .push(Diagnostic::error(Code::UndefinedName, place.clone(), message).help(help));
        }
        Some((job, None))
            if ids.len() > 1 && S::REPORTED_PER == replay::simulate::ReportedPer::Member =>
        {
            let message =
                format!("the failures are of {} jobs, and `expectJob` names none", ids.len());
            let help = format!("write `jobId`, one of {}", ids.join(", "));
            findings
                .push(Diagnostic::error(Code::InvalidTest, job.place.clone(), message).help(help));
        }
        _ => {}
    }
}

/// Runs a case whose names and attempts exist. `has_several_policies` is whether an index of a rule needs the policy's
/// name, `seed` is that of random values of the policies.
pub fn run_case<S: System>(
    engine: &S,
    has_several_policies: bool,
    recorded: &Recorded<S::Fields>,
    case: &Case<'_>,
    seed: u64,
) -> CaseOutcome {
    let NotedReplay { jobs, notes } = replay_noted(engine, &recorded.history.members, seed);
    let members = &recorded.history.members;
    let index =
        |at: &Attempt| Some((at.member, members.get(at.member)?.runs.get(at.run)?.run_index));
    let numbers = recorded.attempts.iter().zip(1..);
    let numbers = numbers.filter_map(|(at, number)| Some((index(at)?, number))).collect();
    let replay = ReplayedCase { engine, recorded, numbers, jobs, notes };
    let mut decided = replay.decisions();
    let mut mismatches = Vec::new();
    for expectation in &case.expectations {
        match replay.compare(expectation) {
            Err(mismatch) => mismatches.push(*mismatch),
            Ok(note) => check(&mut decided[note], expectation, has_several_policies),
        }
    }
    mismatches.extend(case.job.as_ref().and_then(|job| replay.compare_job(job)));
    CaseOutcome { mismatches, decided }
}

/// Notes what a holding expectation checks of a decision.
fn check(decision: &mut CheckedDecision, expectation: &Expectation, has_several_policies: bool) {
    let field = |name: &str| expectation.fields.iter().find(|field| field.name == name);
    decision.has_outcome_check |= field("action").is_some() || field("decision").is_some();
    let names_rule =
        field("ruleIndex").is_some() && (!has_several_policies || field("policy").is_some());
    let names_default =
        field("decision").is_some_and(|it| it.value.as_str() == Some("fail_default"));
    decision.has_rule_check |= names_rule || names_default;
}

/// A case whose history was replayed.
struct ReplayedCase<'c, S: Engine> {
    engine: &'c S,
    recorded: &'c Recorded<S::Fields>,
    /// The numbers of the attempts, from 1, by member and index of the run.
    numbers: HashMap<(usize, u32), usize>,
    /// The reports, each with the number of its member.
    jobs: Vec<(usize, JobReport)>,
    notes: Vec<DecisionNote<S::State>>,
}

impl<S: System> ReplayedCase<'_, S> {
    fn run(&self, attempt: Attempt) -> Option<&Run<S::Fields>> {
        self.recorded.history.members.get(attempt.member)?.runs.get(attempt.run)
    }

    /// The number of the attempt that a note is about, from 1.
    fn attempt_of(&self, note: &DecisionNote<S::State>) -> usize {
        self.numbers.get(&(note.member, note.run_index)).copied().unwrap_or(0)
    }

    fn decisions(&self) -> Vec<CheckedDecision> {
        let decision = |note: &DecisionNote<S::State>| CheckedDecision {
            rule: note.facts.rule,
            exhausted: note.facts.exhausted,
            retry: note.facts.retry,
            report: note.report.clone(),
            attempt: self.attempt_of(note),
            has_outcome_check: false,
            has_rule_check: false,
        };
        self.notes.iter().map(decision).collect()
    }

    /// The number of the note of the decision that an expectation is about, if it holds.
    fn compare(&self, expectation: &Expectation) -> Result<usize, Box<Mismatch>> {
        let number = expectation.attempt.unwrap_or(self.recorded.attempts.len());
        // Without attempts the number is 0, which wraps around to one that no list has.
        let attempt = self.recorded.attempts.get(number.wrapping_sub(1)).copied();
        let run = attempt.and_then(|attempt| self.run(attempt));
        let is_own = |note: &DecisionNote<S::State>| {
            let level = note.report.system.text("level");
            attempt.is_some_and(|attempt| attempt.member == note.member)
                && run.is_some_and(|run| run.run_index == note.run_index)
                && expectation.level.as_ref().is_none_or(|wanted| level == Some(wanted.as_ref()))
        };
        let Some(found) = self.notes.iter().rposition(is_own) else {
            return Err(Box::new(Mismatch {
                place: expectation.place.clone(),
                subject: format!("attempt {number}"),
                fields: Vec::new(),
                reason: self.reason_without_decision(number, run, expectation.level.as_deref()),
                decision: None,
            }));
        };
        let note = &self.notes[found];
        let report = serde_json::to_value(&note.report).unwrap_or_default();
        let fields = differences(&expectation.fields, &report);
        if fields.is_empty() {
            return Ok(found);
        }
        let member = self.recorded.history.members.get(note.member);
        let tried =
            member.zip(run).map(|(member, run)| self.engine.trace(&note.before, member, run));
        Err(Box::new(Mismatch {
            place: expectation.place.clone(),
            subject: format!("attempt {number}: {}", note.report.failure),
            fields,
            reason: note.report.reason.clone(),
            decision: Some((Box::new(note.report.clone()), tried.unwrap_or_default())),
        }))
    }

    /// Why there is no decision about an attempt.
    fn reason_without_decision(
        &self,
        number: usize,
        run: Option<&Run<S::Fields>>,
        level: Option<&str>,
    ) -> String {
        let about = |note: &&DecisionNote<S::State>| self.attempt_of(note) == number;
        if let Some((level, note)) = level.zip(self.notes.iter().find(about)) {
            let other = note.report.system.text("level").unwrap_or("no level");
            return format!("there is no decision of level {level} about it, only of {other}");
        }
        let last = self.notes.iter().map(|note| self.attempt_of(note)).max().unwrap_or(0);
        match self.notes.iter().rfind(|note| self.attempt_of(note) == last) {
            Some(note) if last < number => format!(
                "it is not reached: attempt {last} was decided {} ({}): {}",
                note.report.action, note.report.decision, note.report.reason
            ),
            _ if run.is_some_and(|run| self.engine.ending(run) == Ending::Succeeded) => {
                "it succeeded, so nothing is decided".to_owned()
            }
            _ => "nothing is decided about it".to_owned(),
        }
    }

    /// The differences at a job's end.
    fn compare_job(&self, expected: &JobExpectation) -> Option<Mismatch> {
        let is_meant = |(_, report): &&(usize, JobReport)| {
            expected.job.as_ref().is_none_or(|(id, _)| report.job_id == *id)
        };
        let Some((_, report)) = self.jobs.iter().find(is_meant) else {
            return Some(Mismatch {
                place: expected.place.clone(),
                subject: "the job's end".to_owned(),
                fields: Vec::new(),
                reason: "no job was replayed".to_owned(),
                decision: None,
            });
        };
        let value = serde_json::to_value(report).unwrap_or(Value::Null);
        let fields = differences(&expected.fields, &value);
        (!fields.is_empty()).then(|| Mismatch {
            place: expected.place.clone(),
            subject: "the job's end".to_owned(),
            fields,
            reason: report.reason.clone(),
            decision: None,
        })
    }
}
