//! The questions of the first screen of a simulated cluster, and their answers.

use crate::report::answer::cells::{cost_in_words, mean, value};
use crate::report::cluster::headline::{self, is_clear};
use crate::report::cluster::table::BASE;
use crate::report::cluster::verdict::all_findings;
use crate::report::figures::percent;
use crate::report::page::choice::{self, Choice};
use crate::report::page::model::Reply;
use crate::report::page::numbers::duration;
use cluster::report::{ClusterReport, ClusterVariant};

/// A wait is longer than another from here on.
const LONGER: f64 = 1.05;

/// The wait of jobs that no failure or preemption disturbed, 95th percentile, in seconds.
fn undisturbed(variant: &ClusterVariant) -> Option<f64> {
    variant.figures.total.undisturbed_wait.map(|wait| wait.p95.0)
}

/// The questions: worth, cost to other jobs, change.
pub(super) fn questions(report: &ClusterReport) -> Vec<Reply> {
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

/// The cost of retries to jobs without a failure or preemption: their waits.
fn cost_question(
    report: &ClusterReport,
    first: &ClusterVariant,
    others: &[ClusterVariant],
) -> Option<Reply> {
    let own = undisturbed(first)?;
    let is_cut_off = |at| value(&report.answer, "jobsUnfinished", at) > 0.0;
    let (answer, figures) = if (0..report.variants.len()).any(is_cut_off) {
        let answer = "Unknown: the simulation ended before all jobs were over.".to_owned();
        let figures = format!(
            "Waits are those of the jobs that have started: of those without a failure or \
             preemption, 95 % within {} under `{}`.",
            duration(own),
            report.answer.columns[BASE].label
        );
        (answer, figures)
    } else {
        compared_waits(report, own, others)
    };
    Some(Reply { question: "What does it cost the others?", answer, figures })
}

/// How much longer all others wait, against the variant under which they wait least; or if that is the first one, how much
/// longer they wait under the one where they wait longest. In a sentence, and in figures.
fn compared_waits(report: &ClusterReport, own: f64, others: &[ClusterVariant]) -> (String, String) {
    let label = |at: usize| &report.answer.columns[at].label;
    let waits = others.iter().enumerate().filter_map(|(at, it)| Some((at + 1, undisturbed(it)?)));
    let by_wait = |one: &(usize, f64), other: &(usize, f64)| one.1.total_cmp(&other.1);
    let (least, most) = (waits.clone().min_by(by_wait), waits.max_by(by_wait));
    let when = if own == 0.0 { "at once".to_owned() } else { format!("within {}", duration(own)) };
    let text = format!("95 % of the jobs without a failure or preemption start {when}");
    let Some((at, wait)) = least else {
        return (format!("Most others wait less than {}.", duration(own)), text + ".");
    };
    if own > wait * LONGER {
        let answer = if wait > 0.0 {
            format!("Others wait {:.1} times as long as under `{}`.", own / wait, label(at))
        } else {
            format!("Others wait, and under `{}` they do not.", label(at))
        };
        return (answer, format!("{text}, against {}.", duration(wait)));
    }
    let Some((at, wait)) = most.filter(|(_, wait)| *wait > own * LONGER) else {
        return ("Others wait hardly longer than under any other.".to_owned(), text + ".");
    };
    let (base, other) = (label(BASE), label(at));
    let answer = if own == 0.0 {
        format!("Under `{other}` others wait, and under `{base}` they do not.")
    } else {
        format!("Under `{other}` others wait {:.1} times as long.", wait / own)
    };
    (answer, format!("{text} under `{base}`, and within {} under `{other}`.", duration(wait)))
}

/// The variant or the value of a sweep to take, and the first finding.
fn change_question(report: &ClusterReport) -> Reply {
    let finding = all_findings(report).into_iter().next().unwrap_or_default();
    let lead = match (report.variants.len(), headline::values(&report.answer)) {
        (_, Some(values)) => match headline::knee(&report.answer, &values) {
            Some(knee) => format!("Set {} to {}.", knee.path, knee.value),
            None => "No value stands out.".to_owned(),
        },
        (2.., None) => variant_to_take(report),
        _ if finding.is_empty() => "Nothing that the simulation shows.".to_owned(),
        _ => "Look at this.".to_owned(),
    };
    Reply { question: "What to change", answer: lead, figures: finding }
}

/// The variants to take, by the worth of a job. A figure that does not differ clearly from that of the first variant
/// counts as equal to it: with several seeds, a difference is clear beyond half of its interval.
fn variant_to_take(report: &ClusterReport) -> String {
    let answer = &report.answer;
    let base = &answer.columns[BASE].label;
    let difference = |id, at| answer.row(id).and_then(|row| row.against(at, BASE));
    let is_different = |id, at| difference(id, at).is_some_and(is_clear);
    let figure = |id, at| value(answer, id, if is_different(id, at) { at } else { BASE });
    let is_choice = |at: usize| {
        at == BASE || is_different("jobsSucceeded", at) || is_different("lostHours", at)
    };
    let columns = answer.columns.iter().enumerate().filter(|(at, _)| is_choice(*at));
    let choices = columns.map(|(at, column)| Choice {
        label: &column.label,
        jobs: figure("jobsSucceeded", at),
        cost: figure("lostHours", at),
    });
    let choices: Vec<Choice<'_>> = choices.collect();
    if choices.len() > 1 {
        let words = |cost: f64| cost_in_words(answer, cost);
        return choice::sentence(&choices, base, words).unwrap_or_default();
    }
    let is_equal = |at: usize| {
        let figures = ["jobsSucceeded", "lostHours"].map(|id| difference(id, at));
        figures.into_iter().flatten().all(|difference| difference.mean == 0.0)
    };
    if (1..answer.columns.len()).all(is_equal) {
        format!("None differs from `{base}`.")
    } else {
        format!("None differs clearly from `{base}`: simulate more seeds (`--seeds`).")
    }
}
