//! Parts of several pages of replays: the table of the answer, reasons, jobs, load over time.

use crate::report::answer::cells::{cost, figure, value};
use crate::report::answer::frame::Frame;
use crate::report::answer::table::{Rows, frame};
use crate::report::decision_line::rule;
use crate::report::figures::{count, several};
use crate::report::page::chart::{Filling, Tone};
use crate::report::page::charts::jobs::End;
use crate::report::page::charts::{jobs, load};
use crate::report::page::model::{Part, Picture, Section};
use crate::report::page::numbers::{capitalised, failed_cost_name};
use crate::report::page::table::{Cell, ColumnKind, PageTable, more};
use replay::simulate::{
    AnswerReport, CostUnit, ReasonReport, SamplesReport, SimulationReport, SummaryReport,
};

/// The most rows of a table of queues, nodes, kinds of failure and of changed jobs.
// A page has at most 200 KB, so that no list grows with its input (docs/reports.md).
pub(super) const ROWS: usize = 12;
/// The most sets of policies in one picture.
pub(super) const VARIANTS: usize = 4;

pub(super) fn jobs_on_record(answer: &AnswerReport) -> u64 {
    let rows = ["jobsSucceeded", "jobsFailed", "jobsCancelled", "jobsUnresolved"];
    rows.iter().map(|row| whole(value(answer, row, 0))).sum()
}

/// A count of the answer.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts are whole and not below 0"
)]
pub(super) fn whole(value: f64) -> u64 {
    value.round() as u64
}

/// The columns of the answer that pages show: those of a sweep have a table of their own.
pub(super) fn columns(report: &SimulationReport) -> Vec<usize> {
    let variants = report.variants.as_deref().unwrap_or_default();
    let is_swept = |column: usize| {
        let variant = column.checked_sub(1).and_then(|at| variants.get(at));
        variant.is_some_and(|variant| variant.sweep.is_some())
    };
    (0..report.answer.columns.len()).filter(|column| !is_swept(*column)).collect()
}

/// The summary of each set of policies: those of the columns after the record.
fn summaries(report: &SimulationReport) -> Vec<&SummaryReport> {
    match report.variants.as_deref() {
        Some(variants) => variants.iter().map(|variant| &variant.summary).collect(),
        None => vec![&report.summary],
    }
}

/// The section with the table of the answer.
pub(super) fn answer_section(report: &SimulationReport) -> Option<Section> {
    let answer = &report.answer;
    let columns = columns(report);
    let rows = Rows::all(answer);
    let frame: Frame = frame(answer, &rows);
    let (title, text) = match columns.len() {
        0 | 1 => ("On record", "The jobs and runs of the history, without any policy."),
        2 => (
            "On record, and under the policies",
            "On record is what really happened. ▲ is better, ▼ is worse, no mark is neither.",
        ),
        _ => (
            "Side by side",
            "Each set of policies decides about the same failures. Differences are from the first \
             column before them; ▲ is better, ▼ is worse, no mark is neither.",
        ),
    };
    let base = answer.columns.get(answer.base).map(|base| base.label.clone());
    let text = match (columns.len(), base) {
        (3.., Some(base)) => text.replace("the first column before them", &format!("`{base}`")),
        _ => text.to_owned(),
    };
    let table = PageTable::from_frame("Figures of the answer", &frame, |at| columns.contains(&at));
    Section::new(title, text, [Part::Table(table)]).map(Section::unfolded)
}

/// The section of the kinds of failure that end jobs here, or that retries on record followed.
pub(super) fn reasons_section(answer: &AnswerReport) -> Option<Section> {
    if answer.reasons.is_empty() {
        return None;
    }
    if answer.columns.len() == 1 {
        let text = "The kind of failure before each retry on record, the largest cost first.";
        let table = retries_by_kind(answer);
        return Section::new("What did the retries follow?", text, [Part::Table(table)]);
    }
    let label = &answer.columns[1].label;
    let title = if answer.columns.len() > 2 {
        format!("Why do jobs fail under `{label}`?")
    } else {
        "Why do jobs fail here?".to_owned()
    };
    let text = "The failures that end jobs here although their record goes on. All runs after them \
                are not reached: what those cost that failed is saved, and what those cost that \
                succeeded is lost.";
    let parts = [Part::Table(ends_by_kind(answer))];
    // Those of a comparison are with the jobs that change.
    let samples = samples(answer).filter(|_| answer.columns.len() == 2);
    Section::new(title, text, parts.into_iter().chain(samples))
}

/// Some jobs that succeeded on record and fail under each set of policies: those to look at first.
fn samples(answer: &AnswerReport) -> Option<Part> {
    let sentence = |sample: &SamplesReport| {
        let column = answer.columns.iter().find(|column| column.name == sample.column);
        let label = column.map_or(&sample.column, |column| &column.label);
        let jobs: Vec<String> = sample.jobs.iter().map(|job| format!("`{}`", cut(job))).collect();
        format!("Some that succeeded on record and fail under `{label}`: {}.", jobs.join(", "))
    };
    let sentences: Vec<String> = answer.samples.iter().take(VARIANTS).map(sentence).collect();
    (!sentences.is_empty()).then_some(Part::Sentences(sentences))
}

