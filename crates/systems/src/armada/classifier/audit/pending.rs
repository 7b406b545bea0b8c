//! The failure texts of pods that do not start and fail for it (`pendingPodChecks` with action `Fail`).

use super::candidates::{Mode, Term, Text};
use crate::armada::classifier::config::{PendingCheckConfig, PendingChecksConfig};
use document::diag::go_quote;
use document::units::GoDuration;

/// The beginning of such a pod's failure text.
const BEGIN: &str = "Unable to start pod - encountered an unrecoverable problem.\n";

/// The checks of pods that do not start.
#[derive(Debug)]
pub(super) struct PendingTexts {
    events: Vec<PendingCheck>,
    containers: Vec<PendingCheck>,
    deadline_for_init: GoDuration,
}

#[derive(Debug)]
struct PendingCheck {
    term: Term,
    /// The type of events; empty for containers.
    event_type: String,
    check: PendingCheckConfig,
}

impl PendingCheck {
    fn fails(&self) -> bool {
        self.check.action.text == "Fail"
    }

    /// Whether it is the check of a container that waits for this reason.
    fn is_met_by_reason(&self, reason: &Text, mode: Mode) -> bool {
        self.check.inverse != self.term.is_match(reason, mode)
    }

    /// Whether it is met by an event of the type of another check. The message is the first of the texts; the others are
    /// parts of it, with assumptions of their own.
    fn is_met_by_event(&self, other: &Self, parts: &[Text], mode: Mode) -> bool {
        let is_match = parts.iter().any(|text| self.term.is_match(text, mode));
        self.event_type == other.event_type && self.check.inverse != is_match
    }

    /// Texts that may meet the check.
    fn texts(&self, fresh: &str, mode: Mode) -> Vec<Text> {
        if self.check.inverse { vec![Text::new(fresh)] } else { self.term.texts(fresh, mode) }
    }
}

impl PendingTexts {
    pub(super) fn new(config: &PendingChecksConfig) -> Self {
        let events = config.events.iter().map(|event| PendingCheck {
            term: Term::new(&event.regexp.text),
            event_type: event.event_type.text.clone(),
            check: event.check.clone(),
        });
        let containers = config.container_statuses.iter().map(|container| PendingCheck {
            term: Term::new(&container.regexp.text),
            event_type: String::new(),
            check: container.check.clone(),
        });
        Self {
            events: events.collect(),
            containers: containers.collect(),
            deadline_for_init: config.deadline_for_init_containers,
        }
    }

    /// The literals of the checks.
    pub(super) fn literals(&self) -> impl Iterator<Item = &str> {
        self.events.iter().chain(&self.containers).filter_map(|check| check.term.literal())
    }

    /// Failure texts, each with this text inside where the pod determines a part of it.
    pub(super) fn with(&self, inner: &Text, fresh: &str, mode: Mode) -> Vec<Text> {
        let mut all = self.init_container_texts(inner, mode);
        for (number, check) in self.containers.iter().enumerate().filter(|(_, it)| it.fails()) {
            for reason in check.texts(fresh, mode) {
                let earlier = &self.containers[..number];
                let is_first = check.is_met_by_reason(&reason, mode)
                    && !earlier.iter().any(|it| it.is_met_by_reason(&reason, mode));
                if is_first {
                    let before = format!(
                        "{BEGIN}Container {fresh} has been in state Waiting for reason {} (",
                        reason.text
                    );
                    let name = go_quote(&check.check.name);
                    let after = format!(
                        " - check {name}) for more than timeout {}",
                        check.check.grace_period
                    );
                    all.push(inner.within(&before, &after));
                }
            }
        }
        for (number, check) in self.events.iter().enumerate().filter(|(_, it)| it.fails()) {
            for text in check.texts(fresh, mode) {
                let both = inner.within("", &format!(" {}", text.text));
                for parts in [vec![inner.clone()], vec![both, text]] {
                    let is_first = check.is_met_by_event(check, &parts, mode)
                        && !self.events[..number]
                            .iter()
                            .any(|it| it.is_met_by_event(check, &parts, mode));
                    if is_first {
                        let name = go_quote(&check.check.name);
                        let before = format!("{BEGIN}Matched check: {name}\n");
                        all.push(parts[0].within(&before, ""));
                    }
                }
            }
        }
        all
    }

    /// The text about init containers: their names are the only part that a pod determines.
    fn init_container_texts(&self, inner: &Text, mode: Mode) -> Vec<Text> {
        // The executor has no such deadline if it is 0.
        if self.deadline_for_init <= GoDuration::ZERO {
            return Vec::new();
        }
        let text = format!(
            "{BEGIN}Init containers did not complete within deadline of {}",
            self.deadline_for_init
        );
        let mut all = vec![Text::new(text.clone())];
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if mode == Mode::Assume || inner.text.chars().all(is_name) {
            let before = format!("{text}\nErrors from init containers: init container \"");
            all.push(inner.within(&before, "\" terminated with non-zero exit code 1"));
        }
        all
    }
}
