//! Counts the failures that rules are compared with.

use super::engine::Engine;
use super::part::Parts;
use super::summary::Summary;
use crate::history::Run;

/// Counts a failure, and the parts that it has, for each policy whose rules it was compared with. Nothing is looked for
/// once earlier failures have met all needs.
pub(super) fn count_parts<E: Engine>(
    engine: &E,
    state: &E::State,
    member: usize,
    run: &Run<E::Fields>,
    decision: &E::Decision,
    summary: &mut Summary,
) {
    let needs = engine.needs();
    if needs.is_empty() {
        return;
    }
    let mut parts = None;
    for policy in engine.compared_policies(state, member, decision) {
        let Some(needs) = needs.get(*policy).filter(|it| !it.is_empty()) else {
            continue;
        };
        let judged = summary.judged_by(*policy);
        judged.failures += 1;
        if judged.parts != Parts::ALL {
            let found = *parts.get_or_insert_with(|| engine.parts(state, member, run));
            let found = judged.parts.with(found, true);
            if found != judged.parts {
                judged.parts = needs.found(found);
            }
        }
    }
}
