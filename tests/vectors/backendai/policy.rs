//! Policies and layers as cases write them.

use super::{count, known, text};
use serde_json::{Value, json};
use systems::backendai::{
    BackoffStrategy, Cause, Causes, DelayLimit, JitterMode, Layer, Layers, RetryPolicy,
};

const FIELDS: &[&str] = &[
    "max_retries",
    "retry_delay",
    "backoff",
    "backoff_multiplier",
    "max_retry_delay",
    "jitter",
    "jitter_ratio",
    "eligible_causes",
    "emit_retry_events",
];

/// A layer, or a policy: what it leaves out is unset.
pub fn layer(value: &Value) -> Result<Layer, String> {
    let mut layer = Layer::default();
    for (field, value) in known(value, FIELDS)? {
        // Only of the limit is null a word, as in profiles.
        if !value.is_null() || field == "max_retry_delay" {
            set(&mut layer, field, value)?;
        }
    }
    Ok(layer)
}

fn set(layer: &mut Layer, field: &str, value: &Value) -> Result<(), String> {
    match field {
        "max_retries" => layer.max_retries = Some(count(value, field)?),
        "retry_delay" => layer.retry_delay = Some(number(value, field)?),
        "backoff" => layer.backoff = Some(named(value, field, BackoffStrategy::from_name)?),
        "backoff_multiplier" => layer.backoff_multiplier = Some(number(value, field)?),
        "max_retry_delay" => {
            let seconds = || number(value, field).map(DelayLimit::Seconds);
            let limit = if value.is_null() { DelayLimit::Null } else { seconds()? };
            layer.max_retry_delay = Some(limit);
        }
        "jitter" => layer.jitter = Some(named(value, field, JitterMode::from_name)?),
        "jitter_ratio" => layer.jitter_ratio = Some(number(value, field)?),
        "eligible_causes" => layer.eligible_causes = Some(causes(value)?),
        "emit_retry_events" => {
            let flag = value.as_bool().ok_or_else(|| format!("`{field}` is {value}"))?;
            layer.emit_retry_events = Some(flag);
        }
        other => return Err(format!("no field `{other}`")),
    }
    Ok(())
}

/// The three layers of a case.
pub fn layers(input: &Value) -> Result<Layers, String> {
    known(input, &["cluster", "project", "session"])?;
    Ok(Layers {
        cluster: layer(&input["cluster"])?,
        project: layer(&input["project"])?,
        session: layer(&input["session"])?,
    })
}

/// A policy's fields, as cases assert them; causes by name.
pub fn fields(policy: &RetryPolicy) -> Vec<(&'static str, Value)> {
    let mut causes: Vec<&str> = policy.eligible_causes.iter().map(Cause::as_str).collect();
    causes.sort_unstable();
    vec![
        ("max_retries", json!(policy.max_retries)),
        ("retry_delay", json!(policy.retry_delay)),
        ("backoff", json!(policy.backoff.as_str())),
        ("backoff_multiplier", json!(policy.backoff_multiplier)),
        ("max_retry_delay", json!(policy.max_retry_delay)),
        ("jitter", json!(policy.jitter.as_str())),
        ("jitter_ratio", json!(policy.jitter_ratio)),
        ("eligible_causes", json!(causes)),
        ("emit_retry_events", json!(policy.emit_retry_events)),
    ]
}

fn number(value: &Value, field: &str) -> Result<f64, String> {
    value.as_f64().ok_or_else(|| format!("`{field}` is {value}, and no number"))
}

fn named<T>(value: &Value, field: &str, of: impl Fn(&str) -> Option<T>) -> Result<T, String> {
    let name = text(value, field)?;
    of(name).ok_or_else(|| format!("`{field}` may not be `{name}`"))
}

fn causes(value: &Value) -> Result<Causes, String> {
    let list = value.as_array().ok_or_else(|| format!("{value} is no list of causes"))?;
    list.iter().map(|cause| named(cause, "eligible_causes", Cause::from_name)).collect()
}
