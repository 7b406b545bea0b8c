//! The engine of a variant: that of a system over its policies, or the built-in variant `no-retries`, under which the
//! first run that does not succeed ends its unit.
//!
//! `no-retries` judges by the record alone, alike for all systems: by how runs ended, not by rules, limits or success
//! policies. The engine of the system only determines which runs are a unit's. A restart in place ends the unit too. A
//! returned lease does, as in a simulated cluster; it is not counted as a failure.

use super::engine::Engine;
use super::evaluation::{Effect, End, Evaluation, JudgedTogether, ReportedPer, Verdict};
use super::figures::{DecisionFacts, Ending, FollowingRuns, IndexMismatch, RuleLabel};
use super::moment::{Fact, FactKind, Matched, Moment};
use super::names::{Group, Labels, kind_name};
use super::part::{Parts, PolicyNeeds};
use super::report::DecisionReport;
use super::report_texts::ReportTexts;
use super::summary_facts::SummaryFacts;
use super::units::Units;
use crate::disruption::{Disruptions, RowId};
use crate::history::{Member, RecordFields, Run};
use armada_retry::engine::NodeList;
use document::units::Time;

/// The code of the decision that ends a unit under `no-retries`.
const NO_RETRIES: &str = "no_retries";

/// The outcome of a run that was stopped since its unit ended or runs again: it did not fail itself.
const STOPPED: &str = "Stopped";

/// The engine of a variant.
#[derive(Debug)]
pub struct VariantEngine<E> {
    engine: E,
    grants_retries: bool,
}

impl<E: Engine> VariantEngine<E> {
    /// The engine of a system: its policies decide.
    pub fn new(engine: E) -> Self {
        Self { engine, grants_retries: true }
    }

    /// The variant `no-retries`. The units are those of the engine of the system.
    pub fn without_retries(engine: E) -> Self {
        Self { engine, grants_retries: false }
    }

    /// The engine of the system.
    pub fn system(&self) -> &E {
        &self.engine
    }
}

/// The state of a unit.
#[derive(Debug, Clone)]
pub enum VariantState<S> {
    /// The state of the system's engine.
    OfSystem(S),
    /// Under `no-retries`, the number of members that have not succeeded.
    Members(usize),
}

impl<S> VariantState<S> {
    /// The state of the system's engine; none under `no-retries`.
    pub fn system(&self) -> Option<&S> {
        match self {
            Self::OfSystem(state) => Some(state),
            Self::Members(_) => None,
        }
    }
}

impl<E: Engine> Units for VariantEngine<E> {
    type Fields = E::Fields;
    type State = VariantState<E::State>;

    /// The decision of the system's engine; none under `no-retries`.
    type Decision = Option<E::Decision>;

    const REPORTED_PER: ReportedPer = E::REPORTED_PER;
    const STATE_OF_KIND: bool = E::STATE_OF_KIND;

    fn limits(engines: &[&Self]) -> <Self::Fields as RecordFields>::Limits {
        let engines: Vec<&E> = engines.iter().map(|engine| &engine.engine).collect();
        E::limits(&engines)
    }

    fn unit_key(&self, member: &Member<Self::Fields>) -> Option<String> {
        self.engine.unit_key(member)
    }

    fn has_single_members(&self) -> bool {
        self.engine.has_single_members()
    }

    fn can_stream(&self, unit: &Member<Self::Fields>) -> bool {
        self.engine.can_stream(unit)
    }

    fn begin(&self, members: &[&Member<Self::Fields>]) -> Self::State {
        if self.grants_retries {
            VariantState::OfSystem(self.engine.begin(members))
        } else {
            VariantState::Members(members.len())
        }
    }

    fn is_separate_run(&self, member: &Member<Self::Fields>, run: &Run<Self::Fields>) -> bool {
        // As on record, pods without an index that the history does not tell apart are one member.
        self.grants_retries && self.engine.is_separate_run(member, run)
    }

    fn has_one_member(&self, unit: &str) -> bool {
        self.engine.has_one_member(unit)
    }

    fn index_mismatch(
        &self,
        state: &Self::State,
        run: &Run<Self::Fields>,
    ) -> Option<IndexMismatch> {
        self.engine.index_mismatch(state.system()?, run)
    }
}

