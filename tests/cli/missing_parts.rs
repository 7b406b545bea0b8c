//! Rules that no failure of a history can match, since its records lack a part that they compare: for every system, the
//! first line of the report.
//!
//! Holds answer.md 3.

use super::sandbox::{Run, Sandbox};
use replay::history::PROGRAMS;
use serde_json::Value;

/// A policy of `v1` with these rules.
fn v1(name: &str, rules: &str) -> String {
    format!(
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: {name}}}\nspec: {{rules: [{rules}]}}\n"
    )
}

fn simulate(policy: &str, history: (&str, &str), flags: &str) -> Run {
    let sandbox = Sandbox::new();
    sandbox.file("policy.yaml", policy).file(history.0, history.1);
    sandbox.run(&format!("simulate -f policy.yaml --history {} {flags}", history.0))
}

/// The messages of the notes on parts that rules lack, each with its kind.
fn notes(run: &Run) -> Vec<(String, String)> {
    let report = run.json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let notes = report["notes"].as_array().expect("notes").iter();
    let notes = notes.map(|note| (text(&note["kind"]), text(&note["message"])));
    notes.filter(|(kind, _)| kind == "missingParts" || kind == "absentParts").collect()
}

/// The first line of the report is the warning, and the first note of the JSON.
#[track_caller]
fn warns(policy: &str, history: (&str, &str), flags: &str, message: &str) {
    let run = simulate(policy, history, flags).exits(0);
    assert_eq!(run.stdout.lines().next(), Some(format!("warning: {message}").as_str()), "{run}");
    let run = simulate(policy, history, &format!("{flags} -o json")).exits(0);
    let first = &run.json()["notes"][0];
    assert_eq!((&first["kind"], &first["message"]), (&"missingParts".into(), &message.into()));
    assert_eq!(first["severity"], "warning");
}

const PODS: &str = r#"{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p-0", "namespace": "ml", "labels":
  {"armada_job_id": "j1", "armada_queue_id": "q", "armada_job_run_index": "0"}}, "spec": {"nodeName": "n1",
  "containers": [{"name": "main"}]}, "status": {"phase": "Failed", "startTime": "2026-10-01T09:00:00Z",
  "containerStatuses": [{"name": "main", "state": {"terminated": {"exitCode": 3, "reason": "Error",
  "finishedAt": "2026-10-01T09:10:00Z"}}}]}}
"#;

const SACCT: &str = "JobID|State|ExitCode|NodeList|Start|End|Account
1001|FAILED|1:0|n1|1790000000|1790000600|ml
1002|OUT_OF_MEMORY|0:125|n2|1790000000|1790000700|ml
";

const CATEGORIES: &str = "apiVersion: armadaproject.io/v1beta1
kind: RetryPolicy
name: gpu-fleet
retryLimit: 3
defaultAction: Fail
rules:
- {action: Retry, onCategory: gpu}
- {action: Retry, onCategory: network, onSubcategory: dns}
";

#[test]
fn a_source_without_categories_is_named_with_the_way_out() {
    let rest = "so no rule of `gpu-fleet` can match";
    let way_out = "give --executor-config, or a history of Lookout or of Armada's events";
    let message =
        format!("the only failure does not have a category, {rest}: pods have none; {way_out}");
    warns(CATEGORIES, ("pods.json", PODS), "", &message);
    let message =
        format!("none of the 2 failures has a category, {rest}: sacct has none; {way_out}");
    warns(CATEGORIES, ("jobs.txt", SACCT), "", &message);
    let lines =
        "{\"jobId\":\"a\",\"outcome\":\"Failed\"}\n{\"jobId\":\"b\",\"outcome\":\"Failed\"}\n";
    let message = format!(
        "none of the 2 failures has a category, {rest}; give --executor-config, or records with `category`"
    );
    warns(CATEGORIES, ("h.jsonl", lines), "", &message);
}

