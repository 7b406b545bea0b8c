//! The page of a sweep: how many retries are enough?

use super::shared::{answer_section, load_picture};
use super::tradeoff::picture;
use crate::report::answer::cells::{cost, failed_cost, figure, value};
use crate::report::answer::grid::{Grid, among_variants};
use crate::report::answer::sweep::Values;
use crate::report::figures::percent;
use crate::report::page::charts::tradeoff::SweptLine;
use crate::report::page::model::{Page, Part, Reply, Section};
use crate::report::page::numbers::{capitalised, failed_cost_name};
use crate::report::page::sweep;
use replay::simulate::{
    AdviceReport, AnswerReport, KneeReport, SimulationReport, SweptCost, SweptValue,
};

/// Fills the page.
pub(super) fn fill(page: &mut Page, report: &SimulationReport, values: &Values<'_>) {
    let answer = &report.answer;
    page.questions = questions(answer, values);
    page.picture = picture(answer, [0, 1].into_iter(), &line(report));
    page.add(section(report));
    page.add(answer_section(report));
    let load = load_picture(report).map(Part::Picture);
    page.add(Section::new("Retries over time", "", load));
}

/// Fills the page of a grid.
pub(super) fn fill_grid(page: &mut Page, report: &SimulationReport, grid: &Grid<'_>) {
    let answer = &report.answer;
    page.questions = sweep::grid_questions(answer, grid);
    page.picture = picture(answer, [0, 1].into_iter(), &SweptLine::default());
    page.add(section(report));
    page.add(answer_section(report));
}

/// The line of a sweep in the trade-off; without points if there is none.
pub(super) fn line(report: &SimulationReport) -> SweptLine {
    let answer = &report.answer;
    let Some((limit, values)) = values(report) else { return SweptLine::default() };
    let name = failed_cost_name(answer.unit);
    let points = values.iter().map(|(limit, column)| {
        let jobs = value(answer, "jobsRecovered", *column);
        let most = jobs + value(answer, "jobsUnresolved", *column);
        let failed = value(answer, "failedRetryHours", *column);
        let tip =
            format!("{limit}: {} jobs recovered, {} {name}", figure(jobs), cost(answer, failed));
        (limit.to_string(), [failed, jobs, most], tip)
    });
    let points: Vec<_> = points.collect();
    let ends = points.first().map(|it| &it.0).zip(points.last().map(|it| &it.0));
    let name = ends.map_or(String::new(), |(first, last)| format!("{limit} {first} to {last}"));
    SweptLine { name, points }
}

/// The limit and the values of a sweep, each with its column; also beside other sets of policies. `None` for a grid.
fn values(report: &SimulationReport) -> Option<(&str, Vec<(SweptValue, usize)>)> {
    let variants = report.variants.as_deref()?;
    let swept = variants.iter().zip(1..).filter_map(|(variant, column)| {
        let limit = variant.sweep.as_ref().filter(|limit| limit.second.is_none())?;
        Some((limit.path.as_str(), (limit.values().0, column)))
    });
    let (paths, mut values): (Vec<&str>, Vec<(SweptValue, usize)>) = swept.unzip();
    values.sort_by(|(one, _), (other, _)| one.compare(other));
    Some((*paths.first()?, values))
}

/// The knee of the advice.
pub(super) fn knee(answer: &AnswerReport) -> Option<&KneeReport> {
    answer.advice.iter().find_map(|advice| match advice {
        AdviceReport::Knee(knee) => Some(knee),
        AdviceReport::FlaggedRule(_) | AdviceReport::Proposal(_) => None,
    })
}

/// The meaning of the column beside the values.
const GIVEN: &str = "`given` are the policies unchanged.";

fn questions(answer: &AnswerReport, values: &Values<'_>) -> Vec<Reply> {
    let costs = values.costs(answer);
    let steps: Vec<Step<'_>> = costs.iter().zip(costs.iter().skip(1)).collect();
    let first = steps.iter().copied().find(|(one, next)| next.recovered > one.recovered);
    let mut all = vec![worth(answer, first)];
    all.extend(steps.last().map(|last| last_step(answer, *last, first)));
    all.push(change(answer, first.is_some()));
    all
}

/// A value, and the next one.
type Step<'c> = (&'c SweptCost, &'c SweptCost);

/// The jobs that recover by a step, in a sentence.
fn further_jobs((one, next): Step<'_>) -> String {
    let (from, to) = (one.value, next.value);
    match next.recovered - one.recovered {
        0.0 => format!("From {from} to {to}: no further job recovers."),
        jobs => format!("From {from} to {to}: {} more jobs recover.", figure(jobs)),
    }
}

/// The answer by the first step by which jobs recover.
fn worth(answer: &AnswerReport, first: Option<Step<'_>>) -> Reply {
    let price = first.and_then(|(one, next)| one.price_of(next));
    let figures =
        price.map(|price| format!("{} for each.", capitalised(&failed_cost(answer, price))));
    Reply {
        question: "Is a retry worth it?",
        answer: first.map_or("No job recovers by any value.".to_owned(), further_jobs),
        figures: figures.unwrap_or_default(),
    }
}

/// The answer by the last step, whose price is compared with that of the first one by which jobs recover.
fn last_step(answer: &AnswerReport, last: Step<'_>, first: Option<Step<'_>>) -> Reply {
    let price = |(one, next): Step<'_>| one.price_of(next);
    let more_cost = last.1.failed - last.0.failed;
    let figures = match price(last) {
        Some(last) => {
            let first = first.and_then(price).filter(|first| *first > 0.0);
            let factor = first.map(|first| format!(", {:.1} times the first", last / first));
            let each = capitalised(&failed_cost(answer, last));
            format!("{each} for each{}.", factor.unwrap_or_default())
        }
        None if more_cost > 0.0 => {
            format!("{} more.", capitalised(&failed_cost(answer, more_cost)))
        }
        None => String::new(),
    };
    Reply { question: "What does the last one bring?", answer: further_jobs(last), figures }
}

/// The value to set.
fn change(answer: &AnswerReport, recovers_jobs: bool) -> Reply {
    let question = "What to change";
    match knee(answer) {
        Some(knee) => Reply {
            question,
            answer: format!("Set {} to {}.", knee.path, knee.value),
            figures: format!("{} {GIVEN}", knee_text(answer, knee)),
        },
        None => Reply {
            question,
            answer: "No value stands out.".to_owned(),
            figures: if recovers_jobs {
                format!("Each further retry brings jobs at a similar cost. {GIVEN}")
            } else {
                GIVEN.to_owned()
            },
        },
    }
}

pub(super) fn knee_text(answer: &AnswerReport, knee: &KneeReport) -> String {
    let cost = knee.cost_share.map(|share| format!(", for {} % of its cost", percent(share)));
    let next = match knee.next_price {
        Some(price) => {
            format!("the next value costs {} for each further job", failed_cost(answer, price))
        }
        None => "the next value recovers no further job".to_owned(),
    };
    format!(
        "It recovers {} % of the jobs that {} recovers{}; {next}.",
        percent(knee.recovered_share),
        knee.largest,
        cost.unwrap_or_default()
    )
}

/// The section with a row for each value, or of a grid with one for each value of the first limit; none without a
/// sweep.
pub(super) fn section(report: &SimulationReport) -> Option<Section> {
    let answer = &report.answer;
    let Some((limit, values)) = values(report) else {
        return sweep::grid_section(answer, &among_variants(report)?);
    };
    let knee = knee(answer).map(|knee| knee.value);
    sweep::section(answer, limit, &values, knee)
}
