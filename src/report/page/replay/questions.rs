//! The questions of the first screen and their answers, by rules (docs/answer.md, Advice).

use super::rules::flagged;
use super::shared::{columns, cut, jobs_text, whole};
use crate::report::answer::advice::{change, effect, flagged_rule};
use crate::report::answer::cells::{
    cost_in_words, failed_cost, figure, figure_of, retries, value, with_verb,
};
use crate::report::answer::failing;
use crate::report::answer::headline::UNRESOLVED;
use crate::report::decision_line::rule;
use crate::report::figures::percent;
use crate::report::page::choice::{self, Choice};
use crate::report::page::model::Reply;
use crate::report::page::numbers::{capitalised, failed_cost_name, float};
use replay::simulate::{
    AdviceReport, AnswerReport, CostUnit, ProposalReport, RuleReport, SimulationReport,
};
use std::fmt::Write;

/// The share of the cost of retries in those that succeeded from which on retries are worth it.
const WORTH: f64 = 0.5;

fn question(
    question: &'static str,
    answer: impl Into<String>,
    figures: impl Into<String>,
) -> Reply {
    Reply { question, answer: answer.into(), figures: figures.into() }
}

/// Whether the retries of one set of policies are worth it.
pub(super) fn worth(report: &SimulationReport) -> Reply {
    let answer = &report.answer;
    let row = |id| value(answer, id, 1);
    let (good, failed) = (row("succeededRetryHours"), row("failedRetryHours"));
    let (recovered, unresolved) = (row("jobsRecovered"), row("jobsUnresolved"));
    let with_failure = recovered + row("jobsFailed") + unresolved;
    let all = good + failed;
    let lead = match good / all {
        _ if with_failure == 0.0 => "No job failed: the policies decided nothing.",
        _ if row("retries") == 0.0 => "No retry is granted.",
        _ if report.verdict.recorded == 0 => "Unknown: no retry is on record.",
        _ if all == 0.0 => "Unknown: the retries on record have no cost.",
        share if share < WORTH => "Not as it stands.",
        _ if flagged(answer).is_some() => "Yes, except for one rule.",
        _ => "Yes.",
    };
    let mut text = String::new();
    if with_failure > 0.0 {
        let _ = write!(
            text,
            "Of {} with a failure, {} ({} %) recover{} in a retry.",
            jobs_text(with_failure),
            figure(recovered),
            percent(recovered / with_failure),
            if figure(recovered) == "1" { "s" } else { "" },
        );
    }
    if all > 0.0 {
        let unit = match answer.unit {
            CostUnit::Retries => "retries on record".to_owned(),
            unit => format!("{} of retries", unit.as_str()),
        };
        let _ = write!(text, " {} % of the {unit} went into successes.", percent(good / all));
    }
    if unresolved > 0.0 {
        let _ = write!(text, " {} unresolved: {UNRESOLVED}.", with_verb(&figure(unresolved)));
    }
    question("Is it worth it?", lead, text)
}

/// The cost of the retries of one set of policies, and the loss against the record.
pub(super) fn price(report: &SimulationReport) -> Reply {
    let answer = &report.answer;
    let row = |id| value(answer, id, 1);
    let failed = row("failedRetryHours");
    let lead = match figure_of(answer, "price", 1).filter(|price| *price > 0.0) {
        Some(price) => format!("{} for each recovered job.", failed_cost(answer, price)),
        None if failed > 0.0 => format!("{}, and no job recovers.", failed_cost(answer, failed)),
        None if report.verdict.lost.runs > 0 => "The failed retries have no cost.".to_owned(),
        None => "No retry on record failed.".to_owned(),
    };
    let mut text = String::new();
    if failed > 0.0 && answer.unit != CostUnit::Retries {
        let _ = write!(
            text,
            "{} on record that did not succeed took {}; all on record took {}.",
            retries(float(report.verdict.lost.runs), ""),
            cost_in_words(answer, failed),
            cost_in_words(answer, value(answer, "failedRetryHours", 0)),
        );
    }
    if let Some(peak) = figure_of(answer, "peakRetries", 1).filter(|peak| *peak > 1.0) {
        let _ = write!(text, " In the busiest minute {} retries wait or run.", figure(peak));
    }
    let lost = row("failedSucceededOnRecord");
    if lost > 0.0 {
        let _ = write!(
            text,
            " {} that succeeded on record {} here: {} of good work.",
            jobs_text(lost),
            if figure(lost) == "1" { "fails" } else { "fail" },
            cost_in_words(answer, row("lostWorkHours")),
        );
    }
    question("What does it cost?", lead, text.trim_start().to_owned())
}

