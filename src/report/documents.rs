//! The output of commands as JSON and YAML. Fields may be added, but are never renamed.

use super::classification::FailureClassification;
use super::resource::{Resource, TooDeep};
use crate::findings::DiagnosticItem;
use document::diag::{Diagnostic, json_printable, plural};
use replay::simulate::{DecisionReport, NoteReport, NoteSeverity};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use systems::BudgetWaits;

pub(super) const API_VERSION: &str = "armadaproject.io/v1";

/// Formats a result as indented JSON, with a final line break. Characters that control a terminal are
/// escaped.
pub fn json(value: &impl Serialize) -> String {
    // This cannot fail: the values are plain data with text keys.
    let text = serde_json::to_string_pretty(value).unwrap_or_default() + "\n";
    json_printable(&text).into_owned()
}

/// Formats a result as YAML. Characters that control a terminal are escaped.
///
/// # Errors
///
/// If it is nested too deep for a [`Resource`].
pub fn yaml(value: &impl Serialize) -> Result<String, TooDeep> {
    Ok(Resource::of(value)?.yaml())
}

/// What `validate` found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValidateReport {
    /// `armadaproject.io/v1`.
    api_version: &'static str,
    /// `ValidateReport`.
    kind: &'static str,
    /// The findings, by place.
    items: Vec<DiagnosticItem>,
    /// How many there are.
    summary: ValidateSummary,
}

/// How much was checked, and what was found.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct ValidateSummary {
    /// Files read.
    pub files: usize,
    /// Documents in them.
    pub documents: usize,
    /// Those of which only the fields that concern failures were checked: Jobs and JobSets.
    #[serde(rename = "inPart")]
    pub in_part: usize,
    /// Documents of other kinds, which were skipped.
    pub skipped: usize,
    /// Files that are histories where policies are expected: they were not checked.
    pub histories: usize,
    /// Findings of severity `error`.
    pub errors: usize,
    /// Findings of severity `warning`.
    pub warnings: usize,
}

impl ValidateReport {
    /// A report of findings.
    pub fn new(items: Vec<DiagnosticItem>, summary: ValidateSummary) -> Self {
        Self { api_version: API_VERSION, kind: "ValidateReport", items, summary }
    }
}

impl ValidateSummary {
    /// A line with the summary. `more` are counts of other findings, with a comma before each.
    fn line(&self, more: &str) -> String {
        let skipped = match self.skipped {
            0 => String::new(),
            skipped => format!("; {} skipped", plural(skipped, "document", "documents")),
        };
        let histories = match self.histories {
            0 => String::new(),
            count => format!("; {} not checked", plural(count, "history", "histories")),
        };
        format!(
            "{} in {}: {}, {}{more}{skipped}{histories}",
            plural(self.documents, "document", "documents"),
            plural(self.files, "file", "files"),
            plural(self.errors, "error", "errors"),
            plural(self.warnings, "warning", "warnings"),
        )
    }
}

impl fmt::Display for ValidateSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line(""))
    }
}

/// What `lint` found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LintReport {
    /// `armadaproject.io/v1`.
    api_version: &'static str,
    /// `LintReport`.
    kind: &'static str,
    /// The findings, by place.
    items: Vec<DiagnosticItem>,
    /// The findings that comments suppress.
    suppressed: Vec<SuppressedItem>,
    /// Notes about the history of `--against`, such as parts of failures that it lacks; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    notes: Vec<NoteReport>,
    /// How many there are.
    summary: LintSummary,
}

/// A finding that a comment suppresses.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuppressedItem {
    /// The finding.
    #[serde(flatten)]
    pub item: DiagnosticItem,
    /// The reason that the comment gives.
    pub reason: String,
    /// The line of the comment, from 1.
    pub comment_line: usize,
}

/// How much was linted, and what was found.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct LintSummary {
    /// What was checked, with its errors and warnings.
    #[serde(flatten)]
    pub checked: ValidateSummary,
    /// Findings of severity `info`.
    pub infos: usize,
    /// Findings that comments suppress; they are not among the items.
    pub suppressed: usize,
    /// Findings that are in the baseline; they are not among the items.
    #[serde(rename = "inBaseline")]
    pub in_baseline: usize,
}

impl LintReport {
    /// A report of findings.
    pub fn new(
        items: Vec<DiagnosticItem>,
        suppressed: Vec<SuppressedItem>,
        notes: Vec<NoteReport>,
        summary: LintSummary,
    ) -> Self {
        Self { api_version: API_VERSION, kind: "LintReport", items, suppressed, notes, summary }
    }
}

impl fmt::Display for LintSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let infos = plural(self.infos, "info", "infos");
        let suppressed = match self.suppressed {
            0 => String::new(),
            count => format!(", {count} suppressed"),
        };
        let in_baseline = match self.in_baseline {
            0 => String::new(),
            count => format!(", {count} in the baseline"),
        };
        f.write_str(&self.checked.line(&format!(", {infos}{suppressed}{in_baseline}")))
    }
}

