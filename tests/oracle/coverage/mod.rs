//! What a set of questions reached: a property that never met a situation has said nothing about it.

mod fields;
mod situations;

pub use fields::Fields;

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use super::history::{self, Job, Run, RunOutcome};
use super::json::{list, text};
use super::policy::is_v1beta1;
use super::time::instant;
use super::{Engine, Input, simulate, units};
use situations::EXPECTED;

/// Counts of situations.
#[derive(Default)]
pub struct Coverage {
    questions: u64,
    situations: BTreeMap<String, u64>,
}

/// One job of a question with what the report says of it.
struct Seen<'a> {
    engine: Engine,
    policies: &'a [Value],
    job: &'a Job,
    said: &'a Value,
}

impl Coverage {
    /// Adds one question and its report.
    pub fn add(&mut self, input: &Input, report: &Value) {
        self.questions += 1;
        let jobs = history::jobs(&input.history);
        let said = list(report, "jobs");
        for (job, said) in jobs.iter().zip(said) {
            self.job(&Seen { engine: input.engine, policies: &input.policies, job, said });
        }
        for unit in units(&jobs, input.engine) {
            let members: Vec<_> = unit.iter().map(|&of| (&jobs[of], &said[of])).collect();
            self.unit(&members);
        }
        let mut still = input.clone();
        still.history["spec"]["events"] = Value::Null;
        self.note(simulate(&still) != *report, "reload matters");
        let written = |job: &Value| list(job, "runs").iter().any(|run| run["runIndex"].is_u64());
        self.note(list(&input.history["spec"], "jobs").iter().any(written), "index written");
    }

    /// The situations that were never met.
    pub fn missing(&self) -> Vec<&'static str> {
        let met = |situation: &&str| self.situations.contains_key(*situation);
        EXPECTED.into_iter().filter(|situation| !met(situation)).collect()
    }

    fn note(&mut self, met: bool, situation: &str) {
        if met {
            *self.situations.entry(situation.to_owned()).or_default() += 1;
        }
    }

    fn job(&mut self, seen: &Seen) {
        let effective = list(seen.said, "effectivePolicies").len();
        let annotated = seen.job.annotation("retry-policy").unwrap_or_default();
        let in_beta = seen.engine == Engine::V1beta1 && seen.job.gang.is_some();
        self.note(true, &format!("outcome {}", text(seen.said, "outcome").unwrap_or_default()));
        self.note(effective == 0, "no effective policy");
        self.note(effective > 1, "several effective policies");
        self.note(seen.said["notReached"] != 0, "runs not reached");
        self.note(annotated.contains("gone"), "policy missing");
        self.note(in_beta, "gang: in v1beta1");
        for (position, decision) in list(seen.said, "decisions").iter().enumerate() {
            self.decision(seen, decision, &seen.job.runs[position]);
            if let Some(next) = seen.job.runs.get(position + 1) {
                self.contradiction(decision, next);
            }
        }
    }

    fn decision(&mut self, seen: &Seen, decision: &Value, run: &Run) {
        let code = text(decision, "decision").unwrap_or_default();
        let engine = if seen.engine == Engine::V1 { "v1" } else { "v1beta1" };
        self.note(true, &format!("{engine} {code}"));
        self.note(true, &format!("{:?} decided {code}", run.outcome));
        if let Some(source) = text(decision, "limitSource") {
            self.note(true, &format!("limitSource {source}"));
        }
        let retried = code == "retry";
        let stopped = code == "fail_global_limit";
        let by_default = decision["ruleIndex"].is_null();
        let avoided = list(decision, "avoidNodes").len();
        self.note(stopped && decision["globalMaxRetries"] == 0, "kill switch");
        self.note(
            stopped && seen.rule(decision)["action"] == "Fail",
            "global stop: of a Fail rule",
        );
        self.note(stopped && by_default, "global stop: of a default");
        self.note(retried && by_default, "default retried");
        self.note(!decision["memoryBytes"].is_null(), "memory grown");
        self.note(avoided > 0, "node avoided");
        self.note(avoided > 1, "several nodes avoided");
        self.note(decision["delaySeconds"].as_f64() > Some(0.0), "delay above 0");
        self.note(retried && decision["retryAfter"].is_null(), "delay without retryAfter");
        let refused = code == "fail_gang";
        let named = !decision["policy"].is_null();
        self.note(refused && named, "gang: ended by Fail, engine retry refused");
        self.note(refused && !named, "gang: ended by Fail, lease return refused");
        let reruns = code == "gang_rerun";
        self.note(reruns && run.outcome == RunOutcome::Succeeded, "gang: Succeeded reruns");
        self.note(reruns && run.outcome == RunOutcome::Stopped, "gang: Stopped reruns");
    }

    fn contradiction(&mut self, decision: &Value, next: &Run) {
        let nodes = list(decision, "avoidNodes").iter().filter_map(Value::as_str);
        let avoided = nodes.into_iter().any(|node| next.node.as_deref() == Some(node));
        let retry_after = text(decision, "retryAfter").and_then(|at| instant(at, 0));
        let early = next.started.zip(retry_after).is_some_and(|(started, at)| started < at);
        self.note(avoided, "contradiction: avoided node");
        self.note(early, "contradiction: too early");
    }

    /// What only the members together show.
    fn unit(&mut self, members: &[(&Job, &Value)]) {
        let decided = |said: &Value| list(said, "decisions").len();
        let ended_by = |job: &Job, said: &Value| job.runs.get(decided(said)).map(|run| run.outcome);
        let last = |said: &Value| list(said, "decisions").last().map(|last| last["action"].clone());
        let cancelled =
            members.iter().any(|(job, said)| ended_by(job, said) == Some(RunOutcome::Cancelled));
        let failed = members.iter().any(|(_, said)| last(said) == Some("Fail".into()));
        let lengths = members.iter().map(|(job, _)| job.runs.len());
        self.note(
            members.len() > 1 && lengths.clone().min() != lengths.max(),
            "gang: members of different length",
        );
        for (job, said) in members {
            let ended_by = ended_by(job, said);
            let outcome = text(said, "outcome").unwrap_or_default();
            let other = cancelled && ended_by != Some(RunOutcome::Cancelled);
            let gone = failed && outcome == "Unresolved";
            self.note(other && outcome == "Cancelled", "gang: Cancelled, another Cancelled too");
            self.note(other && outcome == "Succeeded", "gang: Cancelled, another Succeeded");
            self.note(
                failed && ended_by == Some(RunOutcome::Stopped),
                "gang: ended by Fail, Stopped undecided",
            );
            self.note(gone, "gang: ended by Fail, member already gone");
            let decisions = list(said, "decisions").iter();
            let returned =
                decisions.filter(|decision| decision["decision"] == "legacy_retry").count();
            self.note(members.len() > 1 && returned > 0, "gang: lease return reruns");
        }
    }
}

impl Seen<'_> {
    /// The rule a decision names, as its document has it; null for a default.
    fn rule(&self, decision: &Value) -> &Value {
        let named = |policy: &&Value| {
            policy["metadata"]["name"] == decision["policy"] || policy["name"] == decision["policy"]
        };
        let policy = self.policies.iter().find(named).unwrap_or(&Value::Null);
        let rules = if is_v1beta1(policy) { &policy["rules"] } else { &policy["spec"]["rules"] };
        decision["ruleIndex"]
            .as_u64()
            .and_then(|index| rules.get(usize::try_from(index).ok()?))
            .unwrap_or(&Value::Null)
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
