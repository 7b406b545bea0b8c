//! The questions of the first screen and their answers, by rules (docs/answer.md, Advice).

use super::rules::flagged;
use super::shared::{columns, cut, failed_cost_name, jobs_text, whole, words};
use crate::report::answer::advice::{change, effect, flagged_rule};
use crate::report::answer::cells::{
    cost, failed_cost, figure, figure_of, retries, value, with_verb,
};
use crate::report::answer::failing;
use crate::report::answer::headline::UNRESOLVED;
use crate::report::figures::percent;
use crate::report::page::model::Question;
use crate::report::page::numbers::capitalised;
use crate::report::page::numbers::float;
use crate::simulate::{AdviceReport, AnswerReport, CostUnit, ProposalReport, SimulationReport};
use std::fmt::Write;

/// The share of the cost of retries in those that succeeded from which on retries are worth it.
const WORTH: f64 = 0.5;

fn question(
    asked: &'static str,
    answer: impl Into<String>,
    figures: impl Into<String>,
) -> Question {
    Question { asked, answer: answer.into(), figures: figures.into() }
}

/// Whether the retries of one set of policies are worth it.
pub(super) fn worth(answer: &AnswerReport) -> Question {
    let row = |id| value(answer, id, 1);
    let (good, failed) = (row("succeededRetryHours"), row("failedRetryHours"));
    let (recovered, unresolved) = (row("jobsRecovered"), row("jobsUnresolved"));
    let with_failure = recovered + row("jobsFailed") + unresolved;
    let all = good + failed;
    let lead = match good / all {
        _ if with_failure == 0.0 => "No job failed: the policies decided nothing.",
        _ if row("retries") == 0.0 => "No retry is granted.",
        _ if all == 0.0 => "Unknown: no retry is on record.",
        share if share < WORTH => "Not as it stands.",
        _ if flagged(answer).is_some() => "Yes, except for one rule.",
        _ => "Yes.",
    };
    let mut text = String::new();
    if with_failure > 0.0 {
        let _ = write!(
            text,
            "Of {} with a failure, {} ({} %) recover in a retry.",
            jobs_text(with_failure),
            figure(recovered),
            percent(recovered / with_failure),
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
pub(super) fn price(answer: &AnswerReport) -> Question {
    let row = |id| value(answer, id, 1);
    let failed = row("failedRetryHours");
    let lead = match figure_of(answer, "price", 1).filter(|price| *price > 0.0) {
        Some(price) => format!("{} for each recovered job.", failed_cost(answer, price)),
        None if failed > 0.0 => format!("{}, and no job recovers.", failed_cost(answer, failed)),
        None => "No retry on record failed.".to_owned(),
    };
    let mut text = String::new();
    if failed > 0.0 && answer.unit != CostUnit::Retries {
        let number = row("retries") - row("retriesSucceeded");
        let _ = write!(
            text,
            "{} that did not succeed took {}, against {} on record.",
            retries(number.max(0.0), ""),
            words(answer, failed),
            words(answer, value(answer, "failedRetryHours", 0)),
        );
    }
    if let Some(peak) = figure_of(answer, "peakRetries", 1).filter(|peak| *peak > 1.0) {
        let _ = write!(text, " At most {} retries wait or run at once.", figure(peak));
    }
    let lost = row("failedSucceededOnRecord");
    if lost > 0.0 {
        let _ = write!(
            text,
            " {} that succeeded on record {} here: {} of good work.",
            jobs_text(lost),
            if figure(lost) == "1" { "fails" } else { "fail" },
            words(answer, row("lostWorkHours")),
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

/// The change of one set of policies that the record supports.
pub(super) fn to_change(report: &SimulationReport) -> Question {
    let answer = &report.answer;
    let mut text = String::new();
    if let Some(flagged) = flagged(answer) {
        text.push_str(&flagged_rule(answer, flagged));
    }
    let best = proposals(answer).next();
    let lead = match best {
        Some(best) => {
            let effect = effect(answer, best);
            text = format!("Replayed: {effect}. {text}");
            let change = change(best);
            let change = change
                .split_once(": ")
                .map_or(change.clone(), |(what, rule)| format!("{what}: `{rule}`."));
            capitalised(&change)
        }
        None if flagged(answer).is_some() => "Look at one rule.".to_owned(),
        None => "Nothing that the record supports.".to_owned(),
    };
    if best.is_none() && flagged(answer).is_none() {
        text.push_str(
            "No rule costs three times as much as the others, and no change was found that gains \
             more than it costs.",
        );
    }
    question("What to change", lead, text.trim_end().to_owned())
}

/// The recovered jobs and the cost of the retries on record.
pub(super) fn recorded(answer: &AnswerReport) -> [Question; 2] {
    let row = |id| value(answer, id, 0);
    let (all, succeeded) = (row("retries"), row("retriesSucceeded"));
    let (good, failed) = (row("succeededRetryHours"), row("failedRetryHours"));
    let jobs = jobs_text(row("jobsRecovered"));
    let brought = if all == 0.0 {
        question("What did retries bring?", "No run is a retry.", "")
    } else {
        let share = percent(succeeded / all);
        let text = format!(
            "{} of {} succeeded ({share} %); {} jobs failed all the same.",
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
            words(answer, failed)
        );
    }
    if let Some(peak) = figure_of(answer, "peakRetries", 0).filter(|peak| *peak > 1.0) {
        let _ = write!(text, " At most {} waited or ran at once.", figure(peak));
    }
    [brought, question("What did they cost?", lead, text.trim_start().to_owned())]
}

/// Where the cost of the retries on record is.
pub(super) fn where_to_look(answer: &AnswerReport) -> Option<Question> {
    let first = answer.reasons.first()?;
    let own = first.failed_retry_hours.unwrap_or_default();
    let all = value(answer, "failedRetryHours", 0);
    if own == 0.0 || all == 0.0 {
        return None;
    }
    let lead = format!("Retries after {}.", cut(&first.kind));
    let text = format!(
        "They are {} % of the {}; {} of {} succeeded. Replay a policy with `-f FILE`.",
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
pub(super) fn compared(report: &SimulationReport) -> Vec<Question> {
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
    let better = changes
        .iter()
        .find(|it| it.jobs >= 0.0 && it.cost <= 0.0 && (it.jobs > 0.0 || it.cost < 0.0));
    let base_label = &answer.columns[base].label;
    let lead = match better {
        Some(it) => format!(
            "Take `{}`: no fewer jobs succeed, and it costs no more.",
            answer.columns[it.column].label
        ),
        None if changes.iter().all(|it| it.jobs <= 0.0 && it.cost >= 0.0) => {
            format!("Keep `{base_label}`: no other has more jobs or less cost.")
        }
        None => "None is better in both: compare the prices.".to_owned(),
    };
    let knee = super::sweep::knee(answer).map(|knee| {
        let (path, value) = (&knee.path, knee.value);
        format!("{path} {value}: {}", super::sweep::knee_text(answer, knee))
    });
    let texts: Vec<String> = failing::line(report).into_iter().chain(knee).collect();
    questions.push(question("What to change", lead, texts.join(" ")));
    questions
}

/// A change in a few words.
fn lead(answer: &AnswerReport, change: Change) -> String {
    let label = &answer.columns[change.column].label;
    let jobs = match change.jobs {
        0.0 => "as many jobs succeed".to_owned(),
        more if more > 0.0 => format!("{} more succeed", jobs_text(more)),
        fewer => format!("{} fewer succeed", jobs_text(-fewer)),
    };
    format!("`{label}`: {jobs}.")
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
        let each = cost(answer, change.cost / change.jobs);
        let word = if change.jobs > 0.0 { "further job" } else { "job given up" };
        let _ = write!(text, ", {each} for each {word}");
    }
    let unresolved = whole(value(answer, "jobsUnresolved", change.column));
    if unresolved > 0 {
        let jobs = crate::report::figures::count(unresolved);
        let _ = write!(text, "; {} unresolved: {UNRESOLVED}", with_verb(&jobs));
    }
    text + "."
}
