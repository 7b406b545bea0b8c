//! The interface of every system's engine.
//!
//! An engine judges *units*: for Armada a job or a gang, for JobSet the set with its child Jobs, for Iris a
//! job with its tasks. The replay passes it the facts that are pending at a moment; the engine updates its own
//! state of the unit and returns verdicts. The replay interprets a verdict only through its
//! [`Effect`]; what a decision means is reported by the engine.

use super::figures::{DecisionFacts, Ending, FollowingRuns, IndexMismatch, RuleLabel};
use super::names::{Group, Labels};
use super::part::{Parts, PolicyNeeds};
use super::report::DecisionReport;
use crate::disruption::{Disruptions, RowId};
use crate::history::{Member, RecordFields, Run};
use armada_retry::engine::NodeList;
use document::units::{GoDuration, Time};

/// A fact about one member that is not judged yet.
#[derive(Debug)]
pub struct Fact<'r, F> {
    /// The member's number in its unit, from 0.
    pub member: usize,
    /// The event.
    pub kind: FactKind<'r, F>,
}

/// The event of a fact.
#[derive(Debug)]
pub enum FactKind<'r, F> {
    /// Its run ended.
    Ended(&'r Run<F>),
    /// Containers of its live run were restarted in place; the run is ongoing.
    Restarted(&'r Run<F>),
    /// Its run is ongoing.
    Live,
    /// A time that the engine requested has come.
    Timer,
}

/// All facts that are pending at a moment.
#[derive(Debug)]
pub struct Moment<'r, F> {
    /// The latest time so far, if any is known.
    pub now: Option<Time>,
    /// The facts.
    pub facts: &'r [Fact<'r, F>],
    /// 64 random bits, for engines that draw.
    pub draw: u64,
    /// The members whose runs are live.
    pub live: Live<'r>,
    /// The rule that matches the only fact, if [`Engine::matched`] has found it.
    pub matched: Option<Matched>,
}

/// The first rule that matches a failure, under the policies of its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Matched {
    /// The number of the list of policies.
    pub route: u32,
    /// The number of the rule or default; none if the end of the run is none that rules decide about.
    pub rule: Option<u32>,
    /// Whether it is a default.
    pub by_default: bool,
}

/// Which members have a run that has started and not ended, by the history. A function, not a list: few
/// engines read it, so that most moments need no list.
#[derive(Clone, Copy, Default)]
pub struct Live<'r>(Option<&'r dyn Fn(usize) -> bool>);

impl<'r> Live<'r> {
    /// The members for which `is_live` holds.
    pub fn new(is_live: &'r dyn Fn(usize) -> bool) -> Self {
        Self(Some(is_live))
    }

    /// Whether a member is live.
    pub fn has(self, member: usize) -> bool {
        self.0.is_some_and(|is_live| is_live(member))
    }
}

impl std::fmt::Debug for Live<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Live")
    }
}

/// An engine's answer to a moment. The caller reuses one for all evaluations.
#[derive(Debug)]
pub struct Evaluation<D> {
    /// The verdicts; a member without one stays as it is.
    pub verdicts: Vec<Verdict<D>>,
    /// How the unit ended, if it did.
    pub end: Option<End>,
    /// Whether to evaluate again at once, since something changed that may decide more.
    pub again: bool,
    /// When to evaluate next even if no run has ended.
    pub next: Option<Time>,
}

impl<D> Default for Evaluation<D> {
    fn default() -> Self {
        Self { verdicts: Vec::new(), end: None, again: false, next: None }
    }
}

impl<D> Evaluation<D> {
    /// Clears the answer and keeps its buffers.
    pub fn clear(&mut self) {
        self.verdicts.clear();
        (self.end, self.again, self.next) = (None, false, None);
    }
}

/// The consequence of a moment for one member. A member may get several verdicts at a moment, one per level;
/// they apply in order.
#[derive(Debug)]
pub struct Verdict<D> {
    /// The member.
    pub member: usize,
    /// The effect on the member.
    pub effect: Effect,
    /// The decision, if there was one to make.
    pub decision: Option<D>,
}

