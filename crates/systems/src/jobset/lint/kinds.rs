//! The kinds of failures that a rule decides about: disruptions, OOM kills and others.

use super::failures::{Case, Failures};
use crate::job::FailureReason;
use crate::jobset::manifest::{Action, Rule};

/// Returns the part of the set that an action restarts without counting; `None` if it does not.
pub(super) fn free_restart(action: Action) -> Option<&'static str> {
    match action {
        Action::RestartJobSetAndIgnoreMaxRestarts => Some("the set"),
        Action::RestartJobAndIgnoreMaxRestarts => Some("the failed Job"),
        Action::FailJobSet | Action::RestartJobSet | Action::RestartJob => None,
    }
}

/// Returns the disruptions that a rule on the reason decides about, and the other failures by rules of `podFailurePolicy`;
/// `None` if these do not differ, or the rule is for other reasons too.
pub(super) fn kinds<'c, 'a>(
    failures: &'c Failures<'a>,
    number: usize,
    rule: &Rule,
) -> Option<(Vec<&'c Case<'a>>, Vec<&'c Case<'a>>)> {
    // A restart that counts is what happens without a rule too.
    let has_effect = !matches!(rule.action, Action::RestartJobSet | Action::RestartJob);
    let reaching: Vec<&Case<'_>> = failures.reaching(number).collect();
    let is_by_rule = |case: &&Case<'_>| case.failure.reason == FailureReason::PodFailurePolicy;
    if !has_effect || rule.reasons.is_empty() || !reaching.iter().all(is_by_rule) {
        return None;
    }
    let (disruptions, others): (Vec<_>, Vec<_>) =
        reaching.into_iter().partition(|case| case.failure.is_disruption());
    (!disruptions.is_empty() && !others.is_empty()).then_some((disruptions, others))
}

/// Returns the OOM kills for which a rule restarts; `None` if there are none, or if its reason is that of disruptions and
/// other failures too, which is another finding.
pub(super) fn kills<'a>(
    failures: &Failures<'a>,
    number: usize,
    rule: &Rule,
) -> Option<Vec<Case<'a>>> {
    let kinds = kinds(failures, number, rule);
    let is_for_disruptions = kinds.is_some();
    let own = match kinds {
        Some((_, others)) => others,
        None => failures.reaching(number).filter(|case| case.is_own_failure()).collect(),
    };
    let (kills, others) = failures.divide_kills(&own);
    let is_kept = !kills.is_empty() && (others.is_empty() || !is_for_disruptions);
    is_kept.then_some(kills)
}
