//! The tables of a simulated cluster by their names.

use super::comparison::comparison;
use super::details::{fairness_table, queues_table, templates_table, write_lines};
use super::summary::{ends, node_line, shares};
use super::table;
use super::tables::{causes_table, retries_table, rules_table, waits_table};
use super::verdict::all_findings;
use crate::report::layout::Layout;
use crate::report::table::Table;
use cluster::report::{ClusterReport, ClusterVariant};
use document::diag::printable;
use std::fmt::Write;

/// A table that `--show` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// All rows of the answer.
    Figures,
    /// The figures of all jobs and of each queue, a column for each variant.
    Comparison,
    /// The jobs, waits and shares of each queue.
    Queues,
    /// The jobs, waits and hours of each template.
    Templates,
    /// The distribution of waits.
    Waits,
    /// The causes for which runs failed.
    Failures,
    /// The decisions of each rule.
    Rules,
    /// Retries by their number.
    Retries,
    /// Fairness and utilisation.
    Fairness,
    /// The nodes that failed.
    Nodes,
    /// The waits of retries, the decisions that ended jobs, and refusals.
    Refusals,
    /// The findings about retries.
    Findings,
}

impl Section {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Self); 12] = [
        ("figures", Self::Figures),
        ("comparison", Self::Comparison),
        ("queues", Self::Queues),
        ("templates", Self::Templates),
        ("waits", Self::Waits),
        ("failures", Self::Failures),
        ("rules", Self::Rules),
        ("retries", Self::Retries),
        ("fairness", Self::Fairness),
        ("nodes", Self::Nodes),
        ("refusals", Self::Refusals),
        ("findings", Self::Findings),
    ];
}

/// Writes a section; of several variants one after the other.
pub(super) fn section(out: &mut String, report: &ClusterReport, section: Section, layout: &Layout) {
    match section {
        Section::Figures => return table::all(out, report, layout),
        Section::Comparison => {
            out.push('\n');
            return comparison(out, &report.variants, layout);
        }
        Section::Findings => return write_lines(out, &all_findings(report), layout),
        _ => {}
    }
    for variant in &report.variants {
        let mut text = String::new();
        variant_section(&mut text, variant, section, layout);
        if report.variants.len() > 1 && !text.is_empty() {
            let _ = write!(out, "\n{}:", printable(&variant.name));
        }
        out.push_str(&text);
    }
}

/// Writes a section about one variant; nothing if it has no such figures.
fn variant_section(out: &mut String, variant: &ClusterVariant, section: Section, layout: &Layout) {
    let figures = &variant.figures;
    let pools = &figures.pools;
    let mut table = |table: Table| table.write(out, layout);
    match section {
        Section::Figures | Section::Comparison | Section::Findings => {}
        Section::Queues => table(queues_table(variant)),
        Section::Templates => table(templates_table(variant)),
        Section::Waits => table(waits_table(figures)),
        Section::Failures => table(causes_table(&figures.causes, layout.wide)),
        Section::Rules => table(rules_table(&figures.rules, layout.wide)),
        Section::Retries => table(retries_table(&figures.total.retries)),
        Section::Fairness => {
            table(fairness_table(variant));
            write_lines(out, &shares(&figures.total), layout);
        }
        Section::Nodes => {
            let lines = pools.iter().filter_map(|(name, it)| node_line(name, it, pools.len() == 1));
            write_lines(out, &lines.collect::<Vec<_>>(), layout);
        }
        Section::Refusals => write_lines(out, &ends(&figures.total), layout),
    }
}
