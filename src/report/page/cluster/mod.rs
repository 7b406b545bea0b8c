//! The page of a simulated cluster: what retries recover, what all others wait for them, what to change?

mod over_time;
mod questions;
mod sections;
mod shared;
mod tradeoff;

use crate::report::Provenance;
use crate::report::answer::cells;
use crate::report::cluster::headline;
use crate::report::cluster::summary::{run_line, share_line};
use crate::report::cluster::table::jobs;
use crate::report::cluster::verdict::all_findings;
use crate::report::figures::several;
use crate::report::page::foot::{self, assertion_lines, note_lines};
use crate::report::page::model::{Page, Part, Section};
use crate::report::page::sweep;
use cluster::report::{ClusterAnswer, ClusterReport, SeriesReport};
use replay::simulate::NoteSeverity;
use shared::variants_of_pictures;

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
    let mut sections = vec![
        sweep_section(&report.answer),
        Section::new("Over time", text, rest.map(Part::Picture)),
        findings_section(&findings),
        sections::waits_section(report),
        sections::figures_section(report),
        sections::queues_section(report),
    ];
    let variants = variants_of_pictures(report);
    let left = report.variants.len() - variants.len();
    if left > 0 {
        let left = several(left as u64, "more variant");
        page.notes.push(format!("{left}: in the table of figures alone."));
    }
    let labels = &report.answer.columns;
    sections.extend(
        variants.into_iter().map(|(at, it)| sections::rules_section(report, it, &labels[at].label)),
    );
    page.sections = sections.into_iter().flatten().collect();
    let figures = vec![("Simulation".to_owned(), run_line(report))];
    foot::set(&mut page, figures, &report.answer.columns, provenance);
    page
}

fn context(report: &ClusterReport) -> String {
    let mut parts = vec!["Simulated cluster".to_owned()];
    if let Some(first) = first_run(report) {
        parts.push(several(first.nodes, "node"));
        parts.push(several(first.queues.len() as u64, "queue"));
        parts.push(cells::several(jobs(&report.answer), "job"));
    }
    let names: Vec<String> =
        report.answer.columns.iter().map(|column| format!("`{}`", column.label)).collect();
    let title = headline::values(&report.answer).map(|values| values.title());
    let title = title.or_else(|| Some(headline::grid(&report.answer)?.title()));
    parts.extend(match names.as_slice() {
        [first, ..] if let Some(title) = title => Some(format!("{first} against {title}")),
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

fn sweep_section(answer: &ClusterAnswer) -> Option<Section> {
    let Some(values) = headline::values(answer) else {
        return sweep::grid_section(answer, &headline::grid(answer)?);
    };
    let (limit, columns) = values.columns();
    let knee = headline::knee(answer, &values).map(|knee| knee.value);
    sweep::section(answer, limit, columns, knee)
}

fn findings_section(findings: &[String]) -> Option<Section> {
    const MOST: usize = 12;
    let first = &findings[..findings.len().min(MOST)];
    let part = (!first.is_empty()).then(|| Part::Sentences(first.to_vec()));
    Section::new("What goes wrong with retries?", "", part).map(Section::unfolded)
}
