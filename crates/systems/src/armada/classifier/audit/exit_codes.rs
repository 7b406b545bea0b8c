//! The first rule on exit codes that matches a failed container, and the codes that the fewest rules match.

use super::rule::{AuditedRule, Test};
use super::steps::Steps;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The limit of earlier rules that are compared with one rule in the search for one that covers it, so that this search
/// takes no longer than the rest.
const MOST_COMPARED: usize = 64;

/// The rules on exit codes, by the name of their container.
#[derive(Debug)]
pub(super) struct ExitCodeIndex {
    groups: HashMap<String, Group>,
    /// The codes of all rules and one that none has, those first that the fewest rules without a container match.
    codes: Vec<i64>,
}

/// The rules on exit codes of one container; those without a container have the empty name.
#[derive(Debug, Default)]
struct Group {
    /// The rules with `In` that have a code, in order.
    by_code: HashMap<i64, Vec<usize>>,
    /// The rules with `NotIn` and their codes, in order.
    not_in: Vec<(usize, HashSet<i64>)>,
    /// The first rule with `NotIn` that matches a code of the first such rule.
    not_in_first: HashMap<i64, Option<usize>>,
    /// The codes of the group, those first that the fewest rules match.
    own: Vec<i64>,
    /// Other codes, in the same order: all of them for containers that rules without a container are tried with, else the
    /// first.
    others: Vec<i64>,
}

impl Group {
    fn add(&mut self, number: usize, is_in: bool, values: &[i64]) {
        // Containers with exit code 0 did not fail.
        let values: HashSet<i64> = values.iter().copied().filter(|code| *code != 0).collect();
        if is_in {
            for code in values {
                self.by_code.entry(code).or_default().push(number);
            }
        } else {
            self.not_in.push((number, values));
        }
    }

    /// Finds the first rule with `NotIn` for each code of the first one. Each step continues with the codes that all rules
    /// before have.
    fn find_not_in_firsts(&mut self, steps: &Steps) {
        let Some((_, values)) = self.not_in.first() else { return };
        let mut rest: Vec<i64> = values.iter().copied().collect();
        for (number, values) in self.not_in.iter().skip(1) {
            steps.add(rest.len() as u64 + 1);
            if rest.is_empty() {
                break;
            }
            let (same, others) = rest.into_iter().partition(|code| values.contains(code));
            rest = same;
            let others: Vec<i64> = others;
            self.not_in_first.extend(others.into_iter().map(|code| (code, Some(*number))));
        }
        self.not_in_first.extend(rest.into_iter().map(|code| (code, None)));
    }

    fn first(&self, code: i64) -> Option<usize> {
        let with_in = self.by_code.get(&code).and_then(|rules| rules.first()).copied();
        // A code that no `NotIn` rule lists is matched by the first of them.
        let without = self.not_in_first.get(&code).copied();
        let not_in = without.unwrap_or_else(|| self.not_in.first().map(|(number, _)| *number));
        with_in.into_iter().chain(not_in).min()
    }

    fn own_codes(&self) -> BTreeSet<i64> {
        let not_in = self.not_in.iter().flat_map(|(_, values)| values);
        self.by_code.keys().chain(not_in).copied().collect()
    }
}

impl ExitCodeIndex {
    /// Creates the index. `tried` are the containers that rules without a container are tried with.
    pub(super) fn new(rules: &[AuditedRule], tried: &[&str], steps: &Steps) -> Self {
        let mut groups: HashMap<String, Group> = HashMap::new();
        for (number, rule) in rules.iter().enumerate() {
            if let Test::ExitCodes { is_in, values } = &rule.test {
                groups.entry(rule.container.clone()).or_default().add(number, *is_in, values);
            }
        }
        for group in groups.values_mut() {
            group.find_not_in_firsts(steps);
        }
        let mut codes: BTreeSet<i64> = groups.values().flat_map(Group::own_codes).collect();
        // A code that no rule lists stands for all others.
        let unused = (1..=i64::from(i32::MAX)).find(|code| !codes.contains(code));
        codes.extend(unused);
        let mut index = Self { groups, codes: codes.into_iter().collect() };
        // Taken out while the keys are computed, as these borrow the index.
        let mut codes = std::mem::take(&mut index.codes);
        codes.sort_by_key(|code| index.rank("", *code));
        index.codes = codes;
        let names: Vec<String> = index.groups.keys().cloned().collect();
        for name in names.iter().map(String::as_str).chain(tried.iter().copied()) {
            index.order(name, tried.contains(&name), steps);
        }
        index
    }

