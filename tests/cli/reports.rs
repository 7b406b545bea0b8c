//! `--report`: each format against its published schema, the files, and the fingerprints.
//!
//! Holds cli.md Output.

use super::sandbox::{Run, Sandbox, root, snapshot};
use super::{xml, xsd};
use armadactl::internals::report::{
    CiReport, ReportFormat, ReportPaths, RunFacts, TestItem, TestOutcome,
};
use document::diag::{Code, Diagnostic, Place, Severity, Source, Span};
use serde_json::Value;
use std::collections::HashSet;
use std::fmt::Write;
use std::time::Duration;

const BAD: &str = "apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: bad}
spec:
  retryLimits: 3
  rules:
  - action: retry
    onConditions: [Preemptd]
  - action: Retry
    onConditions: [Evicted]
    onConditon: 1
  - action: Retry
    onConditions: [Evicted]
    onConditon: 1
";

/// All formats, in files.
const ALL: &str = "--report sarif=r.sarif --report junit=r.xml --report gitlab=r.gitlab --report github=r.txt \
                   --report json=r.json";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_examples();
    sandbox.file("bad.yaml", BAD);
    sandbox.file("broken.yaml", "kind: [\n");
    sandbox
}

fn read(sandbox: &Sandbox, name: &str) -> String {
    std::fs::read_to_string(sandbox.path().join(name)).expect("a report")
}

fn json(sandbox: &Sandbox, name: &str) -> Value {
    serde_json::from_str(&read(sandbox, name)).expect("JSON")
}

