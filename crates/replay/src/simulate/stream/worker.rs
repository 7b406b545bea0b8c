//! A worker: the data of one thread while it works on shards.

use super::end::KindQueues;
use super::kinds::{KindCache, UnitKind, UnitKinds};
use super::known_runs::KnownRuns;
use super::record::Record;
use super::signatures::SignatureCache;
use crate::history::{
    KeyOrder, LineError, Member, Names, PieceUnread, RecordFields, Run, TextHashes,
};
use crate::simulate::answer::{PolicyCounts, RecordCounts};
use crate::simulate::changes::{CompareOptions, Compared, Comparison};
use crate::simulate::context::{ReplayContext, RunNode, UnitContext};
use crate::simulate::engine::Engine;
use crate::simulate::moment::Matched;
use crate::simulate::names::Names as ReportNames;
use crate::simulate::stream_decision::{StreamDecision, unit_without_runs};
use crate::simulate::summary::{EndFacts, RunFacts, Summary};
use std::cell::Cell;
use std::sync::Arc;

/// The data that a thread keeps from one piece to the next.
pub(super) struct Worker<'e, E: Engine> {
    pub(super) names: Names,
    pub(super) order: KeyOrder,
    /// Runs since the last batch.
    pub(super) events: u64,
    /// Lines of the units of this shard of the history, and of others, whether they are valid records or not.
    pub(super) own_lines: u64,
    pub(super) other_lines: u64,
    pub(super) contexts: Vec<ReplayContext<'e, E>>,
    pub(super) summaries: Vec<Summary>,
    /// The counts of the record, and of each engine beside it.
    pub(super) record: RecordCounts,
    pub(super) columns: Vec<PolicyCounts>,
    /// Set if engines are compared.
    pub(super) comparison: Option<Comparison<'e>>,
    pub(super) line_reports: Vec<LineReport>,
    /// Words that nothing reads, of the lines that are read where their units are judged, with the number of their piece in
    /// the batch.
    pub(super) unread: Vec<(usize, PieceUnread)>,
    /// Kinds whose first unit it has read since the last batch.
    pub(super) new_kinds: Vec<u32>,
    pub(super) kinds: KindCache<E::Fields>,
    pub(super) signatures: SignatureCache<E::Fields>,
    pub(super) known_runs: KnownRuns<E::Fields>,
    /// Pieces to come of which no line is read in the first phase.
    pub(super) unlike_pieces: u32,
    /// The templates of kinds, and their places by the kind's number.
    templates: Vec<Template<E>>,
    template_places: Vec<Option<u32>>,
    /// The lists of policies that apply to units, engine by engine, by the thread's own numbers.
    routes: Vec<Vec<u32>>,
    /// The runs that lines are read into.
    pub(super) runs: Vec<Run<E::Fields>>,
    /// The description of the run that is looked up among the signatures, and engine by engine the rule that matches it.
    pub(super) signature: Vec<u64>,
    pub(super) matched: Vec<Matched>,
    pub(super) texts: TextHashes,
    /// A buffer for the numbers of the units of some lines, if they are known.
    pub(super) unit_numbers: Vec<Option<usize>>,
    /// A buffer for the first run of a unit: [`Units::begin`](crate::simulate::Units::begin) needs a member, which has a list of runs.
    pub(super) first_run: Vec<Run<E::Fields>>,
}

/// The data that engines derive from a kind of units.
pub(super) struct Template<E: Engine> {
    pub(super) queue: u32,
    queue_name: Arc<str>,
    pub(super) fields: Arc<<E::Fields as RecordFields>::Unit>,
    /// The state of a new unit, engine by engine, if it is the same for all units of the kind and none of
    /// them has to be kept.
    pub(super) states: Option<Vec<E::State>>,
    /// The number of the policies that apply under the engines, by [`Worker::routes`]; `None` if an engine does not tell
    /// the rule that matches.
    pub(super) routes: Option<u32>,
}

/// An engine with the counts of a thread.
pub(super) struct Judge<'j, 'e, E: Engine> {
    pub(super) context: &'j mut ReplayContext<'e, E>,
    pub(super) summary: &'j mut Summary,
    pub(super) column: &'j mut PolicyCounts,
}

