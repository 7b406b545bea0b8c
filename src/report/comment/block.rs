//! The parts of a section, and its limit.

use super::text::{self, lines};
use crate::report::figures::count;

/// The most characters of a section: five of them, with their marks, fit into a comment of 65,536.
const MOST: usize = 13_000;

/// The most characters of its foot: those of a long command line and of 30 files.
const MOST_OF_FOOT: usize = 6_000;

/// The end of a section that had to be shortened.
const SHORTENED: &str =
    "_Shortened: a comment has at most 65,536 characters. The output of the command has all._\n";

/// A part of a section: a paragraph, a list or a table. Only its lines can be left out.
#[derive(Debug, Clone, Default)]
pub(in crate::report) struct Block {
    head: String,
    lines: Vec<String>,
    tail: String,
}

impl Block {
    /// A paragraph or a heading. The text is Markdown.
    pub(in crate::report) fn paragraph(text: &str) -> Self {
        Self { head: format!("{text}\n"), ..Self::default() }
    }

    /// A list. Each item is Markdown.
    pub(in crate::report) fn list(items: impl IntoIterator<Item = String>) -> Self {
        let lines = items.into_iter().map(|item| format!("- {item}\n")).collect();
        Self { lines, ..Self::default() }
    }

    /// Lines of text as they are, between fences that no line of them ends.
    pub(in crate::report) fn fenced(lines: &[String]) -> Self {
        let lines: Vec<String> = lines.iter().map(|line| text::plain(line) + "\n").collect();
        let is_other = |character| character != '`';
        let longest = lines.iter().flat_map(|line| line.split(is_other)).map(str::len).max();
        // Longer than any run of marks in the lines, and of three at least (CommonMark 0.31, section 4.5).
        let fence = "`".repeat(longest.unwrap_or_default().max(2) + 1);
        Self { head: format!("{fence}text\n"), lines, tail: format!("{fence}\n") }
    }

    /// A table: its headers, each with whether the cells below it are right-aligned, and its rows. All texts are Markdown.
    pub(in crate::report) fn table(
        headers: impl Iterator<Item = (String, bool)>,
        rows: impl Iterator<Item = Vec<String>>,
    ) -> Self {
        let mark = |is_right: bool| if is_right { "---:" } else { "---" }.to_owned();
        let (headers, marks): (Vec<String>, Vec<String>) =
            headers.map(|(header, is_right)| (header, mark(is_right))).unzip();
        let head = row(headers.into_iter()) + &row(marks.into_iter());
        let lines = rows.map(|cells| row(cells.into_iter())).collect();
        Self { head, lines, tail: String::new() }
    }

    /// Blocks one after the other. All of their lines can be left out, from the last one on.
    pub(in crate::report) fn join(blocks: impl IntoIterator<Item = Self>) -> Self {
        let mut lines = Vec::new();
        for block in blocks {
            lines.extend((!lines.is_empty()).then(|| "\n".to_owned()));
            lines.extend([block.head].into_iter().chain(block.lines).chain([block.tail]));
        }
        Self { lines, ..Self::default() }
    }

    /// The block with a line below it, apart from it.
    pub(in crate::report) fn followed_by(self, text: &str) -> Self {
        Self { tail: format!("{}\n{text}\n", self.tail), ..self }
    }

    /// The block behind a line that opens it. The line is Markdown.
    pub(in crate::report) fn folded(self, summary: &str) -> Self {
        Self {
            head: format!("<details><summary>{summary}</summary>\n\n{}", self.head),
            lines: self.lines,
            tail: format!("{}\n</details>\n", self.tail),
        }
    }

    /// The block as text, with the first of its lines up to a number of characters; `None` if that is none of them.
    fn text(&self, room: usize) -> Option<(String, bool)> {
        let room = room.checked_sub(characters(&self.head) + characters(&self.tail))?;
        let mut length = 0;
        let fits = |line: &&String| {
            length += characters(line);
            length <= room
        };
        let shown: Vec<&str> = self.lines.iter().take_while(fits).map(String::as_str).collect();
        if shown.is_empty() && !self.lines.is_empty() {
            return None;
        }
        let text = format!("{}{}{}", self.head, shown.concat(), self.tail);
        Some((text, shown.len() < self.lines.len()))
    }
}

/// The blocks of a section, and its foot, as far as they fit. What is left out is said before the foot.
pub(in crate::report) fn fit(blocks: &[Block], foot: Option<&Block>) -> String {
    let (foot, is_foot_cut) = foot.and_then(|foot| foot.text(MOST_OF_FOOT)).unwrap_or_default();
    let foot = if foot.is_empty() { foot } else { format!("\n{foot}") };
    let mut room = MOST - characters(&foot) - characters(SHORTENED) - 1;
    let (mut texts, mut is_shortened) = (Vec::new(), is_foot_cut);
    for block in blocks {
        let Some((text, is_cut)) = block.text(room) else {
            is_shortened = true;
            continue;
        };
        room -= (characters(&text) + 1).min(room);
        is_shortened |= is_cut;
        texts.push(text);
    }
    if is_shortened {
        texts.push(SHORTENED.to_owned());
    }
    texts.join("\n") + &foot
}

fn row(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

/// The number of characters, as GitHub counts them.
fn characters(text: &str) -> usize {
    text.chars().count()
}

/// The most rows of a table.
const MOST_ROWS: usize = 30;

/// A table of the first rows, with the number of the others; none without rows.
pub(super) fn table(
    headers: &[&str],
    noun: &str,
    rows: impl Iterator<Item = Vec<String>>,
) -> Option<Block> {
    let rows: Vec<Vec<String>> = rows.collect();
    let shown = &rows[..rows.len().min(MOST_ROWS)];
    let headers = headers.iter().map(|header| ((*header).to_owned(), false));
    let cells = shown.iter().map(|row| row.iter().map(|cell| lines(cell)).collect());
    let block = Block::table(headers, cells);
    match rows.len() - shown.len() {
        _ if rows.is_empty() => None,
        0 => Some(block),
        left => Some(block.followed_by(&format!("{} more {noun}", count(left as u64)))),
    }
}