fn items(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// Checks SARIF against OASIS's schema and against what GitHub's code scanning takes.
#[track_caller]
pub fn check_sarif(text: &str) -> Value {
    let path = root().join("testdata/schemas/sarif-schema-2.1.0.json");
    let schema = serde_json::from_str(&std::fs::read_to_string(path).expect("the schema")).unwrap();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let log: Value = serde_json::from_str(text).expect("JSON");
    let errors: Vec<String> = validator.iter_errors(&log).map(|error| error.to_string()).collect();
    assert_eq!(errors, [""; 0]);
    let run = &log["runs"][0];
    let rules = items(&run["tool"]["driver"]["rules"]);
    for rule in rules {
        for text in ["/shortDescription/text", "/fullDescription/text", "/help/text"] {
            assert!(!rule.pointer(text).unwrap().as_str().unwrap().is_empty(), "{rule}");
        }
    }
    let mut fingerprints = HashSet::new();
    for result in items(&run["results"]) {
        let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let location = &result["locations"][0]["physicalLocation"];
        assert!(location["region"]["startLine"].as_u64() >= Some(1), "{result}");
        let uri = location["artifactLocation"]["uri"].as_str().unwrap();
        if location["artifactLocation"]["uriBaseId"] == "%SRCROOT%" {
            assert!(!uri.starts_with('/') && !uri.contains("..") && !uri.contains(' '), "{uri}");
        } else {
            assert!(uri.starts_with("file:///"), "{uri}");
        }
        assert!(fingerprints.insert(result["partialFingerprints"].to_string()), "{result}");
    }
    log
}

/// Checks `JUnit`'s XML against the schema of Jenkins' plugin, and its counts against its cases; by `xmllint` too,
/// if there is one.
#[track_caller]
pub fn check_junit(text: &str) -> xml::Element {
    assert_eq!(xsd::junit().check(text), [""; 0]);
    let report = xml::parse(text).expect("XML");
    let suites = report.all("testsuite");
    for counted in suites.iter().copied().chain([&report]) {
        for (count, element) in
            [("tests", "testcase"), ("failures", "failure"), ("errors", "error")]
        {
            let expected = counted.all(element).len().to_string();
            assert_eq!(counted.get(count), Some(expected.as_str()), "{count}");
        }
    }
    for case in report.all("testcase") {
        assert!(case.children.len() <= 1, "{case:?}");
    }
    let names: HashSet<_> = report
        .all("testcase")
        .iter()
        .map(|case| (case.get("classname"), case.get("name")))
        .collect();
    assert_eq!(names.len(), report.all("testcase").len(), "names are unique");
    let schema = root().join("testdata/schemas/junit-10.xsd");
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::write(folder.path().join("r.xml"), text).unwrap();
    let mut xmllint = std::process::Command::new("xmllint");
    xmllint.arg("--noout").arg("--schema").arg(schema).arg(folder.path().join("r.xml"));
    if let Ok(output) = xmllint.output() {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    report
}

/// Checks GitLab's report against its documentation: `path` is relative, and fingerprints are unique.
#[track_caller]
fn check_gitlab(text: &str) -> Vec<Value> {
    let issues: Vec<Value> = serde_json::from_str(text).expect("a list");
    let mut fingerprints = HashSet::new();
    for issue in &issues {
        let keys: Vec<&String> = issue.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["description", "check_name", "fingerprint", "severity", "location"]);
        let severity = issue["severity"].as_str().unwrap();
        assert!(["info", "minor", "major", "critical", "blocker"].contains(&severity));
        assert!(!issue["location"]["path"].as_str().unwrap().starts_with("./"), "{issue}");
        assert!(issue["location"]["lines"]["begin"].as_u64() >= Some(1), "{issue}");
        assert!(fingerprints.insert(issue["fingerprint"].as_str().unwrap()), "{issue}");
    }
    issues
}

/// Checks workflow commands: each is one line with the properties that GitHub has.
#[track_caller]
fn check_github(text: &str) {
    let known = ["file", "line", "endLine", "col", "endColumn", "title"];
    for line in text.lines() {
        let (command, message) = line[2..].split_once("::").expect("a message");
        let (name, properties) = command.split_once(' ').expect("properties");
        assert!(["error", "warning", "notice"].contains(&name), "{line}");
        assert!(!message.is_empty(), "{line}");
        for property in properties.split(',') {
            let (key, value) = property.split_once('=').expect("a value");
            assert!(known.contains(&key) && !value.is_empty() && !value.contains(':'), "{line}");
        }
    }
}

#[test]
fn all_formats_in_one_run_have_all_findings() {
    let sandbox = sandbox();
    let line = format!("validate -f policies bad.yaml broken.yaml nowhere.yaml {ALL}");
    let run = sandbox.run(&line).exits(3);
    let plain = sandbox.run("validate -f policies bad.yaml broken.yaml nowhere.yaml").exits(3);
    assert_eq!(run.stdout, plain.stdout, "the findings are printed as without reports");
    let report = json(&sandbox, "r.json");
    let printed = sandbox
        .run("validate -f policies bad.yaml broken.yaml nowhere.yaml -o json")
        .exits(3)
        .json();
    assert_eq!(report, printed);
    let findings = items(&report["items"]);
    assert!(findings.len() >= 7);
    let sarif = check_sarif(&read(&sandbox, "r.sarif"));
    let results = items(&sarif["runs"][0]["results"]);
    assert_eq!(results.len(), findings.len());
    assert_eq!(items(&sarif["runs"][0]["artifacts"]).len(), 4);
    let junit = check_junit(&read(&sandbox, "r.xml"));
    let cases = junit.all("testcase");
    assert_eq!(cases.len(), findings.len() + 2, "and a case for each of two clean files");
    assert_eq!(junit.all("error").len(), 2, "one file is no YAML, one does not exist");
    assert_eq!(check_gitlab(&read(&sandbox, "r.gitlab")).len(), findings.len());
    check_github(&read(&sandbox, "r.txt"));
    assert_eq!(read(&sandbox, "r.txt").lines().count(), findings.len());
    let left: Vec<String> = std::fs::read_dir(sandbox.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains(".part"))
        .collect();
    assert_eq!(left, [""; 0]);
}

/// Places are those of the JSON report, in every bad file of the diagnostics.
#[test]
fn every_finding_of_the_fixtures_has_its_place_in_every_report() {
    let sandbox = Sandbox::new();
    let fixtures = root().join("testdata/diagnostics");
    let line = format!("validate -f {} {ALL}", fixtures.display());
    sandbox.run(&line).exits(3);
    let findings = json(&sandbox, "r.json");
    let findings = items(&findings["items"]);
    assert!(findings.len() > 300, "{}", findings.len());
    let sarif = check_sarif(&read(&sandbox, "r.sarif"));
    let results = items(&sarif["runs"][0]["results"]);
    let issues = check_gitlab(&read(&sandbox, "r.gitlab"));
    check_junit(&read(&sandbox, "r.xml"));
    let commands = read(&sandbox, "r.txt");
    check_github(&commands);
    assert_eq!(commands.lines().count(), findings.len());
    assert_eq!((results.len(), issues.len()), (findings.len(), findings.len()));
    for ((finding, result), (issue, command)) in
        findings.iter().zip(results).zip(issues.iter().zip(commands.lines()))
    {
        let region = &result["locations"][0]["physicalLocation"]["region"];
        if finding["line"].is_null() {
            continue;
        }
        for (key, ours) in [
            ("startLine", "line"),
            ("startColumn", "column"),
            ("endLine", "endLine"),
            ("endColumn", "endColumn"),
        ] {
            assert_eq!(region[key], finding[ours], "{finding}");
        }
        assert_eq!(result["ruleId"], finding["id"]);
        assert_eq!(issue["location"]["lines"]["begin"], finding["line"]);
        let place = format!(",line={},col={},", finding["line"], finding["column"]);
        assert!(command.contains(&place), "{command}");
    }
}

#[test]
fn texts_and_names_that_need_escapes_are_valid_in_every_format() {
    let sandbox = Sandbox::new();
    let name = "a b/%41<&>'\"ü,:;#?.yaml";
    sandbox.file(
        name,
        BAD.replace("retryLimits", "\"<&>'\\\"]]>\\u0007\\x1b[1m\\ufffe\u{202e}\u{1f600}%0A::x\""),
    );
    let mut run = sandbox.command();
    run.args(["validate", "-f", name]).args(ALL.split_whitespace());
    assert_eq!(run.output().unwrap().status.code(), Some(3));
    let sarif = check_sarif(&read(&sandbox, "r.sarif"));
    let location = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    let uri = "a%20b/%2541%3C%26%3E%27%22%C3%BC%2C%3A%3B%23%3F.yaml";
    assert_eq!(location["artifactLocation"]["uri"], uri);
    let junit = check_junit(&read(&sandbox, "r.xml"));
    assert_eq!(junit.all("testsuite")[0].get("file"), Some(name));
    assert!(
        junit.all("failure")[0]
            .text
            .contains("<&>'\"]]>\\u{7}\\u{1b}[1m\\u{fffe}\\u{202e}\u{1f600}%0A::x")
    );
    assert_eq!(check_gitlab(&read(&sandbox, "r.gitlab"))[0]["location"]["path"], name);
    let commands = read(&sandbox, "r.txt");
    check_github(&commands);
    assert!(
        commands.starts_with("::error file=a b/%2541<&>'\"ü%2C%3A;#?.yaml,line=5,"),
        "{commands}"
    );
    assert!(commands.contains("%250A::x"), "{commands}");
}

/// The fingerprints of SARIF and of Code Quality.
fn fingerprints(sandbox: &Sandbox, files: &str) -> (Vec<String>, Vec<String>) {
    sandbox.run(&format!("validate -f {files} {ALL}")).exits(3);
    let sarif = check_sarif(&read(sandbox, "r.sarif"));
    let of_result = |result: &Value| result["partialFingerprints"].to_string();
    let issues = check_gitlab(&read(sandbox, "r.gitlab"));
    (
        items(&sarif["runs"][0]["results"]).iter().map(of_result).collect(),
        issues.iter().map(|issue| issue["fingerprint"].to_string()).collect(),
    )
}

#[test]
fn fingerprints_survive_moved_lines_and_tell_equal_findings_apart() {
    let sandbox = sandbox();
    let before = fingerprints(&sandbox, "bad.yaml");
    assert_eq!(before.0.len(), 5);
    let other =
        "apiVersion: armadaproject.io/v1\nkind: Queue\nmetadata: {name: q}\nspec: {}\n---\n";
    for moved in [
        format!("# a comment\n\n# name: x\n{BAD}"),
        format!("{other}{BAD}"),
        BAD.replace("spec:\n", "spec:\n  # a comment\n  defaultAction: Fail\n\n"),
        BAD.replace("  rules:\n", "  rules:\n  - {action: Fail, onConditions: [Preempted]}\n"),
    ] {
        sandbox.file("bad.yaml", &moved);
        assert_eq!(fingerprints(&sandbox, "bad.yaml"), before, "{moved}");
    }
    sandbox.file("bad.yaml", BAD);
    assert_eq!(fingerprints(&sandbox, "./policies/../bad.yaml"), before);
    sandbox.file("other.yaml", BAD);
    let other = fingerprints(&sandbox, "other.yaml");
    assert!(other.0.iter().all(|one| !before.0.contains(one)));
    sandbox.file("bad.yaml", BAD.replace("retryLimits: 3", "retryLimits: 4"));
    let changed = fingerprints(&sandbox, "bad.yaml");
    assert_ne!(changed.0[0], before.0[0]);
    assert_eq!(changed.0[1..], before.0[1..]);
}

#[test]
fn a_report_to_stdout_is_all_that_is_there() {
    let sandbox = sandbox();
    let run = sandbox.run("validate -f bad.yaml policies --report github=-").exits(3);
    check_github(&run.stdout);
    assert_eq!(run.stdout.lines().count(), 5);
    assert_eq!(run.stderr, "note: 3 documents in 3 files: 5 errors, 0 warnings\n");
    let run = sandbox.run("validate -f bad.yaml -q -o json --report junit=- --report json=r.json");
    check_junit(&run.exits(3).stdout);
    assert_eq!(items(&json(&sandbox, "r.json")["items"]).len(), 5);
    let run = sandbox.run("validate -f policies --report sarif=-").exits(0);
    check_sarif(&run.stdout);
    let run = sandbox.run_on("validate -f - --report sarif=-", BAD).exits(3);
    let sarif = check_sarif(&run.stdout);
    let location = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "%3Cstdin%3E");
    let run = sandbox.run_on("validate -f - --report gitlab=-", BAD).exits(3);
    assert_eq!(check_gitlab(&run.stdout)[0]["location"]["path"], "<stdin>");
}