impl<E: Engine> Engine for VariantEngine<E> {
    /// The buffers of the system's engine, and its answer.
    type Memory = (E::Memory, Evaluation<E::Decision>);

    const JUDGED_TOGETHER: JudgedTogether = E::JUDGED_TOGETHER;
    const DRAWS: bool = E::DRAWS;

    fn reads_nodes(&self) -> bool {
        self.grants_retries && self.engine.reads_nodes()
    }

    fn wake(&self, state: &Self::State) -> Option<Time> {
        self.engine.wake(state.system()?)
    }

    fn matched(
        &self,
        state: &Self::State,
        (memory, _): &mut Self::Memory,
        run: &Run<Self::Fields>,
    ) -> Option<Matched> {
        match state {
            VariantState::OfSystem(state) => self.engine.matched(state, memory, run),
            VariantState::Members(_) => {
                Some(Matched { route: u32::MAX, rule: None, by_default: false })
            }
        }
    }

    fn evaluate(
        &self,
        state: &mut Self::State,
        (memory, inner): &mut Self::Memory,
        moment: &Moment<'_, Self::Fields>,
        answer: &mut Evaluation<Self::Decision>,
    ) {
        answer.clear();
        match state {
            VariantState::OfSystem(state) => {
                self.engine.evaluate(state, memory, moment, inner);
                let verdicts = inner.verdicts.drain(..).map(|verdict| Verdict {
                    member: verdict.member,
                    effect: verdict.effect,
                    decision: verdict.decision.map(Some),
                });
                answer.verdicts.extend(verdicts);
                (answer.end, answer.again, answer.next) = (inner.end, inner.again, inner.next);
            }
            VariantState::Members(left) => self.judge_without_retries(left, moment, answer),
        }
    }

    fn avoided<'s>(
        &self,
        state: &'s Self::State,
        member: usize,
        decision: &Self::Decision,
    ) -> Option<&'s NodeList> {
        self.engine.avoided(state.system()?, member, decision.as_ref()?)
    }

    fn memory(&self, decision: &Self::Decision) -> Option<u64> {
        self.engine.memory(decision.as_ref()?)
    }
}

impl<E: Engine> SummaryFacts for VariantEngine<E> {
    fn labels<'r>(&self, run: &'r Run<Self::Fields>) -> Labels<'r> {
        self.engine.labels(run)
    }

    fn subcategory<'r>(&self, run: &'r Run<Self::Fields>) -> Option<&'r str> {
        self.engine.subcategory(run)
    }

    fn ending(&self, run: &Run<Self::Fields>) -> Ending {
        self.engine.ending(run)
    }

    fn facts(&self, run: &Run<Self::Fields>, decision: &Self::Decision) -> DecisionFacts {
        match decision {
            Some(decision) => self.engine.facts(run, decision),
            None => DecisionFacts {
                code: NO_RETRIES,
                failure: self.engine.ending(run) != Ending::Open,
                ..DecisionFacts::default()
            },
        }
    }

    fn needs(&self) -> &[PolicyNeeds] {
        if self.grants_retries { self.engine.needs() } else { &[] }
    }

    fn compared_policies<'s>(
        &'s self,
        state: &'s Self::State,
        member: usize,
        decision: &Self::Decision,
    ) -> &'s [usize] {
        let judged = state.system().zip(decision.as_ref());
        judged
            .map_or(&[], |(state, decision)| self.engine.compared_policies(state, member, decision))
    }

    fn parts(&self, state: &Self::State, member: usize, run: &Run<Self::Fields>) -> Parts {
        let state = state.system();
        state.map(|state| self.engine.parts(state, member, run)).unwrap_or_default()
    }

    fn disruption(&self, run: &Run<Self::Fields>, table: &Disruptions) -> Option<RowId> {
        self.engine.disruption(run, table)
    }

    fn has_survived_memory(&self, run: &Run<Self::Fields>) -> bool {
        self.engine.has_survived_memory(run)
    }
}

impl<E: Engine> ReportTexts for VariantEngine<E> {
    fn name(&self) -> &str {
        self.engine.name()
    }

    fn rules(&self) -> Vec<RuleLabel> {
        if self.grants_retries { self.engine.rules() } else { Vec::new() }
    }

