//! `validate`: findings as data.
//!
//! Holds cli.md Commands, Output, Diagnostics.

use super::sandbox::{Run, Sandbox, snapshot};

const BAD: &str = "# Everything that can be wrong at once.
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata:
  name: Infra
spec:
  retryLimits: 3
  rules:
  - action: retry
    onConditions: [Preemptd]
  - action: Retry
    onTerminationMessage: {pattern: 'conn(reset'}
    retryLimit: 3
    retryLimit: 4
";

const ODD: &str = "apiVersion: armadaproject.io/v1beta1
kind: RetryPolicy
name: odd
retryLimit: 3
defaultAction: fail
rules:
- action: RETRY_ACTION_RETRY
  onCategory: gpu
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_examples();
    sandbox.file("bad.yaml", BAD).file("odd.yaml", ODD);
    sandbox
}

fn validate(flags: &str) -> Run {
    sandbox().run(&format!("validate {flags}"))
}

#[test]
fn good_documents() {
    snapshot!("good", validate("-f policies ml-training.yaml").exits(0));
}

#[test]
fn every_mistake_in_one_run() {
    snapshot!("bad", validate("-f bad.yaml").exits(3));
}

#[test]
fn warnings_alone_are_no_failure() {
    snapshot!("warnings", validate("-f odd.yaml").exits(0));
    snapshot!("warnings_quiet", validate("-f odd.yaml --quiet").exits(0));
}

#[test]
fn all_forms_of_findings() {
    snapshot!("short", validate("-f bad.yaml odd.yaml --error-format short").exits(3));
    snapshot!("github", validate("-f bad.yaml odd.yaml --error-format github").exits(3));
    let run = validate("-f bad.yaml odd.yaml --error-format json").exits(3);
    assert_eq!(run.stdout.lines().count(), 8, "findings, and no summary that is no JSON");
    for line in run.stdout.lines() {
        let finding: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert!(finding["id"].is_string() && finding["line"].is_number(), "{finding}");
    }
    snapshot!("json_lines", run);
}

#[test]
fn reports() {
    let json = validate("-f odd.yaml -o json").exits(0);
    assert_eq!(json.json()["kind"], "ValidateReport");
    snapshot!("report_json", json);
    let json = validate("-f bad.yaml -o json").exits(3).json();
    let yaml = validate("-f bad.yaml -o yaml").exits(3);
    assert_eq!(serde_yaml::from_str::<serde_json::Value>(&yaml.stdout).expect("YAML"), json);
    snapshot!("report_yaml", yaml);
}

#[test]
fn several_files_are_told_apart() {
    let sandbox = sandbox();
    sandbox.file("more/bad.yml", BAD.replace("Infra", "infra")).file("more/deep/odd.json", "[1]");
    snapshot!("directory", sandbox.run("validate -f more odd.yaml --error-format short").exits(3));
}

#[test]
fn a_name_that_two_files_share() {
    let sandbox = sandbox();
    let again = ODD.replace("fail\n", "Fail\n").replace("RETRY_ACTION_RETRY", "Retry");
    sandbox.file("again.yaml", &again).file("again-too.yaml", &again);
    snapshot!("same_name", sandbox.run("validate -f again.yaml again-too.yaml").exits(3));
}

#[test]
fn one_file_given_twice_is_one_file() {
    snapshot!("given_twice", validate("-f policies policies/infra.yaml ./policies").exits(0));
}

#[test]
fn standard_input() {
    snapshot!("stdin", sandbox().run_on("validate -f -", BAD).exits(3));
    snapshot!("stdin_empty", sandbox().run_on("validate -f -", "").exits(3));
    let several = format!("{ODD}---\n{ODD}");
    snapshot!(
        "stdin_several",
        sandbox().run_on("validate -f - --error-format short", several).exits(3)
    );
}

