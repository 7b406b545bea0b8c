//! The parts of an anonymized history: runs, new names, and counts of what a copy cannot hold.

use super::names::NameKind;
use crate::history::RunRecord;
use armada_retry::engine::JobFields;

/// A run with other names.
#[derive(Debug, Clone, Copy)]
pub struct AnonymousRun<'r> {
    /// The id of the job.
    pub job: &'r str,
    /// The queue; empty if the record has none.
    pub queue: &'r str,
    /// The fields of the job in the record.
    pub fields: &'r JobFields,
    /// The run.
    pub run: &'r RunRecord,
}

/// A name that was not replaced before.
#[derive(Debug, Clone, Copy)]
pub struct NewName<'n> {
    /// Its kind.
    pub kind: NameKind,
    /// The name in the history.
    pub from: &'n str,
    /// The name in the copy.
    pub to: &'n str,
}

/// Takes the copy, in the order of the history.
pub trait Output {
    /// Takes a run.
    fn run(&mut self, run: &AnonymousRun<'_>);

    /// Takes a name, before the first run with it.
    fn name(&mut self, name: &NewName<'_>);
}

/// The runs of a copy, and what it does not hold of the history.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// Jobs.
    pub jobs: usize,
    /// Runs.
    pub runs: usize,
    /// Messages that were replaced, each text once.
    pub messages: usize,
    /// Those of them that are matched by other patterns than before.
    pub other_matches: usize,
    /// The names of policies that were replaced, each time.
    pub renamed_policies: usize,
    /// Runs with a category, which stays.
    pub categories: usize,
    /// Annotations that nothing reads.
    pub annotations: usize,
    /// Runs with texts of Lookout's or of pods that only executors' configurations read.
    pub observed: usize,
    /// Runs of which the kind of the disruption is another one.
    pub disruptions: usize,
}
