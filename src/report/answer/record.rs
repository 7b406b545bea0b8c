//! The retries on record as tables: by the kind of failure before them, queue, node, day, category and number.

use super::cells::{FAILED_RETRIES, cost, cost_header, with_brackets};
use crate::report::figures::count;
use crate::report::layout::{Layout, write_left_out};
use crate::report::simulation::Section;
use crate::report::table::{Table, head};
use replay::simulate::{AnswerReport, CostUnit, RecordedRetries};
use std::fmt::Write;

/// The tables of a report without policies, beside those of all rows and of kinds of failure.
pub(super) const SECTIONS: [Section; 5] =
    [Section::Retries, Section::Nodes, Section::Queues, Section::Categories, Section::Days];

/// A row: what its retries have in common, and their counts.
pub(super) type Row = (Vec<String>, RecordedRetries);

/// Writes the table of a section, or that no retry belongs to a row of it.
pub(super) fn write(out: &mut String, answer: &AnswerReport, section: Section, layout: &Layout) {
    let Some((headers, noun, rows)) = rows(answer, section) else { return };
    if rows.is_empty() {
        let _ = writeln!(out, "\nNo retry on record has a {noun}.");
        return;
    }
    // A day or a number is found by its place.
    let is_whole = matches!(section, Section::Days | Section::Retries);
    let most = if is_whole { rows.len() } else { layout.first(&rows).len() };
    table(answer, headers, &rows[..most]).write(out, layout);
    let more = match section {
        Section::Nodes => answer.recorded_retries.as_ref().map_or(0, |it| it.nodes),
        _ => rows.len() as u64,
    };
    write_left_out(out, usize::try_from(more).unwrap_or(usize::MAX).saturating_sub(most), noun);
}

/// The headers of the first columns of a section, the noun of its rows, and the rows.
fn rows(
    answer: &AnswerReport,
    section: Section,
) -> Option<(&'static [&'static str], &'static str, Vec<Row>)> {
    let groups = answer.recorded_retries.as_ref()?;
    let text = |name: &Option<String>| vec![name.clone().unwrap_or_default()];
    Some(match section {
        Section::Retries => {
            let rows = groups.by_retry.iter();
            // Row 21 of the report is for the 21st retry and all later ones (docs/fleet.md, `byRetry`).
            let number = |retry: u32| if retry > 20 { "21+".to_owned() } else { retry.to_string() };
            let rows = rows.map(|it| (vec![number(it.key.retry)], it.retries));
            (&["RETRY"], "number", rows.collect())
        }
        Section::Nodes => {
            let rows = groups.by_node.iter().map(|it| {
                let cluster = it.key.cluster.clone().unwrap_or_default();
                (vec![it.key.node.clone(), cluster], it.retries)
            });
            (&["NODE", "CLUSTER"], "node", rows.collect())
        }
        Section::Queues => {
            let named = groups.by_queue.iter().filter(|it| !it.key.queue.is_empty());
            let rows = named.map(|it| (vec![it.key.queue.clone()], it.retries));
            (&["QUEUE"], "queue", rows.collect())
        }
        Section::Categories => {
            let has_any = groups.by_category.iter().any(|it| it.key.category.is_some());
            let rows = groups.by_category.iter().filter(|_| has_any);
            let rows = rows.map(|it| (text(&it.key.category), it.retries));
            (&["CATEGORY"], "category", rows.collect())
        }
        Section::Days => {
            let rows = groups.by_day.iter().map(|it| (vec![it.key.day.clone()], it.retries));
            (&["DAY (UTC)"], "day", rows.collect())
        }
        _ => return None,
    })
}

/// A table of retries: how many, those that succeeded, and what they cost.
pub(super) fn table(answer: &AnswerReport, names: &[&str], rows: &[Row]) -> Table {
    let has_costs = answer.unit != CostUnit::Retries;
    let names = names.iter().enumerate().map(|(at, title)| {
        let head = head(title).shown_empty(at == 0);
        head.cell(move |(names, _): &&Row| names[at].clone())
    });
    let costs = |title| head(cost_header(answer, title)).right().only_if(has_costs);
    let columns = names.chain([
        head("RETRIES (SUCCEEDED)").right().cell(|(_, it): &&Row| {
            with_brackets(Some(count(it.retries)), Some(count(it.succeeded)))
        }),
        costs(FAILED_RETRIES).cell(|(_, it): &&Row| cost(answer, it.failed_retry_hours)),
        costs("SUCCEEDED")
            .leave_out(1)
            .cell(|(_, it): &&Row| cost(answer, it.succeeded_retry_hours)),
    ]);
    Table::new(rows, &columns.collect::<Vec<_>>())
}
