//! The settings of a copy.

use super::names::NameKind;
use crate::disruption::Disruptions;
use crate::history::OnBadRecord;
use armada_retry::policy::RetryPolicy;

/// The settings of a copy.
#[derive(Debug)]
pub struct Settings<'s> {
    /// The treatment of bad records.
    pub on_bad: OnBadRecord,
    /// Random hash key, against crafted collisions.
    pub hash_key: (u64, u64),
    /// The kinds of names that stay.
    pub keep: &'s [NameKind],
    /// Policies that match the copy as they match the history.
    pub policies: &'s [&'s RetryPolicy],
    /// The table by which sources recognise disruptions.
    pub disruptions: &'s Disruptions,
}
