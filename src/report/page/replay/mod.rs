//! The page of a replay: of the record alone, of one set of policies, of a comparison, a sweep or a job.

mod compare;
mod groups;
mod job;
mod policies;
mod questions;
mod rules;
mod shared;
mod sweep;
mod tradeoff;

use super::foot::{self, assertion_lines, note_lines};
use crate::report::answer::{grid, sweep as swept};
use crate::report::figures::several;
use crate::report::page::model::{Page, Part, Picture, Section};
use crate::report::{Provenance, ReplaySources, answer};
use replay::simulate::{AnswerReport, NoteSeverity, RecordedRetries, SimulationReport};
use shared::{answer_section, jobs_picture, load_picture, reasons_section};

/// The page of a replay.
pub fn replay(report: &SimulationReport, sources: &ReplaySources, provenance: &Provenance) -> Page {
    let answer = &report.answer;
    let names = &provenance.names;
    let mut page = Page {
        context: context(report),
        headline: answer.sentences.first().cloned().unwrap_or_default(),
        second_headline: second_headline(report),
        warnings: note_lines(&report.notes, NoteSeverity::Warning, names),
        assertions: assertion_lines(&report.assertions),
        ..Page::default()
    };
    if answer.runs > 0 {
        let only_job = report.jobs.as_deref().filter(|jobs| jobs.len() == 1);
        match only_job {
            Some([only]) if report.summary.totals.jobs == 1 && report.has_policies() => {
                job::fill(&mut page, report, only, names);
            }
            _ if !report.has_policies() => fill(&mut page, report),
            _ => match (swept::values(report), grid::in_report(report)) {
                (Some(values), _) => sweep::fill(&mut page, report, &values),
                (None, Some(grid)) => sweep::fill_grid(&mut page, report, &grid),
                (None, None) if answer.columns.len() > 2 => compare::fill(&mut page, report),
                (None, None) => policies::fill(&mut page, report),
            },
        }
        page.notes.extend(answer::other_remarks(report));
    }
    page.notes.extend(answer::releases_text(report));
    let left = shared::columns(report).len().saturating_sub(shared::VARIANTS + 1);
    if left > 0 {
        let sets = several(left as u64, "more set");
        page.notes.push(format!("{sets} of policies: in the first table alone."));
    }
    page.notes.extend(note_lines(&report.notes, NoteSeverity::Note, names));
    foot::set(&mut page, figures(answer, sources), &answer.columns, provenance);
    page
}

/// The sentences of the headline after the first one, each about the next set of policies: without those of a sweep, which
/// the questions answer.
fn second_headline(report: &SimulationReport) -> String {
    let answer = &report.answer;
    let columns = shared::columns(report);
    let first = answer.base + 1;
    let sentences = answer.sentences.iter().zip(first..).skip(1);
    let sentences = sentences.filter(|(_, column)| columns.contains(column));
    sentences.map(|(sentence, _)| sentence.as_str()).collect::<Vec<_>>().join(" ")
}

/// The days, the policies and the size of a replay.
fn context(report: &SimulationReport) -> String {
    let answer = &report.answer;
    let period = answer.period.as_ref().and_then(|it| answer::days(&it.from, &it.to));
    let what = if report.has_policies() { "Replay" } else { "Record" };
    let mut parts = vec![match period {
        Some(days) => format!("{what} of {days}"),
        None => what.to_owned(),
    }];
    let columns = shared::columns(report).into_iter().skip(1);
    let name = |column: usize| format!("`{}`", answer.columns[column].label);
    let names: Vec<String> = columns.map(name).collect();
    let title = swept::values(report).map(|values| values.title());
    let title = title.or_else(|| Some(grid::in_report(report)?.title()));
    parts.extend(match (names.as_slice(), title) {
        ([], _) => None,
        (_, Some(title)) => Some(title),
        ([one], None) => Some(format!("policies {one}")),
        ([first, others @ ..], None) => Some(format!("{first} against {}", others.join(", "))),
    });
    let jobs = shared::jobs_on_record(answer);
    let (runs, jobs) = (several(answer.runs, "run"), several(jobs, "job"));
    parts.push(format!("{runs} of {jobs}"));
    parts.join(" · ")
}

/// The sources of the figures.
fn figures(answer: &AnswerReport, sources: &ReplaySources) -> Vec<(String, String)> {
    let ReplaySources { seed, files, bytes } = sources;
    let size = match bytes {
        Some(bytes) => format!("{}, {}", several(*files, "file"), several(*bytes, "byte")),
        None => several(*files, "stream or file"),
    };
    let period = answer.period.as_ref();
    let period = period.map(|period| format!(", from {} to {}", period.from, period.to));
    let history = format!("{size}, {}{}", several(answer.runs, "run"), period.unwrap_or_default());
    vec![("History".to_owned(), history), ("Seed".to_owned(), seed.to_string())]
}

/// Fills the page.
fn fill(page: &mut Page, report: &SimulationReport) {
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
