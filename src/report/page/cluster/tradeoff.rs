//! The variants of a cluster in a plane: jobs that recover against the wait of all others.

use super::shared::{VARIANTS, variants_of_pictures};
use crate::report::answer::cells::{cost_in_words, mean, value};
use crate::report::cluster::headline;
use crate::report::page::chart::Tone;
use crate::report::page::charts::axes::Axis;
use crate::report::page::charts::tradeoff::{self, PolicyPoint, Range, SweptLine};
use crate::report::page::model::Picture;
use crate::report::page::numbers::duration;
use crate::report::page::scale::{time_ticks, whole_ticks};
use cluster::report::{ClusterReport, ClusterVariant, Group};

/// The variants: jobs that recover against the wait of all others.
pub(super) fn picture(report: &ClusterReport) -> Option<Picture> {
    if report.variants.len() < 2 {
        return None;
    }
    let answer = &report.answer;
    let estimate = |of: &dyn Fn(&Group) -> Option<f64>, variant: &ClusterVariant| {
        let half = variant.intervals.as_ref().and_then(|it| of(&it.total)).unwrap_or_default();
        Some(Range::around(of(&variant.figures.total)?, half))
    };
    let wait = |group: &Group| group.undisturbed_wait.map(|wait| wait.p95.0);
    let jobs = |group: &Group| Some(group.jobs.recovered.0);
    let point = |(number, (at, variant)): (usize, (usize, &ClusterVariant))| {
        let (x, y) = (estimate(&wait, variant)?, estimate(&jobs, variant)?);
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
            tone: Tone::variant(number),
        })
    };
    let values = headline::values(answer);
    // The values of a sweep are a line beside the policies as they are.
    let most = if values.is_some() { 1 } else { VARIANTS };
    let points = variants_of_pictures(report).into_iter().take(most).enumerate().filter_map(point);
    let points: Vec<PolicyPoint> = points.collect();
    let line = values.map_or_else(SweptLine::default, |values| {
        let (_, columns) = values.columns();
        let points = columns.iter().filter_map(|(value, at)| {
            let point = point((0, (*at, report.variants.get(*at)?)))?;
            Some((value.to_string(), [point.x.value, point.y.value, point.y.value], point.tip))
        });
        SweptLine { name: values.title().replace('`', ""), points: points.collect() }
    });
    let places = || line.points.iter().map(|(_, place, _)| *place);
    let most_wait =
        points.iter().map(|it| it.x.ends.1).chain(places().map(|it| it[0])).reduce(f64::max)?;
    let most_jobs =
        points.iter().map(|it| it.y.ends.1).chain(places().map(|it| it[1])).reduce(f64::max)?;
    // Minutes and hours are the units of waits, so that their axis has such steps.
    let seconds = time_ticks((0.0, most_wait.max(1.0)), 4.0);
    let x = Axis {
        unit: "wait of jobs without a failure or preemption, 95th percentile".to_owned(),
        most: most_wait.max(1.0) * 1.03,
        ticks: seconds,
        format: duration,
    };
    let y = Axis::numbers("jobs recovered", whole_ticks(most_jobs, 4.0), most_jobs);
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
