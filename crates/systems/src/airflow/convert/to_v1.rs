//! Converts an Airflow profile to a `v1` policy.

use crate::airflow::engine::delay::base;
use crate::airflow::{AirflowManifest, AirflowPolicy, TimeDelta};
use crate::convert::{Conversion, Notes, note_fleet_limit};
use armada_retry::policy::{Action, Backoff, Form, PolicyName, RetryPolicy};

const RETRIES: &str = "spec.policy.retries";
const DELAY: &str = "spec.policy.retry_delay_seconds";
const BACKOFF: &str = "spec.policy.retry_exponential_backoff";
const CAP: &str = "spec.policy.max_retry_delay_seconds";
const CEILING: &str = "spec.policy.core.max_task_retry_delay";
const RETRY_POLICY: &str = "spec.policy.retry_policy";

/// The shortest growing delay; no jitter is added to it.
const SECOND: TimeDelta = TimeDelta::from_micros(1_000_000);

/// Converts the task settings of a checked profile to a `v1` policy; `None` if its name cannot be made a
/// policy's name.
pub fn to_v1(manifest: &AirflowManifest) -> Option<Conversion<RetryPolicy>> {
    let name = PolicyName::new(&manifest.name)?;
    let task = &manifest.policy;
    let mut notes = Notes::default();
    let retries = task.retries;
    let (retry_limit, action, backoff) = if retries == 0 {
        notes.carried(RETRIES, "as `defaultAction: Fail`");
        let what = "nothing is retried, so there are no waits";
        note_non_defaults(task, &[DELAY, BACKOFF, CAP, CEILING], what, &mut notes);
        (None, Action::Fail, Backoff::default())
    } else {
        notes.carried(RETRIES, format!("as `retryLimit: {retries}` and `defaultAction: Retry`"));
        note_fleet_limit(retries, RETRIES, &mut notes);
        (Some(retries), Action::Retry, convert_delays(task, &mut notes))
    };
    if task.retry_policy.is_some() {
        let what = "rules of `v1` do not match exceptions: every failure is decided as one for which it answers \
                    default";
        notes.lost(RETRY_POLICY, what).help("give the failures exit codes, and match those");
    }
    let policy = RetryPolicy {
        name,
        form: Form::V1,
        retry_limit,
        default_action: Some(action),
        backoff,
        anti_affinity: None,
        rules: Vec::new(),
    };
    Some(Conversion { result: policy, notes: notes.into_vec() })
}

/// Converts the delays of a task's retries.
fn convert_delays(task: &AirflowPolicy, notes: &mut Notes) -> Backoff {
    let Some(multiplier) = task.profile.multiplier(task.backoff) else {
        notes.carried(DELAY, format!("as `backoff`: {} each time", task.retry_delay));
        note_non_defaults(task, &[BACKOFF], "as `multiplier: 1`: delays do not grow", notes);
        note_non_defaults(
            task,
            &[CAP, CEILING],
            "left out: it bounds only delays that grow",
            notes,
        );
        return constant_backoff(task.retry_delay);
    };
    let most = longest_delay(task);
    note_non_defaults(task, &[DELAY], "read into `backoff`", notes);
    note_non_defaults(
        task,
        &[CAP, CEILING],
        &format!("read into `backoff`: its `maxDelay` is {most}"),
        notes,
    );
    // With 0 growths the delay is finite, whatever the multiplier.
    let first = shortest_delay(task, multiplier, 0).unwrap_or(most);
    if multiplier > 1.0 && first >= most {
        notes.carried(BACKOFF, format!("as `backoff`: each wait is the longest there is, {most}"));
        return constant_backoff(most);
    }
    if first == SECOND && last_delay(task, multiplier) == Some(SECOND) {
        let what = format!("as `backoff`: a delay that grows within a second is {first} each time");
        notes.carried(BACKOFF, what);
        return constant_backoff(first.min(most));
    }
    let what = if multiplier < 1.0 {
        format!(
            "`backoff` has no jitter, and its waits never get shorter: they stay at the first, {}",
            task.retry_delay.min(most)
        )
    } else {
        format!(
            "`backoff` has no jitter: its waits are the shortest that Airflow may choose, which rounds them \
             up to whole seconds and adds jitter of up to their length, within {most}"
        )
    };
    notes.approximated(BACKOFF, what);
    Backoff {
        initial_delay: Some(task.retry_delay.min(most).to_duration()),
        max_delay: Some(most.to_duration()),
        // A multiplier below 1 is invalid in `v1` (semantics.md, section 6).
        multiplier: Some(multiplier.max(1.0)),
    }
}

/// Returns a backoff of one constant delay.
fn constant_backoff(wait: TimeDelta) -> Backoff {
    let wait = Some(wait.to_duration());
    Backoff { initial_delay: wait, max_delay: wait, multiplier: Some(1.0) }
}

/// Returns the bound of growing delays.
fn longest_delay(task: &AirflowPolicy) -> TimeDelta {
    let ceiling = TimeDelta::from_whole_seconds(task.ceiling());
    // 0 is false in Python, where Airflow tests for a cap.
    task.max_retry_delay.filter(|cap| !cap.is_zero()).map_or(ceiling, |cap| cap.min(ceiling))
}

/// Returns the shortest possible last delay; `None` if the power is not finite, which gives the ceiling.
fn last_delay(task: &AirflowPolicy, multiplier: f64) -> Option<TimeDelta> {
    let growths = i32::try_from(task.retries.saturating_sub(1)).unwrap_or(i32::MAX);
    shortest_delay(task, multiplier, growths)
}

/// Returns the shortest possible delay after this number of growths.
fn shortest_delay(task: &AirflowPolicy, multiplier: f64, growths: i32) -> Option<TimeDelta> {
    let base = base(task.retry_delay, multiplier, growths)?;
    Some(TimeDelta::from_whole_seconds(base.get()))
}

/// Notes the conversion of those fields whose values differ from Airflow's defaults.
fn note_non_defaults(task: &AirflowPolicy, fields: &[&str], what: &str, notes: &mut Notes) {
    let defaults = AirflowPolicy::default();
    for field in fields {
        let is_default = match *field {
            DELAY => task.retry_delay == defaults.retry_delay,
            BACKOFF => task.backoff == defaults.backoff,
            CAP => task.max_retry_delay == defaults.max_retry_delay,
            _ => task.max_task_retry_delay == defaults.max_task_retry_delay,
        };
        if !is_default {
            notes.carried(*field, what);
        }
    }
}
