//! The categories and subcategories that rules, defaults and Armada itself assign.

use super::reach::Reached;
use crate::armada::classifier::config::CategoryConfig;
use document::diag::Place;

/// A category and subcategory that a rule, a default or Armada itself assigns.
#[derive(Debug)]
pub(super) struct Assigned<'c> {
    pub(super) category: &'c str,
    pub(super) subcategory: &'c str,
    /// The place of the rule or of the default; `None` for Armada's own.
    pub(super) place: Option<&'c Place>,
    /// The category of the rule.
    pub(super) config: Option<&'c CategoryConfig>,
    /// The cluster of the configuration.
    pub(super) cluster: Option<&'c str>,
    pub(super) reached: Reached,
    /// The place of the rule because of which the pod is kept although the category deletes pods.
    pub(super) kept_by: Option<&'c Place>,
    /// Why policies never see its failures, if they do not.
    pub(super) never: Option<NeverSeen<'c>>,
}

/// Why policies see no failure of a rule.
#[derive(Debug, Clone, Copy)]
pub(super) enum NeverSeen<'c> {
    /// It matches no failure.
    MatchesNothing,
    /// It is on what only the first pass reads, in a category that keeps pods.
    Unread,
    /// An earlier rule matches all its failures.
    CoveredBy(&'c Place),
    /// Earlier rules together match all its failures, or checks of failed pods return them.
    CoveredByAll,
}
