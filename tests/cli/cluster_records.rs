//! `--record`: the history of a simulation, replayed through the same policies, has the same decisions.
//!
//! Holds cluster.md 6.

use super::numbers::Numbers;
use super::sandbox::Sandbox;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The decisions about runs, by job and number of the run.
type Decisions = BTreeMap<(String, u64), String>;

fn cluster(numbers: &mut Numbers) -> String {
    let mut text = "clusters:\n".to_owned();
    for name in ["one", "two"] {
        let failure = numbers.pick(&[
            "",
            "failure: {up: {exponential: {mean: 3h}}, repair: {fixed: 10m}}",
            "failure: {gpuMtbf: 8h}",
            "failure: {spot: {hazardPerHour: 0.5, warning: 1m, batch: {geometric: 0.6}, replaceAfter: {fixed: 5m}}}",
            "failure: {spot: {hazardPerHour: 0.3}}",
        ]);
        let number = 1 + numbers.below(4);
        let _ = write!(
            text,
            "- name: {name}\n  pool: default\n  nodeTemplates:\n  - number: {number}\n    \
             totalResources: {{resources: {{cpu: 8, memory: 32Gi, nvidia.com/gpu: 4}}}}\n    {failure}\n"
        );
    }
    let delay = numbers.pick(&["{}", "{minimum: 3s, tailMean: 4s}"]);
    let _ = writeln!(text, "pendingDelayDistribution: {delay}");
    text
}

fn workload(numbers: &mut Numbers) -> String {
    let (at, limit) = (1 + numbers.below(4), numbers.below(4));
    let mut text = match numbers.below(4) {
        0 => format!(
            "events:\n- {{at: {at}h, reload: {{globalMaxRetries: {limit}}}}}\n- {{at: {}h, reload: {{enabled: false}}}}\n",
            at + 3
        ),
        1 => "graceHoldsNode: false\n".to_owned(),
        _ => String::new(),
    };
    text.push_str("queues:\n");
    for queue in ["a", "b"] {
        let _ = write!(text, "- name: {queue}\n  weight: 1\n  jobTemplates:\n");
        for template in 0..2 {
            let gang = numbers.pick(&["", "gangCardinality: 2", "gangCardinality: 3"]);
            let class = numbers.pick(&["armada-default", "armada-preemptible"]);
            let (cpu, memory) = (1 + numbers.below(6), 1 + numbers.below(12));
            let minimum = 1 + numbers.below(90);
            let (number, submitted) = (6 * (1 + numbers.below(3)), numbers.below(60));
            let extras = numbers.pick(&[
                "",
                "checkpoint: {interval: 7m, cost: 10s, restart: 20s}",
                "activeDeadline: 50m",
            ]);
            let exit = numbers.pick(&[
                "",
                "exitAfterSignal: {uniform: [1s, 90s]}",
                "terminationGracePeriod: 30s",
                "terminationGracePeriod: 2m\n    exitAfterSignal: {exponential: {mean: 40s}}",
            ]);
            let annotations =
                numbers.pick(&["", "", "annotations: {armadaproject.io/failFast: 'true'}, "]);
            let _ = write!(
                text,
                "  - id: {queue}{template}\n    number: {number}\n    {gang}\n    priorityClassName: {class}\n    \
                 requirements: {{{annotations}resourceRequirements: {{requests: {{cpu: {cpu}, memory: {memory}Gi, nvidia.com/gpu: 1}}}}}}\n    \
                 earliestSubmitTime: {submitted}m\n    runtimeDistribution: {{minimum: {minimum}m, tailMean: 10m}}\n    {extras}\n    {exit}\n    \
                 failures:\n    \
                 - {{name: crash, perAttempt: {{beta: [0.4, 0.6]}}, at: {{exponential: {{mean: 5m}}}}, exitCode: 3, category: user, message: \"lost peer\"}}\n    \
                 - {{name: oom, need: {{memory: {{lognormal: {{median: 0.8, sigma: 0.4}}}}}}, at: {{uniform: [0s, 9m]}}, exitCode: 137, reason: OOMKilled, category: oom}}\n    \
                 - {{name: xid, hazardPerHour: 0.2, sticksToNode: {{probability: 0.6, for: 30m, again: {{fixed: 20s}}}}, exitCode: 74, category: gpu, subcategory: xid}}\n"
            );
        }
    }
    text
}

