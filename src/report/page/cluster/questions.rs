//! The questions of the first screen of a simulated cluster, and their answers.

use crate::cluster::report::{ClusterReport, ClusterVariant};
use crate::report::answer::cells::{cost_in_words, mean, value};
use crate::report::cluster::verdict::all_findings;
use crate::report::figures::percent;
use crate::report::page::choice::{self, Choice};
use crate::report::page::model::Reply;
use crate::report::page::numbers::duration;

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
