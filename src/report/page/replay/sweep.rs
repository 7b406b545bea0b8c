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
    let pairs = || costs.iter().zip(costs.iter().skip(1));
    let price = |(one, next): (&SweptCost, &SweptCost)| one.price_of(next);
    let each = |price: f64| failed_cost(answer, price);
    let first = pairs().find(|(one, next)| next.recovered > one.recovered);
    let first_price = first.and_then(price);
    let mut all = Vec::new();
    all.push(match first {
        Some((one, next)) => Reply {
            question: "Is a retry worth it?",
            answer: format!(
                "From {} to {}: {} more jobs recover.",
                one.value,
                next.value,
                figure(next.recovered - one.recovered)
            ),
            figures: first_price
                .map(|it| format!("{} for each.", capitalised(&each(it))))
                .unwrap_or_default(),
        },
        None => Reply {
            question: "Is a retry worth it?",
            answer: "No job recovers by any value.".to_owned(),
            figures: String::new(),
        },
    });
    if let Some((one, last)) = pairs().next_back() {
        let jobs = last.recovered - one.recovered;
        let factor = price((one, last)).zip(first_price).filter(|(_, first)| *first > 0.0);
        let factor = factor.map(|(last, first)| format!(", {:.1} times the first", last / first));
        let more_cost = last.failed - one.failed;
        all.push(Reply {
            question: "What does the last one bring?",
            answer: match jobs {
                0.0 => format!("From {} to {}: no further job recovers.", one.value, last.value),
                _ => format!(
                    "From {} to {}: {} more jobs recover.",
                    one.value,
                    last.value,
                    figure(jobs)
                ),
            },
            figures: match price((one, last)) {
                Some(price) => {
                    format!("{} for each{}.", capitalised(&each(price)), factor.unwrap_or_default())
                }
                None if more_cost > 0.0 => {
                    format!("{} more.", capitalised(&failed_cost(answer, more_cost)))
                }
                None => String::new(),
            },
        });
    }
    all.push(match knee(answer) {
        Some(knee) => Reply {
            question: "What to change",
            answer: format!("Set {} to {}.", knee.path, knee.value),
            figures: format!("{} {GIVEN}", knee_text(answer, knee)),
        },
        None => Reply {
            question: "What to change",
            answer: "No value stands out.".to_owned(),
            figures: match first {
                Some(_) => format!("Each further retry brings jobs at a similar cost. {GIVEN}"),
                None => GIVEN.to_owned(),
            },
        },
    });
    all
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
