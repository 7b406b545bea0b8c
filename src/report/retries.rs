//! What granted retries came to, as tables: by rule and policy, by their number, after disruptions, and by node.

use super::decision_line::label;
use super::durations::TimeUnit;
use super::figures::{count, count_of, interval, range_of, separated};
use super::layout::{Layout, MAX_ROWS, wrap};
use super::table::{Column, Table, columns, head};
use replay::simulate::{
    CostReport, HoursReport, NodeReport, NumberReport, OutcomeReport, RateReport, RetryReport,
    SummaryReport,
};
use std::fmt::Write;
use systems::Description;

/// Writes the tables of retries; none if there are none.
pub(super) fn tables(
    out: &mut String,
    summary: &SummaryReport,
    system: &Description,
    layout: &Layout,
) {
    let rows = rows(summary, system);
    if rows.is_empty() {
        return;
    }
    by_rule(out, summary, system, layout);
    by_number(out, summary, system, layout);
    disruptions(out, &rows, layout);
    nodes(out, summary, layout);
}

/// Writes what the retries of each rule came to.
pub(super) fn by_rule(
    out: &mut String,
    summary: &SummaryReport,
    system: &Description,
    layout: &Layout,
) {
    let rows = rows(summary, system);
    if !rows.is_empty() {
        success(out, &rows, layout);
        costs(out, &rows, layout);
    }
}

/// Writes the retries by their number, and with `-o wide` those of each rule.
pub(super) fn by_number(
    out: &mut String,
    summary: &SummaryReport,
    system: &Description,
    layout: &Layout,
) {
    numbers(out, &summary.by_retry, layout);
    if layout.wide {
        numbers_by_rule(out, &rows(summary, system), layout);
    }
}

/// Writes the retries that disruptions used.
pub(super) fn after_disruptions(
    out: &mut String,
    summary: &SummaryReport,
    system: &Description,
    layout: &Layout,
) {
    disruptions(out, &rows(summary, system), layout);
}

/// The retries of a rule, a default, a policy or no rule, and their name.
struct Row<'s> {
    name: String,
    retries: &'s RetryReport,
    /// Whether they are the sum of other rows.
    is_sum: bool,
}

/// The rules and defaults that granted a retry, each policy after its own if there are several.
fn rows<'s>(summary: &'s SummaryReport, system: &Description) -> Vec<Row<'s>> {
    let is_used = |retries: &RetryReport| retries.outcomes.granted + retries.outcomes.recorded > 0;
    let mut rows = Vec::new();
    for policy in &summary.by_policy {
        let rules = summary.by_rule.iter().filter(|rule| rule.policy == policy.policy);
        let rules = rules.filter(|rule| is_used(&rule.retries)).map(|rule| Row {
            name: label(system, &rule.policy, rule.rule_index),
            retries: &rule.retries,
            is_sum: false,
        });
        let before = rows.len();
        rows.extend(rules);
        if rows.len() > before + 1 {
            let name = format!("{} in all", policy.policy);
            rows.push(Row { name, retries: &policy.retries, is_sum: true });
        }
    }
    let no_rule = summary.by_no_rule.iter();
    rows.extend(no_rule.map(|retries| Row { name: "no rule".to_owned(), retries, is_sum: false }));
    rows
}

/// What the column `SUCCEEDED OF ALL` has.
const RANGE_NOTE: &str =
    "(SUCCEEDED OF ALL: if none, or if all, of the retries not on record succeeded)";

