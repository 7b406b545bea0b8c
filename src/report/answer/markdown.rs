//! The answer as a section of a comment: the headline, the table, and folded what explains it.

use super::table::Rows;
use super::{failing, reasons, remarks, rules, sweep, table};
use crate::diag::Style;
use crate::report::comment::{Block, Provenance, code, fit, inline};
use crate::report::figures::count;
use crate::report::layout::Layout;
use crate::report::table::Table;
use crate::report::{assertions, notes};
use crate::simulate::{NoteReport, NoteSeverity, SimulationReport};

/// The most rows of a table: as many as the JSON has reasons.
const MOST: usize = 20;

/// A layout without a width and colours: a comment wraps its lines itself.
const LAYOUT: Layout = Layout { wide: false, headers: true, width: None, style: Style::Plain };

/// Writes the section.
pub fn markdown(report: &SimulationReport, provenance: &Provenance) -> String {
    let answer = &report.answer;
    let mut blocks =
        vec![Block::paragraph(&format!("### {}", inline(&answer.sentences.join(" "))))];
    blocks.extend(list(notes_of(report, NoteSeverity::Warning, provenance)));
    blocks.extend(list(report.assertions.iter().map(|it| assertions::line(it, &LAYOUT))));
    if answer.runs > 0 {
        figures(&mut blocks, report);
        blocks.extend(samples(report));
        blocks.extend(outcomes(report));
    }
    let texts = remarks::texts(report).into_iter().filter(|_| answer.runs > 0);
    let remarks = list(texts.chain(notes_of(report, NoteSeverity::Note, provenance)));
    blocks.extend(remarks.map(|list| list.folded("Notes")));
    fit(&blocks, Some(&provenance.block(answer)))
}

/// The table, and the rules or reasons for its differences.
fn figures(blocks: &mut Vec<Block>, report: &SimulationReport) {
    let answer = &report.answer;
    if let Some(values) = sweep::values(report) {
        let block = Block::table(&sweep::table(answer, &values, None));
        return blocks.push(match sweep::gloss(answer, &values) {
            Some(gloss) => block.followed_by(gloss),
            None => block,
        });
    }
    let rows = Rows::screen(answer);
    if !rows.is_empty() {
        let block = Block::table(&table::table(answer, &rows, true, true));
        blocks.push(match table::gloss(answer, &rows) {
            Some(gloss) => block.followed_by(&inline(&gloss)),
            None => block,
        });
    }
    blocks.extend(failing::line(report).map(|text| Block::paragraph(&inline(&text))));
    let (more, summary) = match answer.columns.len() {
        3.. => (rules::table(report, MOST), "What each rule costs and recovers"),
        2 => (reasons::table(answer, MOST), "Why jobs fail here"),
        _ => (reasons::table(answer, MOST), "What the retries followed"),
    };
    blocks.extend(more.map(|(table, left)| {
        let block = Block::table(&table);
        let left = (left > 0).then(|| format!("{} more", count(left as u64)));
        let block = match left {
            Some(left) => block.followed_by(&left),
            None => block,
        };
        block.folded(summary)
    }));
}

/// Some jobs that succeeded on record and fail here.
fn samples(report: &SimulationReport) -> Option<Block> {
    let answer = &report.answer;
    let item = |column: &str, jobs: &[String]| {
        let label = answer.columns.iter().find(|it| it.name == column);
        let label = label.map_or(column, |column| &column.label);
        let jobs: Vec<String> = jobs.iter().map(|job| code(job)).collect();
        format!("under {}: {}", code(label), jobs.join(", "))
    };
    let items: Vec<String> =
        answer.samples.iter().map(|sample| item(&sample.column, &sample.jobs)).collect();
    let summary = "Some jobs that succeeded on record and fail here";
    (!items.is_empty()).then(|| Block::list(items).folded(summary))
}

/// The jobs whose outcomes differ between two sets of policies.
fn outcomes(report: &SimulationReport) -> Option<Block> {
    let Some([_, second]) = report.variants.as_deref() else { return None };
    let changes = second.changes.as_ref()?;
    let mut table =
        Table::new(vec!["OUTCOME", "JOBS", "FOR EXAMPLE"]).right_aligned_but(&["FOR EXAMPLE"]);
    for change in changes.by_outcome.iter().take(MOST) {
        let outcome = format!("{} -> {}", change.from, change.to);
        table.row(vec![outcome, count(change.jobs), change.samples.join(", ")]);
    }
    let summary =
        format!("Jobs that end otherwise under {}: {}", code(&second.name), count(changes.jobs));
    (!table.rows().is_empty()).then(|| Block::table(&table).folded(&summary))
}

fn notes_of<'r>(
    report: &'r SimulationReport,
    severity: NoteSeverity,
    provenance: &'r Provenance,
) -> impl Iterator<Item = String> + 'r {
    let is_wanted = move |note: &&NoteReport| note.severity == severity;
    let notes = report.notes.iter().filter(is_wanted);
    notes.map(|note| provenance.names.text(&notes::line(note, &LAYOUT)))
}

fn list(items: impl IntoIterator<Item = String>) -> Option<Block> {
    let items: Vec<String> = items.into_iter().map(|item| inline(&item)).collect();
    (!items.is_empty()).then(|| Block::list(items))
}