/// The counts of a thread.
pub(super) struct WorkerCounts<'e> {
    pub(super) summaries: Vec<Summary>,
    pub(super) record: RecordCounts,
    pub(super) columns: Vec<PolicyCounts>,
    pub(super) comparison: Option<Comparison<'e>>,
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
    pub(super) fn unit<'r>(
        &'r self,
        record: &Record<'r, E::Fields>,
        facts: &'r RunFacts,
        timeline: Option<&'r Member<E::Fields>>,
    ) -> UnitContext<'r, E::Fields> {
        UnitContext {
            id: record.id,
            queue: self.queue,
            timeline,
            facts,
            node: Cell::new(record.node),
            matched: Cell::default(),
        }
    }

    /// A unit of the kind, if decisions about it are reported as they are made.
    pub(super) fn reported(
        &self,
        is_reported: bool,
        record: &Record<'_, E::Fields>,
        run: &Run<E::Fields>,
    ) -> Option<Member<E::Fields>> {
        let id = record.id.as_str();
        let unit = || unit_without_runs(id, &self.queue_name, &self.fields, run.own.key());
        is_reported.then(unit)
    }

    /// A unit of the kind, to be compared when a run of it is judged.
    pub(super) fn compared<'r>(&'r self, record: &Record<'r, E::Fields>) -> Compared<'r> {
        let queue = (self.queue, &*self.queue_name);
        Compared { job: record.id.as_str(), queue, position: record.position }
    }

    #[cold]
    fn new(
        kind: &UnitKind<E::Fields>,
        engines: &[E],
        contexts: &mut [ReplayContext<'_, E>],
        all_routes: &mut Vec<Vec<u32>>,
    ) -> Self {
        let queue = kind.queue.as_deref().unwrap_or_default();
        let unit = kind.unit();
        let is_common = E::STATE_OF_KIND && engines.iter().all(|it| it.can_stream(&unit));
        let states: Option<Vec<E::State>> =
            is_common.then(|| engines.iter().map(|it| it.begin(&[&unit])).collect());
        // One number for the lists under all engines: a run is compared with the rules once for
        // units with the same lists.
        let own: Option<Vec<u32>> = states.as_ref().and_then(|states| {
            let all = contexts.iter_mut().zip(states);
            // The route of a unit does not depend on its runs, so that an empty one finds it.
            let run = Run::default();
            all.map(|(context, state)| context.matched(state, &run).map(|it| it.route)).collect()
        });
        let routes = own.and_then(|own| {
            let known = all_routes.iter().position(|routes| *routes == own);
            let place = known.unwrap_or(all_routes.len());
            all_routes.extend(known.is_none().then_some(own));
            u32::try_from(place).ok()
        });
        Self {
            queue_name: kind.queue.clone().unwrap_or_default(),
            queue: contexts.first_mut().map_or(0, |context| context.names.queue(queue)),
            fields: Arc::clone(&kind.fields),
            states,
            routes,
        }
    }
}

impl<'e, E: Engine> Worker<'e, E> {
    pub(super) fn new(
        engines: &'e [E],
        names: &'e ReportNames,
        seed: u64,
        hash_key: (u64, u64),
    ) -> Self {
        Self {
            names: Names::default(),
            order: KeyOrder::default(),
            events: 0,
            own_lines: 0,
            other_lines: 0,
            contexts: engines.iter().map(|it| ReplayContext::new(it, names, seed)).collect(),
            summaries: engines.iter().map(|it| Summary::new(it.rules().len())).collect(),
            record: RecordCounts::default(),
            columns: engines.iter().map(|_| PolicyCounts::default()).collect(),
            comparison: None,
            line_reports: Vec::new(),
            unread: Vec::new(),
            new_kinds: Vec::new(),
            kinds: KindCache::default(),
            signatures: SignatureCache::default(),
            known_runs: KnownRuns::default(),
            unlike_pieces: 0,
            templates: Vec::new(),
            template_places: Vec::new(),
            routes: Vec::new(),
            unit_numbers: Vec::new(),
            runs: Vec::new(),
            signature: Vec::new(),
            matched: Vec::new(),
            texts: TextHashes::new(hash_key),
            first_run: Vec::new(),
        }
    }

    /// Adds the node and the cluster of a line to its run, which is kept.
    pub(super) fn keep_node(&mut self, record: &Record<'_, E::Fields>, run: &mut Run<E::Fields>) {
        let RunNode::OfLine { node, cluster } = record.node else { return };
        for (own, name) in [(&mut run.node, node), (&mut run.cluster, cluster)] {
            if let Some(name) = name.filter(|_| own.is_none()) {
                *own = Some(self.names.intern(name));
            }
        }
    }

    /// Compares the decisions of all engines with those of the first.
    pub(super) fn compare(&mut self, engines: &[E], compare: CompareOptions<'e>) {
        self.comparison = Some(Comparison::new(engines, compare));
        let contexts = std::mem::take(&mut self.contexts).into_iter();
        self.contexts = contexts.map(ReplayContext::with_decisions).collect();
    }

