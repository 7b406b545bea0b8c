//! Random Jobs, the pods that may fail, and what the controller does about them in the end.

use crate::job::engine::rule_match::RuleMatch;
use crate::job::engine::status::{FailureReason, Ruling, Status, SyncContext};
use crate::job::{
    ConditionStatus, IndexFailures, JobOptions, JobPolicy, Phase, Pod, PodAction, PodCondition,
    PodContainer, RestartPolicy, first_match,
};
use document::units::{GoDuration, Time};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Exit codes of rules. 2 represents the codes that no rule lists.
const CODES: [i32; 4] = [1, 137, 143, 300];
const OTHER_CODE: i32 = 2;
/// The containers of every Job.
const CONTAINERS: [&str; 2] = ["a", "b"];
const CONDITIONS: [(&str, &str); 4] = [
    ("DisruptionTarget", "True"),
    ("Ready", "False"),
    ("ConfigIssue", "True"),
    ("ConfigIssue", "False"),
];
/// The largest number that a limit can be.
pub(crate) const MAX: u32 = i32::MAX as u32;

/// A pod that failed.
#[derive(Debug, Clone)]
pub(crate) struct FailedPod {
    pub(crate) containers: Vec<PodContainer>,
    pub(crate) conditions: Vec<PodCondition>,
}

impl FailedPod {
    pub(crate) fn pod<'p>(&'p self, name: &'p str) -> Pod<'p> {
        Pod {
            name,
            phase: Phase::Failed,
            containers: &self.containers,
            conditions: &self.conditions,
            index: Some(0),
            ..Pod::default()
        }
    }

    pub(crate) fn has(&self, kind: &str) -> bool {
        self.conditions.iter().any(|it| it.kind == kind && it.status == ConditionStatus::True)
    }

    /// Whether its failure may be its own: no condition is that of a disruption, or has an unknown meaning.
    pub(crate) fn is_own(&self) -> bool {
        self.conditions.iter().all(|condition| condition.kind == "Ready")
    }
}

/// Returns the pods that can fail: a container does not end with a code on which it restarts in place, but with those of
/// signals.
pub(crate) fn possible_pods(policy: &JobPolicy) -> Vec<FailedPod> {
    let ends = |container: &PodContainer| {
        let code = container.exit_code.unwrap_or_default();
        let template = policy.containers.iter().find(|it| *it.name == *container.name);
        let restarts =
            template.is_some_and(|it| it.restarted_by(RestartPolicy::Never, code.into()).is_some());
        !restarts || [0, 137, 143].contains(&code)
    };
    PODS.iter().filter(|pod| pod.containers.iter().all(ends)).cloned().collect()
}

/// All pods that rules distinguish.
static PODS: LazyLock<Vec<FailedPod>> = LazyLock::new(all_pods);

fn all_pods() -> Vec<FailedPod> {
    let code =
        |all: &[i32]| -> Vec<Option<i32>> { all.iter().copied().map(Some).chain([None]).collect() };
    let mut pods = Vec::new();
    for one in code(&[1, 137, 143, 300, OTHER_CODE]) {
        for two in code(&[1, 137, 143, 300, OTHER_CODE]) {
            let container = |(name, exit_code): (&str, _)| PodContainer {
                name: name.into(),
                exit_code,
                ..PodContainer::default()
            };
            let containers: Vec<_> =
                CONTAINERS.into_iter().zip([one, two]).map(container).collect();
            for chosen in 0..16_u32 {
                let conditions: Vec<PodCondition> = CONDITIONS
                    .iter()
                    .enumerate()
                    .filter(|(place, _)| chosen >> place & 1 == 1)
                    .map(|(_, (kind, status))| PodCondition {
                        kind: (*kind).into(),
                        status: ConditionStatus::from_name(status).unwrap(),
                        reason: None,
                    })
                    .collect();
                // A pod has one condition of a type.
                let kinds: HashSet<&str> = conditions.iter().map(|it| &*it.kind).collect();
                if kinds.len() == conditions.len() {
                    pods.push(FailedPod { containers: containers.clone(), conditions });
                }
            }
        }
    }
    pods
}