    fn effective_policies(&self, member: &Member<Self::Fields>) -> Vec<String> {
        if self.grants_retries { self.engine.effective_policies(member) } else { Vec::new() }
    }

    fn suggest(&self, group: &Group, after: FollowingRuns) -> Option<String> {
        self.engine.suggest(group, after).filter(|_| self.grants_retries)
    }

    fn report(
        &self,
        state: &Self::State,
        number: usize,
        member: &Member<Self::Fields>,
        run: &Run<Self::Fields>,
        decision: &Self::Decision,
    ) -> DecisionReport {
        match state.system().zip(decision.as_ref()) {
            Some((state, decision)) => self.engine.report(state, number, member, run, decision),
            None => self.report_without_retries(run),
        }
    }

    fn end_reason(&self, state: &Self::State, decision: &Self::Decision) -> String {
        let judged = state.system().zip(decision.as_ref());
        let reason = judged.map(|(state, decision)| self.engine.end_reason(state, decision));
        reason.unwrap_or_else(without_retries_reason)
    }

    fn unit_outcome(&self, state: &Self::State, end: Option<End>) -> Option<String> {
        self.engine.unit_outcome(state.system()?, end)
    }

    fn open_reason(&self, state: &Self::State) -> Option<String> {
        self.engine.open_reason(state.system()?)
    }

    fn success_reason(&self, state: &Self::State) -> Option<String> {
        self.engine.success_reason(state.system()?)
    }
}

/// The reason of a decision under `no-retries`.
fn without_retries_reason() -> String {
    "no retry is granted after a run that did not succeed".to_owned()
}

impl<E: Engine> VariantEngine<E> {
    /// Ends the unit if a run has not succeeded, or if no other member is left.
    fn judge_without_retries(
        &self,
        left: &mut usize,
        moment: &Moment<'_, E::Fields>,
        answer: &mut Evaluation<Option<E::Decision>>,
    ) {
        let ends = || moment.facts.iter().filter_map(|fact| self.member_end(fact));
        let has = |end: End| ends().any(|(.., it)| it == end);
        let succeeded = ends().filter(|(.., end)| *end == End::Succeeded).count();
        *left = left.saturating_sub(succeeded);
        // As on record, a gang of which a run was cancelled is cancelled.
        answer.end = [End::Cancelled, End::Failed].into_iter().find(|end| has(*end));
        if *left == 0 && answer.end.is_none() {
            answer.end = Some(End::Succeeded);
        }
        for (member, run, end) in ends() {
            let is_stopped = self.engine.labels(run).outcome == STOPPED;
            let (end, decision) = match (end, answer.end) {
                (End::Failed, Some(End::Failed)) => (end, (!is_stopped).then_some(None)),
                (End::Failed, _) => (End::Cancelled, None),
                _ => (end, None),
            };
            answer.verdicts.push(Verdict { member, effect: Effect::End(end), decision });
        }
    }

    /// How a fact ends its member, if it does, with the run.
    fn member_end<'r>(
        &self,
        fact: &Fact<'r, E::Fields>,
    ) -> Option<(usize, &'r Run<E::Fields>, End)> {
        let (run, end) = match fact.kind {
            FactKind::Ended(run) => match self.engine.ending(run) {
                Ending::Succeeded => (run, End::Succeeded),
                Ending::Cancelled => (run, End::Cancelled),
                Ending::Failed | Ending::Interrupted | Ending::Open => (run, End::Failed),
            },
            FactKind::Restarted(run) => (run, End::Failed),
            FactKind::Live | FactKind::Timer => return None,
        };
        Some((fact.member, run, end))
    }

    fn report_without_retries(&self, run: &Run<E::Fields>) -> DecisionReport {
        DecisionReport {
            run_index: Some(run.run_index),
            node: run.node.as_deref().map(str::to_owned),
            cluster: run.cluster.as_deref().map(str::to_owned),
            failed_at: run.time().map(|time| time.to_string()),
            failure: kind_name(&self.engine.labels(run)),
            action: "Fail".to_owned(),
            decision: NO_RETRIES.to_owned(),
            reason: without_retries_reason(),
            ..DecisionReport::default()
        }
    }
}
