//! The page of a simulated cluster: what retries recover, what all others wait for them, what to change?

use super::chart::{Chart, Tone};
use super::charts::axes::Axis;
use super::charts::time::{self, FailureBars, QueueLine, RunBins, Times};
use super::charts::tradeoff::{self, PolicyPoint, Range, SweptLine};
use super::charts::waits::{self, WaitRow};
use super::choice::{self, Choice};
use super::foot::sources;
use super::model::{Page, Part, Picture, Reply, Section};
use super::numbers::{capitalised, duration, float, position};
use super::remarks::{assertion_lines, note_lines};
use super::scale::{time_ticks, whole_ticks};
use super::table::{Cell, ColumnKind, PageTable, more};
use crate::cluster::report::{
    ClusterAnswer, ClusterReport, ClusterVariant, Figure, Group, LostHours, QueueSeries,
    SeriesReport, Waits,
};
use crate::report::answer::cells::{cost, cost_in_words, mean, value};
use crate::report::answer::frame::Answer;
use crate::report::cluster::headline;
use crate::report::cluster::summary::{run_line, share_line};
use crate::report::cluster::table::all_rows;
use crate::report::cluster::verdict::all_findings;
use crate::report::comment::Provenance;
use crate::report::figures::{count, percent, several};
use crate::simulate::{CostUnit, NoteSeverity};

/// A wait is longer than another from here on.
const LONGER: f64 = 1.05;
/// The most variants in pictures; tables have all.
const VARIANTS: usize = 4;
/// The most queues in pictures over time, and in tables.
const LINES: usize = 5;
const QUEUES: usize = 12;
/// The most queues of the picture of waits.
const WAITS: usize = 8;
/// Below this fairness error the picture of shares is left out.
const UNFAIR: f64 = 0.01;
/// The bars of failures over a run: as many as are told apart in a column.
const BARS: f64 = 48.0;

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
        questions: questions(report),
        notes: share_line(report).into_iter().chain(lines(NoteSeverity::Note)).collect(),
        ..Page::default()
    };
    let over_time = over_time(report);
    page.picture = match tradeoff_picture(report) {
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
        Section::new("Over time", text, rest.map(Part::Picture)),
        findings_section(&findings),
        waits_section(report),
        figures_section(report),
        queues_section(report),
    ];
    let variants = report.variants.iter().zip(&report.answer.columns).take(VARIANTS);
    sections.extend(variants.map(|(it, column)| rules_section(report, it, &column.label)));
    page.sections = sections.into_iter().flatten().collect();
    let mut foot = sources(provenance);
    let rest = foot.split_off(1);
    foot.push(("Simulation".to_owned(), vec![run_line(report)]));
    foot.extend(rest);
    page.sources = foot;
    page
}

