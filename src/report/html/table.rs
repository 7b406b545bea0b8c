//! The tables of a page.

use super::text::text;
use crate::report::page::chart::Filling;
use crate::report::page::table::{Cell, Column, ColumnKind, PageTable, Row, RowRank};
use crate::report::svg::{Percent, fill_class};
use document::diag::printable;
use maud::{Markup, html};

/// Writes a table, which has a number on its page.
pub(super) fn table(table: &PageTable, number: u32) -> Markup {
    let label = format!("{}, table {number}", printable(&table.caption));
    html! {
        div.scroll role="region" tabindex="0" aria-label=(label) {
            table.sort[table.is_sortable()].whole[table.is_wide()] {
                caption { (text(&table.caption)) }
                thead { tr { @for column in &table.columns { (header(column)) } } }
                tbody { @for row in &table.rows { (self::row(row, &table.columns)) } }
            }
        }
        @if let Some(more) = &table.more { p.more { (text(more)) } }
    }
}

/// The classes of the cells of a column.
fn classes(column: &Column) -> String {
    let kind = match column.kind {
        ColumnKind::Text => "",
        ColumnKind::Number => "n",
        ColumnKind::Marks => "marks",
    };
    let optional = if column.is_optional { "opt" } else { "" };
    format!("{kind} {optional}").trim().to_owned()
}

fn header(column: &Column) -> Markup {
    let class = Some(classes(column)).filter(|class| !class.is_empty());
    html! {
        @if column.header.is_empty() {
            td class=[class] {}
        } @else {
            th scope="col" class=[class] { (text(&column.header)) }
        }
    }
}

fn row(row: &Row, columns: &[Column]) -> Markup {
    let class = match row.rank {
        RowRank::Plain => None,
        RowRank::Flagged => Some("flag"),
        RowRank::Sum => Some("sum"),
    };
    html! {
        tr class=[class] {
            @for (at, (cell, column)) in row.cells.iter().zip(columns).enumerate() {
                @let class = Some(classes(column)).filter(|class| !class.is_empty());
                @if at == 0 {
                    th scope="row" class=[class] { (self::cell(cell)) }
                } @else {
                    td class=[class] { (self::cell(cell)) }
                }
            }
        }
    }
}

fn cell(cell: &Cell) -> Markup {
    match cell {
        Cell::Empty => html! {},
        Cell::Text(words) => text(words),
        Cell::Number(number) => html! { (printable(number)) },
        Cell::Strong(number) => html! { b { (printable(number)) } },
        Cell::Code { name, words } => html! {
            code { (printable(name)) }
            @if !words.is_empty() { span.words { (text(words)) } }
        },
        Cell::Difference { value, difference, is_better } => html! {
            (printable(value))
            span.change.better[*is_better == Some(true)].worse[*is_better == Some(false)] {
                (printable(difference))
            }
        },
        Cell::Bars(bars) => bars_cell(bars),
        Cell::Interval { rate, of_all, tone } => {
            let class = tone.class();
            let of_all = of_all.map(Percent);
            html! {
                svg.cell aria-hidden="true" width="100%" height="16" {
                    line class="s-grid" x1="0" x2="100%" y1="8" y2="8" {}
                    @if let Some(all) = of_all { line.ref x1=(all) x2=(all) y1="0" y2="16" {} }
                    line class={ "range s-" (class) } x1=(Percent(rate.low)) x2=(Percent(rate.high)) y1="8" y2="8" {}
                    circle class={ "f-" (class) } cx=(Percent(rate.share)) cy="8" r="4" {}
                }
            }
        }
    }
}

/// Bars one after the other.
fn bars_cell(bars: &[(f64, Filling)]) -> Markup {
    let starts = bars.iter().scan(0.0, |from, (length, _)| {
        let start = *from;
        *from += length;
        Some(start)
    });
    html! {
        svg.cell aria-hidden="true" width="100%" height="16" {
            @for (start, (length, filling)) in starts.zip(bars) {
                rect class=(fill_class(*filling)) x=(Percent(start)) y="2" width=(Percent(*length)) height="12" {}
            }
        }
    }
}
