//! Runs without containers: expired leases and preempted runs.

use super::choices::common_names;
use super::{CommonFailure, Pair, Symptoms};
use crate::policy::cover::uncovered;
use crate::policy::reachability::accepts_name;
use crate::policy::{Condition, Rule};

impl<'r> Pair<'_, 'r> {
    /// Searches a run without containers that both rules are the first of their lists to match.
    pub(crate) fn search_bare(&self) -> CommonFailure<'r> {
        let wanted = self.wanted();
        let wanted: Vec<&Rule> = wanted.into_iter().flatten().map(|it| it.rule).collect();
        if wanted.iter().any(|rule| reads_a_container(rule)) {
            return CommonFailure::Absent;
        }
        let earlier = |side: usize| self.lists[side].iter().take(self.numbers[side]);
        let earlier = earlier(0).chain(earlier(1)).map(|it| it.rule);
        let earlier: Vec<&Rule> = earlier.filter(|rule| !reads_a_container(rule)).collect();
        let categories = common_names(wanted.iter().map(|rule| rule.categories.as_slice()));
        let subcategories = common_names(wanted.iter().map(|rule| rule.subcategories.as_slice()));
        let lists = wanted.iter().map(|rule| rule.conditions.as_slice());
        let conditions = lists
            .filter(|list| !list.is_empty())
            .fold(vec![self.always.into_iter().collect()], |sets, list| one_of_each(&sets, list));
        let accepts = |rule: usize, dimension: usize, choice: usize| {
            let rule = earlier[rule];
            let holds = |it: &Condition| conditions[choice].contains(it);
            match dimension {
                0 => accepts_name(&rule.categories, categories[choice]),
                1 => accepts_name(&rule.subcategories, subcategories[choice]),
                _ => rule.conditions.is_empty() || rule.conditions.iter().any(holds),
            }
        };
        let sizes = [categories.len(), subcategories.len(), conditions.len()];
        let found = match uncovered(&sizes, (0..earlier.len()).collect(), accepts) {
            Ok(found) => found,
            Err(coverage) if coverage.is_covered() => return CommonFailure::Absent,
            Err(_) => return CommonFailure::Unknown,
        };
        let [category, subcategory, condition] = found.as_slice() else {
            return CommonFailure::Unknown;
        };
        CommonFailure::Found(Symptoms {
            conditions: conditions[*condition].clone(),
            category: categories[*category].unwrap_or_default(),
            subcategory: subcategories[*subcategory].unwrap_or_default(),
            ..Symptoms::default()
        })
    }
}

/// Whether a rule matches no run without containers.
fn reads_a_container(rule: &Rule) -> bool {
    rule.exit_codes.is_some()
        || rule.message.is_some()
        || rule.container.is_some() && !rule.conditions.is_empty()
}

/// The sets of conditions with one more of a list each.
fn one_of_each(sets: &[Vec<Condition>], list: &[Condition]) -> Vec<Vec<Condition>> {
    let with = |set: &Vec<Condition>, more: &Condition| {
        let mut set = set.clone();
        if !set.contains(more) {
            set.push(*more);
        }
        set
    };
    sets.iter().flat_map(|set| list.iter().map(move |more| with(set, more))).collect()
}
