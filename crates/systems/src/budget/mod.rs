//! Layers of retries that multiply: how often one failing pod runs in all, and which layer ends it.
//!
//! Owns the types that all systems share. A system derives the layers of a manifest from its own
//! rules, for a failure that is the same at every attempt; a product is exact for that failure, which one pod has, and the
//! others do not.

mod failure;
mod model;

pub use failure::BudgetFailure;
pub use model::{BudgetOptions, Layer, LayerBudget};