/// One decision, and every rule that was tried.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionExplanation {
    /// `armadaproject.io/v1`.
    api_version: &'static str,
    /// `DecisionExplanation`.
    kind: &'static str,
    /// The engine profile that decided: `v1` or `v1beta1`.
    pub engine: String,
    /// The decision. Run index and pod names are null.
    pub decision: DecisionReport,
    /// The retries that are left if the same failure ends each attempt at once; absent if none is left, or no limit applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<RemainingBudget>,
    /// Every rule tried, in order, then the default action.
    pub trace: Vec<TraceItem>,
    /// What the executor reports about the failure, if its configuration was given and the failure had no category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classification: Option<FailureClassification>,
    /// Values of the failure that no rule can match, and what the decision depends on.
    pub notes: Vec<ExplanationNote>,
}

/// A note about a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExplanationNote {
    /// How much it matters.
    pub severity: NoteSeverity,
    /// The note, in one line.
    pub message: String,
}

impl ExplanationNote {
    /// A note that the failure is probably not the one that was meant.
    pub fn warning(message: String) -> Self {
        Self { severity: NoteSeverity::Warning, message }
    }

    /// A note on what the decision depends on.
    pub fn note(message: String) -> Self {
        Self { severity: NoteSeverity::Note, message }
    }

    /// The note as a line.
    pub fn line(&self) -> String {
        let severity = self.severity.as_str();
        format!("{severity}: {}", self.message)
    }
}

/// One rule, tried; of a system without rules, one check.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TraceItem {
    /// The policy.
    pub policy: String,
    /// The rule's index; null for the default action.
    pub rule_index: Option<usize>,
    /// Whether all its matchers hold; false where something before the rules decides. Of a check,
    /// whether it decides.
    pub matched: bool,
    /// Which matcher does not hold, or what matched; of a check, what it found.
    pub why: String,
}

impl DecisionExplanation {
    /// The explanation of a decision.
    pub fn new(engine: &str, decision: DecisionReport, trace: Vec<TraceItem>) -> Self {
        let engine = engine.to_owned();
        Self {
            api_version: API_VERSION,
            kind: "DecisionExplanation",
            engine,
            decision,
            budget: None,
            trace,
            classification: None,
            notes: Vec::new(),
        }
    }

    /// The engine's name.
    pub(super) fn engine(&self) -> &str {
        &self.engine
    }
}

/// What stopped a command, where JSON was asked for.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorReport {
    /// `armadaproject.io/v1`.
    api_version: &'static str,
    /// `ErrorReport`.
    kind: &'static str,
    /// The exit code.
    exit_code: u8,
    /// What is wrong.
    message: String,
    /// The way out, where there is one.
    help: Option<String>,
    /// The findings, where there are any.
    items: Vec<DiagnosticItem>,
}

impl ErrorReport {
    /// The report of the error that ended a command.
    pub fn new(exit_code: u8, message: &str, help: Option<&str>, findings: &[Diagnostic]) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "ErrorReport",
            exit_code,
            message: message.to_owned(),
            help: help.map(str::to_owned),
            items: findings.iter().map(DiagnosticItem::from).collect(),
        }
    }
}

/// The version.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VersionReport {
    /// `armadaproject.io/v1`.
    api_version: &'static str,
    /// `Version`.
    kind: &'static str,
    /// This tool's version.
    pub version: &'static str,
    /// The commit that it was built from; null if the build did not record it.
    pub commit: Option<&'static str>,
    /// The date of that commit; null likewise.
    pub commit_date: Option<&'static str>,
    /// The engines that evaluate policies.
    pub engines: Vec<&'static str>,
    /// The schedulers' profiles, releases and drafts, by the system of a RetryProfile.
    pub profiles: BTreeMap<&'static str, Vec<&'static str>>,
    /// The server, if it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerReport>,
}

/// A server that answered.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerReport {
    /// Its base address.
    pub url: String,
    /// Whether it is well.
    pub healthy: bool,
    /// The form of policies that it takes: `deployed` or `full`.
    pub form: &'static str,
}

impl VersionReport {
    /// The version of this build, with its engines and the profiles of each system.
    pub fn new(
        engines: Vec<&'static str>,
        profiles: BTreeMap<&'static str, Vec<&'static str>>,
    ) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "Version",
            version: env!("CARGO_PKG_VERSION"),
            commit: option_env!("ARMADACTL_COMMIT"),
            commit_date: option_env!("ARMADACTL_COMMIT_DATE"),
            engines,
            profiles,
            server: None,
        }
    }

    /// Sets the server's answer; `None` if no server was queried.
    #[must_use]
    pub fn of(self, server: Option<ServerReport>) -> Self {
        Self { server, ..self }
    }
}

/// The retries that are left after a failure.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemainingBudget {
    /// Their number, that of this decision included.
    pub retries: usize,
    /// The sum of the waits before them in seconds.
    pub wait_seconds: f64,
    /// The time that they last, in a sentence.
    pub message: String,
}

impl RemainingBudget {
    /// The budget of some waits.
    pub fn new(waits: &BudgetWaits) -> Self {
        let retries = waits.waits.len();
        let noun = plural(retries, "retry", "retries");
        Self {
            retries,
            wait_seconds: waits.sum().0,
            message: format!("the {noun} from here on {waits}"),
        }
    }
}
