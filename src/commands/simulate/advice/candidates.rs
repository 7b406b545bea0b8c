//! Changes of policies that the record supports, before they are replayed.

use armada_retry::policy::{Action, ExitCodes, Form, PolicyChange, RetryPolicy, Rule};
use replay::simulate::{
    FLAGGED_PRICE, FLAGGED_SHARE, KNEE_PRICE, KNEE_SHARE, KindEvidence, RateReport, RetryCost,
    RuleLabel, SimulationReport,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use systems::armada::rule_for_kind;

/// The retries on record that a change of a decision needs: of 10 the 95 % interval is 55 points wide at most.
const LEAST_RUNS: u64 = 10;

/// The least share of retries that succeeded, at the lower end of its interval, after which retries are proposed.
const LEAST_SHARE: f64 = 0.25;

/// A change of a policy.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) policy: String,
    pub(super) change: PolicyChange,
    /// The kinds of failure that it is for.
    pub(super) kinds: Vec<String>,
    /// Its worth by the record alone, in the unit of cost.
    estimate: f64,
}

/// The policies that may be changed, and what the record shows about their decisions.
pub(super) struct Search<'s> {
    pub(super) policies: &'s [Arc<RetryPolicy>],
    pub(super) form: Form,
    pub(super) rules: &'s [RuleLabel],
    pub(super) report: &'s SimulationReport,
}

/// A rule or default with its policy.
struct Decider<'s> {
    policy: &'s RetryPolicy,
    index: Option<usize>,
}

impl<'s> Decider<'s> {
    fn rule(&self) -> Option<&'s Rule> {
        self.policy.rules.get(self.index?)
    }

    fn action(&self) -> Action {
        self.rule().map_or_else(|| self.policy.default_action(), |rule| rule.action)
    }

    /// The index of a rule that is evaluated before it.
    fn before(&self) -> usize {
        self.index.unwrap_or(self.policy.rules.len())
    }
}

impl<'s> Search<'s> {
    /// The changes, those of the largest estimated worth first.
    pub(super) fn candidates(&self) -> Vec<Candidate> {
        let mut all = self.merged(self.rules_for_kinds());
        all.extend(self.changes_of_rules());
        all.extend(self.lower_limit());
        all.retain(|candidate| candidate.estimate > 0.0);
        // Sorting is stable: of equal ones the first is replayed.
        all.sort_by(|one, other| other.estimate.total_cmp(&one.estimate));
        all
    }

