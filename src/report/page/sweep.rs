//! The section of a swept limit, with a row for each value: a part of the pages of replays and of clusters.

use super::chart::Tone;
use super::model::{Part, Reply, Section};
use super::numbers::{capitalised, cost_name, failed_cost_name};
use super::table::{Cell, ColumnKind, PageTable, RowRank};
use crate::report::answer::cells::{cost, mean, signed, value};
use crate::report::answer::frame::Answer;
use crate::report::answer::grid::Grid;
use crate::report::answer::sweep::swept_cost;
use replay::simulate::{SweptCost, SweptValue};

/// The section with a row for each value of a limit, which has a column of the answer. The value of the knee is marked.
pub(super) fn section(
    answer: &impl Answer,
    limit: &str,
    values: &[(SweptValue, usize)],
    knee: Option<u32>,
) -> Option<Section> {
    let table = table(answer, limit, values, knee);
    let remark = match knee {
        Some(_) => " The marked row is the knee: further retries bring little.",
        None => "",
    };
    let text = format!("The last columns are what a value adds to the one before it.{remark}");
    Section::new("How many retries?", text, [Part::Table(table)]).map(Section::unfolded)
}

fn table(
    answer: &impl Answer,
    limit: &str,
    values: &[(SweptValue, usize)],
    knee: Option<u32>,
) -> PageTable {
    // A simulated cluster has no unresolved jobs.
    let has_unresolved = answer.row("jobsUnresolved").is_some();
    let mut table = columns(answer, limit, has_unresolved);
    let row = |id: &str, column: usize| value(answer, id, column);
    let costs: Vec<SweptCost> = values.iter().map(|own| swept_cost(answer, *own)).collect();
    let prices: Vec<Option<f64>> = [None]
        .into_iter()
        .chain(costs.iter().zip(costs.iter().skip(1)).map(|(one, next)| one.price_of(next)))
        .collect();
    let most = |of: fn(&SweptCost) -> f64| costs.iter().map(of).fold(0.0, f64::max);
    let most_price = prices.iter().flatten().copied().fold(0.0, f64::max);
    for (at, (own, price)) in costs.iter().zip(&prices).enumerate() {
        let column = values[at].1;
        let further = at.checked_sub(1).map(|before| own.recovered - costs[before].recovered);
        let is_knee = knee.is_some() && own.value.as_count() == knee;
        let rank = if is_knee { RowRank::Flagged } else { RowRank::Plain };
        let at_most = mean(own.recovered + row("jobsUnresolved", column));
        let at_most = has_unresolved.then_some(Cell::Number(at_most));
        let cells = [
            Cell::Strong(own.value.to_string()),
            Cell::Number(mean(row("retries", column))),
            Cell::bar(own.recovered, most(|it| it.recovered), Tone::Good),
            Cell::Number(mean(own.recovered)),
            Cell::bar(own.failed, most(|it| it.failed), Tone::Bad),
            Cell::Number(cost(answer, own.failed)),
            further.map_or(Cell::Empty, |jobs| Cell::Number(signed(jobs, mean(jobs)))),
            Cell::bar(price.unwrap_or_default(), most_price, Tone::Bad),
            match (further, price) {
                (None, _) => Cell::Empty,
                (Some(0.0), _) => Cell::Number("none".to_owned()),
                (_, price) => Cell::number(price.map(|price| cost(answer, price))),
            },
        ];
        table.ranked_row(cells.into_iter().chain(at_most), rank);
    }
    table
}

/// The table of a limit, without rows.
fn columns(answer: &impl Answer, limit: &str, has_unresolved: bool) -> PageTable {
    let unit = answer.unit();
    let table = PageTable::new(format!("What each further {limit} brings"))
        .column(limit, ColumnKind::Number)
        .optional("Retries", ColumnKind::Number)
        .optional("", ColumnKind::Marks)
        .column("Jobs recovered", ColumnKind::Number)
        .optional("", ColumnKind::Marks)
        .column(capitalised(&failed_cost_name(unit)), ColumnKind::Number)
        .column("Further jobs", ColumnKind::Number)
        .column("", ColumnKind::Marks)
        .column(format!("{} for each", capitalised(cost_name(unit))), ColumnKind::Number);
    if has_unresolved {
        return table.optional("Jobs recovered at most", ColumnKind::Number);
    }
    table
}

/// The section with a row for each value of the first limit. The pair to take is emphasised.
pub(super) fn grid_section(answer: &impl Answer, grid: &Grid<'_>) -> Option<Section> {
    let [first, second] = grid.limits;
    let choice = grid.choice(answer);
    let mut table = PageTable::new(format!("Jobs recovered by {first} and {second}"))
        .column(first, ColumnKind::Number);
    for value in grid.columns() {
        table = table.column(format!("{second} {value}"), ColumnKind::Number);
    }
    for (row, costs) in grid.rows(answer) {
        let is_chosen_row = choice.as_ref().is_some_and(|choice| choice.row == row);
        let cells = costs.iter().map(|it| {
            let text = format!("{} / {}", mean(it.recovered), cost(answer, it.failed));
            let chosen = choice.as_ref().filter(|_| is_chosen_row).map(|it| it.chosen.value);
            if chosen == Some(it.value) { Cell::Strong(text) } else { Cell::Number(text) }
        });
        let rank = if is_chosen_row { RowRank::Flagged } else { RowRank::Plain };
        table.ranked_row(std::iter::once(Cell::Number(row.to_string())).chain(cells), rank);
    }
    let text = format!(
        "Jobs recovered / {}. The marked row has the cheapest pair of values that recovers nearly all of the jobs \
         that the best one recovers.",
        failed_cost_name(answer.unit())
    );
    Section::new("How many retries?", text, [Part::Table(table)]).map(Section::unfolded)
}

/// The questions that a grid answers.
pub(super) fn grid_questions(answer: &impl Answer, grid: &Grid<'_>) -> Vec<Reply> {
    let [first, second] = grid.limits;
    let question = "What to change";
    vec![match grid.choice(answer) {
        Some(choice) => Reply {
            question,
            answer: format!(
                "Set {first} to {} and {second} to {}.",
                choice.row, choice.chosen.value
            ),
            figures: choice.figures(answer),
        },
        None => Reply {
            question,
            answer: "No job recovers by any pair of values.".to_owned(),
            figures: String::new(),
        },
    }]
}