fn retries_by_kind(answer: &AnswerReport) -> PageTable {
    let unit = answer.unit;
    let caption = "Retries on record, by the kind of failure before them";
    let mut table = PageTable::new(caption)
        .column("Retries after", ColumnKind::Text)
        .column("Retries", ColumnKind::Number)
        .column("", ColumnKind::Marks)
        .column("Succeeded", ColumnKind::Number)
        .optional("95 % interval", ColumnKind::Number)
        .column("", ColumnKind::Marks)
        .column(capitalised(&failed_cost_name(unit)), ColumnKind::Number);
    let failed = |it: &ReasonReport| it.failed_retry_hours.unwrap_or_default();
    let most = answer.reasons.iter().map(failed).fold(0.0, f64::max);
    let all = value(answer, "retries", 0);
    let of_all = (all > 0.0).then(|| value(answer, "retriesSucceeded", 0) / all);
    for reason in answer.reasons.iter().take(ROWS) {
        let rate = replay::simulate::RateReport::of(reason.succeeded, reason.retries);
        let [dot, share, interval] = Cell::rate(rate.as_ref(), of_all, Tone::Good);
        table.row([
            Cell::text(cut(&reason.kind)),
            Cell::Number(count(reason.retries)),
            dot,
            share,
            interval,
            Cell::bar(failed(reason), most, Tone::Bad),
            Cell::Strong(cost(answer, failed(reason))),
        ]);
    }
    table.more = more(answer.reasons.len().saturating_sub(ROWS), "kind");
    table
}

fn ends_by_kind(answer: &AnswerReport) -> PageTable {
    let unit = answer.unit;
    let has_cost = unit != CostUnit::Retries;
    let mut table = PageTable::new("Jobs that fail here, by kind of failure and by what decided")
        .column("Jobs fail by", ColumnKind::Text)
        .column("Decided by", ColumnKind::Text)
        .column("Jobs", ColumnKind::Number)
        .column("Succeeded on record", ColumnKind::Number)
        .optional("Runs not reached", ColumnKind::Number)
        .optional("(succeeded)", ColumnKind::Number);
    if has_cost {
        table = table
            .column("", ColumnKind::Marks)
            .column(format!("{} of failed retries saved", unit.as_str()), ColumnKind::Number)
            .column("", ColumnKind::Marks)
            .column(format!("{} of good work lost", unit.as_str()), ColumnKind::Number);
    }
    let hours = |it: Option<f64>| it.unwrap_or_default();
    let all = || answer.reasons.iter();
    let most =
        all().map(|it| hours(it.saved_hours).max(hours(it.lost_work_hours))).fold(0.0, f64::max);
    for reason in all().take(ROWS) {
        let decider = match &reason.policy {
            Some(policy) => rule(Some(policy), reason.rule_index),
            None => reason.decision.clone().unwrap_or_default(),
        };
        let (saved, lost) = (hours(reason.saved_hours), hours(reason.lost_work_hours));
        let costs = [
            Cell::bar(saved, most, Tone::Good),
            Cell::Number(cost(answer, saved)),
            Cell::bar(lost, most, Tone::Bad),
            Cell::Number(cost(answer, lost)),
        ];
        let cells = [
            Cell::text(cut(&reason.kind)),
            Cell::code(decider),
            Cell::Strong(count(reason.failed_jobs.unwrap_or_default())),
            Cell::Number(count(reason.jobs.unwrap_or_default())),
            Cell::Number(count(reason.retries)),
            Cell::Number(count(reason.succeeded)),
        ];
        table.row(cells.into_iter().chain(costs.into_iter().filter(|_| has_cost)));
    }
    table.more = more(answer.reasons.len().saturating_sub(ROWS), "kind");
    table
}

/// The picture of how jobs end, with a bar for the record and for each set of policies.
pub(super) fn jobs_picture(report: &SimulationReport) -> Option<Picture> {
    let answer = &report.answer;
    let summaries = summaries(report);
    let columns = columns(report).into_iter().take(VARIANTS + 1);
    let bars = columns.map(|at| {
        let column = &answer.columns[at];
        let summary = at.checked_sub(1).and_then(|at| summaries.get(at).copied());
        (column.label.clone(), ends(answer, at, summary))
    });
    let bars: Vec<(String, Vec<End>)> = bars.collect();
    let chart = jobs::chart(&bars)?;
    let mut table = PageTable::new("How jobs end")
        .column("", ColumnKind::Text)
        .column("End", ColumnKind::Text)
        .column("Jobs", ColumnKind::Number);
    for (name, ends) in &bars {
        for end in ends.iter().filter(|end| end.jobs > 0) {
            table.row([
                Cell::text(name.clone()),
                Cell::text(end.name.clone()),
                Cell::Number(count(end.jobs)),
            ]);
        }
    }
    let has_unresolved = bars.iter().flat_map(|(_, ends)| ends);
    let is_hatched = |end: &End| end.jobs > 0 && matches!(end.filling, Filling::Hatched(_));
    let text = if has_unresolved.clone().any(is_hatched) {
        "Hatched: the next run is not on record, so that at most all of them succeed."
    } else {
        ""
    };
    Some(Picture::new(chart, text).with_table(table))
}

