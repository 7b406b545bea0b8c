//! How many retries each rule has granted to one job.

use super::RuleId;

/// Counts by rule. A job rarely meets more than a few, so those stand inline; no memory is asked
/// for before the fifth.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    few: [(u32, u32); FEW],
    used: u8,
    more: Vec<(u32, u32)>,
}

const FEW: usize = 4;

impl Counts {
    /// What has been counted for a rule.
    pub fn get(&self, rule: RuleId) -> u32 {
        let all = self.few[..usize::from(self.used)].iter().chain(&self.more);
        all.copied().find(|(known, _)| *known == rule.0).map_or(0, |(_, count)| count)
    }

    /// Counts one more for a rule.
    pub fn add(&mut self, rule: RuleId) {
        self.set(rule, self.get(rule).saturating_add(1));
    }

    /// Sets what has been counted for a rule.
    pub fn set(&mut self, rule: RuleId, count: u32) {
        let used = usize::from(self.used);
        let mut all = self.few[..used].iter_mut().chain(&mut self.more);
        if let Some((_, counted)) = all.find(|(known, _)| *known == rule.0) {
            *counted = count;
        } else if used < FEW {
            self.few[used] = (rule.0, count);
            self.used += 1;
        } else {
            self.more.push((rule.0, count));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_each_rule_for_itself() {
        let mut counts = Counts::default();
        for rule in 0..20 {
            for _ in 0..=rule {
                counts.add(RuleId(rule));
            }
        }
        for rule in 0..20 {
            assert_eq!(counts.get(RuleId(rule)), rule + 1);
        }
        assert_eq!(counts.get(RuleId(99)), 0);
    }
}
