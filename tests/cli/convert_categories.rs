//! `convert --to error-categories`: the checks of failed pods of an executor, as categories.
//!
//! Holds cli.md Commands, Exit codes.

use super::sandbox::{Sandbox, snapshot};
use serde_json::Value;

const CHECKS: &str = "\
kubernetes:
  failedPodChecks:
    events:
    - regexp: \"Allocate failed.*nvidia.com/gpu\"
      type: Warning
      reason: UnexpectedAdmissionError
    podStatuses:
    - reason: Evicted
    - regexp: \"low on resource\"
      reason: Terminated
    containerStatuses:
    - containerNameRegexp: \"^(main|worker)$\"
      messageRegexp: \"(?i)cuda error\"
    - containerNameRegexp: \"^setup$\"
    - containerNameRegexp: sidecar
      messageRegexp: \"^$|connection refused\"
    - containerNameRegexp: \"^a.*b$\"
";

const CATEGORIES: &str = "\
application:
  errorCategories:
    enabled: true
    defaultCategory: other
    categories:
    - name: retryable-pod
      rules:
      - onConditions: [Evicted]
        hint: Evicted by the kubelet.
    - name: user
      rules:
      - onExitCodes: {operator: In, values: [1, 2]}
        subcategory: exit
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("checks.yaml", CHECKS).file("categories.yaml", CATEGORIES);
    sandbox
}

const CONVERT: &str = "convert --to error-categories";

#[test]
fn checks_become_categories_in_the_order_that_gives_their_verdict() {
    let sandbox = sandbox();
    snapshot!("checks", sandbox.run(&format!("{CONVERT} -f checks.yaml")).exits(0));
    let strict = sandbox.run(&format!("{CONVERT} -f checks.yaml --strict -q")).exits(1);
    assert!(strict.stdout.contains("name: retryable-pod"), "{strict}");
}

#[test]
fn categories_of_the_file_stay_behind_the_checks_of_containers() {
    let sandbox = sandbox();
    snapshot!("merged", sandbox.run(&format!("{CONVERT} -f categories.yaml,checks.yaml")).exits(0));
    let off = CATEGORIES.replace("enabled: true", "enabled: false");
    sandbox.file("off.yaml", &off);
    let run = sandbox.run(&format!("{CONVERT} -f off.yaml,checks.yaml")).exits(0);
    assert!(run.stderr.contains("`enabled`: classification was off"), "{run}");
    assert!(!run.stderr.contains("so that no failure has a category"), "{run}");
}

/// The output, laid over the files, is a configuration without findings but that its lists replace theirs, and the
/// policy in its comment is valid.
#[test]
fn the_output_is_laid_over_the_files() {
    let sandbox = sandbox();
    let run = sandbox.run(&format!("{CONVERT} -f checks.yaml")).exits(0);
    sandbox.file("converted.yaml", &run.stdout);
    let files = "--executor-config checks.yaml,converted.yaml";
    let checked = sandbox.run(&format!("validate {files} -o json")).exits(0).json();
    let items = checked["items"].as_array().expect("findings");
    let replaced =
        |item: &Value| item["message"].as_str().is_some_and(|it| it.contains("replaces"));
    assert!(items.len() == 3 && items.iter().all(replaced), "{checked}");
    let lines = run.stdout.lines().filter_map(|line| line.strip_prefix("# "));
    let policy: Vec<&str> = lines.skip_while(|line| !line.starts_with("apiVersion")).collect();
    sandbox.file("policy.yaml", policy.join("\n"));
    sandbox.run("validate -f policy.yaml").exits(0);
    let explain = |failure: &str| {
        let line = format!("explain category {files} -f policy.yaml -o json --failure {failure}");
        sandbox.run(&line).exits(0).json()
    };
    let retried = explain("container=setup --failure exitCode=3");
    assert_eq!(retried["category"], "retryable-container");
    assert_eq!(retried["decision"]["decision"]["action"], "Retry");
    let ended = explain("exitCode=3");
    assert_eq!(ended["category"], "uncategorized");
    assert_eq!(ended["decision"]["decision"]["action"], "Fail");
}

#[test]
fn checks_that_carry_over_whole_lose_nothing() {
    let sandbox = Sandbox::new();
    let check = "{containerStatuses: [{containerNameRegexp: ^main$, messageRegexp: NCCL}]}";
    sandbox.file("executor.yaml", format!("kubernetes: {{failedPodChecks: {check}}}\n"));
    let run = sandbox.run(&format!("{CONVERT} -f executor.yaml --strict -o json")).exits(0);
    let value = run.json();
    let categories = &value["application"]["errorCategories"]["categories"];
    assert_eq!(categories.as_array().map(Vec::len), Some(1), "{run}");
    assert_eq!(categories[0]["rules"][0]["containerName"], "main");
    assert!(run.stderr.contains("note: kept"), "{run}");
    let warning = "convert -f - --to error-categories --strict";
    sandbox.run_on(warning, format!("kubernetes: {{failedPodChecks: {check}}}\n")).exits(0);
}

#[test]
fn what_cannot_be_converted_is_refused() {
    let sandbox = sandbox();
    let check = "{containerStatuses: [{containerNameRegexp: \"^a.*b$\"}]}";
    sandbox.file("lost.yaml", format!("kubernetes: {{failedPodChecks: {check}}}\n"));
    let run = sandbox.run(&format!("{CONVERT} -f lost.yaml")).exits(6);
    assert!(run.stdout.is_empty() && run.stderr.contains("no check becomes a category"), "{run}");
    let run = sandbox.run(&format!("{CONVERT} -f lost.yaml --accept-no-retries")).exits(0);
    assert!(run.stdout.contains("containerStatuses: []"), "{run}");
    let run = sandbox.run(&format!("{CONVERT} -f categories.yaml")).exits(3);
    assert!(run.stderr.contains("has no `kubernetes.failedPodChecks`"), "{run}");
    let run = sandbox.run(&format!("{CONVERT} -f checks.yaml categories.yaml")).exits(2);
    assert!(run.stderr.contains("-f base.yaml,cluster.yaml"), "{run}");
    let broken = "{events: [{regexp: \"[\", type: Warning}]}";
    sandbox.file("broken.yaml", format!("kubernetes: {{failedPodChecks: {broken}}}\n"));
    let run = sandbox.run(&format!("{CONVERT} -f broken.yaml")).exits(3);
    assert!(run.stderr.contains("nothing was written"), "{run}");
    sandbox.file("faulty.yaml", CATEGORIES.replace("enabled: true", "").replace("[1, 2]", "[]"));
    let run = sandbox.run(&format!("{CONVERT} -f faulty.yaml,checks.yaml")).exits(3);
    assert!(run.stderr.contains("requires at least one value"), "{run}");
}

/// A pattern that is nested as deep as Go allows overflows no stack.
#[test]
fn deep_patterns_are_converted() {
    let sandbox = Sandbox::new();
    for pattern in [
        format!("{}a{}", "(".repeat(990), ")".repeat(990)),
        format!("^{}c{}$", "(?:ab|".repeat(330), ")?".repeat(330)),
        format!("^{}b{}$", "(?:a".repeat(490), ")*".repeat(490)),
    ] {
        let check = format!("{{containerNameRegexp: '{pattern}', messageRegexp: '{pattern}'}}");
        let file = format!("kubernetes: {{failedPodChecks: {{containerStatuses: [{check}]}}}}\n");
        sandbox.file("deep.yaml", file);
        sandbox.run(&format!("{CONVERT} -f deep.yaml --accept-no-retries")).exits(0);
    }
}
