//! What a set of questions reached: a property that never met a situation has said nothing about it.

mod fields;

pub use fields::Fields;

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use super::json::{list, text};
use super::{Input, simulate};

/// Every situation that a few thousand questions must have met.
const EXPECTED: [&str; 48] = [
    "v1 retry",
    "v1 fail_rule",
    "v1 fail_default",
    "v1 fail_fast",
    "v1 fail_rule_limit",
    "v1 fail_policy_limit",
    "v1 fail_global_limit",
    "v1 fail_gang",
    "v1 gang_rerun",
    "v1 legacy_retry",
    "v1 legacy_fail",
    "v1beta1 retry",
    "v1beta1 fail_rule",
    "v1beta1 fail_default",
    "v1beta1 fail_policy_limit",
    "v1beta1 fail_global_limit",
    "v1beta1 legacy_retry",
    "v1beta1 legacy_fail",
    "outcome Succeeded",
    "outcome Failed",
    "outcome Unresolved",
    "outcome Cancelled",
    "limitSource rule",
    "limitSource policy",
    "limitSource global",
    "kill switch",
    "global stop of a Fail rule's run",
    "default retried",
    "contradiction",
    "runs not reached",
    "memory grown",
    "node avoided",
    "several nodes avoided",
    "delay above 0",
    "delay without retryAfter",
    "no effective policy",
    "several effective policies",
    "gang: Succeeded reruns",
    "gang: Stopped reruns",
    "gang: ended, Stopped undecided",
    "gang: engine retry refused",
    "gang: lease return refused",
    "gang: Cancelled",
    "gang: members of different length",
    "gang: in v1beta1",
    "reload matters",
    "policy missing",
    "index written",
];

/// Counts of situations.
#[derive(Default)]
pub struct Coverage {
    questions: u64,
    situations: BTreeMap<String, u64>,
}

impl Coverage {
    /// Adds one question and its report.
    pub fn add(&mut self, input: &Input, report: &Value) {
        self.questions += 1;
        let engine = report["engine"].as_str().unwrap_or_default();
        for (job, record) in list(report, "jobs")
            .iter()
            .zip(list(&input.history["spec"], "jobs"))
        {
            self.job(engine, job, record);
        }
        let mut still = input.clone();
        still.history["spec"]["events"] = Value::Null;
        self.note(simulate(&still) != *report, "reload matters");
        self.note(report["summary"]["contradictions"] != 0, "contradiction");
    }

    /// The situations that were never met.
    pub fn missing(&self) -> Vec<&'static str> {
        EXPECTED
            .into_iter()
            .filter(|situation| !self.situations.contains_key(*situation))
            .collect()
    }

    fn note(&mut self, met: bool, situation: &str) {
        if met {
            *self.situations.entry(situation.to_owned()).or_default() += 1;
        }
    }

    fn job(&mut self, engine: &str, job: &Value, record: &Value) {
        let runs = list(record, "runs");
        let decisions = list(job, "decisions");
        let policies = list(job, "effectivePolicies").len();
        self.note(
            true,
            &format!("outcome {}", text(job, "outcome").unwrap_or_default()),
        );
        self.note(policies == 0, "no effective policy");
        self.note(policies > 1, "several effective policies");
        self.note(job["notReached"] != 0, "runs not reached");
        self.note(
            runs.iter().any(|run| run.get("runIndex").is_some()),
            "index written",
        );
        self.note(
            record["annotations"]["armadaproject.io/retry-policy"]
                .as_str()
                .is_some_and(|names| names.contains("gone")),
            "policy missing",
        );
        for (decision, run) in decisions.iter().zip(runs) {
            self.decision(engine, decision, run);
        }
        let last = decisions.len();
        let ended = runs
            .get(last)
            .map_or("", |run| text(run, "outcome").unwrap_or_default());
        self.note(
            ended == "Stopped" && job["outcome"] == "Failed",
            "gang: ended, Stopped undecided",
        );
        self.note(
            ended != "Cancelled" && job["outcome"] == "Cancelled",
            "gang: Cancelled",
        );
        let in_gang = ended == "Stopped" || runs.iter().any(|run| run["outcome"] == "Stopped");
        self.note(in_gang && engine == "v1beta1", "gang: in v1beta1");
        self.note(
            in_gang && job["outcome"] == "Unresolved",
            "gang: members of different length",
        );
    }

    fn decision(&mut self, engine: &str, decision: &Value, run: &Value) {
        let code = text(decision, "decision").unwrap_or_default();
        let outcome = text(run, "outcome").unwrap_or_default();
        self.note(true, &format!("{engine} {code}"));
        self.note(true, &format!("{outcome} decided {code}"));
        if let Some(source) = text(decision, "limitSource") {
            self.note(true, &format!("limitSource {source}"));
        }
        let retried = code == "retry";
        let stopped = code == "fail_global_limit";
        let avoided = list(decision, "avoidNodes").len();
        self.note(stopped && decision["globalMaxRetries"] == 0, "kill switch");
        self.note(
            stopped && decision["count"] == 0,
            "global stop of a Fail rule's run",
        );
        self.note(
            retried && decision["ruleIndex"].is_null(),
            "default retried",
        );
        self.note(!decision["memoryBytes"].is_null(), "memory grown");
        self.note(avoided > 0, "node avoided");
        self.note(avoided > 1, "several nodes avoided");
        self.note(
            decision["delaySeconds"].as_f64() > Some(0.0),
            "delay above 0",
        );
        self.note(
            retried && decision["retryAfter"].is_null(),
            "delay without retryAfter",
        );
        self.note(
            code == "gang_rerun" && outcome == "Succeeded",
            "gang: Succeeded reruns",
        );
        self.note(
            code == "gang_rerun" && outcome == "Stopped",
            "gang: Stopped reruns",
        );
        self.note(
            code == "fail_gang" && !decision["policy"].is_null(),
            "gang: engine retry refused",
        );
        self.note(
            code == "fail_gang" && decision["policy"].is_null(),
            "gang: lease return refused",
        );
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} questions", self.questions)?;
        self.situations
            .iter()
            .try_for_each(|(situation, times)| writeln!(f, "{times:>9}  {situation}"))
    }
}
