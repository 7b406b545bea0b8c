//! What a thread has to itself while units take their runs.

use super::Units;
use crate::history::{MemberNames, MemberOrder, MemberRun, PieceUnread, Wrong};
use crate::simulate::names::Names;
use crate::simulate::replay::Replay;
use crate::simulate::summary::Summary;

/// What a thread keeps from one piece to the next.
pub(super) struct Worker<'e, E: Units> {
    pub(super) queues: MemberNames,
    pub(super) order: MemberOrder,
    /// Runs since somebody asked.
    pub(super) events: u64,
    pub(super) replays: Vec<Replay<'e, E>>,
    pub(super) summaries: Vec<Summary>,
    pub(super) troubles: Vec<Trouble>,
    /// Words that nothing reads, each time with the number of their piece in the batch.
    pub(super) unread: Vec<(usize, PieceUnread)>,
    /// Room for the numbers of units that are looked up together.
    pub(super) known: Vec<Option<usize>>,
    /// The runs that are read together, each over one that was read before.
    pub(super) runs: Vec<MemberRun<E::Own>>,
    /// Room for the first run of a unit, in a list as a member has it.
    pub(super) first: Vec<MemberRun<E::Own>>,
}

/// A line that somebody has to look at again.
#[derive(Debug)]
pub(super) struct Trouble {
    /// The number of its piece in the batch.
    pub(super) piece: usize,
    /// Where it begins in the piece.
    pub(super) at: usize,
    /// What is wrong with it; nothing if it is no record.
    pub(super) wrong: Option<Wrong>,
}

impl<'e, E: Units> Worker<'e, E> {
    pub(super) fn new(engines: &'e [E], names: &'e Names, seed: u64) -> Self {
        let replay = |engine| Replay::new(engine, names, false).seeded(seed);
        Self {
            queues: MemberNames::default(),
            order: MemberOrder::default(),
            events: 0,
            replays: engines.iter().map(replay).collect(),
            summaries: engines.iter().map(|engine| Summary::new(engine.rules().len())).collect(),
            troubles: Vec::new(),
            unread: Vec::new(),
            known: Vec::new(),
            runs: Vec::new(),
            first: Vec::new(),
        }
    }
}
