//! Whether a converted policy still has an effect.

use crate::policy::{Action, RetryPolicy};
use document::Document;
use document::diag::{Code, Diagnostic, Severity};

/// A loss of effect that the author of a converted policy cannot have intended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consequence {
    /// The policy retried some failures; the converted one retries none.
    NoRetries,
    /// The policy has lost all its rules: this default action applies to every failure.
    NoRules(Action),
}

impl Consequence {
    /// The consequence of writing `converted` in place of `policy`, if there is one.
    pub fn of(policy: &RetryPolicy, converted: &RetryPolicy) -> Option<Self> {
        if policy.can_retry() && !converted.can_retry() {
            Some(Self::NoRetries)
        } else if !policy.rules.is_empty() && converted.rules.is_empty() {
            Some(Self::NoRules(converted.default_action()))
        } else {
            None
        }
    }

    /// The consequence as a finding about the document of the policy `name`.
    pub fn finding(self, document: &Document, name: &str, severity: Severity) -> Diagnostic {
        let head = document.root.span.first_line(document.source.text());
        let finding =
            Diagnostic::error(Code::NoCounterpart, document.place(head), self.sentence(name));
        Diagnostic { severity, ..finding }
    }

    fn sentence(self, name: &str) -> String {
        match self {
            Self::NoRetries => {
                format!("converted, the policy `{name}` retries nothing: every failure is final")
            }
            Self::NoRules(action) => format!(
                "converted, the policy `{name}` has no rules: its default action, {}, applies to every failure",
                action.as_str()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{convert, read};
    use document::diag::Source;

    fn consequence(spec: &str) -> Option<Consequence> {
        let text = format!(
            "{{apiVersion: armadaproject.io/v1, kind: RetryPolicy, metadata: {{name: p}}, spec: {spec}}}"
        );
        let (documents, findings) = read(&[Source::new("p.yaml", text)]);
        assert!(!findings.has_errors(), "{findings:?}");
        let policy = &documents.policies[0].policy;
        Consequence::of(policy, &convert::to_v1beta1(policy).policy)
    }

    #[test]
    fn what_is_left_of_a_policy() {
        use Consequence::{NoRetries, NoRules};
        let (retry, fail) = (NoRules(Action::Retry), NoRules(Action::Fail));
        let code = "{action: Retry, onExitCodes: {operator: In, values: [137]}}";
        let gpu = "{action: Retry, onFailureCategory: [gpu]}";
        let fail_gpu = "{action: Fail, onFailureCategory: [gpu, net]}";
        let fail_oom = "{action: Fail, onFailureCategory: [gpu], onFailureSubcategory: [oom]}";
        let fails = "{action: Fail, onExitCodes: {operator: In, values: [1]}}";
        for (spec, expected) in [
            (format!("{{retryLimit: 3, rules: [{code}]}}"), Some(NoRetries)),
            (format!("{{retryLimit: 3, rules: [{code}, {gpu}]}}"), None),
            (format!("{{rules: [{gpu}]}}"), Some(NoRetries)),
            (format!("{{retryLimit: 0, rules: [{gpu}]}}"), None),
            (format!("{{retryLimit: 3, defaultAction: Retry, rules: [{fails}]}}"), Some(retry)),
            (format!("{{retryLimit: 3, rules: [{fails}]}}"), Some(fail)),
            ("{retryLimit: 3, defaultAction: Retry}".to_owned(), None),
            ("{defaultAction: Fail}".to_owned(), None),
            ("{defaultAction: Retry}".to_owned(), Some(NoRetries)),
            (format!("{{retryLimit: 3, rules: [{fail_gpu}, {gpu}, {code}]}}"), Some(NoRetries)),
            (format!("{{retryLimit: 3, rules: [{gpu}, {fail_gpu}, {code}]}}"), None),
            (format!("{{retryLimit: 3, rules: [{fail_oom}, {gpu}, {code}]}}"), None),
        ] {
            assert_eq!(consequence(&spec), expected, "{spec}");
        }
    }
}
