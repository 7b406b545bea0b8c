//! One side of a comparison.

use crate::engine::backoff::Schedule;
use crate::engine::decision::{LimitSource, RuleId};
use crate::engine::evaluator::{Avoids, Evaluator, Route};
use crate::engine::profile::{Counting, Waits};
use crate::policy::{Action, MemoryBump, Rule};
use document::units::GoDuration;
use std::sync::Arc;

/// The policies that apply to a job, under a scheduler's settings.
#[derive(Debug)]
pub struct Side<'e> {
    /// The evaluator.
    pub evaluator: &'e Evaluator,
    /// The policies, in the order of their evaluation.
    pub route: Arc<Route>,
}

/// A level of settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// A rule.
    Rule,
    /// A policy.
    Policy,
    /// The scheduler.
    Scheduler,
}

/// A rule or default as decisions use it.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// The rule or default; absent if the legacy path decides.
    pub id: Option<RuleId>,
    pub action: Action,
    /// The retries that it grants at most: of its own, or of the job if the profile counts those.
    pub limit: u64,
    /// The level of the limit.
    pub limit_level: Level,
    /// The backoff; absent if retries do not wait.
    pub schedule: Option<Schedule>,
    pub avoids: Avoids,
    pub memory: Option<MemoryBump>,
}

impl<'e> Side<'e> {
    /// The rules, in order.
    pub(super) fn rules(&self) -> impl Iterator<Item = &'e Rule> + use<'e, '_> {
        let ids: &[RuleId] = if self.is_legacy() { &[] } else { &self.route.rules };
        ids.iter().filter_map(|id| self.evaluator.rule_body(*id))
    }

    /// Whether no rule decides: the engine is off, or no policy applies.
    pub(super) fn is_legacy(&self) -> bool {
        !self.evaluator.settings.at(None).enabled || self.route.default.is_none()
    }

    /// Whether each rule counts its own retries.
    pub(super) fn counts_by_rule(&self) -> bool {
        self.evaluator.profile.counting == Counting::GrantedRetries
    }

    /// The limit of a job's retries.
    pub(super) fn global(&self) -> u64 {
        u64::from(self.evaluator.settings.at(None).global_max_retries)
    }

    /// The time that a retry waits for the pod of a preempted run which does not say its own grace period.
    pub(super) fn grace_period(&self) -> GoDuration {
        match self.evaluator.profile.waits {
            Waits::Never => GoDuration::ZERO,
            Waits::BackoffAndPod => self.evaluator.settings.base().min_grace,
        }
    }

    /// The rules, and the default after them.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let entry = |id: &RuleId| {
            let compiled = &self.evaluator.rules[id.index()];
            let limit = compiled.limit.map_or(self.global(), |(limit, _)| u64::from(limit));
            let waits = self.evaluator.profile.waits == Waits::BackoffAndPod;
            Entry {
                id: Some(*id),
                action: compiled.action,
                limit,
                limit_level: match compiled.limit {
                    Some((_, LimitSource::Rule)) => Level::Rule,
                    Some((_, LimitSource::Policy)) => Level::Policy,
                    Some((_, LimitSource::Global)) | None => Level::Scheduler,
                },
                schedule: waits.then_some(compiled.backoff),
                avoids: compiled.avoids,
                memory: compiled.memory,
            }
        };
        if self.is_legacy() {
            let (id, schedule, memory) = (None, None, None);
            let (avoids, limit_level) = (Avoids::Never, Level::Scheduler);
            let (action, limit) = (Action::Fail, 0);
            return vec![Entry { id, action, limit, limit_level, schedule, avoids, memory }];
        }
        self.route.rules.iter().chain(&self.route.default).map(entry).collect()
    }

    /// The retries that an entry grants if it decides about every failure.
    pub(super) fn retries(&self, entry: &Entry) -> u64 {
        match entry.action {
            Action::Retry => entry.limit.min(self.global()),
            Action::Fail => 0,
        }
    }
}
