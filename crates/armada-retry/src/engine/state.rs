//! The evaluator's memory of a job between its runs.

use super::counts::Counts;
use super::decision::{Decision, RuleId};
use super::evaluator::Route;
use super::job::JobFields;
use super::memory::Growth;
use super::node_list::NodeList;
use std::sync::Arc;

/// The state of a job between its runs. It takes 40 bytes, as a replay keeps one for every unfinished job of
/// a fleet. The fields are in the order in which decisions read them (`repr(C)`), so that most decisions
/// touch one cache line.
#[derive(Debug, Clone)]
#[repr(C)]
pub struct JobState {
    pub(super) route: Arc<Route>,
    /// Ended runs so far, by position; the legacy path compares them with `scheduling.maxRetries`.
    pub(super) attempts: u32,
    /// Failures so far (semantics.md, section 6); returned leases are not among them.
    pub(super) failures: u32,
    /// Retries granted by the engine (semantics.md, section 5, step 10).
    pub(super) total: u32,
    counts: Counts,
    pub(super) fail_fast: bool,
    /// Whether the job is in a gang of two or more.
    pub(super) in_gang: bool,
    extras: Option<Box<Extras>>,
}

/// State that few jobs have, behind a pointer so that the others stay small.
#[derive(Debug, Clone, Default)]
pub(super) struct Extras {
    /// The memory that the job requests, in bytes, and its growth.
    memory: Option<(u64, Growth)>,
    /// The nodes that a retry may avoid: the last one or all, by the profile's
    /// `Avoidance`.
    pub(super) nodes: NodeList,
    /// The retry counts of the rules that do not fit into `counts`, by the rule's number.
    more_counts: Vec<(u32, u32)>,
}

impl JobState {
    /// The state of a job before its first run. It reserves all memory that decisions within the default
    /// `globalMaxRetries` need, so that decisions allocate nothing.
    pub fn new(job: &JobFields, route: Arc<Route>) -> Self {
        let avoids_nodes = route.avoids_nodes;
        let mut state = Self::compact(job, route);
        let extras = state.extras();
        if avoids_nodes {
            extras.nodes = NodeList::with_room_for_one();
        }
        extras.more_counts.reserve(MORE_COUNTS);
        state
    }

    /// Like [`new`](Self::new), but with as little memory as possible: a decision allocates when it needs
    /// more.
    #[doc(hidden)]
    pub fn compact(job: &JobFields, route: Arc<Route>) -> Self {
        let memory = job.resources().memory.map(|memory| (memory.ceil(), Growth::default()));
        let extras = memory.map(|memory| Extras { memory: Some(memory), ..Extras::default() });
        Self {
            route,
            attempts: 0,
            failures: 0,
            total: 0,
            counts: Counts::default(),
            fail_fast: job.fail_fast(),
            in_gang: job.gang().is_some(),
            extras: extras.map(Box::new),
        }
    }

    /// Sets the retries used before the first evaluated run: the total, which is also the number of failures
    /// and attempts so far, and the count of one rule.
    #[must_use]
    pub fn with_used(mut self, total: u32, rule: Option<(RuleId, u32)>) -> Self {
        (self.total, self.failures, self.attempts) = (total, total, total);
        if let Some((id, count)) = rule {
            self.set_count(id, count);
        }
        self
    }

    /// The nodes that the run granted by `decision` avoids. They are valid until the next decision.
    pub fn avoided(&self, decision: &Decision) -> &[String] {
        self.avoided_list(decision).map_or(&[], NodeList::names)
    }

    /// The list of these nodes; `None` if the run avoids none.
    #[doc(hidden)]
    pub fn avoided_list(&self, decision: &Decision) -> Option<&NodeList> {
        let avoids = decision.grant.is_some_and(|grant| grant.avoids_nodes);
        let nodes = &self.extras.as_ref().filter(|_| avoids)?.nodes;
        Some(nodes).filter(|nodes| !nodes.names().is_empty())
    }

    /// The policies that apply to the job.
    pub fn route(&self) -> &Route {
        &self.route
    }

    pub(super) fn extras(&mut self) -> &mut Extras {
        self.extras.get_or_insert_default()
    }

