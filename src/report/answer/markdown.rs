//! The answer as a section of a comment: the headline, the table, and folded what explains it.

use super::table::Rows;
use super::{failing, reasons, remarks, rules, sweep, table};
use crate::report::comment::{Block, Provenance, SimulationSection, code, inline};
use crate::report::figures::{count, several};
use crate::report::table::Table;
use crate::simulate::{AnswerColumn, AnswerReport, SimulationReport};

/// The most rows of a table: as many as the JSON has reasons.
const MOST: usize = 20;

/// The histories of a replay, and the seed of its random values.
#[derive(Debug, Clone, Default)]
pub struct ReplaySources {
    /// The seed.
    pub seed: u64,
    /// The number of files.
    pub files: u64,
    /// Their bytes; `None` if one of them is a stream, such as standard input.
    pub bytes: Option<u64>,
}

/// Writes the section of a replay in a comment.
pub fn markdown(
    report: &SimulationReport,
    sources: &ReplaySources,
    provenance: &Provenance,
) -> String {
    let answer = &report.answer;
    let (mut blocks, mut remarks) = (Vec::new(), Vec::new());
    if answer.runs > 0 {
        figures(&mut blocks, report);
        blocks.extend(samples(report));
        blocks.extend(outcomes(report));
        remarks = remarks::texts(report);
    }
    let section = SimulationSection {
        headline: answer.sentences.join(" "),
        notes: &report.notes,
        assertions: &report.assertions,
        blocks,
        remarks,
        sources: sources_text(answer, sources),
        provenance,
    };
    section.markdown()
}

fn sources_text(answer: &AnswerReport, sources: &ReplaySources) -> String {
    let ReplaySources { seed, files, bytes } = sources;
    let engines = engines(&answer.columns);
    let period = answer.period.as_ref();
    let period = period.map(|period| format!(", from {} to {}", period.from, period.to));
    let history = match bytes {
        Some(bytes) => format!("{} of {}", several(*files, "file"), several(*bytes, "byte")),
        None => several(*files, "stream or file"),
    };
    let (runs, period) = (several(answer.runs, "run"), period.unwrap_or_default());
    format!("{engines}, seed {seed}. History: {history}, {runs}{period}.")
}

/// The engines of columns: `, engine v1`; empty without policies.
pub(in crate::report) fn engines(columns: &[AnswerColumn]) -> String {
    let mut engines: Vec<&str> =
        columns.iter().filter_map(|column| column.engine.as_deref()).collect();
    engines.dedup();
    match engines.as_slice() {
        [] => String::new(),
        engines => format!(", engine {}", engines.join(", ")),
    }
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
