//! `batch/v1` Jobs: matching a pod, one look of the controller, limits, waits and admission.
//!
//! Holds cli.md The other systems.

mod admission;
mod pods;

use document::diag::Source;
use document::units::{GoDuration, Time};
use document::{Document, Limits, parse};
use pods::{Described, described};
use serde_json::{Value, json};
use systems::job::{
    BackoffRecord, Creator, FailureReason, FeatureGates, IndexFailures, JobOptions, JobPolicy,
    ManageResult, Phase, Ruling, Status, SyncContext, counts, first_match, message, read,
    uncounted_failures,
};

/// Evaluates a case as its kind says.
pub fn run(case: &Value) -> Result<(), String> {
    match case["kind"].as_str().unwrap_or_default() {
        "pod-policy-match" => pod_match(case),
        "job-sync" | "per-index-sync" => look(case),
        "backoff-limit-never" | "backoff-limit-onfailure" => limit(case),
        "index-failure-count" => failure_count(case),
        "per-index-scenario" => scenario(case),
        "backoff-delay" => delay(case, number(&case["input"]["failuresAfterLastSuccess"])),
        "backoff-delay-per-index" => delay(case, index_delay(&case["input"])),
        "backoff-record" => record(case),
        "validate" => admission::run(case),
        other => Err(format!("no answer for the kind `{other}`")),
    }
}

/// Compares what a case asserts with what came.
fn meet(expected: &Value, actual: &[(&str, Value)]) -> Result<(), String> {
    for (what, actual) in actual {
        let wanted = &expected[*what];
        if !wanted.is_null() && wanted != actual {
            return Err(format!("{what} is {actual}, not {wanted}"));
        }
    }
    Ok(())
}

fn number(value: &Value) -> u32 {
    value.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or_default()
}

/// The case's present: far enough from the beginning of time for what was long ago.
fn now() -> Time {
    Time::from_epoch_seconds(1_000_000_000)
}

/// A value as the document that it is.
fn document(value: &Value) -> Document {
    let (mut documents, _) = parse(&Source::new("job.json", value.to_string()), Limits::POLICY);
    documents.remove(0)
}

/// The Job that a case's policy stands for.
fn policy(case: &Value) -> JobPolicy {
    let mut spec = case["policy"].clone();
    if spec["podFailurePolicy"].is_null() {
        spec["podFailurePolicy"] = case["podFailurePolicy"].clone();
    }
    let restarts = [&spec["restartPolicy"], &case["input"]["restartPolicy"], &json!("Never")];
    let restarts = restarts.into_iter().find(|value| value.is_string()).cloned();
    spec["template"] = json!({"spec": {"restartPolicy": restarts}});
    let gate = |name: &str| case["input"]["featureGates"][name] != false;
    let gates = FeatureGates {
        backoff_limit_per_index: gate("JobBackoffLimitPerIndex"),
        pod_replacement_policy: gate("JobPodReplacementPolicy"),
    };
    read(&document(&spec).root, Creator::Manifest, gates)
}

fn pod_match(case: &Value) -> Result<(), String> {
    let policy = policy(case);
    let described = described(&case["input"]["pod"]);
    let name = case["input"]["podRef"].as_str().unwrap_or_default();
    let pod = systems::job::Pod { name, ..described.pod() };
    let matched = first_match(policy.rules(), &pod);
    let fails = matched.filter(|m| m.action.as_str() == "FailJob");
    meet(
        &case["expected"],
        &[
            ("action", json!(matched.map(|matched| matched.action.as_str()))),
            ("countsTowardsBackoffLimit", json!(counts(matched))),
            ("matchedRuleIndex", json!(matched.map(|matched| matched.rule))),
            ("message", json!(fails.map(|matched| message(matched, &pod)))),
        ],
    )
}

/// One look at pods: what they count, and what follows.
struct Look {
    status: Status,
    failure: Option<FailureReason>,
    rulings: Vec<Ruling>,
    managed: ManageResult,
    /// Failed pods that the status does not count yet.
    kept: u32,
}

