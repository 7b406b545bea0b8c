//! What is remembered of a job in a replay of millions of them: what a [`JobState`] keeps, in ten
//! bytes where it fits.

use super::decision::RuleId;
use super::evaluator::Route;
use super::ledger::Ledger;
use super::memory::Growth;
use super::state::JobState;

/// Retries granted to a job, by rule. What does not fit spills into a whole [`JobState`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Slot {
    rules: [u16; FEW],
    counts: [u8; FEW],
    used: u8,
}

const FEW: usize = 3;
const SPILLED: u8 = u8::MAX;

/// The states of jobs that do not fit into a slot.
#[derive(Debug, Default)]
pub struct Spills(Vec<JobState>);

impl Slot {
    /// The slot of a job whose whole state is kept.
    pub(super) fn spilled(spills: &mut Spills, state: JobState) -> Self {
        let number = u32::try_from(spills.0.len()).unwrap_or(u32::MAX);
        spills.0.push(state);
        let [low, high, ..] = number.to_le_bytes();
        let rest = (number >> 16).to_le_bytes();
        let rules = [u16::from_le_bytes([low, high]), u16::from_le_bytes([rest[0], rest[1]]), 0];
        Self { rules, counts: [0; FEW], used: SPILLED }
    }

    fn place(self) -> Option<usize> {
        let number = u32::from(self.rules[0]) | u32::from(self.rules[1]) << 16;
        (self.used == SPILLED).then_some(number as usize)
    }

    /// Remembers whether the run that was granted last avoids nodes. Only a whole state has nodes,
    /// so there is room for it.
    pub(super) fn avoid(&mut self, avoids: bool) {
        if self.used == SPILLED {
            self.counts[0] = u8::from(avoids);
        }
    }

    /// The nodes that the run granted last avoids.
    pub(super) fn avoided(self, spills: &Spills) -> &[String] {
        let avoids = self.counts[0] != 0;
        self.state(spills).filter(|_| avoids).map_or(&[][..], |state| &state.nodes)
    }

    /// The whole state, if it is kept.
    pub(super) fn state(self, spills: &Spills) -> Option<&JobState> {
        self.place().map(|place| &spills.0[place])
    }

    /// The whole state, if it is kept, to be changed.
    pub(super) fn state_mut(self, spills: &mut Spills) -> Option<&mut JobState> {
        self.place().map(|place| &mut spills.0[place])
    }

    fn inline(&self) -> impl Iterator<Item = (u32, u32)> {
        let used = if self.used == SPILLED { 0 } else { usize::from(self.used) };
        let pairs = self.rules.iter().zip(&self.counts).take(used);
        pairs.map(|(rule, count)| (u32::from(*rule), u32::from(*count)))
    }

    /// Counts a retry of a rule; `false` if there is no room for it.
    fn add(&mut self, rule: RuleId) -> bool {
        let Ok(number) = u16::try_from(rule.0) else { return false };
        let used = usize::from(self.used);
        if let Some(place) = self.rules[..used].iter().position(|known| *known == number) {
            let count = self.counts[place].checked_add(1);
            self.counts[place] = count.unwrap_or(u8::MAX);
            return count.is_some();
        }
        if used == FEW {
            return false;
        }
        (self.rules[used], self.counts[used]) = (number, 1);
        self.used += 1;
        true
    }

    /// Counts a retry of a rule. `whole` makes the state of the job that this one becomes if it
    /// does not fit any more.
    pub(super) fn charge(
        &mut self,
        rule: RuleId,
        spills: &mut Spills,
        whole: impl FnOnce() -> JobState,
    ) {
        let before = *self;
        if before.place().is_none() && self.add(rule) {
            return;
        }
        if before.place().is_none() {
            let mut state = whole();
            for (rule, count) in before.inline() {
                state.counts.set(RuleId(rule), count);
                state.total += count;
            }
            *self = Self::spilled(spills, state);
        }
        if let Some(state) = self.state_mut(spills) {
            state.counts.add(rule);
            state.total = state.total.saturating_add(1);
        }
    }
}

/// A job with its slot, as a decision reads it.
#[derive(Debug)]
pub(super) struct Seat<'s> {
    pub(super) route: &'s Route,
    pub(super) fail_fast: bool,
    pub(super) in_gang: bool,
    pub(super) attempts: u32,
    pub(super) failures: u32,
    pub(super) slot: Slot,
    pub(super) spills: &'s Spills,
}

impl Ledger for Seat<'_> {
    fn route(&self) -> &Route {
        self.route
    }

    fn attempts(&self) -> u32 {
        self.attempts
    }

    fn failures(&self) -> u32 {
        self.failures
    }

    fn total(&self) -> u32 {
        match self.slot.state(self.spills) {
            Some(state) => state.total,
            None => self.slot.inline().map(|(_, count)| count).sum(),
        }
    }

    fn count(&self, rule: RuleId) -> u32 {
        match self.slot.state(self.spills) {
            Some(state) => state.counts.get(rule),
            None => self.slot.inline().find(|(known, _)| *known == rule.0).map_or(0, |pair| pair.1),
        }
    }

    fn fail_fast(&self) -> bool {
        self.fail_fast
    }

    fn in_gang(&self) -> bool {
        self.in_gang
    }

    /// A stream's summary has no use for memory.
    fn memory(&self) -> (Option<u64>, Growth) {
        (None, Growth::default())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Evaluator, V1};
    use super::*;
    use crate::history::Job;
    use crate::policy::SchedulerSettings;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        /// Few rules and many, small numbers and large: a slot counts as a map would.
        #[test]
        fn counts_as_a_map(
            rules in proptest::collection::vec(
                prop_oneof![0u32..3, 0u32..40, 65_530u32..65_540], 0..400,
            ),
        ) {
            let evaluator = Evaluator::new(&V1, Vec::new(), SchedulerSettings::default(), &[]);
            let route = evaluator.route(&[]);
            let (mut slot, mut spills) = (Slot::default(), Spills::default());
            let mut expected: HashMap<u32, u32> = HashMap::new();
            for rule in &rules {
                let whole = || JobState::new(&Job::default(), route.clone());
                slot.charge(RuleId(*rule), &mut spills, whole);
                *expected.entry(*rule).or_default() += 1;
            }
            let seat = Seat {
                route: &route, fail_fast: false, in_gang: false, attempts: 0, failures: 0,
                slot, spills: &spills,
            };
            prop_assert_eq!(seat.total() as usize, rules.len());
            for rule in (0..40).chain(65_530..65_540) {
                let count = expected.get(&rule).copied().unwrap_or(0);
                prop_assert_eq!(seat.count(RuleId(rule)), count);
            }
        }
    }
}
