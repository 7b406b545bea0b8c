//! Notes on documents that the command does not use.

use crate::ui::Ui;
use anyhow::Result;
use armada_retry::policy::{self, Documents};
use document::diag::{Place, plural, printable};
use std::collections::BTreeMap;

/// Notes on documents that are neither policies nor queues.
pub fn other_documents(documents: &Documents) -> impl Iterator<Item = String> {
    let others = documents.others.iter().map(|other| {
        let place = other.document.place(other.document.root.span);
        format!("skipped the {} in {place}", other.kind)
    });
    others.chain(other_kinds(&documents.unread))
}

/// Prints the notes on documents that are neither policies nor queues.
pub fn note_other_documents(ui: &mut Ui, documents: &Documents) -> Result<()> {
    other_documents(documents).try_for_each(|message| Ok(ui.note(&format!("note: {message}"))?))
}

/// Prints which documents of other kinds are ignored: those of named files each by its place, those
/// of directories by their count.
pub fn note_ignored_documents(ui: &mut Ui, ignored: &[(String, Place)]) -> Result<()> {
    for (kind, place) in ignored {
        if !place.source.is_in_walk() {
            let what = match kind.as_str() {
                policy::WITHOUT_KIND => "a document without a kind".to_owned(),
                kind => format!("a {kind}"),
            };
            ui.note_at(place, "skipped", &what)?;
        }
    }
    let counts = other_kinds(ignored);
    counts.iter().try_for_each(|message| Ok(ui.note(&format!("note: {message}"))?))
}

/// Limit of files that a note about documents of other kinds names: a note is one line.
const MAX_FILES: usize = 3;

/// The note on documents of other kinds in directories; `None` if there are none.
fn other_kinds(ignored: &[(String, Place)]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut files: Vec<String> = Vec::new();
    for (kind, place) in ignored.iter().filter(|(_, place)| place.source.is_in_walk()) {
        *counts.entry(kind).or_default() += 1;
        let name = printable(place.source.name()).into_owned();
        if files.last() != Some(&name) {
            files.push(name);
        }
    }
    let total: usize = counts.values().sum();
    let kinds: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let kinds = kinds.join(", ");
    let more = match files.len().saturating_sub(MAX_FILES) {
        0 => String::new(),
        1 => " and 1 more file".to_owned(),
        more => format!(" and {more} more files"),
    };
    files.truncate(MAX_FILES);
    let files = files.join(", ");
    (total > 0).then(|| {
        let documents = plural(total, "document", "documents");
        format!("skipped {documents} of other kinds: {kinds} (in {files}{more})")
    })
}
