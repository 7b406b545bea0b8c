//! The pictures of a cluster over time: a column for each variant.

use super::shared::{QUEUES, UNFAIR, variants_of_pictures};
use crate::report::figures::count;
use crate::report::page::chart::{Chart, Tone};
use crate::report::page::charts::time::{self, FailureBars, QueueLine, RunBins, Times};
use crate::report::page::model::Picture;
use crate::report::page::numbers::{capitalised, duration, float, position};
use crate::report::page::table::{Cell, ColumnKind, PageTable, more};
use cluster::report::{ClusterReport, Figure, QueueSeries, SeriesReport};
use replay::simulate::CostUnit;

/// The most queues in a picture; of more the others are one.
const LINES: usize = 5;
/// The bars of failures over a run: as many as are told apart in a column.
const BARS: f64 = 48.0;

/// A run of a variant over time.
struct Run<'r> {
    label: String,
    /// Its position among the runs of the pictures.
    number: usize,
    series: &'r SeriesReport,
    bins: RunBins,
}

/// The pictures over time: a column for each variant.
pub(super) fn pictures(report: &ClusterReport) -> Vec<Picture> {
    let ends = variants_of_pictures(report).into_iter();
    let ends = ends.filter_map(|(at, variant)| Some((at, variant.ends.first()?)));
    let runs = ends.enumerate().map(|(number, (at, end))| Run {
        label: report.answer.columns[at].label.clone(),
        number,
        series: &end.series,
        bins: RunBins { length: end.series.bin_seconds.0, end: end.time.0 },
    });
    let runs: Vec<Run<'_>> = runs.collect();
    let end = runs.iter().map(|run| run.bins.end).fold(0.0, f64::max);
    if runs.is_empty() || end == 0.0 {
        return Vec::new();
    }
    let times = Times { end };
    let unit = report.answer.unit;
    let names = queue_names(&runs, unit);
    [
        Some(what_runs(&runs, times, &names, unit)),
        what_waits(&runs, times, &names),
        what_fails(&runs, times),
        who_lacks(report, &runs, times, &names),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The queues with the largest allocations, and whether there are others.
fn queue_names(runs: &[Run<'_>], unit: CostUnit) -> (Vec<String>, bool) {
    let mut sums: Vec<(f64, &String)> = Vec::new();
    for run in runs {
        for (name, queue) in &run.series.queues {
            let (all, _) = allocation(queue, unit);
            let sum = all.iter().map(|it| it.0).sum::<f64>() * run.series.bin_seconds.0;
            match sums.iter_mut().find(|(_, other)| *other == name) {
                Some((all, _)) => *all += sum,
                None => sums.push((sum, name)),
            }
        }
    }
    sums.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
    let has_others = sums.len() > LINES;
    let mut names: Vec<String> =
        sums.into_iter().take(LINES).map(|(_, name)| name.clone()).collect();
    names.sort_unstable();
    (names, has_others)
}

/// The resource of a queue that a report counts by, and its part in retries.
fn allocation(queue: &QueueSeries, unit: CostUnit) -> (&[Figure], &[Figure]) {
    match unit {
        CostUnit::Gpu => (&queue.gpus, &queue.retry_gpus),
        _ => (&queue.cores, &queue.retry_cores),
    }
}

/// The values of a queue, and their part in retries.
type Values = (Vec<f64>, Vec<f64>);

/// A series of each named queue, and of all others together.
fn queue_lines(
    run: &Run<'_>,
    (names, has_others): &(Vec<String>, bool),
    of: &dyn Fn(&QueueSeries) -> Values,
) -> Vec<QueueLine> {
    let mut lines: Vec<QueueLine> = Vec::new();
    for (name, tone) in names.iter().zip(Tone::QUEUES) {
        let (values, retries) = run.series.queues.get(name).map(of).unwrap_or_default();
        lines.push(QueueLine { name: name.clone(), tone, values, retries });
    }
    if *has_others {
        let mut sum = QueueLine {
            name: "others".to_owned(),
            tone: Tone::Unknown,
            values: Vec::new(),
            retries: Vec::new(),
        };
        for (_, queue) in run.series.queues.iter().filter(|(name, _)| !names.contains(name)) {
            let (values, retries) = of(queue);
            add(&mut sum.values, &values);
            add(&mut sum.retries, &retries);
        }
        lines.push(sum);
    }
    lines
}

fn add(sum: &mut Vec<f64>, values: &[f64]) {
    if sum.len() < values.len() {
        sum.resize(values.len(), 0.0);
    }
    sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}

fn numbers(figures: &[Figure], factor: f64) -> Vec<f64> {
    figures.iter().map(|figure| figure.0 * factor).collect()
}

/// A picture with a chart for each run.
fn columns(
    title: &str,
    text: &str,
    runs: &[Run<'_>],
    chart: impl Fn(&Run<'_>, String) -> Chart,
    name: &str,
) -> Picture {
    let one = runs.len() == 1;
    let charts = runs.iter().map(|run| {
        let file = if one { name.to_owned() } else { format!("{name}-{}", run.label) };
        let mut chart = chart(run, file);
        if !one {
            chart.title = format!("{}: {}", chart.title, run.label);
        }
        (if one { String::new() } else { run.label.clone() }, chart)
    });
    let charts: Vec<(String, Chart)> = charts.collect();
    let mut key = Vec::new();
    for entry in charts.iter().flat_map(|(_, chart)| &chart.key) {
        if !key.contains(entry) {
            key.push(entry.clone());
        }
    }
    Picture { title: title.to_owned(), text: text.to_owned(), charts, key, ..Picture::default() }
}

fn what_runs(
    runs: &[Run<'_>],
    times: Times,
    names: &(Vec<String>, bool),
    unit: CostUnit,
) -> Picture {
    let is_gpu = unit == CostUnit::Gpu;
    let resource = if is_gpu { "GPUs" } else { "cores" };
    let chart = |run: &Run<'_>, file: String| {
        let capacity = if is_gpu { run.series.gpus.0 } else { run.series.cores.0 };
        let factor = if capacity > 0.0 { 1.0 / capacity } else { 0.0 };
        let lines = queue_lines(run, names, &|queue| {
            let (all, retries) = allocation(queue, unit);
            (numbers(all, factor), numbers(retries, factor))
        });
        time::share(file, (times, run.bins), &lines, &numbers(&run.series.nodes_up, 1.0))
    };
    let text = format!("The share of the cluster's {resource}, by queue.");
    let picture = columns("What runs?", &text, runs, chart, "share");
    let mut table = PageTable::new(format!("Mean {resource} of each queue"))
        .column("", ColumnKind::Text)
        .column("Queue", ColumnKind::Text)
        .column(capitalised(resource), ColumnKind::Number)
        .column("of these in retries", ColumnKind::Number);
    for run in runs {
        for (name, queue) in run.series.queues.iter().take(QUEUES) {
            let (all, retries) = allocation(queue, unit);
            let mean = |figures: &[Figure]| time_mean(figures, run.bins);
            table.row([
                Cell::text(run.label.clone()),
                Cell::code(name),
                Cell::Number(format!("{:.1}", mean(all))),
                Cell::Number(format!("{:.1}", mean(retries))),
            ]);
        }
    }
    let queues = runs.iter().map(|run| run.series.queues.len()).max().unwrap_or_default();
    table.more = more(queues.saturating_sub(QUEUES), "queue");
    picture.with_table(table)
}

/// The mean of a series over its run.
fn time_mean(figures: &[Figure], bins: RunBins) -> f64 {
    let part = |(at, figure): (usize, &Figure)| {
        let from = position(at) * bins.length;
        figure.0 * (bins.end - from).min(bins.length)
    };
    // An empty sum of floats is -0.
    let sum = figures.iter().enumerate().map(part).fold(0.0, |sum, part| sum + part);
    if bins.end > 0.0 { sum / bins.end } else { 0.0 }
}

fn what_waits(runs: &[Run<'_>], times: Times, names: &(Vec<String>, bool)) -> Option<Picture> {
    let of = |queue: &QueueSeries| (numbers(&queue.waiting, 1.0), Vec::new());
    let lines: Vec<Vec<QueueLine>> = runs.iter().map(|run| queue_lines(run, names, &of)).collect();
    let values = lines.iter().flatten().flat_map(|line| line.values.iter().copied());
    let most = values.fold(0.0, f64::max);
    if most == 0.0 {
        return None;
    }
    let chart = |run: &Run<'_>, file: String| {
        time::waiting(file, (times, run.bins), &lines[run.number], most)
    };
    let text = "Jobs that wait for a node: queued, or until they may be queued again.";
    Some(columns("What waits?", text, runs, chart, "waiting"))
}

fn what_fails(runs: &[Run<'_>], times: Times) -> Option<Picture> {
    // Bins are powers of two seconds, so that bars of some of the longest bins fit those of all runs.
    let longest = runs.iter().map(|run| run.bins.length).fold(1.0, f64::max);
    let length = longest * (times.end / longest / BARS).ceil().max(1.0);
    let bars: Vec<FailureBars> = runs.iter().map(|run| failure_bars(run, times, length)).collect();
    let most =
        bars.iter().flatten().map(|bar| bar.iter().sum::<u64>()).max().filter(|it| *it > 0)?;
    let chart = |run: &Run<'_>, file: String| {
        time::failures(file, (times, length), &bars[run.number], float(most))
    };
    let text = format!("Runs in each {}.", duration(length));
    let picture = columns("What fails?", &text, runs, chart, "failures");
    let mut table = PageTable::new("Runs that fail or are preempted")
        .column("", ColumnKind::Text)
        .column("Failed, retried", ColumnKind::Number)
        .column("Failed, ended the job", ColumnKind::Number)
        .column("Preempted", ColumnKind::Number);
    for run in runs {
        let sums = [&run.series.failed_retried, &run.series.failed_ended, &run.series.preempted];
        let sums = sums.map(|counts| Cell::Number(count(counts.iter().sum())));
        table.row([Cell::text(run.label.clone())].into_iter().chain(sums));
    }
    Some(picture.with_table(table))
}

fn failure_bars(run: &Run<'_>, times: Times, length: f64) -> FailureBars {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of bars")]
    let at = |seconds: f64| (seconds / length) as usize;
    let mut bars: FailureBars = vec![[0; 3]; at(times.end) + 1];
    let series = [&run.series.failed_retried, &run.series.failed_ended, &run.series.preempted];
    for (part, counts) in series.into_iter().enumerate() {
        for (bin, runs) in counts.iter().enumerate() {
            if let Some(bar) = bars.get_mut(at(position(bin) * run.bins.length)) {
                bar[part] += runs;
            }
        }
    }
    bars
}

fn who_lacks(
    report: &ClusterReport,
    runs: &[Run<'_>],
    times: Times,
    names: &(Vec<String>, bool),
) -> Option<Picture> {
    let errors = report.variants.iter().filter_map(|it| it.figures.total.fairness.fairness_error);
    let most = errors.map(|error| error.0).fold(0.0, f64::max);
    if most < UNFAIR {
        return None;
    }
    let chart = |run: &Run<'_>, file: String| {
        let lines = queue_lines(run, names, &|queue| {
            let (actual, entitled) = (&queue.actual, &queue.entitled);
            let length = actual.len().max(entitled.len());
            let at = |figures: &[Figure], bin: usize| figures.get(bin).map_or(0.0, |it| it.0);
            ((0..length).map(|bin| at(actual, bin) - at(entitled, bin)).collect(), Vec::new())
        });
        time::gap(file, (times, run.bins), &lines)
    };
    let text =
        "The share that a queue has minus the one that it is entitled to: below 0 it lacks some.";
    Some(columns("Who lacks a share?", text, runs, chart, "gap"))
}
