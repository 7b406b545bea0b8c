//! A rule of a configuration, and which parts of a failure it matches.

use super::candidates::{Container, Mode, Term};
use crate::armada::classifier::config::RuleConfig;

/// A rule of a configuration.
#[derive(Debug)]
pub(super) struct AuditedRule {
    pub(super) container: String,
    pub(super) deletes_pod: bool,
    pub(super) test: Test,
}

/// The texts or codes that it matches.
#[derive(Debug)]
pub(super) enum Test {
    Conditions(Vec<String>),
    ExitCodes { is_in: bool, values: Vec<i64> },
    Message(Term),
    PodError(Term),
    Event { message: Term, reason: String, event_type: String },
}

impl AuditedRule {
    pub(super) fn new(rule: &RuleConfig, deletes_pod: bool) -> Self {
        let test = if let Some(codes) = &rule.exit_codes {
            let values = codes.values.iter().copied().map(i64::from).collect();
            Test::ExitCodes { is_in: codes.operator.text == "In", values }
        } else if let Some(pattern) = &rule.termination_message {
            Test::Message(Term::new(&pattern.text))
        } else if let Some(pattern) = &rule.pod_error {
            Test::PodError(Term::new(&pattern.text))
        } else if let Some(events) = &rule.pod_events {
            Test::Event {
                message: Term::new(&events.regexp.text),
                reason: events.reason.text.clone(),
                event_type: events.event_type.text.clone(),
            }
        } else {
            Test::Conditions(rule.conditions.iter().map(|it| it.text.clone()).collect())
        };
        Self { container: rule.container_name.text.clone(), deletes_pod, test }
    }

    pub(super) fn matches_container(&self, container: &Container, mode: Mode) -> bool {
        if !self.container.is_empty() && self.container != container.name.text {
            return false;
        }
        match &self.test {
            Test::Conditions(conditions) => {
                container.is_out_of_memory && conditions.iter().any(|it| it == "OOMKilled")
            }
            Test::ExitCodes { is_in, values } => values.contains(&container.exit_code) == *is_in,
            Test::Message(term) => term.is_rule_match(&container.message, mode),
            Test::PodError(_) | Test::Event { .. } => false,
        }
    }

    pub(super) fn matches_reason(&self, reason: &str) -> bool {
        match &self.test {
            Test::Conditions(conditions) => {
                reason != "OOMKilled" && conditions.iter().any(|it| it == reason)
            }
            _ => false,
        }
    }

    /// Whether only the first pass reads what the rule matches.
    pub(super) fn is_of_first_pass(&self) -> bool {
        matches!(self.test, Test::PodError(_) | Test::Event { .. })
    }

    pub(super) fn terms(&self) -> impl Iterator<Item = &Term> {
        let term = match &self.test {
            Test::Message(term) | Test::PodError(term) | Test::Event { message: term, .. } => {
                Some(term)
            }
            Test::Conditions(_) | Test::ExitCodes { .. } => None,
        };
        term.into_iter()
    }
}