fn context(report: &ClusterReport) -> String {
    let mut parts = vec!["Simulated cluster".to_owned()];
    if let Some(first) = first_run(report) {
        parts.push(several(first.nodes, "node"));
        parts.push(several(first.queues.len() as u64, "queue"));
    }
    let names: Vec<String> =
        report.answer.columns.iter().map(|column| format!("`{}`", column.label)).collect();
    parts.extend(match names.as_slice() {
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

/// The variants that pictures have: all, or the first, the best and the worst by what they waste.
fn variants_of_pictures(report: &ClusterReport) -> Vec<(usize, &ClusterVariant)> {
    let all: Vec<(usize, &ClusterVariant)> = report.variants.iter().enumerate().collect();
    if all.len() <= VARIANTS {
        return all;
    }
    let wasted = |at: &usize| value(&report.answer, "lostHours", *at);
    let others = || 1..all.len();
    let by = |one: &usize, other: &usize| wasted(one).total_cmp(&wasted(other));
    let mut numbers: Vec<usize> =
        [Some(0), others().min_by(by), others().max_by(by)].into_iter().flatten().collect();
    numbers.dedup();
    numbers.into_iter().map(|at| all[at]).collect()
}

/// The wait of jobs that no failure or preemption disturbed, 95th percentile, in seconds.
fn undisturbed(variant: &ClusterVariant) -> Option<f64> {
    variant.figures.total.undisturbed_wait.map(|wait| wait.p95.0)
}

fn questions(report: &ClusterReport) -> Vec<Reply> {
    let answer = &report.answer;
    let Some((first, others)) = report.variants.split_first() else { return Vec::new() };
    let row = |id: &str, at: usize| value(answer, id, at);
    let (recovered, failed) = (row("jobsRecovered", 0), row("jobsFailed", 0));
    let waste = |at: usize| {
        let all = row("usefulHours", at) + row("lostHours", at);
        (all > 0.0).then(|| row("lostHours", at) / all)
    };
    let of_all = recovered + failed;
    let lead = match waste(0) {
        _ if of_all == 0.0 => "No job fails.".to_owned(),
        _ => format!(
            "Under `{}` {} of {} failing jobs recover.",
            answer.columns[0].label,
            mean(recovered),
            mean(of_all)
        ),
    };
    let text = waste(0).map(|share| {
        let wasted = cost_in_words(answer, row("lostHours", 0));
        format!("{} % of all work is wasted: {wasted}.", percent(share))
    });
    let mut all = vec![Reply {
        question: "Is it worth it?",
        answer: lead,
        figures: text.unwrap_or_default(),
    }];
    all.extend(cost_question(report, first, others));
    all.push(change_question(report));
    all
}

/// How much longer all others wait, against the variant under which they wait least.
fn cost_question(
    report: &ClusterReport,
    first: &ClusterVariant,
    others: &[ClusterVariant],
) -> Option<Reply> {
    let own = undisturbed(first)?;
    let label = |at: usize| &report.answer.columns[at].label;
    let least = others.iter().enumerate().filter_map(|(at, it)| Some((at + 1, undisturbed(it)?)));
    let least = least.min_by(|one, other| one.1.total_cmp(&other.1));
    let text =
        format!("95 % of the jobs without a failure or preemption start within {}", duration(own));
    let (lead, figures) = match least {
        Some((at, wait)) if own > wait * LONGER => (
            if wait > 0.0 {
                format!("Others wait {:.1} times as long as under `{}`.", own / wait, label(at))
            } else {
                format!("Others wait, and under `{}` they do not.", label(at))
            },
            format!("{text}, against {}.", duration(wait)),
        ),
        Some(_) => ("Others wait hardly longer than under any other.".to_owned(), text + "."),
        None => (format!("Most others wait less than {}.", duration(own)), text + "."),
    };
    Some(Reply { question: "What does it cost the others?", answer: lead, figures })
}

/// The variant to take; else the first finding.
fn change_question(report: &ClusterReport) -> Reply {
    let answer = &report.answer;
    let row = |id: &str, at: usize| value(answer, id, at);
    let finding = all_findings(report).into_iter().next().unwrap_or_default();
    let question = "What to change";
    let choices = answer.columns.iter().enumerate().map(|(at, column)| Choice {
        label: &column.label,
        jobs: row("jobsSucceeded", at),
        cost: row("lostHours", at),
    });
    let choices: Vec<Choice<'_>> = choices.collect();
    let base = choices.first().map_or("", |first| first.label);
    let words = |cost: f64| cost_in_words(answer, cost);
    match choice::sentence(&choices, base, words).filter(|_| choices.len() > 1) {
        Some(sentence) => Reply { question, answer: sentence, figures: finding },
        None if finding.is_empty() => Reply {
            question,
            answer: "Nothing that the simulation shows.".to_owned(),
            figures: String::new(),
        },
        None => Reply { question, answer: "Look at this.".to_owned(), figures: finding },
    }
}

/// The variants: jobs that recover against the wait of all others.
fn tradeoff_picture(report: &ClusterReport) -> Option<Picture> {
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
    let points = variants_of_pictures(report).into_iter().enumerate().filter_map(
        |(number, (at, variant))| {
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
        },
    );
    let points: Vec<PolicyPoint> = points.collect();
    let most_wait = points.iter().map(|it| it.x.ends.1).reduce(f64::max)?;
    let most_jobs = points.iter().map(|it| it.y.ends.1).reduce(f64::max)?;
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
    let chart = tradeoff::chart(title, (&x, &y), &points, &SweptLine::default())?;
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

/// A run of a variant over time.
struct Run<'r> {
    label: String,
    /// Its position among the runs of the pictures.
    number: usize,
    series: &'r SeriesReport,
    bins: RunBins,
}

/// The pictures over time: a column for each variant.
fn over_time(report: &ClusterReport) -> Vec<Picture> {
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

fn findings_section(findings: &[String]) -> Option<Section> {
    const MOST: usize = 12;
    let parts = findings.iter().take(MOST).map(|finding| Part::Sentence(finding.clone()));
    Section::new("What goes wrong with retries?", "", parts)
}

fn waits_section(report: &ClusterReport) -> Option<Section> {
    let mut queues: Vec<(String, Vec<WaitRow>)> = Vec::new();
    let mut table =
        PageTable::new("Waits of each queue, from submission to the start of the first run")
            .column("Queue", ColumnKind::Text)
            .column("", ColumnKind::Text)
            .column("Mean", ColumnKind::Number)
            .optional("p10", ColumnKind::Number)
            .column("Median", ColumnKind::Number)
            .optional("p90", ColumnKind::Number)
            .column("p95", ColumnKind::Number)
            .column("Longest", ColumnKind::Number);
    let names = longest_waits(report, WAITS);
    for name in &names {
        let mut rows = Vec::new();
        for (number, (at, variant)) in variants_of_pictures(report).into_iter().enumerate() {
            let waits = variant.figures.queues.get(name).and_then(|group| group.wait);
            let Some(Waits { mean, p10, p50, p90, p95, max, .. }) = waits else { continue };
            let label = report.answer.columns[at].label.clone();
            let percentiles = [p10.0, p50.0, p90.0, p95.0, max.0];
            rows.push(WaitRow { name: label.clone(), tone: Tone::variant(number), percentiles });
            let cells = [mean, p10, p50, p90, p95, max].map(|it| Cell::Number(duration(it.0)));
            table.row([Cell::code(name), Cell::text(label)].into_iter().chain(cells));
        }
        if !rows.is_empty() {
            queues.push((name.clone(), rows));
        }
    }
    let all = report.variants.first().map_or(0, |first| first.figures.queues.len());
    let left = all.saturating_sub(names.len());
    table.more = more(left, "queue");
    let text = "Bar: from the 10th to the 90th percentile, with the median; stroke: the 95th; line: \
                the longest.";
    let picture = waits::chart(&queues).map(|chart| Picture::new(chart, text).with_table(table));
    let parts = [picture.map(Part::Picture), fairness_table(report)].into_iter().flatten();
    let parts: Vec<Part> = parts.collect();
    let text = "The wait of a job is from its submission to the start of its first run.";
    let beside = (!parts.is_empty()).then_some(Part::Beside(parts));
    Section::new("Waits and fairness", text, beside)
}

/// The queues with the longest 95th percentile of waits.
fn longest_waits(report: &ClusterReport, most: usize) -> Vec<String> {
    let wait = |name: &String| {
        let groups = report.variants.iter().filter_map(|it| it.figures.queues.get(name));
        groups.filter_map(|it| Some(it.wait?.p95.0)).fold(0.0, f64::max)
    };
    let queues = report.variants.iter().take(1).flat_map(|first| first.figures.queues.keys());
    let mut waits: Vec<(f64, &String)> = queues.map(|name| (wait(name), name)).collect();
    waits.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    let mut names: Vec<String> = waits.into_iter().take(most).map(|it| it.1.clone()).collect();
    names.sort_unstable();
    names
}

fn fairness_table(report: &ClusterReport) -> Option<Part> {
    let mut table = PageTable::new("Fairness under each variant")
        .column("", ColumnKind::Text)
        .column("Fairness error", ColumnKind::Number)
        .column("Jain's index", ColumnKind::Number)
        .column("Longest below half a share", ColumnKind::Number);
    let mut most = 0.0_f64;
    for (at, variant) in report.variants.iter().enumerate().take(QUEUES) {
        let fairness = &variant.figures.total.fairness;
        let Some(error) = fairness.fairness_error.map(|error| error.0) else { continue };
        most = most.max(error);
        table.row([
            Cell::code(report.answer.columns[at].label.clone()),
            Cell::Number(format!("{} %", percent(error))),
            Cell::number(fairness.jain.map(|jain| format!("{:.3}", jain.0))),
            Cell::number(fairness.longest_below_half_share.map(|it| duration(it.0))),
        ]);
    }
    let is_empty = table.rows.is_empty();
    let title = if most < UNFAIR {
        "Every queue gets its entitled share"
    } else {
        "Queues lack a part of their shares"
    };
    let text = "The fairness error is the share that queues lack on average.";
    let part = Part::Titled(title.to_owned(), text.to_owned(), table);
    (!is_empty).then_some(part)
}

fn figures_section(report: &ClusterReport) -> Option<Section> {
    let table =
        PageTable::from_frame("Figures of each variant", &all_rows(&report.answer), |_| true);
    let text = match report.seeds {
        1 => "▲ is better, ▼ is worse, no mark is neither.".to_owned(),
        seeds => format!(
            "Means over {seeds} seeds with 95 % intervals (Student). ▲ is better, ▼ is worse, where \
             the interval of the difference is clear of 0."
        ),
    };
    Section::new("Figures", text, [Part::Table(table)])
}

fn queues_section(report: &ClusterReport) -> Option<Section> {
    let first = report.variants.first()?;
    if first.figures.queues.len() < 2 {
        return None;
    }
    let answer = &report.answer;
    let mut table = PageTable::new("Queues under each variant")
        .column("Queue", ColumnKind::Text)
        .column("", ColumnKind::Text)
        .column("Jobs succeed", ColumnKind::Number)
        .column("fail", ColumnKind::Number)
        .column(format!("{} useful", answer.unit.as_str()), ColumnKind::Number)
        .column("wasted", ColumnKind::Number)
        .optional("Entitled", ColumnKind::Number)
        .optional("Actual share", ColumnKind::Number);
    let names = longest_waits(report, QUEUES);
    for name in &names {
        for (at, variant) in report.variants.iter().enumerate().take(VARIANTS) {
            let Some(group) = variant.figures.queues.get(name) else { continue };
            let hours =
                if answer.unit == CostUnit::Gpu { group.hours.gpu } else { group.hours.core };
            let share = |share: Option<Figure>| {
                Cell::number(share.map(|share| format!("{} %", percent(share.0))))
            };
            table.row([
                Cell::code(name),
                Cell::text(answer.columns[at].label.clone()),
                Cell::Number(mean(group.jobs.succeeded.0)),
                Cell::Number(mean(group.jobs.failed.0)),
                Cell::Number(cost(answer, hours.useful.0)),
                Cell::Number(cost(answer, hours.lost.0)),
                share(group.fairness.entitled),
                share(group.fairness.actual),
            ]);
        }
    }
    let left = first.figures.queues.len().saturating_sub(names.len());
    table.more = more(left, "queue");
    Section::new("Queues", "", [Part::Table(table)])
}

fn rules_section(report: &ClusterReport, variant: &ClusterVariant, label: &str) -> Option<Section> {
    let answer: &ClusterAnswer = &report.answer;
    let lost_hours =
        |core: Figure, gpu: Figure| if answer.unit() == CostUnit::Gpu { gpu.0 } else { core.0 };
    let rules = &variant.figures.rules;
    let most = rules.values().map(|it| lost_hours(it.lost.core, it.lost.gpu)).fold(0.0, f64::max);
    let mut table = PageTable::new(format!("Rules of {label}"))
        .column("Rule", ColumnKind::Text)
        .column("Retries", ColumnKind::Number)
        .column("succeeded", ColumnKind::Number)
        .optional("Jobs fail by it", ColumnKind::Number)
        .column("", ColumnKind::Marks)
        .column(format!("{} in failed retries", answer.unit.as_str()), ColumnKind::Number);
    let mut rows: Vec<_> = rules.iter().collect();
    rows.sort_by(|one, other| {
        let cost = |lost: &LostHours| lost_hours(lost.core, lost.gpu);
        cost(&other.1.lost).total_cmp(&cost(&one.1.lost))
    });
    for (name, rule) in rows.into_iter().take(QUEUES) {
        let lost = lost_hours(rule.lost.core, rule.lost.gpu);
        table.row([
            Cell::code(name),
            Cell::Number(mean(rule.granted.0)),
            Cell::Number(mean(rule.succeeded.0)),
            Cell::Number(mean(rule.failed.0)),
            Cell::bar(lost, most, Tone::Bad),
            Cell::Number(cost(answer, lost)),
        ]);
    }
    let left = rules.len().saturating_sub(QUEUES);
    table.more = more(left, "rule");
    let causes = &variant.figures.causes;
    let mut of_causes = PageTable::new(format!("Causes of failures under {label}"))
        .column("Runs fail by", ColumnKind::Text)
        .column("Runs", ColumnKind::Number)
        .optional("Jobs fail by it", ColumnKind::Number)
        .column(format!("{} wasted", answer.unit.as_str()), ColumnKind::Number);
    let mut rows: Vec<_> = causes.iter().collect();
    rows.sort_by(|one, other| other.1.attempts.0.total_cmp(&one.1.attempts.0));
    let left = rows.len().saturating_sub(QUEUES);
    of_causes.more = more(left, "cause");
    for (name, cause) in rows.into_iter().take(QUEUES) {
        of_causes.row([
            Cell::code(name),
            Cell::Number(mean(cause.attempts.0)),
            Cell::Number(mean(cause.failed.0)),
            Cell::Number(cost(answer, lost_hours(cause.lost.core, cause.lost.gpu))),
        ]);
    }
    let parts = [table, of_causes].into_iter().filter(|table| !table.rows.is_empty());
    let parts: Vec<Part> = parts.map(Part::Table).collect();
    let beside = (!parts.is_empty()).then_some(Part::Beside(parts));
    let title = match report.variants.len() {
        1 => "Rules and causes".to_owned(),
        _ => format!("Rules and causes under `{label}`"),
    };
    Section::new(title, "", beside)
}
