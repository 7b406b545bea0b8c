//! `--select` and `--ignore`: which findings are reported.

use crate::diag::{Code, Diagnostic, Severity, did_you_mean};
use std::str::FromStr;

/// An id of a finding, or the beginning of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeFilter(String);

impl FromStr for CodeFilter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let beginning = text.trim().to_ascii_uppercase();
        let ids = || Code::ALL.iter().map(|code| code.id());
        if beginning.starts_with("RP") && ids().any(|id| id.starts_with(&beginning)) {
            return Ok(Self(beginning));
        }
        let near = did_you_mean(&beginning, ids());
        let near = near.map(|id| format!("; did you mean {id}?")).unwrap_or_default();
        Err(format!("no finding has an id that begins with `{}`{near}", text.trim()))
    }
}

impl CodeFilter {
    fn matches(&self, code: Code) -> bool {
        code.id().starts_with(&self.0)
    }
}

/// Which findings are reported.
#[derive(Debug)]
pub(super) struct Filter<'a> {
    select: &'a [CodeFilter],
    ignore: &'a [CodeFilter],
}

impl<'a> Filter<'a> {
    pub(super) fn new(select: &'a [CodeFilter], ignore: &'a [CodeFilter]) -> Self {
        Self { select, ignore }
    }

    /// Whether findings with a code are reported.
    pub(super) fn is_active(&self, code: Code) -> bool {
        let matches = |filters: &[CodeFilter]| filters.iter().any(|filter| filter.matches(code));
        (self.select.is_empty() || matches(self.select)) && !matches(self.ignore)
    }

    /// Removes findings that are not reported. Errors of documents stay: without them, a file that cannot be read
    /// would pass.
    pub(super) fn apply(&self, mut items: Vec<Diagnostic>) -> Vec<Diagnostic> {
        items.retain(|item| {
            item.severity == Severity::Error && item.code.is_about_documents()
                || self.is_active(item.code)
        });
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_beginnings_select() {
        let filters = |texts: &[&str]| -> Vec<CodeFilter> {
            texts.iter().map(|text| text.parse().unwrap()).collect()
        };
        let (select, ignore) = (filters(&["rp1"]), filters(&["RP101", "RP11"]));
        let filter = Filter::new(&select, &ignore);
        for (code, expected) in [
            (Code::ShadowedRule, false),
            (Code::ImpossibleCondition, true),
            (Code::FailRuleFields, false),
            (Code::UnknownField, false),
        ] {
            assert_eq!(filter.is_active(code), expected, "{}", code.id());
        }
        assert!("RP999".parse::<CodeFilter>().is_err());
        assert!("".parse::<CodeFilter>().is_err());
    }
}
