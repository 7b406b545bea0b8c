//! Tables at every width: no number is cut, no two rows become one.

use super::*;
use crate::findings::Style;
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

fn layout(width: Option<usize>) -> Layout {
    Layout { wide: false, headers: true, width, style: Style::Plain }
}

/// A table with columns that `amend` changes.
fn table_of<const N: usize>(
    titles: [&str; N],
    rows: &[[&str; N]],
    amend: impl Fn(usize, Head) -> Head,
) -> Table {
    let rows = rows.iter().map(|row| row.map(str::to_owned).to_vec());
    let heads = titles.into_iter().map(head).enumerate();
    Table::new(rows, &text_columns(heads.map(|(at, head)| amend(at, head))))
}

fn table() -> Table {
    let rows = [["", &"x".repeat(40)], ["\u{1b}[2J", "é"]];
    table_of(["A", "LONG"], &rows, |_, column| column)
}

#[test]
fn rows_are_lines_without_borders() {
    let text = table().render(&layout(None));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "A          LONG");
    assert_eq!(lines[1], format!("-          {}", "x".repeat(40)));
    assert_eq!(lines[2], "\\u{1b}[2J  é");
}

#[test]
fn a_narrow_terminal_goes_without_what_it_can() {
    let text = table_of(["A", "LONG"], &[["", &"x".repeat(40)]], |at, column| {
        if at == 1 { column.leave_out(1) } else { column }
    });
    let text = text.render(&layout(Some(30)));
    assert!(text.starts_with("A\n-\n"), "{text}");
    assert!(text.ends_with("(without LONG: the terminal is\n  narrow)\n"), "{text}");
}

#[test]
fn what_fits_to_the_last_column_is_whole() {
    let whole = table().render(&layout(None));
    let width = whole.lines().map(UnicodeWidthStr::width).max().unwrap();
    assert_eq!(width, 51);
    for wide in width - 8..width + 8 {
        let text = table().render(&layout(Some(wide)));
        let widest = text.lines().map(UnicodeWidthStr::width).max().unwrap();
        assert_eq!(widest, wide.min(width), "{text}");
        assert_eq!(text == whole, wide >= width, "{text}");
    }
}

#[test]
fn some_columns_are_cut_last() {
    let rows = [["a", &"x".repeat(30), &"y".repeat(30)]];
    let least = |at, column: Head| if at == 2 { column.at_least(20) } else { column };
    let cut = |width| table_of(["A", "B", "C"], &rows, least).render(&layout(Some(width)));
    assert!(cut(60).contains(&format!("  {}..", "y".repeat(25))), "{}", cut(60));
    assert!(cut(31).contains(&format!("xxxx..  {}..", "y".repeat(18))), "{}", cut(31));
    assert!(cut(30).contains(&format!("xxxx..  {}..", "y".repeat(17))), "{}", cut(30));
    let wide = table_of(["A", "B"], &[["a", "日本語日本語"]], |_, column| column);
    assert_eq!(wide.render(&layout(Some(12))), "A  B\na  日本語..\n");
}

#[test]
fn colours_do_not_move_cells() {
    let good = |cell: &&str| Some(*cell == "1").filter(|_| *cell != "-");
    let columns = columns![cell in &str;
        "A" => "1".to_owned(),
        head("B").right() => ((*cell).to_owned(), good(cell)),
        head("C").right() => ("1".to_owned(), good(cell)),
    ];
    let table = Table::new(["1", "11", "-"], &columns);
    let coloured = Layout { style: Style::Coloured, ..layout(None) };
    let text = table.clone().render(&coloured);
    assert_eq!(text.matches("\u{1b}[1m\u{1b}[32m1\u{1b}[0m").count(), 2, "{text}");
    assert_eq!(text.matches("\u{1b}[31m").count(), 2, "{text}");
    let plain = ["\u{1b}[1m", "\u{1b}[32m", "\u{1b}[31m", "\u{1b}[0m"];
    let plain = plain.iter().fold(text, |text, escape| text.replace(escape, ""));
    assert_eq!(plain, table.render(&layout(None)));
}

