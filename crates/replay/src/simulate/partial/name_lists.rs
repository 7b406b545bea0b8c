//! The names of a partial summary, and the numbers by which its figures refer to them.

use super::figures::Figures;
use crate::simulate::names::{CutOff, Group, Kind, Names};
use crate::simulate::numbering::{NumberError, Numbers};
use borsh::{BorshDeserialize, BorshSerialize};

/// All names of a replay, sorted.
#[derive(Debug, Clone, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct NameLists {
    pub(in crate::simulate) queues: Vec<String>,
    pub(in crate::simulate) categories: Vec<String>,
    pub(in crate::simulate) subcategories: Vec<String>,
    /// Clusters and nodes; none if there are too many.
    pub(in crate::simulate) nodes: Option<Vec<(String, String)>>,
    pub(in crate::simulate) groups: Limited<Group>,
    pub(in crate::simulate) kinds: Limited<Kind>,
}

/// Kinds of failures, whose messages are left out if there are too many.
#[derive(Debug, Clone, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(in crate::simulate) struct Limited<T> {
    pub(in crate::simulate) items: Vec<T>,
    pub(in crate::simulate) is_full: bool,
}

/// The numbers of names as they are.
fn same(names: &Names) -> Numbers {
    let all = |length: usize| (0..u32::try_from(length).unwrap_or(u32::MAX)).collect();
    Numbers {
        queues: all(names.queues().len()),
        categories: all(names.categories().len()),
        nodes: names.nodes().map(|nodes| all(nodes.len())),
        groups: all(names.groups().len()),
        kinds: all(names.kinds().len()),
    }
}

/// Whether items are in their order, each once.
fn is_sorted<T: Ord>(items: &[T]) -> bool {
    items.is_sorted_by(|one, next| one < next)
}

/// Adds the names of a partial summary. Returns their numbers among all names; `None` if the lists are not sorted.
pub(super) fn add(names: &Names, lists: NameLists) -> Option<Numbers> {
    let NameLists { queues, categories, subcategories, nodes, groups, kinds } = lists;
    // Lists that are not sorted are not written by this program.
    let are_sorted = [&queues, &categories, &subcategories].into_iter().all(|list| is_sorted(list))
        && nodes.as_ref().is_none_or(|nodes| is_sorted(nodes))
        && is_sorted(&groups.items)
        && is_sorted(&kinds.items);
    if !are_sorted {
        return None;
    }
    names.cut_off(CutOff { nodes: nodes.is_none(), groups: groups.is_full, kinds: kinds.is_full });
    for name in &subcategories {
        names.subcategory(name);
    }
    let of_nodes = |nodes: Vec<(String, String)>| {
        nodes.into_iter().map(|(cluster, node)| names.node(cluster, node)).collect()
    };
    Some(Numbers {
        queues: queues.iter().map(|name| names.queue(name)).collect(),
        categories: categories.iter().map(|name| names.category(name)).collect(),
        nodes: nodes.and_then(of_nodes),
        groups: groups.items.into_iter().map(|it| names.group(it)).collect(),
        kinds: kinds.items.into_iter().map(|it| names.kind(it)).collect(),
    })
}

/// The names of figures, and the figures by the numbers of these lists. Names that figures do not count by are left out, since
/// threads look some up in advance; all categories stay, of which notes are made.
///
/// # Errors
///
/// If a figure has a number that no name has.
pub(super) fn sorted(names: &Names, figures: Figures) -> Result<(NameLists, Figures), NumberError> {
    let same = same(names);
    // The first pass marks the numbers that figures use.
    let figures = figures.renumber(&same)?;
    same.categories.use_all();
    let (queues, of_queues) = same.queues.sorted(&names.queues());
    let (categories, of_categories) = same.categories.sorted(&names.categories());
    let nodes = same.nodes.zip(names.nodes()).map(|(same, nodes)| same.sorted(&nodes));
    let (nodes, of_nodes) = nodes.unzip();
    let (groups, of_groups) = same.groups.sorted(&names.groups());
    let (kinds, of_kinds) = same.kinds.sorted(&names.kinds());
    let mut subcategories = names.subcategories();
    subcategories.sort_unstable();
    let numbers = Numbers {
        queues: of_queues,
        categories: of_categories,
        nodes: of_nodes,
        groups: of_groups,
        kinds: of_kinds,
    };
    let lists = NameLists {
        queues,
        categories,
        subcategories,
        nodes,
        groups: Limited { items: groups, is_full: names.has_too_many_groups() },
        kinds: Limited { items: kinds, is_full: names.has_too_many_kinds() },
    };
    // Twice: now by the numbers of the lists that are written.
    Ok((lists, figures.renumber(&numbers)?))
}
