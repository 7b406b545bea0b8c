//! A row of the table.

use super::kind::{Kind, Source, System};
use super::sign::Sign;
use armada_retry::policy::Condition;

/// One sign of one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The program that leaves the sign.
    pub system: System,
    /// The source that has it.
    pub source: Source,
    /// The sign.
    pub sign: Sign,
    /// The kind of the disruption.
    pub kind: Kind,
    /// The condition of the run under Armada's engines; none if the run gets none.
    pub condition: Option<Condition>,
    /// Whether the sign counts.
    pub enabled: bool,
    /// The document or code that defines the sign.
    pub rule: &'static str,
    /// The end of a note about one run and about several with a sign that is off: what they probably were, and how to
    /// count them.
    pub hint: Option<[&'static str; 2]>,
}
