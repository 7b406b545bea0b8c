//! Proofs that two sets of policies decide every failure alike, not only those on record.

use armada_retry::engine::compare::{Side, compare};
use armada_retry::engine::{Evaluator, JobFields};
use std::collections::BTreeSet;
use systems::armada::Armada;

/// The most pairs of rules that are compared, such as those of two lists of 50 rules: the comparison of more may take longer than
/// the replay. `armadactl compare` has no such limit.
const MOST_PAIRS: usize = 2_500;

/// Whether it is proved that two sets decide every failure of these jobs alike. Each job has its queue.
pub(super) fn is_same(engines: [&Armada; 2], jobs: &[(String, JobFields)]) -> bool {
    let evaluators = engines.map(Armada::evaluator);
    // Decisions about gangs and `failFast` follow from those about single jobs only under the same profile.
    if evaluators[0].profile().form != evaluators[1].profile().form {
        return false;
    }
    let lists: BTreeSet<[Vec<usize>; 2]> = jobs
        .iter()
        .map(|(queue, job)| {
            let list = |engine: &Armada| {
                engine.bindings().effective(engine.evaluator(), queue, job).policies
            };
            engines.map(list)
        })
        .collect();
    let pairs = |lists: &[Vec<usize>; 2]| {
        rule_count(evaluators[0], &lists[0]).saturating_mul(rule_count(evaluators[1], &lists[1]))
    };
    let count = lists.iter().map(pairs).fold(0, usize::saturating_add);
    let is_proved = |lists: &[Vec<usize>; 2]| {
        let [old, new] = [0, 1].map(|number| Side {
            evaluator: evaluators[number],
            route: evaluators[number].route(&lists[number]),
        });
        compare(&old, &new).is_same()
    };
    !lists.is_empty() && count <= MOST_PAIRS && lists.iter().all(is_proved)
}

/// The rules of policies with these numbers, and their default.
fn rule_count(evaluator: &Evaluator, policies: &[usize]) -> usize {
    let policies = policies.iter().filter_map(|number| evaluator.policies().get(*number));
    policies.map(|policy| policy.rules.len()).sum::<usize>() + 1
}
