//! Where and when retries and failures are: by number, day, queue, node, and what no rule matched.

use super::shared::{ROWS, cut, day_and_time, runs_without_times};
use crate::report::answer::cells::{cost, value};
use crate::report::figures::{count, percent, several};
use crate::report::page::chart::{Filling, Tone};
use crate::report::page::charts::retries::Numbered;
use crate::report::page::charts::{days, retries};
use crate::report::page::model::{Part, Picture, Section};
use crate::report::page::numbers::{capitalised, failed_cost_name, float};
use crate::report::page::table::{Cell, ColumnKind, PageTable, more};
use replay::simulate::{
    AnswerReport, GroupReport, NodeReport, RateReport, RecordedRetries, SummaryReport,
    VerdictReport,
};

/// The last number of retries, which is for all later ones too.
const LATER: u32 = 21;

/// The name of the number of a retry.
fn number_name(retry: u32) -> String {
    if retry >= LATER { format!("{LATER}+") } else { retry.to_string() }
}

/// The picture of the retries of a set of policies by number.
pub(super) fn retries_picture(summary: &SummaryReport, verdict: &VerdictReport) -> Option<Picture> {
    let numbered = summary.by_retry.iter().filter_map(|row| {
        let number = number_name(row.retry?);
        let outcomes = &row.outcomes;
        Some(Numbered {
            number,
            retries: outcomes.granted,
            recorded: outcomes.recorded,
            rate: outcomes.success_rate,
        })
    });
    let text = "The share of the first, second, .. retries on record that succeeded, with its 95 % \
                interval; below, how many were granted. Dashed: all retries.";
    numbers(&numbered.collect::<Vec<_>>(), verdict.success_rate.map(|it| it.share), text, "Granted")
}

/// The picture of the retries on record by number.
pub(super) fn recorded_retries_picture(answer: &AnswerReport) -> Option<Picture> {
    let groups = answer.recorded_retries.as_ref()?;
    let numbered = groups.by_retry.iter().map(|row| Numbered {
        number: number_name(row.key.retry),
        retries: row.retries.retries,
        recorded: row.retries.retries,
        rate: RateReport::of(row.retries.succeeded, row.retries.retries),
    });
    let all = value(answer, "retries", 0);
    let share = (all > 0.0).then(|| value(answer, "retriesSucceeded", 0) / all);
    let text = "The share of the first, second, .. retries that succeeded, with its 95 % interval; \
                below, how many there are. Dashed: all retries.";
    numbers(&numbered.collect::<Vec<_>>(), share, text, "Retries")
}

fn numbers(rows: &[Numbered], of_all: Option<f64>, text: &str, header: &str) -> Option<Picture> {
    let chart = retries::chart(rows, of_all)?;
    let mut table = PageTable::new("Retries by their number in their job")
        .column("Retry", ColumnKind::Number)
        .column(header, ColumnKind::Number)
        .column("Succeeded", ColumnKind::Number)
        .column("95 % interval", ColumnKind::Number);
    for row in rows {
        let [_, share, interval] = Cell::rate(row.rate.as_ref(), None, Tone::Good);
        let (number, retries) = (row.number.clone(), count(row.retries));
        table.row([Cell::Number(number), Cell::Number(retries), share, interval]);
    }
    Some(Picture::new(chart, text).with_table(table))
}

/// The picture of failures by day.
pub(super) fn days_picture(answer: &AnswerReport, summary: &SummaryReport) -> Option<Picture> {
    let all: Vec<days::DayCounts> = summary
        .by_day
        .iter()
        .map(|day| {
            let (failures, retries) = (day.figures.failures, day.figures.retries);
            (day.day.clone(), [retries, failures.saturating_sub(retries)])
        })
        .collect();
    let parts = [(Tone::Good, "retried"), (Tone::Unknown, "not retried")];
    let mut picture = days_of("When do jobs fail?", &all, parts, "failures")?;
    if let Some(peak) = &summary.peak {
        let most = count(peak.retries);
        picture.text = format!(
            "{} Most retries at once: {most}, {}.",
            picture.text,
            day_and_time(&peak.minute)
        );
    }
    Some(Picture { note: runs_without_times(answer), ..picture })
}

/// The picture of retries on record by the day of the failure before them.
pub(super) fn recorded_days_picture(answer: &AnswerReport) -> Option<Picture> {
    let groups = answer.recorded_retries.as_ref()?;
    let all: Vec<days::DayCounts> = groups
        .by_day
        .iter()
        .map(|day| {
            let RecordedRetries { retries, succeeded, .. } = day.retries;
            (day.key.day.clone(), [succeeded, retries.saturating_sub(succeeded)])
        })
        .collect();
    let parts = [(Tone::Good, "succeeded"), (Tone::Bad, "failed")];
    let picture = days_of("When are retries?", &all, parts, "retries")?;
    Some(Picture { note: runs_without_times(answer), ..picture })
}

/// The most days of a table: no list grows with the length of a history.
const DAYS: usize = 120;

