//! The test runner's own test: a change of any rule of the example policies makes a test with full coverage fail.
//!
//! Holds cli.md test.

use super::sandbox::root;
use armadactl::Exit;
use armadactl::internals::commands::run_silently;
use serde::Deserialize;
use serde_yaml::{Mapping, Value};
use std::ffi::OsString;
use std::path::Path;

/// The policies of the examples, with the settings of their tests.
const SETS: [(&str, &[&str], &[&str]); 4] = [
    ("policies", &["policies/infra.yaml", "policies/ml-training.yaml"], &[]),
    ("first", &["first/policy.yaml"], &[]),
    ("pull-request", &["pull-request/policies/training.yaml"], &[]),
    ("server", &["server/infra.yaml"], &[]),
];

fn test(words: &[&str]) -> Exit {
    let words = ["armadactl", "test"].into_iter().chain(words.iter().copied());
    run_silently(words.map(OsString::from))
}

/// The rules of a policy of either form.
fn rules(policy: &mut Value) -> &mut Vec<Value> {
    let fields = if policy.get("spec").is_some() { &mut policy["spec"] } else { policy };
    fields["rules"].as_sequence_mut().expect("rules")
}

/// The mapping that has the limit of a rule: the rule, or its policy.
fn with_limit(policy: &mut Value, rule: usize) -> Option<&mut Mapping> {
    if rules(policy)[rule].get("retryLimit").is_some() {
        return rules(policy)[rule].as_mapping_mut();
    }
    let fields = if policy.get("spec").is_some() { &mut policy["spec"] } else { policy };
    fields.get("retryLimit").is_some().then(|| fields.as_mapping_mut()).flatten()
}

/// The changes of a rule, each with its name; none that leaves the policy as it is.
fn changed(policy: &Value, rule: usize) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    let mut add = |name: &str, change: &dyn Fn(&mut Value) -> bool| {
        let mut changed = policy.clone();
        if change(&mut changed) {
            assert_ne!(changed, *policy, "{name}");
            all.push((name.to_owned(), changed));
        }
    };
    add("removed", &|policy| {
        rules(policy).remove(rule);
        true
    });
    add("flipped", &|policy| {
        let action = &mut rules(policy)[rule]["action"];
        *action = if action == "Retry" { "Fail" } else { "Retry" }.into();
        true
    });
    let is_retry = rules(&mut policy.clone())[rule]["action"] == "Retry";
    for by in [-1, 1] {
        add(&format!("limit {by:+}"), &|policy| {
            let Some(fields) = with_limit(policy, rule).filter(|_| is_retry) else { return false };
            let limit = fields["retryLimit"].as_i64().expect("a limit");
            fields["retryLimit"] = (limit + by).into();
            limit + by >= 0
        });
    }
    let others = [
        ("onConditions", "[DeadlineExceeded]"),
        ("onExitCodes", "{operator: In, values: [254]}"),
        ("onTerminationMessage", "{pattern: no such words}"),
        ("onFailureCategory", "[no-such-category]"),
        ("onCategory", "no-such-category"),
        ("onSubcategory", "no-such-subcategory"),
    ];
    for (key, other) in others {
        add(&format!("other {key}"), &|policy| {
            let rule = &mut rules(policy)[rule];
            let has = rule.get(key).is_some();
            if has {
                rule[key] = serde_yaml::from_str(other).expect("a matcher");
            }
            has
        });
    }
    all
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, text).expect("a file");
}

/// Changes each rule of the policies in turn, and expects that the tests do not pass.
fn expect_failures(folder: &Path, policies: &[&str], tests: &str) -> usize {
    let mut count = 0;
    for policy in policies {
        let path = folder.join(policy);
        let text = std::fs::read_to_string(&path).expect("a policy");
        let documents = serde_yaml::Deserializer::from_str(&text);
        let documents: Vec<Value> =
            documents.map(|one| Value::deserialize(one).expect("YAML")).collect();
        for (number, document) in documents.iter().enumerate() {
            let is_policy = document["kind"] == "RetryPolicy";
            let count_rules = if is_policy { rules(&mut document.clone()).len() } else { 0 };
            for rule in 0..count_rules {
                for (name, changed) in changed(document, rule) {
                    let mut all = documents.clone();
                    all[number] = changed;
                    let all = all.iter().map(|one| serde_yaml::to_string(one).expect("YAML"));
                    write(&path, &all.collect::<Vec<_>>().join("---\n"));
                    let exit = test(&[tests]);
                    // A rule that is gone is a name that does not exist.
                    let is_refused = exit == Exit::Input && name == "removed";
                    assert!(
                        exit == Exit::No || is_refused,
                        "{policy} rule {rule} {name}: {exit:?}"
                    );
                    count += 1;
                }
            }
        }
        write(&path, &text);
    }
    assert_eq!(test(&[tests]), Exit::Done);
    count
}

