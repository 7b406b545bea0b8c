//! The page of one job, gang or set: what happened to it, and what was decided?

use super::shared::{VARIANTS, cut, day_and_time};
use crate::report::ShortPaths;
use crate::report::answer::cells::{cost_in_words, value};
use crate::report::decision_line::rule;
use crate::report::durations::wait;
use crate::report::figures::several;
use crate::report::page::chart::{Filling, Tone};
use crate::report::page::charts::members::{self, MemberRun, UnitDecision};
use crate::report::page::charts::runs::{self, RunRow};
use crate::report::page::model::{Line, Page, Part, Picture, Reply, Section};
use crate::report::page::numbers::duration;
use crate::report::page::table::{Cell, ColumnKind, PageTable, more};
use jiff::Timestamp;
use replay::simulate::{
    AnswerReport, CostUnit, DecisionReport, JobReport, RunReach, RunReport, SimulationReport,
};

/// Fills the page.
pub(super) fn fill(
    page: &mut Page,
    report: &SimulationReport,
    job: &JobReport,
    names: &ShortPaths,
) {
    page.context = context(job, report);
    page.questions = questions(&report.answer, job);
    page.is_wide = true;
    page.picture = picture(job);
    let variants = report.variants.as_deref().unwrap_or_default();
    for variant in variants.iter().skip(1).take(VARIANTS) {
        let Some(example) = &variant.example else { continue };
        let title = format!("Under `{}`", variant.name);
        let picture = picture(&example.other).map(|picture| with_name(picture, &variant.name));
        let text = format!("{}: {}.", example.other.outcome, example.other.reason);
        page.add(Section::new(title, text, picture.map(Part::Picture)));
    }
    if let Some(command) = &job.explain {
        let line = Line { number: 1, text: names.text(command), ..Line::default() };
        let text = "This command explains the decision that ended the job.";
        page.add(Section::new("Why?", text, [Part::Listing(vec![line])]));
    }
}

/// The most jobs and rows of all their timelines, so that a page stays below 200 KB.
const TIMELINES: usize = 20;
const ROWS: usize = 60;

/// The section of the timelines of a short history: of the first jobs, as many as there is room for.
pub(super) fn timelines(report: &SimulationReport) -> Option<Section> {
    let jobs = report.jobs.as_deref().filter(|jobs| jobs.len() > 1)?;
    let mut rows = 0;
    let has_room = |job: &&JobReport| {
        rows += job.runs.len().min(runs::MOST);
        rows <= ROWS
    };
    let first = jobs.iter().take(TIMELINES).take_while(has_room);
    let pictures: Vec<Part> = first.filter_map(timeline).map(Part::Picture).collect();
    let text = match jobs.len() - pictures.len() {
        0 => String::new(),
        left => format!("{}: `--job ID` has the page of one.", several(left as u64, "more job")),
    };
    Section::new("Timelines", text, pictures)
}

/// The picture of one of several jobs.
fn timeline(job: &JobReport) -> Option<Picture> {
    let mut picture = with_name(picture(job)?, &job.job_id);
    picture.title = format!("`{}`: {}", cut(&job.job_id), job.outcome.to_lowercase());
    picture.text = cut(&job.reason);
    // Its bars have the same figures in words.
    picture.table = None;
    Some(picture)
}

/// The picture of a job, or of a unit of several members.
fn picture(job: &JobReport) -> Option<Picture> {
    let has_members = job.runs.iter().any(|run| run.member > 0);
    if has_members { members_picture(job) } else { runs_picture(job) }
}

/// A picture whose chart has a name of its own.
fn with_name(mut picture: Picture, variant: &str) -> Picture {
    for (_, chart) in &mut picture.charts {
        chart.name = format!("{}-{variant}", chart.name);
    }
    if let Some(table) = &mut picture.table {
        table.caption = format!("{} under {variant}", table.caption);
    }
    picture
}

