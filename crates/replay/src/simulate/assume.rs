//! The assumed outcomes of unresolved jobs. Reports always label them as an assumption.

use super::summary::{RetryOutcomes, RuleCounts, Summary};
use document::names;
use schemars::JsonSchema;
use serde::Serialize;

/// The outcomes that unresolved jobs are assumed to have.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssumptionReport {
    /// `succeed`, `fail` or `observed`.
    pub assume: String,
    /// Jobs whose granted retry is not on record; others that are `Unresolved` stay so.
    pub unresolved: u64,
    /// How many of them are assumed to have succeeded; an expectation with `observed`.
    pub succeeded: f64,
    /// How many of them are assumed to have failed.
    pub failed: f64,
    /// How many cannot be settled: their rule has no recorded retry to go by.
    pub unsettled: u64,
}

names! {
    /// How granted retries whose run is not recorded are settled.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Assume {
        /// All of them succeed.
        Succeed = "succeed",
        /// All of them fail.
        Fail = "fail",
        /// As often as the recorded retries after the same rule succeeded.
        Observed = "observed",
    }
}

impl Assume {
    /// The chance that a retry granted by a rule succeeds; none if no retry of it is recorded.
    pub fn chance(self, counts: &RuleCounts) -> Option<f64> {
        match self {
            Self::Succeed => Some(1.0),
            Self::Fail => Some(0.0),
            Self::Observed => success_share(&counts.retries.sum()),
        }
    }

    /// The assumed outcomes of the unresolved jobs of a summary. `observed` counts all jobs of the history.
    #[expect(clippy::cast_precision_loss, reason = "an expectation")]
    pub fn settle(self, summary: &Summary, observed: &Summary) -> AssumptionReport {
        let mut report = AssumptionReport {
            assume: self.as_str().to_owned(),
            unresolved: 0,
            succeeded: 0.0,
            failed: 0.0,
            unsettled: 0,
        };
        let rules = summary.by_rule.iter().zip(&observed.by_rule);
        for (counts, all) in rules.chain([(&summary.by_no_rule, &observed.by_no_rule)]) {
            let missing = counts.retries.sum().missing;
            report.unresolved += missing;
            match self.chance(all) {
                Some(chance) => {
                    report.succeeded += chance * missing as f64;
                    report.failed += (1.0 - chance) * missing as f64;
                }
                // No chance is known without a recorded retry, and none is made up.
                None => report.unsettled += missing,
            }
        }
        report
    }
}

/// The share of recorded retries that succeeded; none if there are none.
#[expect(clippy::cast_precision_loss, reason = "a share")]
fn success_share(retries: &RetryOutcomes) -> Option<f64> {
    let recorded = retries.recorded();
    (recorded > 0).then(|| retries.runs.succeeded.runs as f64 / recorded as f64)
}