#[test]
fn a_narrow_terminal_cuts_the_widest_column() {
    let text = table().render(&layout(Some(30)));
    assert!(text.lines().all(|line| line.chars().count() <= 30), "{text}");
    assert!(text.contains(".."));
}

#[test]
fn a_number_is_never_cut() {
    let rows =
        [["exit 1378 of node-17", "112842", "3/10"], ["exit 1379 of node-18", "7", "10:04:12"]];
    let table = table_of(["MESSAGE", "RETRIES", "SHARE"], &rows, |_, column| column);
    let text = |width| table.clone().render(&layout(Some(width)));
    assert_eq!(
        text(31),
        "MESSAGE       RETRIES  SHARE\nexit 1378 ..  112842   3/10\nexit 1379 ..  7        10:04:12\n"
    );
    // At this width, the cut labels would be equal.
    assert_eq!(
        text(28),
        "MESSAGE\n  exit 1378 of node-17\nRETRIES  112842\nSHARE    3/10\n\n\
         MESSAGE\n  exit 1379 of node-18\nRETRIES  7\nSHARE    10:04:12\n"
    );
}

#[test]
fn rows_that_differ_in_any_column_still_do() {
    let rules = ["a", "b"].map(|end| "policy-".repeat(6) + end);
    let rows = [["fail", &rules[0], "7"], ["fail", &rules[1], "7"]];
    for is_left_out in [false, true] {
        let table = table_of(["LABEL", "RULE", "JOBS"], &rows, |at, column| {
            if is_left_out && at == 1 { column.leave_out(1) } else { column }
        });
        let text = table.render(&layout(Some(40)));
        assert!(text.starts_with("LABEL  fail\nRULE\n  policy-"), "{text}");
    }
}

/// The groups of digits in a text.
fn digits(text: &str) -> Vec<&str> {
    text.split(|letter: char| !letter.is_ascii_digit()).filter(|run| !run.is_empty()).collect()
}

proptest! {
    /// No width cuts a number or makes the labels of different rows equal.
    #[test]
    fn no_width_cuts_a_number_or_makes_two_rows_one(
        rows in prop::collection::vec(
            ("[a-c]{3,20}( in|)[0-9]{0,3}", "[0-9]{1,9}( \\(\\+[0-9]{1,4}\\))?", "([a-z]{1,9} ?[0-9./:]{0,7} ?){1,4}"),
            1..6,
        ),
        width in prop::sample::select(vec![20_usize, 40, 60, 80, 120]),
    ) {
        let cells = rows.iter().map(|(label, number, message)| [&**label, number, message, number]);
        let amend = |at, column: Head| match at {
            2 => column.at_least(12),
            3 => column.leave_out(1),
            _ => column,
        };
        let titles = ["LABEL", "NUMBER", "MESSAGE", "MORE"];
        let table = table_of(titles, &cells.collect::<Vec<_>>(), amend);
        let text = table.render(&layout(Some(width)));
        let whole: Vec<&str> = rows
            .iter()
            .flat_map(|(label, number, message)| [label, number, message])
            .flat_map(|cell| digits(cell))
            .collect();
        for run in digits(&text) {
            prop_assert!(whole.contains(&run), "{} in\n{}", run, text);
        }
        for (_, number, _) in &rows {
            prop_assert!(text.contains(number.as_str()), "{} in\n{}", number, text);
        }
        if text.starts_with("LABEL ") && text.lines().next().is_some_and(|line| line.contains("NUMBER")) {
            let mut labels: Vec<&String> = rows.iter().map(|(label, ..)| label).collect();
            labels.sort();
            labels.dedup();
            let end = text.find("NUMBER").unwrap();
            let lines = text.lines().skip(1).take(rows.len());
            let mut cut: Vec<&str> = lines.map(|line| line[..end].trim_end()).collect();
            cut.sort_unstable();
            cut.dedup();
            prop_assert_eq!(cut.len(), labels.len(), "{}", text);
        }
    }
}