fn context(job: &JobReport, report: &SimulationReport) -> String {
    let mut parts = vec!["Timeline".to_owned()];
    if !job.queue.is_empty() {
        parts.push(format!("queue `{}`", job.queue));
    }
    if !job.effective_policies.is_empty() {
        parts.push(format!("policies `{}` ({})", job.effective_policies.join(", "), report.engine));
    }
    let resources =
        job.runs.iter().find_map(|run| Some((run.cpu, run.gpu)).filter(|it| *it != (None, None)));
    if let Some((cpu, gpu)) = resources {
        let cores = cpu.map(|cpu| format!("{cpu} cores"));
        let devices = gpu.filter(|gpu| *gpu > 0.0).map(|gpu| format!("{gpu} GPUs"));
        parts.push([cores, devices].into_iter().flatten().collect::<Vec<_>>().join(", "));
    }
    parts.join(" · ")
}

fn questions(answer: &AnswerReport, job: &JobReport) -> Vec<Reply> {
    let reached = job.runs.iter().filter(|run| run.reached == RunReach::Reached).count() as u64;
    let verb = match job.outcome.as_str() {
        "Succeeded" => "It succeeds",
        "Failed" => "It fails",
        "Cancelled" => "It is cancelled",
        _ => "It is unresolved",
    };
    let end = Reply {
        question: "How does it end?",
        answer: format!("{verb} after {}.", several(reached, "run")),
        figures: format!("{}.", cut(&job.reason)),
    };
    let row = |id| value(answer, id, 1);
    let failed = row("failedRetryHours");
    let seconds: f64 = job
        .runs
        .iter()
        .filter(|run| run.reached == RunReach::Reached)
        .filter_map(span)
        .map(|(from, to)| to - from)
        .sum();
    let lead = if seconds > 0.0 {
        format!("{} of running.", duration(seconds))
    } else {
        "Times are not on record.".to_owned()
    };
    let figures = match answer.unit {
        CostUnit::Retries => String::new(),
        _ if failed == 0.0 => String::new(),
        _ => format!("{} in retries that did not succeed.", cost_in_words(answer, failed)),
    };
    let cost = Reply { question: "What did that cost?", answer: lead, figures };
    vec![end, cost, Reply { question: "What followed on record?", ..after(job) }]
}

/// The runs on record that do not happen.
fn after(job: &JobReport) -> Reply {
    let question =
        |answer: &str, figures: String| Reply { question: "", answer: answer.to_owned(), figures };
    let not_reached: Vec<&RunReport> =
        job.runs.iter().filter(|run| run.reached == RunReach::NotReached).collect();
    let cut_off = job.runs.iter().filter(|run| run.reached == RunReach::CutOff).count() as u64;
    let Some(last) = not_reached.last() else {
        return match cut_off {
            0 => question("Nothing: every run is reached.", String::new()),
            runs => question(
                "Runs are cut off.",
                format!("{} on record ended later.", several(runs, "run")),
            ),
        };
    };
    let count = not_reached.len() as u64;
    let seconds: f64 =
        not_reached.iter().filter_map(|run| span(run)).map(|(from, to)| to - from).sum();
    let are = if count == 1 { "is" } else { "are" };
    let runs =
        format!("{} {are} not reached, {} of running", several(count, "run"), duration(seconds));
    let is_good = |run: &&RunReport| run.outcome == "Succeeded";
    if is_good(last) {
        question("It succeeded later.", format!("{runs}; the last one succeeded."))
    } else if not_reached.iter().any(is_good) {
        question("A later run succeeded.", format!("{runs}."))
    } else {
        question("No later run succeeded.", format!("{runs}."))
    }
}

/// The start and the end of a run in seconds.
fn span(run: &RunReport) -> Option<(f64, f64)> {
    let read = |time: &Option<String>| seconds(time.as_deref()?);
    let (from, to) = (read(&run.started_at)?, read(&run.finished_at)?);
    (to >= from).then_some((from, to))
}

fn seconds(time: &str) -> Option<f64> {
    Some(time.parse::<Timestamp>().ok()?.as_duration().as_secs_f64())
}

/// The look of a run, after a failure in a few words.
fn look(run: &RunReport, failure: &str) -> Filling {
    if run.reached == RunReach::NotReached {
        return Filling::Dashed;
    }
    Filling::Solid(match run.outcome.as_str() {
        _ if run.reached == RunReach::CutOff => Tone::Unknown,
        "Succeeded" => Tone::Good,
        _ if failure.starts_with("Evicted") || failure.starts_with("Preempted") => {
            Tone::Interrupted
        }
        "Failed" => Tone::Bad,
        "Preempted" | "LeaseExpired" | "LeaseReturned" => Tone::Interrupted,
        _ => Tone::Unknown,
    })
}

