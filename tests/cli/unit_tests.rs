//! `test`: results, coverage, what is never a pass, generated tests, and the files that change while it watches.
//!
//! Holds cli.md test.

use super::sandbox::{Run, Sandbox, root, snapshot};
use armada_retry::DecisionCode;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use systems::{SystemName, description_of_engine};

/// The systems, which `testdata/tests` has a folder each for.
const SYSTEMS: [&str; 8] =
    ["armada", "v1beta1", "job", "jobset", "iris", "backendai", "airflow", "argo"];

/// Runs a line in the repository.
fn run(line: &str) -> Run {
    Sandbox::new().run_with(line, |command| _ = command.current_dir(root()))
}

/// A policy with one rule, whose limit is 2.
const POLICY: &str = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec:\n  rules:\n  \
                      - {action: Retry, retryLimit: 2, onConditions: [Evicted]}\n";

/// A test file over the policy, with these tests.
fn tests(tests: &str) -> String {
    format!(
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicyTest\nspec:\n  policies: [p.yaml]\n  tests:\n{tests}"
    )
}

/// A test that covers the rule and its limit, and one that covers the default.
const FULL: &str = "  - name: evicted\n    failures: [{conditions: [Evicted], repeat: 3}]\n    expect:\n    \
                    - {attempt: 1, action: Retry, ruleIndex: 0}\n    - {attempt: 3, decision: fail_rule_limit}\n  \
                    - name: other\n    failures: [{exitCode: 1}]\n    expect: [{attempt: 1, decision: fail_default}]\n";

/// A directory with the policy and a test file.
fn with_tests(text: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("p.yaml", POLICY).file("t.yaml", tests(text));
    sandbox
}

#[test]
fn tests_of_every_system_pass_and_cover_its_policies() {
    for system in SYSTEMS {
        let line =
            format!("test testdata/tests/{system}/passing.yaml --coverage-threshold 100 -o json");
        let report = run(&line).exits(0).json();
        assert_eq!(report["coverage"]["percent"], 100.0, "{system}");
        assert!(report["summary"]["passed"].as_u64() > Some(1), "{system}");
        let items = report["coverage"]["items"].as_array().unwrap();
        assert!(items.iter().any(|item| item["covered"] == true), "{system}");
    }
}

#[test]
fn failing_tests_of_every_system_show_what_came_and_why() {
    for system in SYSTEMS {
        let failed = run(&format!("test testdata/tests/{system}/failing.yaml")).exits(1);
        insta::assert_snapshot!(format!("unit_test_failing_{system}"), failed.to_string());
    }
}

#[test]
fn results_of_several_files_and_what_is_not_counted() {
    let line = "test testdata/tests/armada testdata/tests/v1beta1/passing.yaml -v";
    snapshot!("unit_test_several", run(line).exits(1));
    snapshot!("unit_test_passing", run("test testdata/tests/armada/passing.yaml").exits(0));
}

#[test]
fn findings_have_the_form_that_is_asked_for() {
    let line = "test testdata/tests/armada/failing.yaml --error-format";
    snapshot!("unit_test_short", run(&format!("{line} short")).exits(1));
    snapshot!("unit_test_github", run(&format!("{line} github --coverage-threshold 90")).exits(1));
    let json = run(&format!("{line} json")).exits(1);
    for line in json.stdout.lines() {
        let finding: Value = serde_json::from_str(line).unwrap();
        assert!(matches!(finding["id"].as_str(), Some("RP048" | "RP049")), "{line}");
    }
    let quiet = run("test testdata/tests/armada/passing.yaml -q").exits(0);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
    let quiet = run("test testdata/tests/armada/failing.yaml -q").exits(1);
    assert!(quiet.stdout.starts_with("FAIL ") && !quiet.stdout.contains("Coverage"), "{quiet}");
}

fn line_of(item: &Value) -> usize {
    usize::try_from(item["line"].as_u64().unwrap()).unwrap()
}