/// The effect of a verdict on its member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The member runs again. A live run of it is stopped.
    Rerun {
        /// The wait, if the engine grants one.
        delay: Option<GoDuration>,
        /// The earliest start, if it is known.
        not_before: Option<Time>,
    },
    /// The member's run is over, and that of another member replaces it. A live run of it is stopped.
    Replace {
        /// The wait, if the engine grants one.
        delay: Option<GoDuration>,
        /// The earliest start, if it is known.
        not_before: Option<Time>,
        /// The other member; absent if its run is not recorded.
        by: Option<usize>,
    },
    /// The run that replaces another one no longer has to wait.
    Release,
    /// The member stays as it is, judged: an ended run is not followed by another unless a later verdict
    /// grants one; a run that was restarted in place is ongoing.
    Keep,
    /// The member ended.
    End(End),
}

/// How a member or a unit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// It succeeded.
    Succeeded,
    /// It failed for good.
    Failed,
    /// It was cancelled.
    Cancelled,
}

/// Which ends an engine judges together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgedTogether {
    /// Those within one second, since Kubernetes records times in seconds and a controller that reconciles
    /// finds all of them. Ends without a time are judged one by one.
    Second,
    /// None: they are judged one by one, in order of time.
    Each,
    /// All of the unit: it is judged when no member is live any more, so that facts about live members are
    /// not needed.
    Unit,
}

/// The subject of one timeline in reports, which summaries count as one job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportedPer {
    /// A member: for Armada a job, also one of a gang.
    Member,
    /// A unit as a whole, with the decisions about all of its members.
    Unit,
}

/// A system's engine over some policies.
pub trait Engine: Sync + Sized {
    /// The fields of its run records beyond the common ones.
    type Fields: RecordFields;
    /// The state of a unit between evaluations. A stream holds one for each unfinished unit, so it is small.
    type State: Clone + Send;
    /// A decision.
    type Decision: Send;
    /// Working memory of a thread: buffers that no unit owns.
    type Memory: Default + Send;

    /// Which ends are judged together.
    const JUDGED_TOGETHER: JudgedTogether;
    /// The subject of one timeline in reports.
    const REPORTED_PER: ReportedPer;
    /// Whether it uses [`Moment::draw`].
    const DRAWS: bool = false;

    /// The bounds on records for replays through several engines at once.
    fn limits(engines: &[&Self]) -> <Self::Fields as RecordFields>::Limits;

    /// Members with the same key form one unit; a member without a key is a unit by itself.
    fn unit_key(&self, _member: &Member<Self::Fields>) -> Option<String> {
        None
    }

    /// Whether every unit has one member, as far as the policies determine it.
    fn has_single_members(&self) -> bool {
        true
    }

    /// Whether a unit can be judged run by run. `unit` has its first run alone. A unit that cannot is kept until
    /// all runs are read.
    fn can_stream(&self, _unit: &Member<Self::Fields>) -> bool {
        true
    }

    /// Whether the state before the first run, and whether a unit can stream, depend only on the queue and
    /// the fields of the unit, so that units alike can begin with a copy.
    const STATE_OF_KIND: bool = false;

    /// Whether decisions depend on the nodes of runs.
    fn reads_nodes(&self) -> bool {
        false
    }

    /// The state of a unit before its first run.
    fn begin(&self, members: &[&Member<Self::Fields>]) -> Self::State;

    /// Whether a run of a member is replayed as a member by itself: records of pods without an index do not identify
    /// the pod that a pod replaces.
    fn is_separate_run(&self, _member: &Member<Self::Fields>, _run: &Run<Self::Fields>) -> bool {
        false
    }

    /// Whether all runs of a unit that is judged run by run are of one member, whatever member their records name.
    fn has_one_member(&self, _unit: &str) -> bool {
        false
    }

    /// How the index of a record does not fit its unit, if it does not.
    fn index_mismatch(
        &self,
        _state: &Self::State,
        _run: &Run<Self::Fields>,
    ) -> Option<IndexMismatch> {
        None
    }

    /// When to evaluate a unit of which no run has ended yet.
    fn wake(&self, _state: &Self::State) -> Option<Time> {
        None
    }