/// The decision about a run of a job with one member.
fn decision<'j>(job: &'j JobReport, run: &RunReport) -> Option<&'j DecisionReport> {
    // Of a set the decision about it comes after that about its job.
    job.decisions.iter().rfind(|it| it.run_index.is_none_or(|index| index == run.run_index))
}

/// A decision in a few words: its action, rule, count, wait and the nodes to avoid.
fn decision_words(decision: &DecisionReport) -> String {
    let mut parts = vec![decision.action.clone()];
    let name = rule(decision.policy.as_deref(), decision.rule_index);
    let counted =
        decision.count.zip(decision.limit).map(|(count, limit)| format!("{count}/{limit}"));
    let by: Vec<String> =
        [Some(name), counted].into_iter().flatten().filter(|it| !it.is_empty()).collect();
    if !by.is_empty() {
        parts.push(by.join(" "));
    }
    if let Some(delay) = decision.delay_seconds.filter(|delay| *delay > 0.0) {
        parts.push(format!("wait {}", wait(delay)));
    }
    if !decision.avoid_nodes.is_empty() {
        parts.push(format!("not on {}", cut(&decision.avoid_nodes.join(", "))));
    }
    parts.join(" · ")
}

/// The most rows of a table of runs.
const RUNS: usize = 60;

/// The picture of the runs of a job, with a row for each in its table.
fn runs_picture(job: &JobReport) -> Option<Picture> {
    let rows: Vec<RunRow> = job.runs.iter().map(|run| run_row(job, run)).collect();
    let chart = runs::chart("Runs and decisions (UTC)", &rows)?;
    let mut table = PageTable::new("Runs and decisions")
        .column("Run", ColumnKind::Number)
        .column("Node", ColumnKind::Text)
        .optional("Ended at (UTC)", ColumnKind::Number)
        .column("Failure", ColumnKind::Text)
        .column("Rule", ColumnKind::Text)
        .column("Count", ColumnKind::Number)
        .optional("Total", ColumnKind::Number)
        .column("Action", ColumnKind::Text)
        .column("Wait", ColumnKind::Number)
        .optional("Avoids", ColumnKind::Text);
    for run in job.runs.iter().take(RUNS) {
        table.row(run_cells(job, run));
    }
    table.more = more(job.runs.len().saturating_sub(RUNS), "run");
    let mut picture = Picture::new(chart, "").with_table(table);
    picture.is_open = true;
    Some(picture)
}

fn run_row(job: &JobReport, run: &RunReport) -> RunRow {
    let decision = decision(job, run).filter(|_| run.reached != RunReach::NotReached);
    let failure = match (decision, run.reached) {
        (Some(decision), _) if !decision.failure.is_empty() => cut(&decision.failure),
        (_, RunReach::NotReached) => format!("not reached: {} on record", cut(run.end())),
        (_, RunReach::CutOff) => format!("cut off: {} on record", cut(run.end())),
        _ => cut(run.end()),
    };
    let until = decision.and_then(|it| seconds(it.retry_after.as_deref()?));
    RunRow {
        number: run.run_index.to_string(),
        node: run.node.as_deref().map(cut).unwrap_or_default(),
        span: span(run),
        filling: look(run, &failure),
        waits_until: until.filter(|until| span(run).is_some_and(|(_, to)| *until > to)),
        failure,
        decision: decision.map(decision_words).unwrap_or_default(),
    }
}

