//! How long a retry waits (sections 6 and 7).

use serde_json::Value;

use super::history::Run;
use super::json::text;
use super::quantity::Fraction;
use super::settings::Settings;
use super::time::{Nanos, SECOND, duration};

/// One `backoff` block; what it does not say is left to the next level.
#[derive(Clone, Copy, Default)]
pub struct Backoff {
    initial: Option<Nanos>,
    maximum: Option<Nanos>,
    multiplier: Option<Fraction>,
}

impl Backoff {
    /// An absent block says nothing.
    pub fn read(block: &Value) -> Self {
        let lasting = |key| text(block, key).map(|text| duration(text).expect("a duration"));
        Self {
            initial: lasting("initialDelay"),
            maximum: lasting("maxDelay"),
            multiplier: Fraction::of(&block["multiplier"]),
        }
    }

    /// Section 6: "min(initialDelay × multiplier^(failureCount−1), maxDelay)", each field from the most
    /// specific of `levels` that sets it, at last `0s`, `10m`, `2.0`.
    pub fn wait(levels: &[Backoff], failure_count: usize) -> Nanos {
        let initial = levels.iter().find_map(|level| level.initial).unwrap_or(0);
        let maximum = levels.iter().find_map(|level| level.maximum).unwrap_or(600 * SECOND);
        let two = Fraction { above: 2, below: 1 };
        let multiplier = levels.iter().find_map(|level| level.multiplier).unwrap_or(two);
        let mut wait = Fraction { above: initial, below: 1 };
        for _ in 1..failure_count {
            if wait.cut(1) >= maximum {
                return maximum;
            }
            wait = wait.times(multiplier);
        }
        wait.cut(1).min(maximum)
    }
}

/// Section 7: a preempted run "also waits for its pod: delay = max(wait, min(grace, confirmed))".
pub fn with_graceful_shutdown(wait: Nanos, run: &Run, settings: &Settings) -> Nanos {
    if !run.is_preempted() {
        return wait;
    }
    let grace = if run.grace == 0 { settings.minimum_grace } else { run.grace };
    let confirmed = match (run.finished, run.confirmed) {
        (Some(failed), Some(confirmed)) => (confirmed - failed).max(0),
        _ => grace,
    };
    wait.max(grace.min(confirmed))
}
