//! Runs a changed document through its command lines, within this process.

use super::inputs;
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
    /// Whether it was simulated as an input of a simulation; `None` if it is not one.
    pub is_simulated: Option<bool>,
}

impl Outcome {
    /// Runs something; a panic or a run that takes too long is a fault.
    fn guard<T>(&mut self, shown: &str, work: impl FnOnce() -> T) -> Option<T> {
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(work));
        let took = start.elapsed();
        self.longest = self.longest.max(took);
        if result.is_err() {
            self.faults.push(format!("panic: {shown}"));
        } else if took > LONGEST {
            self.faults.push(format!("{took:?}: {shown}"));
        }
        result.ok()
    }
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

    /// Runs a document's command lines, and simulates it if it is an input of a simulation; `begin`
    /// and `end` surround each.
    pub fn run(&self, number: u64, begin: impl Fn(), end: impl Fn()) -> Outcome {
        let (file, lines) = self.prepare(number);
        let mut outcome = Outcome::default();
        for line in lines {
            begin();
            let words = line.iter().map(std::ffi::OsString::from);
            let shown = line.join(" ");
            let exit =
                outcome.guard(&shown, || armadactl::internals::commands::run_silently(words));
            end();
            match exit.map(armadactl::internals::cli::Exit::code) {
                Some(code) if CODES.contains(&code) => outcome.codes.push((line, code)),
                Some(code) => outcome.faults.push(format!("exit {code}: {shown}")),
                None => {}
            }
        }
        begin();
        let bytes = std::fs::read(&file).unwrap_or_default();
        let shown = format!("simulation of {}", file.display());
        let simulate = || inputs::simulate(self.root, &bytes);
        outcome.is_simulated = outcome.guard(&shown, simulate).flatten();
        end();
        // The next document may have another ending; this one must not be left beside it.
        if outcome.faults.is_empty() {
            let _ = std::fs::remove_file(file);
        }
        outcome
    }
}
