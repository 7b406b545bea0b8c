//! The rules of a set of policies: what each costs and recovers.

use crate::report::answer::cells::cost;
use crate::report::decision_line::label;
use crate::report::figures::count;
use crate::report::page::chart::Tone;
use crate::report::page::charts::rules::{Piece, chart};
use crate::report::page::model::{Part, Picture, Section};
use crate::report::page::numbers::{capitalised, failed_cost_name, float};
use crate::report::page::table::{Cell, ColumnKind, PageTable, RowRank, more};
use replay::simulate::{
    AdviceReport, AnswerReport, CostUnit, FlaggedRule, RetryReport, SimulationReport, SummaryReport,
};
use systems::description_of_engine;

/// The most rows of the table.
const ROWS: usize = 20;

/// A rule, a default, or what no rule granted.
struct RuleRow<'s> {
    name: String,
    words: String,
    matched: Option<u64>,
    retries: &'s RetryReport,
    is_flagged: bool,
}

/// The rows of a summary.
fn rows<'s>(
    summary: &'s SummaryReport,
    flagged: Option<&FlaggedRule>,
    engine: &str,
) -> Vec<RuleRow<'s>> {
    let system = description_of_engine(engine);
    let is_flagged = |policy: &str, index: Option<usize>| {
        flagged.is_some_and(|it| it.policy == policy && it.rule_index == index)
    };
    let rules = summary.by_rule.iter().map(|row| RuleRow {
        name: label(system, &row.policy, row.rule_index),
        words: row.description.clone().unwrap_or_default(),
        matched: Some(row.figures.matched),
        retries: &row.retries,
        is_flagged: is_flagged(&row.policy, row.rule_index),
    });
    let no_rule = summary.by_no_rule.iter().map(|retries| RuleRow {
        name: "no rule".to_owned(),
        words: String::new(),
        matched: None,
        retries,
        is_flagged: false,
    });
    rules.chain(no_rule).collect()
}

/// The flagged rule of the advice.
pub(super) fn flagged(answer: &AnswerReport) -> Option<&FlaggedRule> {
    answer.advice.iter().find_map(|advice| match advice {
        AdviceReport::FlaggedRule(flagged) => Some(flagged),
        AdviceReport::Proposal(_) | AdviceReport::Knee(_) => None,
    })
}

/// The curve of the rules, if one of them has retries on record.
pub(super) fn picture(report: &SimulationReport) -> Option<Picture> {
    let answer = &report.answer;
    let pieces = rows(&report.summary, flagged(answer), &report.engine);
    let pieces = pieces.into_iter().map(|row| Piece {
        name: row.name,
        cost: answer.unit.of(&row.retries.outcomes.lost_hours),
        jobs: float(row.retries.recovered_jobs),
        is_flagged: row.is_flagged,
    });
    let chart = chart(pieces.collect(), answer, &failed_cost_name(answer.unit))?;
    let text =
        "The rules end to end: a steep piece is cheap, a flat one is expensive. Dashed: the mean.";
    Some(Picture::new(chart, text))
}

/// The section of a summary's rules.
pub(super) fn section(
    answer: &AnswerReport,
    summary: &SummaryReport,
    engine: &str,
    flagged: Option<&FlaggedRule>,
    title: &str,
) -> Option<Section> {
    let rows = rows(summary, flagged, engine);
    if rows.is_empty() {
        return None;
    }
    let text = "How many retries each rule grants, and what those on record came to.";
    Section::new(title, text, [Part::Table(table(answer, rows, title))])
}

fn table(answer: &AnswerReport, mut rows: Vec<RuleRow<'_>>, caption: &str) -> PageTable {
    let unit = answer.unit;
    let failed = |row: &RuleRow<'_>| unit.of(&row.retries.outcomes.lost_hours);
    // Equal rows keep the order of the policies.
    rows.sort_by(|one, other| {
        let by_cost = failed(other).total_cmp(&failed(one));
        by_cost.then_with(|| other.retries.outcomes.granted.cmp(&one.retries.outcomes.granted))
    });
    let mut table = columns(unit, caption);
    let most_cost = rows.iter().map(failed).fold(0.0, f64::max);
    let granted = |row: &RuleRow<'_>| row.retries.outcomes.granted;
    let most_granted = rows.iter().map(granted).max().unwrap_or_default();
    for row in rows.iter().take(ROWS) {
        let outcomes = &row.retries.outcomes;
        let [dot, share, interval] = Cell::rate(outcomes.success_rate.as_ref(), None, Tone::Good);
        let is_recorded = outcomes.recorded > 0;
        let rank = if row.is_flagged { RowRank::Flagged } else { RowRank::Plain };
        let jobs = row.retries.recovered_jobs;
        let price = (jobs > 0).then(|| failed(row) / float(jobs));
        let cells = [
            Cell::Code { name: row.name.clone(), words: row.words.clone() },
            Cell::number(row.matched.map(count)),
            Cell::bar(float(granted(row)), float(most_granted), Tone::Unknown),
            Cell::Number(count(granted(row))),
            dot,
            share,
            interval,
            Cell::bar(failed(row), most_cost, Tone::Bad),
            Cell::number(is_recorded.then(|| cost(answer, failed(row)))),
            match (is_recorded, price) {
                (true, None) => Cell::Number("none recovered".to_owned()),
                (_, price) => {
                    price.map_or(Cell::number(None), |price| Cell::Strong(cost(answer, price)))
                }
            },
            Cell::number(is_recorded.then(|| count(jobs))),
        ];
        table.ranked_row(cells, rank);
    }
    table.more = more(rows.len().saturating_sub(ROWS), "rule");
    if rows.len() > 1 {
        table.ranked_row(sum(answer, &rows), RowRank::Sum);
    }
    table
}

/// The table without rows.
fn columns(unit: CostUnit, caption: &str) -> PageTable {
    PageTable::new(caption)
        .column("Rule", ColumnKind::Text)
        .optional("Failures", ColumnKind::Number)
        .optional("", ColumnKind::Marks)
        .column("Retries", ColumnKind::Number)
        .column("", ColumnKind::Marks)
        .column("Succeeded", ColumnKind::Number)
        .optional("95 % interval", ColumnKind::Number)
        .optional("", ColumnKind::Marks)
        .column(capitalised(&failed_cost_name(unit)), ColumnKind::Number)
        .column("for each recovered job", ColumnKind::Number)
        .column("Jobs recovered", ColumnKind::Number)
}

/// The sum of all rows.
fn sum(answer: &AnswerReport, rows: &[RuleRow<'_>]) -> [Cell; 11] {
    let all = |of: fn(&RuleRow<'_>) -> u64| rows.iter().map(of).sum::<u64>();
    let failed: f64 = rows.iter().map(|row| answer.unit.of(&row.retries.outcomes.lost_hours)).sum();
    let jobs = all(|row| row.retries.recovered_jobs);
    let price = (jobs > 0).then(|| cost(answer, failed / float(jobs)));
    [
        Cell::text("all"),
        Cell::Number(count(all(|row| row.matched.unwrap_or_default()))),
        Cell::Empty,
        Cell::Number(count(all(|row| row.retries.outcomes.granted))),
        Cell::Empty,
        Cell::Empty,
        Cell::Empty,
        Cell::Empty,
        Cell::Number(cost(answer, failed)),
        Cell::number(price),
        Cell::Number(count(jobs)),
    ]
}
