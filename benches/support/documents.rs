//! Policy files, and plain structs for serde to read them into.

use super::policies::policy;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Writes policies into files of their own.
pub fn write(folder: &Path, files: u64, rules: usize) -> Vec<PathBuf> {
    let one = |seed| {
        let path = folder.join(format!("policy-{seed:04}.yaml"));
        let text = serde_yaml::to_string(&armada_retry::policy::to_value(&policy(seed, rules)))
            .expect("can be written");
        std::fs::write(&path, text).expect("room on the disk");
        path
    };
    (0..files).map(one).collect()
}

/// A policy as a program reads it that trusts its input.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only reading it is timed")]
pub struct Document {
    api_version: String,
    kind: String,
    metadata: Metadata,
    spec: Spec,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only reading it is timed")]
struct Metadata {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only reading it is timed")]
struct Spec {
    retry_limit: Option<u32>,
    default_action: Option<Action>,
    backoff: Option<Backoff>,
    rules: Vec<Rule>,
}

#[derive(Deserialize)]
enum Action {
    Retry,
    Fail,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only reading it is timed")]
struct Backoff {
    initial_delay: Option<String>,
    max_delay: Option<String>,
    multiplier: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only reading it is timed")]
struct Rule {
    action: Action,
    retry_limit: Option<u32>,
    container_name: Option<String>,
    on_exit_codes: Option<ExitCodes>,
    #[serde(default)]
    on_conditions: Vec<String>,
    on_termination_message: Option<Message>,
    #[serde(default)]
    on_failure_category: Vec<String>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only reading it is timed")]
struct ExitCodes {
    operator: Operator,
    values: Vec<i32>,
}

#[derive(Deserialize)]
enum Operator {
    In,
    NotIn,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only reading it is timed")]
struct Message {
    pattern: String,
}
