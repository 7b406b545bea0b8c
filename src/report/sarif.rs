//! SARIF 2.1.0, as GitHub's code scanning and editors read it.
//!
//! Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0 Plus Errata 01", and GitHub,
//! "SARIF support for code scanning".

use super::ci_report::{CiReport, RunFacts, failure_of, file_of, message_of};
use super::fingerprint::Fingerprints;
use super::report_paths::{ReportPaths, SOURCE_ROOT};
use super::{TestItem, TestOutcome, json};
use crate::findings;
use document::diag::{Code, Diagnostic, Edit, Fix, Place, Severity};
use serde_json::{Map, Value, json};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The id of results that are failed tests.
const FAILED_TEST: &str = "failed-test";

/// The name of our fingerprints, with the version of their making. GitHub adds one of its own to those.
const FINGERPRINT: &str = "armadactlFinding/v1";

/// The address of the project; empty if it has none.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// Renders findings and failed tests as results.
pub(super) fn render(reported: &CiReport<'_>, run: &RunFacts) -> String {
    let failed: Vec<&TestItem> =
        reported.tests.iter().filter(|test| test.outcome == TestOutcome::Failed).collect();
    let mut codes: Vec<Code> = reported.findings.iter().map(|finding| finding.code).collect();
    codes.sort();
    codes.dedup();
    let mut rules: Vec<Value> =
        codes.iter().map(|code| rule(*code, reported, REPOSITORY)).collect();
    if !failed.is_empty() {
        rules.push(test_rule());
    }
    let mut fingerprints = Fingerprints::default();
    let mut results: Vec<Value> = Vec::new();
    for finding in reported.findings {
        let fingerprint = fingerprints.finding_print(finding, &run.paths);
        let index = codes.binary_search(&finding.code).unwrap_or_default();
        results.push(result(finding, index, &fingerprint, reported, &run.paths));
    }
    for test in failed {
        let fingerprint = fingerprints.test_print(test, &run.paths);
        results.push(test_result(test, codes.len(), &fingerprint, &run.paths));
    }
    let artifacts: Vec<Value> =
        reported.files.iter().map(|file| json!({"location": run.paths.location(file)})).collect();
    json(&json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": driver(rules)},
            // GitHub replaces the results of the category at the next upload; each command has its own.
            "automationDetails": {"id": format!("armadactl/{}/", reported.command)},
            "originalUriBaseIds": {SOURCE_ROOT: {"uri": run.paths.root_uri()}},
            "columnKind": "unicodeCodePoints",
            "invocations": [{"executionSuccessful": true}],
            "artifacts": artifacts,
            "results": results,
        }],
    }))
}

fn driver(rules: Vec<Value>) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let mut driver = json!({"name": "armadactl", "version": version, "semanticVersion": version});
    if !REPOSITORY.is_empty() {
        driver["informationUri"] = REPOSITORY.into();
    }
    driver["rules"] = rules.into();
    driver
}

/// The description of a code, from its page.
fn rule(code: Code, reported: &CiReport<'_>, repository: &str) -> Value {
    let page = findings::page(code);
    let of_code = reported.findings.iter().filter(|finding| finding.code == code);
    let severity = of_code.map(|finding| finding.severity).min().unwrap_or(Severity::Error);
    let mut rule = json!({
        "id": code.id(),
        "name": format!("{code:?}"),
        "shortDescription": {"text": code.title()},
        "fullDescription": {"text": first_paragraph(page)},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": level(severity)},
        "properties": {"tags": ["retry-policy"], "problem.severity": problem_severity(severity)},
    });
    if !repository.is_empty() {
        let folder = if code.id() < "RP100" { "diagnostics" } else { "lints" };
        let version = env!("CARGO_PKG_VERSION");
        let page = format!("{repository}/blob/v{version}/docs/{folder}/{}.md", code.id());
        rule["helpUri"] = page.into();
    }
    rule
}

fn test_rule() -> Value {
    let text = "A test of a policy expects another decision than the policy makes.";
    json!({
        "id": FAILED_TEST,
        "name": "FailedTest",
        "shortDescription": {"text": "a failed test of a policy"},
        "fullDescription": {"text": text},
        "help": {"text": format!("{text} `armadactl test` shows both.")},
        "defaultConfiguration": {"level": level(Severity::Error)},
        "properties": {"tags": ["retry-policy"], "problem.severity": "error"},
    })
}

