//! What retries mean in a simulated cluster: the part `retry_semantics` of testdata/vectors/scheduler/failures.json.
//!
//! Holds cluster.md 6.

use super::sandbox::Sandbox;
use serde_json::Value;

fn semantics(part: &str) -> Vec<Value> {
    let text = include_str!("../../testdata/vectors/scheduler/failures.json");
    let mut vectors: Value = serde_json::from_str(text).expect("JSON");
    match vectors["retry_semantics"][part].take() {
        Value::Array(cases) => cases,
        Value::Null => panic!("no {part}"),
        case => vec![case],
    }
}

fn seconds(value: &Value) -> u64 {
    value.as_u64().expect("seconds")
}

/// A cluster of equal nodes, one queue, and its policies.
struct World {
    /// The seconds from round to round.
    period: u64,
    nodes: u32,
    cores: u32,
    templates: String,
    /// The fields of the specs of policies.
    policies: Vec<String>,
    options: &'static str,
}

/// A world of one node with a core, and a policy.
fn world(templates: String, policy: &str) -> World {
    World {
        period: PERIOD,
        nodes: 1,
        cores: 1,
        templates,
        policies: vec![policy.to_owned()],
        options: "",
    }
}

impl World {
    /// Simulates it; returns the report and the events.
    fn simulate(&self) -> (Value, Vec<Value>) {
        let sandbox = Sandbox::new();
        let Self { period, nodes, cores, templates, policies, options } = self;
        sandbox.file(
            "cluster.yaml",
            format!(
                "clusters:\n- name: c\n  pool: default\n  nodeTemplates:\n  - number: {nodes}\n    \
                 totalResources: {{resources: {{cpu: {cores}, memory: 64Gi}}}}\n"
            ),
        );
        sandbox.file(
            "workload.yaml",
            format!("queues:\n- name: q\n  weight: 1\n  jobTemplates:\n{templates}"),
        );
        sandbox.file(
            "config.yaml",
            format!("scheduling:\n  schedulePeriod: {period}s\n  retryPolicy: {{enabled: true, globalMaxRetries: 20}}\n  priorityClasses:\n    \
             low: {{priority: 1, preemptible: true}}\n    high: {{priority: 2, preemptible: true}}\n  \
             defaultPriorityClassName: low\n"),
        );
        let mut line = "simulate --cluster cluster.yaml --workload workload.yaml --scheduler-config config.yaml \
                        --events e.jsonl -o json --queue-policies "
            .to_owned();
        let names: Vec<String> = (0..policies.len()).map(|number| format!("p{number}")).collect();
        line.push_str(&names.join(","));
        for (name, policy) in names.iter().zip(policies) {
            sandbox.file(&format!("{name}.yaml"), policy.replace("NAME", name));
            line.push_str(&format!(" -f {name}.yaml"));
        }
        let report = sandbox.run(&format!("{line} {options}")).exits(0).json();
        let text = std::fs::read_to_string(sandbox.path().join("e.jsonl")).expect("events");
        let events = text.lines().map(|line| serde_json::from_str(line).expect("an event"));
        (report, events.collect())
    }

    /// Returns the events of a kind of a template's jobs.
    fn events(&self, kind: &str, template: &str) -> Vec<Value> {
        let (_, mut events) = self.simulate();
        events.retain(|event| event["event"] == kind && event["template"] == template);
        events
    }
}

fn times(events: &[Value]) -> Vec<u64> {
    events.iter().map(|event| seconds(&event["time"])).collect()
}

fn v1(spec: &str) -> String {
    format!(
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: NAME}}\nspec: {{{spec}}}\n"
    )
}

/// A template of one job of a day, with more fields.
fn template(id: &str, cores: u32, fields: &str) -> String {
    format!(
        "  - {{id: {id}, number: 1, runtimeDistribution: {{minimum: 24h}}, \
         requirements: {{resourceRequirements: {{requests: {{cpu: {cores}, memory: 1Gi}}}}}}, {fields}}}\n"
    )
}

/// A template of a job of which the first runs fail after a time.
fn failing(id: &str, after: u64, fields: &str) -> String {
    template(id, 1, &format!("failures: [{{name: crash, at: {{fixed: {after}s}}, {fields}}}]"))
}

/// The seconds from round to round: a divisor of all times of the vectors.
const PERIOD: u64 = 5;

/// The time of the first round from a time on.
fn round(time: u64) -> u64 {
    time.next_multiple_of(PERIOD)
}

