//! The report of a summary: names instead of numbers, rows in the order of reports.

use super::hours::HoursReport;
use super::job::ContradictionReport;
use super::retries::{by_number, by_policy, disruptions, nodes, of_rule};
use super::summary::{
    CategoryReport, ContradictionKindReport, DayReport, FailedByReport, GroupReport,
    ListedNamesReport, MissingPartReport, PeakReport, QueueReport, RetriedReport, RuleNameReport,
    RuleReport, SummaryReport, UncaughtReport,
};
use crate::simulate::engine::Engine;
use crate::simulate::figures::{FailureFigures, FollowingRuns, RuleLabel};
use crate::simulate::names::{Group, Names, non_empty};
use crate::simulate::options::Options;
use crate::simulate::part;
use crate::simulate::summary::{
    Contradictions, Example, Minute, RetryOutcomes, RuleCounts, Summary,
};
use crate::units::Time;
use std::collections::BTreeMap;

/// Number of kinds of uncaught failures in a report: more do not fit a screen. The schema of reports documents
/// it.
const GROUPS: usize = 20;

/// The report of a summary. `observed` counts all jobs, also those that are not reported on.
pub(in crate::simulate) fn summary_report<E: Engine>(
    engine: &E,
    names: &Names,
    summary: Summary,
    observed: &Summary,
    options: Options,
) -> SummaryReport {
    let labels = engine.rules();
    let mut all = RuleCounts::default();
    for counts in summary.by_rule.iter().chain([&summary.by_no_rule]) {
        all.merge(counts.clone());
    }
    let retries = all.retries.sum();
    SummaryReport {
        is_absent: false,
        assumption: options.assume.map(|assume| assume.settle(&summary, observed)),
        totals: summary.totals,
        disruptions: disruptions(names, &summary),
        missing_parts: missing_parts(engine, &labels, &summary),
        listed_names: listed_names(engine, &labels, &summary),
        recorded_names: BTreeMap::from([
            ("category", names.categories()),
            ("subcategory", names.subcategories()),
        ]),
        recovered: summary.recovered,
        replayed: retries.recorded(),
        unresolved: retries.missing,
        by_decision: with_owned_codes(summary.by_decision.to_map()),
        failed_by: failed_by(&labels, &summary),
        by_queue: by_queue(names.queues(), &summary),
        by_category: by_category(names.categories(), &summary),
        by_day: by_day(&summary),
        retried_runs: RetriedReport {
            succeeded: HoursReport::from(&retries.runs.succeeded),
            failed: HoursReport::from(&retries.runs.failed),
            other: HoursReport::from(&retries.runs.other),
        },
        not_reached_runs: HoursReport::from(&summary.not_reached),
        backoff_hours: hours_of(summary.backoff),
        peak: summary.storm.peak().map(peak),
        never_matched: rules_without_match(&labels, &summary),
        uncaught: uncaught(engine, names, &summary),
        nodes: nodes(names, &summary),
        by_policy: by_policy(&labels, &summary),
        by_no_rule: Some(&summary.by_no_rule)
            .filter(|counts| counts.retries.sum() != RetryOutcomes::default())
            .map(of_rule),
        by_retry: by_number(&all.retries),
        by_rule: by_rule(labels, &summary),
        outcomes: summary.outcomes.into_iter().map(|(o, n)| (o.as_str().to_owned(), n)).collect(),
        not_reached: summary.not_reached.runs,
        runs: summary.runs,
        contradictions: summary.contradictions.runs(),
        contradiction_examples: reported(summary.contradictions.examples()),
        contradictions_by_kind: contradictions_by_kind(summary.contradictions),
        skipped_records: options.skipped_records as u64,
    }
}

fn reported(examples: Vec<Example>) -> Vec<ContradictionReport> {
    let reported = |it: Example| ContradictionReport {
        job_id: it.job,
        run_index: it.run_index,
        what: it.text,
    };
    examples.into_iter().map(reported).collect()
}

fn contradictions_by_kind(contradictions: Contradictions) -> Vec<ContradictionKindReport> {
    let by_kind = contradictions.by_kind().into_iter();
    by_kind
        .map(|(kind, of_kind)| ContradictionKindReport {
            kind: kind.as_str(),
            runs: of_kind.runs,
            examples: reported(of_kind.examples),
        })
        .collect()
}

fn with_owned_codes(counts: BTreeMap<&'static str, u64>) -> BTreeMap<String, u64> {
    counts.into_iter().map(|(code, count)| (code.to_owned(), count)).collect()
}

fn by_rule(labels: Vec<RuleLabel>, summary: &Summary) -> Vec<RuleReport> {
    let rows = labels.into_iter().zip(&summary.by_rule);
    rows.map(|(label, counts)| RuleReport {
        policy: label.policy,
        rule_index: label.index,
        figures: counts.figures,
        retries: of_rule(counts),
    })
    .collect()
}

