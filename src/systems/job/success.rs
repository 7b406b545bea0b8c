//! Success policies: when the indexes that have succeeded are enough, whatever the others do
//! (`pkg/controller/job/success_policy.go`).

use super::indexes::Indexes;

/// A rule of a success policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuccessRule {
    /// The indexes that it looks at; absent: all.
    pub indexes: Option<Indexes>,
    /// How many of them have to succeed; absent: all.
    pub count: Option<u32>,
}

impl SuccessRule {
    /// Whether these indexes, which have succeeded, are enough.
    fn is_met_by(&self, succeeded: &Indexes) -> bool {
        let Some(indexes) = &self.indexes else {
            return self.count.is_some_and(|count| succeeded.len() >= u64::from(count));
        };
        let found = indexes.common(succeeded);
        let enough = self.count.is_some_and(|count| found >= u64::from(count));
        // A list of no index is no requirement that could be met.
        !indexes.is_empty() && (enough || found == indexes.len())
    }
}

/// The first rule that these indexes, which have succeeded, meet.
pub fn met_rule(rules: &[SuccessRule], succeeded: &Indexes) -> Option<usize> {
    if succeeded.is_empty() {
        return None;
    }
    rules.iter().position(|rule| rule.is_met_by(succeeded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::option::of;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn rule(indexes: Option<&str>, count: Option<u32>) -> SuccessRule {
        SuccessRule { indexes: indexes.map(|text| text.parse().unwrap()), count }
    }

    #[test]
    fn the_first_rule_that_is_met_counts() {
        let rules = [rule(Some("0,2-4"), None), rule(Some("1-3"), Some(2)), rule(None, Some(5))];
        for (succeeded, met) in [
            ("", None),
            ("0,2,3", Some(1)),
            ("0,2-4", Some(0)),
            ("1,4,5", None),
            ("1,5-8", Some(2)),
        ] {
            assert_eq!(met_rule(&rules, &succeeded.parse().unwrap()), met, "{succeeded}");
        }
        // Nothing is met before an index has succeeded, nor ever by a list of none.
        for rule in [rule(None, Some(0)), rule(Some("3"), Some(0)), rule(Some(""), None)] {
            assert_eq!(met_rule(std::slice::from_ref(&rule), &Indexes::default()), None);
            let met = rule.indexes.as_ref().is_none_or(|indexes| !indexes.is_empty());
            assert_eq!(met_rule(&[rule], &"1".parse().unwrap()), met.then_some(0));
        }
    }

    proptest! {
        /// The same, index by index.
        #[test]
        fn a_rule_is_met_by_enough_of_its_indexes(
            indexes in of(prop::collection::btree_set(0_u32..20, 1..9)),
            count in of(0_u32..9),
            succeeded in prop::collection::btree_set(0_u32..20, 0..20),
        ) {
            let set = |all: &BTreeSet<u32>| {
                let mut set = Indexes::default();
                for index in all {
                    set.insert(*index);
                }
                set
            };
            let rule = SuccessRule { indexes: indexes.as_ref().map(set), count };
            let found = indexes.as_ref().map_or(succeeded.len(), |all| all.intersection(&succeeded).count());
            let all = indexes.as_ref().is_some_and(|all| all.is_subset(&succeeded));
            let enough = count.is_some_and(|count| found >= count as usize);
            let met = !succeeded.is_empty() && (all || enough);
            prop_assert_eq!(met_rule(&[rule], &set(&succeeded)).is_some(), met);
        }
    }
}