#[test]
fn the_report_fits_its_schema_and_names_every_place() {
    let schema = std::fs::read_to_string(root().join("schemas/test-report.json")).unwrap();
    let schema = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    for system in SYSTEMS {
        let report = run(&format!("test testdata/tests/{system} -o json")).exits(1).json();
        assert!(schema.is_valid(&report), "{system}");
        for item in report["coverage"]["items"].as_array().unwrap() {
            let file = root().join(item["file"].as_str().unwrap());
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(line_of(item) <= text.lines().count(), "{item}");
            assert_eq!(item["covered"] == true, item["reason"].is_null(), "{item}");
        }
        for item in report["items"].as_array().unwrap() {
            let text =
                std::fs::read_to_string(root().join(item["file"].as_str().unwrap())).unwrap();
            let line = text.lines().nth(line_of(item) - 1).unwrap();
            assert!(line.contains("name: ") || line.contains("failure: "), "{line}");
            assert_eq!(item["outcome"] == "Passed", item["message"].is_null(), "{item}");
        }
    }
    let yaml = run("test testdata/tests/iris -o yaml").exits(1).stdout;
    assert!(yaml.starts_with("apiVersion: armadaproject.io/v1\nkind: TestReport\n"), "{yaml}");
}

/// What a test file must not have: parts of it, and a part of the message.
const REFUSED: [(&str, &str); 34] = [
    (
        "  - name: a\n    failures: [{exitCode: 1}]\n    expect: [{attempt: 1}]\n",
        "would hold for any",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1}]\n    expect: [{attempt: 1, level: job}]\n",
        "would hold for any",
    ),
    ("  - name: a\n    failures: [{exitCode: 1}]\n", "expects nothing"),
    ("  - name: a\n    failures: [{exitCode: 1}]\n    expect: []\n", "`expect` is empty"),
    ("  - name: a\n    failures: [{exitCode: 1}]\n    expectJob: {}\n", "has no field"),
    ("  - name: a\n    failures: []\n    expectJob: {retries: 0}\n", "`failures` is empty"),
    ("  - name: a\n    table: []\n", "`table` is empty"),
    ("  - name: a\n    expectJob: {retries: 0}\n", "the test has no failures"),
    (
        "  - {name: a, failures: [{exitCode: 1}], history: x, expectJob: {retries: 0}}\n",
        "failures of several kinds",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1}]\n    expect: [{attempt: 2, action: Fail}]\n",
        "attempt 2 does not exist",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1}]\n    expect: [{attempt: 0, action: Fail}]\n",
        "`attempt` is 0",
    ),
    (
        "  - name: a\n    table: [{failure: {exitCode: 1}, expect: {attempt: 2, action: Fail}}]\n",
        "attempt 2 does not exist",
    ),
    (
        "  - name: a\n    table: [{failure: {exitCode: 1}, expect: {action: Fail}}]\n    expectJob: {retries: 0}\n",
        "no effect",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1}]\n    expectJob: {retries: 0}\n  - name: a\n    failures: [{exitCode: 1}]\n    expectJob: {retries: 0}\n",
        "two tests are named `a`",
    ),
    (
        "  - name: a\n    failures: [{exitcode: 1}]\n    expectJob: {retries: 0}\n",
        "did you mean `exitCode`",
    ),
    (
        "  - name: a\n    failures: [{conditions: [Evictd]}]\n    expectJob: {retries: 0}\n",
        "did you mean `Evicted`",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1, containers: [{name: main}]}]\n    expectJob: {retries: 0}\n",
        "stands for the only container",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1}]\n    expect: [{attempt: 1, action: fail}]\n",
        "did you mean `Fail`",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1}]\n    expect: [{attempt: 1, decision: fail_defaults}]\n",
        "did you mean `fail_default`",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1}]\n    expect: [{attempt: 1, policy: q}]\n",
        "there is no policy `q`",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1}]\n    expect: [{attempt: 1, ruleIndex: 1}]\n",
        "rule 1",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1}]\n    expect: [{attempt: 1, limitSource: rules}]\n",
        "did you mean `rule`",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1}]\n    expect: [{attempt: 1, ruleindex: null}]\n",
        "did you mean `ruleIndex`",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1}]\n    expectJob: {outcome: failed}\n",
        "did you mean `Failed`",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1}]\n    expectJob: {jobId: x, retries: 0}\n",
        "there is no job `x`",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1}]\n    job: x\n    expectJob: {retries: 0}\n",
        "the test has none",
    ),
    ("  - name: a\n    history: h.jsonl\n    expectJob: {retries: 0}\n", "h.jsonl"),
    (
        "  - name: a\n    failures: [{exitCode: 1}]\n    events: [{at: 1m, reload: {enabled: false}}]\n    expectJob: {retries: 0}\n",
        "no failure has a time",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1, finishedAt: 1s}]\n    events: [{at: 1m, reload: {enabled: false}}]\n    expectJob: {retries: 0}\n",
        "after all failures",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1, repeat: 100001}]\n    expectJob: {retries: 0}\n",
        "`repeat` is 100001",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1}]\n    expect: [{attempt: 1, reason: ' '}]\n",
        "`reason: ' '` holds for any",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1}]\n    expect: [{attempt: 1, action: Fail, reason: .}]\n",
        "`reason: '.'` holds for any",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1}]\n    expectJob: {reason: '..'}\n",
        "holds for any",
    ),
    (
        "  - name: a\n    failures: [{exitCode: 1}]\n    expect: [{attempt: 1, counts: {}}]\n",
        "`counts: {}` holds for any",
    ),
];