    /// Sorts the codes of a container.
    fn order(&mut self, name: &str, are_all_tried: bool, steps: &Steps) {
        let group = self.groups.get(name);
        let own = group.map(Group::own_codes).unwrap_or_default();
        let others = self.codes.iter().copied().filter(|code| !own.contains(code));
        let most = if are_all_tried { usize::MAX } else { 1 };
        let others: Vec<i64> = others.take(most).collect();
        let mut own: Vec<i64> = own.into_iter().collect();
        own.sort_by_key(|code| self.rank(name, *code));
        steps.add((own.len() + others.len()) as u64);
        // The group may be new: a container that is tried has no rule of its own.
        let group = self.groups.entry(name.to_owned()).or_default();
        (group.own, group.others) = (own, others);
    }

    /// A key by which codes that fewer rules match come first.
    fn rank(&self, name: &str, code: i64) -> std::cmp::Reverse<usize> {
        std::cmp::Reverse(self.first(name, code).unwrap_or(usize::MAX))
    }

    /// Returns the first rule that matches a container of this name and exit code.
    pub(super) fn first(&self, name: &str, code: i64) -> Option<usize> {
        let own = self.groups.get(name).filter(|_| !name.is_empty());
        let general = self.groups.get("");
        own.into_iter().chain(general).filter_map(|group| group.first(code)).min()
    }

    /// Returns the codes of a failed container to try a rule with: all of a rule with `In`, else the two that the fewest
    /// other rules match, one of those that rules on the container name and one of the others.
    pub(super) fn codes_for(&self, rule: &AuditedRule, name: &str, steps: &Steps) -> Vec<i64> {
        let excluded: HashSet<i64> = match &rule.test {
            Test::ExitCodes { is_in: true, values } => {
                let values: BTreeSet<i64> =
                    values.iter().copied().filter(|code| *code != 0).collect();
                return values.into_iter().collect();
            }
            Test::ExitCodes { values, .. } => values.iter().copied().collect(),
            _ => HashSet::new(),
        };
        let is_allowed = |code: &&i64| {
            steps.add(1);
            !excluded.contains(*code)
        };
        let Some(group) = self.groups.get(name) else {
            return self.codes.first().copied().into_iter().collect();
        };
        let own = group.own.iter().find(is_allowed);
        own.into_iter().chain(group.others.iter().find(is_allowed)).copied().collect()
    }

    /// Returns the first rule that matches every failed container of this name.
    pub(super) fn first_of_all(&self, name: &str) -> Option<usize> {
        let groups = [name, ""].into_iter().filter_map(|name| self.groups.get(name));
        let all = groups.filter_map(|group| {
            let mut matching = group.not_in.iter().take(MOST_COMPARED);
            matching.find(|(_, values)| values.is_empty()).map(|(number, _)| *number)
        });
        all.min()
    }

    /// Returns a rule on exit codes before this one, and among the first of those, that matches every exit code that it
    /// matches. `name` is its container.
    pub(super) fn covering(&self, number: usize, rule: &AuditedRule) -> Option<usize> {
        let Test::ExitCodes { is_in, values } = &rule.test else { return None };
        let name = rule.container.as_str();
        // 0 is no failure, so that no rule has to cover it.
        let values: HashSet<i64> = values.iter().copied().filter(|code| *code != 0).collect();
        if let (true, 1, Some(code)) = (*is_in, values.len(), values.iter().next()) {
            return self.first(name, *code).filter(|found| *found < number);
        }
        let names = if name.is_empty() { &[""][..] } else { &[name, ""] };
        let groups = || names.iter().filter_map(|name| self.groups.get(*name));
        let not_in = groups().filter_map(|group| {
            let mut earlier = group.not_in.iter().take(MOST_COMPARED);
            let covers = |excluded: &HashSet<i64>| {
                if *is_in { excluded.is_disjoint(&values) } else { excluded.is_subset(&values) }
            };
            earlier.find(|(_, excluded)| covers(excluded)).map(|(number, _)| *number)
        });
        let found = not_in.min();
        let with_in = is_in.then(|| groups().filter_map(|group| group.covering(&values)).min());
        found.into_iter().chain(with_in.flatten()).filter(|found| *found < number).min()
    }
}

impl Group {
    /// Returns a rule with `In` that has all of these codes: one of the first with the code that fewest rules have.
    fn covering(&self, values: &HashSet<i64>) -> Option<usize> {
        let lists: Option<Vec<&Vec<usize>>> =
            values.iter().map(|code| self.by_code.get(code)).collect();
        let lists = lists?;
        let rarest = lists.iter().min_by_key(|list| list.len())?;
        // The lists are in the order of rules, and therefore sorted.
        let has_all = |rule: &&usize| lists.iter().all(|list| list.binary_search(rule).is_ok());
        rarest.iter().take(MOST_COMPARED).find(has_all).copied()
    }
}
