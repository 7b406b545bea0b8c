//! Categories and subcategories by name: those that executors report, and the rules of policies that accept them.

use super::assigned::Assigned;
use super::reach::Certainty;
use armada_retry::policy::Rule;
use document::diag::did_you_mean;
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The maximum number of names that are compared with a name to find similar ones.
pub(super) const MAX_SIMILAR: usize = 1_000;

/// The maximum number of comparisons for all names of an audit. Later findings name no similar name.
const MAX_COMPARISONS: usize = 200_000;

/// Assigned names, by category.
pub(super) struct Names<'a> {
    by_category: HashMap<&'a str, Vec<&'a Assigned<'a>>>,
    /// The subcategories that policies may see, by category.
    reported: HashMap<&'a str, HashSet<&'a str>>,
    pub(super) categories: Known<'a>,
}

impl<'a> Names<'a> {
    pub(super) fn new(assigned: &'a [Assigned<'a>]) -> Self {
        let mut by_category: HashMap<&str, Vec<&Assigned<'_>>> = HashMap::new();
        let mut reported: HashMap<&str, HashSet<&str>> = HashMap::new();
        for it in assigned {
            by_category.entry(it.category).or_default().push(it);
            if it.reached.any() > Certainty::Never {
                reported.entry(it.category).or_default().insert(it.subcategory);
            }
        }
        let categories = by_category.keys().copied().filter(|name| !name.is_empty());
        let categories = Known::new(categories);
        Self { by_category, reported, categories }
    }

    /// Whether policies may see failures of a category, or with a subcategory of it.
    pub(super) fn are_reported(&self, category: &str, subcategory: Option<&str>) -> bool {
        let reported = self.reported.get(category);
        reported.is_some_and(|all| subcategory.is_none_or(|name| all.contains(name)))
    }

    /// Returns the assigned names of a category.
    pub(super) fn assigned_to(&self, category: &str) -> &[&'a Assigned<'a>] {
        self.by_category.get(category).map_or(&[], Vec::as_slice)
    }
}

/// Known names, among which a similar one is searched for.
pub(super) struct Known<'a> {
    names: Vec<&'a str>,
    /// The names without case and spaces around them.
    folded: BTreeMap<String, Vec<&'a str>>,
    comparisons: Cell<usize>,
}

impl<'a> Known<'a> {
    pub(super) fn new(names: impl Iterator<Item = &'a str>) -> Self {
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        names.dedup();
        let mut folded: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for name in &names {
            folded.entry(fold(name)).or_default().push(name);
        }
        Self { names, folded, comparisons: Cell::new(0) }
    }

    /// The name that is meant, or the names that there are.
    pub(super) fn near(&self, name: &str) -> Option<String> {
        let same = self.folded.get(&fold(name));
        let same = same.into_iter().flatten().find(|other| **other != name);
        if let Some(same) = same {
            return Some(format!("write `{same}`: names are compared exactly"));
        }
        let others = || self.names.iter().copied().filter(|other| *other != name);
        let comparisons = self.comparisons.get();
        if comparisons < MAX_COMPARISONS {
            self.comparisons.set(comparisons + self.names.len());
            if let Some(near) = did_you_mean(name, others()) {
                return Some(format!("did you mean `{near}`?"));
            }
        }
        let names: Vec<String> = others().take(10).map(|name| format!("`{name}`")).collect();
        (!names.is_empty()).then(|| format!("assigned are {}", names.join(", ")))
    }
}

fn fold(name: &str) -> String {
    name.trim().to_ascii_lowercase()
}

/// The number of pairs of a category and a subcategory up to which a rule is found by them.
const MAX_PAIRS: usize = 1_000;

/// Rules by the categories and subcategories that they accept.
pub(super) struct AcceptingRules<'r> {
    /// The first rule for a category and a subcategory; `None` stands for any.
    by_pair: HashMap<(Option<&'r str>, Option<&'r str>), usize>,
    /// The rules with too many pairs.
    others: Vec<(usize, &'r Rule)>,
}

impl<'r> AcceptingRules<'r> {
    /// Creates the index of rules in their order.
    pub(super) fn new(rules: impl Iterator<Item = &'r Rule>) -> Self {
        let (mut by_pair, mut others) = (HashMap::new(), Vec::new());
        for (number, rule) in rules.enumerate() {
            let (categories, subcategories) =
                (options(&rule.categories), options(&rule.subcategories));
            // A rule with long lists has too many pairs for a table, and is compared one by one.
            if categories.len() * subcategories.len() > MAX_PAIRS {
                others.push((number, rule));
                continue;
            }
            for category in &categories {
                for subcategory in &subcategories {
                    // The first rule of a pair wins.
                    by_pair.entry((*category, *subcategory)).or_insert(number);
                }
            }
        }
        Self { by_pair, others }
    }

    /// The number of the first rule whose matchers on categories accept an assignment.
    pub(super) fn first(&self, assigned: &Assigned<'_>) -> Option<usize> {
        let (category, subcategory) = (Some(assigned.category), Some(assigned.subcategory));
        // Absent categories and subcategories accept any, so that four pairs may apply.
        let pairs = [(category, subcategory), (category, None), (None, subcategory), (None, None)];
        let by_pair = pairs.iter().filter_map(|pair| self.by_pair.get(pair)).copied();
        let accepts = |(_, rule): &&(usize, &Rule)| {
            is_in(&rule.categories, assigned.category)
                && is_in(&rule.subcategories, assigned.subcategory)
        };
        let other = self.others.iter().find(accepts).map(|(number, _)| *number);
        by_pair.chain(other).min()
    }
}

/// The values of a list; an empty list accepts any.
fn options(list: &[String]) -> Vec<Option<&str>> {
    if list.is_empty() { vec![None] } else { list.iter().map(|it| Some(it.as_str())).collect() }
}

fn is_in(list: &[String], value: &str) -> bool {
    list.is_empty() || list.iter().any(|it| it == value)
}
