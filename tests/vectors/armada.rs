//! Armada's own engine: one decision of the `v1beta1` profile a case.
//!
//! Holds semantics.md 1, 4, 5, 6, 7.

use armada_retry::engine::{Decision, Evaluator, JobState, Scratch, V1BETA1};
use armada_retry::engine::{JobFields, Outcome};
use armada_retry::policy::{self, RetryPolicy, SchedulerSettings};
use document::diag::Source;
use replay::history::{ArmadaRun, Job, RunRecord};
use serde_json::{Value, json};
use std::sync::Arc;

/// Decides about the case's failure and compares what the case asserts.
pub fn run(case: &Value) -> Result<(), String> {
    let decision = decide(case)?;
    let retries = decision.code.retries();
    meet("retry", &case["expected"]["retry"], &json!(retries))?;
    meet("decision", &case["expected"]["decision"], &json!(decision.code.as_str()))?;
    let avoids = &case["mutation"]["affinity"]["avoidSameNode"];
    let granted = decision.grant.is_some_and(|grant| grant.avoids_nodes);
    meet("avoidSameNode", avoids, &json!(granted))
}

fn meet(what: &str, expected: &Value, actual: &Value) -> Result<(), String> {
    let met = expected.is_null() || expected == actual;
    met.then_some(()).ok_or_else(|| format!("{what} is {actual}, not {expected}"))
}

fn decide(case: &Value) -> Result<Decision, String> {
    let limit = number(case, "globalMaxRetries")?;
    let settings =
        SchedulerSettings { global_max_retries: Some(limit), ..SchedulerSettings::default() };
    let evaluator = Evaluator::new(&V1BETA1, vec![policy(case)?], settings, &[]);
    let used = number(case, "failures")?.saturating_sub(1);
    let job = Job::new("", JobFields::default());
    let mut state = JobState::new(&job.unit_fields, evaluator.route(&[0])).with_used(used, None);
    let mut scratch = Scratch::default();
    if case["noError"] == true {
        return Ok(evaluator.decide_without_error(&mut state, None));
    }
    let text = |key: &str| case[key].as_str().unwrap_or_default().into();
    let own = ArmadaRun {
        category: text("category"),
        subcategory: text("subcategory"),
        ..ArmadaRun::new(Outcome::Failed)
    };
    let run = RunRecord { node: Some("node-a".into()), own, ..RunRecord::default() };
    Ok(evaluator.decide(&mut state, run.ended(), None, &mut scratch))
}

/// The case's policy as the document it stands for.
fn policy(case: &Value) -> Result<Arc<RetryPolicy>, String> {
    let mut document = case["policy"].clone();
    document["apiVersion"] = json!("armadaproject.io/v1beta1");
    document["kind"] = json!("RetryPolicy");
    if !case["mutation"].is_null() {
        document["rules"][0]["mutate"] = case["mutation"].clone();
    }
    let (documents, findings) = policy::read(&[Source::new("policy.json", document.to_string())]);
    match documents.policies.as_slice() {
        [one] if !findings.has_errors() => Ok(Arc::clone(&one.policy)),
        _ => Err(format!("the policy is not valid: {:?}", findings.sorted())),
    }
}

fn number(case: &Value, key: &str) -> Result<u32, String> {
    let number = case[key].as_u64().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| format!("`{key}` is no number"))
}
