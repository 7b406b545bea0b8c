//! Counts of changes. They merge, so that each thread counts by itself.

use super::change::CompareOptions;
use super::samples::Samples;
use super::side::{RuleSide, Side};
use crate::simulate::numbering::{NumberError, Numbers, read_codes};
use crate::simulate::outcome::Outcome;
use crate::simulate::unit_hash::unit_hash;
use borsh::{BorshDeserialize, BorshSerialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The changes of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Kind {
    /// How many.
    pub count: u64,
    pub samples: Samples,
}

/// The changes in one queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct QueueChanges {
    pub decisions: u64,
    pub jobs: u64,
}

/// The differences between the decisions of two engines. Merging is associative and commutative, and empty counts
/// change nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Changes {
    /// Limit of samples of each kind.
    samples: usize,
    /// Decisions under at least one of the engines.
    pub compared: u64,
    /// Those whose codes differ.
    pub decisions: u64,
    /// Those whose codes are equal and whose waits differ.
    pub other_wait: u64,
    /// Those whose rules alone differ.
    pub other_rule: u64,
    /// Jobs whose outcomes differ.
    pub jobs: u64,
    /// Changed decisions by code.
    #[borsh(deserialize_with = "read_codes")]
    pub by_decision: BTreeMap<(&'static str, &'static str), Kind>,
    /// Changed decisions by rule.
    pub by_rule: BTreeMap<(RuleSide, RuleSide), Kind>,
    /// Changed jobs by outcome.
    pub by_outcome: BTreeMap<(Outcome, Outcome), Kind>,
    /// By the number of a queue.
    pub queues: BTreeMap<u32, QueueChanges>,
    /// Jobs that succeed under the first engine and fail under the other, by the number of their queue, and by that of
    /// the kind of the failure that ended them if one did.
    pub succeeded_to_failed: BTreeMap<(u32, Option<u32>), u64>,
}

impl QueueChanges {
    fn merge(&mut self, other: Self) {
        self.decisions += other.decisions;
        self.jobs += other.jobs;
    }
}

impl Changes {
    /// No changes yet; `samples` of each kind are kept.
    pub fn new(samples: usize) -> Self {
        Self { samples, ..Self::default() }
    }

    /// No changes yet, for each of some engines but the first; none unless engines are compared.
    pub(in crate::simulate) fn for_engines(
        engines: usize,
        compare: Option<CompareOptions<'_>>,
    ) -> Vec<Self> {
        compare.map_or(Vec::new(), |compare| vec![Self::new(compare.samples); engines.max(1) - 1])
    }

    /// Counts a changed decision about a run of a job.
    pub(super) fn add_decision(&mut self, from: &Side, to: &Side, queue: u32, job: &str, run: u32) {
        let limit = self.samples;
        let hash = if limit > 0 { unit_hash(job) } else { 0 };
        self.decisions += 1;
        let by_decision = self.by_decision.entry((from.code(), to.code())).or_default();
        let by_rule = self.by_rule.entry((from.rule(), to.rule())).or_default();
        for kind in [by_decision, by_rule] {
            kind.count += 1;
            kind.samples.add(limit, hash, job, run);
        }
        self.queues.entry(queue).or_default().decisions += 1;
    }

    /// Counts a job whose outcome has changed, with the kind of the failure that ended it.
    pub(super) fn add_job(
        &mut self,
        (from, to): (Outcome, Outcome),
        (queue, kind): (u32, Option<u32>),
        job: &str,
    ) {
        self.jobs += 1;
        if (from, to) == (Outcome::Succeeded, Outcome::Failed) {
            *self.succeeded_to_failed.entry((queue, kind)).or_default() += 1;
        }
        let kind = self.by_outcome.entry((from, to)).or_default();
        kind.count += 1;
        if self.samples > 0 {
            kind.samples.add(self.samples, unit_hash(job), job, 0);
        }
        self.queues.entry(queue).or_default().jobs += 1;
    }

    /// The first sample that meets a condition: of the jobs that have changed, else of the decisions; those of the
    /// most frequent kind first.
    pub fn example(&self, is_known: impl Fn(&str) -> bool) -> Option<&str> {
        let mut jobs: Vec<&Kind> = self.by_outcome.values().collect();
        let mut decisions: Vec<&Kind> = self.by_decision.values().collect();
        jobs.sort_by_key(|kind| Reverse(kind.count));
        decisions.sort_by_key(|kind| Reverse(kind.count));
        let samples = jobs.into_iter().chain(decisions).flat_map(|kind| kind.samples.iter());
        samples.map(|sample| &*sample.job).find(|job| is_known(job))
    }

    /// The changes by other numbers of names.
    pub(in crate::simulate) fn renumber(self, numbers: &Numbers) -> Result<Self, NumberError> {
        let Numbers { queues, kinds, .. } = numbers;
        let mut all =
            Self { queues: BTreeMap::new(), succeeded_to_failed: BTreeMap::new(), ..self };
        for (queue, changes) in self.queues {
            all.queues.entry(queues.of(queue)?).or_default().merge(changes);
        }
        for ((queue, kind), jobs) in self.succeeded_to_failed {
            let kind = kind.map(|kind| kinds.of(kind)).transpose()?;
            *all.succeeded_to_failed.entry((queues.of(queue)?, kind)).or_default() += jobs;
        }
        Ok(all)
    }

