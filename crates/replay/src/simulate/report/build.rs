//! The report of a summary: names instead of numbers, rows in the order of reports.

use super::hours::HoursReport;
use super::job::ContradictionReport;
use super::retries::{by_number, by_policy, disruptions, nodes, rule_report};
use super::summary::{
    CategoryReport, ContradictionKindReport, DayReport, FailedByReport, GroupReport,
    ListedNamesReport, LoadReport, MissingPartReport, PeakReport, QueueReport, RecoveryReport,
    RetriedReport, RuleNameReport, RuleReport, SummaryReport, UncaughtReport,
};
use crate::simulate::engine::Engine;
use crate::simulate::figures::{FailureFigures, FollowingRuns, RuleLabel};
use crate::simulate::names::{Group, Names, non_empty};
use crate::simulate::options::Options;
use crate::simulate::part;
use crate::simulate::summary::{
    Contradictions, Example, GroupCounts, Minute, RetryOutcomes, RuleCounts, Storm, Summary,
};
use document::units::Time;
use std::collections::BTreeMap;

/// Number of kinds of uncaught failures in a report: more do not fit a screen. The schema of reports documents
/// it.
const GROUPS: usize = 20;

/// Bins of the load: as many as a picture has room for. The schema of reports documents it.
const LOAD_BINS: i64 = 240;

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
        load: load(&summary.storm),
        never_matched: rules_without_match(&labels, &summary),
        uncaught: uncaught(engine, names, &summary),
        nodes: nodes(names, &summary),
        by_policy: by_policy(&labels, &summary),
        by_no_rule: Some(&summary.by_no_rule)
            .filter(|counts| counts.retries.sum() != RetryOutcomes::default())
            .map(rule_report),
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
    let by_kind = contradictions.by_kind();
    by_kind
        .map(|(kind, of_kind)| ContradictionKindReport {
            kind: kind.as_str(),
            runs: of_kind.runs,
            examples: reported(of_kind.examples()),
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
        description: Some(label.description).filter(|it| !it.is_empty()),
        figures: counts.figures,
        retries: rule_report(counts),
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
    // Stable, so that equal ones stay in the order of their decisions.
    rows.sort_by_key(|row| std::cmp::Reverse(row.jobs));
    rows
}

fn by_queue(names: Vec<String>, summary: &Summary) -> Vec<QueueReport> {
    let rows = names.into_iter().zip(&summary.queues);
    let mut rows: Vec<QueueReport> = rows
        .map(|(queue, counts)| (queue, counts.figures, recovery(counts)))
        // Most queues of a large cluster have no failure.
        .filter(|(_, figures, _)| figures.failures + figures.retries + figures.failed_jobs > 0)
        .map(|(queue, figures, recovery)| QueueReport { queue, figures, recovery })
        .collect();
    rows.sort_by(|one, other| {
        let by_failures = other.figures.failures.cmp(&one.figures.failures);
        by_failures.then_with(|| one.queue.cmp(&other.queue))
    });
    rows
}

fn recovery<F>(counts: &GroupCounts<F>) -> RecoveryReport {
    RecoveryReport {
        figures: counts.jobs,
        succeeded_hours: HoursReport::from(&counts.retries.succeeded),
        lost_hours: HoursReport::from(&counts.retries.lost()),
    }
}

fn by_category(names: Vec<String>, summary: &Summary) -> Vec<CategoryReport> {
    let rows = names.into_iter().zip(&summary.categories);
    let mut rows: Vec<CategoryReport> = rows
        .map(|(name, counts)| (non_empty(name), counts.figures, recovery(counts)))
        .filter(|(_, figures, _)| figures.failures + figures.retries > 0)
        .map(|(category, figures, recovery)| CategoryReport { category, figures, recovery })
        .collect();
    rows.sort_by(|one, other| one.category.cmp(&other.category));
    rows
}

fn by_day(summary: &Summary) -> Vec<DayReport> {
    let row = |(day, counts): (i64, &GroupCounts<FailureFigures>)| {
        let start = Time::from_epoch_seconds(day.saturating_mul(86_400)).to_string();
        let day = start.split('T').next().unwrap_or_default().to_owned();
        DayReport { day, figures: counts.figures, recovery: recovery(counts) }
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
    // Stable, so that equal ones stay in the order of their kinds.
    rows.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    // The most frequent kind, since a rule for it catches the most.
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

/// The retries over time.
#[expect(clippy::cast_precision_loss, reason = "the sums are exact, and reports round them")]
pub(in crate::simulate) fn load(storm: &Storm) -> Option<LoadReport> {
    let load = storm.load(LOAD_BINS)?;
    let mean = |(_, sum): &(u64, u64)| *sum as f64 / load.minutes as f64;
    Some(LoadReport {
        from: load.from.start().to_string(),
        bin_minutes: load.minutes.unsigned_abs(),
        mean: load.bins.iter().map(mean).collect(),
        most: load.bins.iter().map(|(most, _)| *most).collect(),
    })
}

#[expect(clippy::cast_precision_loss, reason = "the sum is exact, and reports round it")]
fn hours_of(nanos: u128) -> f64 {
    nanos as f64 / 3600e9
}
