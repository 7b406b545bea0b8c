//! A change between the decisions of two engines, and what takes all changes.

use super::side::Side;
use crate::simulate::outcome::Outcome;

/// A decision or a job that differs from the first engine's.
#[derive(Debug)]
pub struct Change<'c> {
    /// The number of the other engine.
    pub engine: usize,
    /// The job.
    pub job: &'c str,
    /// Its queue; empty if the history names none.
    pub queue: &'c str,
    /// The change.
    pub kind: ChangeKind,
}

/// The difference.
#[derive(Debug)]
pub enum ChangeKind {
    /// A decision about the run of this index, under the first and the other engine.
    Decision(u32, Side, Side),
    /// The outcome of the job, under the first and the other engine.
    Job(Outcome, Outcome),
}

/// Takes all changes as lines of text.
pub trait ChangeLines: Sync {
    /// Appends the line of a change, with its end. Any thread calls it.
    fn format(&self, change: &Change<'_>, line: &mut Vec<u8>);

    /// Writes a line. Lines come in an order that does not depend on the number of threads.
    fn write(&self, line: &[u8]);
}

/// How the decisions of several engines are compared.
#[derive(Clone, Copy)]
pub struct CompareOptions<'c> {
    /// Number of samples of each kind of change.
    pub samples: usize,
    /// Takes all changes.
    pub lines: Option<&'c dyn ChangeLines>,
}