/// The first paragraph of a page after its heading, in one line.
fn first_paragraph(page: &str) -> String {
    let body = page.split_once("\n\n").map_or(page, |(_, body)| body);
    let paragraph = body.split("\n\n").next().unwrap_or_default();
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn result(
    finding: &Diagnostic,
    index: usize,
    fingerprint: &str,
    reported: &CiReport<'_>,
    paths: &ReportPaths,
) -> Value {
    let physical = if let Some(place) = &finding.place {
        physical_location(place, paths)
    } else {
        // GitHub refuses a file with a result that has no location or no line.
        let file = file_of(finding).or(reported.files.first().map(String::as_str));
        let location = paths.location(file.unwrap_or("."));
        json!({"artifactLocation": location, "region": {"startLine": 1}})
    };
    let mut result = json!({
        "ruleId": finding.code.id(),
        "ruleIndex": index,
        "level": level(finding.severity),
        "message": {"text": plain(&message_of(finding))},
        "locations": [{"physicalLocation": physical}],
    });
    if !finding.others.is_empty() {
        let related = finding.others.iter().enumerate().map(|(id, other)| {
            json!({
                "id": id + 1,
                "message": {"text": plain(&other.text)},
                "physicalLocation": physical_location(&other.place, paths),
            })
        });
        result["relatedLocations"] = related.collect();
    }
    if let Some(fix) = finding.fix.as_ref().filter(|fix| !fix.edits.is_empty()) {
        result["fixes"] = json!([fix_of(fix, paths)]);
    }
    result["partialFingerprints"] = json!({FINGERPRINT: fingerprint});
    result
}

fn test_result(test: &TestItem, index: usize, fingerprint: &str, paths: &ReportPaths) -> Value {
    let message = failure_of(test);
    json!({
        "ruleId": FAILED_TEST,
        "ruleIndex": index,
        "level": level(Severity::Error),
        "message": {"text": plain(&format!("{}: {message}", test.name))},
        "locations": [{
            "physicalLocation": {
                "artifactLocation": paths.location(&test.file),
                "region": {"startLine": test.line},
            },
        }],
        "partialFingerprints": {FINGERPRINT: fingerprint},
    })
}

fn physical_location(place: &Place, paths: &ReportPaths) -> Value {
    json!({"artifactLocation": paths.location(place.source.name()), "region": region(place)})
}

/// The region of a place. Its end is the position after the last character, as ours.
fn region(place: &Place) -> Value {
    let (start, end) = (place.start(), place.end());
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

fn fix_of(fix: &Fix, paths: &ReportPaths) -> Value {
    let mut files: Map<String, Value> = Map::new();
    for Edit { place, text } in &fix.edits {
        let mut replacement = json!({"deletedRegion": region(place)});
        if !text.is_empty() {
            replacement["insertedContent"] = json!({"text": text});
        }
        let replacements = files.entry(place.source.name()).or_insert_with(|| json!([]));
        if let Value::Array(replacements) = replacements {
            replacements.push(replacement);
        }
    }
    let changes = files.iter().map(|(file, replacements)| {
        json!({"artifactLocation": paths.location(file), "replacements": replacements})
    });
    json!({"description": {"text": plain(&fix.title)}, "artifactChanges": changes.collect::<Value>()})
}

/// A text in which no viewer finds a link: `[text](target)` is one in plain text too (SARIF 2.1.0, section 3.11.6).
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '[' | ']') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// GitHub's severity of a rule.
fn problem_severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "recommendation",
    }
}

#[cfg(test)]
mod tests {
    use super::super::ci_report::samples;
    use super::*;

    #[test]
    fn findings_and_failed_tests_are_results() {
        let (findings, tests) = (samples::findings(), samples::tests());
        let files = ["a b/ü&<1>.yaml".to_owned()];
        let reported = CiReport { tests: &tests, files: &files, ..samples::reported(&findings) };
        let mut log: Value = serde_json::from_str(&render(&reported, &samples::run())).unwrap();
        for rule in log["runs"][0]["tool"]["driver"]["rules"].as_array_mut().unwrap() {
            assert!(rule["help"]["text"].as_str().unwrap().len() > 80);
            rule["help"] = Value::Null;
        }
        let text = serde_json::to_string_pretty(&log).unwrap();
        insta::assert_snapshot!(text.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    }

    #[test]
    fn brackets_of_a_message_are_no_link() {
        let name = "[see](https://elsewhere.example) \\ [0]";
        let findings = [samples::error_at("a.yaml", &format!("{name}: 1\n"), name)
            .also(samples::place("a.yaml", "a: 1\n", "a"), "[first](x)")];
        let item = TestItem { name: name.to_owned(), ..samples::tests().remove(1) };
        let tests = [item];
        let reported = CiReport { tests: &tests, ..samples::reported(&findings) };
        let log: Value = serde_json::from_str(&render(&reported, &samples::run())).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap();
        let escaped = r"\[see\](https://elsewhere.example) \\ \[0\]";
        for result in results {
            let text = result["message"]["text"].as_str().unwrap();
            assert!(text.contains(escaped), "{text}");
        }
        assert_eq!(results.len(), 2);
        assert_eq!(results[0]["relatedLocations"][0]["message"]["text"], r"\[first\](x)");
    }

    #[test]
    fn descriptions_fit_what_github_shows() {
        for code in Code::ALL {
            let text = first_paragraph(findings::page(*code));
            assert!((20..=1000).contains(&text.len()), "{code:?}: {text}");
            assert!(!text.contains('#'), "{code:?}: {text}");
        }
    }

    #[test]
    fn a_rule_has_the_address_of_its_page_where_the_project_has_one() {
        let reported = samples::reported(&[]);
        let rule = rule(Code::Syntax, &reported, "https://example.com/armadactl");
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            rule["helpUri"],
            format!("https://example.com/armadactl/blob/v{version}/docs/diagnostics/RP001.md")
        );
    }
}
