//! The timeline of a job: a row for each decision, and the end of the job.

use super::decision_line::rule;
use super::durations::wait;
use super::layout::{Layout, prose};
use super::table::{Column, Head, Table, head};
use document::diag::printable;
use replay::simulate::{DecisionReport, JobReport, RunReach, RunReport};
use std::borrow::Cow;
use std::fmt::Write;
use systems::{ColumnPlace, DecisionColumn, Description, description_of_engine};
use unicode_width::UnicodeWidthStr;

/// Writes the policies of a job, a row for each decision, its end, and what contradicts the policies.
pub(super) fn timeline(out: &mut String, job: &JobReport, engine: &str, layout: &Layout) {
    let system = description_of_engine(engine);
    let dates = Dates::of(job);
    let policies = if job.effective_policies.is_empty() {
        "no policies".to_owned()
    } else {
        format!("policies {}", job.effective_policies.join(", "))
    };
    let mut head = format!("{} {}", system.title, job.job_id);
    if !job.queue.is_empty() {
        let _ = write!(head, "  queue {}", job.queue);
    }
    let _ = write!(head, "  {policies} ({})", system.engine_title(engine));
    if let Some(day) = &dates.only {
        let _ = write!(head, "  {day} UTC");
    }
    let _ = writeln!(out, "{}", prose(&printable(&head), layout));
    if !job.decisions.is_empty() || !job.runs.is_empty() {
        let context = TimelineContext::new(job, system, dates);
        Table::new(rows(job), &columns(&context, layout.wide)).write(out, layout);
    }
    let _ = writeln!(out, "\n{}", prose(&ending(job, layout), layout));
    for contradiction in &job.contradictions {
        let text =
            format!("Contradiction: run {} {}.", contradiction.run_index, contradiction.what);
        let _ = writeln!(out, "{}", prose(&printable(&text), layout));
    }
}

/// A column that all systems have: its header, its place among those that a narrow terminal leaves out, whether it is
/// shown if it is empty, and the text of its cells.
type CommonColumn =
    (&'static str, Option<usize>, bool, fn(&DecisionReport, &TimelineContext<'_>) -> String);

/// The columns up to the counts of limits; a system's own counts come after them.
// One order with the columns of `FROM_ACTION`: `NEXT POD` is left out first, `TOTAL` late.
const UP_TO_COUNTS: &[CommonColumn] = &[
    ("RUN", None, true, |d, _| text(d.run_index)),
    ("NODE", Some(3), true, |d, _| d.node.clone().unwrap_or_default()),
    ("ENDED AT", Some(5), true, |d, context| context.time(d.failed_at.as_deref())),
    ("FAILURE", None, true, |d, _| d.failure.clone()),
    ("RULE", None, false, |d, context| context.rule(d)),
    ("LIMIT", None, false, |d, context| context.limit(d)),
    ("COUNT", None, true, |d, _| {
        d.count.zip(d.limit).map(|(count, limit)| format!("{count}/{limit}")).unwrap_or_default()
    }),
    ("TOTAL", Some(6), false, |d, _| {
        let limit = d.global_max_retries;
        limit.map(|limit| format!("{}/{limit}", d.total_retries)).unwrap_or_default()
    }),
];
/// The columns from the action on.
const FROM_ACTION: &[CommonColumn] = &[
    ("ACTION", None, true, |d, _| d.action.clone()),
    ("WAIT", None, true, |d, _| d.delay_seconds.map(wait).unwrap_or_default()),
    ("RETRY AFTER", Some(4), true, |d, context| context.time(d.retry_after.as_deref())),
    ("AVOID", Some(2), false, |d, _| d.avoid_nodes.join(",")),
    ("NEXT POD", Some(1), false, |d, _| d.next_pod_name.clone().unwrap_or_default()),
];
/// The columns that `-o wide` adds.
const WIDE_COLUMNS: &[CommonColumn] = &[
    ("POD", None, false, |d, _| d.pod_name.clone().unwrap_or_default()),
    ("CLUSTER", None, false, |d, _| d.cluster.clone().unwrap_or_default()),
    ("CONTAINERS", None, false, |d, _| d.containers.join(", ")),
    ("MEMORY", None, false, |d, _| text(d.memory_bytes)),
    ("DECISION", None, true, |d, _| d.decision.clone()),
];

/// The least width of `ACTION`, at which its cells still differ: `RestartJobSetAndIg..`.
const ACTION_WIDTH: usize = 20;

/// The rows of a timeline.
type Row<'j> = Cow<'j, DecisionReport>;

