//! Answers cases for `tools/airflow/run`: reads failed tries from standard input, one JSON object
//! a line, and prints what this crate says of each in the same order.

use serde::Deserialize;
use serde_json::json;
use std::error::Error;
use std::io::{BufRead, BufWriter, Write};
use systems::airflow::{
    AirflowPolicy, Backoff, InstanceState, LogicalDate, Profile, TaskInstance, TimeDelta,
    TryNumbers, delay, eligibility,
};

/// A failed try, with the fields that `compare.py` draws.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    profile: String,
    dag_id: String,
    task_id: String,
    logical_date: Option<String>,
    try_number: i32,
    max_tries: i32,
    state: String,
    retries: Option<u32>,
    retry_delay: f64,
    retry_exponential_backoff: Growth,
    max_retry_delay: Option<f64>,
    max_task_retry_delay: u64,
    retry_delay_override: Option<f64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Growth {
    Flag(bool),
    Number(f64),
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let case: Case = serde_json::from_str(&line?)?;
        writeln!(out, "{}", answer(&case)?)?;
    }
    Ok(())
}

fn answer(case: &Case) -> Result<serde_json::Value, Box<dyn Error>> {
    let profile = Profile::from_name(&case.profile).ok_or("no such profile")?;
    let policy = AirflowPolicy {
        profile,
        retries: case.retries.unwrap_or_default(),
        retry_delay: TimeDelta::from_seconds(case.retry_delay),
        backoff: match case.retry_exponential_backoff {
            Growth::Flag(flag) => Backoff::Flag(flag),
            Growth::Number(number) => Backoff::Number(number),
        },
        max_retry_delay: case.max_retry_delay.map(TimeDelta::from_seconds),
        max_task_retry_delay: case.max_task_retry_delay,
        retry_policy: None,
    };
    let logical_date = case.logical_date.as_deref().map(LogicalDate::parse).transpose()?;
    let task = TaskInstance {
        dag_id: &case.dag_id,
        task_id: &case.task_id,
        logical_date: logical_date.unwrap_or_default(),
    };
    let said = case.retry_delay_override.map(TimeDelta::from_seconds);
    let delay = delay(&policy, task, case.try_number, said);
    let state = InstanceState::from_name(&case.state).ok_or("no such state")?;
    let tries = TryNumbers {
        retries: case.retries,
        try_number: case.try_number,
        max_tries: case.max_tries,
    };
    Ok(json!({
        "micros": delay.map(|delay| delay.wait.as_micros()),
        "rule": delay.map_or("OverflowError".to_owned(), |delay| format!("{:?}", delay.rule)),
        "eligible": eligibility(profile, state, tries).retries(),
    }))
}