#[test]
fn categories_of_the_executors_configuration_are_there() {
    let sandbox = Sandbox::new();
    let config = |code: &str| {
        format!(
            "application:\n  errorCategories:\n    enabled: true\n    categories:\n    - name: gpu\n      rules: [{{onExitCodes: {{operator: In, values: [{code}]}}}}]\n"
        )
    };
    sandbox.file("policy.yaml", CATEGORIES).file("pods.json", PODS);
    sandbox.file("matching.yaml", config("3")).file("other.yaml", config("4"));
    let simulate = |file: &str| {
        sandbox
            .run(&format!(
                "simulate -f policy.yaml --history pods.json --executor-config {file} -o json"
            ))
            .exits(0)
    };
    // The configuration gives no subcategory, so the rule on one cannot match.
    let found = notes(&simulate("matching.yaml"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].1.contains("a subcategory, so `gpu-fleet[1]` cannot match"), "{found:?}");
    let found = notes(&simulate("other.yaml"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].1.ends_with("the executors' configuration gave none"), "{found:?}");
}

#[test]
fn subcategories_alone_are_missing() {
    let lines = "{\"jobId\":\"a\",\"outcome\":\"Failed\",\"category\":\"network\"}\n";
    let message = "the only failure does not have a subcategory, so `gpu-fleet[1]` cannot match; give records with `subcategory`";
    warns(CATEGORIES, ("h.jsonl", lines), "", message);
}

