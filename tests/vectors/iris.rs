//! Iris: courses of jobs event by event, what attempts charge, and the state of a job.
//!
//! Holds cli.md The other systems.

use serde_json::{Value, json};
use systems::iris::{
    Event, Ignored, Job, Outcome, Phase, Policy, Profile, Rules, Ruling, TaskCounts, TaskState,
};

/// What a case may say.
const CASE: [&str; 12] = [
    "name",
    "system",
    "kind",
    "profile",
    "policy",
    "history",
    "input",
    "expected",
    "source",
    "note",
    "evidence",
    "seed_undetermined",
];

const POLICY: [&str; 5] = [
    "max_retries_failure",
    "max_retries_preemption",
    "max_task_failures",
    "replicas",
    "coscheduled",
];

/// Answers a case, for each profile that it is of, and compares what it asserts.
pub fn run(case: &Value) -> Result<(), String> {
    knows(case, &CASE)?;
    let profile = text(&case["profile"])?;
    let profiles = Profile::ALL.into_iter().filter(|one| [one.as_str(), "both"].contains(&profile));
    let profiles: Vec<Profile> = profiles.collect();
    if profiles.is_empty() {
        return Err(format!("no profile `{profile}`"));
    }
    for profile in profiles {
        let rules = Rules { profile, policy: policy(&case["policy"])? };
        let actual = match text(&case["kind"])? {
            "history" => history(&rules, &case["history"])?,
            "attempt_counts" => attempt_counts(profile, &case["input"])?,
            "job_state" => job_state(&rules, &case["input"])?,
            other => return Err(format!("no answer for the kind `{other}`")),
        };
        meet(&case["expected"], &actual).map_err(|why| format!("{}: {why}", profile.as_str()))?;
    }
    Ok(())
}

/// Compares what a case asserts with what came. `null` asserts nothing.
fn meet(expected: &Value, actual: &Value) -> Result<(), String> {
    let expected = expected.as_object().ok_or("nothing is expected")?;
    for (what, wanted) in expected {
        let actual = actual.get(what).ok_or_else(|| format!("no answer for `{what}`"))?;
        if !is_met(wanted, actual) {
            return Err(format!("{what} is {actual}, not {wanted}"));
        }
    }
    Ok(())
}

fn is_met(wanted: &Value, actual: &Value) -> bool {
    match (wanted, actual) {
        (Value::Null, _) => true,
        (Value::Array(wanted), Value::Array(actual)) => {
            let mut pairs = wanted.iter().zip(actual);
            wanted.len() == actual.len() && pairs.all(|(wanted, actual)| is_met(wanted, actual))
        }
        _ => wanted == actual,
    }
}

/// Refuses fields that nothing here reads.
fn knows(value: &Value, fields: &[&str]) -> Result<(), String> {
    let object = value.as_object().ok_or_else(|| format!("{value} is no object"))?;
    let unknown = object.keys().find(|key| !fields.contains(&key.as_str()));
    unknown.map_or(Ok(()), |key| Err(format!("nothing reads the field `{key}`")))
}

fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("{value} is no text"))
}

fn number<N: TryFrom<i64>>(value: &Value) -> Result<N, String> {
    let number = value.as_i64().and_then(|number| N::try_from(number).ok());
    number.ok_or_else(|| format!("{value} is no number in range"))
}

fn flag(value: &Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| format!("{value} is neither true nor false"))
}

/// What `known` makes of a text.
fn named<T>(value: &Value, known: impl Fn(&str) -> Option<T>) -> Result<T, String> {
    known(text(value)?).ok_or_else(|| format!("{value} is no known word"))
}

/// A field's value, or another if it is absent.
fn or<T>(value: &Value, read: fn(&Value) -> Result<T, String>, absent: T) -> Result<T, String> {
    if value.is_null() { Ok(absent) } else { read(value) }
}

