//! Why a decision was made, as a sentence that a person understands.

use super::decision::Decision;
use super::delay::{Delay, DelayRule};
use super::eligible::Eligibility;
use super::engine::AirflowEngine;
use super::shape::CEILING;

impl AirflowEngine {
    /// Why it was decided so, as one sentence without a final period.
    pub fn reason(&self, decision: &Decision) -> String {
        let eligible = eligible(decision, self.manifest.policy.profile.as_str());
        match decision.delay {
            Some(delay) => format!("{eligible}; {}", wait(delay)),
            None => eligible,
        }
    }
}

/// Whether another try follows, and why.
pub(super) fn eligible(decision: &Decision, profile: &str) -> String {
    let Decision { try_number, max_tries, .. } = decision;
    match decision.eligibility {
        Eligibility::ForceFail => format!("try {try_number} asked for no other"),
        Eligibility::Restarting => {
            format!(
                "try {try_number} was cleared as it ran, and another follows whatever max_tries is"
            )
        }
        Eligibility::NoRetries => format!("retries 0: try {try_number} was the last"),
        Eligibility::TriesLeft => format!("max_tries {max_tries}: try {try_number}"),
        // The property is one higher of a task that is not running.
        Eligibility::TriesUsedUp if try_number <= max_tries => format!(
            "max_tries {max_tries}: try {try_number}, which Airflow {profile} counts as one more, since the \
             task was not running"
        ),
        Eligibility::TriesUsedUp => {
            format!("max_tries {max_tries}: try {try_number} was one too many")
        }
    }
}

/// How long the next try waits, and why.
pub(super) fn wait(Delay { wait, rule }: Delay) -> String {
    match rule {
        DelayRule::Override => format!("{wait}: a retry policy's, which nothing bounds"),
        DelayRule::Constant => format!("{wait}: retry_delay, which nothing bounds"),
        DelayRule::Grown { base, jitter } => format!("{wait}: {base}s, and {jitter}s of jitter"),
        DelayRule::Ceiling => format!("{wait}: {CEILING}"),
        DelayRule::Cap => format!("{wait}: max_retry_delay"),
    }
}
