//! The foot of a section: its sources. It has no time of day, no host and no absolute path, so that equal
//! inputs give equal bytes.

use super::block::Block;
use super::short_paths::ShortPaths;
use super::text::command;
use crate::report::figures::count;
use crate::report::table::Table;

/// The most files in the table of inputs.
const FILES: usize = 30;

/// The sources of a report but for histories.
#[derive(Debug, Clone)]
pub struct Provenance {
    /// The command line, without flags that change no figure.
    pub command: String,
    /// The files of policies and configuration.
    pub inputs: Vec<InputFile>,
    /// The names of the files of the command line.
    pub names: ShortPaths,
}

/// A file of policies or configuration.
#[derive(Debug, Clone)]
pub struct InputFile {
    /// The name of the set of policies; empty for a file of all sets.
    pub policies: String,
    /// The name, relative to the working directory.
    pub name: String,
    /// The SHA-256 in hexadecimal digits; `None` of standard input and of a pipe, which are read once.
    pub sha256: Option<String>,
}

impl Provenance {
    /// The foot of a section about these sources of figures.
    pub(super) fn block(&self, sources: &str) -> Block {
        let version = env!("CARGO_PKG_VERSION");
        let command = command(&self.command);
        let text = format!("<sub>armadactl {version}{sources} Command: {command}</sub>");
        if self.inputs.is_empty() {
            return Block::paragraph(&text);
        }
        let mut table = Table::new(vec!["policies", "file", "SHA-256"]);
        for file in self.inputs.iter().take(FILES) {
            let sha256 = file.sha256.clone().unwrap_or_default();
            table.row(vec![file.policies.clone(), file.name.clone(), sha256]);
        }
        let left = self.inputs.len().saturating_sub(FILES) as u64;
        let table = Block::table(&table);
        let table =
            if left > 0 { table.followed_by(&format!("{} more", count(left))) } else { table };
        table.folded("Inputs").followed_by(&text)
    }
}
