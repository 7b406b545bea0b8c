//! `compare`: two versions of policies over all failures, with a history for each difference.
//!
//! Holds cli.md Commands, Output.

use super::sandbox::{Sandbox, snapshot};
use serde_json::{Value, json};

const BEFORE: &str = "compare/before.yaml";
const REORDERED: &str = "compare/reordered.yaml";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.examples(&[
        BEFORE,
        REORDERED,
        "compare/widened.yaml",
        "compare/v1beta1.yaml",
        "compare/v1.yaml",
    ]);
    sandbox
}

#[test]
fn the_same_is_proved_and_a_difference_has_both_rules() {
    let sandbox = sandbox();
    snapshot!("same", sandbox.run(&format!("compare {BEFORE} {BEFORE}")).exits(0));
    snapshot!("reordered", sandbox.run(&format!("compare {BEFORE} {REORDERED}")).exits(1));
    snapshot!("widened", sandbox.run(&format!("compare {BEFORE} compare/widened.yaml")).exits(1));
    let forms = sandbox.run("compare compare/v1beta1.yaml compare/v1.yaml").exits(1);
    snapshot!("forms", forms);
}

/// Each history is one that `simulate` replays to two results.
#[test]
fn histories_of_differences_replay_to_two_results() {
    let sandbox = sandbox();
    let versions = [
        [BEFORE, REORDERED],
        [BEFORE, "compare/widened.yaml"],
        ["compare/v1beta1.yaml", "compare/v1.yaml"],
    ];
    for (pair, [old, new]) in versions.into_iter().enumerate() {
        let line = format!("compare {old} {new} --witnesses found-{pair} -o json");
        let report = sandbox.run(&line).exits(1).json();
        assert_eq!(report["verdict"], "different");
        let item = &report["items"][0];
        let groups = item["groups"].as_array().expect("groups");
        assert!(!groups.is_empty());
        for (number, group) in groups.iter().enumerate() {
            let witness = &group["witness"];
            let name = item["name"].as_str().expect("a name");
            let file = format!("found-{pair}/{}-policy-{name}.yaml", number + 1);
            let decision = |policy: &str| -> Value {
                let line = format!("simulate -f {policy} --history {file} -o json");
                let report = sandbox.run(&line).exits(0).json();
                let decisions = report["jobs"][0]["decisions"].as_array().expect("decisions");
                let last = decisions.last().expect("a decision").clone();
                let keys = ["action", "delaySeconds", "avoidNodes", "memoryBytes", "nextPodName"];
                keys.iter().map(|key| last[*key].clone()).collect()
            };
            assert_ne!(decision(old), decision(new), "{group}");
            let runs = witness["history"]["spec"]["jobs"][0]["runs"].as_array().expect("runs");
            assert_eq!(runs.len() as u64, witness["failures"].as_u64().expect("a number"));
        }
    }
}

/// A policy with a rule on codes at this place among rules on categories.
fn ten_categories(place: usize) -> String {
    let rule = |it: usize| format!("  - {{action: Retry, onFailureCategory: [c{it}]}}\n");
    let mut rules: Vec<String> = (0..10).map(rule).collect();
    let codes = "  - {action: Fail, onExitCodes: {operator: In, values: [7]}}\n";
    rules.insert(place, codes.to_owned());
    let head = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec:\n  rules:\n";
    head.to_owned() + &rules.concat()
}

#[test]
fn a_moved_rule_is_one_group() {
    let sandbox = sandbox();
    sandbox.file("last.yaml", ten_categories(10)).file("first.yaml", ten_categories(0));
    snapshot!("moved", sandbox.run("compare last.yaml first.yaml").exits(1));
    let report = sandbox.run("compare first.yaml last.yaml -o json").exits(1).json();
    let groups = report["items"][0]["groups"].as_array().expect("groups").clone();
    assert_eq!(groups.len(), 1);
    assert_eq!(groups[0]["kind"], "now_retried");
    assert_eq!(groups[0]["pairs"].as_array().map(Vec::len), Some(10));
}

const INFRA: &str = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: infra}\nspec:\n  \
                     rules: [{action: Retry, onConditions: [Evicted]}]\n";
const QUEUE: &str = "---\napiVersion: armadaproject.io/v1\nkind: Queue\nmetadata: {name: ml}\nspec:\n  \
                     priorityFactor: 1\n  retryPolicies: [infra]\n";
const SETTINGS: &str = "scheduling: {retryPolicy: {enabled: true, globalMaxRetries: 2}}\n";