#[test]
fn clean_files_have_reports_without_findings() {
    let sandbox = sandbox();
    sandbox.run(&format!("validate -f policies {ALL}")).exits(0);
    let sarif = check_sarif(&read(&sandbox, "r.sarif"));
    assert_eq!(items(&sarif["runs"][0]["results"]).len(), 0);
    let junit = check_junit(&read(&sandbox, "r.xml"));
    let files: Vec<_> =
        junit.all("testsuite").iter().map(|suite| suite.get("file").unwrap().to_owned()).collect();
    assert_eq!(files, ["policies/infra.yaml", "policies/ml-training.yaml"]);
    assert_eq!(check_gitlab(&read(&sandbox, "r.gitlab")).len(), 0);
    assert_eq!(read(&sandbox, "r.txt"), "");
}

#[test]
fn warnings_are_no_failures_of_validate() {
    let sandbox = sandbox();
    sandbox.file(
        "odd.yaml",
        "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: odd\nretryLimit: 3\ndefaultAction: fail\n",
    );
    sandbox.run(&format!("validate -f odd.yaml {ALL}")).exits(0);
    let junit = check_junit(&read(&sandbox, "r.xml"));
    assert_eq!((junit.get("tests"), junit.get("failures")), (Some("1"), Some("0")));
    assert!(junit.all("system-out")[0].text.contains("odd.yaml:5:16: warning[RP024]"));
    let sarif = check_sarif(&read(&sandbox, "r.sarif"));
    assert_eq!(sarif["runs"][0]["results"][0]["level"], "warning");
    assert!(read(&sandbox, "r.txt").starts_with("::warning file=odd.yaml,line=5,col=16,"));
}

