//! `compare`: tests, reports and histories beside the answer.
//!
//! Holds cli.md Commands, Output.

use super::sandbox::{Sandbox, snapshot};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const BEFORE: &str = "compare/before.yaml";
const REORDERED: &str = "compare/reordered.yaml";
const WIDENED: &str = "compare/widened.yaml";
const V1BETA1: &str = "compare/v1beta1.yaml";
const V1: &str = "compare/v1.yaml";

const INFRA: &str = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: infra}\nspec:\n  \
                     rules: [{action: Retry, onConditions: [Evicted]}]\n";
const QUEUE: &str = "---\napiVersion: armadaproject.io/v1\nkind: Queue\nmetadata: {name: ml}\nspec:\n  \
                     priorityFactor: 1\n  retryPolicies: [infra]\n";
const SETTINGS: &str = "scheduling: {retryPolicy: {enabled: true, globalMaxRetries: 2}}\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.examples(&[BEFORE, REORDERED, WIDENED, V1BETA1, V1]);
    sandbox
}

/// The outcomes of the tests of a file.
fn outcomes(sandbox: &Sandbox, file: &str) -> Vec<String> {
    let report = sandbox.run(&format!("test {file} -o json")).json();
    let items = report["items"].as_array().expect("tests").iter();
    items.map(|item| item["outcome"].as_str().expect("an outcome").to_owned()).collect()
}

/// Tests of differences pass with the policies after, and each fails with those before.
#[test]
fn tests_of_differences_tell_the_versions_apart() {
    let sandbox = sandbox();
    // The wait for the pod of a preempted run hides a backoff that is shorter, unless the pod is gone.
    for (name, delay) in [("half.yaml", "500ms"), ("more.yaml", "700ms")] {
        let backoff = format!("onConditions: [Preempted], backoff: {{initialDelay: {delay}}}");
        sandbox.file(name, INFRA.replace("onConditions: [Evicted]", &backoff));
    }
    for (name, old, new) in [
        ("preempted", "half.yaml", "more.yaml"),
        ("reordered", BEFORE, REORDERED),
        ("widened", BEFORE, WIDENED),
        ("forms", V1BETA1, V1),
        ("forms_back", V1, V1BETA1),
    ] {
        let file = format!("tests/{name}.yaml");
        let run = sandbox.run(&format!("compare {old} {new} --as-tests {file}")).exits(1);
        let text = std::fs::read_to_string(sandbox.path().join(&file)).expect("tests");
        let differences = text.matches("# before: ").count();
        assert!(run.stderr.contains(&format!("wrote {differences} test")), "{}", run.stderr);
        assert_eq!(outcomes(&sandbox, &file), vec!["Passed"; differences], "{text}");
        sandbox.run(&format!("validate -f {file}")).exits(0);
        let before =
            text.replace(&format!("policies: [../{new}]"), &format!("policies: [../{old}]"));
        assert_ne!(text, before);
        sandbox.file("tests/before.yaml", &before);
        assert_eq!(outcomes(&sandbox, "tests/before.yaml"), vec!["Failed"; differences], "{text}");
        insta::assert_snapshot!(format!("tests_{name}"), text);
    }
    let again = format!("compare {BEFORE} {REORDERED} --as-tests tests/reordered.yaml");
    snapshot!("tests_exist", sandbox.run(&again).exits(6));
    let same = sandbox.run(&format!("compare {BEFORE} {BEFORE} --as-tests same.yaml")).exits(0);
    snapshot!("tests_of_no_difference", same);
    assert!(!sandbox.path().join("same.yaml").exists());
}

/// A difference in nodes, memory, waits or settings has a test; the list of a queue is that of its document.
#[test]
fn tests_of_directories_name_queues_and_settings() {
    let sandbox = sandbox();
    let rule = |effects: &str| INFRA.replace("onConditions: [Evicted]", effects);
    let old = "onConditions: [Evicted], backoff: {initialDelay: 1s}";
    let new = "onConditions: [Evicted], backoff: {initialDelay: 2s}, antiAffinity: {mode: node}";
    let other = INFRA.replace("infra", "other");
    sandbox.file("old/infra.yaml", format!("{}{QUEUE}", rule(old)));
    sandbox.file("new/infra.yaml", format!("{}{QUEUE}---\n{other}", rule(new)));
    sandbox.file("less.yaml", SETTINGS).file("more.yaml", SETTINGS.replace('2', "3"));
    let line = "compare old new --scheduler-config less.yaml --to-scheduler-config more.yaml \
                --as-tests change.yaml";
    snapshot!("tests_of_directories", sandbox.run(line).exits(1));
    let text = std::fs::read_to_string(sandbox.path().join("change.yaml")).expect("tests");
    let passed = outcomes(&sandbox, "change.yaml");
    assert!(!passed.is_empty() && passed.iter().all(|it| it == "Passed"), "{text}");
    let before = text
        .replace("new/infra.yaml", "old/infra.yaml")
        .replace("policies: [new]", "policies: [old]")
        .replace("globalMaxRetries: 3", "globalMaxRetries: 2");
    sandbox.file("before.yaml", &before);
    assert_eq!(outcomes(&sandbox, "before.yaml"), vec!["Failed"; passed.len()], "{text}");
    insta::assert_snapshot!("tests_of_directories_file", text);
    sandbox.run("compare old - --as-tests x.yaml").exits(2);
}