fn rule(has_index_limit: bool) -> impl Strategy<Value = Value> {
    let actions = if has_index_limit {
        vec!["FailJob", "Ignore", "Count", "FailIndex"]
    } else {
        vec!["FailJob", "Ignore", "Count"]
    };
    let codes = (
        weighted(0.4, select(&CONTAINERS[..])),
        select(vec!["In", "NotIn"]),
        subsequence(&CODES[..], 1..=2),
    )
        .prop_map(|(container, operator, values)| {
            let mut codes = json!({"operator": operator, "values": values});
            if let Some(container) = container {
                codes["containerName"] = json!(container);
            }
            json!({"onExitCodes": codes})
        });
    let conditions = vec(select(&CONDITIONS[..]), 1..3).prop_map(|patterns| {
        let pattern = |(kind, status): &(&str, &str)| json!({"type": kind, "status": status});
        json!({"onPodConditions": patterns.iter().map(pattern).collect::<Vec<_>>()})
    });
    (select(actions), prop_oneof![3 => codes, 2 => conditions]).prop_map(|(action, mut rule)| {
        rule["action"] = json!(action);
        rule
    })
}

/// Specs of Jobs that the API server admits.
pub(crate) fn spec() -> impl Strategy<Value = Value> {
    let limits = (
        weighted(0.7, select(vec![0, 1, 2, 3, 7, 1500, MAX])),
        weighted(0.5, select(vec![0, 1, 2, MAX])),
        weighted(0.5, 0..=3_u32),
        1..=3_u32,
    );
    let others = (
        weighted(0.2, select(vec![5, 35, 100])),
        select(vec!["Never", "OnFailure"]),
        weighted(0.5, select(vec!["linux", "windows"])),
        weighted(0.2, (select(vec!["In", "NotIn"]), subsequence(&CODES[..], 1..=3))),
        weighted(0.2, select(vec!["TerminatingOrFailed", "Failed"])),
    );
    (limits, others).prop_flat_map(|((limit, per_index, failed, completions), others)| {
        let rules = vec(rule(per_index.is_some()), 0..5);
        (rules, any::<bool>()).prop_map(move |(rules, is_indexed)| {
            let is_indexed = is_indexed || per_index.is_some();
            let (deadline, restart_policy, os, restarts, replacement) = others.clone();
            let mut spec = json!({"completions": completions, "parallelism": 1});
            let mut set = |field: &str, value: Option<u32>| {
                if let Some(value) = value {
                    spec[field] = json!(value);
                }
            };
            set("backoffLimit", limit);
            set("backoffLimitPerIndex", per_index);
            set("maxFailedIndexes", failed.filter(|it| per_index.is_some() && *it <= completions));
            set("activeDeadlineSeconds", deadline);
            if is_indexed {
                spec["completionMode"] = json!("Indexed");
            }
            let has_rules = !rules.is_empty();
            if has_rules {
                spec["podFailurePolicy"] = json!({"rules": rules});
            }
            let restart_policy = if has_rules { "Never" } else { restart_policy };
            if let Some(replacement) = replacement.filter(|it| !has_rules || *it == "Failed") {
                spec["podReplacementPolicy"] = json!(replacement);
            }
            let mut containers = CONTAINERS.map(|name| json!({"name": name, "image": "i"}));
            if let Some((operator, values)) = restarts {
                let codes = json!({"operator": operator, "values": values});
                containers[0]["restartPolicy"] = json!("Never");
                containers[0]["restartPolicyRules"] =
                    json!([{"action": "Restart", "exitCodes": codes}]);
            }
            let mut pod = json!({"restartPolicy": restart_policy, "containers": containers});
            if let Some(os) = os {
                pod["os"] = json!({"name": os});
            }
            spec["template"] = json!({"spec": pod});
            spec
        })
    })
}

#[expect(clippy::unnecessary_wraps, reason = "each use is an optional time")]
fn at(seconds: f64) -> Option<Time> {
    #[expect(clippy::cast_possible_truncation, reason = "some hours at most")]
    let nanos = (seconds * 1e9) as i64;
    Some(Time::from_epoch_seconds(0).plus(GoDuration::from_nanos(nanos)))
}

/// The end of a chain of pods of one index, or of a Job without indexes, that all fail alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Chain {
    /// The number of pods.
    pub(crate) pods: u64,
    /// The waits between them, in seconds.
    pub(crate) wait: f64,
    /// Whether the last one was not replaced.
    pub(crate) has_ended: bool,
    /// The reason for which the Job failed; `None` if only an index has.
    pub(crate) reason: Option<FailureReason>,
}

