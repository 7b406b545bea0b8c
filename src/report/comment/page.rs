//! A page as the section of a command: its sentences and its tables. Its pictures are left out: a comment has no place for
//! their files.

use super::block::{Block, fit};
use super::text::{code, command as command_line, inline, long};
use crate::report::page::chart::{Filling, Tone};
use crate::report::page::table::{Cell, Column, ColumnKind, PageTable, Row, RowRank};
use crate::report::page::{Line, Page, Part, Picture, Reply, Section};

/// Writes the section: the headline, the size, the questions, the sections with the answer, the others folded, and the
/// sources.
pub fn markdown(page: &Page) -> String {
    let paragraph = |text: &String| {
        Some(text).filter(|text| !text.is_empty()).map(|text| Block::paragraph(&long(text)))
    };
    let mut blocks = vec![Block::paragraph(&format!("### {}", long(&page.headline)))];
    blocks.extend([&page.second_headline, &page.context].into_iter().filter_map(paragraph));
    blocks.extend(list(page.warnings.iter().chain(page.assertions.iter().map(|(line, _)| line))));
    // Paragraphs: a second list would be a part of the first one.
    blocks.extend(page.questions.iter().map(question));
    blocks.extend(page.picture.iter().flat_map(picture));
    let (unfolded, folded): (Vec<_>, Vec<_>) =
        page.sections.iter().partition(|section| section.is_unfolded);
    blocks.extend(unfolded.into_iter().chain(folded).flat_map(section));
    blocks.extend(list(&page.notes).map(|notes| notes.folded("Notes")));
    fit(&blocks, Some(&foot(page)))
}

fn question(Reply { question, answer, figures }: &Reply) -> Block {
    let colon = if question.ends_with('?') { "" } else { ":" };
    let text = format!("{answer} {figures}");
    Block::paragraph(&format!("**{}{colon}** {}", inline(question), long(text.trim_end())))
}

/// A list of sentences; `None` without any.
fn list<'t>(texts: impl IntoIterator<Item = &'t String>) -> Option<Block> {
    let items: Vec<String> = texts.into_iter().map(|text| long(text)).collect();
    (!items.is_empty()).then(|| Block::list(items))
}

/// A section; none if it has pictures alone.
fn section(section: &Section) -> Vec<Block> {
    let mut blocks: Vec<Block> = section.parts.iter().flat_map(part).collect();
    if blocks.is_empty() {
        return blocks;
    }
    let title =
        section.is_unfolded.then(|| Block::paragraph(&format!("**{}**", inline(&section.title))));
    let text = Some(&section.text).filter(|text| !text.is_empty());
    let text = text.map(|text| Block::paragraph(&inline(text)));
    blocks.splice(0..0, title.into_iter().chain(text));
    if section.is_unfolded {
        return blocks;
    }
    vec![Block::join(blocks).folded(&inline(&section.title))]
}

fn part(part: &Part) -> Vec<Block> {
    match part {
        Part::Table(table) => vec![self::table(table)],
        Part::Picture(picture) => self::picture(picture),
        Part::Beside(parts) => parts.iter().flat_map(self::part).collect(),
        Part::Titled(title, text, table) => {
            let title = Block::paragraph(&format!("**{}**", inline(title)));
            let text = Some(text).filter(|text| !text.is_empty());
            let text = text.map(|text| Block::paragraph(&inline(text)));
            [Some(title), text, Some(self::table(table))].into_iter().flatten().collect()
        }
        Part::Sentence(sentence) => vec![Block::paragraph(&inline(sentence))],
        Part::Sentences(all) => list(all).into_iter().collect(),
        Part::Listing(lines) => vec![listing(lines)],
    }
}

/// The table of a picture that the page shows open; one that it folds is left out with the picture.
fn picture(picture: &Picture) -> Vec<Block> {
    let table = picture.table.as_ref().filter(|_| picture.is_open);
    let title = || Block::paragraph(&format!("**{}**", inline(&picture.title)));
    table.map(|table| vec![title(), self::table(table)]).unwrap_or_default()
}