/// A failure of the random histories.
const FAILURES: [&str; 8] = [
    r#""conditions": ["Evicted"]"#,
    r#""conditions": ["Evicted"], "containers": [{"name": "main", "exitCode": 139}]"#,
    r#""containers": [{"name": "main", "exitCode": 139}]"#,
    r#""containers": [{"name": "main", "exitCode": 1, "message": "checkpoint store: 503"}]"#,
    r#""containers": [{"name": "main", "exitCode": 1, "message": "checkpoint store: 429"}]"#,
    r#""category": "infrastructure""#,
    r#""category": "storage""#,
    r#""outcome": "Preempted", "category": "storage""#,
];

/// A history of jobs with up to 7 failures: as it is, and with a job of its own for each failure.
fn histories(seed: u64) -> [String; 2] {
    let mut state = seed;
    let mut random = |most: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let (mut jobs, mut single) = (String::new(), String::new());
    for job in 0..120 {
        for run in 0..=random(7) {
            let failure = FAILURES[usize::try_from(random(FAILURES.len() as u64)).expect("small")];
            let outcome = if failure.contains("outcome") { "" } else { r#""outcome": "Failed", "# };
            let node = format!(r#""node": "n{}""#, random(3));
            let rest = format!("{outcome}{failure}, {node}, \"queue\": \"ml\"}}\n");
            jobs += &format!("{{\"jobId\": \"j{job}\", \"runIndex\": {run}, {rest}");
            single += &format!("{{\"jobId\": \"j{job}-{run}\", \"runIndex\": 0, {rest}");
        }
    }
    [jobs, single]
}

/// The decisions of `simulate` by job and run.
fn decisions(sandbox: &Sandbox, policy: &str, history: &str) -> BTreeMap<(String, u64), Value> {
    let line = format!("simulate -f {policy} --history {history} --timelines all -o json");
    let report = sandbox.run(&line).exits(0).json();
    let mut decisions = BTreeMap::new();
    for job in report["jobs"].as_array().expect("jobs") {
        for decision in job["decisions"].as_array().expect("decisions") {
            let run = decision["runIndex"].as_u64().expect("a run");
            let id = job["jobId"].as_str().expect("a job").to_owned();
            decisions.insert((id, run), decision.clone());
        }
    }
    decisions
}

/// The fields of a decision that have a consequence.
fn effect(decision: &Value) -> Vec<Value> {
    let keys = ["action", "delaySeconds", "avoidNodes", "memoryBytes", "nextPodName"];
    keys.iter().map(|key| decision[*key].clone()).collect()
}

/// The rule of a decision, or that of a pair in a report.
fn rule(of: &Value) -> [Value; 2] {
    [of["policy"].clone(), of["ruleIndex"].clone()]
}

/// Whether two decisions differ as a kind tells.
fn is_of_kind(kind: &str, old: &Value, new: &Value) -> bool {
    let actions = [old, new].map(|decision| decision["action"].as_str().expect("an action"));
    match kind {
        "no_longer_retried" | "fewer_retries" => actions == ["Retry", "Fail"],
        "now_retried" | "more_retries" => actions == ["Fail", "Retry"],
        "wait" => old["delaySeconds"] != new["delaySeconds"] && actions == ["Retry", "Retry"],
        "pod_names" => old["nextPodName"] != new["nextPodName"] && actions == ["Retry", "Retry"],
        other => panic!("{other} is no kind of these pairs"),
    }
}

/// The counts of recorded failures are those of two replays by `simulate`, compared run by run. The rule of a failure
/// that a replay does not reach is that of the failure alone.
#[test]
fn recorded_failures_are_counted_as_simulate_decides_them() {
    let sandbox = sandbox();
    let (mut decided_otherwise, mut fallen) = (0, 0);
    for (seed, [old, new]) in (1..).zip([
        [BEFORE, REORDERED],
        [REORDERED, BEFORE],
        [BEFORE, WIDENED],
        [WIDENED, REORDERED],
        [V1BETA1, V1],
        [V1, V1BETA1],
    ]) {
        let [jobs, single] = histories(seed);
        sandbox.file("jobs.jsonl", jobs).file("single.jsonl", single);
        let line = format!("compare {old} {new} --history jobs.jsonl -o json");
        let report = sandbox.run(&line).exits(1).json();
        let [old_alone, new_alone] = [old, new].map(|it| decisions(&sandbox, it, "single.jsonl"));
        let [old_all, new_all] = [old, new].map(|it| decisions(&sandbox, it, "jobs.jsonl"));
        let both = |key: &(String, u64)| old_all.get(key).zip(new_all.get(key));
        let keys: Vec<(String, u64)> = old_alone
            .keys()
            .map(|(id, _)| {
                let (job, run) = id.split_once('-').expect("a job and a run");
                (job.to_owned(), run.parse().expect("a number"))
            })
            .collect();
        let changed: Vec<&(String, u64)> = keys
            .iter()
            .filter(|key| both(key).is_some_and(|(old, new)| effect(old) != effect(new)))
            .collect();
        let recorded = &report["recorded"];
        assert_eq!(recorded["failures"], keys.len(), "{old} {new}");
        assert_eq!(recorded["decidedOtherwise"], changed.len(), "{old} {new}");
        let none = json!({"unknownPairs": 0, "afterOthers": 0, "others": 0});
        assert_eq!(recorded["inNoDifference"], none, "{old} {new}");
        for group in report["items"][0]["groups"].as_array().expect("groups") {
            let pairs = group["pairs"].as_array().expect("pairs").iter();
            let pairs: Vec<_> =
                pairs.map(|pair| (rule(&pair["old"]), rule(&pair["new"]))).collect();
            let alone = |(job, run): &(String, u64)| (format!("{job}-{run}"), 0);
            let kind = group["kind"].as_str().expect("a kind");
            let of_group = |key: &&(String, u64)| {
                // The names of pods are those of all retries.
                if kind == "pod_names" {
                    let both = both(key).map(|(old, new)| [&old["action"], &new["action"]]);
                    return both == Some([&json!("Retry"), &json!("Retry")]);
                }
                let [old, new] = [&old_alone, &new_alone].map(|all| rule(&all[&alone(key)]));
                pairs.contains(&(old, new))
            };
            let of_group: Vec<&(String, u64)> = keys.iter().filter(of_group).collect();
            let otherwise = of_group
                .iter()
                .filter(|key| both(key).is_some_and(|(old, new)| is_of_kind(kind, old, new)));
            let jobs: BTreeSet<&str> = of_group.iter().map(|(job, _)| job.as_str()).collect();
            let counts = json!({
                "failures": of_group.len(), "jobs": jobs.len(), "decidedOtherwise": otherwise.count(),
            });
            assert_eq!(group["recorded"], counts, "{old} {new}: {kind}");
            fallen += of_group.len();
        }
        decided_otherwise += changed.len();
    }
    // The histories show each kind of difference.
    assert!(decided_otherwise > 100 && fallen > 500, "{decided_otherwise}, {fallen}");
}

#[test]
fn the_answer_counts_recorded_failures() {
    let sandbox = sandbox();
    sandbox.examples(&["compare/failures.jsonl"]);
    let history = "--history compare/failures.jsonl";
    snapshot!("history", sandbox.run(&format!("compare {BEFORE} {REORDERED} {history}")).exits(1));
    snapshot!(
        "history_same",
        sandbox.run(&format!("compare {BEFORE} {BEFORE} {history}")).exits(0)
    );
    snapshot!("history_forms", sandbox.run(&format!("compare {V1BETA1} {V1} {history}")).exits(1));
    sandbox.file("empty.jsonl", "").file("broken.jsonl", "{\"jobId\": 1}\n");
    for (name, file) in
        [("empty", "empty.jsonl"), ("broken", "broken.jsonl"), ("absent", "no.jsonl")]
    {
        let run = sandbox.run(&format!("compare {BEFORE} {REORDERED} --history {file}")).exits(3);
        insta::assert_snapshot!(format!("history_{name}"), run.to_string());
    }
    sandbox.run(&format!("compare - {REORDERED} --history -")).exits(2);
}

/// The policies of a job are those of its queue; jobs of other queues, and of queues without a list, are not counted.
#[test]
fn jobs_have_the_policies_of_their_queues() {
    let sandbox = sandbox();
    let other = INFRA.replace("infra", "other");
    sandbox.file("old/a.yaml", format!("{INFRA}{QUEUE}---\n{other}"));
    let less = INFRA.replace("rules:", "retryLimit: 1\n  rules:");
    sandbox.file("new/a.yaml", format!("{less}{QUEUE}---\n{other}"));
    let record = |job: &str, queue: &str, run: u32| {
        format!(
            "{{\"jobId\": \"{job}\", \"queue\": \"{queue}\", \"runIndex\": {run}, \"outcome\": \"Failed\", \"conditions\": [\"Evicted\"]}}\n"
        )
    };
    let lines =
        [record("a", "ml", 0), record("a", "ml", 1), record("b", "etl", 0), record("c", "etl", 0)];
    sandbox.file("lines.jsonl", lines.concat());
    snapshot!("history_queues", sandbox.run("compare old new --history lines.jsonl").exits(1));
    let only =
        sandbox.run("compare old new --queue ml --history lines.jsonl -o json").exits(1).json();
    assert_eq!(only["recorded"]["notes"], json!([]));
    // The history has the list of the queue.
    let document = "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec:\n  \
                    start: 2026-01-01T00:00:00Z\n  queues: [{name: etl, retryPolicies: [infra]}]\n  jobs: []\n";
    sandbox.file("queues.yaml", document);
    let both = "compare old new --history lines.jsonl queues.yaml -o json";
    let report = sandbox.run(both).exits(1).json();
    assert_eq!(report["recorded"]["failures"], 4, "{report}");
}

/// The reports of two directories with differences, a pair that could not be compared, and names of one version.
#[test]
fn reports_have_a_finding_for_each_difference() {
    let sandbox = sandbox();
    let pattern = |length: usize| {
        let rule = format!("onTerminationMessage: {{pattern: \"a[ab]{{{length}}}c\"}}");
        INFRA.replace("infra", "text").replace("onConditions: [Evicted]", &rule)
    };
    let less = INFRA.replace("rules:", "retryLimit: 1\n  rules:");
    let [gone, added, same] = ["gone", "added", "same"].map(|name| INFRA.replace("infra", name));
    sandbox.file("old/all.yaml", format!("{INFRA}{QUEUE}---\n{gone}---\n{same}"));
    sandbox.file("old/text.yaml", pattern(20));
    sandbox.file("new/all.yaml", format!("{less}{QUEUE}---\n{added}---\n{same}"));
    sandbox
        .file("new/text.yaml", pattern(21))
        .file("new/clean.yaml", INFRA.replace("infra", "clean"));
    sandbox.file("old/clean.yaml", INFRA.replace("infra", "clean"));
    let record = r#"{"jobId": "a", "queue": "ml", "runIndex": 0, "outcome": "Failed", "conditions": ["Evicted"]}"#;
    sandbox.file(
        "lines.jsonl",
        format!("{record}\n{}\n", record.replace("\"runIndex\": 0", "\"runIndex\": 1")),
    );
    let formats = ["markdown", "github", "junit", "sarif", "gitlab", "html", "json"];
    let reports = formats.map(|it| format!(" --report {it}=out.{it}")).concat();
    let line = format!("compare old new --history lines.jsonl{reports} -o json");
    let json = sandbox.run(&line).exits(1).json();
    let text = |format: &str| {
        std::fs::read_to_string(sandbox.path().join(format!("out.{format}"))).expect("a report")
    };
    assert_eq!(serde_json::from_str::<Value>(&text("json")).expect("JSON"), json);
    insta::assert_snapshot!("report_markdown", text("markdown"));
    insta::assert_snapshot!("report_github", text("github"));
    let junit = text("junit");
    let (head, rest) = junit.split_once(" time=\"").expect("a time");
    let (_, rest) = rest.split_once('"').expect("its end");
    insta::assert_snapshot!("report_junit", format!("{head}{rest}"));
    let sarif: Value = serde_json::from_str(&text("sarif")).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let items = json["items"].as_array().expect("items");
    let count = |key: &str| -> usize {
        items.iter().map(|item| item[key].as_array().map_or(0, Vec::len)).sum()
    };
    let one_sided = items.iter().filter(|it| it["status"] == "added" || it["status"] == "removed");
    assert_eq!(results.len(), count("groups") + count("unknown") + one_sided.count());
    for result in results {
        let place = &result["locations"][0]["physicalLocation"];
        let file = place["artifactLocation"]["uri"].as_str().expect("a file");
        let is_gone = result["message"]["text"].as_str().expect("a text").contains("`gone`");
        assert!(file.starts_with(if is_gone { "old/" } else { "new/" }), "{result}");
        assert!(place["region"]["startLine"].as_u64().is_some_and(|line| line > 1), "{result}");
    }
    assert!(text("html").contains("Not the same: "));
    let on_stdout =
        sandbox.run(&format!("compare {BEFORE} {REORDERED} --report markdown=-")).exits(1);
    snapshot!("report_on_stdout", on_stdout);
    snapshot!(
        "report_same",
        sandbox.run(&format!("compare {BEFORE} {BEFORE} --report github=-")).exits(0)
    );
    sandbox.run(&format!("compare {BEFORE} {REORDERED} --report junit={REORDERED}")).exits(2);
    sandbox.run(&format!("compare {BEFORE} absent.yaml --report markdown=out.markdown")).exits(3);
    insta::assert_snapshot!("report_of_an_error", text("markdown"));
}
