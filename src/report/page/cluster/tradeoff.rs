//! The variants of a cluster in a plane: jobs that recover against the wait of all others.

use super::shared::{VARIANTS, variants_of_pictures};
use crate::report::answer::cells::{cost_in_words, mean, value};
use crate::report::answer::sweep::Values;
use crate::report::cluster::headline;
use crate::report::page::chart::Tone;
use crate::report::page::charts::axes::Axis;
use crate::report::page::charts::tradeoff::{self, PolicyPoint, Range, SweptLine};
use crate::report::page::model::Picture;
use crate::report::page::numbers::duration;
use crate::report::page::scale::{time_ticks, whole_ticks};
use cluster::report::{ClusterReport, Group};

/// The variants: jobs that recover against the wait of all others.
pub(super) fn picture(report: &ClusterReport) -> Option<Picture> {
    if report.variants.len() < 2 {
        return None;
    }
    let values = headline::values(&report.answer);
    // The values of a sweep are a line beside the policies as they are.
    let most = if values.is_some() { 1 } else { VARIANTS };
    let variants = variants_of_pictures(report).into_iter().take(most).enumerate();
    let points = variants.filter_map(|(number, (at, _))| point(report, at, Tone::variant(number)));
    let points: Vec<PolicyPoint> = points.collect();
    let line = values.map_or_else(SweptLine::default, |values| line(report, &values));
    let (x, y) = axes(&points, &line)?;
    let title = "Jobs recovered against the wait of all others";
    let chart = tradeoff::chart(title, (&x, &y), &points, &line)?;
    let text = if report.seeds > 1 {
        format!(
            "Up is better, left is faster. Lines are 95 % intervals over {} seeds.",
            report.seeds
        )
    } else {
        "Up is better, left is faster.".to_owned()
    };
    Some(Picture::new(chart, text))
}

/// A variant in the plane.
fn point(report: &ClusterReport, at: usize, tone: Tone) -> Option<PolicyPoint> {
    let answer = &report.answer;
    let variant = report.variants.get(at)?;
    let estimate = |of: &dyn Fn(&Group) -> Option<f64>| {
        let half = variant.intervals.as_ref().and_then(|it| of(&it.total)).unwrap_or_default();
        Some(Range::around(of(&variant.figures.total)?, half))
    };
    let x = estimate(&|group| group.undisturbed_wait.map(|wait| wait.p95.0))?;
    let y = estimate(&|group| Some(group.jobs.recovered.0))?;
    let label = answer.columns[at].label.clone();
    let wasted = cost_in_words(answer, value(answer, "lostHours", at));
    Some(PolicyPoint {
        words: format!("{wasted} wasted"),
        tip: format!(
            "{label}: {} jobs recover, others wait {} (p95), {wasted} wasted",
            mean(y.value),
            duration(x.value)
        ),
        name: label,
        x,
        y,
        tone,
    })
}

/// The values of a sweep in the plane.
fn line(report: &ClusterReport, values: &Values<'_>) -> SweptLine {
    let (_, columns) = values.columns();
    let points = columns.iter().filter_map(|(value, at)| {
        // The line has a colour of its own.
        let PolicyPoint { x, y, tip, .. } = point(report, *at, Tone::Good)?;
        Some((value.to_string(), [x.value, y.value, y.value], tip))
    });
    SweptLine { name: values.title().replace('`', ""), points: points.collect() }
}

/// The axes that reach all points; none without points.
fn axes(points: &[PolicyPoint], line: &SweptLine) -> Option<(Axis, Axis)> {
    let places = || line.points.iter().map(|(_, place, _)| *place);
    let most_wait =
        points.iter().map(|it| it.x.ends.1).chain(places().map(|it| it[0])).reduce(f64::max)?;
    let most_jobs =
        points.iter().map(|it| it.y.ends.1).chain(places().map(|it| it[1])).reduce(f64::max)?;
    let x = Axis {
        unit: "wait of jobs without a failure or preemption, 95th percentile".to_owned(),
        most: most_wait.max(1.0) * 1.03,
        // Minutes and hours are the units of waits, so that their axis has such steps.
        ticks: time_ticks((0.0, most_wait.max(1.0)), 4.0),
        format: duration,
    };
    let y = Axis::numbers("jobs recovered", whole_ticks(most_jobs, 4.0), most_jobs);
    Some((x, y))
}
