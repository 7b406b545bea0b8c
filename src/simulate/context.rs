//! Data that the replay of every unit shares: the buffers of a thread, and the common facts of a unit.

use super::answer::RecordedRun;
use super::changes::{Decided, Reach};
use super::decision_note::DecisionNotes;
use super::engine::{Engine, Evaluation};
use super::names::{NameCache, Names};
use super::rng::Draws;
use super::summary::RunFacts;
use crate::history::{Member, RecordFields, Run};
use std::cell::Cell;

/// The engine, the buffers and the caches of a thread. It is made once and serves all units of the thread.
pub(crate) struct ReplayContext<'e, E: Engine> {
    pub(super) engine: &'e E,
    /// The engine's own buffers.
    pub(super) memory: E::Memory,
    /// The buffer of all evaluations, so that an evaluation allocates nothing.
    pub(super) answer: Evaluation<E::Decision>,
    /// Seed for random jitter.
    pub(super) seed: u64,
    /// The numbers of names so far.
    pub(super) names: NameCache<'e>,
    /// The decisions about the run that is judged, if engines are compared.
    pub(super) decided: Option<Vec<Decided>>,
    /// The notes of all decisions, if they are taken; boxed, since few replays take them.
    pub(super) notes: Option<Box<DecisionNotes<E>>>,
}

impl<'e, E: Engine> ReplayContext<'e, E> {
    /// A context for an engine. Summaries count by these `names`.
    pub(crate) fn new(engine: &'e E, names: &'e Names, seed: u64) -> Self {
        let (memory, answer) = (E::Memory::default(), Evaluation::default());
        Self {
            engine,
            memory,
            answer,
            seed,
            names: NameCache::new(names),
            decided: None,
            notes: None,
        }
    }

    /// The same context, which also notes the decisions about each run.
    #[must_use]
    pub(super) fn with_decisions(self) -> Self {
        Self { decided: Some(Vec::new()), ..self }
    }

    /// The same context, which also takes a note of each decision.
    #[must_use]
    pub(super) fn with_notes(self) -> Self {
        Self { notes: Some(Box::default()), ..self }
    }

    /// The engine.
    pub(crate) fn engine(&self) -> &'e E {
        self.engine
    }

    /// The number of the kind of the failure that ended a unit when a run was judged: that of the run, unless a deadline
    /// passed before its end.
    pub(super) fn failure_kind(
        &mut self,
        run: &Run<E::Fields>,
        recorded: Option<&RecordedRun>,
        reach: Reach,
    ) -> u32 {
        match recorded {
            _ if reach != Reach::Reached => self.names.deadline(),
            Some(recorded) => recorded.kind,
            None => self.names.kind(&self.engine.labels(run)),
        }
    }

    /// The random numbers of a unit, if its engine draws.
    pub(super) fn draws(&self, id: &str) -> Option<Draws> {
        E::DRAWS.then(|| Draws::of(self.seed, id))
    }

    /// The number of the node of a run. Lines name it apart from their run, which has a node only if it is kept or
    /// if the engine reads it.
    pub(super) fn node(&mut self, of_line: RunNode<'_>, run: &Run<E::Fields>) -> Option<u32> {
        let node = run.node.as_deref().or(of_line.node)?;
        self.names.node(run.cluster.as_deref().or(of_line.cluster), node)
    }
}

/// The node and the cluster of a line.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RunNode<'r> {
    pub(crate) node: Option<&'r str>,
    pub(crate) cluster: Option<&'r str>,
}

/// A unit, for the time that one of its runs is judged.
pub(crate) struct UnitContext<'u, F: RecordFields> {
    /// Its id.
    pub(crate) id: &'u str,
    /// The number of its queue.
    pub(crate) queue: u32,
    /// The fields of its records.
    pub(crate) fields: &'u F::Unit,
    /// The position of its first record in the history; orders examples of contradictions.
    pub(crate) position: u64,
    /// The node of the run, if the run comes from a line.
    pub(crate) node: RunNode<'u>,
    /// The member, if a timeline is written.
    pub(crate) timeline: Option<&'u Member<F>>,
    /// The facts of the run, which are the same for all engines, once one of them has counted it: a run that ends no
    /// retry and gets no decision needs none.
    pub(super) facts: Cell<Option<RunFacts>>,
    /// The number of its node, once it was looked up.
    pub(super) node_number: Cell<Option<u32>>,
}
