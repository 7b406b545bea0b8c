//! What many jobs come to. Summaries merge: that gives threads and, one day, shards.

use super::described::Tally;
use super::replay::{MemberOutcome, Outcome};
use std::collections::BTreeMap;

/// Counts over jobs. Merging is associative and commutative but for the order of examples, and an
/// empty summary changes nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Jobs.
    pub jobs: u64,
    /// Failed runs decided, without returned leases.
    pub failures: u64,
    /// Retries granted.
    pub retries: u64,
    /// Decisions by code.
    pub by_decision: BTreeMap<&'static str, u64>,
    /// By rule, in the order of the engine's rules.
    pub by_rule: Vec<RuleCounts>,
    /// Retries that no rule granted.
    pub by_no_rule: RuleCounts,
    /// Jobs by outcome.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Recorded runs not reached.
    pub not_reached: u64,
    /// Recorded runs that cannot have happened so.
    pub contradictions: u64,
    /// The first few of them: job, run, what.
    pub examples: Vec<(String, u32, String)>,
}

/// What one rule did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RuleCounts {
    /// Decisions attributed to it.
    pub matched: u64,
    /// Retries it granted.
    pub retried: u64,
    /// Decisions where a limit stopped it.
    pub exhausted: u64,
    /// Its retries whose run is on record.
    pub followed: u64,
    /// Those of them that succeeded.
    pub succeeded: u64,
    /// Its retries that are not on record.
    pub unresolved: u64,
}

/// How many contradictions a summary names.
const EXAMPLES: usize = 10;

impl Summary {
    /// Nothing counted yet, for an engine of so many rules.
    pub fn new(rules: usize) -> Self {
        Self { by_rule: vec![RuleCounts::default(); rules], ..Self::default() }
    }

    pub(super) fn decided(&mut self, tally: &Tally) {
        *self.by_decision.entry(tally.code).or_default() += 1;
        self.failures += u64::from(tally.failure);
        self.retries += u64::from(tally.retry);
        if let Some(rule) = tally.rule {
            let counts = &mut self.by_rule[rule];
            counts.matched += 1;
            counts.retried += u64::from(tally.retry);
            counts.exhausted += u64::from(tally.exhausted);
        }
    }

    fn rule(&mut self, rule: Option<usize>) -> &mut RuleCounts {
        match rule {
            Some(rule) => &mut self.by_rule[rule],
            None => &mut self.by_no_rule,
        }
    }

    pub(super) fn followed(&mut self, rule: Option<usize>, succeeded: bool) {
        let counts = self.rule(rule);
        counts.followed += 1;
        counts.succeeded += u64::from(succeeded);
    }

    pub(super) fn unresolved(&mut self, rule: Option<usize>) {
        self.rule(rule).unresolved += 1;
    }

    pub(super) fn ended(&mut self, id: &str, out: &MemberOutcome) {
        self.jobs += 1;
        *self.outcomes.entry(out.outcome).or_default() += 1;
        self.not_reached += out.not_reached;
        self.contradictions += out.contradictions.len() as u64;
        for contradiction in &out.contradictions {
            if self.examples.len() == EXAMPLES {
                break;
            }
            self.examples.push((
                id.to_owned(),
                contradiction.run_index,
                contradiction.what.clone(),
            ));
        }
    }

    /// Adds another summary of the same engine's rules.
    pub fn merge(&mut self, other: Self) {
        self.jobs += other.jobs;
        self.failures += other.failures;
        self.retries += other.retries;
        self.not_reached += other.not_reached;
        self.contradictions += other.contradictions;
        for (code, count) in other.by_decision {
            *self.by_decision.entry(code).or_default() += count;
        }
        for (outcome, count) in other.outcomes {
            *self.outcomes.entry(outcome).or_default() += count;
        }
        if self.by_rule.len() < other.by_rule.len() {
            self.by_rule.resize(other.by_rule.len(), RuleCounts::default());
        }
        for (own, other) in self.by_rule.iter_mut().zip(other.by_rule) {
            own.merge(other);
        }
        self.by_no_rule.merge(other.by_no_rule);
        self.examples.extend(other.examples);
        self.examples.truncate(EXAMPLES);
    }
}

impl RuleCounts {
    fn merge(&mut self, other: Self) {
        self.matched += other.matched;
        self.retried += other.retried;
        self.exhausted += other.exhausted;
        self.followed += other.followed;
        self.succeeded += other.succeeded;
        self.unresolved += other.unresolved;
    }

    /// The share of its recorded retries that succeeded; none without any.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub fn success_share(&self) -> Option<f64> {
        (self.followed > 0).then(|| self.succeeded as f64 / self.followed as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A summary of a few jobs; examples aside, since of those only the first few are kept.
    fn any_summary() -> impl Strategy<Value = Summary> {
        let counts = proptest::collection::vec(0u64..1000, 12);
        (counts, 0usize..2).prop_map(|(n, code)| Summary {
            jobs: n[0],
            failures: n[1],
            retries: n[2],
            by_decision: [(["retry", "fail_rule"][code], n[3])].into(),
            by_rule: vec![
                RuleCounts {
                    matched: n[4],
                    retried: n[5],
                    exhausted: n[6],
                    ..RuleCounts::default()
                },
                RuleCounts {
                    followed: n[7],
                    succeeded: n[8],
                    unresolved: n[9],
                    ..RuleCounts::default()
                },
            ],
            by_no_rule: RuleCounts { unresolved: n[10], ..RuleCounts::default() },
            outcomes: [([Outcome::Failed, Outcome::Succeeded][code], n[11])].into(),
            not_reached: n[3],
            contradictions: n[4],
            examples: Vec::new(),
        })
    }

    fn merged(mut one: Summary, other: &Summary) -> Summary {
        one.merge(other.clone());
        one
    }

    proptest! {
        #[test]
        fn merging_is_associative_and_commutative_with_an_identity(
            a in any_summary(), b in any_summary(), c in any_summary(),
        ) {
            prop_assert_eq!(merged(merged(a.clone(), &b), &c), merged(a.clone(), &merged(b.clone(), &c)));
            prop_assert_eq!(merged(a.clone(), &b), merged(b, &a));
            prop_assert_eq!(&merged(Summary::new(2), &a), &a);
            prop_assert_eq!(&merged(a.clone(), &Summary::default()), &a);
        }
    }
}
