//! Advice: rules that cost much more than they bring, and changes of policies with the figures of their replay
//! (docs/answer.md, Advice).

use super::unit::CostUnit;
use crate::simulate::report::SummaryReport;
use crate::simulate::swept::SweptValue;
use schemars::JsonSchema;
use serde::Serialize;

/// The least share of all cost of a rule that is flagged.
pub const FLAGGED_SHARE: f64 = 0.10;
/// The price of a flagged rule is at least this many times that of all other rules together.
pub const FLAGGED_PRICE: f64 = 3.0;

/// A further retry that costs more than this many times the price of the first is past the knee.
pub const KNEE_PRICE: f64 = 3.0;
/// The share of the jobs of the largest limit from which on further retries add nothing.
pub const KNEE_SHARE: f64 = 0.99;

/// A piece of advice.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "advice", rename_all = "camelCase")]
pub enum AdviceReport {
    /// A rule whose retries cost much more for each job than those of the others.
    FlaggedRule(FlaggedRule),
    /// A change of a policy, replayed.
    Proposal(ProposalReport),
    /// The value of a swept limit after which further retries bring little.
    Knee(KneeReport),
}

/// The smallest value of a swept limit with 99 % of the recovered jobs of the largest, or whose next one costs more than 3
/// times as much for each further job as the first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KneeReport {
    /// The limit, as `--sweep` names it.
    pub path: String,
    /// Its value at the knee.
    pub value: u32,
    /// Its largest value.
    pub largest: u32,
    /// The jobs that recover, as a share of those of the largest value, from 0 to 1.
    pub recovered_share: f64,
    /// The cost of failed retries, as a share of that of the largest value, from 0 to 1; null if that costs nothing.
    pub cost_share: Option<f64>,
    /// The cost of the next value for each further job; null if it recovers none.
    pub next_price: Option<f64>,
}

/// The recovered jobs and the cost of a value of a swept limit.
#[derive(Debug, Clone, Copy)]
pub struct SweptCost {
    /// The value.
    pub value: SweptValue,
    /// The jobs that recover.
    pub recovered: f64,
    /// The cost of the retries that do not succeed.
    pub failed: f64,
}

impl SweptCost {
    /// The cost for each further job of the next value; none if it recovers none.
    pub fn price_of(&self, next: &Self) -> Option<f64> {
        let jobs = next.recovered - self.recovered;
        (jobs > 0.0).then(|| (next.failed - self.failed) / jobs)
    }
}

/// The knee of a swept limit, whose values are in order; none if each further value recovers jobs at a similar cost, or
/// no value recovers any. Only counts of retries have a knee.
pub fn knee(path: &str, values: &[SweptCost]) -> Option<KneeReport> {
    let pairs = || values.iter().zip(values.iter().skip(1));
    let (largest, first) = (values.last()?, pairs().find_map(|(one, next)| one.price_of(next)));
    let (at, next_price) = pairs().find_map(|(one, next)| {
        let price = one.price_of(next);
        let is_expensive = price.zip(first).is_none_or(|(price, first)| price > KNEE_PRICE * first);
        let has_all = one.recovered >= KNEE_SHARE * largest.recovered;
        (one.recovered > 0.0 && (is_expensive || has_all)).then_some((one, price))
    })?;
    Some(KneeReport {
        path: path.to_owned(),
        value: at.value.as_count()?,
        largest: largest.value.as_count()?,
        recovered_share: at.recovered / largest.recovered,
        cost_share: (largest.failed > 0.0).then(|| at.failed / largest.failed),
        next_price,
    })
}

/// A rule whose failed retries are a tenth or more of the cost of all rules, at three times the price of the others or
/// more.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlaggedRule {
    /// The policy.
    pub policy: String,
    /// The index of the rule; null for the default action.
    pub rule_index: Option<usize>,
    /// The cost of its retries that did not succeed.
    pub failed_retry_hours: f64,
    /// That cost as a share of the cost of all rules, from 0 to 1.
    pub cost_share: f64,
    /// The jobs that recovered by its retries.
    pub recovered_jobs: u64,
    /// These jobs as a share of those of all rules, from 0 to 1.
    pub recovered_share: f64,
    /// Its cost for each recovered job; null if none recovered.
    pub price: Option<f64>,
    /// The cost of all other rules for each job that recovered by them.
    pub other_price: f64,
}

/// A change of a policy, and the differences that its replay on the same history makes to the first set of policies.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProposalReport {
    /// The policy.
    pub policy: String,
    /// The change: `insert`, `replace`, `remove` or `set`.
    pub change: &'static str,
    /// Where in the policy's document: `spec.rules[1]`, `spec.retryLimit`. A rule is inserted before the one there.
    pub path: String,
    /// The new value in YAML; empty if a rule is removed.
    pub value: String,
    /// The kinds of failure that it is for; empty for a limit.
    pub kinds: Vec<String>,
    /// The difference of jobs that succeed.
    pub jobs_succeeded: f64,
    /// The difference of jobs that are unresolved.
    pub jobs_unresolved: f64,
    /// The difference of retries.
    pub retries: f64,
    /// The difference of the cost of retries that do not succeed.
    pub failed_retry_hours: f64,
    /// The difference of the cost of retries that succeed.
    pub succeeded_retry_hours: f64,
    /// The cost of failed retries for each job more that succeeds; null if there is none, or no cost.
    pub price: Option<f64>,
}

