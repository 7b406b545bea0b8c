//! The cause of a difference: an edited term of a rule, a policy or the scheduler, or a rule that takes failures of others.

use super::difference::{Cause, DifferenceKind};
use super::finding::{At, Finding, Origin};
use super::pairs::Pairs;
use super::side::{Level, Side};
use crate::engine::decision::RuleId;
use crate::policy::{Action, Backoff, RetryPolicy, Rule};

/// The rule and the policy of an entry.
type Source<'e> = (Option<&'e Rule>, Option<&'e RetryPolicy>);

impl<'e> Pairs<'_, 'e> {
    /// The cause of a difference; none if failures of one rule are those of another one on the other side.
    pub(super) fn cause(&self, finding: &Finding, counterparts: &[Option<usize>]) -> Option<Cause> {
        if let Origin::Known(cause) = finding.origin {
            return Some(cause);
        }
        let [Some(old), Some(new)] = finding.at else { return Some(Cause::Engine) };
        if self.sides.iter().any(|side| side.is_legacy()) {
            return Some(Cause::Engine);
        }
        let at = (old, new);
        if let Origin::SharedLimit { side, .. } = finding.origin {
            return self.cause_of_shared_limit(at, side);
        }
        let is_same = counterparts.get(old).copied().flatten() == Some(new);
        match finding.kind {
            DifferenceKind::Wait => self.cause_of_wait(at, is_same),
            DifferenceKind::Nodes => self.cause_of_nodes(at, is_same),
            DifferenceKind::Memory => is_same.then_some(Cause::Memory),
            DifferenceKind::PodNames => Some(Cause::Form),
            _ => self.cause_of_end(at, is_same),
        }
    }

    fn cause_of_shared_limit(&self, at: At, stopping: usize) -> Option<Cause> {
        let by_rule = self.sides.map(Side::counts_by_rule);
        if by_rule[0] != by_rule[1] {
            return Some(Cause::Form);
        }
        let globals = self.sides.map(Side::global);
        if globals[stopping] == self.retries(at)[stopping] && globals[0] != globals[1] {
            return Some(Cause::Limit { level: Level::Scheduler, values: globals });
        }
        None
    }

    /// The cause of another number of retries.
    fn cause_of_end(&self, at: At, is_same: bool) -> Option<Cause> {
        let [old, new] = self.entry(at);
        if old.action != new.action || old.action == Action::Fail {
            return is_same.then_some(Cause::Action);
        }
        let globals = self.sides.map(Side::global);
        let values = [old.limit, new.limit];
        if self.retries(at) == globals || values[0] == values[1] {
            return Some(Cause::Limit { level: Level::Scheduler, values: globals });
        }
        if old.limit_level == new.limit_level && old.limit_level != Level::Rule {
            return Some(Cause::Limit { level: old.limit_level, values });
        }
        is_same.then_some(Cause::Limit { level: Level::Rule, values })
    }

    fn cause_of_wait(&self, at: At, is_same: bool) -> Option<Cause> {
        if self.sides[0].evaluator.profile.waits != self.sides[1].evaluator.profile.waits {
            return Some(Cause::Form);
        }
        let sources = self.sources(at);
        if has_own(&sources, |rule| rule.backoff != Backoff::default()) {
            return is_same.then_some(Cause::Backoff(Level::Rule));
        }
        let [old, new] = sources.map(|(_, policy)| policy.map(|it| it.backoff));
        Some(Cause::Backoff(if old == new { Level::Scheduler } else { Level::Policy }))
    }

    fn cause_of_nodes(&self, at: At, is_same: bool) -> Option<Cause> {
        let [old, new] = self.entry(at);
        if old.avoids == new.avoids {
            return Some(Cause::Form);
        }
        let sources = self.sources(at);
        if has_own(&sources, |rule| rule.anti_affinity.is_some() || rule.avoid_same_node) {
            return is_same.then_some(Cause::AntiAffinity(Level::Rule));
        }
        Some(Cause::AntiAffinity(Level::Policy))
    }

    fn sources(&self, at: At) -> [Source<'e>; 2] {
        let source = |side: &Side<'e>, id: Option<RuleId>| {
            let rule = id.and_then(|id| side.evaluator.rule_body(id));
            let policy = id.and_then(|id| side.evaluator.policy_of(id));
            (rule, policy)
        };
        let [old, new] = self.entry(at);
        [source(self.sides[0], old.id), source(self.sides[1], new.id)]
    }

    /// The place in the new list of each rule of the old one: that of the rule with equal matchers, or else that of the
    /// rule between the same neighbours. The defaults are counterparts.
    pub(super) fn counterparts(&self) -> Vec<Option<usize>> {
        let [old, new] = &self.prepared;
        let mut counterparts =
            Counterparts { of_old: vec![None; old.len()], of_new: vec![None; new.len()] };
        for (other, rule) in new.iter().enumerate() {
            let is_equal =
                |one: &usize| counterparts.of_old[*one].is_none() && old[*one].is_equal(rule);
            if let Some(one) = (0..old.len()).find(is_equal) {
                counterparts.join(one, other);
            }
        }
        // An edited rule is after the rule that it was after, or before the rule that it was before.
        for other in 0..new.len() {
            let before = other.checked_sub(1).map(|before| counterparts.of_new[before]);
            let one = before.map_or(Some(0), |before| before.map(|it| it + 1));
            counterparts.join_free(one, other);
        }
        for other in (0..new.len()).rev() {
            let after = counterparts.of_new.get(other + 1);
            let one =
                after.map_or(Some(old.len()), |after| *after).and_then(|it| it.checked_sub(1));
            counterparts.join_free(one, other);
        }
        counterparts.of_old.push(Some(new.len()));
        counterparts.of_old
    }
}

fn has_own(sources: &[Source<'_>; 2], has: impl Fn(&Rule) -> bool) -> bool {
    sources.iter().any(|(rule, _)| rule.is_some_and(&has))
}

/// The counterparts that are known so far.
struct Counterparts {
    of_old: Vec<Option<usize>>,
    of_new: Vec<Option<usize>>,
}

impl Counterparts {
    fn join(&mut self, one: usize, other: usize) {
        (self.of_old[one], self.of_new[other]) = (Some(other), Some(one));
    }

    /// Joins two rules if neither has a counterpart.
    fn join_free(&mut self, one: Option<usize>, other: usize) {
        let Some(one) = one.filter(|one| self.of_old.get(*one) == Some(&None)) else { return };
        if self.of_new[other].is_none() {
            self.join(one, other);
        }
    }
}
