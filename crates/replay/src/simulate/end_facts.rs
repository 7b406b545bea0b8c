//! How a run ended, in the numbers that counts go by.

use super::engine::Engine;
use super::figures::Ending;
use super::names::NameCache;
use super::summary::EndFacts;
use crate::history::Run;

/// The facts of how a run ended, without its features unless `has_group`.
pub(super) fn end_facts<E: Engine>(
    engine: &E,
    names: &mut NameCache<'_>,
    run: &Run<E::Fields>,
    has_group: bool,
) -> EndFacts {
    let (ending, labels) = (engine.ending(run), engine.labels(run));
    let has_succeeded = ending == Ending::Succeeded;
    EndFacts {
        ending,
        // A run that succeeded has no failure, whatever its containers and conditions say.
        kind: if has_succeeded { names.success(labels.outcome) } else { names.kind(&labels) },
        category: names.category(labels.category),
        group: has_group.then(|| names.group(&labels)),
        disruption: if has_succeeded { None } else { engine.disruption(run, names.disruptions()) },
        survived_memory: has_succeeded && engine.has_survived_memory(run),
    }
}
