//! The choices of which a failure has one each: names, conditions and exit codes.

use super::layout::Layout;
use crate::policy::Condition;
use crate::policy::reachability::{OTHER_CODE, Prepared, left_out};
use std::collections::BTreeSet;

/// A condition that one of the rules needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holding {
    /// A condition of the pod.
    OfPod(Condition),
    /// `OOMKilled` of the container at this place.
    OomAt(usize),
}

/// The choices in each dimension.
pub(super) struct Choices<'r> {
    pub categories: Vec<Option<&'r str>>,
    pub subcategories: Vec<Option<&'r str>>,
    pub conditions: Vec<Vec<Holding>>,
    /// Of each container.
    pub codes: Vec<Vec<Option<i64>>>,
    /// An exit code that no rule lists.
    pub free_code: i64,
}

impl<'r> Choices<'r> {
    pub(super) fn new(layout: &Layout<'_, 'r>, rules: &[&Prepared<'r>]) -> Self {
        let wanted = || layout.wanted.into_iter().flatten();
        let rules_of = || wanted().map(|it| it.rule);
        let codes = (0..layout.scopes.len()).map(|place| {
            if !layout.has_code(place) {
                return vec![None];
            }
            let readers: Vec<&Prepared<'_>> = layout.readers(place).collect();
            common_codes(&readers, rules).into_iter().map(Some).collect()
        });
        let all = || wanted().chain(rules.iter().copied());
        let lists = all().filter_map(|rule| rule.rule.exit_codes.as_ref());
        let listed: BTreeSet<i64> =
            lists.flat_map(|codes| codes.values.iter().copied().map(i64::from)).collect();
        let mut usual = [1, 2, 255].into_iter().chain(3..);
        Self {
            categories: common_names(rules_of().map(|rule| rule.categories.as_slice())),
            subcategories: common_names(rules_of().map(|rule| rule.subcategories.as_slice())),
            conditions: conditions(layout),
            codes: codes.collect(),
            free_code: usual.find(|code| !listed.contains(code)).unwrap_or(OTHER_CODE),
        }
    }

    pub(super) fn sizes(&self) -> Vec<usize> {
        let mut sizes =
            vec![self.categories.len(), self.subcategories.len(), self.conditions.len()];
        sizes.extend(self.codes.iter().map(Vec::len));
        sizes
    }
}

/// The conditions that hold: one of each rule that needs one.
fn conditions(layout: &Layout<'_, '_>) -> Vec<Vec<Holding>> {
    let always = layout.always.map(Holding::OfPod);
    let mut all: Vec<Vec<Holding>> = vec![always.into_iter().collect()];
    for (rule, place) in layout.wanted.into_iter().zip(layout.places) {
        let Some(rule) = rule.filter(|rule| !rule.rule.conditions.is_empty()) else { continue };
        let holding = |condition: &Condition| match (*condition, place) {
            (Condition::OomKilled, Some(place)) => Some(Holding::OomAt(place)),
            // A rule that names a container reads no condition of the pod.
            (other, _) => rule.rule.container.is_none().then_some(Holding::OfPod(other)),
        };
        let own: Vec<Holding> = rule.rule.conditions.iter().filter_map(holding).collect();
        let with = |before: &Vec<Holding>| {
            let each = own.iter().map(|one| {
                let mut set = before.clone();
                if !set.contains(one) {
                    set.push(*one);
                }
                set
            });
            each.collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

/// The names that all lists have which are not empty; a single `None` if all are.
pub(super) fn common_names<'n>(lists: impl Iterator<Item = &'n [String]>) -> Vec<Option<&'n str>> {
    let lists: Vec<&[String]> = lists.filter(|list| !list.is_empty()).collect();
    let Some((first, others)) = lists.split_first() else { return vec![None] };
    let is_common = |name: &&String| others.iter().all(|list| list.contains(name));
    first.iter().filter(is_common).map(|name| Some(name.as_str())).collect()
}

/// The exit codes that some rules of one scope match: one for each way in which the others distinguish them.
pub(super) fn common_codes(readers: &[&Prepared<'_>], others: &[&Prepared<'_>]) -> Vec<i64> {
    use crate::policy::Operator::In;
    let lists = || readers.iter().filter_map(|rule| rule.rule.exit_codes.as_ref());
    let listed = lists().find(|codes| codes.operator == In);
    let listed = listed.map(|codes| codes.values.iter().copied().map(i64::from).collect());
    // The code that no rule lists is accepted by fewest; only rules on `NotIn` may leave a listed one.
    let candidates: BTreeSet<i64> = listed.unwrap_or_else(|| {
        let left_out = others.iter().flat_map(|rule| left_out(rule.rule));
        std::iter::once(OTHER_CODE).chain(left_out).collect()
    });
    let is_common = |code: &i64| *code > 0 && readers.iter().all(|rule| rule.accepts_code(*code));
    candidates.into_iter().filter(is_common).collect()
}