/// Paths are those of the repository, whatever the working directory.
#[test]
fn paths_are_relative_to_the_root_of_the_repository() {
    let sandbox = sandbox();
    sandbox.file("repo/.git/HEAD", "").file("repo/a/b/bad.yaml", BAD).file("repo/c.yaml", BAD);
    let absolute = sandbox.path().canonicalize().unwrap().join("repo/c.yaml");
    let line = format!("validate -f b ../c.yaml ../../bad.yaml {} {ALL}", absolute.display());
    let run =
        sandbox.run_with(&line, |command| _ = command.current_dir(sandbox.path().join("repo/a")));
    let run = run.exits(3);
    assert!(run.stdout.contains(" --> ../c.yaml:5:3\n"), "{run}");
    let sarif = check_sarif(&read(&sandbox, "repo/a/r.sarif"));
    let uris: HashSet<String> = items(&sarif["runs"][0]["results"])
        .iter()
        .map(|result| &result["locations"][0]["physicalLocation"]["artifactLocation"])
        .map(|location| location["uri"].as_str().unwrap().to_owned())
        .collect();
    let outside =
        format!("file://{}", sandbox.path().canonicalize().unwrap().join("bad.yaml").display());
    assert_eq!(uris, ["a/b/bad.yaml", "c.yaml", &outside].map(str::to_owned).into());
    let commands = read(&sandbox, "repo/a/r.txt");
    assert!(commands.contains("::error file=a/b/bad.yaml,line=5,"), "{commands}");
    let junit = check_junit(&read(&sandbox, "repo/a/r.xml"));
    assert_eq!(junit.all("testsuite")[0].get("file"), Some("a/b/bad.yaml"));
}

