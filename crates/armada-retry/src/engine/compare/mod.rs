//! Two lists of policies, compared over all failures and all sequences of them.
//!
//! Failures that are first matched by the same rule of each side are one class: whether there is one, and the one that
//! fewest other rules match, is searched in the space of all failures. Sides that decide each class alike after every number
//! of retries are the same. A difference has the shortest sequence of failures after which it occurs, and the sequence is
//! decided by both evaluators before it is returned. Differences with one cause are a group, which has its smallest ones.
//!
//! The comparison is of the consequences for a job: another run or none, its wait, the nodes that it avoids, its memory and
//! the name of its pod. The texts of reasons are not compared. Reloads, gangs and `failFast` are left out.

mod cause;
mod difference;
mod failure;
mod finding;
mod flow;
mod group;
mod pairs;
mod sequence;
mod side;
#[cfg(test)]
mod tests;

pub use difference::{Cause, Comparison, Difference, DifferenceKind, Group, Undecided};
pub use failure::WitnessFailure;
pub use side::{Level, Side};

use pairs::Pairs;

/// Compares two sides: the one before a change, and the one after it.
pub fn compare(old: &Side<'_>, new: &Side<'_>) -> Comparison {
    Pairs::new(old, new).compare()
}