/// A folder with some of the examples.
fn folder_with(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::TempDir::new().expect("a folder");
    for file in files {
        let text = std::fs::read_to_string(root().join("examples").join(file)).expect("an example");
        write(&folder.path().join(file), &text);
    }
    folder
}

#[test]
fn a_change_of_any_rule_makes_generated_tests_fail() {
    let mut count = 0;
    for (name, policies, more) in SETS {
        let folder = folder_with(policies);
        let tests = folder.path().join("tests/generated.yaml").display().to_string();
        let paths: Vec<String> = policies
            .iter()
            .map(|policy| folder.path().join(policy).display().to_string())
            .collect();
        let mut words = vec!["--init", "--save", &tests, "-f"];
        words.extend(paths.iter().map(String::as_str));
        words.extend(more);
        assert_eq!(test(&words), Exit::Done, "{name}");
        assert_eq!(test(&[&tests, "--coverage-threshold", "100"]), Exit::Done, "{name}");
        count += expect_failures(folder.path(), policies, &tests);
    }
    assert!(count >= 30, "only {count} changes");
}

#[test]
fn a_change_of_any_rule_makes_the_tests_of_the_examples_fail() {
    let (_, policies, _) = SETS[0];
    let files = [policies, &["tests/ml.yaml", "ml-training.yaml"]].concat();
    let folder = folder_with(&files);
    let tests = folder.path().join("tests/ml.yaml").display().to_string();
    assert_eq!(test(&[&tests, "--coverage-threshold", "100"]), Exit::Done);
    let count = expect_failures(folder.path(), policies, &tests);
    assert!(count >= 12, "only {count} changes");
}

/// Numbers that only look random: the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let high = usize::try_from(self.0 >> 33).expect("31 bits");
        high % bound
    }

    fn choose<'c>(&mut self, choices: &[&'c str]) -> &'c str {
        choices[self.below(choices.len())]
    }
}

/// A policy of `v1` with up to four rules over a small alphabet, in which rules often overlap.
fn random_policy(numbers: &mut Numbers) -> String {
    let mut rules = String::new();
    for _ in 0..=numbers.below(4) {
        let action = numbers.choose(&["Retry", "Fail"]);
        let limit = numbers.choose(&["", ", retryLimit: 1", ", retryLimit: 3", ", retryLimit: 0"]);
        let matcher = numbers.choose(&[
            "onConditions: [Evicted]",
            "onConditions: [Evicted, Preempted]",
            "onConditions: [OOMKilled]",
            "onExitCodes: {operator: In, values: [1, 2]}",
            "onExitCodes: {operator: NotIn, values: [2, 137]}",
            "onTerminationMessage: {pattern: 'bad|worse'}",
            "onTerminationMessage: {pattern: '^wor.e$'}, onExitCodes: {operator: In, values: [2]}",
            "onFailureCategory: [gpu]",
            "onFailureCategory: [gpu, net], onFailureSubcategory: [ecc]",
            "containerName: main, onExitCodes: {operator: In, values: [3]}",
            "containerName: side, onTerminationMessage: {pattern: lost}",
        ]);
        rules += &format!("  - {{action: {action}{limit}, {matcher}}}\n");
    }
    let default = numbers.choose(&["Retry", "Fail"]);
    let limit = numbers.choose(&["1", "2", "5"]);
    format!(
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: p}}\nspec:\n  retryLimit: {limit}\n  \
         defaultAction: {default}\n  rules:\n{rules}"
    )
}

#[test]
fn tests_generated_for_random_policies_pass_and_notice_every_change() {
    let mut numbers = Numbers(7);
    let (mut full, mut changes) = (0, 0);
    for _ in 0..60 {
        let folder = tempfile::TempDir::new().expect("a folder");
        let policy = random_policy(&mut numbers);
        let path = folder.path().join("p.yaml");
        write(&path, &policy);
        let tests = folder.path().join("t.yaml").display().to_string();
        let words = ["--init", "--save", &tests, "-f", &path.display().to_string()];
        assert_eq!(test(&words), Exit::Done, "{policy}");
        let text = std::fs::read_to_string(&tests).expect("tests");
        assert!(!text.contains("# No failure was found"), "{policy}{text}");
        assert_eq!(test(&[&tests, "--coverage-threshold", "100"]), Exit::Done, "{policy}{text}");
        // A change of a rule that decides nothing changes no decision.
        let has_dead_rules = text.contains("# No failure reaches");
        if !has_dead_rules {
            full += 1;
            changes += expect_failures(folder.path(), &["p.yaml"], &tests);
        }
    }
    assert!(full >= 20 && changes >= 150, "{full} policies, {changes} changes");
}