fn policy(given: &Value) -> Result<Policy, String> {
    knows(given, &POLICY)?;
    let usual = Policy::default();
    Ok(Policy {
        max_retries_failure: or(&given[POLICY[0]], number, usual.max_retries_failure)?,
        max_retries_preemption: or(&given[POLICY[1]], number, usual.max_retries_preemption)?,
        max_task_failures: or(&given[POLICY[2]], number, usual.max_task_failures)?,
        replicas: or(&given[POLICY[3]], number, usual.replicas)?,
        coscheduled: or(&given[POLICY[4]], flag, usual.coscheduled)?,
    })
}

fn event(given: &Value) -> Result<Event, String> {
    knows(given, &["task", "outcome", "phase"])?;
    let outcome = named(&given["outcome"], Outcome::from_name)?;
    // A cancel is the job's, whichever task it names, if it names one.
    let task = match &given["task"] {
        Value::Null if outcome == Outcome::CancelJob => 0,
        task => number(task)?,
    };
    let phase = or(&given["phase"], |value| named(value, Phase::from_name), Phase::default())?;
    Ok(Event { task, outcome, phase })
}

fn history(rules: &Rules, history: &Value) -> Result<Value, String> {
    let mut job = Job::new(rules.policy.replicas);
    let mut trace = Vec::new();
    let mut changes = Vec::new();
    for given in history.as_array().ok_or("there is no history")? {
        let event = event(given)?;
        let decision = job.apply(rules, event, &mut changes);
        trace.push(match (decision.ruling, decision.task_state) {
            (Ruling::Ignored(Ignored::NoTask), _) | (_, None) => {
                return Err(format!("there is no task {}", event.task));
            }
            (Ruling::Ignored(Ignored::JobOver), _) => "ignored: job terminal".to_owned(),
            (Ruling::Ignored(Ignored::TaskOver), _) => "ignored: task terminal".to_owned(),
            (Ruling::Cancelled, _) => "job cancelled".to_owned(),
            (Ruling::Task(_), Some(state)) => {
                let job = decision.job_state().as_str();
                format!("task{}:{} job:{job}", event.task, state.as_str())
            }
        });
    }
    let tasks = job.tasks();
    let counts = || tasks.iter().map(|task| task.counts);
    Ok(json!({
        "job_state": job.state().as_str(),
        "task_states": tasks.iter().map(|task| task.state.as_str()).collect::<Vec<_>>(),
        "failure_counts": counts().map(|counts| counts.failure).collect::<Vec<_>>(),
        "preemption_counts": counts().map(|counts| counts.preemption).collect::<Vec<_>>(),
        "attempts": tasks.iter().map(|task| task.attempts).collect::<Vec<_>>(),
        "is_finished": tasks.iter().map(|task| rules.is_finished(task)).collect::<Vec<_>>(),
        "trace": trace,
    }))
}

fn attempt_counts(profile: Profile, input: &Value) -> Result<Value, String> {
    let attempts = input.as_array().ok_or("there are no attempts")?.iter().map(|attempt| {
        knows(attempt, &["state", "started"])?;
        Ok((named(&attempt["state"], TaskState::from_name)?, flag(&attempt["started"])?))
    });
    let counts = profile.counts(attempts.collect::<Result<Vec<_>, String>>()?);
    Ok(json!({"failure_count": counts.failure, "preemption_count": counts.preemption}))
}

/// The failures are the tasks that are `FAILED`, as the cases take them.
fn job_state(rules: &Rules, input: &Value) -> Result<Value, String> {
    knows(input, &["task_state_counts", "ever_started"])?;
    let counts = input["task_state_counts"].as_object().ok_or("there are no counts")?;
    let counts = counts.iter().map(|(state, count)| {
        let known = TaskState::from_name(state).ok_or_else(|| format!("no state `{state}`"))?;
        Ok((known, number(count)?))
    });
    let task_counts = TaskCounts::of(counts.collect::<Result<Vec<_>, String>>()?);
    let started = or(&input["ever_started"], flag, false)?;
    let state_reason = rules.state_reason(&task_counts, task_counts.failed, started);
    Ok(json!({"job_state": state_reason.state().as_str()}))
}
