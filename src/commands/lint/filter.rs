//! Which findings are reported, and with which severity.

use crate::analysis::lint_config::CodePrefix;
use document::diag::{Code, Diagnostic, Severity};

/// Reads a value of `--select` or `--ignore`.
pub(super) fn prefix(text: &str) -> Result<CodePrefix, String> {
    CodePrefix::parse(text.trim()).ok_or_else(|| {
        let (message, help) = CodePrefix::explain_unknown(text.trim());
        format!("{message}; {help}")
    })
}

/// Which findings are reported, and with which severity.
#[derive(Debug)]
pub(super) struct Filter {
    /// The selected ones; all if `None`.
    pub(super) select: Option<Vec<CodePrefix>>,
    /// Those that are left out.
    pub(super) ignore: Vec<CodePrefix>,
    /// Severities other than those of the lints.
    pub(super) severity: Vec<(Code, Severity)>,
}

impl Filter {
    /// Whether findings with a code are reported.
    pub(super) fn is_active(&self, code: Code) -> bool {
        let matches = |all: &[CodePrefix]| all.iter().any(|prefix| prefix.matches(code));
        self.select.as_deref().is_none_or(matches) && !matches(&self.ignore)
    }

    /// Removes findings that are not reported, and sets severities. Errors of documents stay as they are: without them,
    /// a file that cannot be read would pass.
    pub(super) fn apply(&self, items: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let mut reported = Vec::with_capacity(items.len());
        for mut item in items {
            if item.severity == Severity::Error && item.code.is_about_documents() {
                reported.push(item);
            } else if self.is_active(item.code) {
                let other = self.severity.iter().find(|(code, _)| *code == item.code);
                // A warning about a document does not become an error: the exit code of those is another.
                let other = other.map(|(_, severity)| *severity).filter(|severity| {
                    *severity != Severity::Error || !item.code.is_about_documents()
                });
                item.severity = other.unwrap_or(item.severity);
                reported.push(item);
            }
        }
        reported
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_beginnings_select() {
        let prefixes = |texts: &[&str]| -> Vec<CodePrefix> {
            texts.iter().map(|text| prefix(text).unwrap()).collect()
        };
        let filter = Filter {
            select: Some(prefixes(&["rp1"])),
            ignore: prefixes(&["RP101", "RP11"]),
            severity: Vec::new(),
        };
        for (code, expected) in [
            (Code::ShadowedRule, false),
            (Code::ImpossibleCondition, true),
            (Code::FailRuleFields, false),
            (Code::UnknownField, false),
        ] {
            assert_eq!(filter.is_active(code), expected, "{}", code.id());
        }
        assert!(prefix("RP999").is_err());
        assert!(prefix("").is_err());
    }
}
