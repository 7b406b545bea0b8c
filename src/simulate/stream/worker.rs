//! A worker: the data of one thread while it works on shards.

use super::end::KindQueues;
use super::kinds::{KindCache, UnitKind, UnitKinds};
use super::record::Record;
use crate::history::{KeyOrder, LineError, Names, PieceUnread, RecordFields, Run};
use crate::simulate::answer::{LastRun, PolicyCounts, RecordCounts, RecordedRun};
use crate::simulate::changes::{Compare, Compared, Comparison};
use crate::simulate::context::{ReplayContext, RunNode, UnitContext};
use crate::simulate::engine::Engine;
use crate::simulate::names::Names as ReportNames;
use crate::simulate::summary::Summary;
use crate::units::Time;
use std::cell::Cell;
use std::sync::Arc;

/// The data that a thread keeps from one piece to the next.
pub(super) struct Worker<'e, E: Engine> {
    pub(super) names: Names,
    pub(super) order: KeyOrder,
    /// Runs since the last batch.
    pub(super) events: u64,
    pub(super) contexts: Vec<ReplayContext<'e, E>>,
    pub(super) summaries: Vec<Summary>,
    /// The counts of the record, and of each engine beside it.
    pub(super) record: RecordCounts,
    pub(super) columns: Vec<PolicyCounts>,
    /// Set if engines are compared.
    pub(super) comparison: Option<Comparison<'e>>,
    pub(super) line_reports: Vec<LineReport>,
    /// Unread words, with the number of their piece in the batch.
    pub(super) unread: Vec<(usize, PieceUnread)>,
    /// Kinds whose first unit it has read since the last batch.
    pub(super) new_kinds: Vec<u32>,
    pub(super) kinds: KindCache<E::Fields>,
    /// The templates of kinds, by the kind's number.
    templates: Vec<Option<Template<E>>>,
    /// Buffers for a batch of lines: the units' numbers, if they are known, and the runs.
    pub(super) unit_numbers: Vec<Option<usize>>,
    pub(super) runs: Vec<Run<E::Fields>>,
    /// A buffer for the first run of a unit: [`Engine::begin`] needs a member, which has a list of runs.
    pub(super) first_run: Vec<Run<E::Fields>>,
}

/// The data that engines derive from a kind of units.
pub(super) struct Template<E: Engine> {
    pub(super) queue: u32,
    queue_name: Arc<str>,
    fields: Arc<<E::Fields as RecordFields>::Unit>,
    /// The state of a new unit, engine by engine, if it is the same for all units of the kind and none of
    /// them has to be kept.
    pub(super) states: Option<Vec<E::State>>,
}

/// An engine with the counts of a thread.
pub(super) struct Judge<'j, 'e, E: Engine> {
    pub(super) context: &'j mut ReplayContext<'e, E>,
    pub(super) summary: &'j mut Summary,
    pub(super) column: &'j mut PolicyCounts,
}

/// A report about a line of a batch.
#[derive(Debug)]
pub(super) struct LineReport {
    /// The number of its piece in the batch.
    pub(super) piece: usize,
    /// The byte at which it begins in the piece.
    pub(super) at: usize,
    /// The error; none if the line is not a record.
    pub(super) error: Option<LineError>,
}

impl<E: Engine> Template<E> {
    /// The context of a unit of the kind, for the time that a run of it is judged.
    pub(super) fn unit<'r>(&'r self, record: &Record<'r, E::Fields>) -> UnitContext<'r, E::Fields> {
        let (queue, fields) = (self.queue, &*self.fields);
        let (position, node) = (record.position, record.node);
        UnitContext {
            id: record.id,
            queue,
            fields,
            position,
            node,
            timeline: None,
            facts: Cell::default(),
            node_number: Cell::default(),
        }
    }

    /// A unit of the kind, to be compared when a run of it is judged.
    pub(super) fn compared<'r>(&'r self, record: &Record<'r, E::Fields>) -> Compared<'r> {
        let queue = (self.queue, &*self.queue_name);
        Compared { job: record.id, queue, position: record.position }
    }

