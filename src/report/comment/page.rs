//! A page as the section of a command: its sentences and its tables. Its pictures are left out: a comment has no place for
//! their files.

use super::block::{Block, fit};
use super::text::{code, command, inline, long};
use crate::report::page::chart::{Filling, Tone};
use crate::report::page::table::{Cell, Column, ColumnKind, PageTable, Row};
use crate::report::page::{Line, Page, Part, Picture, Section};

/// Writes the section: the headline, the questions, the sections of the page, each folded but for the one with the answer,
/// and the sources.
pub fn markdown(page: &Page) -> String {
    let mut blocks = vec![Block::paragraph(&format!("### {}", long(&page.headline)))];
    let more = Some(&page.second_headline).filter(|text| !text.is_empty());
    blocks.extend(more.map(|text| Block::paragraph(&long(text))));
    blocks.extend(list(page.warnings.iter().chain(page.assertions.iter().map(|(line, _)| line))));
    let questions = page.questions.iter().map(|it| {
        let colon = if it.question.ends_with('?') { "" } else { ":" };
        let text = format!("{} {}", it.answer, it.figures);
        format!("**{}{colon}** {}", inline(it.question), long(text.trim_end()))
    });
    blocks.extend(items(questions.collect()));
    blocks.extend(page.picture.iter().flat_map(picture));
    blocks.extend(page.sections.iter().flat_map(section));
    blocks.extend(list(&page.notes).map(|notes| notes.folded("Notes")));
    fit(&blocks, Some(&foot(&page.sources)))
}

/// A list; `None` without any item.
fn items(items: Vec<String>) -> Option<Block> {
    (!items.is_empty()).then(|| Block::list(items))
}

/// A list of sentences; `None` without any.
fn list<'t>(texts: impl IntoIterator<Item = &'t String>) -> Option<Block> {
    items(texts.into_iter().map(|text| long(text)).collect())
}

/// A section; none if it has pictures alone.
fn section(section: &Section) -> Vec<Block> {
    let mut blocks: Vec<Block> = section.parts.iter().flat_map(part).collect();
    if blocks.is_empty() || section.is_open {
        return blocks;
    }
    let text = Some(&section.text).filter(|text| !text.is_empty());
    blocks.splice(0..0, text.map(|text| Block::paragraph(&inline(text))));
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

/// The table of a picture that is shown with it: a table that is folded away on a page has figures of other tables.
fn picture(picture: &Picture) -> Vec<Block> {
    let table = picture.table.as_ref().filter(|_| picture.is_open);
    let title = || Block::paragraph(&format!("**{}**", inline(&picture.title)));
    table.map(|table| vec![title(), self::table(table)]).unwrap_or_default()
}

/// A text of a file. One line is a command.
fn listing(lines: &[Line]) -> Block {
    if let [line] = lines {
        return Block::paragraph(&command(&line.text));
    }
    let lines = lines.iter().map(|line| line.text.clone());
    Block::fenced(&lines.collect::<Vec<_>>())
}

/// A table without the columns that a narrow page leaves out, and without marks but bars: the figures of intervals are
/// beside them.
fn table(table: &PageTable) -> Block {
    let has_bars = |at: usize| {
        let mut cells = table.rows.iter().filter_map(|row| row.cells.get(at));
        cells.any(|cell| matches!(cell, Cell::Bars(_)))
    };
    let is_shown = |(at, column): &(usize, &Column)| {
        !column.is_optional && (column.kind != ColumnKind::Marks || has_bars(*at))
    };
    let columns = table.columns.iter().enumerate().filter(is_shown);
    let columns: Vec<(usize, &Column)> = columns.collect();
    let headers = columns.iter();
    let headers = headers.map(|(_, it)| (inline(&it.header), it.kind == ColumnKind::Number));
    let cell = |row: &Row, at: usize| row.cells.get(at).map(self::cell).unwrap_or_default();
    let cells = |row: &Row| columns.iter().map(|(at, _)| cell(row, *at)).collect();
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
        Cell::Empty | Cell::Interval { .. } => String::new(),
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
        Cell::Bars(bars) => bars.iter().map(|(length, filling)| bar(*length, *filling)).collect(),
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

/// The sources: those of several texts as folded lists, the others in a small line.
fn foot(sources: &[(String, Vec<String>)]) -> Block {
    let (several, single): (Vec<_>, Vec<_>) =
        sources.iter().partition(|(_, texts)| texts.len() > 1);
    let list = |texts: &[String]| Block::list(texts.iter().map(|text| inline(text)));
    let lists = several.into_iter().map(|(name, texts)| list(texts).folded(&inline(name)));
    let texts = single.iter().map(|(name, texts)| format!("{name}: {}", long(&texts.concat())));
    let line = format!("<sub>{}</sub>", texts.collect::<Vec<_>>().join(" · "));
    Block::join(lists.chain([Block::paragraph(&line)]))
}
