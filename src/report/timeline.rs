//! The timeline of a job: a row for each decision, and the end of the job.

use super::durations::wait;
use super::layout::Layout;
use super::rule_label::rule;
use super::table::Table;
use super::wrap::prose;
use document::diag::printable;
use replay::simulate::{DecisionReport, JobReport, RunReach, RunReport};
use std::borrow::Cow;
use std::fmt::Write;
use systems::{Description, description_of_engine};
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
        let _ = write!(out, "\n{}", decisions(job, system, dates, layout));
    }
    let _ = writeln!(out, "\n{}", prose(&ending(job, layout), layout));
    for contradiction in &job.contradictions {
        let text =
            format!("Contradiction: run {} {}.", contradiction.run_index, contradiction.what);
        let _ = writeln!(out, "{}", prose(&printable(&text), layout));
    }
}

/// A column of the timeline: its header, and the text of its cells; an empty text means no value.
type Column = (&'static str, fn(&DecisionReport, &Scene) -> String);

/// The columns of every timeline.
const COLUMNS: [Column; 17] = [
    ("JOB", |d, scene| scene.strip_unit(d.system.job_name.as_deref().unwrap_or_default(), '-')),
    ("INDEX", |d, _| text(d.system.pod_index)),
    ("TASK", |d, _| text(d.system.task)),
    ("RUN", |d, _| text(d.run_index)),
    ("NODE", |d, _| d.node.clone().unwrap_or_default()),
    ("ENDED AT", |d, scene| scene.time(d.failed_at.as_deref())),
    ("FAILURE", |d, _| d.failure.clone()),
    ("RULE", |d, scene| scene.rule(d)),
    ("LIMIT", |d, scene| scene.limit(d)),
    ("COUNT", |d, _| {
        d.count.zip(d.limit).map(|(count, limit)| format!("{count}/{limit}")).unwrap_or_default()
    }),
    ("TOTAL", |d, _| {
        let limit = d.global_max_retries;
        limit.map(|limit| format!("{}/{limit}", d.total_retries)).unwrap_or_default()
    }),
    ("RESTARTS", |d, _| restarts(d)),
    ("ACTION", |d, _| d.action.clone()),
    ("WAIT", |d, _| d.delay_seconds.map(wait).unwrap_or_default()),
    ("RETRY AFTER", |d, scene| scene.time(d.retry_after.as_deref())),
    ("AVOID", |d, _| d.avoid_nodes.join(",")),
    ("NEXT POD", |d, _| d.next_pod_name.clone().unwrap_or_default()),
];

/// The columns that `-o wide` adds.
const WIDE_COLUMNS: [Column; 10] = [
    ("TASK STATE", |d, _| d.system.task_state.unwrap_or_default().to_owned()),
    ("JOB STATE", |d, _| d.system.job_state.unwrap_or_default().to_owned()),
    ("REASON", |d, _| d.system.failure_reason.clone().unwrap_or_default()),
    ("CATEGORY", |d, _| category(d)),
    ("MESSAGE", |d, _| one_line(d.system.failure_message.as_deref().unwrap_or_default())),
    ("POD", |d, _| d.pod_name.clone().unwrap_or_default()),
    ("CLUSTER", |d, _| d.cluster.clone().unwrap_or_default()),
    ("CONTAINERS", |d, _| d.containers.join(", ")),
    ("MEMORY", |d, _| text(d.memory_bytes)),
    ("DECISION", |d, _| d.decision.clone()),
];

/// The least widths of columns, at which their cells still differ: `RestartJobSetAndIg..`, `3 (1 free)`.
const TELLING: [(&str, usize); 2] = [("ACTION", 20), ("RESTARTS", 10)];
/// Columns that are omitted if all their cells are empty, unless the system has them always.
const OMITTED_IF_EMPTY: [&str; 18] = [
    "JOB",
    "INDEX",
    "TASK",
    "LIMIT",
    "RESTARTS",
    "REASON",
    "CATEGORY",
    "MESSAGE",
    "TASK STATE",
    "JOB STATE",
    "RULE",
    "AVOID",
    "NEXT POD",
    "TOTAL",
    "POD",
    "MEMORY",
    "CLUSTER",
    "CONTAINERS",
];

/// The restarts of a set, and the number of those that do not count.
fn restarts(decision: &DecisionReport) -> String {
    let count = |name| decision.system.counts.as_ref()?.get(name);
    match (count("restarts"), count("restartsCountTowardsMax")) {
        (Some(all), Some(counted)) if all == counted => all.to_string(),
        (Some(all), Some(counted)) => format!("{all} ({} free)", all.saturating_sub(*counted)),
        _ => String::new(),
    }
}

/// The category that the executor reports, with its subcategory: `gpu/ecc`.
fn category(decision: &DecisionReport) -> String {
    let names = [&decision.system.category, &decision.system.subcategory];
    names.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join("/")
}

/// The lines of a text, in one.
fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn decisions(
    job: &JobReport,
    system: &'static Description,
    dates: Dates,
    layout: &Layout,
) -> String {
    let scene = Scene::new(job, system, dates);
    let wide = if layout.wide { WIDE_COLUMNS.as_slice() } else { &[] };
    let columns: Vec<&Column> = COLUMNS.iter().chain(wide).collect();
    let mut table = Table::new(columns.iter().map(|(header, _)| *header).collect()).dispensable(&[
        "NEXT POD",
        "AVOID",
        "NODE",
        "RETRY AFTER",
        "ENDED AT",
        "TOTAL",
        "INDEX",
    ]);
    for decision in rows(job) {
        let good = |header| match decision.action.as_str() {
            "Retry" if header == "ACTION" => Some(true),
            "Fail" if header == "ACTION" => Some(false),
            _ => None,
        };
        let cells = columns.iter().map(|(header, cell)| (cell(&decision, &scene), good(*header)));
        table.painted_row(cells);
    }
    let mut omitted = OMITTED_IF_EMPTY.to_vec();
    omitted.retain(|column| !system.fixed_columns.contains(column));
    table.at_least(&TELLING).without_empty(&omitted).render(layout)
}

/// The rows of a timeline: the decisions, and for a unit of one member the runs without a decision.
fn rows(job: &JobReport) -> Vec<Cow<'_, DecisionReport>> {
    if job.runs.iter().any(|run| run.member > 0) {
        return job.decisions.iter().map(Cow::Borrowed).collect();
    }
    let is_of = |decision: &&DecisionReport, run: &RunReport| {
        decision.run_index.is_none_or(|index| index == run.run_index)
    };
    let of_no_run = |decision: &&DecisionReport| !job.runs.iter().any(|run| is_of(decision, run));
    let mut rows: Vec<Cow<'_, DecisionReport>> = Vec::new();
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

/// The text of a cell of the timeline, in the column of this header.
pub(super) fn cell(header: &str, decision: &DecisionReport, scene: &Scene) -> String {
    let column = COLUMNS.iter().find(|(name, _)| *name == header);
    column.map_or_else(String::new, |(_, cell)| cell(decision, scene))
}

/// The context that rows of a timeline do not repeat.
pub(super) struct Scene<'j> {
    unit: &'j str,
    system: &'static Description,
    /// The manifest of a unit of another system, if there is only one: the head of the output names it.
    only: Option<&'j str>,
    dates: Dates,
}

impl<'j> Scene<'j> {
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

impl Scene<'_> {
    /// The name of a part of the unit, without the unit's name before it.
    fn strip_unit(&self, name: &str, separator: char) -> String {
        let part = name.strip_prefix(self.unit).and_then(|rest| rest.strip_prefix(separator));
        part.unwrap_or(name).to_owned()
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