    /// The first rule that matches how a run ended. It depends on the policies of the unit, but on nothing else of its
    /// state, so that runs are compared with rules before they reach their units. None if the engine does not tell, or
    /// if a decision depends on more than the rule and what [`RecordFields::describe`] tells.
    fn matched(
        &self,
        _state: &Self::State,
        _memory: &mut Self::Memory,
        _run: &Run<Self::Fields>,
    ) -> Option<Matched> {
        None
    }

    /// Judges a moment and updates the state.
    fn evaluate(
        &self,
        state: &mut Self::State,
        memory: &mut Self::Memory,
        moment: &Moment<'_, Self::Fields>,
        answer: &mut Evaluation<Self::Decision>,
    );

    /// The nodes that the run granted by a decision avoids, until the next evaluation; `None` if it avoids none.
    fn avoided<'s>(
        &self,
        _state: &'s Self::State,
        _member: usize,
        _decision: &Self::Decision,
    ) -> Option<&'s NodeList> {
        None
    }

    /// The memory in bytes that the run granted by a decision has; `None` without growth.
    fn memory(&self, _decision: &Self::Decision) -> Option<u64> {
        None
    }

    /// The engine's name in reports: `v1`.
    fn name(&self) -> &str;

    /// All rules and defaults, in order.
    fn rules(&self) -> Vec<RuleLabel>;

    /// The names of the policies that apply to a member.
    fn effective_policies(&self, member: &Member<Self::Fields>) -> Vec<String>;

    /// The features of a failure that rules can match.
    fn labels<'r>(&self, _run: &'r Run<Self::Fields>) -> Labels<'r> {
        Labels::default()
    }

    /// The failure subcategory of a run, if rules list subcategories.
    fn subcategory<'r>(&self, _run: &'r Run<Self::Fields>) -> Option<&'r str> {
        None
    }

    /// How a run ended.
    fn ending(&self, run: &Run<Self::Fields>) -> Ending;

    /// The facts of a decision about a run that summaries count.
    fn facts(&self, run: &Run<Self::Fields>, decision: &Self::Decision) -> DecisionFacts;

    /// What the rules of each policy need of failures, by the number of the policy; empty if they compare no part
    /// that a record may lack.
    fn needs(&self) -> &[PolicyNeeds] {
        &[]
    }

    /// The policies whose rules were compared with the failure of a decision, by their numbers.
    fn compared_policies<'s>(
        &'s self,
        _state: &'s Self::State,
        _member: usize,
        _decision: &Self::Decision,
    ) -> &'s [usize] {
        &[]
    }

    /// The parts that a failure has, of those that [`needs`](Self::needs) names.
    fn parts(&self, _state: &Self::State, _member: usize, _run: &Run<Self::Fields>) -> Parts {
        Parts::default()
    }

    /// The row of the table by which a run was disrupted; none if it was not.
    fn disruption(&self, _run: &Run<Self::Fields>, _table: &Disruptions) -> Option<RowId> {
        None
    }

    /// Whether a run succeeded although a container of it exceeded its memory.
    fn has_survived_memory(&self, _run: &Run<Self::Fields>) -> bool {
        false
    }

    /// A rule that would match a kind of failure, as policies write it. `after` counts the recorded runs after
    /// failures of the kind; if they do not suffice for an action, the rule has a placeholder in its place.
    fn suggest(&self, _group: &Group, _after: FollowingRuns) -> Option<String> {
        None
    }

    /// A decision as reports show it.
    fn report(
        &self,
        state: &Self::State,
        number: usize,
        member: &Member<Self::Fields>,
        run: &Run<Self::Fields>,
        decision: &Self::Decision,
    ) -> DecisionReport;

    /// The reason why a decision ended its job, as one sentence.
    fn end_reason(&self, state: &Self::State, decision: &Self::Decision) -> String;

    /// The system's own name for how a unit ended; none where it has no other.
    fn unit_outcome(&self, _state: &Self::State, _end: Option<End>) -> Option<String> {
        None
    }

    /// The reason why a unit has no end although all its records are read; as a sentence without a final period.
    fn open_reason(&self, _state: &Self::State) -> Option<String> {
        None
    }

    /// The reason why a unit succeeded, if it is another than the success of all its recorded runs; as a sentence
    /// without a final period.
    fn success_reason(&self, _state: &Self::State) -> Option<String> {
        None
    }
}
