//! Runs a changed document through its command lines, within this process.

use super::lines::command_lines;
use super::mutation::{Draw, Sample, document};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// No run may take longer.
pub const LONGEST: Duration = Duration::from_secs(10);
/// The exit codes there are.
pub const CODES: [u8; 9] = [0, 1, 2, 3, 4, 5, 6, 7, 130];

/// What the runs of one document came to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The command lines, and the exit code of each.
    pub codes: Vec<(Vec<String>, u8)>,
    /// The longest run.
    pub longest: Duration,
    /// What must not happen, with its command line.
    pub faults: Vec<String>,
}

/// Where documents are written for a worker, and from what they are made.
pub struct Bench<'a> {
    pub root: &'a Path,
    pub folder: &'a Path,
    pub samples: &'a [Sample],
    pub seed: u64,
    pub worker: usize,
}

impl Bench<'_> {
    /// The file of a document, and the command lines it is for.
    pub fn prepare(&self, number: u64) -> (PathBuf, Vec<Vec<String>>) {
        let mut draw = Draw::new(self.seed, number);
        let sample = document(self.samples, &mut draw);
        let file = self.folder.join(format!("worker-{}.{}", self.worker, sample.ending));
        if let Err(error) = std::fs::write(&file, &sample.bytes) {
            panic!("{}: {error}", file.display());
        }
        let lines = command_lines(self.root, &file, &sample.bytes, &mut draw);
        (file, lines)
    }

    /// Runs a document's command lines; `begin` and `end` surround each.
    pub fn run(&self, number: u64, begin: impl Fn(), end: impl Fn()) -> Outcome {
        let (file, lines) = self.prepare(number);
        let mut outcome = Outcome::default();
        for line in lines {
            begin();
            let start = Instant::now();
            let words = line.iter().map(std::ffi::OsString::from);
            let exit = catch_unwind(AssertUnwindSafe(|| armadactl::commands::run_silently(words)));
            let took = start.elapsed();
            end();
            outcome.longest = outcome.longest.max(took);
            let shown = line.join(" ");
            match exit {
                Err(_) => outcome.faults.push(format!("panic: {shown}")),
                Ok(exit) if !CODES.contains(&exit.code()) => {
                    outcome.faults.push(format!("exit {}: {shown}", exit.code()));
                }
                Ok(_) if took > LONGEST => outcome.faults.push(format!("{took:?}: {shown}")),
                Ok(exit) => outcome.codes.push((line, exit.code())),
            }
        }
        // The next document may have another ending; this one must not be left beside it.
        if outcome.faults.is_empty() {
            let _ = std::fs::remove_file(file);
        }
        outcome
    }
}
