//! Policies that a conversion leaves without effect: no retry, or no rule, is left of them.

use crate::cli::{Exit, Refusal};
use crate::diag::{Code, Diagnostic, Place, Severity};
use crate::document::Document;

/// Policies of which no retry, or no rule, is left, each with a sentence on the consequence.
#[derive(Debug, Default)]
pub(super) struct Ineffective(Vec<(Place, String)>);

impl Ineffective {
    /// Adds a policy.
    pub(super) fn add(&mut self, document: &Document, sentence: String) {
        let head = document.root.span.first_line(document.source.text());
        self.0.push((document.place(head), sentence));
    }

    /// Adds a policy that retried some failures, and retries none.
    pub(super) fn retries_nothing(&mut self, document: &Document, name: &str) {
        let what =
            format!("converted, the policy `{name}` retries nothing: every failure is final");
        self.add(document, what);
    }

    /// Refuses the conversion if there are any, unless they are accepted. `losses` are the reasons.
    pub(super) fn refuse_unless(
        &self,
        accepted: bool,
        losses: &[Diagnostic],
    ) -> Result<(), Refusal> {
        if accepted || self.0.is_empty() {
            return Ok(());
        }
        let policies = if self.0.len() == 1 { "policy" } else { "policies" };
        let message =
            format!("{} {policies} without retries or rules; nothing was written", self.0.len());
        let findings = [self.findings(Severity::Error), losses.to_vec()].concat();
        let refusal = Refusal { exit: Exit::Refused, ..Refusal::findings(findings) };
        let refusal = Refusal { message, is_summary: true, ..refusal };
        Err(refusal.help("`--accept-no-retries` writes such a policy all the same"))
    }

    /// They as warnings.
    pub(super) fn warnings(&self) -> Vec<Diagnostic> {
        self.findings(Severity::Warning)
    }

    fn findings(&self, severity: Severity) -> Vec<Diagnostic> {
        let findings = self.0.iter().map(|(place, what)| {
            let finding = Diagnostic::error(Code::NoCounterpart, place.clone(), what.clone());
            Diagnostic { severity, ..finding }
        });
        findings.collect()
    }
}