/// Runs pods that fail alike until one is not replaced, at most `most` of them. `before` pods have failed before and
/// counted.
pub(crate) fn chain(policy: &JobPolicy, failed: &FailedPod, before: u32, most: u64) -> Chain {
    let options = JobOptions::default();
    let mut status = Status { failed: before, started_at: at(0.0), ..Status::default() };
    let mut earlier = IndexFailures { counted: before, ignored: 0 };
    let (mut wait, mut delays) = (0.0, 0);
    for pods in 1..=most {
        let reason = Some(FailureReason::DeadlineExceeded);
        let over = Chain { pods: pods - 1, wait, has_ended: true, reason };
        let next_wait = wait + options.delay(delays).as_secs_f64();
        // The controller checks the deadline before it makes another pod.
        if policy.active_deadline.is_some_and(|it| next_wait >= it.as_secs_f64()) {
            return over;
        }
        wait = next_wait;
        let pod = Pod { earlier, finished_at: at(wait), ..failed.pod("p") };
        let indexes = policy.indexes();
        let context = SyncContext { now: at(wait), indexes, ..SyncContext::default() };
        let mut rulings = Vec::new();
        let failure = status.sync(policy, &[pod], &context, &mut rulings);
        let ruling = rulings[0];
        if failure.is_some() || ruling.index_failed {
            let reason = failure.map(|failure| failure.reason);
            return Chain { pods, wait, has_ended: true, reason };
        }
        earlier = earlier.after(ruling.counted);
        delays += 1;
    }
    Chain { pods: most, wait, has_ended: false, reason: None }
}

/// The reasons for which a Job can fail, and the states that it can reach before, by all orders of ends of pods.
pub(crate) struct Reachable {
    pub(crate) reasons: HashSet<FailureReason>,
    /// Whether an index can fail in a Job that goes on.
    pub(crate) has_failed_index: bool,
}

/// Follows all orders of ends of pods.
pub(crate) fn reachable(policy: &JobPolicy, pods: &[FailedPod]) -> Reachable {
    let mut kinds: Vec<(Option<PodAction>, &FailedPod)> = Vec::new();
    for pod in pods {
        let action = first_match(policy.rules(), &pod.pod("p")).map(|matched| matched.action);
        if kinds.iter().all(|(known, _)| *known != action) {
            kinds.push((action, pod));
        }
    }
    let indexes = if policy.is_indexed() { policy.indexes() } else { 1 };
    let mut found = Reachable { reasons: HashSet::new(), has_failed_index: false };
    let start = (Status { started_at: at(0.0), ..Status::default() }, vec![0; indexes as usize]);
    let (mut seen, mut open) = (HashSet::new(), vec![start]);
    while let Some((status, counts)) = open.pop() {
        let done = |index: &u32| {
            status.failed_indexes.contains(*index) || status.succeeded_indexes.contains(*index)
        };
        let goes_on: Vec<u32> = (0..indexes).filter(|index| !done(index)).collect();
        for index in goes_on {
            let ends = kinds.iter().map(|(_, pod)| Some(*pod)).chain([None]);
            // Time counts for the deadline alone.
            let times = if policy.active_deadline.is_some() { &[0.0, 1e6][..] } else { &[0.0] };
            for (end, now) in ends.flat_map(|end| times.iter().map(move |now| (end, *now))) {
                let counted: u32 = counts[index as usize];
                let earlier = IndexFailures { counted, ignored: 0 };
                let pod = match end {
                    Some(failed) => failed.pod("p"),
                    None => Pod { phase: Phase::Succeeded, ..Pod::default() },
                };
                let pod = Pod { index: Some(index), earlier, ..pod };
                let (mut status, mut counts) = (status.clone(), counts.clone());
                let indexes = policy.indexes();
                let context = SyncContext { now: at(now), indexes, ..SyncContext::default() };
                let mut rulings: Vec<Ruling> = Vec::new();
                if let Some(failure) = status.sync(policy, &[pod], &context, &mut rulings) {
                    found.reasons.insert(failure.reason);
                    continue;
                }
                found.has_failed_index |= !status.failed_indexes.is_empty();
                counts[index as usize] += u32::from(rulings[0].failed && rulings[0].counted);
                let failed = status.failed_indexes.to_string();
                let succeeded = status.succeeded_indexes.to_string();
                if status.failed < 20
                    && seen.insert((status.failed, counts.clone(), failed, succeeded))
                {
                    open.push((status, counts));
                }
            }
        }
    }
    found
}

/// The pods of which a rule is the first to match, with the match.
pub(crate) fn reaching<'p>(
    policy: &JobPolicy,
    pods: &'p [FailedPod],
    rule: usize,
) -> Vec<(&'p FailedPod, RuleMatch)> {
    let matched = |pod: &'p FailedPod| Some((pod, first_match(policy.rules(), &pod.pod("p"))?));
    pods.iter().filter_map(matched).filter(|(_, matched)| matched.rule == rule).collect()
}
