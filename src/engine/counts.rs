//! How many retries each rule has granted to one job.

use super::RuleId;

/// Counts by rule. Those of the first rules stand inline, as many as the default
/// `globalMaxRetries` lets a job meet, so that no decision under it asks for memory.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    used: u8,
    few: [(u16, u16); FEW],
    /// Further rules, and what is too large to stand inline. A rule stands in one place only.
    more: Vec<(u32, u32)>,
}

const FEW: usize = 20;

impl Counts {
    /// What has been counted for a rule.
    pub fn get(&self, rule: RuleId) -> u32 {
        if let Some(place) = self.inline(rule) {
            return u32::from(self.few[place].1);
        }
        let more = self.more.iter().find(|(known, _)| *known == rule.0);
        more.map_or(0, |(_, count)| *count)
    }

    /// Counts one more for a rule.
    pub fn add(&mut self, rule: RuleId) {
        if let Some(place) = self.inline(rule)
            && let Some(count) = self.few[place].1.checked_add(1)
        {
            self.few[place].1 = count;
            return;
        }
        self.set(rule, self.get(rule).saturating_add(1));
    }

    /// Sets what has been counted for a rule.
    pub fn set(&mut self, rule: RuleId, count: u32) {
        let small = u16::try_from(rule.0).ok().zip(u16::try_from(count).ok());
        let used = usize::from(self.used);
        match (self.inline(rule), small) {
            (Some(place), Some(small)) => self.few[place] = small,
            (Some(place), None) => {
                self.few[place] = self.few[used - 1];
                self.used -= 1;
                self.more.push((rule.0, count));
            }
            (None, small) => {
                if let Some(more) = self.more.iter_mut().find(|(known, _)| *known == rule.0) {
                    more.1 = count;
                } else if let Some(small) = small.filter(|_| used < FEW) {
                    self.few[used] = small;
                    self.used += 1;
                } else {
                    self.more.push((rule.0, count));
                }
            }
        }
    }

    fn inline(&self, rule: RuleId) -> Option<usize> {
        let few = &self.few[..usize::from(self.used)];
        few.iter().position(|(known, _)| u32::from(*known) == rule.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_each_rule_for_itself() {
        let mut counts = Counts::default();
        for rule in (0..30).chain(70_000..70_003) {
            for _ in 0..=rule % 32 {
                counts.add(RuleId(rule));
            }
        }
        for rule in (0..30).chain(70_000..70_003) {
            assert_eq!(counts.get(RuleId(rule)), rule % 32 + 1);
        }
        assert_eq!(counts.get(RuleId(99)), 0);
    }

    #[test]
    fn counts_past_what_stands_inline() {
        let mut counts = Counts::default();
        (0..70_000).for_each(|_| counts.add(RuleId(3)));
        counts.add(RuleId(4));
        assert_eq!((counts.get(RuleId(3)), counts.get(RuleId(4))), (70_000, 1));
    }

    #[test]
    fn asks_for_no_memory_within_the_default_limit() {
        let mut counts = Counts::default();
        (0..crate::engine::V1.global_max_retries).for_each(|rule| counts.add(RuleId(rule)));
        assert_eq!(counts.more.capacity(), 0);
    }
}
