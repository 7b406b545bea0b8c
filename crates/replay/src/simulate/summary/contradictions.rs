//! Recorded runs that contradict the policies, by the kind of the contradiction.

use super::super::outcome::{Contradiction, ContradictionKind};
use crate::simulate::unit_hash::unit_hash;
use borsh::{BorshDeserialize, BorshSerialize};
use std::collections::BTreeMap;

/// The contradictions of each kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Contradictions(BTreeMap<ContradictionKind, OfKind>);

/// The contradictions of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct OfKind {
    pub runs: u64,
    /// A few of them.
    examples: Vec<Example>,
}

/// The first contradiction of a job, as an example. The jobs with the smallest hashes are kept: a choice that depends on no
/// order of the history, so that parts of it have those of the whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
pub struct Example {
    /// The hash of the job's id.
    hash: u64,
    pub job: String,
    pub run_index: u32,
    pub text: String,
}

/// Number of contradictions of a kind that are kept as examples: enough to see a pattern, and few enough that
/// merging stays cheap.
const EXAMPLES: usize = 10;

impl Contradictions {
    /// Counts a recorded run that contradicts the policies.
    pub fn add(&mut self, job: &str, contradiction: &Contradiction) {
        let of_kind = self.0.entry(contradiction.kind).or_default();
        of_kind.runs += 1;
        let hash = unit_hash(job);
        let Contradiction { run_index, text, .. } = contradiction;
        let is_earlier = |known: &Example| {
            known.job == job && (known.run_index, &known.text) <= (*run_index, text)
        };
        // Compared by the hash first: once the list is full, nearly all contradictions end here without a copy.
        let last = of_kind.examples.last().filter(|_| of_kind.examples.len() == EXAMPLES);
        if last.is_some_and(|last| last.hash < hash) || of_kind.examples.iter().any(is_earlier) {
            return;
        }
        let (job, run_index, text) = (job.to_owned(), *run_index, text.clone());
        of_kind.examples.push(Example { hash, job, run_index, text });
        keep_first(&mut of_kind.examples);
    }

    /// Adds others.
    pub fn merge(&mut self, other: Self) {
        for (kind, other) in other.0 {
            let of_kind = self.0.entry(kind).or_default();
            of_kind.runs += other.runs;
            of_kind.examples.extend(other.examples);
            keep_first(&mut of_kind.examples);
        }
    }

    pub fn runs(&self) -> u64 {
        self.0.values().map(|of_kind| of_kind.runs).sum()
    }

    /// A few of all kinds, in the order of their jobs.
    pub fn examples(&self) -> Vec<Example> {
        let mut all: Vec<Example> =
            self.0.values().flat_map(|of_kind| &of_kind.examples).cloned().collect();
        keep_first(&mut all);
        by_job(all)
    }

    pub fn by_kind(self) -> impl Iterator<Item = (ContradictionKind, OfKind)> {
        self.0.into_iter()
    }
}

impl OfKind {
    /// A few of them, in the order of their jobs.
    pub fn examples(self) -> Vec<Example> {
        by_job(self.examples)
    }
}

/// Drops all but the first example of each job and all but the first jobs, so that merging is commutative.
fn keep_first(examples: &mut Vec<Example>) {
    examples.sort();
    // Sorted by hash and run, so that equal jobs are neighbours and the first run of each stays.
    examples.dedup_by(|later, first| later.job == first.job);
    // After repeated jobs are dropped: each place is for another job.
    examples.truncate(EXAMPLES);
}

fn by_job(mut examples: Vec<Example>) -> Vec<Example> {
    // By job, as the order by hash means nothing to a reader.
    examples.sort_by(|one, other| (&one.job, one.run_index).cmp(&(&other.job, other.run_index)));
    examples
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contradiction(job: usize) -> Contradiction {
        let kind = if job < 28 { ContradictionKind::Early } else { ContradictionKind::Node };
        Contradiction { run_index: 1, kind, text: String::new() }
    }

    #[test]
    fn a_rare_kind_has_examples_and_no_order_matters() {
        let (mut all, mut reversed) = (Contradictions::default(), Contradictions::default());
        for job in 0..30 {
            all.add(&format!("j{job:02}"), &contradiction(job));
        }
        // No job has two examples.
        for run_index in 2..20 {
            let later = Contradiction { run_index, ..contradiction(29) };
            all.add("j29", &later);
            reversed.add("j29", &later);
        }
        for job in (0..30).rev() {
            let mut one = Contradictions::default();
            one.add(&format!("j{job:02}"), &contradiction(job));
            reversed.merge(one);
        }
        assert_eq!(all, reversed);
        let jobs =
            |examples: Vec<Example>| examples.into_iter().map(|it| it.job).collect::<Vec<String>>();
        let examples = jobs(all.examples());
        assert_eq!((all.runs(), examples.len()), (48, EXAMPLES));
        assert!(examples.is_sorted());
        let (_, node) = all.by_kind().find(|(kind, _)| *kind == ContradictionKind::Node).unwrap();
        let runs: Vec<u32> = node.examples.iter().map(|it| it.run_index).collect();
        assert_eq!((node.runs, runs), (20, vec![1, 1]));
        assert_eq!(jobs(node.examples()), ["j28", "j29"]);
    }
}
