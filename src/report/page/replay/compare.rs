//! The page of a comparison: which policies cost less or bring more, and which jobs change?

use super::shared::{
    ROWS, VARIANTS, answer_section, columns, jobs_picture, load_picture, reasons_section,
};
use super::{questions, rules, sweep, tradeoff};
use crate::report::figures::{count, percent, several};
use crate::report::page::chart::Tone;
use crate::report::page::model::{Page, Part, Section};
use crate::report::page::numbers::float;
use crate::report::page::table::{Cell, ColumnKind, PageTable, more};
use replay::simulate::{AnswerReport, KindJobs, OutcomeChange, SimulationReport, VariantReport};

/// Fills the page.
pub(super) fn fill(page: &mut Page, report: &SimulationReport) {
    let answer = &report.answer;
    page.questions = questions::comparison_questions(report);
    let variants = report.variants.as_deref().unwrap_or_default();
    page.picture = tradeoff::picture(answer, columns(report).into_iter(), &sweep::line(report));
    page.add(answer_section(report));
    page.add(changes(answer, variants));
    for (variant, column) in variants.iter().zip(answer.columns.iter().skip(1)).take(VARIANTS) {
        if variant.sweep.is_none() {
            let title = format!("Rules of `{}`", column.label);
            page.add(rules::section(answer, &variant.summary, &variant.engine, None, &title));
        }
    }
    page.add(sweep::section(report));
    page.add(reasons_section(answer));
    let jobs = jobs_picture(report).map(Part::Picture);
    let load = load_picture(report).map(Part::Picture);
    let text = "How jobs end, and how many retries there are at once.";
    page.add(Section::new("Jobs and retries", text, jobs.into_iter().chain(load)));
}

/// The section of jobs whose outcomes differ, a table for each set of policies.
fn changes(answer: &AnswerReport, variants: &[VariantReport]) -> Option<Section> {
    let [first, others @ ..] = variants else { return None };
    // The record and the first set come first.
    let mut labels = answer.columns.iter().skip(1).map(|column| column.label.as_str());
    let first_label = labels.next()?;
    let others = others.iter().zip(labels).filter(|(variant, _)| variant.sweep.is_none());
    let changed = others.take(VARIANTS);
    let changed = changed.filter_map(|(variant, label)| Some((label, variant.changes.as_ref()?)));
    let tables = changed.flat_map(|(label, changes)| {
        let all = first.summary.totals.jobs;
        let share = if all > 0 { float(changes.jobs) / float(all) } else { 0.0 };
        let title = format!(
            "`{}`: {} ({} %) end{} otherwise",
            label,
            several(changes.jobs, "job"),
            percent(share),
            if changes.jobs == 1 { "s" } else { "" }
        );
        let outcomes = outcomes(label, &changes.by_outcome);
        let kinds = kinds(label, &changes.succeeded_to_failed.by_kind);
        let text = String::new();
        let kinds = kinds.map(|table| {
            let title = format!("Jobs that succeed under `{first_label}` and fail under `{label}`");
            Part::Titled(title, String::new(), table)
        });
        [outcomes.map(|table| Part::Titled(title, text, table)), kinds]
    });
    let tables: Vec<Part> = tables.flatten().collect();
    let text = format!(
        "Jobs whose outcome differs from that under `{first_label}`. Failed → Unresolved is a job \
         that may recover: its next run is not on record."
    );
    let tables = (!tables.is_empty()).then_some(Part::Beside(tables));
    Section::new("Which jobs change?", text, tables)
}

fn outcomes(variant: &str, all: &[OutcomeChange]) -> Option<PageTable> {
    let most = all.iter().map(|change| change.jobs).max().map(float)?;
    let mut table = PageTable::new(format!("Outcomes that differ under {variant}"))
        .column("Outcome", ColumnKind::Text)
        .column("", ColumnKind::Marks)
        .column("Jobs", ColumnKind::Number)
        .optional("For example", ColumnKind::Text);
    for change in all.iter().take(ROWS) {
        let tone = match (change.from.as_str(), change.to.as_str()) {
            (_, "Succeeded") => Tone::Good,
            ("Succeeded", "Failed") => Tone::Bad,
            _ => Tone::Unknown,
        };
        table.row([
            Cell::text(format!("{} → {}", change.from, change.to)),
            Cell::bar(float(change.jobs), most, tone),
            Cell::Number(count(change.jobs)),
            change.samples.first().map_or(Cell::Empty, Cell::code),
        ]);
    }
    table.more = more(all.len().saturating_sub(ROWS), "kind");
    Some(table)
}

fn kinds(variant: &str, all: &[KindJobs]) -> Option<PageTable> {
    let most = all.iter().map(|kind| kind.jobs).max().map(float)?;
    let mut table = PageTable::new(format!("Kinds of failure that end jobs under {variant}"))
        .column("Fail by", ColumnKind::Text)
        .column("", ColumnKind::Marks)
        .column("Jobs", ColumnKind::Number);
    for kind in all.iter().take(ROWS) {
        table.row([
            Cell::text(super::shared::cut(&kind.kind)),
            Cell::bar(float(kind.jobs), most, Tone::Bad),
            Cell::Number(count(kind.jobs)),
        ]);
    }
    table.more = more(all.len().saturating_sub(ROWS), "kind");
    Some(table)
}
