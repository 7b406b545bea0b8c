//! The section of `compare`: the answer, then a table of the differences of each policy and queue.

use super::block::{Block, fit};
use super::table::table;
use super::text::{inline, long};
use crate::report::reported::RunFacts;
use crate::report::short_paths::ShortPaths;
use crate::report::{ComparedItem, ComparisonReport};

/// Renders the section.
pub(in crate::report) fn render(report: &ComparisonReport, run: &RunFacts) -> String {
    let paths = ShortPaths::new(run.paths.clone(), report.files());
    let sentences = report.sentences();
    let mut blocks = Vec::new();
    if let Some((answer, others)) = sentences.split_first() {
        blocks.push(Block::paragraph(&format!("### armadactl compare: {}", long(answer))));
        blocks.extend(others.iter().map(|text| Block::paragraph(&long(text))));
    }
    let notes = report.notes().map(|note| inline(&note.message));
    blocks.extend(notes.map(|note| Block::list([note])));
    for item in report.items() {
        blocks.extend(differences(item, report.has_recorded(), &paths));
        let unknown: Vec<String> =
            item.unknown().iter().map(|it| long(&paths.text(&it.text()))).collect();
        blocks.extend((!unknown.is_empty()).then(|| Block::list(unknown)));
    }
    fit(&blocks, None)
}

/// The name of an item, and a table of its differences; none without differences.
fn differences(item: &ComparedItem, has_recorded: bool, paths: &ShortPaths) -> Vec<Block> {
    let mut headers = vec!["difference", "example", "before", "after"];
    headers.extend(has_recorded.then_some("in history"));
    let rows = item.groups().iter().map(|group| {
        let mut row = vec![group.headline(), group.example()];
        row.extend(group.sides().map(|side| paths.text(&side)));
        row.extend(group.recorded().filter(|_| has_recorded));
        row
    });
    let name = format!("**{}**", inline(&item.label()));
    let table = table(&headers, "differences", rows);
    table.into_iter().flat_map(|table| [Block::paragraph(&name), table]).collect()
}