fn days_of(
    title: &str,
    all: &[days::DayCounts],
    parts: [(Tone, &str); 2],
    unit: &str,
) -> Option<Picture> {
    let chart = days::chart(title, all, parts, unit)?;
    let mut table = PageTable::new(format!("{} by day", capitalised(unit)))
        .column("Day (UTC)", ColumnKind::Text)
        .column(capitalised(parts[0].1), ColumnKind::Number)
        .column(capitalised(parts[1].1), ColumnKind::Number);
    for (day, [lower, upper]) in all.iter().take(DAYS) {
        let numbers = [lower, upper].map(|number| Cell::Number(count(*number)));
        table.row([Cell::text(day.clone())].into_iter().chain(numbers));
    }
    table.more = more(all.len().saturating_sub(DAYS), "day");
    Some(Picture::new(chart, "Days in UTC.").with_table(table))
}

/// The table of queues of a set of policies.
pub(super) fn queues(answer: &AnswerReport, summary: &SummaryReport) -> Option<Part> {
    let rows = &summary.by_queue;
    if rows.len() < 2 {
        return None;
    }
    let unit = answer.unit;
    let mut table = PageTable::new("Queues, the most failures first")
        .column("Queue", ColumnKind::Text)
        .column("", ColumnKind::Marks)
        .column("Failures", ColumnKind::Number)
        .column("Retried", ColumnKind::Number)
        .optional("Jobs failed", ColumnKind::Number)
        .optional("recovered", ColumnKind::Number)
        .column(capitalised(&failed_cost_name(unit)), ColumnKind::Number);
    let most = rows.iter().map(|row| row.figures.failures).max().map(float).unwrap_or_default();
    for row in rows.iter().take(ROWS) {
        let (failures, retries) = (row.figures.failures, row.figures.retries);
        let share = |part: u64, tone| (float(part) / most.max(1.0), Filling::Solid(tone));
        let not_retried = failures.saturating_sub(retries);
        table.row([
            name(&row.queue),
            Cell::Bars(vec![share(retries, Tone::Good), share(not_retried, Tone::Unknown)]),
            Cell::Number(count(failures)),
            Cell::Number(count(retries)),
            Cell::Number(count(row.figures.failed_jobs)),
            Cell::Number(count(row.recovery.figures.recovered)),
            Cell::Number(cost(answer, unit.of(&row.recovery.lost_hours))),
        ]);
    }
    table.more = more(rows.len().saturating_sub(ROWS), "queue");
    let text = "Bars: failures that are retried, and those that are not.";
    Some(Part::Titled("Queues".to_owned(), text.to_owned(), table))
}

/// A name from a history, or that there is none.
fn name(name: &str) -> Cell {
    if name.is_empty() { Cell::text("without a name") } else { Cell::code(name) }
}

/// The table of retries on record in some groups.
pub(super) fn recorded_groups(
    answer: &AnswerReport,
    title: &str,
    noun: &str,
    rows: &[(String, RecordedRetries)],
    all: usize,
) -> Option<Part> {
    if rows.len() < 2 {
        return None;
    }
    let failed = |it: &RecordedRetries| it.failed_retry_hours;
    let most = rows.iter().map(|(_, it)| failed(it)).fold(0.0, f64::max);
    let mut table = PageTable::new(format!("{title}, the largest cost of failed retries first"))
        .column(capitalised(noun), ColumnKind::Text)
        .column("Retries", ColumnKind::Number)
        .optional("", ColumnKind::Marks)
        .column("Succeeded", ColumnKind::Number)
        .optional("95 % interval", ColumnKind::Number)
        .column("", ColumnKind::Marks)
        .column(capitalised(&failed_cost_name(answer.unit)), ColumnKind::Number);
    for (key, retries) in rows.iter().take(ROWS) {
        let rate = RateReport::of(retries.succeeded, retries.retries);
        let [dot, share, interval] = Cell::rate(rate.as_ref(), None, Tone::Good);
        table.row([
            name(key),
            Cell::Number(count(retries.retries)),
            dot,
            share,
            interval,
            Cell::bar(failed(retries), most, Tone::Bad),
            Cell::Strong(cost(answer, failed(retries))),
        ]);
    }
    table.more = more(all.saturating_sub(ROWS), noun);
    Some(Part::Titled(title.to_owned(), String::new(), table))
}

/// A node is named in the title if the lower end of its interval is above the share of all by this much of it.
const WORSE: f64 = 1.15;
/// The retries from which on a node is compared.
const FEW: u64 = 20;
/// The nodes of the table.
const NODES: usize = 10;

