//! Converts a failure given as pairs, such as `exitCode=137`, to a record.
//!
//! The keys are the fields of the system's records. Items of lists are given one by one: `container=NAME` begins
//! a container, to which the `init`, `exitCode`, `reason` and `message` after it belong; `condition=NAME` names a condition of Armada's, `podCondition=TYPE` or
//! `podCondition=TYPE=STATUS` one of a pod, `exception=CLASS` a class of an exception of Airflow's, the most derived first.

use document::diag::did_you_mean;
use document::{Kind, Shape};
use serde_json::{Map, Value, json};

/// Why a pair is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairFault {
    /// The message, which names the wrong key or value.
    pub message: String,
    /// A correction, if there is one.
    pub help: Option<String>,
}

/// Fields that identify a run or hold its times: a failure has none. Its cluster chooses the executor that reports it.
const OF_RUNS: [&str; 7] =
    ["jobId", "queue", "jobSet", "runIndex", "startedAt", "finishedAt", "terminationConfirmedAt"];
/// The keys that belong to a container.
const OF_CONTAINERS: [&str; 5] = ["container", "init", "exitCode", "reason", "message"];
const CONTAINERS: &str = "containers";
/// Armada's conditions, which are names, and the key that gives one.
const CONDITION: &str = "condition";
const CONDITIONS: &str = "conditions";
/// Kubernetes' conditions, which have a status, and the key that gives one.
const POD_CONDITION: &str = "podCondition";
const POD_CONDITIONS: &str = "podConditions";
/// The classes of an exception, and the key that gives one.
const EXCEPTION: &str = "exception";
const EXCEPTIONS: &str = "exceptions";

/// The keys of pairs for Armada's failures, in the order in which they are usually given.
pub fn failure_keys() -> Vec<&'static str> {
    let of_run =
        ["category", "subcategory", "outcome", "terminationGracePeriodSeconds", "node", "cluster"];
    [CONDITION].into_iter().chain(OF_CONTAINERS).chain(of_run).collect()
}

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
    let (mut containers, mut conditions, mut pod_conditions) = (vec![], vec![], vec![]);
    let mut exceptions = vec![];
    record.insert("jobId".to_owned(), json!(unit));
    for (place, (key, value)) in pairs.iter().enumerate() {
        let again = || pairs[..place].iter().any(|(earlier, _)| earlier == key);
        let has = |name: &str| shape.field(name).is_some();
        match key.as_str() {
            key if OF_CONTAINERS.contains(&key) && has(CONTAINERS) => {
                container(&mut containers, key, value)?;
            }
            CONDITION | CONDITIONS if has(CONDITIONS) => conditions.push(json!(value)),
            POD_CONDITION | POD_CONDITIONS if has(POD_CONDITIONS) => {
                // A condition is named because it holds.
                let (name, status) = value.split_once('=').unwrap_or((value, "True"));
                pod_conditions.push(json!({"type": name, "status": status}));
            }
            EXCEPTION | EXCEPTIONS if has(EXCEPTIONS) => exceptions.push(json!(value)),
            key => {
                let kind = field(shape, key)?;
                // Only keys of lists may repeat.
                if again() {
                    let message = format!("`{key}` is given twice, but a failure has only one");
                    return Err(PairFault { message, help: None });
                }
                record.insert(key.to_owned(), scalar(key, value, kind)?);
            }
        }
    }
    let lists = [
        (CONTAINERS, containers),
        (CONDITIONS, conditions),
        (POD_CONDITIONS, pod_conditions),
        (EXCEPTIONS, exceptions),
    ];
    for (key, list) in lists {
        if !list.is_empty() {
            record.insert(key.to_owned(), Value::Array(list));
        }
    }
    if let Some(failed) = failed_outcome(shape) {
        record.entry("outcome").or_insert_with(|| json!(failed));
    }
    Ok(Value::Object(record))
}

