//! Data that the replay of every unit shares: the buffers of a thread, and the common facts of a unit.

use super::changes::{Decided, Reach};
use super::decision_note::DecisionNotes;
use super::end_facts::end_facts;
use super::engine::Engine;
use super::evaluation::Evaluation;
use super::moment::Matched;
use super::names::{NameCache, Names};
use super::rng::Draws;
use super::stream_decision::StreamDecisions;
use super::summary::{EndFacts, RunFacts};
use crate::history::{Member, RecordFields, Run};
use std::cell::Cell;

/// The engine, the buffers and the caches of a thread. It is made once and serves all units of the thread.
pub(crate) struct ReplayContext<'e, E: Engine> {
    pub(super) engine: &'e E,
    pub(super) memory: E::Memory,
    /// The buffer of all evaluations, so that an evaluation allocates nothing.
    pub(super) answer: Evaluation<E::Decision>,
    /// Seed for random jitter.
    pub(super) seed: u64,
    /// The numbers of names so far.
    pub(super) names: NameCache<'e>,
    /// The decisions about the run that is judged, if engines are compared.
    pub(super) decided: Option<Vec<Decided>>,
    /// The decisions of a stream, if they are reported as they are made.
    pub(super) decisions: Option<Box<StreamDecisions>>,
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
            decisions: None,
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

    /// Adds the decisions about the run that was judged, if they are reported as they are made.
    pub(super) fn add_decisions(&mut self, unit: &UnitContext<'_, E::Fields>, position: u64) {
        if let Some((decisions, unit)) = self.decisions.as_mut().zip(unit.timeline) {
            decisions.add(unit, position);
        }
    }

    pub(crate) fn engine(&self) -> &'e E {
        self.engine
    }

    /// The number of the kind of the failure that ended a unit when a run was judged: that of the run, unless a deadline
    /// passed before its end.
    pub(super) fn failure_kind(&mut self, run: &EndFacts, reach: Reach) -> u32 {
        if reach == Reach::Reached { run.kind } else { self.names.deadline() }
    }

    /// The facts of how a run ended, with the features by which a rule could match it only if they are asked for.
    pub(super) fn end_facts(&mut self, run: &Run<E::Fields>, has_group: bool) -> EndFacts {
        end_facts(self.engine, &mut self.names, run, has_group)
    }

    /// The rule that matches a run of a unit in a state, if the engine tells it.
    pub(super) fn matched(&mut self, state: &E::State, run: &Run<E::Fields>) -> Option<Matched> {
        self.engine.matched(state, &mut self.memory, run)
    }

    /// The random numbers of a unit, if its engine draws.
    pub(super) fn draws(&self, id: UnitId<'_>) -> Option<Draws> {
        E::DRAWS.then(|| Draws::of(self.seed, id.as_str()))
    }

    /// The number of the node of a run.
    pub(super) fn node(&mut self, node: RunNode<'_>, run: &Run<E::Fields>) -> Option<u32> {
        let (node, cluster) = match node {
            RunNode::Number(number) => return number,
            RunNode::OfLine { node, cluster } => (node, cluster),
            RunNode::OfRun => (None, None),
        };
        let node = run.node.as_deref().or(node)?;
        self.names.node(run.cluster.as_deref().or(cluster), node)
    }
}

/// The node of a run, as far as it is known apart from the run: a run of a line has a node only if it is kept or if the
/// engine reads it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum RunNode<'r> {
    #[default]
    OfRun,
    /// The names of a line.
    OfLine { node: Option<&'r str>, cluster: Option<&'r str> },
    /// Its number, if it has one.
    Number(Option<u32>),
}

/// The id of a unit: UTF-8 somewhere in a piece. It is read for few runs, so that its bytes are not touched before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnitId<'r>(&'r [u8]);

impl<'r> UnitId<'r> {
    /// The id in these bytes.
    pub(crate) fn from_bytes(bytes: &'r [u8]) -> Self {
        Self(bytes)
    }

    /// The id as a text.
    pub(crate) fn as_str(self) -> &'r str {
        str::from_utf8(self.0).unwrap_or_default()
    }
}

impl<'r> From<&'r str> for UnitId<'r> {
    fn from(id: &'r str) -> Self {
        Self(id.as_bytes())
    }
}

/// A unit, for the time that one of its runs is judged.
pub(crate) struct UnitContext<'u, F: RecordFields> {
    pub(crate) id: UnitId<'u>,
    /// The number of its queue.
    pub(crate) queue: u32,
    /// The member, if a timeline is written.
    pub(crate) timeline: Option<&'u Member<F>>,
    /// The facts of the run.
    pub(super) facts: &'u RunFacts,
    /// The node of the run; its number once that was looked up.
    pub(super) node: Cell<RunNode<'u>>,
    /// The rule that matches the run, if the engine that judges it has been asked.
    pub(super) matched: Cell<Option<Matched>>,
}