#[test]
fn what_checks_nothing_or_names_nothing_is_never_a_pass() {
    for (text, message) in REFUSED {
        let sandbox = with_tests(text);
        let refused = sandbox.run("test t.yaml --error-format short").exits(3);
        assert!(refused.stderr.contains(message), "{text}{refused}");
        assert!(refused.stderr.starts_with("t.yaml:"), "{text}{refused}");
        assert!(refused.stdout.is_empty(), "{refused}");
        // `validate` has the same findings.
        let validated = sandbox.run("validate -f t.yaml --error-format short").exits(3);
        assert!(validated.stdout.contains(message), "{text}{validated}");
    }
}

#[test]
fn policies_that_a_test_file_names_must_exist() {
    for (policies, message) in [
        ("[q.yaml]", "there is no file `q.yaml`"),
        ("[p.yaml, 'q*.yaml']", "nothing matches `q*.yaml`"),
        ("[]", "`policies` is empty"),
        ("[t.yaml]", "the files have no policies"),
        ("[p.yaml]\n  queuePolicies: [pp]", "did you mean `p`"),
        ("[p.yaml]\n  featureGates: {RestartJob: true}", "has no field `featureGates`"),
        ("[p.yaml]\n  schedulerConfig: {globalMaxRetry: 1}", "did you mean `globalMaxRetries`"),
        ("[p.yaml, b.yaml]", "2 policies were given"),
        ("[bad.yaml]", "did you mean `rules`"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.file("p.yaml", POLICY).file("b.yaml", POLICY.replace("name: p", "name: b"));
        sandbox.file("bad.yaml", POLICY.replace("rules", "ruls"));
        sandbox.file("t.yaml", tests(FULL).replace("[p.yaml]", policies));
        let refused = sandbox.run("test t.yaml --error-format short").exits(3);
        assert!(refused.stderr.contains(message), "{policies}\n{refused}");
    }
}

#[test]
fn nothing_run_is_no_pass() {
    let sandbox = with_tests(FULL);
    sandbox.file("empty/p.yaml", POLICY);
    let none = sandbox.run("test empty").exits(1);
    assert!(none.stderr.contains("no tests"), "{none}");
    let none = sandbox.run("test t.yaml --run nothing").exits(1);
    assert!(none.stderr.contains("--run matches none"), "{none}");
    let report = sandbox.run("test t.yaml --run nothing -o json").exits(1).json();
    assert_eq!(report["summary"]["notSelected"], 2);
    for line in ["test p.yaml", "test nothing.yaml", "test 'x*.yaml'", "test t.yaml p.yaml"] {
        sandbox.run(line).exits(3);
    }
    for line in [
        "test",
        "test t.yaml --run (",
        "test t.yaml --coverage-threshold 101",
        "test - -",
        "test t.yaml -o wide",
        "test --init",
    ] {
        sandbox.run(line).exits(2);
    }
    sandbox.file("none.yaml", tests("  []").replace("\n  []", " []"));
    let none = sandbox.run("test none.yaml").exits(3);
    assert!(none.stderr.contains("`tests` is empty"), "{none}");
    // A misspelt kind is not another kind.
    sandbox.file("tests/t.yaml", tests(FULL).replace("RetryPolicyTest", "RetryPolicyTests"));
    let refused = sandbox.run("test tests").exits(3);
    assert!(refused.stderr.contains("did you mean `RetryPolicyTest`?"), "{refused}");
    let broken = tests(FULL) + "  - name: [\n";
    sandbox.file("tests/t.yaml", broken);
    sandbox.run("test tests").exits(3);
}

#[test]
fn tests_are_selected_by_name() {
    let sandbox = with_tests(FULL);
    let count = |line: &str| {
        let report = sandbox.run(&format!("test t.yaml -o json {line}")).json();
        report["summary"]["tests"].as_u64().unwrap()
    };
    assert_eq!(count(""), 2);
    assert_eq!(count("--run ^evict"), 1);
    assert_eq!(count("--run ^evict --run ^other$"), 2);
    assert_eq!(count("--run (?i)OTHER"), 1);
    let line = r"test testdata/tests/armada/passing.yaml --run bugs.fail\[2\] -o json";
    assert_eq!(run(line).json()["summary"]["tests"], 1);
}

#[test]
fn coverage_needs_a_check_of_what_happens_and_which_rule_decided() {
    let percent = |text: &str| {
        let report = with_tests(text).run("test t.yaml -o json").exits(0).json();
        report["coverage"]["covered"].as_u64().unwrap()
    };
    let case = |expect: &str| {
        format!(
            "  - name: a\n    failures: [{{conditions: [Evicted], repeat: 3}}]\n    expect: [{expect}]\n"
        )
    };
    assert_eq!(percent(&case("{attempt: 1, action: Retry}")), 0);
    assert_eq!(percent(&case("{attempt: 1, ruleIndex: 0}")), 0);
    assert_eq!(percent(&case("{attempt: 1, action: Retry, ruleIndex: 0}")), 1);
    assert_eq!(percent(&case("{attempt: 1, ruleIndex: 0}, {attempt: 1, decision: retry}")), 1);
    assert_eq!(percent(&case("{attempt: 3, action: Fail}")), 1);
    assert_eq!(percent(&case("{attempt: 3, action: Fail, ruleIndex: 0}")), 2);
    assert_eq!(percent(&case("{attempt: 2, action: Retry, count: 2}")), 0);
    assert_eq!(percent(FULL), 3);
    let below = with_tests(&case("{attempt: 3, action: Fail}"));
    let report = below.run("test t.yaml --coverage-threshold 33.3").exits(0);
    assert!(report.stdout.contains("infra") || report.stdout.contains("p[0]"), "{report}");
    below.run("test t.yaml --coverage-threshold 34").exits(1);
    below.run("test t.yaml --coverage-threshold 34 -o json").exits(1);
}

#[test]
fn coverage_does_not_depend_on_formatting_nor_on_the_split_into_files() {
    let sandbox = with_tests(FULL);
    let covered = |line: &str| sandbox.run(line).exits(0).json()["coverage"]["covered"].clone();
    assert_eq!(covered("test t.yaml -o json"), 3);
    let flow = r#"{"apiVersion": "armadaproject.io/v1", "kind": "RetryPolicy", "metadata": {"name": "p"}, "spec": {"rules": [{"action": "Retry", "retryLimit": 2, "onConditions": ["Evicted"]}]}}"#;
    sandbox.file("p.yaml", flow);
    assert_eq!(covered("test t.yaml -o json"), 3);
    let (first, second) = FULL.split_at(FULL.find("  - name: other").unwrap());
    sandbox.file("a/one.yaml", tests(first).replace("p.yaml", "../p.yaml"));
    sandbox.file(
        "b/two.yaml",
        tests(second).replace("p.yaml", "../*.yaml").replace("../*.yaml", "../a/../p.yaml"),
    );
    assert_eq!(covered("test a b -o json"), 3);
    assert_eq!(covered("test a -o json"), 2);
    let report = sandbox.run("test a b -o json").json();
    assert_eq!(report["coverage"]["total"], 3);
}

#[test]
fn limits_that_are_never_reached_do_not_count() {
    let gates = |policy: &str, config: &str| {
        let sandbox = with_tests(FULL);
        let text = tests(
            "  - name: other\n    failures: [{exitCode: 1}]\n    expect: [{attempt: 1, reason: a}]\n",
        );
        sandbox.file("p.yaml", policy).file(
            "t.yaml",
            text.replace("  tests:", &format!("  schedulerConfig: {config}\n  tests:")),
        );
        let report = sandbox.run("test t.yaml -o json").json();
        let items = report["coverage"]["items"].as_array().unwrap().clone();
        let counted =
            items.into_iter().filter(|item| item["gate"] == "limit" && item["counted"] == true);
        counted.map(|item| item["limitSource"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let policy = |limits: &str| {
        POLICY.replace("retryLimit: 2, ", "").replace("  rules:", &format!("{limits}  rules:"))
    };
    assert_eq!(gates(POLICY, "{}"), ["rule"]);
    assert_eq!(gates(POLICY, "{globalMaxRetries: 3}"), ["rule"]);
    assert_eq!(gates(POLICY, "{globalMaxRetries: 2}"), ["global"]);
    assert_eq!(gates(POLICY, "{globalMaxRetries: 0}"), ["global"]);
    assert_eq!(gates(POLICY, "{enabled: false}"), Vec::<String>::new());
    assert_eq!(gates(&policy(""), "{}"), ["global"]);
    assert_eq!(gates(&policy("  retryLimit: 5\n"), "{}"), ["policy"]);
    assert_eq!(gates(&policy("  retryLimit: 25\n"), "{}"), ["global"]);
    assert_eq!(
        gates(&policy("  defaultAction: Retry\n  retryLimit: 12\n"), "{}"),
        ["policy", "global"]
    );
    assert_eq!(gates(&policy("  defaultAction: Retry\n  retryLimit: 9\n"), "{}"), ["policy"]);
    assert_eq!(
        gates(&policy("  retryLimit: 5\n").replace("Retry,", "Fail,"), "{}"),
        Vec::<String>::new()
    );
    assert_eq!(gates(&policy(""), "{globalMaxRetries: 4000000000}"), Vec::<String>::new());
}

/// The policies of the examples, each for which tests are generated.
fn example_policies() -> Vec<String> {
    let mut all: Vec<String> = [
        "policies",
        "pull-request/policies",
        "first/policy.yaml",
        "server/infra.yaml",
        "classifier/policy.yaml",
    ]
    .map(|name| format!("examples/{name}"))
    .to_vec();
    for system in ["job", "jobset", "iris", "backendai", "airflow", "argo"] {
        let folder = root().join("examples").join(system);
        let mut names: Vec<String> = folder
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
            .filter(|name| !name.contains("history"))
            .collect();
        names.sort();
        all.extend(names.into_iter().map(|name| format!("examples/{system}/{name}")));
    }
    all
}

#[test]
fn generated_tests_pass_and_cover_everything_that_counts() {
    let mut count = 0;
    for policies in example_policies() {
        let sandbox = Sandbox::new();
        let generated = run(&format!("test --init -f {policies}"));
        if generated.code == 2 || generated.stderr.contains("error[RP03") {
            // An example of what a feature gate would be needed for.
            continue;
        }
        let text = generated.exits(0).stdout;
        let absolute = format!("[\"{}/", root().display());
        let line = |line: &str| match line.strip_prefix("  policies: [") {
            Some(path) => format!("  policies: {absolute}{}\"]\n", path.trim_end_matches(']')),
            None => format!("{line}\n"),
        };
        let text: String = text.lines().map(line).collect();
        sandbox.file("t.yaml", &text);
        let report = sandbox.run("test t.yaml -o json");
        assert_eq!(report.code, 0, "{policies}\n{text}{report}");
        assert_eq!(report.json()["coverage"]["percent"], 100.0, "{policies}\n{text}{report}");
        count += 1;
    }
    assert!(count >= 15, "{count}");
}

#[test]
fn a_generated_file_is_what_an_author_would_write() {
    let sandbox = Sandbox::with_examples();
    snapshot!("unit_test_init", sandbox.run("test --init -f policies").exits(0));
    let saved =
        sandbox.run("test --init policies/infra.yaml --save tests/deep/infra.yaml").exits(0);
    assert_eq!(saved.stdout, "");
    let text = std::fs::read_to_string(sandbox.path().join("tests/deep/infra.yaml")).unwrap();
    assert!(text.contains("policies: [../../policies/infra.yaml]"), "{text}");
    sandbox.run("test tests --coverage-threshold 100").exits(0);
    let refused = sandbox.run("test --init -f policies --save tests/deep/infra.yaml").exits(6);
    assert!(refused.stderr.contains("exists already"), "{refused}");
    for (line, code) in [
        ("-f missing.yaml --save new/a/t.yaml", 3),
        ("-f policies --save new/a/", 3),
        ("-f policies --save policies/infra.yaml/t.yaml", 3),
    ] {
        let refused = sandbox.run(&format!("test --init {line}")).exits(code);
        assert!(!sandbox.path().join("new").exists(), "{refused}");
    }
    let shadowed = POLICY.to_owned() + "  - {action: Fail, onConditions: [Evicted]}\n";
    sandbox.file("p.yaml", shadowed);
    let text = sandbox.run("test --init -f p.yaml").exits(0).stdout;
    assert!(
        text.contains(
            "# No failure reaches p[1] (p.yaml:7): p[0] matches all of its failures first."
        ),
        "{text}"
    );
    sandbox
        .file("scheduler.yaml", "scheduling: {retryPolicy: {enabled: true, globalMaxRetries: 2}}");
    let run = sandbox.run("test --init -f policies --queue-policies nosuch").exits(3);
    assert!(run.stderr.contains("the policies are `infra`, `ml-training`\n"), "{run}");
    let line = "test --init -f policies --queue-policies ml-training,infra --scheduler-config scheduler.yaml";
    let text = sandbox.run(line).exits(0).stdout;
    assert!(
        text.contains(
            "queuePolicies: [ml-training, infra]\n  schedulerConfig: {globalMaxRetries: 2}"
        ),
        "{text}"
    );
    sandbox.file("g.yaml", text);
    sandbox.run("test g.yaml --coverage-threshold 100").exits(0);
}

#[test]
fn each_list_of_a_queue_has_a_suite_and_so_has_each_other_policy() {
    let sandbox = Sandbox::new();
    let policy = |name: &str, rule: &str| {
        format!(
            "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: {name}}}\n\
             spec: {{retryLimit: 2, rules: [{{action: Retry, {rule}}}]}}\n"
        )
    };
    let queue = |name: &str, list: &str| {
        format!(
            "---\napiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: {name}\npriorityFactor: 1\nretryPolicies: {list}\n"
        )
    };
    sandbox.file("p/a.yaml", policy("a", "onConditions: [Evicted]"));
    sandbox.file("p/b.yaml", policy("b", "onConditions: [Evicted, Preempted]"));
    sandbox.file(
        "p/c.yaml",
        policy("c", "containerName: init, onExitCodes: {operator: NotIn, values: [1]}"),
    );
    sandbox.file("p/d.yaml", policy("d", "onFailureCategory: [gpu]"));
    let queues = ["[a, b]", "[a, b]", "[b, gone]", "[]"].iter().zip(["q", "r", "s", "t"]);
    let queues: String = queues.map(|(list, name)| queue(name, list)).collect();
    sandbox.file("p/queues.yaml", queues);
    let generated = sandbox.run("test --init -f p --save tests/all.yaml").exits(0);
    assert!(generated.stderr.contains("leave out policy `gone` of queue `s`"), "{generated}");
    assert!(generated.stderr.contains("in 4 suites"), "{generated}");
    let text = std::fs::read_to_string(sandbox.path().join("tests/all.yaml")).unwrap();
    let heads: Vec<&str> = text.lines().filter(|line| line.contains("olicies")).collect();
    assert_eq!(
        heads,
        [
            "# The policies of the queues q, r",
            "  policies: [../p/a.yaml, ../p/b.yaml]",
            "  queuePolicies: [a, b]",
            "# The policies of queue s",
            "  policies: [../p/b.yaml]",
            "  policies: [../p/c.yaml]",
            "  policies: [../p/d.yaml]",
        ],
        "{text}"
    );
    sandbox.run("test tests --coverage-threshold 100").exits(0);
}

#[test]
fn test_documents_beside_policies_are_named_and_skipped() {
    let sandbox = with_tests(FULL);
    sandbox
        .file("h.jsonl", "{\"jobId\":\"a\",\"outcome\":\"Failed\",\"conditions\":[\"Evicted\"]}\n");
    let report = sandbox.run("simulate -f . --history h.jsonl").exits(0);
    assert!(report.stdout.contains("skipped the RetryPolicyTest in ./t.yaml:1:1"), "{report}");
    let valid = sandbox.run("validate -f .").exits(0);
    assert!(valid.stdout.contains("2 documents in 2 files: 0 errors"), "{valid}");
}

#[test]
fn watching_runs_the_tests_again_when_a_policy_changes() {
    let sandbox = with_tests(FULL);
    let mut command = sandbox.command();
    let mut child = command.args(["test", "t.yaml", "--watch"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut summary = || lines.find(|line| line.contains("passed, ")).unwrap();
    assert!(summary().contains("2 passed, 0 failed"));
    // Of another size too, since some file systems have coarse times.
    sandbox.file("p.yaml", POLICY.replace("retryLimit: 2", "retryLimit: 12"));
    assert!(summary().contains("1 passed, 1 failed"));
    sandbox.file("p.yaml", POLICY);
    assert!(summary().contains("2 passed, 0 failed"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn examples_and_fixtures_fit_the_schema_of_test_files() {
    let schema = std::fs::read_to_string(root().join("schemas/retrypolicytest-v1.json")).unwrap();
    let schema = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let document = |path: &Path| {
        let text = std::fs::read_to_string(path).unwrap();
        serde_yaml::from_str::<Value>(&text).unwrap()
    };
    assert!(schema.is_valid(&document(&root().join("examples/tests/ml.yaml"))));
    for system in SYSTEMS {
        for name in ["passing", "failing"] {
            let path = root().join(format!("testdata/tests/{system}/{name}.yaml"));
            assert!(schema.is_valid(&document(&path)), "{}", path.display());
        }
    }
    let job = std::fs::read_to_string(root().join("testdata/tests/job/passing.yaml")).unwrap();
    for (right, wrong) in [
        ("{type: DisruptionTarget", "{kind: DisruptionTarget"),
        ("podName: nightly-x", "podNames: nightly-x"),
        ("exitCode: 42", "exitCode: x"),
        ("delaySeconds: 10s", "delaySeconds: ten"),
        ("retries: 4", "retry: 4"),
    ] {
        assert!(job.contains(right));
        let value: Value = serde_yaml::from_str(&job.replacen(right, wrong, 1)).unwrap();
        assert!(!schema.is_valid(&value), "{wrong}");
    }
    for (text, _) in &REFUSED[..9] {
        let value: Value = serde_yaml::from_str(&tests(text)).unwrap();
        // A schema has no rule about a mapping with nothing but a number.
        let is_beyond = text.contains("expect: [{attempt: 1}]") || text.contains("level: job");
        let is_beyond = is_beyond || !text.contains("expect") || text.contains("expectJob: {}");
        assert!(is_beyond || !schema.is_valid(&value), "{text}");
    }
}

#[test]
fn words_that_tests_may_expect_are_those_of_decisions() {
    let armada: Vec<&str> = DecisionCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(SystemName::Armada.description().words.decisions, armada);
    let mut count = 0;
    for (policies, history) in [
        ("policies --queue-policies infra,ml-training", "fleet.jsonl"),
        ("first/policy.yaml", "first/history.jsonl"),
        ("job/disruption.yaml", "job/disruption.history.yaml"),
        ("job/per-index.yaml", "job/per-index.history.yaml"),
        ("jobset/fail-jobset.yaml", "jobset/fail-jobset.history.yaml"),
        (
            "jobset/simulations-today.yaml --feature-gates RestartJob=true",
            "jobset/simulations-today.history.yaml",
        ),
        ("jobset/ignore-max-restarts.yaml", "jobset/ignore-max-restarts.history.yaml"),
        ("iris/nightly.yaml", "iris/nightly.jsonl"),
        ("iris/seed.yaml", "iris/nightly.jsonl"),
        ("backendai/training.yaml", "backendai/training.jsonl"),
        ("airflow/policy.yaml", "airflow/sync.jsonl"),
        ("airflow/growing.yaml", "airflow/etl.jsonl"),
    ] {
        let line = format!(
            "simulate -f examples/{policies} --history examples/{history} --timelines all -o json"
        );
        let report = run(&line).exits(0).json();
        let engine = report["engine"].as_str().unwrap();
        let words = &description_of_engine(engine).words;
        for decision in report["jobs"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|job| job["decisions"].as_array().unwrap())
        {
            for (known, key) in [
                (words.actions, "action"),
                (words.decisions, "decision"),
                (words.limit_sources, "limitSource"),
            ] {
                let word = decision[key].as_str();
                assert!(word.is_none_or(|word| known.contains(&word)), "{engine} {key} {word:?}");
            }
            count += 1;
        }
    }
    assert!(count > 40, "{count}");
}
