//! The page of a simulated cluster: what retries recover, what all others wait for them, what to change?

mod over_time;
mod questions;
mod sections;
mod shared;
mod tradeoff;

use crate::cluster::report::{ClusterReport, SeriesReport};
use crate::report::Provenance;
use crate::report::cluster::headline;
use crate::report::cluster::summary::{run_line, share_line};
use crate::report::cluster::verdict::all_findings;
use crate::report::figures::several;
use crate::report::page::foot::sources;
use crate::report::page::model::{Page, Part, Section};
use crate::report::page::remarks::{assertion_lines, note_lines};
use crate::report::page::sweep;
use crate::simulate::{NoteSeverity, knee};
use shared::VARIANTS;

/// The page of a simulated cluster.
pub fn cluster(report: &ClusterReport, provenance: &Provenance) -> Page {
    let names = &provenance.names;
    let lines = |severity: NoteSeverity| note_lines(&report.notes, severity, names);
    let sentences = headline::sentences(report);
    let mut page = Page {
        context: context(report),
        headline: sentences.first().cloned().unwrap_or_default(),
        second_headline: sentences.iter().skip(1).cloned().collect::<Vec<_>>().join(" "),
        warnings: lines(NoteSeverity::Warning),
        assertions: assertion_lines(&report.assertions),
        questions: questions::questions(report),
        notes: share_line(report).into_iter().chain(lines(NoteSeverity::Note)).collect(),
        ..Page::default()
    };
    let over_time = over_time::pictures(report);
    page.picture = match tradeoff::picture(report) {
        Some(picture) => Some(picture),
        None => over_time.first().cloned(),
    };
    let rest = over_time.into_iter().skip(usize::from(report.variants.len() < 2));
    let text = format!(
        "The same workload and the same random failures (seed {}), on common axes. Times are those since the \
         start of the simulation.",
        report.seed
    );
    let findings = all_findings(report);
    let swept = headline::values(&report.answer).and_then(|values| {
        let (limit, columns) = values.columns();
        let knee = knee(limit, &values.costs(&report.answer)).map(|knee| knee.value);
        sweep::section(&report.answer, limit, columns, knee)
    });
    let mut sections = vec![
        swept,
        Section::new("Over time", text, rest.map(Part::Picture)),
        findings_section(&findings),
        sections::waits_section(report),
        sections::figures_section(report),
        sections::queues_section(report),
    ];
    let variants = report.variants.iter().zip(&report.answer.columns).take(VARIANTS);
    sections
        .extend(variants.map(|(it, column)| sections::rules_section(report, it, &column.label)));
    page.sections = sections.into_iter().flatten().collect();
    let mut foot = sources(provenance);
    let rest = foot.split_off(1);
    foot.push(("Simulation".to_owned(), vec![run_line(report)]));
    foot.extend(rest);
    page.sources = foot;
    page
}

fn context(report: &ClusterReport) -> String {
    let mut parts = vec!["Simulated cluster".to_owned()];
    if let Some(first) = first_run(report) {
        parts.push(several(first.nodes, "node"));
        parts.push(several(first.queues.len() as u64, "queue"));
    }
    let names: Vec<String> =
        report.answer.columns.iter().map(|column| format!("`{}`", column.label)).collect();
    let values = headline::values(&report.answer);
    parts.extend(match names.as_slice() {
        [first, ..] if let Some(values) = values => {
            Some(format!("{first} against {}", values.title()))
        }
        [first, others @ ..] if !others.is_empty() => {
            Some(format!("{first} against {}", others.join(", ")))
        }
        names => names.first().cloned(),
    });
    parts.join(" · ")
}

/// The series of the first run of the first variant.
fn first_run(report: &ClusterReport) -> Option<&SeriesReport> {
    report.variants.first()?.ends.first().map(|end| &end.series)
}

fn findings_section(findings: &[String]) -> Option<Section> {
    const MOST: usize = 12;
    let some = findings.iter().take(MOST).cloned().collect::<Vec<_>>();
    let part = (!some.is_empty()).then_some(Part::Sentences(some));
    Section::new("What goes wrong with retries?", "", part).map(Section::open)
}
