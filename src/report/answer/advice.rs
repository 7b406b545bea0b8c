//! The advice of the answer: a rule that costs much more than it brings, and one change with the figures of its replay.

use super::cells::{cost_in_words, failed_cost, figure, retries, several, value, with_verb};
use super::headline::UNRESOLVED;
use crate::report::decision_line::rule;
use crate::report::figures::percent;
use document::diag::printable;
use replay::simulate::{AdviceReport, AnswerReport, CostUnit, FlaggedRule, ProposalReport};
use std::fmt::Write;

/// The flagged rule, the best proposal and the figures of its replay, if there is one set of policies: of several the advice
/// is about the first.
pub(super) fn texts(answer: &AnswerReport) -> Vec<String> {
    let advice = answer.advice.iter().filter(|_| answer.columns.len() == 2);
    let flagged = advice.clone().find_map(|advice| match advice {
        AdviceReport::FlaggedRule(flagged) => Some(flagged_rule(answer, flagged)),
        AdviceReport::Proposal(_) | AdviceReport::Knee(_) => None,
    });
    let proposals: Vec<&ProposalReport> = advice
        .filter_map(|advice| match advice {
            AdviceReport::Proposal(proposal) => Some(proposal),
            AdviceReport::FlaggedRule(_) | AdviceReport::Knee(_) => None,
        })
        .collect();
    let proposal = proposals.split_first().map(|(best, others)| {
        let more = match others.len() {
            0 => String::new(),
            1 => " (1 more: -o json)".to_owned(),
            number => format!(" ({number} more: -o json)"),
        };
        [
            format!("Proposal: {}", change(best)),
            format!("  replayed: {}{more}", effect(answer, best)),
        ]
    });
    let texts = flagged.into_iter().chain(proposal.into_iter().flatten());
    texts.map(|text| printable(&text).into_owned()).collect()
}

/// The share of a flagged rule in the cost, and in what it brings.
pub(in crate::report) fn flagged_rule(answer: &AnswerReport, flagged: &FlaggedRule) -> String {
    let jobs = match flagged.recovered_jobs {
        0 => "no recovered job".to_owned(),
        _ => format!("{} % of the recovered jobs", percent(flagged.recovered_share)),
    };
    let cost = match answer.unit {
        CostUnit::Retries => "failed retries".to_owned(),
        unit => format!("{} of failed retries", unit.as_str()),
    };
    format!(
        "`{}` takes {} % of the {cost}, for {jobs}.",
        rule(Some(&flagged.policy), flagged.rule_index),
        percent(flagged.cost_share),
    )
}

/// A change in words: what is written where.
pub(in crate::report) fn change(proposal: &ProposalReport) -> String {
    let ProposalReport { policy, path, value, .. } = proposal;
    let path = path.strip_prefix("spec.").unwrap_or(path);
    let (rule, limit) = path.rsplit_once("retryLimit").map_or((path, false), |(it, _)| (it, true));
    let rule =
        format!("{policy}{}", rule.strip_prefix("rules").unwrap_or(rule).trim_end_matches('.'));
    match (proposal.change, limit) {
        ("remove", _) => format!("remove {rule}"),
        ("insert", _) => format!("insert as {rule}: {value}"),
        (_, false) => format!("replace {rule} by {value}"),
        (_, true) => format!("set retryLimit of {rule} to {value}"),
    }
}

/// The differences that the replay of a change shows.
pub(in crate::report) fn effect(answer: &AnswerReport, proposal: &ProposalReport) -> String {
    let (jobs, cost) = (proposal.jobs_succeeded, proposal.failed_retry_hours);
    let (more, noun) = (if jobs > 0.0 { "more" } else { "fewer" }, several(jobs.abs(), "job"));
    let verb = if figure(jobs.abs()) == "1" { "succeeds" } else { "succeed" };
    let mut text = match jobs {
        0.0 => "as many jobs succeed".to_owned(),
        _ => format!("{noun} {more} {verb}"),
    };
    let _ = match cost {
        0.0 => Ok(()),
        0.0.. => write!(text, ", for {}", failed_cost(answer, cost)),
        _ => write!(text, "; {} saved", with_verb(&failed_cost(answer, -cost))),
    };
    let good = proposal.succeeded_retry_hours;
    if good < 0.0 {
        let good = match answer.unit {
            CostUnit::Retries => retries(-good, "good "),
            _ => format!("{} of good work", cost_in_words(answer, -good)),
        };
        let _ = write!(text, ", {} lost", with_verb(&good));
    }
    if proposal.jobs_unresolved != 0.0 {
        let more = if proposal.jobs_unresolved > 0.0 { "more" } else { "fewer" };
        let jobs = figure(proposal.jobs_unresolved.abs());
        let _ = write!(text, "; {} unresolved", with_verb(&format!("{jobs} {more}")));
        // The table explains them if it has some.
        let columns = 0..answer.columns.len();
        if columns.map(|column| value(answer, "jobsUnresolved", column)).all(|jobs| jobs == 0.0) {
            let _ = write!(text, ": {UNRESOLVED}");
        }
    }
    text
}