fn policy(numbers: &mut Numbers) -> String {
    if numbers.below(4) == 0 {
        let limit = numbers.below(5);
        let avoids = numbers.pick(&["", "mutate: {affinity: {avoidSameNode: true}}, "]);
        return format!(
            "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: p\nretryLimit: {limit}\n\
             defaultAction: Fail\nrules:\n\
             - {{action: Retry, {avoids}onCategory: gpu}}\n- {{action: Retry, onCategory: node-failure}}\n\
             - {{action: Retry, mutate: {{resources: {{memory: {{factor: 1.4}}}}}}, onCategory: oom}}\n"
        );
    }
    let limit = |numbers: &mut Numbers| format!("retryLimit: {}", numbers.below(6));
    let rules = [
        "onConditions: [Preempted]",
        "onConditions: [OOMKilled], mutate: {resources: {memory: {factor: 1.5}}}",
        "onConditions: [OOMKilled], mutate: {resources: {memory: {static: 1Gi}}}",
        "onConditions: [Evicted]",
        "onConditions: [DeadlineExceeded]",
        "onFailureCategory: [gpu], antiAffinity: {mode: node}",
        "onFailureCategory: [node-failure, spot], antiAffinity: {mode: node}",
        "onExitCodes: {operator: In, values: [3]}, backoff: {initialDelay: 45s, maxDelay: 4m}",
        "onTerminationMessage: {pattern: \"lost p..r\"}",
    ];
    let mut text = format!(
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: p}}\nspec:\n  retryLimit: {}\n  \
         defaultAction: {}\n  rules:\n",
        numbers.below(8),
        numbers.pick(&["Fail", "Retry"])
    );
    for _ in 0..=numbers.below(4) {
        let action = numbers.pick(&["Retry", "Retry", "Retry", "Fail"]);
        let rule = numbers.pick(&rules);
        let rule = if action == "Fail" { "onConditions: [Evicted]" } else { rule };
        let own = if action == "Fail" || numbers.below(2) == 0 {
            String::new()
        } else {
            format!(", {}", limit(numbers))
        };
        let _ = writeln!(text, "  - {{action: {action}, {rule}{own}}}");
    }
    text
}

/// The decisions of the events of a simulation.
fn of_events(text: &str) -> Decisions {
    let events = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("an event"));
    let decided =
        events.filter(|event| event["decision"].is_string() && event["event"] != "Requeued");
    let of = |event: Value| {
        let job = event["jobId"].as_str().expect("a job").to_owned();
        let run = event["runIndex"].as_u64().expect("a number");
        ((job, run), event["decision"].as_str().expect("a code").to_owned())
    };
    decided.map(of).collect()
}

/// The decisions of a replay.
fn of_replay(report: &Value) -> Decisions {
    let mut decisions = Decisions::new();
    for job in report["jobs"].as_array().expect("jobs") {
        let id = job["jobId"].as_str().expect("an id");
        for decision in job["decisions"].as_array().expect("decisions") {
            let run = decision["runIndex"].as_u64().expect("a number");
            let code = decision["decision"].as_str().expect("a code");
            decisions.insert((id.to_owned(), run), code.to_owned());
        }
    }
    decisions
}

#[test]
fn a_replay_of_the_records_decides_as_the_simulation() {
    let (mut decided, mut worlds) = (BTreeMap::<String, u32>::new(), 0);
    for seed in 0..200 {
        let mut numbers = Numbers(seed);
        let sandbox = Sandbox::new();
        sandbox.file("cluster.yaml", cluster(&mut numbers));
        sandbox.file("workload.yaml", workload(&mut numbers));
        sandbox.file("policy.yaml", policy(&mut numbers));
        let scheduler = numbers.pick(&["landed", "seed"]);
        let requeue = numbers.pick(&["original", "front", "back"]);
        let line = format!(
            "simulate --cluster cluster.yaml --workload workload.yaml -f policy.yaml --seed {seed} \
             --scheduler {scheduler} --requeue {requeue} --until 200h --events e.jsonl --record r.jsonl"
        );
        sandbox.run(&line).exits(0);
        let events = std::fs::read_to_string(sandbox.path().join("e.jsonl")).expect("events");
        let mut simulated = of_events(&events);
        let line = "simulate -f policy.yaml --history r.jsonl --timelines all -o json";
        let report = sandbox.run(line).exits(0).json();
        let mut replayed = of_replay(&report);
        // A replay does not know that no node can take the job: for it the retry is not recorded.
        simulated.retain(|run, code| {
            let is_unschedulable = code == "retry_unschedulable";
            if is_unschedulable {
                replayed.remove(run);
            }
            *decided.entry(code.clone()).or_default() += 1;
            !is_unschedulable
        });
        // The simulation leaves out decisions about members of gangs that succeeded and run again.
        replayed.retain(|run, code| code != "gang_rerun" || simulated.contains_key(run));
        assert_eq!(simulated, replayed, "seed {seed}");
        assert_eq!(report["summary"]["contradictions"], 0, "seed {seed}");
        assert_eq!(report["summary"]["notReached"], 0, "seed {seed}");
        worlds += 1;
    }
    assert_eq!(worlds, 200);
    for code in
        ["retry", "gang_rerun", "fail_gang", "fail_default", "fail_rule_limit", "legacy_fail"]
    {
        assert!(decided.contains_key(code), "{code}: {decided:?}");
    }
}
