//! The runs of a case as a history in memory, and its attempts.

use super::case::{Case, CaseRuns};
use document::diag::{Code, Diagnostic, Findings, nearest};
use document::units::Time;
use document::{Document, Node};
use replay::history::{Failure, History, Member, OnBadRecord, RecordFields};
use replay::simulate::{ReportedPer, read_history};
use std::collections::HashMap;
use systems::System;

/// The history of a case.
#[derive(Debug)]
pub struct Recorded<F: RecordFields> {
    /// The history.
    pub history: History<F>,
    /// The attempts, in order.
    pub attempts: Vec<Attempt>,
}

/// A run of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    /// The number of its member.
    pub member: usize,
    /// Its number among the runs of the member.
    pub run: usize,
}

/// Reads the failures that a case holds. `defaults` are those of fields that a failure lacks.
pub fn read_failures<S: System>(
    document: &Document,
    case: &Case<'_>,
    failures: &[Failure<'_>],
    limits: Option<<S::Fields as RecordFields>::Limits>,
    findings: &mut Findings,
) -> Recorded<S::Fields> {
    let mut runs = Vec::new();
    let (history, found) = read_history::<S>(limits, OnBadRecord::ErrorToTheEnd, |stream| {
        runs = stream.failures(document, case.test, failures);
    });
    findings.extend(found);
    let mut next: HashMap<usize, usize> = HashMap::new();
    let mut attempts = Vec::with_capacity(runs.len());
    for (unit, key) in &runs {
        let is_own = |member: &Member<S::Fields>| *member.unit == **unit && member.key == *key;
        let Some(member) = history.members.iter().position(is_own) else { continue };
        let run = next.entry(member).or_default();
        attempts.push(Attempt { member, run: *run });
        *run += 1;
    }
    check_events(document, case.test, &history, findings);
    let mut recorded = Recorded { history, attempts };
    if S::REPORTED_PER == ReportedPer::Unit {
        recorded.set_times();
    }
    recorded
}

impl<F: RecordFields> Recorded<F> {
    /// Lets the attempts end one second after another, if no run has a time and there are several members: without times
    /// their order would be that of the members. Kubernetes' times are whole seconds.
    fn set_times(&mut self) {
        let members = &mut self.history.members;
        let has_times =
            members.iter().flat_map(|member| &member.runs).any(|run| run.time().is_some());
        if has_times || members.len() < 2 {
            return;
        }
        for (attempt, second) in self.attempts.iter().zip(1..) {
            let run = members.get_mut(attempt.member).and_then(|it| it.runs.get_mut(attempt.run));
            if let Some(run) = run {
                run.finished_at = Some(Time::from_epoch_seconds(second));
            }
        }
    }
}

/// Reports reloads that no failure follows: they would have no effect.
fn check_events<F: RecordFields>(
    document: &Document,
    test: &Node,
    history: &History<F>,
    findings: &mut Findings,
) {
    let runs = || history.members.iter().flat_map(|member| &member.runs);
    let events = test.get("events").map(Node::items).unwrap_or_default();
    for (event, reload) in events.iter().zip(&history.reloads) {
        if runs().any(|run| run.time().is_some_and(|time| time >= reload.at)) {
            continue;
        }
        let (message, help) = if runs().all(|run| run.time().is_none()) {
            ("the reload has no effect: no failure has a time", "add `finishedAt` to the failures")
        } else {
            ("the reload has no effect: it comes after all failures", "move it before a failure")
        };
        let finding = Diagnostic::error(Code::InvalidTest, document.place(event.span), message);
        findings.push(finding.help(help));
    }
}

/// The attempts of the job of a case in a recorded history: its runs by time, those without a time as recorded. Members
/// of other units are removed unless `keeps` them.
///
/// # Errors
///
/// If the history has no such job, or several and none is named.
pub fn attempts_of_history<F: RecordFields>(
    document: &Document,
    case: &Case<'_>,
    mut history: History<F>,
    unit_key: impl Fn(&Member<F>) -> Option<String>,
) -> Result<Recorded<F>, Box<Diagnostic>> {
    let id = unit_of(document, case, &history)?;
    let key = history.members.iter().find(|member| *member.unit == *id).and_then(&unit_key);
    history
        .members
        .retain(|member| *member.unit == *id || key.is_some() && unit_key(member) == key);
    let members = history.members.iter().enumerate().filter(|(_, member)| *member.unit == *id);
    let mut runs: Vec<(Option<Time>, Attempt)> = members
        .flat_map(|(number, member)| {
            let runs = member.runs.iter().enumerate();
            runs.map(move |(run, it)| (it.time(), Attempt { member: number, run }))
        })
        .collect();
    // Runs without a time have no place among the others: then the order of the records stays.
    if runs.iter().all(|(time, _)| time.is_some()) {
        runs.sort_by_key(|(time, attempt)| (*time, attempt.run, attempt.member));
    }
    let attempts = runs.into_iter().map(|(_, attempt)| attempt).collect();
    Ok(Recorded { history, attempts })
}

/// The id of the job of a case.
fn unit_of<F: RecordFields>(
    document: &Document,
    case: &Case<'_>,
    history: &History<F>,
) -> Result<String, Box<Diagnostic>> {
    let CaseRuns::History { file, job } = &case.runs else { return Ok(String::new()) };
    let mut ids: Vec<&str> = history.members.iter().map(|member| &*member.unit).collect();
    ids.dedup();
    let error = |node: &Node, code, message: String| {
        Diagnostic::error(code, document.place(node.span), message)
    };
    let quoted =
        |ids: Vec<&str>| ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(" or ");
    match (job.and_then(|job| Some((job, job.text()?))), ids.as_slice()) {
        (Some((_, id)), ids) if ids.contains(&id) => Ok(id.to_owned()),
        (Some((job, id)), _) => {
            let near = nearest(id, ids.iter().copied(), 3);
            let help = (!near.is_empty()).then(|| format!("did you mean {}?", quoted(near)));
            let finding = error(job, Code::UndefinedName, format!("the history has no job `{id}`"));
            Err(Box::new(finding.maybe_help(help)))
        }
        (None, [only]) => Ok((*only).to_owned()),
        (None, ids) => {
            let message = match ids.len() {
                0 => "the history has no runs".to_owned(),
                count => format!("the history has {count} jobs, and the test names none"),
            };
            let some = quoted(ids.iter().take(3).copied().collect());
            let help = (!ids.is_empty()).then(|| format!("write `job: ID`, such as {some}"));
            Err(Box::new(error(file, Code::InvalidTest, message).maybe_help(help)))
        }
    }
}