#[test]
fn what_cannot_be_read() {
    let sandbox = sandbox();
    sandbox.file("empty/README.md", "").file("latin.yaml", b"kind: caf\xe9\n");
    snapshot!(
        "unreadable",
        sandbox.run("validate -f nowhere.yaml empty latin.yaml odd.yaml").exits(3)
    );
    let run = sandbox.run("validate -f nowhere.yaml -o json").exits(3);
    assert_eq!(run.json()["summary"]["errors"], 1);
}

#[test]
fn documents_of_other_kinds() {
    let sandbox = sandbox();
    sandbox.file("service.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n");
    sandbox.file("typo.yaml", "apiVersion: armadaproject.io/v1\nkind: RetryPolcy\n");
    snapshot!("other_kinds", sandbox.run("validate -f service.yaml typo.yaml").exits(3));
}

#[test]
fn histories_are_documents_too() {
    let sandbox = sandbox();
    sandbox.file(
        "history.yaml",
        "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec:\n  jobs:\n  - jobId: a\n    runs:\n    - outcome: Fail\n    - {outcome: Failed, finishedAt: 1}\n",
    );
    snapshot!("history", sandbox.run("validate -f history.yaml").exits(3));
}

#[test]
fn it_prints_no_names() {
    snapshot!("output_name", validate("-f odd.yaml -o name").exits(2));
}

#[test]
fn a_kind_of_one_version_without_it_is_named_with_that_version() {
    let run = sandbox().run_on("validate -f -", "kind: Job\nname: x\n").exits(3);
    assert!(run.stdout.contains("add `apiVersion: batch/v1`"), "{run}");
    let run = sandbox().run_on("validate -f -", "kind: Queue\nname: x\n").exits(3);
    assert!(run.stdout.contains("add `apiVersion: armadaproject.io/v1beta1`"), "{run}");
}

#[test]
fn what_is_not_checked_of_a_job_is_said_last() {
    let sandbox = sandbox();
    sandbox.file(
        "job.yaml",
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: pi}\nspec:\n  suspend: soon\n  template: {spec: {restartPolicy: Never}}\n",
    );
    let run = sandbox.run("validate -f job.yaml").exits(0);
    let note = "note: of manifests of Kubernetes, only the fields that affect failures are checked";
    assert!(run.stderr.starts_with(note), "{run}");
    assert_eq!(sandbox.run("validate -f job.yaml -o json").json()["summary"]["inPart"], 1);
    assert_eq!(sandbox.run("validate -f policies").exits(0).stderr, "");
    assert_eq!(sandbox.run("validate -f job.yaml --quiet").exits(0).stderr, "");
}

#[test]
fn a_jobset_needs_no_spec() {
    let head = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: set}\n";
    for spec in ["", "spec:\n", "spec: {}\n"] {
        sandbox().run_on("validate -f -", format!("{head}{spec}")).exits(0);
    }
}

#[test]
fn findings_come_in_the_order_of_the_files() {
    let sandbox = sandbox();
    sandbox.file("a.yaml", "apiVersion: v1\nkind: Service\n").file(
        "b.yaml",
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: x}\nspec:\n  backoffLimit: many\n",
    );
    let run = sandbox.run("validate -f b.yaml bad.yaml odd.yaml --error-format short").exits(3);
    let files: Vec<&str> = run
        .stdout
        .lines()
        .filter_map(|line| line.split_once(".yaml:"))
        .map(|pair| pair.0)
        .collect();
    assert!(
        files.starts_with(&["b", "b", "bad"]) && files.ends_with(&["bad", "odd", "odd"]),
        "{run}"
    );
    let run = sandbox.run("validate -f a.yaml bad.yaml --error-format short").exits(3);
    assert!(run.stdout.starts_with("a.yaml:1:13: error[RP004]"), "{run}");
}