#[test]
fn directories_are_compared_by_names_and_queues_by_their_lists() {
    let sandbox = sandbox();
    let gone = INFRA.replace("infra", "gone");
    sandbox.file("old/infra.yaml", format!("{INFRA}{QUEUE}")).file("old/gone.yaml", gone);
    let more = INFRA.replace("Evicted", "Evicted, OOMKilled");
    sandbox.file("new/infra.yaml", format!("{more}{QUEUE}"));
    sandbox.file("new/added.yaml", INFRA.replace("infra", "added"));
    snapshot!("directories", sandbox.run("compare old new --witnesses found").exits(1));
    for file in ["found/1-policy-infra.yaml", "found/2-queue-ml.yaml"] {
        assert!(sandbox.path().join(file).is_file(), "{file}");
    }
    sandbox.file("less/infra.yaml", format!("{INFRA}{QUEUE}"));
    snapshot!("removed", sandbox.run("compare old less").exits(1));
    let only = sandbox.run("compare old new --queue ml -o json").exits(1).json();
    assert_eq!(only["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&only["items"][0]["kind"], &only["items"][0]["name"]),
        (&json!("queue"), &json!("ml"))
    );
    snapshot!("unknown_queue", sandbox.run("compare old new --queue etl").exits(2));
}

#[test]
fn settings_of_the_scheduler_are_part_of_a_version() {
    let sandbox = sandbox();
    sandbox.file("infra.yaml", INFRA).file("less.yaml", SETTINGS);
    let more = SETTINGS.replace('2', "3");
    sandbox.file("more.yaml", more);
    let same = "compare infra.yaml infra.yaml --scheduler-config less.yaml";
    sandbox.run(same).exits(0);
    let line = format!("{same} --to-scheduler-config more.yaml -o json");
    let report = sandbox.run(&line).exits(1).json();
    let group = &report["items"][0]["groups"][0];
    assert_eq!((&group["kind"], &group["cause"]), (&json!("more_retries"), &json!("limit")));
    assert_eq!(group["title"], "`globalMaxRetries` is 3, before 2");
    assert_eq!(group["witness"]["failures"], 3);
    sandbox.file("off.yaml", SETTINGS.replace("true", "false"));
    let grace = "scheduling: {retryPolicy: {enabled: true, globalMaxRetries: 2}}\nsubmission: {minTerminationGracePeriod: 9s}\n";
    sandbox.file("grace.yaml", grace);
    let grace = format!("{same} --to-scheduler-config grace.yaml");
    snapshot!("grace", sandbox.run(&grace).exits(1));
    let off = format!("{same} --to-scheduler-config off.yaml -o json");
    let report = sandbox.run(&off).exits(1).json();
    assert_eq!(report["items"][0]["groups"][0]["kind"], "no_longer_retried");
}

#[test]
fn what_is_no_policy_is_refused() {
    let sandbox = sandbox();
    sandbox.file("queue.yaml", QUEUE).file("broken.yaml", "a: [");
    snapshot!("without_policies", sandbox.run(&format!("compare {BEFORE} queue.yaml")).exits(3));
    sandbox.run(&format!("compare {BEFORE} broken.yaml")).exits(3);
    sandbox.run(&format!("compare {BEFORE} absent.yaml")).exits(3);
    sandbox.run("compare - -").exits(2);
    sandbox.file("lists.yaml", format!("{}{QUEUE}", INFRA.replace("infra", "other")));
    snapshot!("missing_policy", sandbox.run("compare lists.yaml lists.yaml").exits(3));
}

#[test]
fn manifests_of_other_systems_are_compared_by_name() {
    let sandbox = sandbox();
    sandbox.examples(&["compare/job-before.yaml", "compare/job-after.yaml"]);
    let (before, after) = ("compare/job-before.yaml", "compare/job-after.yaml");
    snapshot!("job", sandbox.run(&format!("compare {before} {after}")).exits(1));
    sandbox.run(&format!("compare {before} {before} --report junit=same.xml")).exits(0);
    let junit = std::fs::read_to_string(sandbox.path().join("same.xml")).expect("a report");
    assert!(junit.contains("name=\"Job train\""), "{junit}");
    let line = format!("compare {before} {after} --witnesses found");
    sandbox.run(&line).exits(1);
    // Files of another comparison do not stay beside them.
    snapshot!("witnesses_exist", sandbox.run(&line).exits(6));
    let outcome = |policy: &str| {
        let line = format!("simulate -f {policy} --history found/1-Job-train.yaml -o json");
        sandbox.run(&line).exits(0).json()["jobs"][0]["outcome"].clone()
    };
    assert_eq!([outcome(before), outcome(after)], ["Unresolved", "Failed"]);
}

/// Every example of a policy is proved to be as itself; a Job and a JobSet have nothing in common.
#[test]
fn manifests_of_all_systems_are_the_same_as_themselves() {
    let sandbox = Sandbox::new();
    let files = [
        "job/per-index.yaml",
        "jobset/restart-jobset.yaml",
        "argo/train.yaml",
        "airflow/policy.yaml",
        "awsbatch/training.json",
        "iris/nightly.yaml",
        "backendai/training.yaml",
    ];
    sandbox.examples(&files);
    for file in files {
        let same = sandbox.run(&format!("compare {file} {file}")).exits(0);
        assert!(same.stdout.starts_with("Same: "), "{file}");
    }
    let apart = sandbox.run(&format!("compare {} {}", files[0], files[1])).exits(1);
    snapshot!("apart", apart);
}

/// Manifests of one name are told apart by their namespaces and kinds, or refused.
#[test]
fn manifests_of_one_name_are_each_compared() {
    let sandbox = Sandbox::new();
    let job = |namespace: &str, limit: u32| {
        let meta = json!({"name": "a", "namespace": namespace});
        let template = json!({"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "c"}]}});
        let spec = json!({"backoffLimit": limit, "template": template});
        json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": spec}).to_string()
    };
    sandbox.file("old.yaml", [job("dev", 2), job("prod", 2)].join("\n---\n"));
    sandbox.file("new.yaml", [job("dev", 2), job("prod", 5)].join("\n---\n"));
    sandbox.file("twice.yaml", [job("dev", 2), job("dev", 5)].join("\n---\n"));
    snapshot!("namespaces", sandbox.run("compare old.yaml new.yaml").exits(1));
    snapshot!("twice", sandbox.run("compare twice.yaml new.yaml").exits(3));
}