    /// The number of retries that a rule has granted.
    #[inline]
    pub(super) fn count(&self, rule: RuleId) -> u32 {
        if let Some(count) = self.counts.get(rule) {
            return count;
        }
        let more = self.extras.as_ref().map_or(&[][..], |extras| &extras.more_counts);
        more.iter().find(|(known, _)| *known == rule.0).map_or(0, |(_, count)| *count)
    }

    /// Adds a retry to the count of a rule and to the total.
    pub(super) fn count_retry(&mut self, rule: RuleId) {
        if !self.counts.add(rule) {
            self.set_count(rule, self.count(rule).saturating_add(1));
        }
        self.total = self.total.saturating_add(1);
    }

    fn set_count(&mut self, rule: RuleId, count: u32) {
        if self.counts.set(rule, count) {
            return;
        }
        let more = &mut self.extras().more_counts;
        match more.iter_mut().find(|(known, _)| *known == rule.0) {
            Some(known) => known.1 = count,
            None => more.push((rule.0, count)),
        }
    }

    /// The memory that the job requests, in bytes, and its growth; `None` if no record has it.
    pub(super) fn memory(&self) -> Option<(u64, Growth)> {
        self.extras.as_ref()?.memory
    }

    pub(super) fn memory_mut(&mut self) -> Option<&mut (u64, Growth)> {
        self.extras.as_mut()?.memory.as_mut()
    }

    /// The job's memory in bytes from the next run on; `None` before the first bump.
    #[doc(hidden)]
    pub fn grown_memory(&self) -> Option<u64> {
        let (memory, growth) = self.memory()?;
        growth.of(memory)
    }
}

/// The number of rules whose counts are reserved: a job within the default `globalMaxRetries` of 20 uses no
/// more.
const MORE_COUNTS: usize = 20;

#[cfg(test)]
mod tests {
    use super::super::{Evaluator, V1};
    use super::*;
    use crate::policy::SchedulerSettings;
    use proptest::prelude::*;
    use std::collections::HashMap;

    #[test]
    fn is_small() {
        assert_eq!(size_of::<JobState>(), 40);
    }

    fn state() -> JobState {
        let evaluator = Evaluator::new(&V1, Vec::new(), SchedulerSettings::default(), &[]);
        JobState::new(&JobFields::default(), evaluator.route(&[]))
    }

    #[test]
    fn counts_each_rule_by_itself() {
        let mut state = state();
        for rule in (0..30).chain(70_000..70_003) {
            for _ in 0..=rule % 32 {
                state.count_retry(RuleId(rule));
            }
        }
        for rule in (0..30).chain(70_000..70_003) {
            assert_eq!(state.count(RuleId(rule)), rule % 32 + 1);
        }
        assert_eq!(state.count(RuleId(99)), 0);
    }

    #[test]
    fn counts_beyond_the_compact_counts() {
        let mut state = state();
        (0..70_000).for_each(|_| state.count_retry(RuleId(3)));
        state.count_retry(RuleId(4));
        assert_eq!((state.count(RuleId(3)), state.count(RuleId(4))), (70_000, 1));
    }

    #[test]
    fn allocates_nothing_within_the_default_limit() {
        let mut state = state();
        let reserved = state.extras().more_counts.capacity();
        (0..V1.global_max_retries).for_each(|rule| state.count_retry(RuleId(rule)));
        assert_eq!(state.extras().more_counts.capacity(), reserved);
        assert_eq!(state.extras().more_counts.len(), V1.global_max_retries as usize - 3);
    }

    proptest! {
        /// The counts equal those of a map, with few rules and many, small numbers and large.
        #[test]
        fn counts_like_a_map(
            rules in proptest::collection::vec(
                prop_oneof![0u32..3, 0u32..40, 65_530u32..65_540], 0..400,
            ),
        ) {
            let mut state = state();
            let mut expected: HashMap<u32, u32> = HashMap::new();
            for rule in &rules {
                state.count_retry(RuleId(*rule));
                *expected.entry(*rule).or_default() += 1;
            }
            prop_assert_eq!(state.total as usize, rules.len());
            for rule in (0..40).chain(65_530..65_540) {
                let count = expected.get(&rule).copied().unwrap_or(0);
                prop_assert_eq!(state.count(RuleId(rule)), count);
            }
        }
    }
}
