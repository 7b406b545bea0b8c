//! A rule of a success policy.

use super::indexes::Indexes;
use document::diag::Code;
use document::{Kind, document};

document! {
    /// Indexes that have to succeed, or how many.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SuccessRule = "success rule" {
        /// The indexes, such as `0,2-4`; absent means all.
        pub indexes as "succeededIndexes": Option<Indexes>,
        /// How many of these have to succeed; absent means all of succeededIndexes.
        pub count as "succeededCount": Option<u32>
            => Kind::Whole { min: 0, max: i32::MAX as i128, code: Code::OutOfRange },
    }
}

impl SuccessRule {
    /// Returns whether these succeeded indexes are enough.
    pub(in crate::job) fn is_met_by(&self, succeeded: &Indexes) -> bool {
        let Some(indexes) = &self.indexes else {
            return self.count.is_some_and(|count| succeeded.len() >= u64::from(count));
        };
        let found = indexes.common(succeeded);
        let enough = self.count.is_some_and(|count| found >= u64::from(count));
        // An empty list can never be met.
        !indexes.is_empty() && (enough || found == indexes.len())
    }
}
