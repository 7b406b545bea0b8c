//! The retries that are left after a failure, and the time that they last.

use document::diag::plural;
use schemars::JsonSchema;
use serde::Serialize;
use systems::BudgetWaits;

/// The retries that are left after a failure.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemainingBudget {
    /// Their number, that of this decision included.
    pub retries: usize,
    /// The sum of the waits before them in seconds.
    pub wait_seconds: f64,
    /// The time that they last, in a sentence.
    pub message: String,
}

impl RemainingBudget {
    /// The budget of some waits.
    pub fn new(waits: &BudgetWaits) -> Self {
        let retries = waits.waits.len();
        let noun = plural(retries, "retry", "retries");
        Self {
            retries,
            wait_seconds: waits.sum().0,
            message: format!("the {noun} from here on {waits}"),
        }
    }
}