/// The columns of a system's timelines, in order: those that all systems have, and its own.
fn columns<'s, 'j>(context: &'s TimelineContext<'_>, wide: bool) -> Vec<Column<'s, Row<'j>>> {
    let own = |is_there: fn(&DecisionColumn) -> bool| {
        let columns = context.system.columns.iter().filter(move |column| is_there(column));
        columns.map(|column| {
            let is_last = column.place == ColumnPlace::DispensableMember;
            let head = own_head(column).leave_out(is_last.then_some(7));
            head.cell(|decision: &Row<'_>| context.own_cell(column, decision))
        })
    };
    let common = |columns: &'static [CommonColumn]| {
        columns.iter().map(|(title, priority, is_shown_empty, cell)| {
            let is_action = *title == "ACTION";
            let keeps_empty = context.system.keeps_empty_columns && *title != "LIMIT";
            let head = head(title).leave_out(*priority).shown_empty(*is_shown_empty || keeps_empty);
            let head = head.at_least(if is_action { ACTION_WIDTH } else { 0 });
            head.cell(move |decision: &Row<'_>| {
                let good = match decision.action.as_str() {
                    "Retry" if is_action => Some(true),
                    "Fail" if is_action => Some(false),
                    _ => None,
                };
                (cell(decision, context), good)
            })
        })
    };
    let mut columns: Vec<_> = own(DecisionColumn::is_of_member).collect();
    columns.extend(common(UP_TO_COUNTS));
    columns.extend(own(|column| column.place == ColumnPlace::Count));
    columns.extend(common(FROM_ACTION));
    if wide {
        columns.extend(own(|column| column.place == ColumnPlace::Wide));
        columns.extend(common(WIDE_COLUMNS));
    }
    columns
}

/// The head of a column that only one system has.
pub(super) fn own_head(column: &DecisionColumn) -> Head {
    head(column.header).if_any().at_least(column.min_width.unwrap_or_default())
}

/// The rows of a timeline: the decisions, and for a unit of one member the runs without a decision.
fn rows(job: &JobReport) -> Vec<Row<'_>> {
    if job.runs.iter().any(|run| run.member > 0) {
        return job.decisions.iter().map(Cow::Borrowed).collect();
    }
    let is_of = |decision: &&DecisionReport, run: &RunReport| {
        decision.run_index.is_none_or(|index| index == run.run_index)
    };
    let of_no_run = |decision: &&DecisionReport| !job.runs.iter().any(|run| is_of(decision, run));
    let mut rows: Vec<Row<'_>> = Vec::new();
    for run in &job.runs {
        let before = rows.len();
        let own = job.decisions.iter().filter(|decision| is_of(decision, run));
        rows.extend(own.map(Cow::Borrowed));
        if rows.len() == before {
            rows.push(Cow::Owned(without_decision(run)));
        }
    }
    rows.extend(job.decisions.iter().filter(of_no_run).map(Cow::Borrowed));
    rows
}

/// The row of a run without a decision.
fn without_decision(run: &RunReport) -> DecisionReport {
    DecisionReport {
        run_index: Some(run.run_index),
        node: run.node.clone(),
        cluster: run.cluster.clone(),
        failed_at: run.finished_at.clone().or_else(|| run.started_at.clone()),
        failure: run.end().to_owned(),
        action: match run.reached {
            RunReach::Reached => String::new(),
            RunReach::NotReached => "not reached".to_owned(),
            RunReach::CutOff => "cut off".to_owned(),
        },
        ..DecisionReport::default()
    }
}

/// Writes the command that explains the end of a job.
pub(super) fn explain(out: &mut String, job: &JobReport, layout: &Layout) {
    if let Some(command) = &job.explain {
        // A line feed in quotes is part of the value.
        let lines: Vec<_> = command.split('\n').map(printable).collect();
        let command = format!(" {}", lines.join("\n"));
        let _ = writeln!(out, "\nThe rules one by one:\n{}", shell_lines(&command, layout));
    }
}

/// A command in lines that a shell reads as one.
fn shell_lines(command: &str, layout: &Layout) -> String {
    let width = layout.width.unwrap_or(usize::MAX).saturating_sub(2);
    let mut lines = vec![String::from(" ")];
    for flag in flags(command) {
        if lines.last().is_some_and(|line| line.width() + flag.width() > width) {
            lines.push(String::from("   "));
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(flag);
        }
    }
    lines.join(" \\\n")
}

/// The parts of a command, each with the space before it, that begin with a flag. A value in quotes is never cut.
fn flags(command: &str) -> Vec<&str> {
    let (mut parts, mut start, mut is_quoted, mut before) = (Vec::new(), 0, false, ' ');
    for (at, character) in command.char_indices() {
        match character {
            '\'' if is_quoted || before != '\\' => is_quoted = !is_quoted,
            ' ' if !is_quoted && command[at..].starts_with(" -") => {
                parts.push(&command[start..at]);
                start = at;
            }
            _ => {}
        }
        before = character;
    }
    parts.push(&command[start..]);
    parts
}

pub(super) fn ending(job: &JobReport, layout: &Layout) -> String {
    let good = match job.outcome.as_str() {
        "Succeeded" => Some(true),
        "Failed" => Some(false),
        _ => None,
    };
    let mut text = layout.paint(&job.outcome, good);
    if let Some(word) = &job.system_outcome {
        let _ = write!(text, " ({})", printable(word));
    }
    let _ = write!(text, ": {}.", printable(&job.reason));
    match job.not_reached {
        0 => {}
        1 => text.push_str(" 1 recorded run was not reached."),
        runs => {
            let _ = write!(text, " {runs} recorded runs were not reached.");
        }
    }
    match job.cut_off {
        None => {}
        Some(1) => text.push_str(" 1 recorded run was cut off."),
        Some(runs) => {
            let _ = write!(text, " {runs} recorded runs were cut off.");
        }
    }
    if let Some(chance) = job.assumed_success {
        let _ = write!(
            text,
            " Assumed: it would have succeeded with a chance of {:.0} %.",
            chance * 100.0
        );
    }
    text
}