fn looked(policy: &JobPolicy, pods: &[Described], mut status: Status) -> Look {
    let pods: Vec<_> = pods.iter().map(Described::pod).collect();
    let context =
        SyncContext { now: Some(now()), indexes: policy.indexes(), ..SyncContext::default() };
    let mut rulings = Vec::new();
    let failure = status.sync(policy, &pods, &context, &mut rulings).map(|failure| failure.reason);
    let options = JobOptions::default();
    let managed = match failure {
        Some(_) => ManageResult::default(),
        None => status.manage(policy, &options, &pods, (&rulings, &context)),
    };
    let kept = uncounted_failures(policy, &pods, &rulings, &status);
    Look { status, failure, rulings, managed, kept }
}

impl Look {
    /// The action that weighs most: a rule that fails the Job, else the last that matched.
    fn action(&self) -> Option<&'static str> {
        let mut actions = self.rulings.iter().filter_map(|ruling| Some(ruling.matched?.action));
        let fails = actions.clone().find(|action| action.as_str() == "FailJob");
        fails.or_else(|| actions.next_back()).map(systems::job::PodAction::as_str)
    }

    fn meet(&self, expected: &Value) -> Result<(), String> {
        let status = &self.status;
        meet(
            expected,
            &[
                ("failed", json!(self.failure.is_some())),
                ("complete", json!(self.managed.complete)),
                ("reason", json!(self.failure.map(FailureReason::as_str))),
                ("action", json!(self.action())),
                ("statusFailed", json!(status.failed - self.kept)),
                ("statusSucceeded", json!(status.succeeded)),
                ("active", json!(self.managed.active)),
                ("failedIndexes", json!(status.failed_indexes.to_string())),
                ("completedIndexes", json!(status.succeeded_indexes.to_string())),
            ],
        )
    }
}

fn look(case: &Value) -> Result<(), String> {
    let pods: Vec<_> = pods::list(&case["input"]["pods"]);
    let before = |key: &str| number(&case["input"]["status"][key]);
    let since = case["input"]["startedSecondsAgo"].as_i64();
    let status = Status {
        failed: before("failed"),
        started_at: since.map(|ago| now().plus(GoDuration::from_secs(-ago))),
        ..Status::default()
    };
    looked(&policy(case), &pods, status).meet(&case["expected"])
}

fn limit(case: &Value) -> Result<(), String> {
    let input = &case["input"];
    let some = |key: &str, phase| (0..number(&input[key])).map(move |_| Described::of(phase));
    let mut pods: Vec<_> =
        some("failedPods", Phase::Failed).chain(some("activePods", Phase::Running)).collect();
    for restarts in input["restartCounts"].as_array().into_iter().flatten() {
        let phase = pods::phase(&input["podPhase"]);
        pods.push(Described { restarts: number(restarts), ..Described::of(phase) });
    }
    let mut policy = policy(case);
    // As many pods as there are may run.
    policy.parallelism = u32::try_from(pods.len()).unwrap_or(u32::MAX).max(1);
    policy.completions = policy.completions.max(Some(policy.parallelism));
    looked(&policy, &pods, Status::default()).meet(&case["expected"])
}

fn failure_count(case: &Value) -> Result<(), String> {
    let input = &case["input"];
    let replaced = &input["podBeingReplaced"];
    let next = if replaced.is_null() {
        IndexFailures::default()
    } else {
        let described = described(replaced);
        let on = |key: &str| number(&input[key]).max(number(&replaced[key]));
        let earlier = IndexFailures {
            counted: on("indexFailureCount"),
            ignored: on("indexIgnoredFailureCount"),
        };
        earlier.after(counts(first_match(policy(case).rules(), &described.pod())))
    };
    meet(
        &case["expected"],
        &[
            ("newIndexFailureCount", json!(next.counted)),
            ("newIndexIgnoredFailureCount", json!(next.ignored)),
        ],
    )
}