#[test]
fn a_repository_is_a_directory_of_policies_too() {
    let sandbox = sandbox();
    std::fs::remove_file(sandbox.path().join("bad.yaml")).unwrap();
    sandbox
        .file(".github/workflows/ci.yaml", "name: CI\non: push\njobs: {}\n")
        .file(
            "deploy/web.yaml",
            "apiVersion: v1\nkind: Service\n---\napiVersion: v1\nkind: Secret\n",
        )
        .file("deploy/values.yaml", "replicas: 2\n")
        .file("deploy/empty.yaml", "# nothing\n")
        .file("docs/list.yaml", "- a\n- b\n");
    snapshot!("repository", sandbox.run("validate -f . --error-format short").exits(0));
    let run = sandbox.run("validate -f .github").exits(3);
    assert!(run.stdout.contains("the document has no `kind`"), "{run}");
    sandbox.run("validate -f deploy").exits(3);
    // What is named itself is never skipped, nor what lacks a head alone.
    sandbox.run("validate -f policies deploy/values.yaml").exits(3);
    sandbox.file("deploy/bare.yaml", "name: x\nretryLimit: 3\ndefaultAction: Fail\n");
    sandbox.run("validate -f .").exits(3);
    sandbox.file("deploy/bare.yaml", "apiVersion: armadaproject.io/v1\nkind: RetryPolcy\n");
    sandbox.run("validate -f .").exits(3);
}

#[test]
fn a_template_is_named_once_a_file() {
    let sandbox = sandbox();
    sandbox.file(
        "helm.yaml",
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ include \"name\" . }}-migrate\n  labels:\n    {{- include \"labels\" . | nindent 4 }}\nspec:\n  backoffLimit: {{ .Values.limit }}\n",
    );
    sandbox.file(
        "variables.yaml",
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: \"${NAME}\"}\nspec:\n  retryLimit: ${LIMIT}\n  rules:\n  - {action: $ACTION, onConditions: [Evicted], retryLimit: -1}\n",
    );
    snapshot!("templates", sandbox.run("validate -f helm.yaml variables.yaml").exits(3));
    let run = sandbox.run("simulate -f helm.yaml --history ml-training.yaml").exits(3);
    assert_eq!(run.stderr.matches("error[").count(), 1, "{run}");
}

#[test]
fn two_documents_without_a_line_between_them() {
    let text = std::fs::read_to_string(super::sandbox::root().join("examples/policies/infra.yaml"));
    let text = text.unwrap();
    let run = sandbox().run_on("validate -f - --error-format short", text.repeat(2)).exits(3);
    assert_eq!(run.stdout.lines().count(), 2, "{run}");
    assert!(run.stdout.contains("a second document begins here, without a line `---`"), "{run}");
}

#[test]
fn inputs_of_simulations_are_known_by_their_keys() {
    let sandbox = sandbox();
    sandbox
        .file("cluster.yaml", include_str!("../../testdata/cluster/tinyCluster.yaml"))
        .file("workload.yaml", include_str!("../../testdata/cluster/basicWorkload.yaml"))
        .file("zero.yaml", "queues:\n- name: a\n  weight: 0\n");
    let good = sandbox.run("validate -f cluster.yaml workload.yaml").exits(0);
    assert_eq!(good.stdout, "2 documents in 2 files: 0 errors, 0 warnings\n");
    let beside = sandbox.run("validate -f workload.yaml ml-training.yaml").exits(0);
    assert!(beside.stdout.starts_with("2 documents in 2 files: 0 errors"), "{}", beside.stdout);
    sandbox
        .file("sim/cluster.yaml", include_str!("../../testdata/cluster/tinyCluster.yaml"))
        .file("sim/workload.yaml", include_str!("../../testdata/cluster/basicWorkload.yaml"))
        .file("sim/config.yaml", include_str!("../../testdata/cluster/basicSchedulingConfig.yaml"));
    let folder = sandbox.run("validate -f sim").exits(0);
    // Armada's file has a key of an older scheduler.
    let expected = "3 documents in 3 files: 0 errors, 1 warning\n";
    assert!(folder.stdout.ends_with(expected), "{folder}");
    sandbox.file("twice.yaml", "scheduling:\n  pools: []\n  pools: []\n");
    let twice = sandbox.run("validate -f twice.yaml").exits(3);
    assert!(twice.stdout.ends_with("1 document in 1 file: 1 error, 0 warnings\n"), "{twice}");
    let bad = sandbox.run("validate -f zero.yaml --error-format short").exits(3);
    let shown = bad.stdout + &bad.stderr;
    assert!(shown.contains("zero.yaml:3:11:"), "{shown}");
}