#[test]
fn files_that_cannot_be_written_are_named_after_all_others_are() {
    let sandbox = sandbox();
    let line =
        "validate -f policies --report json=no/r.json --report sarif=policies --report junit=r.xml";
    let run = sandbox.run(line).exits(3);
    assert!(run.stderr.contains("cannot write `no/r.json`: "), "{run}");
    assert!(run.stdout.contains("2 documents in 2 files: 0 errors"), "{run}");
    check_junit(&read(&sandbox, "r.xml"));
    let run = sandbox.run("validate -f bad.yaml --report junit=policies").exits(3);
    assert!(run.stderr.contains("cannot write `policies`: "), "{run}");
    assert!(run.stdout.contains("error[RP005]"), "{run}");
}

#[test]
fn reports_that_collide_or_that_nobody_makes_are_refused() {
    let sandbox = sandbox();
    sandbox.file("policies/new/x", "");
    for (targets, message) in [
        (
            "--report xml=r",
            "unknown format `xml`; it is one of junit, sarif, github, gitlab, markdown, html, json",
        ),
        ("--report r.xml", "unknown format `r.xml`"),
        ("--report junit", "write junit=FILE, or junit=- for stdout"),
        ("--report json=r --report junit=./r", "two reports go to `./r`"),
        ("--report json=- --report github=-", "two reports go to standard output"),
        ("--report json=bad.yaml", "`bad.yaml` is also an input"),
        ("--report json=policies/infra.yaml", "`policies/infra.yaml` is also an input"),
        ("--report gitlab=policies/new/../report.json", "would be an input of the next run"),
    ] {
        let before = read(&sandbox, "bad.yaml") + &read(&sandbox, "policies/infra.yaml");
        let run = sandbox.run(&format!("validate -f bad.yaml policies {targets}")).exits(2);
        assert!(run.stderr.contains(message), "{run}");
        assert_eq!(run.stdout, "");
        assert_eq!(read(&sandbox, "bad.yaml") + &read(&sandbox, "policies/infra.yaml"), before);
        assert!(!sandbox.path().join("r").exists());
    }
    // These would not be read.
    for target in ["policies/r.sarif", "policies/.r.json", "policies/.ci/r.json", "policies/r.json"]
    {
        sandbox.file("policies/.ci/x", "");
        let exclude = if target == "policies/r.json" { "--exclude r.json" } else { "" };
        let line = format!("validate -f policies {exclude} --report gitlab={target}");
        sandbox.run(&line).exits(0);
        sandbox.run(&line).exits(0);
    }
    let run = sandbox.run("validate --executor-config bad.yaml --report json=bad.yaml").exits(2);
    assert!(run.stderr.contains("`bad.yaml` is also an input"), "{run}");
}

