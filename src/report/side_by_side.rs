//! The timelines of one job under two sets of policies, side by side.

use super::layout::Layout;
use super::table::{Table, head};
use super::timeline::{TimelineContext, cell, ending, own_head, timeline};
use super::variants::title;
use document::diag::printable;
use replay::simulate::{DecisionReport, ExampleReport, JobReport, VariantReport};
use std::fmt::Write;
use systems::DecisionColumn;
use unicode_width::UnicodeWidthStr;

/// Blanks between the two timelines.
const GAP: usize = 4;

/// The columns that both sets of policies have in common, after those of the unit's members.
const COMMON: [&str; 3] = ["RUN", "ENDED AT", "FAILURE"];
/// The columns that each set has.
const OWN: [&str; 6] = ["RULE", "COUNT", "TOTAL", "ACTION", "WAIT", "RETRY AFTER"];
/// Writes both timelines, a row for each decision: side by side if they fit, else one after the other.
pub(super) fn timelines(
    out: &mut String,
    (first, own): (&VariantReport, &VariantReport),
    example: &ExampleReport,
    layout: &Layout,
) {
    let sides = [Side::new(first, &example.first), Side::new(own, &example.other)];
    let [one, other] = &sides;
    let contexts = TimelineContext::pair((one.job, one.engine), (other.job, other.engine));
    let text = join_timelines(&sides, &contexts, layout);
    let mut head = format!("Job {} under {} and {}", one.job.job_id, title(first), title(own));
    if let Some(day) = contexts[0].day() {
        let _ = write!(head, "  {day} UTC");
    }
    let _ = writeln!(out, "\n{}", printable(&head));
    if text.lines().all(|line| layout.width.is_none_or(|width| line.width() <= width)) {
        let _ = write!(out, "\n{text}");
        for Side { title, job, .. } in &sides {
            let _ = write!(out, "\n{title}: {}", ending(job, layout));
        }
        out.push('\n');
        return;
    }
    let narrow = Layout { wide: false, ..*layout };
    for Side { title, job, engine } in &sides {
        let _ = writeln!(out, "\n{title}\n");
        timeline(out, job, engine, &narrow);
    }
}

/// The job under one set of policies.
struct Side<'e> {
    title: String,
    job: &'e JobReport,
    engine: &'e str,
}

impl<'e> Side<'e> {
    fn new(variant: &'e VariantReport, job: &'e JobReport) -> Self {
        let title = printable(&title(variant)).into_owned();
        Self { title, job, engine: &variant.engine }
    }
}

/// Both timelines, with a row for each decision of either.
fn join_timelines(
    [first, own]: &[Side<'_>; 2],
    contexts: &[TimelineContext<'_>; 2],
    layout: &Layout,
) -> String {
    let members: Vec<&DecisionColumn> = contexts[0].member_columns().collect();
    let rows = rows(first.job, own.job, &members);
    let of_member = members.iter().map(|column| {
        own_head(column).cell(move |row: &&Row<'_>| {
            either(row).map(|it| contexts[0].own_cell(column, it)).unwrap_or_default()
        })
    });
    let common = COMMON.iter().map(|title| {
        head(title).shown_empty(*title != "ENDED AT").cell(move |row: &&Row<'_>| {
            either(row).map(|it| cell(title, it, &contexts[0])).unwrap_or_default()
        })
    });
    let own_columns = |side: usize| {
        OWN.iter().map(move |title| {
            let is_action = *title == "ACTION";
            // A side without the decision has that alone.
            head(title).shown_empty(is_action).cell(move |row: &&Row<'_>| match row[side] {
                Some(decision) => cell(title, decision, &contexts[side]),
                None if is_action => "no decision".to_owned(),
                None => String::new(),
            })
        })
    };
    let whole = Layout { width: None, ..*layout };
    let left: Vec<_> = of_member.chain(common).chain(own_columns(0)).collect();
    let left = Table::new(&rows, &left).render(&whole);
    let right = Table::new(&rows, &own_columns(1).collect::<Vec<_>>()).render(&whole);
    let width = left.lines().map(UnicodeWidthStr::width).chain([first.title.width()]).max();
    let width = width.unwrap_or(0) + GAP;
    let left = std::iter::once(first.title.as_str()).chain(left.lines());
    let right = std::iter::once(own.title.as_str()).chain(right.lines());
    let line = |(left, right): (&str, &str)| {
        format!("{left}{}{right}\n", " ".repeat(width - left.width()))
    };
    left.zip(right).map(line).collect()
}

/// The decision of the first side, or else of the other.
fn either<'j>(row: &Row<'j>) -> Option<&'j DecisionReport> {
    row[0].or(row[1])
}

/// A decision of either side, or of both.
type Row<'j> = [Option<&'j DecisionReport>; 2];

/// The decisions of both, those about the same run of the same member in one row.
fn rows<'j>(first: &'j JobReport, own: &'j JobReport, members: &[&DecisionColumn]) -> Vec<Row<'j>> {
    let key = |decision: &'j DecisionReport| {
        let member = members.iter().map(|column| column.text(&decision.system, ""));
        (member.collect::<Vec<_>>(), decision.run_index)
    };
    let mut rows: Vec<Row<'_>> = first.decisions.iter().map(|it| [Some(it), None]).collect();
    let mut next = 0;
    for decision in &own.decisions {
        let is_same = |[first, own]: &Row<'j>| {
            own.is_none() && first.is_some_and(|first| key(first) == key(decision))
        };
        if let Some(at) = rows.iter().position(is_same) {
            rows[at][1] = Some(decision);
            next = at + 1;
        } else {
            rows.insert(next, [None, Some(decision)]);
            next += 1;
        }
    }
    rows
}
