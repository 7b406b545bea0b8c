//! Scheduler settings (section 2) and what reloads make of them (sections 5 and 10).

use serde_json::Value;

use super::backoff::Backoff;
use super::json::{list, owned, text};
use super::time::{Nanos, SECOND, duration, instant};
use super::{Engine, Input};

/// The two settings a reload may change.
#[derive(Clone, Copy)]
pub struct Switches {
    pub enabled: bool,
    pub global_max_retries: u64,
}

/// Everything a scheduler config file says, defaults filled in.
pub struct Settings {
    first: Switches,
    reloads: Vec<(Nanos, Value)>,
    pub default_policy: Option<String>,
    pub default_backoff: Backoff,
    pub legacy_max_attempts: u64,
    pub minimum_grace: Nanos,
    pub maximum_grace: Option<Nanos>,
}

impl Settings {
    /// Section 2: "With a file, `enabled` is false unless set and the other defaults stay."
    pub fn read(input: &Input, start: Nanos) -> Self {
        let file = input.scheduler.clone().unwrap_or(Value::Null);
        let retry = &file["scheduling"]["retryPolicy"];
        let built_in = match input.engine {
            Engine::V1 => 20,
            Engine::V1beta1 => 5,
        };
        let grace = |key| text(&file["submission"], key).and_then(duration);
        Self {
            first: Switches {
                enabled: retry["enabled"].as_bool().unwrap_or(input.scheduler.is_none()),
                global_max_retries: retry["globalMaxRetries"].as_u64().unwrap_or(built_in),
            },
            reloads: reloads(&input.history, start),
            default_policy: owned(retry, "defaultPolicyName"),
            default_backoff: Backoff::read(&retry["defaultBackoff"]),
            legacy_max_attempts: file["scheduling"]["maxRetries"].as_u64().unwrap_or(3),
            minimum_grace: grace("minTerminationGracePeriod").unwrap_or(SECOND),
            maximum_grace: grace("maxTerminationGracePeriod"),
        }
    }

    /// Section 5: "`globalMaxRetries` and `enabled` may change while a history runs (`reload`; one at the
    /// instant of a run applies before it)". Nothing has happened yet at an unknown time.
    pub fn at(&self, now: Option<Nanos>) -> Switches {
        let mut switches = self.first;
        for (at, reload) in &self.reloads {
            if now.is_some_and(|now| *at <= now) {
                switches.enabled = reload["enabled"].as_bool().unwrap_or(switches.enabled);
                let limit = reload["globalMaxRetries"].as_u64();
                switches.global_max_retries = limit.unwrap_or(switches.global_max_retries);
            }
        }
        switches
    }
}

/// The reload events in time order, equal times in file order.
fn reloads(history: &Value, start: Nanos) -> Vec<(Nanos, Value)> {
    let events = list(&history["spec"], "events").iter();
    let mut reloads: Vec<_> = events
        .map(|event| {
            let at = text(event, "at").and_then(|at| instant(at, start));
            (at.expect("an event has a time"), event["reload"].clone())
        })
        .collect();
    reloads.sort_by_key(|reload| reload.0);
    reloads
}
