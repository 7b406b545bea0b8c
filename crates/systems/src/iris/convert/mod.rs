//! Conversion between an Iris profile and a `v1` policy.
//!
//! A task is tried until it succeeds or one of its budgets is spent, as an Armada job is run. A job of one
//! task corresponds to an Armada job, a gang to a gang. The default action decides about failures; rules
//! before it decide about lost attempts: `outcomes` lists them. Iris has one budget for all lost attempts,
//! Armada one per rule. An attempt whose worker had not begun with it is free in Iris. It corresponds to a
//! returned lease in Armada, which costs no retry either, and which no policy mentions.
//!
//! The conversion of a job of one task is exact if its lost attempts are not retried. If it has a budget for
//! them, only the cost of an expired lease differs.

mod from_v1;
mod outcomes;
mod to_v1;

pub use from_v1::from_v1;
pub use to_v1::to_v1;