/// The proposals of the advice, the best first.
pub(super) fn proposals(answer: &AnswerReport) -> impl Iterator<Item = &ProposalReport> {
    answer.advice.iter().filter_map(|advice| match advice {
        AdviceReport::Proposal(proposal) => Some(proposal),
        AdviceReport::FlaggedRule(_) | AdviceReport::Knee(_) => None,
    })
}

/// The change of one set of policies that the record supports: first of the flagged rule, then the best one.
pub(super) fn to_change(report: &SimulationReport) -> Reply {
    let answer = &report.answer;
    let flagged = flagged(answer);
    let is_of_flagged = |proposal: &&ProposalReport| {
        let index =
            flagged.and_then(|it| it.rule_index).map(|index| format!("spec.rules[{index}]"));
        let is_there = index.is_some_and(|place| proposal.path.starts_with(&place));
        is_there && flagged.is_some_and(|it| it.policy == proposal.policy)
    };
    let of_flagged = proposals(answer).find(is_of_flagged);
    let best = proposals(answer).find(|it| !is_of_flagged(it));
    let words = |proposal: &ProposalReport| {
        let change = change(proposal);
        let change = change
            .split_once(": ")
            .map_or(change.clone(), |(what, rule)| format!("{what}: `{rule}`"));
        format!("{}; replayed: {}.", capitalised(&change), effect(answer, proposal))
    };
    let lead = match (flagged, best.or(of_flagged)) {
        (Some(it), _) => format!("Change `{}`.", rule(Some(&it.policy), it.rule_index)),
        (None, Some(_)) => "Take this change.".to_owned(),
        (None, None) => "Nothing that the record supports.".to_owned(),
    };
    let mut texts: Vec<String> = Vec::new();
    if let Some(flagged) = flagged {
        let mut rules = report.summary.by_rule.iter();
        let is_it =
            |it: &&RuleReport| it.policy == flagged.policy && it.rule_index == flagged.rule_index;
        let description = rules.find(is_it).and_then(|it| it.description.clone());
        texts.extend(description.map(|description| format!("({description})")));
        texts.push(flagged_rule(answer, flagged));
    }
    texts.extend(of_flagged.map(words));
    let also = if texts.is_empty() { "" } else { "Also: " };
    texts.extend(best.map(|best| format!("{also}{}", words(best))));
    if texts.is_empty() {
        let nothing = "No rule costs three times as much as the others, and no change was found \
                       that gains more than it costs.";
        texts.push(nothing.to_owned());
    }
    question("What to change", lead, texts.join(" "))
}

/// The recovered jobs and the cost of the retries on record.
pub(super) fn record_questions(answer: &AnswerReport) -> [Reply; 2] {
    let row = |id| value(answer, id, 0);
    let (all, succeeded) = (row("retries"), row("retriesSucceeded"));
    let (good, failed) = (row("succeededRetryHours"), row("failedRetryHours"));
    let jobs = jobs_text(row("jobsRecovered"));
    let gain = if all == 0.0 {
        question("What did retries bring?", "No run is a retry.", "")
    } else {
        let share = percent(succeeded / all);
        let text = format!(
            "{} of {} succeeded ({share} %); {} jobs failed.",
            figure(succeeded),
            retries(all, ""),
            figure(row("jobsFailed")),
        );
        question("What did retries bring?", format!("{jobs} recovered."), text)
    };
    let lead = match figure_of(answer, "price", 0).filter(|price| *price > 0.0) {
        Some(price) => format!("{} for each recovered job.", failed_cost(answer, price)),
        None => format!("{}.", capitalised(&failed_cost(answer, failed))),
    };
    let mut text = String::new();
    if answer.unit != CostUnit::Retries && good + failed > 0.0 {
        let share = percent(failed / (good + failed));
        let _ = write!(
            text,
            "The retries that did not succeed took {}, {share} % of all that retries took.",
            cost_in_words(answer, failed)
        );
    }
    if let Some(peak) = figure_of(answer, "peakRetries", 0).filter(|peak| *peak > 1.0) {
        let _ = write!(text, " In the busiest minute {} waited or ran.", figure(peak));
    }
    [gain, question("What did they cost?", lead, text.trim_start().to_owned())]
}

/// Where the cost of the retries on record is.
pub(super) fn where_to_look(answer: &AnswerReport) -> Option<Reply> {
    let first = answer.reasons.first()?;
    let own = first.failed_retry_hours.unwrap_or_default();
    let all = value(answer, "failedRetryHours", 0);
    if own == 0.0 || all == 0.0 {
        return None;
    }
    let lead = format!("Retries after {}.", cut(&first.kind));
    let text = format!(
        "They are {} % of the {}; {} of {} succeeded. The same command with `-f POLICY` replays a policy on this history.",
        percent(own / all),
        failed_cost_name(answer.unit),
        figure(float(first.succeeded)),
        figure(float(first.retries)),
    );
    Some(question("Where to look", lead, text))
}

