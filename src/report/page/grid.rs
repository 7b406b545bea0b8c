//! The section of a grid of two swept limits: a part of the pages of replays and of clusters.

use super::model::{Part, Reply, Section};
use super::numbers::failed_cost_name;
use super::table::{Cell, ColumnKind, PageTable, RowRank};
use crate::report::answer::cells::{cost, mean};
use crate::report::answer::frame::Answer;
use crate::report::answer::grid::Grid;

/// The section with a row for each value of the first limit. The pair to take is emphasised.
pub(super) fn section(answer: &impl Answer, grid: &Grid<'_>) -> Option<Section> {
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
pub(super) fn questions(answer: &impl Answer, grid: &Grid<'_>) -> Vec<Reply> {
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
