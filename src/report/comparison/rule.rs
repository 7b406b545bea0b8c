//! The rules of both versions in a report.

use crate::report::decision_line;
use schemars::JsonSchema;
use serde::Serialize;

/// The rules of both versions that decide about the same failures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RulePair {
    /// The rule before.
    pub old: ComparedRule,
    /// The rule after.
    pub new: ComparedRule,
}

/// A rule or default action of one version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparedRule {
    /// The policy; null if none applies.
    pub policy: Option<String>,
    /// The index of the rule from 0; null for the default action.
    pub rule_index: Option<usize>,
    /// Its matchers, action and limit in a few words.
    pub description: Option<String>,
    /// Its place: file, line and column.
    pub place: Option<String>,
}

impl ComparedRule {
    /// The name of the rule and its place.
    pub(super) fn text(&self) -> String {
        let place = self.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
        format!("{}{place}", self.label())
    }

    /// The name of its file.
    pub(super) fn file(&self) -> Option<&str> {
        // A place ends with the line and the column.
        self.place.as_deref().and_then(|place| place.rsplitn(3, ':').nth(2))
    }

    /// The matchers of the rule, or its name.
    pub(super) fn title(&self) -> String {
        let description = self.description.as_deref().filter(|_| !self.is_default());
        let matchers = description.and_then(|text| text.rsplit_once(": "));
        match matchers {
            Some((matchers, _)) => format!("`{matchers}`"),
            None => self.label(),
        }
    }

    /// The name of the rule.
    fn label(&self) -> String {
        match &self.policy {
            Some(policy) => decision_line::rule(Some(policy), self.rule_index),
            None => "no policy".to_owned(),
        }
    }

    /// Whether it decides about failures that no rule matches.
    pub(super) fn is_default(&self) -> bool {
        self.rule_index.is_none()
    }
}