/// Writes how many retries succeeded: of those on record, with an interval, and of all.
fn success(out: &mut String, rows: &[Row<'_>], layout: &Layout) {
    let of_all = |retries: &RetryReport| {
        let (range, outcomes) = (retries.succeeded_range, &retries.outcomes);
        let all = outcomes.recorded + outcomes.unrecorded;
        let text = || range_of(range.least, range.most, all);
        if outcomes.unrecorded > 0 { text() } else { String::new() }
    };
    let columns = columns![row in &Row<'_>;
        "RULE" => row.name.clone(),
        "RETRIES" => count(row.retries.outcomes.granted),
        "RECORDED" => count(row.retries.outcomes.recorded),
        "SUCCEEDED" => succeeded(&row.retries.outcomes),
        head("95 % INTERVAL").if_any() => success_interval(&row.retries.outcomes),
        head("SUCCEEDED OF ALL").if_any() => of_all(row.retries),
    ];
    Table::first(rows, "row", &columns, layout).whole().write(out, layout);
    if layout.first(rows).iter().any(|row| row.retries.outcomes.unrecorded > 0) {
        let width = layout.width.unwrap_or(usize::MAX);
        let _ = writeln!(out, "{}", wrap(RANGE_NOTE, width, 1));
    }
}

/// A kind of time: the prefix of its headers, the time of some runs, and that of one job.
type Kind = (&'static str, fn(&HoursReport) -> Option<f64>, fn(&CostReport) -> Option<f64>);

const KINDS: [Kind; 3] = [
    ("", |hours| Some(hours.hours), |cost| Some(cost.hours)),
    ("CPU-", |hours| hours.cpu_hours, |cost| cost.cpu_hours),
    ("GPU-", |hours| hours.gpu_hours, |cost| cost.gpu_hours),
];

/// Writes what retries cost, and the jobs that they recovered. The wide table has the time of cores and devices too.
fn costs(out: &mut String, rows: &[Row<'_>], layout: &Layout) {
    let mut has_cost = rows.iter().map(|row| row.retries);
    if !has_cost.any(|it| it.recovered_jobs > 0 || is_timed(it)) {
        return;
    }
    let mut columns: Vec<Column<'_, &Row<'_>>> = Vec::from(columns![row in &Row<'_>;
        "RULE" => row.name.clone(),
        "RECOVERED JOBS" => count(row.retries.recovered_jobs),
    ]);
    for &(kind, of_runs, of_job) in if layout.wide { &KINDS[..] } else { &KINDS[..1] } {
        let time_in = |what| head(format!("{kind}TIME {what}")).if_any();
        let of = move |runs: &HoursReport| known_time(runs, of_runs(runs));
        let per_job = move |retries: &RetryReport| {
            let cost = retries.cost_per_recovered_job.as_ref().filter(|_| is_timed(retries));
            time(cost.and_then(of_job))
        };
        columns.extend([
            time_in("IN SUCCEEDED")
                .cell(move |it: &&Row<'_>| of(&it.retries.outcomes.succeeded_hours)),
            time_in("IN FAILED").cell(move |it: &&Row<'_>| of(&it.retries.outcomes.lost_hours)),
            time_in("PER RECOVERED JOB").cell(move |it: &&Row<'_>| per_job(it.retries)),
        ]);
    }
    Table::first(rows, "row", &columns, layout).whole().write(out, layout);
}

/// Whether the time of a recorded run is known.
fn is_timed(retries: &RetryReport) -> bool {
    let is_timed = |hours: &HoursReport| hours.runs > hours.untimed;
    is_timed(&retries.outcomes.succeeded_hours) || is_timed(&retries.outcomes.lost_hours)
}

/// Formats the time of some runs; empty if none is known.
fn known_time(runs: &HoursReport, hours: Option<f64>) -> String {
    time(hours.filter(|_| runs.runs > runs.untimed))
}

/// Formats a time in hours, with its unit.
fn time(hours: Option<f64>) -> String {
    hours.map(|hours| separated(&TimeUnit::of(hours).show_named(hours))).unwrap_or_default()
}

/// The retries of one number: their rule, if the table has several, the number, and how they ended.
type NumberRow<'r> = (&'r str, String, &'r OutcomeReport);

fn number_table<'r>(rows: impl Iterator<Item = NumberRow<'r>>) -> Table {
    let columns = columns![row in NumberRow<'_>;
        head("RULE").if_any() => (*row.0).to_owned(),
        "RETRY" => row.1.clone(),
        "GRANTED" => count(row.2.granted),
        "RECORDED" => count(row.2.recorded),
        "SUCCEEDED" => succeeded(row.2),
        head("95 % INTERVAL").if_any() => success_interval(row.2),
        "TIME IN FAILED" => known_time(&row.2.lost_hours, Some(row.2.lost_hours.hours)),
    ];
    Table::new(rows, &columns).whole()
}

/// Formats how many of the recorded runs succeeded.
fn succeeded(outcomes: &OutcomeReport) -> String {
    count_of(outcomes.succeeded, outcomes.recorded)
}

fn success_interval(outcomes: &OutcomeReport) -> String {
    outcomes.success_rate.as_ref().map(interval).unwrap_or_default()
}

/// Writes a row for each number of a retry, the last one for all later numbers; none if no job has a second retry.
fn numbers(out: &mut String, rows: &[NumberReport], layout: &Layout) {
    if !rows.iter().any(|row| row.retry.is_some_and(|number| number > 1)) {
        return;
    }
    let (numbered, others): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.retry.is_some());
    let room = MAX_ROWS - others.len();
    let alone = if numbered.len() > room { room - 1 } else { numbered.len() };
    let alone = if layout.wide { numbered.len() } else { alone };
    let later = sum(&numbered[alone..]);
    let from = |it: &NumberReport| format!("{}+", it.retry.unwrap_or_default());
    let rows = numbered[..alone].iter().map(|it| ("", number(it.retry), &it.outcomes));
    let rows = rows.chain(later.iter().map(|it| ("", from(it), &it.outcomes)));
    let rows = rows.chain(others.iter().map(|it| ("", number(it.retry), &it.outcomes)));
    number_table(rows).write(out, layout);
}

/// Writes the retries of each rule by their number.
fn numbers_by_rule(out: &mut String, rows: &[Row<'_>], layout: &Layout) {
    let alone = rows.iter().filter(|row| !row.is_sum);
    if alone.clone().count() < 2 {
        return;
    }
    let rows = alone.flat_map(|row| row.retries.by_retry.iter().map(|it| (&*row.name, it)));
    let rows = rows.map(|(name, it)| (name, number(it.retry), &it.outcomes));
    number_table(rows).write(out, layout);
}

fn number(retry: Option<u32>) -> String {
    /// The number of the last row, which is for all later retries too.
    const LATER: u32 = 21;
    match retry {
        Some(LATER) => format!("{LATER}+"),
        Some(number) => number.to_string(),
        None => "with its unit".to_owned(),
    }
}

/// The sum of some rows, with the number of the first one.
fn sum(rows: &[&NumberReport]) -> Option<NumberReport> {
    let (first, rest) = rows.split_first()?;
    let mut sum = (*first).clone();
    let all = &mut sum.outcomes;
    for NumberReport { outcomes, .. } in rest {
        all.granted += outcomes.granted;
        all.recorded += outcomes.recorded;
        all.succeeded += outcomes.succeeded;
        all.lost_hours.runs += outcomes.lost_hours.runs;
        all.lost_hours.untimed += outcomes.lost_hours.untimed;
        all.lost_hours.hours += outcomes.lost_hours.hours;
    }
    all.success_rate = RateReport::of(all.succeeded, all.recorded);
    Some(sum)
}

/// Writes the retries that disruptions used.
fn disruptions(out: &mut String, rows: &[Row<'_>], layout: &Layout) {
    let used: Vec<_> = rows.iter().filter(|row| row.retries.disruptions.sum() > 0).collect();
    let is_known = used.iter().any(|row| row.retries.disruptions.preempted_by_api > 0);
    let columns = columns![row in &&Row<'_>;
        "RULE" => row.name.clone(),
        "RETRIES AFTER DISRUPTIONS" => count_of(row.retries.disruptions.sum(), row.retries.outcomes.granted),
        "PREEMPTED" => count(row.retries.disruptions.preempted),
        head("BY API").only_if(is_known) => count(row.retries.disruptions.preempted_by_api),
        "EVICTED" => count(row.retries.disruptions.evicted),
        "NODE LOST" => count(row.retries.disruptions.node_lost),
        "KILLED" => count(row.retries.disruptions.killed),
    ];
    Table::first(&used, "row", &columns, layout).whole().write(out, layout);
}

/// Writes the nodes on which retries failed. One failure shows nothing about a node: only the wide table has those.
pub(super) fn nodes(out: &mut String, summary: &SummaryReport, layout: &Layout) {
    if summary.nodes.too_many {
        let _ = writeln!(out, "\nNodes are not counted: retries ran on 200,000 of them or more.");
    }
    let shown = |node: &&NodeReport| layout.wide || node.figures.failed > 1;
    let shown: Vec<_> = summary.nodes.worst.iter().filter(shown).collect();
    if shown.is_empty() {
        return;
    }
    let columns = columns![row in &&NodeReport;
        "NODE" => row.node.clone(),
        head("CLUSTER").if_any() => row.cluster.clone().unwrap_or_default(),
        "RETRIES" => count(row.figures.retries),
        "FAILED" => count_of(row.figures.failed, row.figures.retries),
        "AFTER A FAILURE THERE" => count(row.figures.failed_again),
    ];
    let first = layout.first(&shown);
    Table::new(first, &columns).whole().write(out, layout);
    let more = summary.nodes.count.saturating_sub(first.len() as u64);
    if more > 0 {
        let what = if more == 1 { "node has a failed retry" } else { "nodes have failed retries" };
        let wide = if layout.wide { "" } else { ": -o wide" };
        let _ = writeln!(out, "({} more {what}{wide})", count(more));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Style;
    use replay::simulate::{
        DisruptionReport, NodeFigures, NodesReport, OutcomeReport, PolicyReport, RangeReport,
        RuleFigures, RuleReport, SummaryReport,
    };
    use systems::description_of_engine;
    use unicode_width::UnicodeWidthStr;

    const RULES: u64 = 12;

    /// Retries of seven digits, which differ from those of other numbers.
    fn retries(number: u64) -> RetryReport {
        let (granted, recorded, succeeded) = (7_654_321 + number, 6_543_210 + number, 1_234_567);
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let hours = |runs| HoursReport { runs, hours: runs as f64 / 3.0, ..HoursReport::default() };
        let outcomes = |part: u64| OutcomeReport {
            granted: granted / part,
            recorded: recorded / part,
            unrecorded: granted / part - recorded / part,
            succeeded: succeeded / part,
            failed: recorded / part - succeeded / part,
            other: 0,
            success_rate: RateReport::of(succeeded / part, recorded / part),
            succeeded_hours: hours(succeeded / part),
            lost_hours: hours(recorded / part - succeeded / part),
        };
        let row =
            |retry: u32| NumberReport { retry: Some(retry), outcomes: outcomes(u64::from(retry)) };
        RetryReport {
            outcomes: outcomes(1),
            succeeded_range: RangeReport { least: succeeded, most: succeeded + granted - recorded },
            recovered_jobs: 1_011_012,
            disruptions: DisruptionReport { preempted: 2_345_678, ..DisruptionReport::default() },
            by_retry: (1..=21).map(row).collect(),
            ..RetryReport::default()
        }
    }

    fn summary() -> SummaryReport {
        let rule = |number: u64| RuleReport {
            policy: "ml-training".to_owned(),
            rule_index: usize::try_from(number).ok(),
            description: None,
            figures: RuleFigures::default(),
            retries: retries(number),
        };
        let node = |number: u64| NodeReport {
            node: format!("gpu-{number}.example.org"),
            cluster: None,
            figures: NodeFigures {
                retries: 4_321_098 - number,
                failed: 3_210_987 - number,
                failed_again: 1_098_765,
            },
        };
        let policy = PolicyReport { policy: "ml-training".to_owned(), retries: retries(RULES) };
        SummaryReport {
            by_rule: (0..RULES).map(rule).collect(),
            by_policy: vec![policy],
            by_retry: retries(0).by_retry,
            nodes: NodesReport {
                count: 1_234,
                worst: (0..20).map(node).collect(),
                ..NodesReport::default()
            },
            ..SummaryReport::default()
        }
    }

    fn render(width: Option<usize>, wide: bool) -> String {
        let layout = Layout { wide, headers: true, width, style: Style::Plain };
        let mut out = String::new();
        tables(&mut out, &summary(), description_of_engine("v1"), &layout);
        out
    }

    #[test]
    fn large_counts_fit_a_terminal() {
        for width in [80, 140] {
            let text = render(Some(width), false);
            assert!(text.lines().all(|line| line.width() <= width), "{text}");
            insta::with_settings!({
                snapshot_path => "../../tests/cli/snapshots",
                prepend_module_to_snapshot => false,
                omit_expression => true,
            }, {
                insta::assert_snapshot!(format!("retries_at_{width}"), text);
            });
        }
    }

    /// No width cuts a number: all groups of digits are those of a table as wide as it needs.
    #[test]
    fn no_width_cuts_a_number() {
        let numbers = |text: &str| -> Vec<String> {
            let runs = text.split(|letter: char| !letter.is_ascii_digit() && letter != ',');
            let mut runs: Vec<String> =
                runs.filter(|run| !run.is_empty()).map(str::to_owned).collect();
            runs.sort();
            runs.dedup();
            runs
        };
        let whole = numbers(&render(None, false).replace("95 %", ""));
        for width in [40, 60, 80, 140] {
            assert_eq!(numbers(&render(Some(width), false).replace("95 %", "")), whole);
        }
    }

    #[test]
    fn a_table_has_ten_rows_and_the_wide_one_all() {
        let text = render(None, false);
        assert_eq!(text.matches("\n(and 3 more rows: -o wide)\n").count(), 3, "{text}");
        assert!(text.contains("\n(1,224 more nodes have failed retries: -o wide)\n"), "{text}");
        assert!(text.contains("\n10+ "), "{text}");
        for table in text.split("\n\n") {
            let rows = table.lines().filter(|line| !line.is_empty() && !line.starts_with('('));
            assert_eq!(rows.count(), 11, "{table}");
        }
        let wide = render(None, true);
        assert!(wide.contains("\nml-training[11] ") && wide.contains("\n21+ "), "{wide}");
        assert!(wide.contains("\n(1,214 more nodes have failed retries)\n"), "{wide}");
    }
}
