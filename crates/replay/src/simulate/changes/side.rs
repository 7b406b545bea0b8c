//! The two sides of a comparison: what an engine decides about a recorded run.

use crate::simulate::evaluation::Effect;
use crate::simulate::figures::DecisionFacts;
use crate::simulate::summary::{LastDecision, RetryWait};
use borsh::{BorshDeserialize, BorshSerialize};
use document::units::GoDuration;

/// The part of a decision that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decided {
    /// The short code, and the rule that decided.
    pub(in crate::simulate) decision: LastDecision,
    /// Whether it grants a retry.
    pub(in crate::simulate) is_retry: bool,
    /// Whether a further run follows by it.
    pub(in crate::simulate) grants_run: bool,
    /// The wait of the retry that it grants, if it grants one.
    pub wait: Option<GoDuration>,
}

impl Decided {
    /// The part of a decision with this effect.
    pub(crate) fn of(facts: &DecisionFacts, effect: Effect) -> Self {
        let (decision, wait) = (LastDecision::of(facts), RetryWait::of(effect).delay);
        let grants_run = matches!(effect, Effect::Rerun { .. } | Effect::Replace { .. });
        Self { decision, is_retry: facts.retry, grants_run, wait }
    }

    /// The short code.
    pub fn code(&self) -> &'static str {
        self.decision.code()
    }

    /// The number of the rule that decided, if one did.
    pub fn rule(&self) -> Option<u32> {
        self.decision.rule()
    }
}

/// How far a recorded run is replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reach {
    /// It is judged.
    #[default]
    Reached,
    /// It would not have happened.
    NotReached,
    /// It would have been cut off before its end.
    CutOff,
}

/// One side of a comparison: a decision about a run, or why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// A decision.
    Decided(Decided),
    /// No decision.
    Undecided(Reach),
}

impl Side {
    /// The short code of the decision, or a word in the same form if there is none.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Decided(decided) => decided.code(),
            Self::Undecided(Reach::Reached) => "no_decision",
            Self::Undecided(Reach::NotReached) => "not_reached",
            Self::Undecided(Reach::CutOff) => "cut_off",
        }
    }

    /// The decision, if there is one.
    pub fn decided(&self) -> Option<&Decided> {
        match self {
            Self::Decided(decided) => Some(decided),
            Self::Undecided(_) => None,
        }
    }

    pub(super) fn rule(&self) -> RuleSide {
        self.decided().map_or(RuleSide::NoDecision, |decided| {
            decided.rule().map_or(RuleSide::NoRule, RuleSide::Rule)
        })
    }
}

/// The rule of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
pub enum RuleSide {
    /// The rule of this number decided.
    Rule(u32),
    /// No rule and no default decided.
    NoRule,
    NoDecision,
}
