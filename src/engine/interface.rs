//! The one interface of every engine, so that the simulator knows none of them.
//!
//! An engine judges *units*: for Armada a job or a gang of jobs, for JobSet the set with its child
//! Jobs, for Iris a job with its tasks. A unit has *members*, each with runs. The simulator brings an
//! engine the facts that are pending at a moment; the engine keeps what it needs in its own state
//! and answers with verdicts, which the simulator reads only through their effect.

use crate::units::{GoDuration, Time};

/// Something about one member that waits to be judged.
#[derive(Debug)]
pub struct Fact<'r, R> {
    /// Which member, from 0.
    pub member: usize,
    /// When it became so, if that is known.
    pub at: Option<Time>,
    /// What.
    pub kind: FactKind<'r, R>,
}

/// What a fact says of its member.
#[derive(Debug)]
pub enum FactKind<'r, R> {
    /// Its run ended as this record says.
    Ended(&'r R),
    /// Containers of its live run have been restarted in place; the run goes on.
    Restarted(&'r R),
    /// Its run is still going on.
    Live,
    /// A time that the engine asked for has come.
    Timer,
}

/// All facts pending at a moment.
#[derive(Debug)]
pub struct Moment<'r, R> {
    /// The latest time known, if any is.
    pub now: Option<Time>,
    /// The facts.
    pub facts: &'r [Fact<'r, R>],
    /// A number drawn by the caller, for engines that leave something to chance; any 64 bits are as
    /// likely as any others.
    pub draw: u64,
    /// Which members have a run that goes on.
    pub live: Live<'r>,
}

/// Which members have a run that has begun and not ended, by what is on record. It is asked by the
/// few engines that look at it, so that others pay nothing for it.
#[derive(Clone, Copy, Default)]
pub struct Live<'r>(Option<&'r dyn Fn(usize) -> bool>);

impl<'r> Live<'r> {
    /// Those that `is_live` holds for.
    pub fn new(is_live: &'r dyn Fn(usize) -> bool) -> Self {
        Self(Some(is_live))
    }

    /// Whether a member is one of them; none is where nothing is known.
    pub fn has(self, member: usize) -> bool {
        self.0.is_some_and(|is_live| is_live(member))
    }
}

impl std::fmt::Debug for Live<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Live")
    }
}

/// What an engine says of a moment. The caller keeps one and hands it in again and again.
#[derive(Debug)]
pub struct Evaluation<D> {
    /// What becomes of members; a member without a verdict stays as it is.
    pub verdicts: Vec<Verdict<D>>,
    /// How the unit is over, if it is.
    pub fate: Option<End>,
    /// Whether to evaluate again at once, since something changed that may decide more.
    pub again: bool,
    /// When to look again though no run has ended.
    pub next: Option<Time>,
}

impl<D> Default for Evaluation<D> {
    fn default() -> Self {
        Self { verdicts: Vec::new(), fate: None, again: false, next: None }
    }
}

impl<D> Evaluation<D> {
    /// Forgets the last answer and keeps the memory.
    pub fn clear(&mut self) {
        self.verdicts.clear();
        (self.fate, self.again, self.next) = (None, false, None);
    }
}

/// What becomes of one member. A member may get several verdicts at a moment, on one level after
/// another; they hold in their order.
#[derive(Debug)]
pub struct Verdict<D> {
    /// Which member.
    pub member: usize,
    /// What follows.
    pub effect: Effect,
    /// The decision, where there was one to make.
    pub decision: Option<D>,
}

/// What follows from a verdict; all that the simulator knows of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The member runs again. A run of it that is still going on is stopped.
    Rerun {
        /// The wait, where the engine grants one.
        delay: Option<GoDuration>,
        /// The earliest time, where it is known.
        not_before: Option<Time>,
        /// Whether it costs something of a budget.
        counted: bool,
    },
    /// The member's live run is stopped.
    Stop,
    /// The member stays as it is, judged: a run that has ended is not followed by another, unless
    /// a later verdict says so; a run that was restarted in place goes on.
    Keep,
    /// The member is over.
    End(End),
}

/// How a member is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// It did its work.
    Succeeded,
    /// It failed for good.
    Failed,
    /// Somebody cancelled it.
    Cancelled,
}

/// Which ends are judged together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Together {
    /// Those that fall in the same second: what a controller finds when it looks again. Ends
    /// without a time are judged one by one.
    Second,
    /// None: they are judged one by one, in order of time.
    Each,
    /// All of the unit: it is judged when no member of it is live any more, and facts about live
    /// members need not be brought.
    Unit,
}

/// What every engine's run records tell the simulator.
pub trait Recorded {
    /// When the run began.
    fn started_at(&self) -> Option<Time>;
    /// When it ended, else when it began.
    fn time(&self) -> Option<Time>;
    /// How long it ran, where both ends are known.
    fn length(&self) -> Option<GoDuration>;
    /// Where it ran.
    fn node(&self) -> Option<&str>;
    /// Whether it did its work.
    fn succeeded(&self) -> bool;
    /// Its number, as people call it.
    fn run_index(&self) -> u32;
    /// Whether it tells of restarts in place, of a run that goes on.
    fn goes_on(&self) -> bool {
        false
    }
    /// Whether it tells how a run ended, which the end of another may have cut off before. If not,
    /// it tells what befell the member or its unit, and nothing cuts that off.
    fn is_attempt(&self) -> bool {
        true
    }
    /// Whether it tells of the unit as a whole, and so is judged whatever its member has come to.
    /// Engines that judge ends together have no such records.
    fn is_of_unit(&self) -> bool {
        false
    }
}

/// An engine.
pub trait Engine: Sync {
    /// What a run's record looks like.
    type Record: Recorded + Sync;
    /// A member before anything has happened: for Armada a job.
    type Member: Sync;
    /// What is remembered of a unit.
    type State;
    /// A decision.
    type Decision;
    /// Working memory that a thread keeps from one evaluation to the next.
    type Memory: Default;

    /// Which ends are judged together.
    const TOGETHER: Together;
    /// Whether it leaves something to chance, and so looks at [`Moment::draw`].
    const DRAWS: bool;

    /// A member's recorded runs, in order.
    fn runs<'m>(&self, member: &'m Self::Member) -> &'m [Self::Record];

    /// Members with the same key are one unit; a member without a key is one alone.
    fn unit_key(&self, member: &Self::Member) -> Option<String>;

    /// The state of a unit before its first run.
    fn begin(&self, members: &[&Self::Member]) -> Self::State;

    /// When the engine wants to look at a unit of which nothing has ended yet, whatever happens.
    fn wake(&self, _: &Self::State) -> Option<Time> {
        None
    }

    /// Judges a moment and moves the state on.
    fn evaluate(
        &self,
        state: &mut Self::State,
        memory: &mut Self::Memory,
        moment: &Moment<'_, Self::Record>,
        answer: &mut Evaluation<Self::Decision>,
    );

    /// The nodes that the run granted by a decision avoids, until the next evaluation.
    fn avoided<'s>(
        &self,
        state: &'s Self::State,
        member: usize,
        decision: &Self::Decision,
    ) -> &'s [String];
}
