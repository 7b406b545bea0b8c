//! GitLab's Code Quality report: a JSON list, which merge requests show beside the lines.
//!
//! The format is GitLab's: "Code Quality", "Code Quality report format".

use super::ci_report::{CiReport, RunFacts, failure_of, file_of, message_of};
use super::fingerprint::Fingerprints;
use super::{TestOutcome, json};
use document::diag::Severity;
use serde::Serialize;

#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
}

/// Renders findings and failed tests.
pub(super) fn render(reported: &CiReport<'_>, run: &RunFacts) -> String {
    let mut fingerprints = Fingerprints::default();
    let mut issues: Vec<Issue> = Vec::new();
    for finding in reported.findings {
        let path = file_of(finding).map_or_else(|| ".".to_owned(), |name| run.paths.path(name));
        let begin = finding.place.as_ref().map_or(1, |place| place.start().line);
        issues.push(Issue {
            description: message_of(finding),
            check_name: finding.code.id().to_owned(),
            fingerprint: fingerprints.finding_print(finding, &run.paths),
            severity: severity(finding.severity),
            location: Location { path, lines: Lines { begin } },
        });
    }
    for test in reported.tests.iter().filter(|test| test.outcome == TestOutcome::Failed) {
        let message = failure_of(test);
        issues.push(Issue {
            description: format!("{}: {message}", test.name),
            check_name: "failed-test".to_owned(),
            fingerprint: fingerprints.test_print(test, &run.paths),
            severity: severity(Severity::Error),
            location: Location {
                path: run.paths.path(&test.file),
                lines: Lines { begin: test.line },
            },
        });
    }
    json(&issues)
}

/// GitLab has five severities; `critical` and `blocker` are for other tools.
fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "major",
        Severity::Warning => "minor",
        Severity::Info => "info",
    }
}

#[cfg(test)]
mod tests {
    use super::super::ci_report::samples;
    use super::*;
    use serde_json::Value;
    use std::collections::HashSet;

    #[test]
    fn every_finding_and_failed_test_is_an_issue_with_a_place() {
        let (findings, tests) = (samples::findings(), samples::tests());
        let reported = CiReport { tests: &tests, ..samples::reported(&findings) };
        let text = render(&reported, &samples::run());
        let issues: Vec<Value> = serde_json::from_str(&text).unwrap();
        let column = |pointer: &str| -> Vec<String> {
            issues.iter().map(|issue| issue.pointer(pointer).unwrap().to_string()).collect()
        };
        let ids = ["RP034", "RP005", "RP001", "RP024", "RP024", "failed-test"];
        assert_eq!(column("/check_name"), ids.map(|id| format!("\"{id}\"")));
        assert_eq!(column("/location/lines/begin"), ["1", "2", "2", "3", "3", "9"]);
        let severities = ["major", "major", "major", "minor", "info", "major"];
        assert_eq!(column("/severity"), severities.map(|name| format!("\"{name}\"")));
        assert_eq!(issues[0]["location"]["path"], "no.yaml");
        assert_eq!(issues[1]["location"]["path"], "policies/a b/ü&<1>.yaml");
        assert_eq!(issues[5]["description"], "100%, then: fails: expected: Retry\ngot: Fail");
        assert_eq!(column("/fingerprint").iter().collect::<HashSet<_>>().len(), issues.len());
    }

    #[test]
    fn no_findings_are_an_empty_list() {
        assert_eq!(render(&samples::reported(&[]), &samples::run()), "[]\n");
    }
}
