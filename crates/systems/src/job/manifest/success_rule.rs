//! A rule of a success policy.

use super::indexes::Indexes;

/// A rule of a success policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuccessRule {
    /// The indexes that count; absent means all.
    pub indexes: Option<Indexes>,
    /// The number of them that have to succeed; absent means all.
    pub count: Option<u32>,
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