#[test]
fn delays_grow_as_the_formula() {
    for case in semantics("backoff") {
        let delays = case["delays_s"].as_array().expect("delays");
        let policy = v1(&format!(
            "defaultAction: Retry, retryLimit: {}, backoff: {{initialDelay: {}s, multiplier: {}, maxDelay: {}s}}",
            delays.len(),
            case["initial_s"],
            case["multiplier"],
            case["max_s"]
        ));
        let requeued = world(failing("a", 1, "perAttempt: 1"), &policy).events("Requeued", "a");
        let mut now = 0;
        let expected = delays.iter().map(|delay| {
            now = round(now + 1 + seconds(delay));
            now
        });
        assert_eq!(times(&requeued), expected.collect::<Vec<_>>());
    }
}

#[test]
fn the_first_round_at_or_after_the_retry_time_queues_the_job() {
    for case in semantics("eligibility") {
        let delay = &case["delay_s"];
        let backoff = if seconds(delay) == 0 {
            String::new()
        } else {
            format!(", backoff: {{initialDelay: {delay}s}}")
        };
        let policy = v1(&format!("defaultAction: Retry, retryLimit: 1{backoff}"));
        let templates = failing("a", seconds(&case["fail_t"]), "firstAttempt: 1, perAttempt: 0");
        let world = World { period: seconds(&case["cycle_s"]), ..world(templates, &policy) };
        let expected = seconds(&case["first_cycle"]);
        assert_eq!(times(&world.events("Requeued", "a")), [expected], "{case}");
    }
}

#[test]
fn a_preempted_job_is_queued_when_its_pod_is_gone_and_its_backoff_is_over() {
    for case in semantics("grace") {
        let (preempted, grace) = (seconds(&case["preempt_t"]), seconds(&case["grace_s"]));
        // A pod that is never confirmed runs longer than its grace period.
        let exit = case["confirm_t"].as_u64().map_or(grace + 1, |time| time - preempted);
        let victim = template(
            "victim",
            1,
            &format!("terminationGracePeriod: {grace}s, exitAfterSignal: {{fixed: {exit}s}}"),
        );
        let urgent = format!("earliestSubmitTime: {}s, priorityClassName: high", preempted - 1);
        let backoff = &case["backoff_s"];
        let policy = v1(&format!(
            "defaultAction: Retry, retryLimit: 1, backoff: {{initialDelay: {backoff}s}}"
        ));
        let policy =
            if seconds(backoff) == 0 { v1("defaultAction: Retry, retryLimit: 1") } else { policy };
        let world = world(format!("{victim}{}", template("urgent", 1, &urgent)), &policy);
        let eligible = case.get("eligible").unwrap_or_else(|| &case["eligible_recommended"]);
        assert_eq!(times(&world.events("Preempted", "victim")), [preempted]);
        assert_eq!(
            times(&world.events("Requeued", "victim")),
            [round(seconds(eligible))],
            "{case}"
        );
    }
}

#[test]
fn limits_of_policies_and_rules_count_apart() {
    assert_eq!(semantics("limits").len(), 1);
    // Runs that no urgent job preempts end out of memory.
    let victim = failing("victim", 2000, "perAttempt: 1, reason: OOMKilled");
    let decisions = |preemptions: u32| {
        let urgent = "  - {id: urgent, number: 1, runtimeDistribution: {minimum: 10s}, priorityClassName: high, \
                      earliestSubmitTime: 100s, repeat: {numTimes: TIMES, period: 100s}, \
                      requirements: {resourceRequirements: {requests: {cpu: 1, memory: 1Gi}}}}\n";
        let world = World {
            policies: vec![
                v1(
                    "defaultAction: Fail, retryLimit: 10, rules: [{action: Retry, onConditions: [Preempted]}]",
                ),
                v1(
                    "defaultAction: Fail, retryLimit: 5, rules: [{action: Retry, onConditions: [OOMKilled], retryLimit: 3}]",
                ),
            ],
            ..world(format!("{victim}{}", urgent.replace("TIMES", &preemptions.to_string())), "")
        };
        let (_, events) = world.simulate();
        let ends = events
            .iter()
            .filter(|event| event["template"] == "victim" && event["event"] != "Requeued");
        let decided = ends.filter_map(|event| {
            Some((event["event"].as_str()?.to_owned(), event["decision"].as_str()?.to_owned()))
        });
        decided.collect::<Vec<_>>()
    };
    let repeated =
        |event: &str, decision: &str, number| vec![(event.to_owned(), decision.to_owned()); number];
    let retried = [repeated("Preempted", "retry", 10), repeated("Failed", "retry", 3)].concat();
    assert_eq!(decisions(10), [retried, repeated("Failed", "fail_rule_limit", 1)].concat());
    let refused =
        [repeated("Preempted", "retry", 10), repeated("Preempted", "fail_policy_limit", 1)]
            .concat();
    assert_eq!(decisions(11), refused);
}

