//! Airflow's task instances: delays before retries, and whether there is a retry at all.
//!
//! A case of kind `retry_policy` is a task with its tries. Any other asserts the one, the other or both, as its `expected` holds. Its policy is that of the
//! task object that was asked; a field that no answer hangs on and that is not known to be one is a
//! failure.
//!
//! Holds cli.md The other systems.

mod fields;
mod policies;

use fields::Fields;
use serde_json::Value;
use systems::airflow::{
    AirflowPolicy, Backoff, Hashed, InstanceState, LogicalDate, Profile, TaskInstance, TimeDelta,
    TryNumbers, delay, eligibility,
};

/// What a task's settings hold.
const POLICY: &[&str] = &[
    "retries",
    "retry_delay_seconds",
    "retry_exponential_backoff",
    "max_retry_delay_seconds",
    "core.max_task_retry_delay",
];

/// What is said of a task instance and its try. The last three are in no answer: a delay is counted
/// from `end_date`, and neither `run_id` nor `map_index` is hashed.
const INPUT: &[&str] = &[
    "dag_id",
    "task_id",
    "logical_date",
    "logical_date_str",
    "sha1_input",
    "state",
    "try_number",
    "max_tries",
    "retry_delay_override",
    "run_id",
    "map_index",
    "end_date",
];

/// Answers a case and compares what it asserts; `null` asserts nothing.
pub fn run(case: &Value) -> Result<(), String> {
    if case["kind"] == "retry_policy" {
        return policies::run(case);
    }
    let case = Fields::of("case", case)?;
    case.only(&[
        "name", "system", "kind", "source", "policy", "input", "expected", "profile", "note",
        "evidence",
    ])?;
    let profile = match case.text("profile")? {
        None => Profile::V3_3,
        Some(name) => Profile::from_name(name).ok_or_else(|| format!("no profile `{name}`"))?,
    };
    let expected = Fields::of("expected", case.value("expected"))?;
    expected.only(&["eligible", "delay_seconds", "overflow"])?;
    if !expected.has("eligible") {
        return waits(profile, &case, &expected);
    }
    eligible(profile, &case, &expected)?;
    if expected.value("delay_seconds").is_null() {
        return Ok(());
    }
    waits(profile, &case, &expected)
}

/// Whether the failed try is followed by another. A task that could not be loaded has no `retries`.
fn eligible(profile: Profile, case: &Fields<'_>, expected: &Fields<'_>) -> Result<(), String> {
    let policy = Fields::of("policy", case.value("policy"))?;
    policy.only(POLICY)?;
    let input = Fields::of("input", case.value("input"))?;
    input.only(INPUT)?;
    let state = match input.text("state")? {
        None => InstanceState::Other,
        Some(name) => InstanceState::from_name(name).ok_or_else(|| format!("no state `{name}`"))?,
    };
    let tries = TryNumbers {
        retries: policy.integer("retries")?,
        try_number: input.integer("try_number")?.ok_or("there is no try_number")?,
        max_tries: input.integer("max_tries")?.ok_or("there is no max_tries")?,
    };
    let answer = eligibility(profile, state, tries);
    match expected.value("eligible").as_bool() {
        Some(wanted) if wanted != answer.retries() => {
            Err(format!("eligible is {}, not {wanted}: {answer:?}", answer.retries()))
        }
        _ => Ok(()),
    }
}

/// How long the try after the failed one waits, and what was hashed for it.
fn waits(profile: Profile, case: &Fields<'_>, expected: &Fields<'_>) -> Result<(), String> {
    let policy = policy(profile, case)?;
    let input = Fields::of("input", case.value("input"))?;
    input.only(INPUT)?;
    let logical_date = match input.text("logical_date")? {
        None => LogicalDate::Absent,
        Some(text) => LogicalDate::parse(text).map_err(|error| error.to_string())?,
    };
    let task = TaskInstance {
        dag_id: input.text("dag_id")?.unwrap_or_default(),
        task_id: input.text("task_id")?.unwrap_or_default(),
        logical_date,
    };
    let column = input.integer("try_number")?.ok_or("there is no try_number")?;
    let hashed = Hashed { task, try_number: profile.read_try_number(column) };
    same("logical_date_str", input.text("logical_date_str")?, &logical_date.to_string())?;
    same("sha1_input", input.text("sha1_input")?, &hashed.to_string())?;
    let said = input.number("retry_delay_override")?.map(TimeDelta::from_seconds);
    let answer = delay(&policy, task, column, said);
    let Some(answer) = answer else {
        let is_expected = expected.value("overflow").as_bool() == Some(true);
        return if is_expected { Ok(()) } else { Err("the delay overflows".to_owned()) };
    };
    if expected.has("overflow") {
        return Err(format!("it does not overflow: {answer:?}"));
    }
    match expected.number("delay_seconds")? {
        Some(wanted) if TimeDelta::from_seconds(wanted) != answer.wait => Err(format!(
            "delay_seconds is {}, not {wanted}: {answer:?}",
            answer.wait.total_seconds()
        )),
        _ => Ok(()),
    }
}

fn policy(profile: Profile, case: &Fields<'_>) -> Result<AirflowPolicy, String> {
    let policy = Fields::of("policy", case.value("policy"))?;
    policy.only(POLICY)?;
    let usual = AirflowPolicy { profile, ..AirflowPolicy::default() };
    let stored = case.text("source")?.is_some_and(|source| source.contains("DagSerialization"));
    let seconds = |name| Ok::<_, String>(policy.number(name)?.map(TimeDelta::from_seconds));
    Ok(AirflowPolicy {
        retries: policy.integer("retries")?.unwrap_or(usual.retries),
        retry_delay: seconds("retry_delay_seconds")?.unwrap_or(usual.retry_delay),
        backoff: match policy.value("retry_exponential_backoff") {
            Value::Null => usual.backoff,
            // Only reading a stored DAG makes 2 of true; to Python itself it is 1.
            Value::Bool(flag) if !stored => Backoff::Number(f64::from(u8::from(*flag))),
            Value::Bool(flag) => Backoff::Flag(*flag),
            _ => Backoff::Number(policy.number("retry_exponential_backoff")?.unwrap_or_default()),
        },
        max_retry_delay: seconds("max_retry_delay_seconds")?,
        max_task_retry_delay: policy
            .integer("core.max_task_retry_delay")?
            .unwrap_or(usual.max_task_retry_delay),
        ..usual
    })
}

fn same(what: &str, wanted: Option<&str>, actual: &str) -> Result<(), String> {
    match wanted {
        Some(wanted) if wanted != actual => Err(format!("{what} is `{actual}`, not `{wanted}`")),
        _ => Ok(()),
    }
}