    fn decider(&self, number: usize) -> Option<Decider<'s>> {
        let RuleLabel { policy, index, .. } = self.rules.get(number)?;
        let policy = self.policies.iter().find(|own| own.name.as_str() == policy)?;
        Some(Decider { policy, index: *index })
    }

    /// Whether refused retries succeeded often enough on record to be granted.
    fn is_worth(&self, refused: RetryCost) -> bool {
        let answer = &self.report.answer;
        let all = answer.on_record("retries").filter(|all| *all > 0.0);
        let share = answer.on_record("retriesSucceeded").zip(all).map(|(part, all)| part / all);
        let share = share.unwrap_or_default();
        let rate = RateReport::of(refused.succeeded, refused.runs);
        refused.runs >= LEAST_RUNS
            && rate.is_some_and(|rate| rate.low >= LEAST_SHARE && rate.share >= share)
    }

    /// Whether granted retries cost much more than the others for what they bring.
    fn is_wasted(&self, granted: RetryCost) -> bool {
        let zero = RetryCost::default();
        let all = self.evidence().iter().fold(zero, |all, next| all.plus(next.granted));
        let others = (all.succeeded - granted.succeeded, all.failed_cost - granted.failed_cost);
        let is_large = granted.failed_cost >= FLAGGED_SHARE * all.failed_cost;
        // The prices as products, so that no success of `granted` is no division by zero.
        let is_expensive = match others.0 {
            0 => granted.succeeded == 0,
            succeeded => {
                granted.failed_cost * count(succeeded)
                    >= FLAGGED_PRICE * others.1 * count(granted.succeeded)
            }
        };
        granted.runs >= LEAST_RUNS && is_large && is_expensive
    }

    fn evidence(&self) -> &'s [KindEvidence] {
        &self.report.answer.evidence
    }

    /// A rule for each kind of failure whose best action on record is another than the one that was taken.
    fn rules_for_kinds(&self) -> Vec<Candidate> {
        let mut all = Vec::new();
        for KindEvidence { kind, rule, refused, granted } in self.evidence() {
            let Some(decider) = self.decider(*rule) else { continue };
            let (action, estimate) = match decider.action() {
                Action::Fail if self.is_worth(*refused) => (Action::Retry, gain(*refused)),
                Action::Retry if self.is_wasted(*granted) => (Action::Fail, -gain(*granted)),
                _ => continue,
            };
            let Some(new) = rule_for_kind(self.form, kind, action) else { continue };
            all.push(Candidate {
                policy: decider.policy.name.as_str().to_owned(),
                change: PolicyChange::Insert(decider.before(), new),
                kinds: vec![kind.to_string()],
                estimate,
            });
        }
        all
    }

    /// The rules, of which those of a place that differ in the values of one list are one.
    fn merged(&self, single: Vec<Candidate>) -> Vec<Candidate> {
        let mut places: BTreeMap<(String, usize, &'static str), Candidate> = BTreeMap::new();
        for next in single.iter().filter(|_| self.form == Form::V1) {
            let PolicyChange::Insert(at, rule) = &next.change else { continue };
            let [matcher] = rule.matchers()[..] else { continue };
            let key = (next.policy.clone(), *at, matcher.field());
            let Some(all) = places.get_mut(&key) else {
                places.insert(key, next.clone());
                continue;
            };
            let PolicyChange::Insert(_, merged) = &mut all.change else { continue };
            if merged.action == rule.action && add_values(merged, rule) {
                all.kinds.extend(next.kinds.iter().cloned());
                all.estimate += next.estimate;
            }
        }
        let several: Vec<Candidate> =
            places.into_values().filter(|all| all.kinds.len() > 1).collect();
        let is_part = |one: &Candidate| {
            let is_whole = |all: &Candidate| {
                all.policy == one.policy
                    && all.change.path() == one.change.path()
                    && one.kinds.iter().all(|kind| all.kinds.contains(kind))
            };
            several.iter().any(is_whole)
        };
        let single: Vec<Candidate> = single.into_iter().filter(|one| !is_part(one)).collect();
        several.into_iter().chain(single).collect()
    }

    /// The other action of a rule or none, and a higher limit of one that has used it up.
    fn changes_of_rules(&self) -> Vec<Candidate> {
        let mut sums: BTreeMap<usize, (RetryCost, RetryCost)> = BTreeMap::new();
        for KindEvidence { rule, refused, granted, .. } in self.evidence() {
            let (all_refused, all_granted) = sums.entry(*rule).or_default();
            *all_refused = all_refused.plus(*refused);
            *all_granted = all_granted.plus(*granted);
        }
        let mut all = Vec::new();
        for (number, (refused, granted)) in sums {
            let Some(decider) = self.decider(number) else { continue };
            let change = match (decider.action(), decider.index.zip(decider.rule())) {
                (Action::Fail, Some((at, rule))) if self.is_worth(refused) => {
                    let rule = Rule { action: Action::Retry, ..rule.clone() };
                    Some((PolicyChange::Replace(at, rule), gain(refused)))
                }
                (Action::Retry, _) if self.is_worth(refused) => {
                    self.higher_limit(&decider).map(|change| (change, gain(refused)))
                }
                (Action::Retry, Some((at, rule))) if self.is_wasted(granted) => {
                    Some((PolicyChange::Replace(at, failing(rule)), -gain(granted)))
                }
                _ => None,
            };
            // Under the default Fail, `lint` flags an explicit Fail at the end; removing the rule is another way.
            let removed = match &change {
                Some((PolicyChange::Replace(at, rule), estimate))
                    if rule.action == Action::Fail =>
                {
                    Some((PolicyChange::Remove(*at), *estimate))
                }
                _ => None,
            };
            all.extend(change.into_iter().chain(removed).map(|(change, estimate)| Candidate {
                policy: decider.policy.name.as_str().to_owned(),
                change,
                kinds: Vec::new(),
                estimate,
            }));
        }
        all
    }

    /// Twice the limit that ended most jobs of a rule or default.
    fn higher_limit(&self, decider: &Decider<'_>) -> Option<PolicyChange> {
        let ended = self.report.summary.failed_by.iter().filter(|row| {
            row.policy.as_deref() == Some(decider.policy.name.as_str())
                && row.rule_index == decider.index
        });
        let twice = |limit: u32| limit.saturating_mul(2).max(1);
        match (ended.max_by_key(|row| row.jobs)?.decision.as_str(), decider.index) {
            ("fail_rule_limit", Some(at)) => {
                let limit = decider.rule()?.retry_limit?;
                Some(PolicyChange::RuleRetryLimit(at, twice(limit)))
            }
            ("fail_policy_limit", _) => {
                Some(PolicyChange::RetryLimit(twice(decider.policy.limit()?)))
            }
            _ => None,
        }
    }

    /// The knee of the retries of the only policy by their number: the limit that keeps nearly all successes, or after
    /// which the next one costs much more.
    fn lower_limit(&self) -> Option<Candidate> {
        let [policy] = self.policies else { return None };
        let unit = self.report.answer.unit;
        let numbered = self.report.summary.by_retry.iter();
        let numbered: Vec<(u32, RetryCost)> = numbered
            .filter_map(|row| Some((row.retry?, RetryCost::of(&row.outcomes, unit))))
            .collect();
        let price = |cost: &RetryCost| {
            (cost.succeeded > 0).then(|| cost.failed_cost / count(cost.succeeded))
        };
        let first_price = numbered.iter().find_map(|(_, cost)| price(cost))?;
        let all: u64 = numbered.iter().map(|(_, cost)| cost.succeeded).sum();
        let mut kept = 0;
        let at = numbered.windows(2).position(|pair| {
            kept += pair[0].1.succeeded;
            let is_expensive = price(&pair[1].1).is_none_or(|next| next > KNEE_PRICE * first_price);
            kept > 0 && (is_expensive || count(kept) >= KNEE_SHARE * count(all))
        })?;
        let (limit, further) = (numbered[at].0, &numbered[at + 1..]);
        let further = further.iter().fold(RetryCost::default(), |all, (_, next)| all.plus(*next));
        let is_lower = policy.limit().is_none_or(|own| own > limit);
        (is_lower && further.runs >= LEAST_RUNS).then(|| Candidate {
            policy: policy.name.as_str().to_owned(),
            change: PolicyChange::RetryLimit(limit),
            kinds: Vec::new(),
            estimate: -gain(further),
        })
    }
}