impl ProposalReport {
    /// The worth of the change in the unit of cost: the good work that it adds, and the failed retries that it saves.
    pub fn worth(&self) -> f64 {
        self.succeeded_retry_hours - self.failed_retry_hours
    }
}

/// The flagged rule of a summary: of several the one with the largest cost.
pub(super) fn flagged_rule(summary: &SummaryReport, unit: CostUnit) -> Option<FlaggedRule> {
    let cost =
        |row: &crate::simulate::report::RuleReport| unit.of(&row.retries.outcomes.lost_hours);
    let (all_cost, all_jobs) = summary
        .by_rule
        .iter()
        .fold((0.0, 0), |(sum, jobs), row| (sum + cost(row), jobs + row.retries.recovered_jobs));
    let flagged = summary.by_rule.iter().filter_map(|row| {
        let (own, jobs) = (cost(row), row.retries.recovered_jobs);
        let other_price = price(all_cost - own, all_jobs - jobs)?;
        let price = price(own, jobs);
        // Without a recovered job there is no price, and all of the cost is for nothing.
        let is_expensive = price.is_none_or(|price| price >= FLAGGED_PRICE * other_price);
        (own > 0.0 && own >= FLAGGED_SHARE * all_cost && is_expensive).then(|| FlaggedRule {
            policy: row.policy.clone(),
            rule_index: row.rule_index,
            failed_retry_hours: own,
            cost_share: own / all_cost,
            recovered_jobs: jobs,
            recovered_share: ratio(jobs, all_jobs),
            price,
            other_price,
        })
    });
    // Of equal ones the first.
    flagged.reduce(
        |most, next| {
            if next.failed_retry_hours > most.failed_retry_hours { next } else { most }
        },
    )
}

/// The cost for each of some jobs; none without jobs.
#[expect(clippy::cast_precision_loss, reason = "counts of jobs are far below 2^53")]
fn price(cost: f64, jobs: u64) -> Option<f64> {
    (jobs > 0).then(|| cost / jobs as f64)
}

#[expect(clippy::cast_precision_loss, reason = "counts of jobs are far below 2^53")]
fn ratio(part: u64, all: u64) -> f64 {
    part as f64 / all as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::report::{HoursReport, RuleReport};

    fn row(index: usize, hours: f64, recovered_jobs: u64) -> RuleReport {
        let mut row = RuleReport { rule_index: Some(index), ..RuleReport::default() };
        row.retries.recovered_jobs = recovered_jobs;
        row.retries.outcomes.lost_hours = HoursReport { hours, ..HoursReport::default() };
        row
    }

    fn flagged(rows: &[(f64, u64)]) -> Option<usize> {
        let rows = rows.iter().zip(0..).map(|((hours, jobs), index)| row(index, *hours, *jobs));
        let summary = SummaryReport { by_rule: rows.collect(), ..SummaryReport::default() };
        flagged_rule(&summary, CostUnit::Run)?.rule_index
    }

    #[test]
    fn a_rule_is_flagged_by_its_share_and_its_price() {
        // Three times the price of the others: 30 hours a job against 10.
        assert_eq!(flagged(&[(300.0, 10), (100.0, 10)]), Some(0));
        assert_eq!(flagged(&[(299.0, 10), (100.0, 10)]), None);
        // A tenth of the cost.
        assert_eq!(flagged(&[(10.0, 0), (90.0, 9)]), Some(0));
        assert_eq!(flagged(&[(9.0, 0), (90.0, 9)]), None);
        // Without a job that recovered by another rule there is nothing to compare with.
        assert_eq!(flagged(&[(10.0, 0), (90.0, 0)]), None);
        assert_eq!(flagged(&[(10.0, 1)]), None);
        assert_eq!(flagged(&[(50.0, 0), (60.0, 0), (90.0, 9)]), Some(1));
    }

    fn knee_of(recovered: &[f64]) -> Option<u32> {
        // The first value costs 1, each further one 1 more.
        let costs = (0..).map(f64::from);
        let values = (0..).zip(recovered.iter().zip(costs));
        let values = values.map(|(value, (recovered, cost))| SweptCost {
            value: SweptValue::count(value),
            recovered: *recovered,
            failed: 1.0 + cost,
        });
        knee("p.retryLimit", &values.collect::<Vec<_>>()).map(|knee| knee.value)
    }

    #[test]
    fn the_knee_has_nearly_all_jobs_or_an_expensive_next_value() {
        for (recovered, wanted) in [
            (&[0.0, 0.0, 0.0][..], None),
            (&[5.0, 5.0, 5.0], Some(0)),
            (&[5.0, 10.0, 15.0], None),
            (&[0.0, 10.0, 20.0, 20.0], Some(2)),
            (&[0.0, 10.0, 12.0, 14.0], Some(1)),
        ] {
            assert_eq!(knee_of(recovered), wanted, "{recovered:?}");
        }
    }
}
