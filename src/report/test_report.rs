//! The results of unit tests of policies (cli.md, `test`).

use super::documents::API_VERSION;
use crate::analysis::unit_test::{Coverage, CoverageEntry};
use schemars::JsonSchema;
use serde::Serialize;
use systems::TargetKind;

/// One test of a file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TestItem {
    /// The test file.
    pub file: String,
    /// The name of the test; of a row of a table, that of its test and its number: `name[2]`.
    pub name: String,
    /// The line of the test, from 1.
    pub line: usize,
    /// Whether it passed.
    pub outcome: TestOutcome,
    /// What was expected and what came instead; null if the test passed.
    pub message: Option<String>,
}

/// Whether a test passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub enum TestOutcome {
    /// Everything that the test expects came.
    Passed,
    /// Something else came.
    Failed,
}

/// What the tests of policies came to, and what they cover.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TestReport {
    /// `armadaproject.io/v1`.
    api_version: &'static str,
    /// `TestReport`.
    kind: &'static str,
    /// The tests, in the order of the files.
    pub items: Vec<TestItem>,
    /// What they cover.
    pub coverage: CoverageReport,
    /// How many there are.
    pub summary: TestSummary,
}

/// Which rules, defaults and limits of the policies the tests check.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoverageReport {
    /// The covered share in percent; 100 without anything to cover.
    pub percent: f64,
    /// How many rules, defaults and limits are covered.
    pub covered: usize,
    /// How many rules, defaults and limits count.
    pub total: usize,
    /// The least percentage that `--coverage-threshold` requires; null without it.
    pub threshold: Option<f64>,
    /// All rules, defaults and limits, in the order of the policies.
    pub items: Vec<CoverageItem>,
}

/// A rule, a default or a limit.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoverageItem {
    /// `rule`, `default`, `limit`, or `policy` for one without rules.
    pub gate: String,
    /// The policy; of the limit of a whole job the policies that apply.
    pub policy: String,
    /// The rule's index; null for a default, and for a limit that is not a rule's own.
    pub rule_index: Option<usize>,
    /// Of a limit, where it comes from, as decisions have it.
    pub limit_source: Option<String>,
    /// Of a limit, its value.
    pub limit: Option<i64>,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// Whether a test checks it.
    pub covered: bool,
    /// Whether it counts: false if no failure can reach it.
    pub counted: bool,
    /// Why it is not covered or does not count; null if it is covered.
    pub reason: Option<String>,
}

/// How many tests there are.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TestSummary {
    /// Test files.
    pub files: usize,
    /// Tests that were run; each case of a table is one.
    pub tests: usize,
    /// Those that passed.
    pub passed: usize,
    /// Those that failed.
    pub failed: usize,
    /// Tests that `--run` did not select.
    pub not_selected: usize,
}

impl TestReport {
    /// A report of tests.
    pub fn new(items: Vec<TestItem>, coverage: CoverageReport, summary: TestSummary) -> Self {
        Self { api_version: API_VERSION, kind: "TestReport", items, coverage, summary }
    }
}

impl CoverageReport {
    /// The report of a coverage.
    pub fn new(coverage: &Coverage, threshold: Option<f64>) -> Self {
        let (total, covered) = coverage.totals();
        let items = coverage.entries().map(CoverageItem::from).collect();
        Self { percent: coverage.percent(), covered, total, threshold, items }
    }

    /// Whether the coverage is below the threshold.
    pub fn is_too_low(&self) -> bool {
        // A share of whole targets that is printed as 66.7 % meets a threshold of 66.7.
        self.threshold.is_some_and(|least| self.percent + 0.05 < least)
    }
}

impl From<&CoverageEntry> for CoverageItem {
    fn from(entry: &CoverageEntry) -> Self {
        let CoverageEntry { target, is_covered, .. } = entry;
        let (name, limit) = match target.kind {
            TargetKind::Rule => ("rule", None),
            TargetKind::Default => ("default", None),
            TargetKind::Whole => ("policy", None),
            TargetKind::Limit { source, value } => ("limit", Some((source, value))),
        };
        Self {
            gate: name.to_owned(),
            policy: target.policy.clone(),
            rule_index: target.rule_index,
            limit_source: limit.map(|(source, _)| source.to_owned()),
            limit: limit.map(|(_, value)| value),
            file: target.place.source.name().to_owned(),
            line: target.place.start().line,
            covered: *is_covered,
            counted: target.unreachable.is_none(),
            reason: entry.reason(),
        }
    }
}

impl CoverageItem {
    /// The name in texts: `infra[0]`, `infra default`, `infra limit 10`.
    pub fn label(&self) -> String {
        let index = self.rule_index.map(|index| format!("[{index}]")).unwrap_or_default();
        let (policy, limit) = (&self.policy, self.limit.unwrap_or_default());
        match (self.gate.as_str(), self.limit_source.as_deref()) {
            ("rule", _) => format!("{policy}{index}"),
            ("default", _) => format!("{policy} default"),
            ("policy", _) => policy.clone(),
            (_, Some("global")) => format!("globalMaxRetries {limit}"),
            (_, Some("rule" | "policy")) => format!("{policy}{index} retryLimit {limit}"),
            (_, source) => format!("{policy} {} {limit}", source.unwrap_or("limit")),
        }
    }
}
