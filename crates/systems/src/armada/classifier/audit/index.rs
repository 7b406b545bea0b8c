//! The first rule that matches a part of a failure, without a comparison with each rule.

use super::candidates::{Container, EventCandidate, Mode, Text};
use super::exit_codes::ExitCodeIndex;
use super::rule::{AuditedRule, Test};
use super::steps::Steps;
use super::terms::TermIndex;
use std::collections::HashMap;

/// The conditions that rules match, as bits.
const CONDITIONS: [(&str, u8); 3] = [(OUT_OF_MEMORY, 1), ("Evicted", 2), ("DeadlineExceeded", 4)];
/// The condition that depends on a container.
const OUT_OF_MEMORY: &str = "OOMKilled";
const OUT_OF_MEMORY_BIT: u8 = 1;

/// All rules of a configuration.
#[derive(Debug)]
pub(super) struct RuleIndex {
    pub(super) exit_codes: ExitCodeIndex,
    /// The rules on termination messages, by container.
    messages: TermIndex<String>,
    /// The rules on the failure's text.
    texts: TermIndex<()>,
    /// The rules on events, by type and reason.
    events: TermIndex<(String, String)>,
    /// The first rule with a set of conditions, by container.
    conditions: HashMap<(String, u8), usize>,
    /// The first rule with a set of conditions, whatever its container is.
    by_conditions: HashMap<u8, usize>,
}

impl RuleIndex {
    /// Creates the index. `tried` are the containers that rules without a container are tried with.
    pub(super) fn new(rules: &[AuditedRule], tried: &[&str], steps: &Steps) -> Self {
        let numbered = || rules.iter().enumerate();
        let messages = numbered().filter_map(|(number, rule)| match &rule.test {
            Test::Message(term) => Some((number, rule.container.clone(), term)),
            _ => None,
        });
        let texts = numbered().filter_map(|(number, rule)| match &rule.test {
            Test::PodError(term) => Some((number, (), term)),
            _ => None,
        });
        let events = numbered().filter_map(|(number, rule)| match &rule.test {
            Test::Event { message, reason, event_type } => {
                Some((number, (event_type.clone(), reason.clone()), message))
            }
            _ => None,
        });
        let (mut conditions, mut by_conditions) = (HashMap::new(), HashMap::new());
        for (number, rule) in numbered() {
            if let Some(bits) = condition_bits(rule) {
                conditions.entry((rule.container.clone(), bits)).or_insert(number);
                by_conditions.entry(bits).or_insert(number);
            }
        }
        Self {
            exit_codes: ExitCodeIndex::new(rules, tried, steps),
            messages: TermIndex::new(messages),
            texts: TermIndex::new(texts),
            events: TermIndex::new(events),
            conditions,
            by_conditions,
        }
    }

    /// Returns the first rule that matches a failed container.
    pub(super) fn first_container(
        &self,
        container: &Container,
        mode: Mode,
        steps: &Steps,
    ) -> Option<usize> {
        let name = &container.name.text;
        let by_code = self.exit_codes.first(name, container.exit_code);
        let scopes = [String::new(), name.clone()];
        let by_message = self.messages.first(&container.message, &scopes, mode, steps);
        let out_of_memory = container.is_out_of_memory;
        let by_condition =
            out_of_memory.then(|| self.first_with_conditions(name, OUT_OF_MEMORY_BIT)).flatten();
        by_code.into_iter().chain(by_message).chain(by_condition).min()
    }

    /// Returns the first rule with at least these conditions that tests a container.
    fn first_with_conditions(&self, container: &str, bits: u8) -> Option<usize> {
        let all = 1 << CONDITIONS.len();
        // There are only eight sets, so that all of them are looked up.
        let sets = (0..all).filter(|set| set & bits == bits);
        let of_set = |set| {
            let names = [String::new(), container.to_owned()];
            names.into_iter().filter_map(move |name| self.conditions.get(&(name, set)).copied())
        };
        sets.flat_map(of_set).min()
    }

    /// Returns the first rule that matches the failure's text.
    pub(super) fn first_text(&self, text: &Text, mode: Mode, steps: &Steps) -> Option<usize> {
        self.texts.first(text, &[()], mode, steps)
    }

    /// Returns the first rule that matches an event.
    pub(super) fn first_event(
        &self,
        event: &EventCandidate,
        mode: Mode,
        steps: &Steps,
    ) -> Option<usize> {
        let scope = |reason: &str| (event.event_type.clone(), reason.to_owned());
        self.events.first(&event.message, &[scope(""), scope(&event.reason)], mode, steps)
    }

    /// Returns the first rule that matches every failure of a rule, among those that are found fast; the rule itself
    /// at the latest. `text` is a text that the rule's pattern alone matches.
    pub(super) fn covering(
        &self,
        number: usize,
        rule: &AuditedRule,
        text: Option<&Text>,
        steps: &Steps,
    ) -> Option<usize> {
        let (name, mode) = (rule.container.as_str(), Mode::Assume);
        let any_failed = || self.exit_codes.first_of_all(name);
        match &rule.test {
            Test::ExitCodes { .. } => self.exit_codes.covering(number, rule),
            Test::Conditions(_) => {
                let bits = condition_bits(rule)?;
                let is_of_container = bits == OUT_OF_MEMORY_BIT;
                let with_conditions = match bits & OUT_OF_MEMORY_BIT {
                    0 => self.first_with_reasons(bits),
                    _ => self.first_with_conditions(name, bits),
                };
                let failed = is_of_container.then(any_failed).flatten();
                with_conditions.into_iter().chain(failed).min()
            }
            Test::Message(_) => {
                let scopes = [String::new(), name.to_owned()];
                let first = self.messages.first(text?, &scopes, mode, steps);
                first.into_iter().chain(any_failed()).min()
            }
            Test::PodError(_) => self.first_text(text?, mode, steps),
            Test::Event { reason, event_type, .. } => {
                let (reason, event_type) = (reason.clone(), event_type.clone());
                let event = EventCandidate { event_type, reason, message: text?.clone() };
                self.first_event(&event, mode, steps)
            }
        }
    }

    /// Returns the first rule with at least these reasons of pods, whatever its container is.
    fn first_with_reasons(&self, bits: u8) -> Option<usize> {
        let sets = self.by_conditions.iter().filter(|(set, _)| *set & bits == bits);
        sets.map(|(_, number)| *number).min()
    }
}

/// The conditions of a rule as bits; `None` for a rule on something else.
fn condition_bits(rule: &AuditedRule) -> Option<u8> {
    let Test::Conditions(conditions) = &rule.test else { return None };
    let is_in = |name: &str| conditions.iter().any(|condition| condition == name);
    Some(CONDITIONS.iter().filter(|(name, _)| is_in(name)).map(|(_, bit)| bit).sum())
}
