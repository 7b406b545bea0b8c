//! The retry strategy as an [`Engine`](replay::simulate::Engine): units are jobs, runs are their attempts.

mod interface;

use super::manifest::{JobDefinition, RetryAction};
use super::record::{AttemptFields, AttemptOutcome};
use replay::simulate::{Absence, Effect, End, Need, Part, Parts, PolicyNeeds, Without};

/// The engine over a job definition, which applies to every job.
#[derive(Debug, Clone)]
pub struct AwsBatchEngine {
    pub(super) definition: JobDefinition,
    needs: Vec<PolicyNeeds>,
}

/// The state of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobState {
    /// The attempts that have ended.
    pub attempts: u32,
}

/// A decision about a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// The decision.
    pub verdict: Verdict,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The first entry of `evaluateOnExit` that matches; `None` if none does, or none was compared.
    pub entry: Option<usize>,
}

/// The decision about a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Another attempt follows.
    Retry,
    /// An entry with `EXIT` matches.
    Exit,
    /// The attempts are used up.
    UsedUp,
    /// The attempt exceeded its timeout.
    TimedOut,
    /// The job definition is invalid.
    Invalid,
}

impl Verdict {
    /// Returns the code, as outputs show it.
    pub fn code(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Exit => "fail_exit",
            Self::UsedUp => "fail_attempts",
            Self::TimedOut => "fail_timeout",
            Self::Invalid => "fail_invalid",
        }
    }

    /// Returns whether the retry strategy decides; other ends are never retried.
    pub fn is_by_strategy(self) -> bool {
        matches!(self, Self::Retry | Self::Exit | Self::UsedUp)
    }

    /// Returns the state that the job gets.
    pub fn action(self) -> &'static str {
        if self == Self::Retry { "RUNNABLE" } else { "FAILED" }
    }
}

static STATUS_REASON: Part =
    Part { field: "statusReason", noun: "`statusReason`", absence: Absence::Named };
static REASON: Part = Part { field: "reason", noun: "`reason`", absence: Absence::Usual };
static EXIT_CODE: Part = Part { field: "exitCode", noun: "`exitCode`", absence: Absence::Usual };

/// The parts of an attempt, in the order of `EvaluateOnExit::patterns`.
static PARTS: [&Part; 3] = [&STATUS_REASON, &REASON, &EXIT_CODE];

impl AwsBatchEngine {
    /// Creates an engine over a definition.
    pub fn new(definition: JobDefinition) -> Self {
        let entries = definition.strategy.evaluate_on_exit.iter().enumerate();
        let needs = entries.flat_map(|(rule, entry)| {
            entry.patterns().into_iter().enumerate().filter_map(move |(at, (_, pattern))| {
                // An absent text is empty, which such a pattern matches.
                pattern.filter(|pattern| !pattern.matches(""))?;
                Some(Need {
                    rule,
                    part: PARTS[at],
                    values: Vec::new(),
                    names: Vec::new(),
                    any_of: Parts::of(at),
                    any_value: Parts::of(at),
                    without: Without::NeverMatches,
                })
            })
        });
        let needs = vec![needs.collect()];
        Self { definition, needs }
    }

    /// Decides about a failed attempt, and counts it.
    pub(super) fn decide(&self, state: &mut JobState, fields: &AttemptFields) -> Decision {
        // Before the decision: AWS counts the attempt that failed, too.
        state.attempts = state.attempts.saturating_add(1);
        let attempt = state.attempts;
        let strategy = &self.definition.strategy;
        let code = fields.exit_code_text();
        let settled = match fields.outcome {
            AttemptOutcome::TimedOut => Some(Verdict::TimedOut),
            AttemptOutcome::Invalid => Some(Verdict::Invalid),
            _ => None,
        };
        // These are never retried, whatever the entries say.
        if let Some(verdict) = settled {
            return Decision { verdict, attempt, entry: None };
        }
        let texts = [&*fields.status_reason, &*fields.reason, &*code];
        let entry = strategy.first_match(texts);
        let verdict = match strategy.action(texts) {
            RetryAction::Exit => Verdict::Exit,
            RetryAction::Retry if attempt < strategy.attempts => Verdict::Retry,
            RetryAction::Retry => Verdict::UsedUp,
        };
        Decision { verdict, attempt, entry }
    }
}

impl Decision {
    /// Returns the effect on the job. No wait is documented.
    fn effect(self) -> Effect {
        match self.verdict {
            Verdict::Retry => Effect::Rerun { delay: None, not_before: None },
            _ => Effect::End(End::Failed),
        }
    }
}
