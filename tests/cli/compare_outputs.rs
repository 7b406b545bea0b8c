//! `compare`: tests, reports and histories beside the answer.

use super::sandbox::{Sandbox, snapshot};

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
    for (name, old, new) in [
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