/// The outcome of a failure without one, as the system writes it: `Failed`, or `FAILED`.
pub(super) fn failed_outcome(shape: &'static Shape) -> Option<&'static str> {
    match shape.field("outcome")?.kind {
        Kind::OneOf(outcomes) => {
            let named = outcomes.values.iter().map(|choice| choice.value);
            named.into_iter().find(|value| value.eq_ignore_ascii_case("failed"))
        }
        _ => None,
    }
}

/// Returns the kind of the values of a failure's field.
fn field(shape: &'static Shape, key: &str) -> Result<&'static Kind, PairFault> {
    let known = shape.fields.iter().filter(|field| !OF_RUNS.contains(&field.name));
    let known = known
        .filter(|field| !matches!(field.kind, Kind::List { .. } | Kind::Map(_) | Kind::Object(_)));
    if let Some(field) = known.clone().find(|field| field.name == key) {
        return Ok(&field.kind);
    }
    let mut names: Vec<&str> = known.map(|field| field.name).collect();
    if shape.field(CONTAINERS).is_some() {
        names.extend(OF_CONTAINERS);
    }
    let of_lists =
        [(CONDITIONS, CONDITION), (POD_CONDITIONS, POD_CONDITION), (EXCEPTIONS, EXCEPTION)];
    for (list, key) in of_lists {
        names.extend(shape.field(list).map(|_| key));
    }
    let help = match did_you_mean(key, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("its keys are {}", names.join(", ")),
    };
    Err(PairFault { message: format!("unknown key of --failure `{key}`"), help: Some(help) })
}

fn scalar(key: &str, value: &str, kind: &Kind) -> Result<Value, PairFault> {
    match kind {
        Kind::Whole { .. } => number(key, value),
        Kind::Number { .. } | Kind::Finite => decimal(key, value),
        Kind::Boolean => boolean(key, value),
        _ => Ok(json!(value)),
    }
}

fn number(key: &str, value: &str) -> Result<Value, PairFault> {
    let number: Result<i64, _> = value.parse();
    number.map(|number| json!(number)).map_err(|_| PairFault {
        message: format!("`{key}={value}`: `{value}` is not a whole number"),
        help: None,
    })
}

fn decimal(key: &str, value: &str) -> Result<Value, PairFault> {
    let number: Option<f64> = value.parse().ok().filter(|number: &f64| number.is_finite());
    number.map(|number| json!(number)).ok_or_else(|| PairFault {
        message: format!("`{key}={value}`: `{value}` is not a number"),
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
    let Some(Value::Object(last)) = all.last_mut() else { return Ok(()) };
    if last.insert(key.to_owned(), value).is_some() {
        let message = format!("`{key}` is given twice for one container");
        let help = Some("begin another container with `container=NAME`".to_owned());
        return Err(PairFault { message, help });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{ArmadaRun, Table};

    fn of(pairs: &[(&str, &str)]) -> Result<Value, PairFault> {
        let pairs: Vec<(String, String)> =
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        record_of_pairs(Table::<ArmadaRun>::RECORD, "a", &pairs)
    }

    #[test]
    fn joins_the_pairs_of_list_items() {
        let pairs =
            [("exitCode", "3"), ("condition", "Evicted"), ("container", "b"), ("init", "true")];
        let containers = json!([{"name": "main", "exitCode": 3}, {"name": "b", "init": true}]);
        let mut record = json!({"jobId": "a", "outcome": "Failed", "conditions": ["Evicted"]});
        record["containers"] = containers;
        assert_eq!(of(&pairs), Ok(record));
    }

    #[test]
    fn accepts_only_fields_of_failures_as_keys() {
        for key in ["runIndex", "jobSet", "annotations", "gang", "podCondition", "exitcode"] {
            let fault = of(&[(key, "1")]).expect_err(key);
            assert!(fault.message.contains(key) && fault.help.is_some(), "{fault:?}");
        }
        assert!(of(&[("node", "a"), ("node", "b")]).is_err());
        assert!(of(&[("container", "a"), ("container", "a")]).is_err());
    }
}