#[test]
fn a_tab_is_found_where_it_is() {
    let head = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\n";
    for (text, place) in [
        ("metadata:\n\tname: a\n", "4:1"),
        ("metadata:\n  name: a\nspec:\n\tretryLimit: 3\n", "6:1"),
        ("spec:\n  rules:\n  - action: Retry\n\tonConditions: [Evicted]\n", "6:1"),
        ("spec:\n  rules:\n  - action: Retry\n  \tonConditions: [Evicted]\n", "6:3"),
        ("spec:\n  rules:\n  - action: Retry # a\tb\n   \t onConditions: [Evicted]\n", "6:4"),
        ("spec:\n  rules:\n  - action: Retry\n    onExitCodes:\n    \toperator: In\n", "7:5"),
        ("spec:\n  rules:\n  - onExitCodes:\n      values:\n\t\t- 3\n", "7:1"),
        ("spec:\n  rules:\n  - {action: Retry,\n\tonConditions: [Evicted]}\n", "6:1"),
        ("metadata: {name: a}\n---\n\tapiVersion: armadaproject.io/v1\n", "5:1"),
    ] {
        let run = sandbox().run_on("validate -f - --error-format short", format!("{head}{text}"));
        let found = format!("-:{place}: error[RP001]: a tab in the indentation (");
        assert!(run.stdout.contains(&found), "{text:?} {place}: {run}");
    }
    let first = "\tapiVersion: armadaproject.io/v1\nkind: RetryPolicy\n---\nkind: Foo\n";
    let first = sandbox().run_on("validate -f - --error-format short", first).exits(3).stdout;
    assert!(first.starts_with("-:1:1: error[RP001]: a tab in the indentation ("), "{first}");
    assert!(!first.contains("second document"), "{first}");
    let json = "\t{\n\t\"apiVersion\": \"armadaproject.io/v1beta1\", \"kind\": \"Queue\", \"name\": \"q\"}\n";
    sandbox().run_on("validate -f -", json).exits(0);
}

/// The findings about a text, each as its line, id and help.
fn short_findings(text: impl AsRef<[u8]>) -> Vec<String> {
    let report = sandbox().run_on("validate -f - -o json", text).exits(3).json();
    let finding = |item: &serde_json::Value| {
        let help = item["help"].as_str().unwrap_or_default();
        format!("{} {} {help}", item["line"], item["id"].as_str().unwrap())
    };
    report["items"].as_array().unwrap().iter().map(finding).collect()
}

