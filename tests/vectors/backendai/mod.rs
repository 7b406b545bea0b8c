//! The BEP-1053 draft: waits, decisions, merged layers and creation ids, a case each.
//!
//! Every field of a case has to be known, whatever its kind.
//!
//! Holds cli.md The other systems.

mod delay;
mod policy;

use serde_json::{Map, Value, json};
use systems::backendai::{
    CREATION_ID_LIMIT, Cause, Draw, FailedSession, Interpretation, RetryEvent, SessionId,
    StopReason, creation_suffix, decide, first_overflow,
};

/// Evaluates a case as its kind says.
pub fn run(case: &Value) -> Result<(), String> {
    const FIELDS: &[&str] = &[
        "name", "kind", "system", "profile", "source", "note", "evidence", "policy", "input",
        "expected",
    ];
    known(case, FIELDS)?;
    match &case["profile"] {
        Value::Null => {}
        Value::String(profile) if profile == "draft" => {}
        other => return Err(format!("no profile {other}")),
    }
    match case["kind"].as_str().unwrap_or_default() {
        "delay" => delay::run(case),
        "decision" => decision(case),
        "merge" => merge(case),
        "creation_id" => creation_id(case),
        other => Err(format!("no answer for the kind `{other}`")),
    }
}

/// The fields of an object, each of which has to be one of these; null has none.
fn known<'v>(value: &'v Value, fields: &[&str]) -> Result<Vec<(&'v str, &'v Value)>, String> {
    let all: Option<&Map<String, Value>> = match value {
        Value::Null => None,
        Value::Object(all) => Some(all),
        other => return Err(format!("{other} has no fields")),
    };
    let mut names = all.into_iter().flat_map(Map::keys);
    match names.find(|name| !fields.contains(&name.as_str())) {
        Some(name) => Err(format!("no field `{name}`")),
        None => Ok(all.into_iter().flatten().map(|(name, value)| (name.as_str(), value)).collect()),
    }
}

/// Compares what a case asserts with what came. `null` asserts nothing.
fn meet(expected: &Value, actual: &[(&str, Value)]) -> Result<(), String> {
    let fields: Vec<&str> = actual.iter().map(|(name, _)| *name).collect();
    for (name, wanted) in known(expected, &fields)? {
        let came = actual.iter().find(|(field, _)| *field == name).map(|(_, came)| came);
        if !wanted.is_null() && !came.is_some_and(|came| same(wanted, came)) {
            return Err(format!("{name} is {}, not {wanted}", came.unwrap_or(&Value::Null)));
        }
    }
    Ok(())
}

/// Whether two values are the same, numbers to a millionth of a second.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(ones), Value::Array(others)) => {
            ones.len() == others.len() && ones.iter().zip(others).all(|(a, b)| same(a, b))
        }
        _ => match (one.as_f64(), other.as_f64()) {
            (Some(one), Some(other)) => (one - other).abs() < 1e-6,
            _ => one == other,
        },
    }
}

fn count(value: &Value, what: &str) -> Result<u32, String> {
    let count = value.as_u64().and_then(|count| u32::try_from(count).ok());
    count.ok_or_else(|| format!("`{what}` is {value}, and no count"))
}

fn flag(value: &Value, usual: bool) -> Result<bool, String> {
    match value {
        Value::Null => Ok(usual),
        value => value.as_bool().ok_or_else(|| format!("{value} is neither true nor false")),
    }
}

fn text<'v>(value: &'v Value, what: &str) -> Result<&'v str, String> {
    value.as_str().ok_or_else(|| format!("`{what}` is {value}, and no text"))
}

fn decision(case: &Value) -> Result<(), String> {
    let input = &case["input"];
    known(input, &["session_id", "retry_count", "cause", "child_exists", "session_type"])?;
    let id = SessionId::new(input["session_id"].as_str().unwrap_or_default());
    let named = text(&input["cause"], "cause")?;
    let failed = FailedSession {
        id: &id,
        retry_count: count(&input["retry_count"], "retry_count")?,
        cause: Cause::from_name(named).ok_or_else(|| format!("no cause `{named}`"))?,
        batch: input["session_type"].is_null() || input["session_type"] == "batch",
        child_exists: flag(&input["child_exists"], false)?,
    };
    let policy = policy::layer(&case["policy"])?.policy();
    let decision = decide(&policy, Interpretation::default(), &failed, Draw::LOWEST);
    let retry = decision.verdict.retry();
    meet(
        &case["expected"],
        &[
            ("decision", json!(decision.verdict.as_str())),
            ("reason", json!(decision.verdict.stop().map(StopReason::as_str))),
            ("event", json!(decision.event.map(RetryEvent::as_str))),
            ("attempt", json!(decision.attempt.to_string())),
            ("child_retry_count", json!(retry.map(|retry| retry.retry_count))),
            ("child_creation_suffix", json!(retry.map(|retry| creation_suffix(retry.retry_count)))),
            ("child_attempt", json!(retry.map(|retry| retry.attempt.to_string()))),
        ],
    )
}

fn merge(case: &Value) -> Result<(), String> {
    // What the policies of such cases say stands in their layers.
    known(&case["policy"], &[])?;
    let merged = policy::layers(&case["input"])?.policy();
    let mut expected = case["expected"].clone();
    // A set has no order.
    if let Some(causes) = expected.get_mut("eligible_causes").and_then(Value::as_array_mut) {
        causes.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
    }
    meet(&expected, &policy::fields(&merged))
}

fn creation_id(case: &Value) -> Result<(), String> {
    let input = &case["input"];
    known(input, &["root_creation_id"])?;
    let root = text(&input["root_creation_id"], "root_creation_id")?;
    let max_retries = policy::layer(&case["policy"])?.policy().max_retries;
    let mut chain = vec![root.to_owned()];
    for retry_count in 1..=max_retries {
        chain.push(format!("{}{}", chain[chain.len() - 1], creation_suffix(retry_count)));
    }
    let lengths: Vec<usize> = chain.iter().map(|id| id.chars().count()).collect();
    let overflow = first_overflow(root.chars().count(), max_retries);
    meet(
        &case["expected"],
        &[
            ("chain", json!(chain)),
            ("lengths", json!(lengths)),
            ("column_limit", json!(CREATION_ID_LIMIT)),
            ("first_overflow_at_retry", json!(overflow)),
        ],
    )
}
