//! The explanation of a failure's category as a table.

use super::DecisionExplanation;
use super::classification::{category_name, message_lines, pass_name};
use super::documents::API_VERSION;
use super::explanation;
use super::layout::Layout;
use super::table::{Table, columns, head};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;
use systems::armada::classifier::{
    ClassifierMemory, EmittedAs, Executor, ExecutorReport, FailedPod, Pass, PassAnswer, RuleTrace,
};

/// The category that an executor gives a failure, and every rule that was tried.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CategoryExplanation {
    /// `armadaproject.io/v1`.
    api_version: &'static str,
    /// `CategoryExplanation`.
    kind: &'static str,
    /// Whether classification is on.
    pub enabled: bool,
    /// `PodError`, `PodLeaseReturned`, or null if the executor reports nothing.
    pub reported_as: Option<&'static str>,
    /// What decided: `failedPodCheck`, `delete` (the first pass), `retain` (the second), `pendingPodCheck` or
    /// `internal`; null if the executor reports nothing.
    pub decided_by: Option<&'static str>,
    /// The category; may be empty.
    pub category: String,
    /// The subcategory; may be empty.
    pub subcategory: String,
    /// The rule's category and its index there; null for a default and for Armada's own categories.
    pub rule: Option<RuleReference>,
    /// The message that is reported, with the rule's hint.
    pub message: String,
    /// Kubernetes' reason in Armada's events; null for a returned lease.
    pub kubernetes_reason: Option<&'static str>,
    /// Whether the executor deletes the pod, or it is gone.
    pub pod_deleted: bool,
    /// Every rule of the categories.
    pub trace: Vec<CategoryTraceItem>,
    /// What the policies decide about the failure, if policies were given and are consulted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<DecisionExplanation>,
}

/// A rule of a category.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleReference {
    /// The category.
    pub category: String,
    /// The rule's index in it, from 0.
    pub rule_index: usize,
    /// Where the rule is.
    pub place: String,
}

/// A rule, tried in both passes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CategoryTraceItem {
    /// The rule.
    #[serde(flatten)]
    pub rule: RuleReference,
    /// The subcategory; may be empty.
    pub subcategory: String,
    /// `Delete` or `Retain`.
    pub action: &'static str,
    /// The answer in the first pass over a failed pod, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_pass: Option<PassItem>,
    /// The answer in the second pass, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_pass: Option<PassItem>,
    /// The answer in the pass after a check of the pod, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_pass: Option<PassItem>,
}

/// The answer of a rule in a pass.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PassItem {
    /// Whether the rule matches. The first rule that matches decides.
    pub matched: bool,
    /// Why it does not match; null if it matches.
    pub why: Option<String>,
}

impl CategoryExplanation {
    /// The explanation of what an executor reports about a pod.
    pub fn new(
        executor: &Executor,
        pod: &FailedPod<'_>,
        report: &ExecutorReport<'_>,
        memory: &mut ClassifierMemory,
    ) -> Self {
        let emission = report.emission.as_ref();
        let trace = emission.map(|emission| executor.trace(pod, emission, memory));
        let trace: Vec<_> = trace.unwrap_or_default().into_iter().map(item).collect();
        let found = emission.map(|emission| emission.classification).unwrap_or_default();
        Self {
            api_version: API_VERSION,
            kind: "CategoryExplanation",
            enabled: executor.classifier().is_some(),
            reported_as: emission.map(|emission| match emission.kind {
                EmittedAs::PodError => "PodError",
                EmittedAs::LeaseReturned { .. } => "PodLeaseReturned",
            }),
            decided_by: emission.map(|emission| pass_name(emission.pass)),
            category: found.category.to_owned(),
            subcategory: found.subcategory.to_owned(),
            rule: found.rule.and_then(|number| Some(trace.get(number)?.rule.clone())),
            message: emission.map(|emission| emission.message.clone()).unwrap_or_default(),
            kubernetes_reason: emission
                .filter(|emission| emission.kind == EmittedAs::PodError)
                .map(|emission| emission.reason),
            pod_deleted: report.deletes_pod,
            trace,
            decision: None,
        }
    }