#[test]
fn a_wrong_version_does_not_hide_the_other_mistakes() {
    let nested = "kind: RetryPolicy\nmetadata: {name: a}\nspec: {retrylimit: 3}\n";
    let flat = "kind: RetryPolicy\nname: a\nretryLimit: -1\ndefaultAction: Fail\n";
    let queue = "kind: Queue\nname: a\npriorityFactor: x\n";
    let job = "kind: Job\nmetadata: {name: a}\nspec: {backoffLimit: -1}\n";
    let profile = "kind: RetryProfile\nmetadata: {name: a}\nspec: {system: iri}\n";
    for (version, rest, help, mistake) in [
        ("armadaproject.io/v2", nested, "did you mean `armadaproject.io/v1`?", "4 RP005 did"),
        ("v1beta1", nested, "write `armadaproject.io/v1`: the document has the fields", "4 RP005"),
        ("v1beta1", flat, "did you mean `armadaproject.io/v1beta1`?", "4 RP013 write 0 or more"),
        ("armadaproject.io/v2", flat, "write `armadaproject.io/v1beta1`: the", "4 RP013"),
        ("armada.io/v1beta1", queue, "did you mean `armadaproject.io/v1beta1`?", "4 RP008"),
        ("batch/v2", job, "did you mean `batch/v1`?", "4 RP013"),
        ("armadaproject.io/v3", profile, "did you mean `armadaproject.io/v1`?", "4 RP009"),
    ] {
        let findings = short_findings(format!("apiVersion: {version}\n{rest}"));
        assert!(findings[0].starts_with(&format!("1 RP004 {help}")), "{findings:?}");
        assert!(findings.iter().any(|finding| finding.starts_with(mistake)), "{findings:?}");
        // The version is found wrong once.
        assert_eq!(findings.iter().filter(|finding| finding.starts_with("1 ")).count(), 1);
    }
    assert_eq!(
        short_findings(flat),
        ["1 RP007 add `apiVersion: armadaproject.io/v1beta1`", "3 RP013 write 0 or more"]
    );
    let unclear = short_findings("apiVersion: w\nkind: RetryPolicy\nname: a\nspec: {foo: 1}\n");
    assert_eq!(unclear.len(), 1);
    assert!(unclear[0].ends_with("; nothing else in the document was checked"), "{unclear:?}");
    // It is still not a policy.
    let sandbox = sandbox();
    sandbox.file("p.yaml", format!("apiVersion: v1beta1\n{}", flat.replace("-1", "1")));
    sandbox.run("explain decision -f p.yaml --failure exitCode=1").exits(3);
}

#[test]
fn a_value_of_another_shape_gets_an_example_of_the_right_one() {
    let head = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\n";
    for (rule, help) in [
        ("onExitCodes: [137]", "write `{operator: In, values: [137]}`"),
        ("onExitCodes: 137", "write `{operator: In, values: [137]}`"),
        ("onExitCodes: NotIn", "write `{operator: NotIn, values: [1]}`"),
        ("onExitCodes: true", "write a mapping, such as `{operator: In, values: [1]}`"),
        ("onExitCodes: {operator: In, values: 137}", "write `[137]`"),
        ("onExitCodes: {operator: In, values: [0-3]}", "write each number: `1, 2, 3`"),
        ("onExitCodes: {operator: In, values: 1..255}", "write each number: `1, 2, 3, .., 255`"),
        ("onConditions: OOMKilled", "write `[OOMKilled]`"),
        ("onFailureCategory: gpu", "write `[gpu]`"),
        ("action: retry", "did you mean `Retry`?"),
        ("retryLimit: \"3\"", "write 3 without quotes"),
        ("retryLimit: unlimited", "write a whole number, such as 3"),
        ("onTerminationMessage: foo", "write `{pattern: foo}`"),
        ("onTerminationMessage: [foo]", "write a mapping, such as `{pattern: text}`"),
        ("backoff: 30s", "write `{initialDelay: 30s}`"),
        ("backoff: long", "write a mapping, such as `{initialDelay: 30s}`"),
        ("antiAffinity: node", "write `{mode: node}`"),
        ("mutate: 2", "write a mapping, such as `{resources: {memory: {factor: 2}}}`"),
    ] {
        let action = if rule.starts_with("action") { "" } else { "action: Retry, " };
        let text = format!("{head}metadata: {{name: a}}\nspec: {{rules: [{{{action}{rule}}}]}}\n");
        let findings = short_findings(&text);
        assert!(findings.iter().any(|finding| finding.ends_with(help)), "{rule}: {findings:?}");
    }
    for (text, help) in [
        ("metadata: a\nspec: {}\n", "write `{name: a}`"),
        (
            "metadata: {name: a}\nspec: {rules: Retry}\n",
            "write a list, such as `[{action: Retry, onExitCodes: {operator: In, values: [1]}}]`",
        ),
        (
            "metadata: {name: a}\nspec: {rules: [x]}\n",
            "write a mapping, such as `{action: Retry, onExitCodes: {operator: In, values: [1]}}`",
        ),
    ] {
        let findings = short_findings(format!("{head}{text}"));
        assert!(findings.iter().any(|finding| finding.ends_with(help)), "{findings:?}");
    }
}
