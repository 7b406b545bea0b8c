//! Converts a `v1` policy to an Airflow profile.

use crate::airflow::manifest::policy::MAX_DELAY_SECONDS;
use crate::airflow::manifest::shape::SYSTEM;
use crate::airflow::{AirflowPolicy, Profile, TimeDelta};
use crate::convert::{Budgets, Conversion, Notes};
use crate::profile::{KIND, VERSION};
use armada_retry::policy::{AntiAffinity, Backoff, RetryPolicy};
use document::units::GoDuration;
use serde_json::{Value, json};

const ACTION: &str = "spec.defaultAction";
const LIMIT: &str = "spec.retryLimit";
const BACKOFF: &str = "spec.backoff";

/// Converts a `v1` policy to a profile of the newest release.
pub fn from_v1(policy: &RetryPolicy) -> Conversion<Value> {
    let mut notes = Notes::default();
    let (retries, backoff) = retries(policy, &mut notes);
    let mut task = json!({"retries": retries});
    if retries > 0 {
        write_delays(backoff.or(Backoff::BUILT_IN), retries, &mut task, &mut notes);
        if policy.anti_affinity == Some(AntiAffinity::Node) {
            notes.lost("spec.antiAffinity", "Airflow cannot choose nodes");
        }
    }
    let profile = json!({
        "apiVersion": VERSION,
        "kind": KIND,
        "metadata": {"name": policy.name.as_str()},
        "spec": {"system": SYSTEM, "profile": Profile::default().as_str(), "policy": task},
    });
    Conversion { result: profile, notes: notes.into_vec() }
}

/// Returns the one retry budget and its backoff. The budget is the largest of the policy's. The backoff is
/// that of the default action if it retries, else that of the first rule that retries.
fn retries(policy: &RetryPolicy, notes: &mut Notes) -> (u32, Backoff) {
    let budgets = Budgets::new(policy);
    let Budgets { ref rules, default, most, .. } = budgets;
    for (number, granted) in rules.iter().enumerate() {
        let path = format!("spec.rules[{number}]");
        note_rule(path, (*granted, default, most), notes);
    }
    match (most, default) {
        (0, _) => notes.carried(ACTION, "as `retries: 0`"),
        (_, 0) => {
            let what = format!(
                "Airflow's settings do not distinguish failures: all of them share {most} retries"
            );
            notes.lost(ACTION, what).help(NO_REASON);
        }
        _ => notes.carried(ACTION, format!("as `retries: {most}`")),
    }
    let own = policy.rules.iter().zip(rules).find(|(_, granted)| **granted > 0);
    let backoff = match own.filter(|_| default == 0) {
        Some((rule, _)) => rule.backoff.or(policy.backoff),
        None => policy.backoff,
    };
    budgets.note_fleet(LIMIT, notes);
    (most, backoff)
}

const NO_REASON: &str = "raise AirflowFailException in the task, or set a retry policy (3.3)";

/// Notes how a rule is converted. `granted` is its number of retries, `default` that of the default action,
/// and `most` the one budget.
fn note_rule(path: String, (granted, default, most): (u32, u32, u32), notes: &mut Notes) {
    if most == 0 {
        return notes.carried(path, "as `retries: 0`");
    }
    let what = match granted {
        0 => format!(
            "Airflow's settings do not distinguish failures: those that this rule ends have {most} \
                      retries"
        ),
        _ if default == 0 => {
            "Airflow's settings do not distinguish failures: all of them are retried so".to_owned()
        }
        _ => format!(
            "Airflow's settings do not distinguish failures: this rule shares the {most} retries of \
                      all"
        ),
    };
    notes.lost(path, what).help(NO_REASON);
}

/// Writes the delays of the retries into `task`.
fn write_delays(backoff: Backoff, retries: u32, task: &mut Value, notes: &mut Notes) {
    let initial = backoff.initial_delay.unwrap_or(GoDuration::ZERO);
    let most = backoff.max_delay.unwrap_or(GoDuration::ZERO);
    let multiplier = backoff.multiplier.unwrap_or(1.0);
    let first = initial.min(most);
    task["retry_delay_seconds"] = seconds(first, notes);
    // Growth is written only where it shows: between a first wait below the longest and a second retry.
    if first == GoDuration::ZERO || multiplier <= 1.0 || initial >= most || retries == 1 {
        // Airflow's delays have microseconds (`timedelta`).
        let delay = TimeDelta::from_micros(first.as_nanos() / 1_000);
        return notes.carried(BACKOFF, format!("as `retry_delay_seconds`: {delay} each time"));
    }
    task["retry_exponential_backoff"] = json!(multiplier);
    task["max_retry_delay_seconds"] = seconds(most, notes);
    let what = "growing delays of Airflow are whole seconds plus jitter: up to twice as long as here, and at \
                most the longest delay";
    notes.approximated(BACKOFF, what);
    let ceiling = AirflowPolicy::default().max_task_retry_delay;
    if most > TimeDelta::from_whole_seconds(ceiling).to_duration() {
        let what = format!(
            "an installation's core.max_task_retry_delay, {ceiling} unless it is set, ends delays before {most}"
        );
        notes
            .approximated(format!("{BACKOFF}.maxDelay"), what)
            .help("set that of the installation");
    }
}

/// Converts a duration to seconds, as Airflow counts them.
fn seconds(duration: GoDuration, notes: &mut Notes) -> Value {
    let nanos = duration.as_nanos();
    let (whole, rest) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    if whole >= i64::from(MAX_DELAY_SECONDS) {
        let what = format!("a profile's delays are at most {MAX_DELAY_SECONDS} seconds");
        notes.approximated(BACKOFF, what);
        return json!(MAX_DELAY_SECONDS);
    }
    if rest % 1_000 != 0 {
        notes.approximated(BACKOFF, "Airflow's delays are whole microseconds");
    }
    if rest == 0 { json!(whole) } else { json!(duration.as_secs_f64()) }
}
