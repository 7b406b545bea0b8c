//! The page of one set of policies: is it worth it, what does it cost, what to change?

use super::shared::{answer_section, jobs_picture, load_picture, reasons_section};
use super::{groups, job, questions, rules};
use crate::report::answer::advice::{change, effect};
use crate::report::answer::cells::{cost, figure, signed};
use crate::report::page::model::{Page, Part, Section};
use crate::report::page::numbers::cost_name;
use crate::report::page::table::{Cell, ColumnKind, PageTable};
use replay::simulate::{AnswerReport, SimulationReport};

/// Fills the page.
pub(super) fn fill(page: &mut Page, report: &SimulationReport) {
    let answer = &report.answer;
    page.questions =
        vec![questions::worth(report), questions::price(report), questions::to_change(report)];
    let jobs = jobs_picture(report);
    let curve = rules::picture(report);
    let (first, jobs) = if curve.is_some() { (curve, jobs) } else { (jobs, None) };
    page.picture = first;
    page.add(answer_section(report));
    page.add(reasons_section(answer));
    let flagged = rules::flagged(answer);
    let rules = rules::section(answer, &report.summary, &report.engine, flagged, "Rules");
    page.add(rules);
    page.add(proposals(answer));
    page.add(job::timelines(report));
    let summary = &report.summary;
    let pictures = [
        groups::retries_picture(summary, &report.verdict),
        groups::days_picture(answer, summary),
        load_picture(report),
    ];
    let pictures: Vec<Part> = pictures.into_iter().flatten().map(Part::Picture).collect();
    let jobs = jobs.map(Part::Picture);
    let beside = (!pictures.is_empty()).then_some(Part::Beside(pictures));
    let text = "How jobs end, and how retries are spread over their numbers and over time.";
    page.add(Section::new("Jobs and retries", text, jobs.into_iter().chain(beside)));
    page.add(groups::uncaught(summary));
    let places = [groups::queues(answer, summary), groups::nodes(summary, &report.verdict)];
    page.add(Section::new("Queues and nodes", "", places.into_iter().flatten()));
}

/// The changes that a further replay shows to be worth more than they cost.
fn proposals(answer: &AnswerReport) -> Option<Section> {
    let mut table = PageTable::new("Changes of the policies, each replayed on the same history")
        .column("Change", ColumnKind::Text)
        .column("Jobs succeed", ColumnKind::Number)
        .optional("Retries", ColumnKind::Number)
        .column("Failed retries", ColumnKind::Number)
        .optional("Good work", ColumnKind::Number);
    for proposal in questions::proposals(answer) {
        let difference = |value: f64, text: String| Cell::Number(signed(value, text));
        let (failed, good) = (proposal.failed_retry_hours, proposal.succeeded_retry_hours);
        table.row([
            Cell::Code { name: change(proposal), words: effect(answer, proposal) },
            difference(proposal.jobs_succeeded, figure(proposal.jobs_succeeded)),
            difference(proposal.retries, figure(proposal.retries)),
            difference(failed, cost(answer, failed)),
            difference(good, cost(answer, good)),
        ]);
    }
    let text = format!("Differences from these policies, in {}.", cost_name(answer.unit));
    (!table.rows.is_empty())
        .then(|| Section::new("Changes that the record supports", text, [Part::Table(table)]))
        .flatten()
}
