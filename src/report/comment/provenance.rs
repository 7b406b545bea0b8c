//! The foot of a section: its sources. It has no time of day, no host and no absolute path, so that equal
//! inputs give equal bytes.

use super::block::Block;
use super::short_paths::ShortPaths;
use super::text::command;
use crate::report::figures::{count, several};
use crate::report::table::Table;
use crate::simulate::AnswerReport;

/// The most files in the table of inputs.
const FILES: usize = 30;

/// The sources of a report.
#[derive(Debug, Clone)]
pub struct Provenance {
    /// The command line, without flags that change no figure.
    pub command: String,
    /// The seed of random values.
    pub seed: u64,
    /// The files of policies and configuration.
    pub inputs: Vec<InputFile>,
    /// The histories.
    pub history: HistoryFiles,
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

/// The histories.
#[derive(Debug, Clone, Default)]
pub struct HistoryFiles {
    /// Their number.
    pub files: u64,
    /// Their bytes; `None` if one of them is a stream, such as standard input.
    pub bytes: Option<u64>,
}

impl Provenance {
    /// The foot of the section about an answer.
    pub(in crate::report) fn block(&self, answer: &AnswerReport) -> Block {
        let mut engines: Vec<&str> =
            answer.columns.iter().filter_map(|column| column.engine.as_deref()).collect();
        engines.dedup();
        let engine = match engines.as_slice() {
            [] => String::new(),
            engines => format!(", engine {}", engines.join(", ")),
        };
        let period = answer.period.as_ref();
        let period = period.map(|period| format!(", from {} to {}", period.from, period.to));
        let history = match self.history.bytes {
            Some(bytes) => {
                format!("{} of {}", several(self.history.files, "file"), several(bytes, "byte"))
            }
            None => several(self.history.files, "stream or file"),
        };
        let text = format!(
            "<sub>armadactl {}{engine}, seed {}. History: {history}, {}{}. Command: {}</sub>",
            env!("CARGO_PKG_VERSION"),
            self.seed,
            several(answer.runs, "run"),
            period.unwrap_or_default(),
            command(&self.command),
        );
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