    /// A copy of the counts.
    pub(super) fn counts(&self) -> WorkerCounts<'e> {
        WorkerCounts {
            summaries: self.summaries.clone(),
            record: self.record.clone(),
            columns: self.columns.clone(),
            comparison: self.comparison.clone(),
        }
    }

    /// Takes the counts, after all work or to replace them.
    pub(super) fn take_counts(&mut self) -> WorkerCounts<'e> {
        WorkerCounts {
            summaries: std::mem::take(&mut self.summaries),
            record: std::mem::take(&mut self.record),
            columns: std::mem::take(&mut self.columns),
            comparison: self.comparison.take(),
        }
    }

    pub(super) fn set_counts(&mut self, counts: WorkerCounts<'e>) {
        let WorkerCounts { summaries, record, columns, comparison } = counts;
        (self.summaries, self.record, self.columns) = (summaries, record, columns);
        self.comparison = comparison;
    }

    /// Reports decisions as they are made.
    pub(super) fn report_decisions(&mut self) {
        for context in &mut self.contexts {
            context.decisions = Some(Box::default());
        }
    }

    /// Whether decisions are reported as they are made.
    pub(super) fn reports_decisions(&self) -> bool {
        self.contexts.first().is_some_and(|context| context.decisions.is_some())
    }

    /// Takes the decisions since the last call.
    pub(super) fn take_decisions(&mut self) -> impl Iterator<Item = StreamDecision> {
        let all = self.contexts.iter_mut().enumerate();
        let all = all.filter_map(|(engine, context)| Some((engine, context.decisions.as_mut()?)));
        all.flat_map(|(engine, decisions)| decisions.take(engine))
    }

    /// The queues of all kinds.
    pub(super) fn queues(
        &mut self,
        engines: &[E],
        all: &UnitKinds<E::Fields>,
    ) -> KindQueues<E::Fields> {
        let kinds = all.list();
        let numbers = 0..u32::try_from(kinds.len()).unwrap_or(u32::MAX);
        let queues = numbers.map(|number| self.template(engines, all, number).queue).collect();
        KindQueues { kinds, queues }
    }

    /// The facts of how a run ended; none without engines.
    pub(super) fn end_facts(&mut self, run: &Run<E::Fields>) -> Option<EndFacts> {
        self.contexts.first_mut().map(|context| context.end_facts(run, false))
    }

    /// The facts of how a run of a kind of units ended. `matched` is then the rule that matches it under each engine. None
    /// if an engine does not tell it.
    pub(super) fn match_run(
        &mut self,
        engines: &[E],
        all: &UnitKinds<E::Fields>,
        kind: u32,
        run: &Run<E::Fields>,
    ) -> Option<EndFacts> {
        let place = self.template_place(engines, all, kind);
        let template = &self.templates[place];
        template.routes.as_ref()?;
        self.matched.clear();
        for (context, state) in self.contexts.iter_mut().zip(template.states.as_ref()?) {
            self.matched.push(context.matched(state, run)?);
        }
        let has_group = self.matched.iter().any(|matched| matched.by_default);
        Some(self.contexts.first_mut()?.end_facts(run, has_group))
    }

    /// The place of the template of a kind.
    #[inline]
    fn template_place(&mut self, engines: &[E], all: &UnitKinds<E::Fields>, kind: u32) -> usize {
        match self.template_places.get(kind as usize) {
            Some(Some(place)) => *place as usize,
            _ => self.add_template(engines, all, kind),
        }
    }

    #[cold]
    fn add_template(&mut self, engines: &[E], all: &UnitKinds<E::Fields>, kind: u32) -> usize {
        let template =
            Template::new(self.kinds.get(all, kind), engines, &mut self.contexts, &mut self.routes);
        let (kind, place) = (kind as usize, self.templates.len());
        self.templates.push(template);
        // By the number of the kind: a vector is smaller and faster than a map, since kinds are numbered from 0.
        if self.template_places.len() <= kind {
            self.template_places.resize(kind + 1, None);
        }
        self.template_places[kind] = u32::try_from(place).ok();
        place
    }

    /// The template of a kind.
    #[inline]
    pub(super) fn template(
        &mut self,
        engines: &[E],
        all: &UnitKinds<E::Fields>,
        kind: u32,
    ) -> &Template<E> {
        let place = self.template_place(engines, all, kind);
        &self.templates[place]
    }

    /// The template of a kind, the context and the counts of every engine, and the comparison if there is one.
    #[inline]
    pub(super) fn judges(
        &mut self,
        engines: &[E],
        all: &UnitKinds<E::Fields>,
        kind: u32,
    ) -> (&Template<E>, impl Iterator<Item = Judge<'_, 'e, E>>, Option<&mut Comparison<'e>>) {
        let place = self.template_place(engines, all, kind);
        let counts = self.summaries.iter_mut().zip(&mut self.columns);
        let judges = self.contexts.iter_mut().zip(counts);
        let judges = judges.map(|(context, (summary, column))| Judge { context, summary, column });
        (&self.templates[place], judges, self.comparison.as_mut())
    }
}
