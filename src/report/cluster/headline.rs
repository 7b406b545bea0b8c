//! The headline of the answer about a simulated cluster, in at most two lines.

use super::figures::duration;
use super::table::BASE;
use crate::report::answer::cells::{
    cost, cost_in_words, failed_cost, mean, several, signed, value, with_verb,
};
use crate::report::answer::grid::Grid;
use crate::report::answer::sweep::{self, Values};
use crate::report::variants::swept_names;
use cluster::report::{ClusterAnswer, ClusterReport, Estimate, Figure};
use replay::simulate::{self, KneeReport};
use std::fmt::Write;

/// The number of variants that the headline compares; the table has all.
const COMPARED: usize = 2;

/// The headline.
pub(super) fn text(report: &ClusterReport) -> String {
    sentences(report).join(" ")
}

/// The sentences of the headline.
pub(in crate::report) fn sentences(report: &ClusterReport) -> Vec<String> {
    let answer = &report.answer;
    match answer.columns.len() {
        0 => Vec::new(),
        1 => vec![one_variant(report)],
        _ => {
            let of_sweep = values(answer).and_then(|values| sweep::headline(answer, &values));
            let sentence = of_sweep.or_else(|| Some(grid(answer)?.headline(answer)));
            sentence.map_or_else(|| several_variants(answer), |sentence| vec![sentence])
        }
    }
}

/// The values of the only sweep; `None` if there are other variants.
pub(in crate::report) fn values(answer: &ClusterAnswer) -> Option<Values<'_>> {
    let (limit, values) = swept_names(answer.columns.iter().map(|column| column.name.as_str()))?;
    Values::new(limit, values, 1)
}

/// The pairs of values of two sweeps; `None` if there are other variants.
pub(in crate::report) fn grid(answer: &ClusterAnswer) -> Option<Grid<'_>> {
    Grid::from_names(answer.columns.iter().map(|column| column.name.as_str()), 0)
}

/// The knee of a sweep, if it has one.
pub(in crate::report) fn knee(answer: &ClusterAnswer, values: &Values<'_>) -> Option<KneeReport> {
    let (limit, _) = values.columns();
    simulate::knee(limit, &values.costs(answer))
}

/// The jobs of one variant, and its hours.
fn one_variant(report: &ClusterReport) -> String {
    let answer = &report.answer;
    let row = |id| value(answer, id, 0);
    let (succeeded, failed, recovered) =
        (row("jobsSucceeded"), row("jobsFailed"), row("jobsRecovered"));
    let open = row("jobsUnfinished") + row("jobsNeverSubmitted") + row("jobsUnschedulable");
    let all = (succeeded + failed + open).round();
    let mut text = match failed + open {
        0.0 if all == 0.0 => return "No job was simulated.".to_owned(),
        0.0 if mean(all) == "1" => "The only job succeeds".to_owned(),
        0.0 => format!("All {} jobs succeed", mean(all)),
        _ => {
            let on_average = if report.seeds > 1 { "On average " } else { "" };
            format!("{on_average}{} of {} succeed", mean(succeeded), several(all, "job"))
        }
    };
    if let Some(column) = answer.columns.first().filter(|column| column.engine.is_some()) {
        let _ = write!(text, " under `{}`", column.label);
    }
    if recovered > 0.0 {
        let _ = write!(text, ", {} in a retry", mean(recovered));
        let price = row("failedRetryHours") / recovered;
        if price > 0.0 {
            let _ = write!(text, " for {} each", failed_cost(answer, price));
        }
    }
    for (jobs, what) in [(failed, "fail"), (open, "are not finished")] {
        if jobs > 0.0 {
            let _ = write!(text, "; {} {what}", mean(jobs));
        }
    }
    text.push('.');
    let (useful, wasted) = (row("usefulHours"), row("lostHours"));
    if useful + wasted > 0.0 {
        let [useful, wasted] = [useful, wasted].map(|hours| cost_in_words(answer, hours));
        let wasted = wasted.split(' ').next().unwrap_or_default();
        let _ = write!(text, " {} useful, {wasted} wasted.", with_verb(&useful));
    }
    text
}

/// The change against the first variant: a sentence for each of two others, first of those that differ.
fn several_variants(answer: &ClusterAnswer) -> Vec<String> {
    let mut others: Vec<usize> = (BASE + 1..answer.columns.len()).collect();
    let is_equal = |at: usize| answer.rows.iter().all(|row| row.by_seed[at] == row.by_seed[BASE]);
    if others.iter().any(|at| !is_equal(*at)) {
        others.retain(|at| !is_equal(*at));
    }
    let sentence = |(number, at): (usize, &usize)| {
        let change = Change { answer, at: *at, is_first: number == 0 };
        if is_equal(*at) { change.equality() } else { change.sentence() }
    };
    others.iter().take(COMPARED).enumerate().map(sentence).collect()
}

