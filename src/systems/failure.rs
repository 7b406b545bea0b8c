//! A failure given as pairs, such as `exitCode=137`, as the record that says the same.
//!
//! The keys are the fields of a system's records. What stands in lists is given piece by piece:
//! `container=NAME` begins a container, to which `init`, `exitCode`, `reason` and `message` then
//! belong, and `podCondition=TYPE` or `podCondition=TYPE=STATUS` names a condition.

use crate::diag::did_you_mean;
use crate::document::{Kind, Shape};
use serde_json::{Map, Value, json};

/// Why a pair says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairFault {
    /// What is wrong.
    pub message: String,
    /// The way out, if there is one.
    pub help: Option<String>,
}

/// Fields that say of which run a record is, and when: a failure has none.
const OF_RUNS: [&str; 6] = ["jobId", "queue", "runIndex", "startedAt", "finishedAt", "cluster"];
/// The keys that belong to a container.
const OF_CONTAINERS: [&str; 5] = ["container", "init", "exitCode", "reason", "message"];
const CONTAINERS: &str = "containers";
const CONDITION: &str = "podCondition";
const CONDITIONS: &str = "podConditions";

/// The record of a unit's failed run that the pairs describe.
///
/// # Errors
///
/// If a key is none of the shape's, or a value is none of its key's.
pub fn record_of_pairs(
    shape: &'static Shape,
    unit: &str,
    pairs: &[(String, String)],
) -> Result<Value, PairFault> {
    let mut record = Map::new();
    let (mut containers, mut conditions) = (Vec::new(), Vec::new());
    record.insert("jobId".to_owned(), json!(unit));
    for (place, (key, value)) in pairs.iter().enumerate() {
        let again = || pairs[..place].iter().any(|(earlier, _)| earlier == key);
        let has = |name: &str| shape.field(name).is_some();
        match key.as_str() {
            key if OF_CONTAINERS.contains(&key) && has(CONTAINERS) => {
                container(&mut containers, key, value)?;
            }
            CONDITION | CONDITIONS if has(CONDITIONS) => {
                let (name, status) = value.split_once('=').unwrap_or((value, "True"));
                let condition = json!({"type": name, "status": status});
                conditions.push(condition);
            }
            key => {
                let kind = field(shape, key)?;
                if again() {
                    let message = format!("a failure has one `{key}`, and two are given");
                    return Err(PairFault { message, help: None });
                }
                record.insert(key.to_owned(), scalar(key, value, kind)?);
            }
        }
    }
    for (key, list) in [(CONTAINERS, containers), (CONDITIONS, conditions)] {
        if !list.is_empty() {
            record.insert(key.to_owned(), Value::Array(list));
        }
    }
    record.entry("outcome").or_insert_with(|| json!("Failed"));
    Ok(Value::Object(record))
}

/// What a field of a failure holds.
fn field(shape: &'static Shape, key: &str) -> Result<&'static Kind, PairFault> {
    let known = shape.fields.iter().filter(|field| !OF_RUNS.contains(&field.name));
    let known = known.filter(|field| !matches!(field.kind, Kind::List { .. }));
    if let Some(field) = known.clone().find(|field| field.name == key) {
        return Ok(&field.kind);
    }
    let mut names: Vec<&str> = known.map(|field| field.name).collect();
    if shape.field(CONTAINERS).is_some() {
        names.extend(OF_CONTAINERS);
    }
    if shape.field(CONDITIONS).is_some() {
        names.push(CONDITION);
    }
    let help = match did_you_mean(key, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("its keys are {}", names.join(", ")),
    };
    Err(PairFault { message: format!("--failure has no key `{key}`"), help: Some(help) })
}

fn scalar(key: &str, value: &str, kind: &Kind) -> Result<Value, PairFault> {
    match kind {
        Kind::Whole { .. } => number(key, value),
        Kind::Boolean => boolean(key, value),
        _ => Ok(json!(value)),
    }
}

fn number(key: &str, value: &str) -> Result<Value, PairFault> {
    let number: Result<i64, _> = value.parse();
    number.map(|number| json!(number)).map_err(|_| PairFault {
        message: format!("`{key}={value}`: `{value}` is no whole number"),
        help: None,
    })
}

fn boolean(key: &str, value: &str) -> Result<Value, PairFault> {
    let boolean: Result<bool, _> = value.parse();
    boolean.map(|boolean| json!(boolean)).map_err(|_| PairFault {
        message: format!("`{key}={value}`: write true or false"),
        help: None,
    })
}

/// Reads a key of a container: of a new one, of the last, or else of `main`.
fn container(all: &mut Vec<Value>, key: &str, value: &str) -> Result<(), PairFault> {
    if key == "container" {
        if all.iter().any(|other| other["name"] == value) {
            let message = format!("two containers are named `{value}`");
            return Err(PairFault { message, help: None });
        }
        all.push(json!({"name": value}));
        return Ok(());
    }
    if all.is_empty() {
        all.push(json!({"name": "main"}));
    }
    let value = match key {
        "init" => boolean(key, value)?,
        "exitCode" => number(key, value)?,
        _ => json!(value),
    };
    if let Some(Value::Object(last)) = all.last_mut() {
        last.insert(key.to_owned(), value);
    }
    Ok(())
}