/// How the jobs of a column end.
fn ends(answer: &AnswerReport, column: usize, summary: Option<&SummaryReport>) -> Vec<End> {
    let jobs = |row: &str| whole(value(answer, row, column));
    let recovered = jobs("jobsRecovered");
    let end = |name: &str, filling, jobs| End { name: name.to_owned(), filling, jobs };
    let failed = jobs("jobsFailed");
    let unresolved = if column == 0 { "not ended on record" } else { "unresolved" };
    let first = jobs("jobsSucceeded").saturating_sub(recovered);
    let mut ends = vec![
        end("succeeded in the first run", Filling::Solid(Tone::Unknown), first),
        end("recovered", Filling::Solid(Tone::Good), recovered),
        end(unresolved, Filling::Hatched(Tone::Unknown), jobs("jobsUnresolved")),
        end("cancelled", Filling::Solid(Tone::Axis), jobs("jobsCancelled")),
    ];
    let (mut by_rule, mut by_limit, mut by_default) = (0, 0, 0);
    for row in summary.iter().flat_map(|summary| &summary.failed_by) {
        // A decision of a limit is named so by every engine.
        let part = if row.decision.contains("limit") {
            &mut by_limit
        } else if row.rule_index.is_some() {
            &mut by_rule
        } else {
            &mut by_default
        };
        *part += row.jobs;
    }
    let bad = Filling::Solid(Tone::Bad);
    if by_rule + by_limit + by_default == failed && failed > 0 {
        ends.push(end("failed: no rule", bad, by_default));
        ends.push(end("failed: by a rule", bad, by_rule));
        ends.push(end("failed: limit of retries", bad, by_limit));
    } else {
        ends.push(end("failed", bad, failed));
    }
    ends
}

/// The picture of retries over time, on record and under each set of policies.
pub(super) fn load_picture(report: &SimulationReport) -> Option<Picture> {
    let answer = &report.answer;
    let on_record = answer.load.as_ref().map(|load| load::Series {
        name: "on record".to_owned(),
        tone: if report.has_policies() { Tone::Unknown } else { Tone::Good },
        load,
    });
    let summaries = summaries(report);
    let columns = columns(report).into_iter().skip(1).take(VARIANTS).enumerate();
    let is_comparison = answer.columns.len() > 2;
    let series = columns.filter_map(|(number, at)| {
        let (column, summary) = (&answer.columns[at], summaries.get(at - 1)?);
        let tone = if is_comparison { Tone::variant(number) } else { Tone::Good };
        Some(load::Series { name: column.label.clone(), tone, load: summary.load.as_ref()? })
    });
    let series: Vec<load::Series<'_>> = on_record.into_iter().chain(series).collect();
    let chart = load::chart(&series)?;
    let mut table = PageTable::new("Most retries at once")
        .column("", ColumnKind::Text)
        .column("Retries", ColumnKind::Number);
    for it in &series {
        let most = it.load.most.iter().max().copied().unwrap_or_default();
        table.row([Cell::text(it.name.clone()), Cell::Number(count(most))]);
    }
    let text = "The most in one minute, each from the end of the run before it to its own end.";
    let note = runs_without_times(answer);
    Some(Picture { note, ..Picture::new(chart, text).with_table(table) })
}

/// The note of a picture over time: how many runs it lacks; empty if it has all.
pub(super) fn runs_without_times(answer: &AnswerReport) -> String {
    match answer.untimed {
        0 => String::new(),
        runs => format!("{} of {} have no times.", count(runs), several(answer.runs, "run")),
    }
}

/// A time in a few words, in UTC: `1 Oct 10:04:12`.
pub(super) fn day_and_time(time: &str) -> String {
    match time.parse::<jiff::Timestamp>() {
        Ok(read) => read.to_zoned(jiff::tz::TimeZone::UTC).strftime("%-d %b %H:%M:%S").to_string(),
        Err(_) => time.to_owned(),
    }
}

/// The start of a text that takes at most 160 bytes on a page, where a character of markup takes six.
pub(super) fn cut(text: &str) -> String {
    const MOST: usize = 160;
    let mut bytes = 0;
    let too_long = text.char_indices().find(|(_, character)| {
        bytes += match character {
            '"' | '&' | '<' | '>' => 6,
            control if control.is_control() => 8,
            character => character.len_utf8(),
        };
        bytes > MOST
    });
    match too_long {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

/// A number of jobs as a sentence begins with it.
pub(super) fn jobs_text(number: f64) -> String {
    format!("{} {}", figure(number), if figure(number) == "1" { "job" } else { "jobs" })
}