/// A variant against the first.
struct Change<'a> {
    answer: &'a ClusterAnswer,
    at: usize,
    /// Whether the sentence is the first of the headline, which names the first variant.
    is_first: bool,
}

impl Change<'_> {
    /// The labels of the variant and of the first.
    fn labels(&self) -> (String, String) {
        let label = |at: usize| format!("`{}`", self.answer.columns[at].label);
        (label(self.at), label(BASE))
    }

    fn equality(&self) -> String {
        let (here, base) = self.labels();
        format!("{here} and {base} come to the same.")
    }

    fn sentence(&self) -> String {
        let (here, base) = self.labels();
        let Some(jobs) = self.against("jobsSucceeded") else { return String::new() };
        let other = |word: &str| {
            if self.is_first { format!(" {word} under {base}") } else { String::new() }
        };
        let than = other("than");
        let half = jobs.half_width.map(mean).filter(|half| half != "0");
        let half = half.map(|half| format!(" ± {half}")).unwrap_or_default();
        let start = match (jobs.mean, is_clear(jobs)) {
            (0.0, _) => format!("As many jobs succeed under {here}{}", other("as")),
            (more, true) => {
                let word = if more > 0.0 { "more" } else { "fewer" };
                let number = mean(more.abs()) + &half;
                let noun = if number == "1" { "job succeeds" } else { "jobs succeed" };
                format!("{number} {word} {noun} under {here}{than}")
            }
            (more, false) => {
                let more = signed(more, mean(more));
                let against =
                    if self.is_first { format!(" against {base}") } else { String::new() };
                format!("No clear change of jobs that succeed under {here}{against}: {more}{half}")
            }
        };
        let jobs = Some(jobs).filter(|jobs| is_clear(*jobs)).map_or(0.0, |jobs| jobs.mean);
        format!("{start}{}{}.", self.wasted(jobs), self.wait(jobs))
    }

    /// The change of the hours that are wasted, for each of the jobs that succeed more or fewer.
    fn wasted(&self, jobs: f64) -> String {
        let Some(wasted) = self.against("lostHours") else { return String::new() };
        let words = |cost: f64| cost_in_words(self.answer, cost);
        let changed = |cost: f64, word: &str| {
            let words = words(cost);
            let (number, unit) = words.split_once(' ').unwrap_or((&words, ""));
            format!("; {} wasted", with_verb(&format!("{number} {word} {unit}")))
        };
        let each = if mean(jobs.abs()) == "1" { "" } else { " each" };
        match wasted.mean {
            0.0 => String::new(),
            change if !is_clear(wasted) => {
                let half = wasted.half_width.map(|half| format!(" ± {}", cost(self.answer, half)));
                let change = signed(change, cost(self.answer, change));
                let unit = self.answer.unit.as_str();
                format!("; no clear change of {unit} wasted ({change}{})", half.unwrap_or_default())
            }
            more if more > 0.0 && jobs > 0.0 => {
                format!(", for {} wasted{each}", words(more / jobs))
            }
            more if more > 0.0 => changed(more, "more"),
            less if jobs < 0.0 && !each.is_empty() => {
                let each = words(less / jobs);
                let each = each.split(' ').next().unwrap_or_default();
                format!("{} ({each} each)", changed(-less, "fewer"))
            }
            less => changed(-less, "fewer"),
        }
    }

    /// The change of the mean wait, if as many jobs succeed; empty if it is not clear.
    fn wait(&self, jobs: f64) -> String {
        let wait = self.against("waitMean").filter(|wait| jobs == 0.0 && is_clear(*wait));
        wait.map_or_else(String::new, |wait| {
            let word = if wait.mean > 0.0 { "longer" } else { "less" };
            format!("; jobs wait {} {word} on average", duration(Figure(wait.mean.abs())))
        })
    }

    fn against(&self, id: &str) -> Option<Estimate> {
        self.answer.row(id).and_then(|row| row.against(self.at, BASE))
    }
}

/// Whether a difference is not 0, and with several seeds its interval does not contain 0.
pub(in crate::report) fn is_clear(difference: Estimate) -> bool {
    difference.mean.abs() > difference.half_width.unwrap_or_default()
}