/// Pods of indexes fail and succeed one after another; each failed one is replaced unless its
/// index has failed.
fn scenario(case: &Value) -> Result<(), String> {
    let policy = policy(case);
    let mut status = Status::default();
    let mut earlier = vec![IndexFailures::default(); policy.indexes() as usize];
    let mut last = None;
    for (place, step) in case["input"]["steps"].as_array().into_iter().flatten().enumerate() {
        let pods = scenario_pods(step, &status, &earlier);
        // What is told of a step is told once the failed pods have been replaced.
        let look = Look { kept: 0, ..looked(&policy, &pods, status) };
        for (pod, ruling) in pods.iter().zip(&look.rulings).filter(|(_, ruling)| ruling.failed) {
            let index = pod.index.unwrap_or_default() as usize;
            earlier[index] = earlier[index].after(ruling.counted);
        }
        let expected = &case["expected"]["steps"][place];
        let of_step = step["failIndex"].as_u64().and_then(|index| usize::try_from(index).ok());
        let replacement = of_step.and_then(|index| earlier.get(index));
        look.meet(expected)?;
        meet(
            expected,
            &[
                ("replacementFailureCount", json!(replacement.map(|count| count.counted))),
                ("replacementIgnoredFailureCount", json!(replacement.map(|count| count.ignored))),
            ],
        )?;
        status = look.status.clone();
        last = Some(look);
    }
    // A Job that fails deletes its running pods, which the last step's counts do not tell.
    last.map_or(Ok(()), |look| look.meet(&case["expected"]))
}

/// The pods that a step brings to their end.
fn scenario_pods(step: &Value, status: &Status, earlier: &[IndexFailures]) -> Vec<Described> {
    let over = |index: u32| {
        status.failed_indexes.contains(index) || status.succeeded_indexes.contains(index)
    };
    let count = u32::try_from(earlier.len()).unwrap_or(u32::MAX);
    let one = |key: &str| step[key].as_u64().and_then(|index| u32::try_from(index).ok());
    let all = step["succeedRemaining"] == true;
    (0..count)
        .filter(|index| !over(*index))
        .filter_map(|index| {
            let phase = if one("failIndex") == Some(index) {
                Phase::Failed
            } else if all || one("succeedIndex") == Some(index) {
                Phase::Succeeded
            } else {
                return None;
            };
            let at = if step["pod"].is_null() { step } else { &step["pod"] };
            let earlier = earlier[index as usize];
            Some(Described { phase, index: Some(index), earlier, ..pods::contents(at) })
        })
        .collect()
}

fn index_delay(input: &Value) -> u32 {
    let lists = ["indexFailureCount", "indexIgnoredFailureCount"];
    let none = input["lastFailedPod"].is_null() && lists.iter().all(|key| input[*key].is_null());
    let earlier = lists.map(|key| number(&input[key]));
    if none { 0 } else { earlier.iter().sum::<u32>() + 1 }
}

fn delay(case: &Value, failures: u32) -> Result<(), String> {
    let seconds = |key: &str| case["policy"][key].as_i64().map(GoDuration::from_secs);
    let usual = JobOptions::default();
    let options = JobOptions {
        backoff_base: seconds("baseSeconds").unwrap_or(usual.backoff_base),
        backoff_cap: seconds("maxSeconds").unwrap_or(usual.backoff_cap),
    };
    let since = case["input"]["secondsSinceLastFailure"].as_i64().unwrap_or_default();
    let left = options.remaining(failures, GoDuration::from_secs(since));
    meet(&case["expected"], &[("remainingSeconds", json!(left.as_nanos() / 1_000_000_000))])
}

fn record(case: &Value) -> Result<(), String> {
    let input = &case["input"];
    let at = |ms: &Value| ms.as_i64().map(|ms| now().plus(GoDuration::from_nanos(ms * 1_000_000)));
    let times = |key: &str| {
        let times = input[key].as_array().cloned().unwrap_or_default();
        times.iter().map(at).collect::<Vec<_>>()
    };
    let mut record = BackoffRecord {
        failures: number(&input["priorFailuresAfterLastSuccess"]),
        last_failure: at(&input["priorLastFailureAtMs"]),
    };
    record.observe(times("succeededAtMs"), times("failedAtMs"));
    let last = record.last_failure.map(|last| last.since(now()).as_nanos() / 1_000_000);
    meet(
        &case["expected"],
        &[("failuresAfterLastSuccess", json!(record.failures)), ("lastFailureAtMs", json!(last))],
    )
}