/// A text of a file. One line is a command.
fn listing(lines: &[Line]) -> Block {
    if let [line] = lines {
        return Block::paragraph(&command_line(&line.text));
    }
    let lines = lines.iter().map(|line| line.text.clone());
    Block::fenced(&lines.collect::<Vec<_>>())
}

/// A table. Bars are in the cells of their numbers; intervals have columns of numbers.
fn table(table: &PageTable) -> Block {
    let columns = table.columns.iter().enumerate();
    let columns = columns.filter(|(_, column)| column.kind != ColumnKind::Marks);
    let columns: Vec<(usize, &Column)> = columns.collect();
    let headers = columns.iter();
    let headers = headers.map(|(_, it)| (inline(&it.header), it.kind == ColumnKind::Number));
    let cell = |row: &Row, at: usize| {
        let bar = at.checked_sub(1).and_then(|before| row.cells.get(before));
        let bar = bar.map(bars).filter(|bar| !bar.is_empty()).map(|bar| bar + " ");
        bar.unwrap_or_default() + &row.cells.get(at).map(self::cell).unwrap_or_default()
    };
    let cells = |row: &Row| {
        let mut cells: Vec<String> = columns.iter().map(|(at, _)| cell(row, *at)).collect();
        if let (RowRank::Flagged, Some(first)) = (row.rank, cells.first_mut()) {
            first.insert_str(0, "▸ ");
        }
        cells
    };
    let block = Block::table(headers, table.rows.iter().map(cells));
    match &table.more {
        Some(more) => block.followed_by(&inline(more)),
        None => block,
    }
}

/// The longest bar in characters.
const BAR: f64 = 12.0;

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Empty | Cell::Interval { .. } | Cell::Bars(_) => String::new(),
        Cell::Text(text) | Cell::Number(text) => inline(text),
        Cell::Strong(text) => format!("**{}**", inline(text)),
        Cell::Code { name, words } if words.is_empty() => code(name),
        Cell::Code { name, words } => format!("{} {}", code(name), inline(words)),
        Cell::Difference { value, difference, is_better } => {
            let mark = match is_better {
                Some(true) => " ▲",
                Some(false) => " ▼",
                None => "",
            };
            format!("{} ({}){mark}", inline(value), inline(difference))
        }
    }
}

/// The bars of a cell; empty for other cells.
fn bars(cell: &Cell) -> String {
    match cell {
        Cell::Bars(bars) => bars.iter().map(|(length, filling)| bar(*length, *filling)).collect(),
        _ => String::new(),
    }
}

/// A bar of characters, a pale one of what is neither good nor bad; none of no length, else one character at least.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of the longest bar is between 0 and 1"
)]
fn bar(length: f64, filling: Filling) -> String {
    let characters = (length.clamp(0.0, 1.0) * BAR).round() as usize;
    let character = match filling {
        Filling::Solid(Tone::Unknown) | Filling::Hatched(_) | Filling::Dashed => "░",
        Filling::Solid(_) => "█",
    };
    character.repeat(if length > 0.0 { characters.max(1) } else { 0 })
}

/// The sources: those of several texts as a folded list, the command line and the others in a small line.
fn foot(page: &Page) -> Block {
    let (several, single): (Vec<_>, Vec<_>) =
        page.sources.iter().partition(|(_, texts)| texts.len() > 1);
    let command = Some(&page.command).filter(|text| !text.is_empty());
    let command = command.map(|text| format!("Command: {}", command_line(text)));
    let texts = single.iter().map(|(name, texts)| format!("{name}: {}", long(&texts.concat())));
    let line = command.into_iter().chain(texts).collect::<Vec<_>>().join(" · ");
    let line = format!("<sub>{line}</sub>");
    match several.as_slice() {
        // Files alone have several texts. Only items of the list can be left out.
        [(name, texts)] => Block::list(texts.iter().map(|text| inline(text)))
            .folded(&inline(name))
            .followed_by(&line),
        _ => Block::paragraph(&line),
    }
}