fn run_cells(job: &JobReport, run: &RunReport) -> [Cell; 10] {
    let decision = decision(job, run).filter(|_| run.reached != RunReach::NotReached);
    let reached = match run.reached {
        RunReach::Reached => String::new(),
        RunReach::NotReached => "not reached".to_owned(),
        RunReach::CutOff => "cut off".to_owned(),
    };
    let of =
        |text: Option<String>| text.filter(|text| !text.is_empty()).map_or(Cell::Empty, Cell::Text);
    let name = decision.map(|it| rule(it.policy.as_deref(), it.rule_index));
    let counted = decision.and_then(|it| it.count.zip(it.limit));
    let total =
        decision.and_then(|it| Some(format!("{}/{}", it.total_retries, it.global_max_retries?)));
    let failure = decision.map(|it| it.failure.clone()).filter(|it| !it.is_empty());
    [
        Cell::Number(run.run_index.to_string()),
        run.node.as_deref().map_or(Cell::Empty, |node| Cell::code(cut(node))),
        of(run.finished_at.as_deref().or(run.started_at.as_deref()).map(day_and_time)),
        Cell::Text(cut(failure.as_deref().unwrap_or(run.end()))),
        name.filter(|name| !name.is_empty()).map_or(Cell::Empty, Cell::code),
        counted.map_or(Cell::Empty, |(count, limit)| Cell::Number(format!("{count}/{limit}"))),
        total.map_or(Cell::Empty, Cell::Number),
        of(Some(decision.map_or(reached, |it| it.action.clone()))),
        decision.and_then(|it| it.delay_seconds).map_or(Cell::Empty, |it| Cell::Number(wait(it))),
        of(decision.map(|it| cut(&it.avoid_nodes.join(", ")))),
    ]
}

/// The picture of a unit of several members, with a row for each decision in its table.
fn members_picture(job: &JobReport) -> Option<Picture> {
    let timed = job.runs.iter().filter_map(|run| {
        let tip = format!("member {}, run {}: {}", run.member, run.run_index, run.outcome);
        Some(MemberRun { member: run.member, span: span(run)?, filling: look(run, ""), tip })
    });
    let timed: Vec<MemberRun> = timed.collect();
    let last = job.decisions.len().checked_sub(1).filter(|_| job.outcome == "Failed");
    let decisions = job.decisions.iter().enumerate().filter_map(|(at, it)| {
        let counted = it.count.zip(it.limit).map(|(count, limit)| format!("{count}/{limit}"));
        let is_end = last == Some(at);
        let label = if is_end { "fails".to_owned() } else { counted.unwrap_or_default() };
        Some(UnitDecision { at: seconds(it.failed_at.as_deref()?)?, label, is_end })
    });
    let decisions: Vec<UnitDecision> = decisions.collect();
    // Decisions of one time are of a member, then of the unit.
    let is_last = |at: usize| decisions.get(at + 1).is_none_or(|next| next.at > decisions[at].at);
    let decisions: Vec<UnitDecision> =
        (0..decisions.len()).filter(|at| is_last(*at)).map(|at| decisions[at].clone()).collect();
    let (chart, left_out) = members::chart("Members and decisions (UTC)", &timed, &decisions)?;
    let mut table = PageTable::new("Decisions")
        .column("Run", ColumnKind::Number)
        .optional("Ended at (UTC)", ColumnKind::Number)
        .column("Failure", ColumnKind::Text)
        .column("Rule", ColumnKind::Text)
        .column("Count", ColumnKind::Number)
        .column("Action", ColumnKind::Text)
        .optional("Reason", ColumnKind::Text);
    for it in job.decisions.iter().take(RUNS) {
        let name = rule(it.policy.as_deref(), it.rule_index);
        let counted = it.count.zip(it.limit).map(|(count, limit)| format!("{count}/{limit}"));
        table.row([
            it.run_index.map_or(Cell::Empty, |index| Cell::Number(index.to_string())),
            it.failed_at.as_deref().map(day_and_time).map_or(Cell::Empty, Cell::Text),
            Cell::Text(cut(&it.failure)),
            if name.is_empty() { Cell::Empty } else { Cell::code(name) },
            counted.map_or(Cell::Empty, Cell::Number),
            Cell::Text(it.action.clone()),
            Cell::Text(cut(&it.reason)),
        ]);
    }
    table.more = more(job.decisions.len().saturating_sub(RUNS), "decision");
    let text = "A line is a decision about the whole unit; below it, its count.";
    let mut picture = Picture::new(chart, text).with_table(table);
    picture.is_open = true;
    if left_out > 0 {
        picture.note = format!("{} left out.", more(left_out, "member").unwrap_or_default());
    }
    Some(picture)
}
