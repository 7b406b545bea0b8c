//! The paths that `--sweep` can take for some documents, for completions.

use armada_retry::policy::Documents;
use document::Node;
use systems::armada::{GLOBAL_LIMIT, LIMITS};
use systems::{Limit, ManifestSystem, System, SystemName, limit_names, profile, with_system};

/// The limits of a system by their paths in some documents: without a name, of each document if there are several, and
/// of each item of lists.
pub(in crate::commands) fn paths_of_documents(
    system: SystemName,
    documents: &Documents,
) -> Vec<String> {
    with_system!(
        system,
        Armada => {
            let policies = documents.policies.iter();
            let named = policies.map(|it| (it.policy.name.as_str(), &it.document.root));
            paths(LIMITS, &named.collect::<Vec<_>>())
        },
        S => {
            let own = documents.others.iter().filter(|it| S::DESCRIPTION.has_document(it));
            let named = own.map(|it| (profile::name(&it.document), &it.document.root));
            paths(S::LIMITS, &named.collect::<Vec<_>>())
        },
    )
}

/// The limits of all systems that are no limits of the items of lists.
pub(in crate::commands) fn paths_of_all_systems() -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for system in SystemName::all() {
        let paths = paths_of_documents(system, &Documents::default());
        let new: Vec<String> = paths.into_iter().filter(|path| !all.contains(path)).collect();
        all.extend(new);
    }
    all
}

fn paths(limits: &'static [Limit], documents: &[(&str, &Node)]) -> Vec<String> {
    let mut paths = limit_names(limits);
    paths.retain(|path| !path.contains('['));
    for (name, root) in documents {
        let owner = if documents.len() > 1 { format!("{name}.") } else { String::new() };
        for limit in limits.iter().filter(|limit| limit.name != GLOBAL_LIMIT) {
            match limit.list() {
                Some(list) => paths.extend(
                    limit
                        .items(root)
                        .iter()
                        .map(|it| format!("{owner}{list}[{it}].{}", limit.name)),
                ),
                None if documents.len() > 1 => paths.push(format!("{owner}{}", limit.name)),
                None => {}
            }
        }
    }
    paths
}
