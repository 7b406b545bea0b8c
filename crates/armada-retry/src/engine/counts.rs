//! Retry counts of the first few rules that a job uses.

use super::RuleId;

/// The number of rules that fit: nearly all jobs use one or two.
const RULES: usize = 3;

/// Marks a slot whose count was moved out; no rule has this number.
const MOVED: u16 = u16::MAX;

/// The retry counts of at most three rules, in ten bytes: a rule needs two bytes, its count one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    rules: [u16; RULES],
    retries: [u8; RULES],
    used: u8,
}

impl Counts {
    /// The count of a rule; `None` if it is not here.
    #[inline]
    pub(super) fn get(&self, rule: RuleId) -> Option<u32> {
        self.slot(rule).map(|slot| u32::from(self.retries[slot]))
    }

    /// Adds a retry to the count of a rule. Returns `false` if it does not fit.
    pub(super) fn add(&mut self, rule: RuleId) -> bool {
        match self.slot(rule) {
            Some(slot) => match self.retries[slot].checked_add(1) {
                Some(count) => {
                    self.retries[slot] = count;
                    true
                }
                None => false,
            },
            None => false,
        }
    }

    /// Sets the count of a rule. Returns `false` if it does not fit. The rule's slot is then marked as moved
    /// and not used again.
    pub(super) fn set(&mut self, rule: RuleId, count: u32) -> bool {
        let small = u16::try_from(rule.0).ok().filter(|number| *number != MOVED);
        let small = small.zip(u8::try_from(count).ok());
        match (self.slot(rule), small) {
            (Some(slot), Some((_, count))) => self.retries[slot] = count,
            (Some(slot), None) => {
                self.rules[slot] = MOVED;
                return false;
            }
            (None, Some((number, count))) if usize::from(self.used) < RULES => {
                let slot = usize::from(self.used);
                (self.rules[slot], self.retries[slot]) = (number, count);
                self.used += 1;
            }
            (None, _) => return false,
        }
        true
    }

    #[inline]
    fn slot(&self, rule: RuleId) -> Option<usize> {
        let used = &self.rules[..usize::from(self.used)];
        used.iter().position(|known| u32::from(*known) == rule.0 && *known != MOVED)
    }
}