fn rules_without_match(labels: &[RuleLabel], summary: &Summary) -> Vec<RuleNameReport> {
    let rows =
        labels.iter().zip(&summary.by_rule).filter(|(_, counts)| counts.figures.matched == 0);
    rows.filter_map(|(label, _)| {
        Some(RuleNameReport { policy: label.policy.clone(), rule_index: label.index? })
    })
    .collect()
}

fn missing_parts<E: Engine>(
    engine: &E,
    labels: &[RuleLabel],
    summary: &Summary,
) -> Vec<MissingPartReport> {
    let rows = part::unmet(engine.needs(), &summary.judged);
    rows.map(|(need, judged)| MissingPartReport {
        policy: labels[need.rule].policy.clone(),
        rule_index: labels[need.rule].index,
        field: need.part.field,
        values: need.values.clone(),
        failures: judged.failures,
        without: need.without,
        part: Some(need.part),
        has_other_values: judged.parts.overlaps(need.any_value),
    })
    .collect()
}

fn listed_names<E: Engine>(
    engine: &E,
    labels: &[RuleLabel],
    summary: &Summary,
) -> Vec<ListedNamesReport> {
    let rows = part::named(engine.needs(), &summary.judged);
    rows.map(|need| ListedNamesReport {
        policy: labels[need.rule].policy.clone(),
        rule_index: labels[need.rule].index,
        field: need.part.field,
        names: need.names.clone(),
    })
    .collect()
}

fn failed_by(labels: &[RuleLabel], summary: &Summary) -> Vec<FailedByReport> {
    let row = |((decision, rule), jobs): (&(&str, Option<usize>), &u64)| FailedByReport {
        decision: (*decision).to_owned(),
        policy: rule.map(|rule| labels[rule].policy.clone()),
        rule_index: rule.and_then(|rule| labels[rule].index),
        jobs: *jobs,
    };
    let mut rows: Vec<FailedByReport> = summary.failed_by.iter().map(row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.jobs));
    rows
}

fn by_queue(names: Vec<String>, summary: &Summary) -> Vec<QueueReport> {
    let rows = names.into_iter().zip(summary.queues.iter().copied());
    let mut rows: Vec<QueueReport> = rows
        .filter(|(_, figures)| figures.failures + figures.retries + figures.failed_jobs > 0)
        .map(|(queue, figures)| QueueReport { queue, figures })
        .collect();
    rows.sort_by(|one, other| one.queue.cmp(&other.queue));
    rows
}

fn by_category(names: Vec<String>, summary: &Summary) -> Vec<CategoryReport> {
    let rows = names.into_iter().zip(summary.categories.iter().copied());
    let mut rows: Vec<CategoryReport> = rows
        .filter(|(_, figures)| figures.failures + figures.retries > 0)
        .map(|(name, figures)| CategoryReport { category: non_empty(name), figures })
        .collect();
    rows.sort_by(|one, other| one.category.cmp(&other.category));
    rows
}

fn by_day(summary: &Summary) -> Vec<DayReport> {
    let row = |(day, figures): (&i64, &FailureFigures)| {
        let start = Time::from_epoch_seconds(day.saturating_mul(86_400)).to_string();
        let day = start.split('T').next().unwrap_or_default().to_owned();
        DayReport { day, figures: *figures }
    };
    summary.days.iter().map(row).collect()
}

fn uncaught<E: Engine>(engine: &E, names: &Names, summary: &Summary) -> UncaughtReport {
    let groups = names.groups();
    // Past the limit of kinds their messages are cleared, so that several become one kind.
    let mut counts: BTreeMap<Group, (u64, FollowingRuns)> = BTreeMap::new();
    for (number, (group, count)) in groups.into_iter().zip(&summary.uncaught).enumerate() {
        if *count > 0 {
            let (failures, after) = counts.entry(group).or_default();
            *failures += count;
            after.merge(summary.after_uncaught.get(number).copied().unwrap_or_default());
        }
    }
    let failures = counts.values().map(|(failures, _)| failures).sum();
    let mut rows: Vec<(Group, (u64, FollowingRuns))> = counts.into_iter().collect();
    rows.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    let suggested_rule = rows.first().and_then(|(group, (_, after))| engine.suggest(group, *after));
    let row = |(group, (failures, after)): (Group, (u64, FollowingRuns))| GroupReport {
        retries: after.into(),
        category: non_empty(group.category),
        exit_code: group.exit_code,
        condition: non_empty(group.condition),
        message: non_empty(group.message),
        failures,
    };
    let groups = rows.into_iter().take(GROUPS).map(row).collect();
    UncaughtReport { failures, groups, suggested_rule }
}

fn peak((retries, minute): (u64, Minute)) -> PeakReport {
    PeakReport { retries, minute: minute.start().to_string() }
}

#[expect(clippy::cast_precision_loss, reason = "the sum is exact, and reports round it")]
fn hours_of(nanos: u128) -> f64 {
    nanos as f64 / 3600e9
}