#[test]
fn retried_jobs_are_queued_in_the_order_of_the_option() {
    for case in semantics("queue_order") {
        let jobs = case["jobs"].as_array().expect("jobs");
        let templates: String = jobs
            .iter()
            .map(|job| {
                let (id, submit) = (job["id"].as_str().expect("an id"), seconds(&job["submit"]));
                let submitted = format!("earliestSubmitTime: {submit}s");
                match job["requeued_at"].as_u64() {
                    // It fails shortly before the round in which it is queued again.
                    Some(requeued) => {
                        let cause = format!(
                            "firstAttempt: 1, perAttempt: 0, at: {{fixed: {}s}}",
                            requeued - 4 - submit
                        );
                        template(
                            id,
                            1,
                            &format!("{submitted}, failures: [{{name: crash, {cause}}}]"),
                        )
                    }
                    // It needs the whole node, which another job uses until then.
                    None => template(id, 2, &submitted),
                }
            })
            .collect();
        let until_then = "  - {id: other, number: 1, runtimeDistribution: {minimum: 100s}, \
                          requirements: {resourceRequirements: {requests: {cpu: 1, memory: 1Gi}}}}\n";
        for (options, order) in [
            ("--requeue original", "original_submit_time_order"),
            ("--requeue original", "landed"),
            ("--requeue front", "seed_literal"),
        ] {
            let Some(first) = case[order].as_array().and_then(|order| order.first()) else {
                continue;
            };
            let policy = v1("defaultAction: Retry, retryLimit: 1");
            let world =
                World { cores: 2, options, ..world(format!("{until_then}{templates}"), &policy) };
            let (_, events) = world.simulate();
            let leased =
                events.iter().filter(|event| event["event"] == "Leased" && event["time"] == 100);
            let leased: Vec<&Value> = leased.map(|event| &event["template"]).collect();
            assert_eq!(leased, [first], "{options}: {case}");
        }
    }
}

#[test]
fn the_policies_differ_in_the_nodes_that_they_avoid() {
    for case in semantics("anti_affinity") {
        let failed = case["failed_nodes"].as_array().expect("nodes");
        let landed = "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: NAME\nretryLimit: 2\ndefaultAction: Fail\n\
                      rules: [{action: Retry, onCategory: broken, mutate: {affinity: {avoidSameNode: true}}}]\n";
        let design = v1("defaultAction: Retry, retryLimit: 2, antiAffinity: {mode: node}");
        for (policy, avoids) in [(design.as_str(), "seed_avoids"), (landed, "landed_avoids")] {
            let world = World {
                nodes: 3,
                ..world(failing("a", 5, "perAttempt: 1, category: broken"), policy)
            };
            let leased = world.events("Leased", "a");
            let nodes: Vec<&Value> = leased.iter().map(|event| &event["node"]).collect();
            assert_eq!(nodes.len(), failed.len() + 1);
            // The nodes are equal, so the job takes the first one that it does not avoid.
            let avoided: Vec<&Value> = (0..failed.len())
                .filter(|number| case[avoids].as_array().expect("nodes").contains(&failed[*number]))
                .map(|number| nodes[number])
                .collect();
            let expected = ["c-0-0", "c-0-1", "c-0-2"]
                .into_iter()
                .find(|node| avoided.iter().all(|it| it != node));
            assert_eq!(nodes[failed.len()].as_str(), expected, "{policy}");
        }
    }
}

#[test]
fn a_gang_whose_member_fails_is_queued_as_one_generation() {
    assert_eq!(semantics("gang_generation").len(), 1);
    let gang = "  - {id: g, number: 3, gangCardinality: 3, runtimeDistribution: {minimum: 60s}, \
                requirements: {resourceRequirements: {requests: {cpu: 1, memory: 1Gi}}}, \
                failures: [{name: crash, at: {fixed: 40s}, firstAttempt: 1, perAttempt: 0}]}\n";
    let policy = v1("defaultAction: Retry, retryLimit: 1");
    let world = World { cores: 3, ..world(gang.to_owned(), &policy) };
    let (report, events) = world.simulate();
    let of = |kind: &str| -> Vec<(u64, u64)> {
        let of_kind = events.iter().filter(|event| event["event"] == kind);
        of_kind.map(|event| (seconds(&event["time"]), seconds(&event["runIndex"]))).collect()
    };
    assert_eq!(of("Failed"), [(40, 0)]);
    assert_eq!(of("Stopped"), [(40, 0); 2]);
    assert_eq!(of("Requeued"), [(40, 1); 3]);
    assert_eq!(of("Succeeded"), [(100, 1); 3]);
    let lost = report["variants"][0]["total"]["hours"]["core"]["lost"].as_f64().expect("hours");
    assert!((lost * 3600.0 - 3.0 * 40.0).abs() < 1e-6, "{lost}");
}
