//! The scheduler's settings that retries depend on (semantics.md, section 2).

use super::model::Backoff;
use super::scheduler_keys::warn_of_misspelt_keys;
use super::scheduler_shape::SCHEDULER_CONFIG;
use super::v1::backoff;
use document::diag::{Code, Diagnostic, Findings, Source};
use document::units::GoDuration;
use document::{Document, KeyCase, Limits, Node, canonical_keys, check, other_kind_error, parse};
use std::sync::Arc;

/// The scheduler's settings that retries depend on.
#[derive(Debug, Clone, PartialEq)]
pub struct SchedulerSettings {
    /// Whether the retry engine is enabled.
    pub enabled: bool,
    /// The maximum of retries per job; 0 stops all retries. Absent means the profile's default.
    pub global_max_retries: Option<u32>,
    /// The policy of jobs to which no other applies.
    pub default_policy: Option<String>,
    /// The backoff of policies that set none.
    pub default_backoff: Backoff,
    /// The maximum of attempts on the legacy path (semantics.md, section 8).
    pub max_retries: u32,
    /// The grace period of runs that have none.
    pub min_grace: GoDuration,
    /// The longest grace period that a job may request; `None` without a maximum.
    pub max_grace: Option<GoDuration>,
}

/// The settings without a configuration file.
impl Default for SchedulerSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            global_max_retries: None,
            default_policy: None,
            default_backoff: Backoff::default(),
            // Armada's defaults (semantics.md, section 2).
            max_retries: 3,
            min_grace: GoDuration::from_secs(1),
            max_grace: None,
        }
    }
}

/// Reads a scheduler configuration. An empty file sets nothing: the engine is then disabled.
pub fn read_scheduler_config(source: &Arc<Source>) -> (Option<SchedulerSettings>, Findings) {
    let (settings, _, findings) = read_scheduler_document(source);
    (settings, findings)
}

/// Reads a scheduler configuration, and returns its document too; none if the file is empty.
pub fn read_scheduler_document(
    source: &Arc<Source>,
) -> (Option<SchedulerSettings>, Option<Document>, Findings) {
    let (documents, mut findings) = parse(source, Limits::POLICY);
    // With a file the engine is off unless the file turns it on (semantics.md, section 2).
    let mut settings = SchedulerSettings { enabled: false, ..SchedulerSettings::default() };
    let other_kind = |document| {
        other_kind_error(document, None, "a scheduler configuration", "scheduling.retryPolicy")
    };
    if let Some(finding) = documents.iter().find_map(other_kind) {
        findings.push(finding);
        return (None, None, findings);
    }
    if let Some(second) = documents.get(1) {
        let span = second.root.span.first_line(source.text());
        let message = "a scheduler configuration is one document, and this is a second";
        findings.push(
            Diagnostic::error(Code::DuplicateDocument, second.place(span), message)
                .help("put both into one"),
        );
    }
    let mut document = documents.into_iter().next();
    if let Some(document) = &mut document {
        check(source, &document.root, &SCHEDULER_CONFIG, KeyCase::Folded, &mut findings);
        canonical_keys(&mut document.root, &SCHEDULER_CONFIG);
        warn_of_misspelt_keys(document, &mut findings);
        read_scheduling(document, &mut settings, &mut findings);
        read_submission(document, &mut settings, &mut findings);
    }
    ((!findings.has_errors()).then_some(settings), document, findings)
}

/// Reads [`SETTINGS`](super::scheduler_shape::SETTINGS), of which `node` has no finding. Adds the findings about several of them.
pub fn read_settings(
    document: &Document,
    node: &Node,
    findings: &mut Findings,
) -> SchedulerSettings {
    let mut settings = SchedulerSettings::default();
    settings.enabled = node.get("enabled").and_then(Node::boolean) != Some(false);
    settings.max_retries = node.get("maxRetries").and_then(whole).unwrap_or(settings.max_retries);
    read_retry_policy(document, node, &mut settings, findings);
    read_grace_periods(document, node, &mut settings, findings);
    settings
}

fn read_scheduling(document: &Document, settings: &mut SchedulerSettings, findings: &mut Findings) {
    let Some(scheduling) = document.root.get("scheduling") else { return };
    let attempts = scheduling.get("maxRetries").and_then(whole);
    settings.max_retries = attempts.unwrap_or(settings.max_retries);
    let Some(retry) = scheduling.get("retryPolicy") else { return };
    settings.enabled = retry.get("enabled").and_then(Node::boolean) == Some(true);
    read_retry_policy(document, retry, settings, findings);
}

/// Reads all settings of the retry engine but whether it is enabled.
fn read_retry_policy(
    document: &Document,
    retry: &Node,
    settings: &mut SchedulerSettings,
    findings: &mut Findings,
) {
    settings.global_max_retries = retry.get("globalMaxRetries").and_then(whole);
    let name = retry.get("defaultPolicyName").and_then(Node::some_text);
    settings.default_policy = name.map(str::to_owned);
    settings.default_backoff = backoff(document, retry, findings);
}

fn whole(node: &Node) -> Option<u32> {
    node.integer().and_then(|value| u32::try_from(value).ok())
}

fn read_submission(document: &Document, settings: &mut SchedulerSettings, findings: &mut Findings) {
    let Some(submission) = document.root.get("submission") else { return };
    read_grace_periods(document, submission, settings, findings);
}

fn read_grace_periods(
    document: &Document,
    submission: &Node,
    settings: &mut SchedulerSettings,
    findings: &mut Findings,
) {
    let duration = |node: &Node| node.text().and_then(|text| GoDuration::parse(text).ok());
    let min = submission.get("minTerminationGracePeriod").and_then(duration);
    settings.min_grace = min.unwrap_or(settings.min_grace);
    settings.max_grace = submission.get("maxTerminationGracePeriod").and_then(duration);
    if let Some(max) = settings.max_grace.filter(|max| *max < settings.min_grace)
        && let Some(at) = submission.get("maxTerminationGracePeriod")
    {
        let message = format!(
            "the longest grace period, {max}, is less than the least, {}",
            settings.min_grace
        );
        findings.push(
            Diagnostic::error(Code::OutOfRange, document.place(at.span), message)
                .help("raise maxTerminationGracePeriod or lower minTerminationGracePeriod"),
        );
    }
}