    /// Whether policies are consulted: not about a returned lease.
    pub fn reaches_policies(&self) -> bool {
        self.reported_as == Some("PodError")
    }
}

fn item(trace: RuleTrace<'_>) -> CategoryTraceItem {
    let RuleTrace { rule, answers } = trace;
    let mut item = CategoryTraceItem {
        rule: RuleReference {
            category: rule.category.clone(),
            rule_index: rule.number,
            place: rule.place.to_string(),
        },
        subcategory: rule.subcategory.clone(),
        action: if rule.deletes_pod { "Delete" } else { "Retain" },
        first_pass: None,
        second_pass: None,
        check_pass: None,
    };
    for PassAnswer { pass, mismatch } in answers {
        let answer = Some(PassItem { matched: mismatch.is_none(), why: mismatch });
        match pass {
            Pass::Delete => item.first_pass = answer,
            Pass::Retain => item.second_pass = answer,
            Pass::FailedPodCheck | Pass::PendingPodCheck | Pass::Internal => {
                item.check_pass = answer;
            }
        }
    }
    item
}

/// Renders what is reported, every rule, and the decision of the policies.
pub fn table(explained: &CategoryExplanation, layout: &Layout) -> String {
    let mut out = String::new();
    let Some(reported_as) = explained.reported_as else {
        let _ = writeln!(out, "The executor reports nothing about this pod.");
        return out;
    };
    let _ = writeln!(out, "{}", sentence(explained));
    let _ = writeln!(out, "  reported   {reported_as}");
    let pod =
        if explained.pod_deleted { "deleted" } else { "kept, so that a retry meets its name" };
    let _ = writeln!(out, "  pod        {pod}");
    message_lines(&mut out, &explained.message);
    if !explained.trace.is_empty() {
        let _ = write!(out, "\n{}", trace(&explained.trace, layout));
    }
    if let Some(decision) = &explained.decision {
        let _ = write!(out, "\nThe policies decide:\n\n{}", explanation::table(decision, layout));
    }
    out
}

/// What is reported and why, in a sentence.
fn sentence(explained: &CategoryExplanation) -> String {
    let name = category_name(&explained.category, &explained.subcategory);
    let from = match (&explained.rule, explained.decided_by) {
        (_, Some("internal")) => "assigned by Armada itself".to_owned(),
        _ if !explained.enabled => "classification is off".to_owned(),
        (None, _) => "by default, since no rule matches".to_owned(),
        (Some(rule), by) => {
            let pass = match by {
                Some("failedPodCheck") => "after a check of failed pods",
                Some("pendingPodCheck") => "after a check of pods that do not start",
                Some("delete") => "in the first pass",
                _ => "in the second pass",
            };
            format!("by rule {} of {} ({}) {pass}", rule.rule_index, rule.category, rule.place)
        }
    };
    format!("{name}: {from}")
}

/// Every rule in both passes. Reasons are never cut.
fn trace(items: &[CategoryTraceItem], layout: &Layout) -> String {
    let answer = |answer: &Option<PassItem>| match answer {
        None => String::new(),
        Some(PassItem { why: None, .. }) => "matches".to_owned(),
        Some(PassItem { why: Some(why), .. }) => format!("no: {why}"),
    };
    let columns = columns![row in &CategoryTraceItem;
        "RULE" => format!("{}[{}]", row.rule.category, row.rule.rule_index),
        head("SUBCATEGORY").if_any() => row.subcategory.clone(),
        "ACTION" => row.action.to_owned(),
        head("FIRST PASS").if_any() => answer(&row.first_pass),
        head("SECOND PASS").if_any() => answer(&row.second_pass),
        head("AFTER THE CHECK").if_any() => answer(&row.check_pass),
    ];
    Table::new(items, &columns).whole().render(layout)
}
