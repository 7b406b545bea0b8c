//! The page of the record alone: what did retries bring, what did they cost, where is the cost?

use super::shared::{answer_section, jobs_picture, load_picture, reasons_section};
use super::{groups, questions};
use crate::report::page::model::{Page, Part, Picture, Section};
use replay::simulate::{RecordedRetries, SimulationReport};

/// Fills the page.
pub(super) fn fill(page: &mut Page, report: &SimulationReport) {
    let answer = &report.answer;
    page.questions.extend(questions::record_questions(answer));
    page.questions.extend(questions::where_to_look(answer));
    let numbers = groups::recorded_retries_picture(answer);
    let jobs = jobs_picture(report);
    let (first, jobs): (Option<Picture>, Option<Picture>) =
        if numbers.is_some() { (numbers, jobs) } else { (jobs, None) };
    page.picture = first;
    page.add(reasons_section(answer));
    page.add(answer_section(report));
    let pictures = [groups::recorded_days_picture(answer), load_picture(report)];
    let pictures: Vec<Part> = pictures.into_iter().flatten().map(Part::Picture).collect();
    let beside = (!pictures.is_empty()).then_some(Part::Beside(pictures));
    let jobs = jobs.map(Part::Picture);
    let text = "How jobs ended, and when retries were.";
    page.add(Section::new("Jobs and retries", text, jobs.into_iter().chain(beside)));
    let Some(groups) = &answer.recorded_retries else { return };
    let queues: Vec<(String, RecordedRetries)> =
        groups.by_queue.iter().map(|it| (it.key.queue.clone(), it.retries)).collect();
    let nodes: Vec<(String, RecordedRetries)> =
        groups.by_node.iter().map(|it| (it.key.node.clone(), it.retries)).collect();
    let all_nodes = usize::try_from(groups.nodes).unwrap_or(usize::MAX);
    let places = [
        groups::recorded_groups(answer, "Queues", "queue", &queues, queues.len()),
        groups::recorded_groups(answer, "Nodes", "node", &nodes, all_nodes),
    ];
    let text = "The retries on record, where they ran.";
    page.add(Section::new("Queues and nodes", text, places.into_iter().flatten()));
}
