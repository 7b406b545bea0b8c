//! The answer about a simulated cluster as a section of a comment: the headline, the figures, findings, and folded what
//! explains them.

use super::summary::{run_line, share_line};
use super::tables::{causes_table, rules_table};
use super::verdict::all_findings;
use super::{headline, queues, table};
use crate::cluster::report::{ClusterReport, ClusterVariant};
use crate::report::answer::{engines, sweep};
use crate::report::comment::{Block, Provenance, SimulationSection, code, lines};
use crate::report::figures::count;
use crate::report::table::Table;

/// The most queues of a table.
const QUEUES: usize = 20;

/// Writes the section.
pub fn markdown(report: &ClusterReport, provenance: &Provenance) -> String {
    let mut blocks = vec![Block::table(&figures(report))];
    blocks.extend(lines(all_findings(report)));
    if headline::values(&report.answer).is_none() {
        blocks.extend(queues_block(report));
    }
    for variant in &report.variants {
        let rules = rules_table(&variant.figures.rules, false);
        blocks.extend(folded(report, variant, &rules, "What each rule costs and recovers"));
        let causes = causes_table(&variant.figures.causes, false);
        blocks.extend(folded(report, variant, &causes, "Why runs fail"));
    }
    let section = SimulationSection {
        headline: headline::text(report),
        notes: &report.notes,
        assertions: &report.assertions,
        blocks,
        remarks: share_line(report).into_iter().collect(),
        sources: format!("{}. {}", engines(&report.answer.columns), run_line(report)),
        provenance,
    };
    section.markdown()
}

/// The table of figures; of a sweep that of its values.
fn figures(report: &ClusterReport) -> Table {
    let answer = &report.answer;
    let Some(values) = headline::values(answer) else { return table::whole(report) };
    let wait = |column| table::wait_p95(answer, column);
    sweep::table(answer, &values, Some((table::WAIT_P95, &wait)))
}

/// The queues, behind a line that opens them.
fn queues_block(report: &ClusterReport) -> Option<Block> {
    let (table, left) = queues::whole(report, QUEUES)?;
    let block = Block::table(&table);
    let block = match left {
        0 => block,
        left => block.followed_by(&format!("{} more", count(left as u64))),
    };
    Some(block.folded("Queues"))
}

/// A table of a variant behind a line that opens it; `None` if it has no rows.
fn folded(
    report: &ClusterReport,
    variant: &ClusterVariant,
    table: &Table,
    summary: &str,
) -> Option<Block> {
    let summary = match report.variants.len() {
        1 => summary.to_owned(),
        _ => format!("{summary} under {}", code(&variant.name)),
    };
    (!table.rows().is_empty()).then(|| Block::table(table).folded(&summary))
}
