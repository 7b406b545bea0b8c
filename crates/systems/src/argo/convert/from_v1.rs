//! Converts a `v1` policy to a `WorkflowTemplate` with one template.

use crate::argo::manifest::shape::VERSION;
use crate::convert::{Budgets, Conversion, Notes};
use armada_retry::policy::{AntiAffinity, Backoff, RetryPolicy};
use document::units::GoDuration;
use serde_json::{Value, json};

const ACTION: &str = "spec.defaultAction";
const LIMIT: &str = "spec.retryLimit";
const BACKOFF: &str = "spec.backoff";

/// The image of the template, which a policy does not have.
const IMAGE: &str = "REPLACE-ME";
/// The name of the template.
const TEMPLATE: &str = "main";

/// Converts a `v1` policy to the retry strategy of a template.
pub fn from_v1(policy: &RetryPolicy) -> Conversion<Value> {
    let mut notes = Notes::default();
    let retries = retries(policy, &mut notes);
    let mut strategy = json!({"limit": retries, "retryPolicy": "Always"});
    if retries > 0 {
        write_backoff(policy.backoff.or(Backoff::BUILT_IN), &mut strategy, &mut notes);
        if policy.anti_affinity == Some(AntiAffinity::Node) {
            strategy["affinity"] = json!({"nodeAntiAffinity": {}});
            notes.carried("spec.antiAffinity", "as `affinity.nodeAntiAffinity`");
        }
    }
    let container = json!({"image": IMAGE});
    let template = json!({"name": TEMPLATE, "retryStrategy": strategy, "container": container});
    let workflow = json!({
        "apiVersion": VERSION,
        "kind": "WorkflowTemplate",
        "metadata": {"name": policy.name.as_str()},
        "spec": {"entrypoint": TEMPLATE, "templates": [template]},
    });
    Conversion { result: workflow, notes: notes.into_vec() }
}

/// Returns the one limit: the largest of the policy's.
fn retries(policy: &RetryPolicy, notes: &mut Notes) -> u32 {
    let budgets = Budgets::new(policy);
    let Budgets { ref rules, default, most, .. } = budgets;
    for (number, granted) in rules.iter().enumerate() {
        let path = format!("spec.rules[{number}]");
        if most == 0 {
            notes.carried(path, "as `limit: 0`");
            continue;
        }
        let what = match granted {
            0 => format!(
                "one strategy decides about all failures: those that this rule ends have {most} retries"
            ),
            _ => format!(
                "one strategy decides about all failures: this rule shares the {most} retries of all"
            ),
        };
        notes.lost(path, what).help("write `expression`, on the exit code or the message");
    }
    match (most, default) {
        (_, 0) if most > 0 => {
            let what =
                format!("one strategy decides about all failures: they share {most} retries");
            notes.lost(ACTION, what).help("write `expression`, on the exit code or the message");
        }
        _ => notes.carried(ACTION, format!("as `limit: {most}`")),
    }
    budgets.note_fleet(LIMIT, notes);
    most
}

/// Writes the waits.
fn write_backoff(backoff: Backoff, strategy: &mut Value, notes: &mut Notes) {
    let initial = backoff.initial_delay.unwrap_or(GoDuration::ZERO);
    let most = backoff.max_delay.unwrap_or(GoDuration::ZERO);
    let first = initial.min(most);
    let multiplier = backoff.multiplier.unwrap_or(1.0);
    if first == GoDuration::ZERO {
        return notes.carried(BACKOFF, "left out: there is no wait");
    }
    if multiplier <= 1.0 || initial >= most {
        strategy["backoff"] = json!({"duration": first.to_string()});
        return notes.carried(BACKOFF, format!("as `duration: {first}`"));
    }
    // Argo's factor is an integer; the nearest one changes the waits least.
    let factor = multiplier.round();
    #[expect(clippy::cast_possible_truncation, reason = "an overflow is the largest factor")]
    let whole = factor.max(1.0) as i32;
    strategy["backoff"] =
        json!({"duration": first.to_string(), "factor": whole, "cap": most.to_string()});
    if (factor - multiplier).abs() > f64::EPSILON {
        let what = format!("Argo's factors are whole numbers: {whole} instead of {multiplier}");
        notes.approximated(format!("{BACKOFF}.multiplier"), what);
    } else {
        notes.carried(
            BACKOFF,
            format!("as `duration: {first}`, `factor: {whole}` and `cap: {most}`"),
        );
    }
}
