//! Sets of exit codes, with which the rules of both systems are split and joined.
//!
//! Exit codes are the numbers from 1. 0 is success and matches in neither system, and no process ends with a
//! negative code.

use crate::job::manifest;
use armada_retry::policy::{ExitCodes, Operator};
use std::collections::BTreeSet;

/// A set of exit codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CodeSet {
    /// The listed codes.
    Only(BTreeSet<i32>),
    /// All codes but the listed ones.
    AllBut(BTreeSet<i32>),
}

impl CodeSet {
    /// Returns the codes that a pod failure policy's requirement admits.
    pub fn of(codes: &manifest::ExitCodes) -> Self {
        let values = codes.values.iter().copied().filter(|code| *code > 0).collect();
        match codes.operator {
            Some(manifest::Operator::In) => Self::Only(values),
            Some(manifest::Operator::NotIn) => Self::AllBut(values),
            None => Self::Only(BTreeSet::new()),
        }
    }

    /// Returns whether the set has no code.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Only(codes) if codes.is_empty())
    }

    /// Returns the codes in this set that are not in the other.
    pub fn minus(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Only(a), Self::Only(b)) => Self::Only(a - b),
            (Self::Only(a), Self::AllBut(b)) => Self::Only(a & b),
            (Self::AllBut(a), Self::Only(b)) => Self::AllBut(a | b),
            (Self::AllBut(a), Self::AllBut(b)) => Self::Only(b - a),
        }
    }

    /// Returns the codes in either set.
    pub fn or(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Only(a), Self::Only(b)) => Self::Only(a | b),
            (Self::Only(a), Self::AllBut(b)) | (Self::AllBut(b), Self::Only(a)) => {
                Self::AllBut(b - a)
            }
            (Self::AllBut(a), Self::AllBut(b)) => Self::AllBut(a & b),
        }
    }

    /// Returns Armada's matchers of exactly these codes, one for each rule that is needed. Armada's lists are
    /// never empty: all codes are split into 1 and all but 1.
    pub fn matchers(&self) -> Vec<ExitCodes> {
        let matcher = |operator, codes: &BTreeSet<i32>| ExitCodes {
            operator,
            values: codes.iter().copied().collect(),
        };
        match self {
            Self::Only(codes) if codes.is_empty() => Vec::new(),
            Self::Only(codes) => vec![matcher(Operator::In, codes)],
            Self::AllBut(codes) if codes.is_empty() => {
                let one = BTreeSet::from([1]);
                vec![matcher(Operator::In, &one), matcher(Operator::NotIn, &one)]
            }
            Self::AllBut(codes) => vec![matcher(Operator::NotIn, codes)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn set() -> impl Strategy<Value = CodeSet> {
        let codes = prop::collection::btree_set(1..6, 0..4);
        (codes, any::<bool>()).prop_map(|(codes, only)| {
            if only { CodeSet::Only(codes) } else { CodeSet::AllBut(codes) }
        })
    }

    fn has(set: &CodeSet, code: i32) -> bool {
        match set {
            CodeSet::Only(codes) => codes.contains(&code),
            CodeSet::AllBut(codes) => !codes.contains(&code),
        }
    }

    proptest! {
        /// For every code, set operations and matchers agree with membership.
        #[test]
        fn sets_are_those_of_their_codes(a in set(), b in set(), code in 1..8) {
            prop_assert_eq!(has(&a.minus(&b), code), has(&a, code) && !has(&b, code));
            prop_assert_eq!(has(&a.or(&b), code), has(&a, code) || has(&b, code));
            let matched = a.matchers().iter().any(|matcher| {
                matcher.values.contains(&code) == (matcher.operator == Operator::In)
            });
            prop_assert_eq!(matched, has(&a, code));
            prop_assert!(a.matchers().iter().all(|matcher| !matcher.values.is_empty()));
        }
    }
}
