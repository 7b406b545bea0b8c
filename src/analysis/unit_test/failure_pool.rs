//! Sequences of the failures of all examples, to find one that reaches what the failures of no single example do.

use serde_json::Value;
use systems::ExampleFailures;

/// The most failures of a pool. Of more, most sequences are of failures that have nothing to do with each other.
const MAX_FAILURES: usize = 64;

/// The number of sequences. In random policies of all systems, more found nothing new.
const SEQUENCES: u64 = 200;

/// The failures of examples.
#[derive(Debug, Default)]
pub(super) struct FailurePool(Vec<Value>);

impl FailurePool {
    /// Adds the failures of a example that are not known yet.
    pub(super) fn add(&mut self, example: &ExampleFailures) {
        for failure in example.alternatives.iter().flatten() {
            if self.0.len() < MAX_FAILURES && !self.0.contains(failure) {
                self.0.push(failure.clone());
            }
        }
    }

    /// Sequences of up to 20 failures, the same ones each time.
    pub(super) fn sequences(&self) -> impl Iterator<Item = Vec<Value>> {
        let numbers = (0..SEQUENCES).filter(|_| self.0.len() > 1);
        numbers.map(|number| {
            let mut draw = number;
            let mut below = move |limit: usize| {
                draw = draw.wrapping_add(0x9e37_79b9_7f4a_7c15);
                // The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
                let mixed = (draw ^ (draw >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).unwrap_or_default()
            };
            let kinds = 2 + below(9);
            let runs: Vec<(usize, usize)> =
                (0..kinds).map(|_| (below(self.0.len()), 1 + below(3))).collect();
            let failures = runs.into_iter().flat_map(|(at, times)| {
                self.0
                    .get(at)
                    .into_iter()
                    .flat_map(move |failure| std::iter::repeat_n(failure, times))
            });
            failures.take(20).cloned().collect()
        })
    }
}