/// The differences of a column from the base.
#[derive(Clone, Copy)]
struct Change {
    column: usize,
    jobs: f64,
    cost: f64,
}

/// The savings and the recovered jobs of other sets of policies, and which to take.
pub(super) fn comparison_questions(report: &SimulationReport) -> Vec<Reply> {
    let answer = &report.answer;
    let base = answer.base;
    let change = |column: usize| {
        let difference = |id| value(answer, id, column) - value(answer, id, base);
        let (jobs, cost) = (difference("jobsSucceeded"), difference("failedRetryHours"));
        Change { column, jobs, cost }
    };
    let columns = self::columns(report).into_iter().filter(|column| *column > base);
    let changes: Vec<Change> = columns.map(change).collect();
    let least = |one: &&Change, other: &&Change| one.cost.total_cmp(&other.cost);
    let saving = changes.iter().filter(|it| it.cost < 0.0).min_by(least);
    let most = changes.iter().filter(|it| it.jobs > 0.0);
    let bringing = most.max_by(|one, other| one.jobs.total_cmp(&other.jobs));
    let mut questions = Vec::new();
    questions.push(match saving {
        Some(it) => question("Which one saves most?", lead(answer, *it), figures(answer, *it)),
        None => question("Which one saves most?", "None saves anything.", ""),
    });
    questions.push(match bringing {
        Some(it) => question("Which one brings most?", lead(answer, *it), figures(answer, *it)),
        None => question("Which one brings most?", "Under none do more jobs succeed.", ""),
    });
    let choice = |column: usize| Choice {
        label: &answer.columns[column].label,
        jobs: value(answer, "jobsSucceeded", column),
        cost: value(answer, "failedRetryHours", column),
    };
    let all = self::columns(report).into_iter().filter(|column| *column > 0);
    let choices: Vec<Choice<'_>> = all.map(choice).collect();
    let base_label = &answer.columns[base].label;
    let lead = choice::sentence(&choices, base_label, |cost| cost_in_words(answer, cost));
    let lead = lead.unwrap_or_default();
    let knee = super::sweep::knee(answer).map(|knee| {
        let (path, value) = (&knee.path, knee.value);
        format!("{path} {value}: {}", super::sweep::knee_text(answer, knee))
    });
    let texts: Vec<String> = failing::line(report).into_iter().chain(knee).collect();
    questions.push(question("What to change", lead, texts.join(" ")));
    questions
}

/// A difference of jobs in words: `180 fewer jobs succeed`.
fn more_jobs(number: f64, word: &str) -> String {
    let number = figure(number);
    let noun = if number == "1" { "job succeeds" } else { "jobs succeed" };
    format!("{number} {word} {noun}")
}

/// A change in a few words.
fn lead(answer: &AnswerReport, change: Change) -> String {
    let than = &format!(" than under `{}`", answer.columns[answer.base].label);
    let than = if answer.base == 0 { " than on record" } else { than };
    let label = &answer.columns[change.column].label;
    let jobs = match change.jobs {
        0.0 => "as many jobs succeed".to_owned(),
        more if more > 0.0 => more_jobs(more, "more"),
        fewer => more_jobs(-fewer, "fewer"),
    };
    format!("`{label}`: {jobs}{}.", if change.jobs == 0.0 { "" } else { than })
}

/// The figures of a change.
fn figures(answer: &AnswerReport, change: Change) -> String {
    let mut text = match change.cost {
        0.0 => "The failed retries cost the same".to_owned(),
        more if more > 0.0 => {
            format!("{} more", capitalised(&failed_cost(answer, more)))
        }
        less => {
            format!("{} saved", capitalised(&with_verb(&failed_cost(answer, -less))))
        }
    };
    if change.jobs * change.cost > 0.0 {
        let each = cost_in_words(answer, change.cost / change.jobs);
        let word = if change.jobs > 0.0 { "further job" } else { "job given up" };
        let _ = write!(text, ", {each} for each {word}");
    }
    let unresolved = whole(value(answer, "jobsUnresolved", change.column));
    if unresolved > 0 {
        let jobs = crate::report::figures::count(unresolved);
        let _ = write!(text, "; in all {} unresolved: {UNRESOLVED}", with_verb(&jobs));
    }
    text + "."
}
