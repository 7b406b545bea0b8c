//! The picture of a comparison and of a sweep: jobs recovered against the cost of failed retries.

use super::shared::VARIANTS;
use crate::report::answer::cells::{cost, figure, value};
use crate::report::page::chart::Tone;
use crate::report::page::charts::axes::Axis;
use crate::report::page::charts::tradeoff::{self, PolicyPoint, Range, SweptLine};
use crate::report::page::model::Picture;
use crate::report::page::numbers::{failed_cost_name, short};
use crate::report::page::scale::{ticks, whole_ticks};
use replay::simulate::AnswerReport;

/// The trade-off of the record and of sets of policies, and of a sweep.
pub(super) fn picture(
    answer: &AnswerReport,
    columns: impl Iterator<Item = usize>,
    sweep: &SweptLine,
) -> Option<Picture> {
    let columns: Vec<usize> = columns.collect();
    let row = |id: &str, column: usize| value(answer, id, column);
    let failed = |column: usize| row("failedRetryHours", column);
    let at_most = |column: usize| row("jobsRecovered", column) + row("jobsUnresolved", column);
    let swept = sweep.points.iter().map(|(_, point, _)| *point);
    let most_cost = columns.iter().map(|it| failed(*it)).chain(swept.clone().map(|it| it[0]));
    let most_jobs = columns.iter().map(|it| at_most(*it)).chain(swept.map(|it| it[2]));
    let (most_cost, most_jobs) = (most_cost.fold(0.0, f64::max), most_jobs.fold(0.0, f64::max));
    if most_cost == 0.0 && most_jobs == 0.0 {
        return None;
    }
    let x = Axis::numbers(failed_cost_name(answer.unit), ticks(most_cost, 4.0), most_cost);
    let y = Axis::numbers("jobs recovered", whole_ticks(most_jobs, 4.0), most_jobs);
    let mut number = 0;
    let points = columns.iter().map(|column| {
        let tone = if *column == 0 {
            Tone::Unknown
        } else {
            number += 1;
            Tone::variant(number - 1)
        };
        point(answer, *column, tone)
    });
    let points: Vec<PolicyPoint> = points.take(VARIANTS + 1).collect();
    let title = "Jobs recovered against what failed retries cost";
    let chart = tradeoff::chart(title, (&x, &y), &points, sweep)?;
    let has_interval = points.iter().any(|point| point.y.ends.1 > point.y.ends.0);
    let mut text = "Up is better, left is cheaper.".to_owned();
    if sweep.points.len() > 1 {
        text.push_str(" The area reaches up to the jobs that recover if all unresolved ones do.");
    } else if has_interval {
        text.push_str(" A bar reaches up to the jobs that recover if all unresolved ones do.");
    }
    Some(Picture::new(chart, text))
}

/// A column in the plane. Its unresolved jobs may recover, but for those of the record.
fn point(answer: &AnswerReport, column: usize, tone: Tone) -> PolicyPoint {
    let row = |id: &str| value(answer, id, column);
    let (jobs, failed) = (row("jobsRecovered"), row("failedRetryHours"));
    let upper = if column > 0 { row("jobsUnresolved") } else { 0.0 };
    let most =
        if upper > 0.0 { format!(", at most {}", figure(jobs + upper)) } else { String::new() };
    let name = answer.columns[column].label.clone();
    PolicyPoint {
        words: format!("{} for {}", short(jobs), short(failed)),
        tip: format!(
            "{name}: {} jobs recovered{most}; {} {}",
            figure(jobs),
            cost(answer, failed),
            failed_cost_name(answer.unit)
        ),
        name,
        x: Range::exact(failed),
        y: Range { value: jobs, ends: (jobs, jobs + upper) },
        tone,
    }
}