#[test]
fn a_report_replaces_a_file_only_when_it_is_complete() {
    let sandbox = sandbox();
    sandbox.file("r.sarif", "before");
    sandbox.run("validate -f policies --report sarif=r.sarif").exits(0);
    check_sarif(&read(&sandbox, "r.sarif"));
    sandbox.run("validate -f policies --report sarif=/dev/null --report junit=/dev/null").exits(0);
}

#[test]
fn the_help_names_the_formats() {
    let help = Sandbox::new().run("help validate").exits(0).stdout;
    for format in ReportFormat::ALL {
        assert!(help.contains(format.name()), "{format:?}");
    }
}

/// What `test` reports: tests, and the mistakes of files that hold no valid tests.
#[test]
fn tests_are_cases_and_failed_ones_are_results() {
    let item = |file: &str, name: &str, line, message: Option<&str>| TestItem {
        file: file.to_owned(),
        name: name.to_owned(),
        line,
        outcome: if message.is_some() { TestOutcome::Failed } else { TestOutcome::Passed },
        message: message.map(str::to_owned),
    };
    let tests = [
        item("gpu.yaml", "retried <10> times", 7, None),
        item("gpu.yaml", "retried <10> times", 9, Some("expected  got\nRetry     Fail\u{1b}")),
        item("gpu.yaml", "table[2]", 9, Some("")),
        item("node.yaml", "100%, then: fails", 3, None),
    ];
    let source = Source::new("broken.yaml", "spec: {test: 1}\n");
    let place = Place::new(&source, Span::new(7, 11));
    let findings = [Diagnostic::error(Code::UnknownField, place, "unknown field `test`")];
    let files = ["gpu.yaml", "node.yaml", "broken.yaml", "empty.yaml"].map(str::to_owned);
    let reported = CiReport {
        command: "test",
        findings: &findings,
        covered: &[],
        coverage: None,
        comparison: None,
        tests: &tests,
        files: &files,
        json: "{}\n".to_owned(),
        fail_on: Severity::Error,
    };
    let paths = ReportPaths::new("/w/repo/tests", "/w/repo");
    let run = RunFacts { elapsed: Duration::from_millis(1_234_567), paths };
    let junit = check_junit(&ReportFormat::Junit.render(&reported, &run));
    assert_eq!(junit.get("time"), Some("1234.567"));
    let suites: Vec<(&str, usize)> = junit
        .all("testsuite")
        .iter()
        .map(|suite| (suite.get("name").unwrap(), suite.children.len()))
        .collect();
    let expected = [
        ("tests/gpu.yaml", 3),
        ("tests/node.yaml", 1),
        ("tests/broken.yaml", 1),
        ("tests/empty.yaml", 1),
    ];
    assert_eq!(suites, expected);
    assert_eq!((junit.get("failures"), junit.get("errors")), (Some("2"), Some("1")));
    assert_eq!(junit.all("testcase")[0].get("classname"), Some("armadactl.test.tests/gpu"));
    let failure = junit.all("failure")[0];
    assert!(failure.text.contains("tests/gpu.yaml:9: retried <10> times\nexpected  got\nRetry"));
    let sarif = check_sarif(&ReportFormat::Sarif.render(&reported, &run));
    let results = items(&sarif["runs"][0]["results"]);
    let ids: Vec<&str> = results.iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
    assert_eq!(ids, ["RP005", "failed-test", "failed-test"]);
    assert_eq!(check_gitlab(&ReportFormat::Gitlab.render(&reported, &run)).len(), 3);
    let commands = ReportFormat::Github.render(&reported, &run);
    check_github(&commands);
    let mut expected = String::new();
    let _ = writeln!(
        expected,
        "::error file=tests/gpu.yaml,line=9,title=retried <10> times::expected  got%0ARetry     Fail\\u{{1b}}"
    );
    assert!(commands.contains(&expected), "{commands}");
    assert_eq!(ReportFormat::Json.render(&reported, &run), "{}\n");
}

#[test]
fn refusals_read_as_they_should() {
    let refuse = |targets: &str| -> Run {
        sandbox().run(&format!("validate -f bad.yaml policies {targets}")).exits(2)
    };
    snapshot!("unknown_format", refuse("--report xml=r.xml"));
    snapshot!("input", refuse("--report json=policies/report.json"));
}
