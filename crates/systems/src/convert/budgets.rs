//! The retries that a `v1` policy grants, for systems in which all failures share one number.

use super::{Notes, fleet_limit, note_default_limit, note_fleet_limit};
use armada_retry::policy::{Action, RetryPolicy};

/// The retries that each rule and the default of a policy grant.
pub(crate) struct Budgets {
    /// Those of the rules, in order.
    pub rules: Vec<u32>,
    /// Those of the default action.
    pub default: u32,
    /// The largest.
    pub most: u32,
    /// Whether one of them is that of a fleet.
    uses_fleet_limit: bool,
}

impl Budgets {
    /// Returns the budgets of a policy. A rule that fails has none.
    pub fn new(policy: &RetryPolicy) -> Self {
        let mut uses_fleet_limit = false;
        let mut granted = |action, own: Option<u32>| {
            if action == Action::Fail {
                return 0;
            }
            let limit = own.or(policy.retry_limit);
            uses_fleet_limit |= limit.is_none();
            limit.unwrap_or_else(fleet_limit)
        };
        let default = granted(policy.default_action(), None);
        let rules: Vec<u32> =
            policy.rules.iter().map(|rule| granted(rule.action, rule.retry_limit)).collect();
        let most = rules.iter().copied().fold(default, u32::max);
        Self { rules, default, most, uses_fleet_limit }
    }

    /// Notes that the limit of a fleet is written, if it is.
    pub fn note_absent_limit(&self, path: &str, notes: &mut Notes) {
        if self.uses_fleet_limit {
            note_default_limit(path, notes);
        }
    }

    /// Notes what a fleet changes: that its limit is written, or ends a job before the largest budget does.
    pub fn note_fleet(&self, path: &str, notes: &mut Notes) {
        self.note_absent_limit(path, notes);
        note_fleet_limit(self.most, path, notes);
    }
}