/// Each queue has its own policy: that the other queue's failures have categories does not help.
#[test]
fn the_failures_of_other_queues_do_not_count() {
    let policies =
        ["alpha", "beta"].map(|name| v1(name, "{action: Retry, onFailureCategory: [gpu]}"));
    let queue = |name: &str, policy: &str| {
        format!(
            "apiVersion: armadaproject.io/v1\nkind: Queue\nmetadata: {{name: {name}}}\nspec: {{priorityFactor: 1, retryPolicies: [{policy}]}}\n"
        )
    };
    let all = [&policies[0], &policies[1], &queue("a", "alpha"), &queue("b", "beta")]
        .map(String::as_str)
        .join("---\n");
    let lines = "{\"jobId\":\"1\",\"queue\":\"a\",\"outcome\":\"Failed\",\"category\":\"gpu\"}
{\"jobId\":\"2\",\"queue\":\"b\",\"outcome\":\"Failed\"}
{\"jobId\":\"3\",\"queue\":\"b\",\"outcome\":\"Failed\"}
";
    let message = "none of the 2 failures that were compared with it has a category, so no rule of `beta` can match; give --executor-config, or records with `category`";
    warns(&all, ("h.jsonl", lines), "", message);
}

#[test]
fn a_variant_has_its_own_note() {
    let sandbox = Sandbox::new();
    let (codes, categories) = (
        v1("p", "{action: Retry, onExitCodes: {operator: In, values: [3]}}"),
        v1("p", "{action: Retry, onFailureCategory: [gpu]}"),
    );
    sandbox.file("codes.yaml", &codes).file("categories.yaml", &categories);
    sandbox.file("pods.json", PODS);
    let run =
        sandbox.run("simulate -f codes.yaml --variant new=categories.yaml --history pods.json");
    let first = run.stdout.lines().next().unwrap_or_default();
    let begin = "warning: new: the only failure does not have a category, so no rule of `p` can match: pods have none";
    assert!(first.starts_with(begin), "{run}");
}

#[test]
fn messages_nodes_and_containers() {
    let message =
        "none of the 2 failures has a message, so no rule of `p` can match: sacct has none";
    warns(
        &v1("p", "{action: Retry, onTerminationMessage: {pattern: x}}"),
        ("jobs.txt", SACCT),
        "",
        message,
    );
    let evicted = "none of the 2 failures has the condition `Evicted`, so no rule of `p` can match: by default no state of sacct gives it; --disruptions can give it to states such as NODE_FAIL";
    warns(&v1("p", "{action: Retry, onConditions: [Evicted]}"), ("jobs.txt", SACCT), "", evicted);
    let named = "the only failure does not have a container `trainer`, so no rule of `p` can match";
    let rule = "{action: Retry, containerName: trainer, onExitCodes: {operator: In, values: [3]}}";
    warns(&v1("p", rule), ("pods.json", PODS), "", named);
    // Records that may have the part, and of which none has it, may be complete.
    let line = "{\"jobId\":\"a\",\"outcome\":\"Failed\",\"containers\":[{\"name\":\"m\",\"exitCode\":1}]}\n";
    let rules = "{action: Retry, antiAffinity: {mode: node}, onTerminationMessage: {pattern: x}}, {action: Retry, onConditions: [Evicted]}";
    let found = notes(&simulate(&v1("p", rules), ("h.jsonl", line), "-o json"));
    let texts: Vec<&str> = found.iter().map(|(_, message)| message.as_str()).collect();
    let wanted = [
        "the only failure does not have the condition `Evicted`, so `p[1]` cannot match",
        "the only failure does not have a message, so `p[0]` cannot match",
        "the only failure does not have a node, so no retry of `p[0]` avoids a node",
    ];
    assert_eq!(texts, wanted);
    assert!(found.iter().all(|(kind, _)| kind == "absentParts"), "{found:?}");
}

/// Against a plain reading of the records: a rule is listed exactly if no failure has its part, and then matches none.
#[test]
fn a_rule_is_listed_if_and_only_if_no_failure_has_its_part() {
    let rules = "{action: Retry, onFailureCategory: [c]}, {action: Retry, onFailureCategory: [x], onFailureSubcategory: [s]},
      {action: Retry, onExitCodes: {operator: NotIn, values: [9]}}, {action: Retry, onTerminationMessage: {pattern: m}},
      {action: Retry, onConditions: [Evicted]}, {action: Retry, containerName: side, onExitCodes: {operator: In, values: [1]}}";
    let policy = v1("p", rules);
    // Each bit is a part of a failure.
    let record = |number: usize, parts: usize| {
        let has = |bit: usize, text: &'static str| if parts & (1 << bit) > 0 { text } else { "" };
        let name = if parts & 32 > 0 { "side" } else { "main" };
        format!(
            "{{\"jobId\":\"{number}\",\"outcome\":\"Failed\"{}{}{},\"containers\":[{{\"name\":\"{name}\"{}{}}}]}}\n",
            has(0, ",\"category\":\"c\""),
            has(1, ",\"subcategory\":\"s\""),
            has(4, ",\"conditions\":[\"Evicted\"]"),
            has(2, ",\"exitCode\":1"),
            has(3, ",\"message\":\"m\""),
        )
    };
    for case in 0..64 {
        let others = [case, case & 0b01_0101, case & 0b10_1010];
        let lines: String = others.iter().enumerate().map(|(at, it)| record(at, *it)).collect();
        let report = simulate(&policy, ("h.jsonl", &lines), "-o json").exits(0).json();
        let rows = report["summary"]["missingParts"].as_array().cloned().unwrap_or_default();
        let listed = |rule: u64| rows.iter().any(|row| row["ruleIndex"] == rule);
        // A subcategory needs a category, and a container an exit code.
        for (rule, parts) in (0..).zip([1, 3, 4, 8, 16, 36]) {
            assert_eq!(listed(rule), case & parts != parts, "case {case}, rule {rule}: {rows:?}");
        }
        let matched = report["summary"]["byRule"].as_array().expect("rules").iter();
        for row in matched.filter(|row| row["matched"].as_u64() > Some(0)) {
            let rule = row["ruleIndex"].as_u64();
            assert!(rule.is_none_or(|rule| !listed(rule)), "case {case}: {row}");
        }
    }
}

/// What a program's output is said to lack is on none of the records of its fixtures.
#[test]
fn no_fixture_has_what_its_source_lacks() {
    let conditions = ["OOMKilled", "Evicted", "Preempted", "DeadlineExceeded", "Unschedulable"];
    let conditions = conditions.map(|name| format!("{{action: Retry, onConditions: [{name}]}}"));
    let rules = format!(
        "{{action: Retry, onFailureCategory: [c]}}, {{action: Retry, onTerminationMessage: {{pattern: m}}}}, {}",
        conditions.join(", ")
    );
    let fixtures = [
        ("pods", "list.json"),
        ("pods", "watch.json"),
        ("sacct", "duplicates.txt"),
        ("lookout", "pages.json"),
        ("armada-events", "gateway.jsonl"),
        ("armada-events-recorded", "set-1.jsonl"),
    ];
    let sandbox = Sandbox::new();
    sandbox.file("policy.yaml", v1("p", &rules));
    for (folder, file) in fixtures {
        let path = format!("{}/testdata/sources/{folder}/{file}", env!("CARGO_MANIFEST_DIR"));
        let command = format!("simulate -f policy.yaml --history {path} --timelines none -o json");
        let report = sandbox.run(&command).exits(0).json();
        let rows = report["summary"]["missingParts"].as_array().cloned().unwrap_or_default();
        let program = PROGRAMS.iter().find(|program| folder.starts_with(program.name)).unwrap();
        for lack in program.lacks {
            for field in lack.fields.iter().filter(|field| **field != "subcategory") {
                let values = lack.values.iter().map(|value| vec![(*value).into()]);
                let wanted: Vec<Vec<Value>> =
                    if lack.values.is_empty() { vec![vec![]] } else { values.collect() };
                for values in wanted {
                    let is_row = |row: &&Value| {
                        let found = row["values"].as_array().cloned().unwrap_or_default();
                        row["field"] == **field && found == values
                    };
                    assert!(
                        rows.iter().any(|row| is_row(&row)),
                        "{file}: {field} {values:?} in {rows:?}"
                    );
                }
            }
        }
    }
}

const JOB: &str = "apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec:
  backoffLimit: 2
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}
  podFailurePolicy:
    rules:
    - {action: Ignore, onPodConditions: [{type: DisruptionTarget}]}
    - {action: FailJob, onExitCodes: {containerName: main, operator: In, values: [42]}}
";

#[test]
fn rules_of_a_job() {
    let lines =
        "{\"jobId\":\"j\",\"outcome\":\"Failed\"}\n{\"jobId\":\"j\",\"outcome\":\"Failed\"}\n";
    let found = notes(&simulate(JOB, ("h.jsonl", lines), "-o json"));
    let wanted = [
        "none of the 2 failures has an exit code, so `j[1]` cannot match",
        "none of the 2 failures has the condition `DisruptionTarget`, so `j[0]` cannot match",
    ];
    let texts: Vec<&str> = found.iter().map(|(_, message)| message.as_str()).collect();
    assert_eq!(texts, wanted);
    // With both on record no rule is listed, although none matches.
    let lines = "{\"jobId\":\"j\",\"outcome\":\"Failed\",\"containers\":[{\"name\":\"main\",\"exitCode\":1}],\"podConditions\":[{\"type\":\"Ready\"}]}\n";
    assert_eq!(notes(&simulate(JOB, ("h.jsonl", lines), "-o json")), []);
    let lines = "{\"jobId\":\"j\",\"outcome\":\"Failed\",\"containers\":[{\"name\":\"other\",\"exitCode\":1}],\"podConditions\":[{\"type\":\"DisruptionTarget\"}]}\n";
    let message = "the only failure does not have a container `main`, so `j[1]` cannot match; compare the name with those in the records";
    warns(JOB, ("h.jsonl", lines), "", message);
}

#[test]
fn rules_of_a_jobset() {
    let set = "apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: s}
spec:
  failurePolicy:
    maxRestarts: 1
    rules: [{name: r, action: FailJobSet, onJobFailureMessagePatterns: ['x']}]
  replicatedJobs:
  - name: w
    template:
      spec:
        template: {spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}
";
    // The Job's name names no replicated Job.
    let lines = "{\"jobId\":\"s\",\"jobName\":\"other\",\"outcome\":\"Failed\",\"failureReason\":\"Custom\"}\n";
    let message = "the only failure does not have a message, so no rule of `s` can match; give records with `failureMessage`";
    warns(set, ("h.jsonl", lines), "", message);
    let lines = lines.replace("Custom\"", "Custom\",\"failureMessage\":\"m\"");
    let message = "the only failure does not have a replicated Job, so no rule of `s` can match; give records with `replicatedJob`";
    warns(set, ("h.jsonl", &lines), "", message);
    let lines = lines.replace("other", "s-w-0");
    assert_eq!(notes(&simulate(set, ("h.jsonl", &lines), "-o json")), []);
}

#[test]
fn profiles() {
    let airflow = "apiVersion: armadaproject.io/v1
kind: RetryProfile
metadata: {name: a}
spec:
  system: airflow
  policy:
    retries: 2
    retry_policy: {rules: [{exception: builtins.ValueError, action: fail}]}
";
    let lines = "{\"jobId\":\"t\",\"outcome\":\"Failed\"}\n";
    let message = "the only failure does not have `exceptions`, so no rule of `a` can match; list the classes of `__mro__`, or set `workerDied`";
    warns(airflow, ("h.jsonl", lines), "", message);
    let draft = "apiVersion: armadaproject.io/v1
kind: RetryProfile
metadata: {name: b}
spec:
  system: backendai
  layers:
    cluster: {max_retries: 2, eligible_causes: [agent_transient]}
";
    let message = "the only failure does not have a cause other than `unknown`, so `b` retries nothing; give records with `cause`";
    warns(draft, ("h.jsonl", lines), "", message);
}

#[test]
fn failures_compared_with_several_policies_count_once() {
    let policy = |name: &str, code: &str| {
        format!(
            "apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {{name: {name}}}
spec: {{rules: [{{action: Retry, onFailureCategory: [{code}]}}]}}
"
        )
    };
    let queue = "apiVersion: armadaproject.io/v1\nkind: Queue\nmetadata: {name: q}\nspec: {retryPolicies: [p1, p2]}\n---\napiVersion: armadaproject.io/v1\nkind: Queue\nmetadata: {name: other}\nspec: {retryPolicies: []}\n";
    let sandbox = Sandbox::new();
    sandbox.file("p.yaml", format!("{}---\n{}---\n{queue}", policy("p1", "a"), policy("p2", "b")));
    let failure = r#""outcome":"Failed","containers":[{"name":"m","exitCode":2}]}"#;
    let mut lines = String::new();
    for (queue, job) in [("q", 1), ("q", 2), ("other", 3)] {
        lines += &format!("{{\"jobId\":\"j{job}\",\"queue\":\"{queue}\",{failure}\n");
    }
    sandbox.file("h.jsonl", lines);
    let run = sandbox.run("simulate -f p.yaml --history h.jsonl --missing-policy skip").exits(0);
    let text = "no failure that was compared with them has a category";
    assert!(run.stdout.contains(text), "{run}");
}

/// The notes on names that rules list, of a history of failures with these categories and subcategories.
fn listed_notes(policy: &str, failures: &[(&str, &str)], flags: &str) -> Vec<String> {
    let line = |(number, (category, sub)): (usize, &(&str, &str))| {
        format!(
            "{{\"jobId\":\"{number}\",\"outcome\":\"Failed\",\"category\":\"{category}\",\"subcategory\":\"{sub}\"}}\n"
        )
    };
    let lines: String = failures.iter().enumerate().map(line).collect();
    let run = simulate(policy, ("h.jsonl", &lines), &format!("-o json {flags}")).exits(0);
    notes(&run).into_iter().map(|(_, message)| message).collect()
}

#[test]
fn a_category_that_is_a_typo_of_a_recorded_one_is_named() {
    let policy = v1(
        "p",
        "{action: Retry, onFailureCategory: [gpus, oom]}, {action: Fail, onFailureCategory: [net], onFailureSubcategory: [DNS]},
         {action: Fail, onConditions: [Evicted]}",
    );
    let failures = [("gpu", "x"), ("oom", ""), ("net", "dns")];
    let found = listed_notes(&policy, &failures, "");
    let wanted = [
        "no run has the category `gpus` of `p[0]`; did you mean `gpu`?",
        "no run has the subcategory `DNS` of `p[1]`; did you mean `dns`?",
    ];
    assert_eq!(found[..2], wanted);
    // A name that the rules list beside the one that is recorded is another name.
    let policy = v1(
        "p",
        "{action: Retry, onFailureCategory: [gpu]}, {action: Fail, onFailureCategory: [cpu]}",
    );
    assert_eq!(listed_notes(&policy, &[("cpu", "")], ""), [""; 0]);
}

#[test]
fn a_policy_none_of_whose_categories_is_recorded_is_named() {
    let lines = "{\"jobId\":\"a\",\"outcome\":\"Failed\",\"category\":\"node\"}\n{\"jobId\":\"b\",\"outcome\":\"Failed\",\"category\":\"oom\"}\n";
    let message = "no run has one of the categories that `p` lists (`gpu`, `network`), so no rule of `p` can match; the history has `node`, `oom`";
    let policy = v1("p", "{action: Retry, onFailureCategory: [gpu, network]}");
    warns(&policy, ("h.jsonl", lines), "", message);
    let failures = [("node", ""), ("oom", "")];
    let exit = "{action: Fail, onExitCodes: {operator: In, values: [1]}}";
    let codes = |rules: &str| listed_notes(&v1("p", rules), &failures, "");
    let found = codes(&format!("{{action: Retry, onFailureCategory: [gpu, network]}}, {exit}"));
    let message = "no run has one of the categories that `p` lists (`gpu`, `network`); the history has `node`, `oom`";
    assert_eq!(found[0], message);
    // One category of several, and the only one of a policy that compares other parts too, may just not have occurred.
    assert_eq!(codes("{action: Retry, onFailureCategory: [gpu, node]}"), [""; 0]);
    let found = codes(&format!("{{action: Retry, onFailureCategory: [gpu]}}, {exit}"));
    assert!(found.iter().all(|message| !message.contains("gpu")), "{found:?}");
    // The category of expired leases is Armada's own.
    assert_eq!(codes("{action: Retry, onFailureCategory: [internal]}"), [""; 0]);
}

#[test]
fn categories_that_the_executors_can_give_are_not_mistakes() {
    let sandbox = Sandbox::new();
    sandbox.file("policy.yaml", v1("p", "{action: Retry, onFailureCategory: [gpus]}"));
    sandbox.file("h.jsonl", "{\"jobId\":\"a\",\"outcome\":\"Failed\",\"category\":\"gpu\"}\n");
    let config = "application: {errorCategories: {enabled: true, categories: [{name: gpus, rules: [{onExitCodes: {operator: In, values: [3]}}]}]}}\n";
    sandbox.file("executor.yaml", config);
    let command = "simulate -f policy.yaml --history h.jsonl -o json";
    assert_eq!(notes(&sandbox.run(command).exits(0)).len(), 1);
    let run = sandbox.run(&format!("{command} --executor-config executor.yaml")).exits(0);
    assert_eq!(notes(&run), []);
}

#[test]
fn lint_prints_what_its_history_lacks() {
    let sandbox = Sandbox::new();
    sandbox.file("policy.yaml", CATEGORIES).file("pods.json", PODS);
    let command = "lint -f policy.yaml --against pods.json";
    let message = "the only failure does not have a category, so no rule of `gpu-fleet` can match: pods have none; give --executor-config, or a history of Lookout or of Armada's events";
    let run = sandbox.run(command).exits(0);
    assert!(run.stderr.contains(&format!("warning: {message}\n")), "{run}");
    let run = sandbox.run(&format!("{command} --error-format json")).exits(0);
    assert!(run.stderr.contains(&format!("\"message\":\"{message}\"")), "{run}");
    for format in ["-o json", "--report json=-"] {
        let report = sandbox.run(&format!("{command} {format}")).exits(0).json();
        assert_eq!(report["notes"][0]["message"], message, "{format}");
    }
    let run = sandbox.run(&format!("{command} -o yaml")).exits(0);
    assert!(run.stdout.contains("kind: missingParts"), "{run}");
}