/// The cost of retries that succeed, less that of the others.
fn gain(retries: RetryCost) -> f64 {
    retries.succeeded_cost - retries.failed_cost
}

/// The rule with the action Fail, and without what only a retry has.
fn failing(rule: &Rule) -> Rule {
    Rule {
        container: rule.container.clone(),
        include_init_containers: rule.include_init_containers,
        exit_codes: rule.exit_codes.clone(),
        conditions: rule.conditions.clone(),
        message: rule.message.clone(),
        categories: rule.categories.clone(),
        subcategories: rule.subcategories.clone(),
        ..Rule::new(Action::Fail)
    }
}

/// Adds the values of the only list of a rule to another; `false` if its matcher is no list.
fn add_values(rule: &mut Rule, other: &Rule) -> bool {
    match (&mut rule.exit_codes, &other.exit_codes) {
        (Some(ExitCodes { values, .. }), Some(more)) => values.extend(&more.values),
        _ if !other.conditions.is_empty() => rule.conditions.extend(&other.conditions),
        _ if !other.categories.is_empty() => {
            rule.categories.extend(other.categories.iter().cloned());
        }
        _ => return false,
    }
    true
}

#[expect(clippy::cast_precision_loss, reason = "counts of retries are far below 2^53")]
fn count(retries: u64) -> f64 {
    retries as f64
}
