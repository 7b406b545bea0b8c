//! The `SimulationReport` JSON of the command line's contract, every field but `reason`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Engine;
use super::World;
use super::decision::{Code, Decision, Named, Source};
use super::history::Job;
use super::policy::Action;
use super::replay::Fate;
use super::time::{in_seconds, shown};

/// A job with its effective policies and its fate.
pub struct Replayed<'a> {
    pub job: &'a Job,
    pub effective: Vec<String>,
    pub fate: Fate,
}

/// The whole report.
pub fn report(world: &World, replayed: &[Replayed]) -> Value {
    json!({
        "apiVersion": "armadaproject.io/v1",
        "kind": "SimulationReport",
        "engine": match world.engine { Engine::V1 => "v1", Engine::V1beta1 => "v1beta1" },
        "jobs": replayed.iter().map(|replayed| job(world, replayed)).collect::<Vec<_>>(),
        "summary": summary(world, replayed),
    })
}

fn job(world: &World, replayed: &Replayed) -> Value {
    let decisions = replayed.fate.decisions.iter();
    json!({
        "jobId": replayed.job.id,
        "queue": replayed.job.queue,
        "effectivePolicies": replayed.effective,
        "outcome": outcome(replayed),
        "retries": retries(replayed),
        "notReached": not_reached(replayed),
        "decisions": decisions.map(|made| decision(world, replayed.job, made)).collect::<Vec<_>>(),
    })
}

fn outcome(replayed: &Replayed) -> String {
    format!("{:?}", replayed.fate.outcome)
}

/// Section 5: "`retries` are decisions with action Retry (`legacy_retry` too, `gang_rerun` not)".
fn retries(replayed: &Replayed) -> usize {
    let counts = |made: &&Decision| made.code == Code::Retry || made.code == Code::LegacyRetry;
    replayed.fate.decisions.iter().filter(counts).count()
}

fn not_reached(replayed: &Replayed) -> usize {
    replayed.job.runs.len() - replayed.fate.reached
}

fn decision(world: &World, job: &Job, made: &Decision) -> Value {
    let run = &job.runs[made.position];
    let given = matches!(made.code, Code::Retry | Code::GangRerun);
    let next = pod_name(world, job, run.index + 1, made.enabled);
    let retried = made.code.action() == Action::Retry;
    json!({
        "runIndex": run.index,
        "podName": pod_name(world, job, run.index, made.enabled),
        "action": if retried { "Retry" } else { "Fail" },
        "decision": made.code.name(),
        "policy": made.named.as_ref().map(|named| &named.policy),
        "ruleIndex": made.named.as_ref().and_then(|named| named.rule),
        "count": made.limit.map(|limit| limit.count),
        "limit": made.limit.map(|limit| limit.of),
        "limitSource": made.limit.map(|limit| source(limit.source)),
        "totalRetries": made.total,
        "globalMaxRetries": made.global,
        "delaySeconds": made.delay.map(in_seconds),
        "retryAfter": made.retry_after.map(shown),
        "avoidNodes": made.avoid,
        "memoryBytes": made.memory.map(|bytes| u64::try_from(bytes).expect("bytes fit")),
        "nextPodName": given.then_some(next),
        "event": if retried { "JobRequeued" } else { "JobFailed" },
    })
}

/// Sections 1 and 9: the index is in the name of a retry's pod, in `v1`, while the engine is enabled.
fn pod_name(world: &World, job: &Job, index: u64, enabled: bool) -> String {
    let own = if world.engine == Engine::V1 && enabled && index > 0 {
        format!("-{index}")
    } else {
        String::new()
    };
    format!("armada-{}-0{own}", job.id)
}

fn source(source: Source) -> &'static str {
    match source {
        Source::Rule => "rule",
        Source::Policy => "policy",
        Source::Global => "global",
    }
}

fn summary(world: &World, replayed: &[Replayed]) -> Value {
    let decisions = || replayed.iter().flat_map(|replayed| &replayed.fate.decisions);
    json!({
        "jobs": replayed.len(),
        "failures": replayed.iter().map(failures).sum::<usize>(),
        "retries": replayed.iter().map(retries).sum::<usize>(),
        "byDecision": tally(decisions().map(|made| made.code.name().to_owned())),
        "byRule": by_rule(world, &decisions().collect::<Vec<_>>()),
        "outcomes": tally(replayed.iter().map(outcome)),
        "notReached": replayed.iter().map(not_reached).sum::<usize>(),
        "contradictions": replayed.iter().map(|replayed| replayed.fate.contradictions).sum::<usize>(),
    })
}

/// Section 5: "`failures` the failed runs decided that are not lease returns".
fn failures(replayed: &Replayed) -> usize {
    use super::history::RunOutcome::{Failed, LeaseExpired, Preempted};
    let outcome = |made: &&Decision| replayed.job.runs[made.position].outcome;
    let failed = |made: &&Decision| matches!(outcome(made), Failed | Preempted | LeaseExpired);
    replayed.fate.decisions.iter().filter(failed).count()
}

fn tally(names: impl Iterator<Item = String>) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

/// "a row for every rule and every default of the policies given, matched or not".
fn by_rule(world: &World, decisions: &[&Decision]) -> Vec<Value> {
    let mut rows = Vec::new();
    for policy in &world.policies {
        let rules = (0..policy.rules.len()).map(Some);
        for rule in rules.chain([None]) {
            rows.push(row(&Named { policy: policy.name.clone(), rule }, decisions));
        }
    }
    rows
}

fn row(named: &Named, decisions: &[&Decision]) -> Value {
    let attributed: Vec<_> =
        decisions.iter().filter(|made| made.named.as_ref() == Some(named)).collect();
    let exhausted = |made: &&&&Decision| {
        use Code::{FailGlobalLimit, FailPolicyLimit, FailRuleLimit};
        matches!(made.code, FailRuleLimit | FailPolicyLimit | FailGlobalLimit)
    };
    json!({
        "policy": named.policy,
        "ruleIndex": named.rule,
        "matched": attributed.len(),
        "retried": attributed.iter().filter(|made| made.code == Code::Retry).count(),
        "exhausted": attributed.iter().filter(exhausted).count(),
    })
}
