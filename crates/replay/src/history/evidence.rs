//! The signs of a disruption in a run of Armada's records.

use super::armada::ArmadaRun;
use crate::disruption::{Evidence, Kind, Row, is_of_signal};
use armada_retry::engine::{Container, Outcome};
use armada_retry::policy::Condition;
use compact_str::CompactString;

/// The conditions that explain why a container was killed.
const EXPLAINED: [&str; 2] = [Condition::OomKilled.as_str(), Condition::DeadlineExceeded.as_str()];

impl ArmadaRun {
    /// The first failed container; init containers come last.
    pub fn first_failed(&self) -> Option<&Container> {
        let containers = if self.outcome.is_bare() { &[][..] } else { &self.containers };
        let mut failed = containers.iter().filter(|container| container.failed());
        failed.clone().find(|container| !container.init).or_else(|| failed.next())
    }

    /// Gives the run what a row that counts determines: its outcome or a condition.
    pub(super) fn disrupt(&mut self, row: &Row) {
        match row.condition {
            Some(Condition::Preempted) => self.outcome = Outcome::Preempted,
            Some(condition) => {
                self.outcome = Outcome::Failed;
                if !self.conditions.iter().any(|name| name == condition.as_str()) {
                    *self.conditions.add(CompactString::clear) = condition.as_str().into();
                }
            }
            None if row.kind == Kind::LeaseReturn => self.outcome = Outcome::LeaseReturned,
            None => {}
        }
    }
}

impl Evidence for ArmadaRun {
    fn is_plain(&self) -> bool {
        let has_none = self.conditions.is_empty() && self.observed.is_none();
        self.outcome == Outcome::Failed && has_none && !is_of_signal(self.exit_code())
    }

    fn pod_reason(&self) -> Option<&str> {
        self.observed.as_ref().map(|observed| observed.reason.as_str())
    }

    fn exit_code(&self) -> Option<i64> {
        let container = self.first_failed().filter(|_| self.outcome == Outcome::Failed)?;
        let is_explained = self.conditions.iter().any(|name| EXPLAINED.contains(&name.as_str()))
            || EXPLAINED.contains(&container.reason.as_str());
        container.exit_code.filter(|_| !is_explained)
    }

    fn has(&self, name: &str, value: &str) -> bool {
        match name {
            "outcome" => self.outcome.as_str() == value,
            "conditions" => self.conditions.iter().any(|condition| condition == value),
            "event" => match self.outcome {
                Outcome::Preempted => value == "preempted",
                Outcome::LeaseExpired => value == "leaseExpired",
                Outcome::LeaseReturned => value == "leaseReturned",
                _ => false,
            },
            "failed.cause" => self.outcome == Outcome::Failed && self.has("conditions", value),
            "jobRunState" => match self.outcome {
                Outcome::Preempted => value == "RUN_PREEMPTED",
                Outcome::LeaseExpired => value == "RUN_LEASE_EXPIRED",
                Outcome::LeaseReturned => value == "RUN_LEASE_RETURNED",
                _ => false,
            },
            _ => false,
        }
    }

    fn text(&self, name: &str) -> Option<&str> {
        let observed = self.observed.as_ref().filter(|_| name == "error")?;
        (self.outcome == Outcome::Preempted).then_some(observed.error.as_str())
    }
}