/// The table of nodes on which retries fail.
pub(super) fn nodes(summary: &SummaryReport, verdict: &VerdictReport) -> Option<Part> {
    let worst = &summary.nodes.worst;
    if worst.is_empty() || verdict.recorded == 0 {
        return None;
    }
    let of_all = float(verdict.lost.runs) / float(verdict.recorded);
    let rate = |node: &NodeReport| RateReport::of(node.figures.failed, node.figures.retries);
    let is_worse = |node: &&NodeReport| {
        let low = rate(node).map_or(0.0, |rate| rate.low);
        node.figures.retries >= FEW && low > of_all * WORSE
    };
    let mut shown: Vec<&NodeReport> = worst.iter().filter(is_worse).collect();
    let share = |node: &NodeReport| rate(node).map_or(0.0, |rate| rate.share);
    shown.sort_by(|one, other| share(other).total_cmp(&share(one)));
    let title = match shown.len() {
        0 => "No node stands out".to_owned(),
        1 => "Retries fail clearly more often on 1 node".to_owned(),
        number => format!("Retries fail clearly more often on {number} nodes"),
    };
    if shown.is_empty() {
        shown = worst.iter().collect();
    }
    let mut table = PageTable::new("Nodes on which retries fail")
        .column("Node", ColumnKind::Text)
        .column("Retries there", ColumnKind::Number)
        .column("", ColumnKind::Marks)
        .column("Failed", ColumnKind::Number)
        .optional("95 % interval", ColumnKind::Number)
        .optional("After a failure there", ColumnKind::Number);
    for node in shown.iter().take(NODES) {
        let [dot, share, interval] = Cell::rate(rate(node).as_ref(), Some(of_all), Tone::Bad);
        let words = node.cluster.clone().unwrap_or_default();
        table.row([
            Cell::Code { name: node.node.clone(), words },
            Cell::Number(count(node.figures.retries)),
            dot,
            share,
            interval,
            Cell::Number(count(node.figures.failed_again)),
        ]);
    }
    let all = usize::try_from(summary.nodes.count).unwrap_or(usize::MAX);
    table.more = more(all.saturating_sub(table.rows.len()), "node")
        .map(|more| format!("{more} with failed retries"));
    let text = format!(
        "The share of the retries on a node that failed, with its 95 % interval. Dashed: all \
         retries on record, {} %.",
        percent(of_all)
    );
    Some(Part::Titled(title, text, table))
}

/// The kinds of failure in a table.
const KINDS: usize = 8;

/// The runs after failures, and the least lower end of their successes, from which on a rule is suggested.
const FEWEST: u64 = 10;
const LEAST: f64 = 0.25;

/// The section of failures that no rule matched.
pub(super) fn uncaught(summary: &SummaryReport) -> Option<Section> {
    let uncaught = &summary.uncaught;
    if uncaught.failures == 0 {
        return None;
    }
    let most = uncaught.groups.iter().map(|group| group.failures).max().map(float);
    let mut table = PageTable::new("Failures that no rule matched, the largest kinds")
        .column("Failure", ColumnKind::Text)
        .column("", ColumnKind::Marks)
        .column("Failures", ColumnKind::Number)
        .optional("Runs after", ColumnKind::Number)
        .column("", ColumnKind::Marks)
        .column("Succeeded", ColumnKind::Number)
        .optional("95 % interval", ColumnKind::Number);
    for group in uncaught.groups.iter().take(KINDS) {
        let rate = group.retries.success_rate.as_ref();
        let [dot, share, interval] = Cell::rate(rate, None, Tone::Good);
        table.row([
            Cell::text(group_name(group)),
            Cell::bar(float(group.failures), most.unwrap_or_default(), Tone::Unknown),
            Cell::Number(count(group.failures)),
            Cell::Number(count(group.retries.runs.recorded)),
            dot,
            share,
            interval,
        ]);
    }
    table.more = more(uncaught.groups.len().saturating_sub(KINDS), "kind");
    let text = format!(
        "The default action decided about {}. The runs after them on record show \
         whether a rule would pay, whatever these policies decide.",
        several(uncaught.failures, "failure")
    );
    let mut parts = vec![Part::Table(table)];
    // A rule is worth a try if the runs after the failures succeed often enough (docs/answer.md, Advice).
    let first = uncaught.groups.first();
    let pays = first.is_some_and(|group| {
        let low = group.retries.success_rate.map_or(0.0, |rate| rate.low);
        group.retries.runs.recorded >= FEWEST && low >= LEAST
    });
    if let Some(rule) = uncaught.suggested_rule.as_ref().filter(|_| pays) {
        parts.push(Part::Sentence("A rule for the largest kind:".to_owned()));
        let lines = rule.lines().zip(1..).map(|(text, number)| crate::report::page::model::Line {
            number,
            text: text.to_owned(),
            ..Default::default()
        });
        parts.push(Part::Listing(lines.collect()));
    }
    Section::new("Failures that no rule matched", text, parts)
}

/// A kind of failure in words.
fn group_name(group: &GroupReport) -> String {
    let parts = [
        group.category.as_ref().map(|category| format!("category {category}")),
        group.condition.clone(),
        group.exit_code.map(|code| format!("exit {code}")),
        group.message.as_ref().map(|message| cut(message)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        "without category, code and message".to_owned()
    } else {
        parts.join(" · ")
    }
}
