//! Recorded runs that contradict the policies, by the kind of the contradiction.

use super::super::outcome::{Contradiction, ContradictionKind};
use std::collections::BTreeMap;

/// The contradictions of each kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contradictions(BTreeMap<ContradictionKind, OfKind>);

/// The contradictions of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OfKind {
    /// Their number.
    pub runs: u64,
    /// The first few of them.
    pub examples: Vec<Example>,
}

/// A contradiction, as an example. Ordered by its position in the history.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Example {
    /// The position of the run or of its job in the history.
    pub position: u64,
    /// The run.
    pub run_index: u32,
    /// The job.
    pub job: String,
    /// The contradiction.
    pub text: String,
}

/// Number of contradictions of a kind that are kept as examples: enough to see a pattern, and few enough that
/// merging stays cheap.
const EXAMPLES: usize = 10;

impl Contradictions {
    /// Counts a recorded run that contradicts the policies.
    pub fn add(&mut self, position: u64, job: &str, contradiction: &Contradiction) {
        let of_kind = self.0.entry(contradiction.kind).or_default();
        of_kind.runs += 1;
        let run_index = contradiction.run_index;
        let last = of_kind.examples.last().filter(|_| of_kind.examples.len() == EXAMPLES);
        if last.is_some_and(|last| (last.position, last.run_index) <= (position, run_index)) {
            return;
        }
        let text = contradiction.text.clone();
        of_kind.examples.push(Example { position, run_index, job: job.to_owned(), text });
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

    /// Their number.
    pub fn runs(&self) -> u64 {
        self.0.values().map(|of_kind| of_kind.runs).sum()
    }

    /// The first few of all kinds.
    pub fn examples(&self) -> Vec<Example> {
        let mut all: Vec<Example> =
            self.0.values().flat_map(|of_kind| &of_kind.examples).cloned().collect();
        keep_first(&mut all);
        all
    }

    /// Those of each kind.
    pub fn by_kind(self) -> BTreeMap<ContradictionKind, OfKind> {
        self.0
    }
}

/// Drops all but the first examples, so that merging is commutative.
fn keep_first(examples: &mut Vec<Example>) {
    examples.sort();
    examples.truncate(EXAMPLES);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_kind_has_examples_however_many_of_another_come_first() {
        let mut all = Contradictions::default();
        for position in 0..30 {
            let kind =
                if position < 28 { ContradictionKind::Early } else { ContradictionKind::Node };
            let contradiction = Contradiction { run_index: 1, kind, text: String::new() };
            all.add(position, "j", &contradiction);
        }
        let positions =
            |examples: &[Example]| examples.iter().map(|it| it.position).collect::<Vec<_>>();
        assert_eq!((all.runs(), positions(&all.examples())), (30, (0..10).collect()));
        let node = &all.by_kind()[&ContradictionKind::Node];
        assert_eq!((node.runs, positions(&node.examples)), (2, vec![28, 29]));
    }
}
