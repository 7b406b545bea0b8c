//! Which fields of the documents change an answer: taken away wherever they stand, one field at a time.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use super::super::{Input, simulate};

/// Every field that may change what is decided or shown.
const FIELDS: [&str; 52] = [
    "action",
    "affinity",
    "annotations",
    "antiAffinity",
    "armadaproject.io/failFast",
    "armadaproject.io/gangId",
    "armadaproject.io/retry-policy",
    "backoff",
    "category",
    "conditions",
    "containerName",
    "containers",
    "defaultAction",
    "defaultBackoff",
    "defaultPolicyName",
    "enabled",
    "events",
    "exitCode",
    "factor",
    "finishedAt",
    "gang",
    "globalMaxRetries",
    "includeInitContainers",
    "init",
    "initialDelay",
    "jobSet",
    "maxDelay",
    "maxRetries",
    "memory",
    "message",
    "minTerminationGracePeriod",
    "multiplier",
    "node",
    "onCategory",
    "onConditions",
    "onExitCodes",
    "onFailureCategory",
    "onFailureSubcategory",
    "onSubcategory",
    "onTerminationMessage",
    "operator",
    "queues",
    "reason",
    "retryLimit",
    "runIndex",
    "start",
    "startedAt",
    "static",
    "subcategory",
    "submission",
    "terminationConfirmedAt",
    "terminationGracePeriodSeconds",
];

/// How many questions have another answer without a field.
#[derive(Default)]
pub struct Fields {
    mattered: BTreeMap<&'static str, u64>,
}

impl Fields {
    /// Asks again without each field in turn.
    pub fn add(&mut self, input: &Input, report: &Value) {
        for field in FIELDS {
            let mut all = input.to_json();
            if remove(&mut all, field) {
                let without = Input::from_json(&all).expect("still a question");
                *self.mattered.entry(field).or_default() +=
                    u64::from(simulate(&without) != *report);
            }
        }
    }

    /// The fields that never changed an answer.
    pub fn missing(&self) -> Vec<&'static str> {
        FIELDS
            .into_iter()
            .filter(|field| self.mattered.get(field).is_none_or(|times| *times == 0))
            .collect()
    }
}

/// Takes a field away wherever it is; whether it was anywhere.
fn remove(value: &mut Value, field: &str) -> bool {
    let mut found = false;
    match value {
        Value::Object(fields) => {
            found |= fields.remove(field).is_some();
            fields.values_mut().for_each(|part| found |= remove(part, field));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| found |= remove(item, field)),
        _ => {}
    }
    found
}

impl fmt::Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.mattered
            .iter()
            .try_for_each(|(field, times)| writeln!(f, "{times:>9}  without {field}"))
    }
}
