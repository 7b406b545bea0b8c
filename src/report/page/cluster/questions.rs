//! The questions of the first screen of a simulated cluster, and their answers.

use crate::cluster::report::{ClusterAnswer, ClusterReport, ClusterVariant};
use crate::report::answer::cells::{cost_in_words, mean, value};
use crate::report::cluster::headline::{self, is_clear};
use crate::report::cluster::table::BASE;
use crate::report::cluster::verdict::all_findings;
use crate::report::figures::percent;
use crate::report::page::choice::{self, Choice};
use crate::report::page::model::Reply;
use crate::report::page::numbers::duration;
use crate::simulate::knee;

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

/// How much longer all others wait, against the variant under which they wait least; or if that is the first one, how much
/// longer they wait under the one where they wait longest.
fn cost_question(
    report: &ClusterReport,
    first: &ClusterVariant,
    others: &[ClusterVariant],
) -> Option<Reply> {
    let own = undisturbed(first)?;
    let label = |at: usize| &report.answer.columns[at].label;
    let waits = others.iter().enumerate().filter_map(|(at, it)| Some((at + 1, undisturbed(it)?)));
    let by_wait = |one: &(usize, f64), other: &(usize, f64)| one.1.total_cmp(&other.1);
    let (least, most) = (waits.clone().min_by(by_wait), waits.max_by(by_wait));
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
        Some(_) => match most.filter(|(_, wait)| *wait > own * LONGER && own > 0.0) {
            Some((at, wait)) => (
                format!("Under `{}` others wait {:.1} times as long.", label(at), wait / own),
                format!("{text} under `{}`, and within {}.", label(BASE), duration(wait)),
            ),
            None => ("Others wait hardly longer than under any other.".to_owned(), text + "."),
        },
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
    let columns = answer.columns.iter().enumerate();
    let columns = columns.filter(|(at, _)| *at == BASE || is_clearly_different(answer, *at));
    let choices = columns.map(|(at, column)| Choice {
        label: &column.label,
        jobs: row("jobsSucceeded", at),
        cost: row("lostHours", at),
    });
    let choices: Vec<Choice<'_>> = choices.collect();
    let base = &answer.columns[BASE].label;
    let words = |cost: f64| cost_in_words(answer, cost);
    if let Some(values) = headline::values(answer) {
        let (limit, _) = values.columns();
        let lead = match knee(limit, &values.costs(answer)) {
            Some(knee) => format!("Set {limit} to {}.", knee.value),
            None => "No value stands out.".to_owned(),
        };
        return Reply { question, answer: lead, figures: finding };
    }
    let lead = match choice::sentence(&choices, base, words).filter(|_| choices.len() > 1) {
        Some(sentence) => sentence,
        None if report.variants.len() > 1 && report.seeds > 1 => {
            format!("None differs clearly from `{base}`: simulate more seeds (`--seeds`).")
        }
        None if report.variants.len() > 1 => format!("None differs from `{base}`."),
        None if finding.is_empty() => "Nothing that the simulation shows.".to_owned(),
        None => "Look at this.".to_owned(),
    };
    Reply { question, answer: lead, figures: finding }
}

/// Whether more or fewer jobs succeed under a variant than under the first, or another amount is wasted: with several
/// seeds, by more than half the interval.
fn is_clearly_different(answer: &ClusterAnswer, at: usize) -> bool {
    let difference = |id| answer.row(id).and_then(|row| row.against(at, BASE));
    ["jobsSucceeded", "lostHours"].into_iter().filter_map(difference).any(is_clear)
}