fn text(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// The text of a cell of the timeline, in the column with this header; it is one of all systems.
pub(super) fn cell(header: &str, decision: &DecisionReport, context: &TimelineContext) -> String {
    let column = UP_TO_COUNTS.iter().chain(FROM_ACTION).find(|(name, ..)| *name == header);
    column.map_or_else(String::new, |(.., cell)| cell(decision, context))
}

/// The context that rows of a timeline do not repeat.
pub(super) struct TimelineContext<'j> {
    unit: &'j str,
    system: &'static Description,
    /// The manifest of a unit of another system, if there is only one: the head of the output names it.
    only: Option<&'j str>,
    dates: Dates,
}

impl<'j> TimelineContext<'j> {
    fn new(job: &'j JobReport, system: &'static Description, dates: Dates) -> Self {
        let only = job.effective_policies.first().filter(|_| !system.combines_policies);
        Self { unit: &job.job_id, system, only: only.map(String::as_str), dates }
    }

    /// The day of all times, if it is the only one.
    pub(super) fn day(&self) -> Option<&str> {
        self.dates.only.as_deref()
    }

    /// The contexts of a job under two engines. Its rows do not repeat the day if both have the same one only.
    pub(super) fn pair(
        one: (&'j JobReport, &'j str),
        other: (&'j JobReport, &'j str),
    ) -> [Self; 2] {
        let days = [one, other].map(|(job, _)| Dates::of(job).only);
        let only = if days[0] == days[1] { days[0].clone() } else { None };
        [one, other].map(|(job, engine)| {
            Self::new(job, description_of_engine(engine), Dates { only: only.clone() })
        })
    }
}

impl TimelineContext<'_> {
    /// The columns that name the member of the unit.
    pub(super) fn member_columns(&self) -> impl Iterator<Item = &'static DecisionColumn> {
        self.system.columns.iter().filter(|column| column.is_of_member())
    }

    /// The text of a cell in a column that only this system has.
    pub(super) fn own_cell(&self, column: &DecisionColumn, decision: &DecisionReport) -> String {
        column.text(&decision.system, self.unit)
    }

    /// The rule, without the name of the only manifest: `[0]`, or `workers[0]` for a child Job.
    fn rule(&self, decision: &DecisionReport) -> String {
        if !self.system.has_rules && decision.rule_index.is_none() {
            return String::new();
        }
        let text = rule(decision.policy.as_deref(), decision.rule_index);
        let Some(rest) = self.only.and_then(|only| text.strip_prefix(only)) else { return text };
        rest.trim_start_matches(['/', ' ']).to_owned()
    }

    /// The field that sets the limit, for engines without rules.
    fn limit(&self, decision: &DecisionReport) -> String {
        let source = decision.limit_source.clone().filter(|_| !self.system.has_rules);
        source.unwrap_or_default()
    }

    fn time(&self, time: Option<&str>) -> String {
        time.map(|at| self.dates.short(at)).unwrap_or_default()
    }
}

/// The days of a timeline. If there is only one, rows do not repeat it.
struct Dates {
    only: Option<String>,
}

impl Dates {
    fn of(job: &JobReport) -> Self {
        let of_decisions = job.decisions.iter().flat_map(|it| [&it.failed_at, &it.retry_after]);
        let of_runs =
            job.runs.iter().map(|run| run.finished_at.as_ref().or(run.started_at.as_ref()));
        let times = of_decisions.map(Option::as_ref).chain(of_runs).flatten();
        let mut days: Vec<&str> = times.filter_map(|time| time.split('T').next()).collect();
        days.sort_unstable();
        days.dedup();
        Self { only: if let [day] = days.as_slice() { Some((*day).to_owned()) } else { None } }
    }

    /// The time of day, `10:04:12`, after the date if there are several days.
    fn short(&self, time: &str) -> String {
        let Some((day, clock)) = time.split_once('T') else { return time.to_owned() };
        let clock = clock.split(['Z', '.']).next().unwrap_or(clock);
        if self.only.is_some() { clock.to_owned() } else { format!("{day} {clock}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::layout;

    #[test]
    fn a_command_is_broken_before_flags_alone() {
        let command =
            r" armadactl explain -f p.yaml --failure 'message=it'\''s -9 not' --retries-used 3";
        assert_eq!(
            flags(command),
            [
                " armadactl explain",
                " -f p.yaml",
                r" --failure 'message=it'\''s -9 not'",
                " --retries-used 3"
            ]
        );
        let lines = shell_lines(command, &layout(40));
        assert_eq!(lines.replace(" \\\n   ", ""), format!(" {command}"));
        assert!(lines.lines().all(|line| line.width() <= 44), "{lines}");
    }
}