    #[cold]
    fn new(
        kind: &UnitKind<E::Fields>,
        engines: &[E],
        contexts: &mut [ReplayContext<'_, E>],
    ) -> Self {
        let queue = kind.queue.as_deref().unwrap_or_default();
        let unit = kind.unit();
        let is_common = E::STATE_OF_KIND && engines.iter().all(|it| it.can_stream(&unit));
        Self {
            queue_name: kind.queue.clone().unwrap_or_default(),
            queue: contexts.first_mut().map_or(0, |context| context.names.queue(queue)),
            fields: Arc::clone(&kind.fields),
            states: is_common.then(|| engines.iter().map(|it| it.begin(&[&unit])).collect()),
        }
    }
}

impl<'e, E: Engine> Worker<'e, E> {
    pub(super) fn new(engines: &'e [E], names: &'e ReportNames, seed: u64) -> Self {
        Self {
            names: Names::default(),
            order: KeyOrder::default(),
            events: 0,
            contexts: engines.iter().map(|it| ReplayContext::new(it, names, seed)).collect(),
            summaries: engines.iter().map(|it| Summary::new(it.rules().len())).collect(),
            record: RecordCounts::default(),
            columns: engines.iter().map(|_| PolicyCounts::default()).collect(),
            comparison: None,
            line_reports: Vec::new(),
            unread: Vec::new(),
            new_kinds: Vec::new(),
            kinds: KindCache::default(),
            templates: Vec::new(),
            unit_numbers: Vec::new(),
            runs: Vec::new(),
            first_run: Vec::new(),
        }
    }

    /// Adds the node and the cluster of a line to its run, which is kept.
    pub(super) fn keep_node(&mut self, record: &Record<'_, E::Fields>, run: &mut Run<E::Fields>) {
        let RunNode { node, cluster } = record.node;
        for (own, name) in [(&mut run.node, node), (&mut run.cluster, cluster)] {
            if let Some(name) = name.filter(|_| own.is_none()) {
                *own = Some(self.names.intern(name));
            }
        }
    }

    /// Compares the decisions of all engines with those of the first.
    pub(super) fn compare(&mut self, engines: &[E], compare: Compare<'e>) {
        self.comparison = Some(Comparison::new(engines, compare));
        let contexts = std::mem::take(&mut self.contexts).into_iter();
        self.contexts = contexts.map(ReplayContext::with_decisions).collect();
    }

    /// The queues of all kinds.
    pub(super) fn queues(
        &mut self,
        engines: &[E],
        all: &UnitKinds<E::Fields>,
    ) -> KindQueues<E::Fields> {
        let kinds = all.list();
        let numbers = 0..u32::try_from(kinds.len()).unwrap_or(u32::MAX);
        let queues = numbers.map(|number| self.template(engines, all, number).0.queue).collect();
        KindQueues { kinds, queues }
    }

    /// Counts a run of a unit on record, after its `last` one, whose time was `before`. Returns what the columns of
    /// policies count of it; `None` for a record that is not the end of a run, and without engines.
    pub(super) fn count_record(
        &mut self,
        (engines, all): (&[E], &UnitKinds<E::Fields>),
        kind: u32,
        (last, before): (LastRun, Option<Time>),
        run: &Run<E::Fields>,
    ) -> Option<RecordedRun> {
        let engine = engines.first()?;
        let recorded = {
            let (template, mut judges, _) = self.template(engines, all, kind);
            let names = &mut judges.next()?.context.names;
            RecordedRun::new(engine, names, &template.fields, run)?
        };
        self.record.add(last, before, &recorded);
        Some(recorded)
    }

    /// The template of a kind, the context and the counts of every engine, and the comparison if there is one.
    #[inline]
    pub(super) fn template(
        &mut self,
        engines: &[E],
        all: &UnitKinds<E::Fields>,
        number: u32,
    ) -> (&Template<E>, impl Iterator<Item = Judge<'_, 'e, E>>, Option<&mut Comparison<'e>>) {
        let index = number as usize;
        if self.templates.len() <= index {
            self.templates.resize_with(index + 1, || None);
        }
        let (kinds, contexts) = (&mut self.kinds, &mut self.contexts);
        let template = self.templates[index]
            .get_or_insert_with(|| Template::new(kinds.get(all, number), engines, contexts));
        let counts = self.summaries.iter_mut().zip(&mut self.columns);
        let judges = contexts.iter_mut().zip(counts);
        let judges = judges.map(|(context, (summary, column))| Judge { context, summary, column });
        (template, judges, self.comparison.as_mut())
    }
}
