//! The facts that an engine judges at a moment.

use crate::history::Run;
use document::units::Time;

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
    /// The rule that matches the only fact, if [`Engine::matched`](super::Engine::matched) has found it.
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

/// The members with a run that has started and not ended, by the history. A function, not a list: few
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