    /// Whether each rule is one of the first or the other engine, which have these numbers of rules.
    pub(in crate::simulate) fn has_rules(&self, first: usize, other: usize) -> bool {
        let is_of = |side: &RuleSide, rules: usize| match side {
            RuleSide::Rule(rule) => (*rule as usize) < rules,
            RuleSide::NoRule | RuleSide::NoDecision => true,
        };
        self.by_rule.keys().all(|(from, to)| is_of(from, first) && is_of(to, other))
    }

    /// Keeps the first samples of each kind, at most this many.
    pub fn limit_samples(&mut self, limit: usize) {
        self.samples = self.samples.min(limit);
        let of_decisions = self.by_decision.values_mut().chain(self.by_rule.values_mut());
        for kind in of_decisions.chain(self.by_outcome.values_mut()) {
            kind.samples.limit(limit);
        }
    }

    /// The limit of samples of each kind.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Adds the changes of another part of the history.
    pub fn merge(&mut self, other: Self) {
        self.samples = self.samples.max(other.samples);
        self.compared += other.compared;
        self.decisions += other.decisions;
        self.other_rule += other.other_rule;
        self.other_wait += other.other_wait;
        self.jobs += other.jobs;
        merge_kinds(&mut self.by_decision, other.by_decision, self.samples);
        merge_kinds(&mut self.by_rule, other.by_rule, self.samples);
        merge_kinds(&mut self.by_outcome, other.by_outcome, self.samples);
        for (queue, changes) in other.queues {
            self.queues.entry(queue).or_default().merge(changes);
        }
        for (key, jobs) in other.succeeded_to_failed {
            *self.succeeded_to_failed.entry(key).or_default() += jobs;
        }
    }
}

fn merge_kinds<K: Ord>(own: &mut BTreeMap<K, Kind>, other: BTreeMap<K, Kind>, samples: usize) {
    for (key, kind) in other {
        let own = own.entry(key).or_default();
        own.count += kind.count;
        own.samples.merge(samples, kind.samples);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::changes::Reach;
    use proptest::prelude::*;

    /// The changes of a few runs and jobs; ids repeat.
    fn any_changes() -> impl Strategy<Value = Changes> {
        let change = (0_u32..9, 0_u32..4, any::<bool>(), 0_u32..3);
        proptest::collection::vec(change, 0..20).prop_map(|all| {
            let mut changes = Changes::new(3);
            for (job, run, is_job, queue) in all {
                let job = format!("job-{job}");
                let (from, to) = (Reach::Reached, Reach::NotReached);
                let (from, to) = (Side::Undecided(from), Side::Undecided(to));
                changes.compared += 1;
                if is_job {
                    let outcomes = match run % 2 {
                        0 => (Outcome::Failed, Outcome::Succeeded),
                        _ => (Outcome::Succeeded, Outcome::Failed),
                    };
                    changes.add_job(outcomes, (queue, run.checked_sub(1)), &job);
                } else if run % 2 == 0 {
                    changes.add_decision(&from, &to, queue, &job, run);
                } else {
                    changes.add_decision(&to, &from, queue, &job, run);
                }
            }
            changes
        })
    }

    fn merge(mut one: Changes, other: &Changes) -> Changes {
        one.merge(other.clone());
        one
    }

    proptest! {
        #[test]
        fn merging_is_associative_and_commutative_with_an_identity(
            a in any_changes(), b in any_changes(), c in any_changes(),
        ) {
            prop_assert_eq!(merge(merge(a.clone(), &b), &c), merge(a.clone(), &merge(b.clone(), &c)));
            prop_assert_eq!(merge(a.clone(), &b), merge(b, &a));
            prop_assert_eq!(&merge(Changes::new(3), &a), &a);
        }

        /// The samples are the jobs with the smallest hashes, each with its first run.
        #[test]
        fn samples_do_not_depend_on_the_order(
            runs in proptest::collection::vec((0_u32..12, 0_u32..5), 1..30), limit in 0_usize..5,
        ) {
            let mut samples = Samples::default();
            let mut first: BTreeMap<(u64, String), u32> = BTreeMap::new();
            for (job, run) in runs {
                let job = format!("job-{job}");
                samples.add(limit, unit_hash(&job), &job, run);
                let known = first.entry((unit_hash(&job), job)).or_insert(run);
                *known = run.min(*known);
            }
            // A run that comes after its job was crowded out cannot bring it back: the job's hash is too large.
            let wanted: Vec<(String, u32)> =
                first.into_iter().take(limit).map(|((_, job), run)| (job, run)).collect();
            let found: Vec<(String, u32)> =
                samples.iter().map(|sample| (sample.job.to_string(), sample.run)).collect();
            prop_assert_eq!(found, wanted);
        }
    }
}
