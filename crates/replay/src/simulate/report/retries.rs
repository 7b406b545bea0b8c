//! The report of what granted retries came to: by rule, by policy and by their number, and by node.

use super::hours::{HoursReport, RateReport};
use crate::disruption::{Kind, RowId, RowReport};
use crate::simulate::disruption::DisruptionCounts;
use crate::simulate::figures::{FollowingRuns, NodeFigures, RuleLabel};
use crate::simulate::names::{Names, non_empty};
use crate::simulate::summary::{Hours, RetriesByNumber, RetryOutcomes, RuleCounts, Summary};
use schemars::JsonSchema;
use serde::Serialize;

/// Number of nodes in a report: more are not looked at one by one. The schema of reports documents it.
const NODES: usize = 100;

/// The outcomes of some retries.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeReport {
    /// Retries granted.
    pub granted: u64,
    /// Runs of them that are on record. One retry may let several members of a unit run again.
    pub recorded: u64,
    /// Retries whose run is not on record. No rate, time or cost counts them.
    pub unrecorded: u64,
    /// Recorded runs that succeeded.
    pub succeeded: u64,
    /// Recorded runs that failed, or whose lease expired.
    pub failed: u64,
    /// Recorded runs that were preempted, returned, cancelled or stopped.
    pub other: u64,
    /// The share of the recorded runs that succeeded; null without any.
    pub success_rate: Option<RateReport>,
    /// The cost of the recorded runs that succeeded.
    pub succeeded_hours: HoursReport,
    /// What the other recorded runs cost.
    pub lost_hours: HoursReport,
}

/// What the retries of a rule, a default or a policy came to.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RetryReport {
    /// Their outcomes.
    #[serde(flatten)]
    pub outcomes: OutcomeReport,
    /// How many retries succeeded if none, or if all, of those that are not on record did.
    pub succeeded_range: RangeReport,
    /// Jobs that succeeded after at least one retry, the last of which it granted.
    pub recovered_jobs: u64,
    /// What all its recorded runs cost, for each of those jobs; null without such a job.
    pub cost_per_recovered_job: Option<CostReport>,
    /// Retries that it granted after a disruption, and that a limit counts.
    pub disruptions: DisruptionReport,
    /// Its retries by their number in their job.
    pub by_retry: Vec<NumberReport>,
}

/// The least and the most that a count can be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RangeReport {
    /// The least.
    pub least: u64,
    /// The most.
    pub most: u64,
}

/// The cost of one job.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CostReport {
    /// Hours of running.
    pub hours: f64,
    /// Core-hours; null where no job says how many cores it asked for.
    pub cpu_hours: Option<f64>,
    /// GPU-hours; null where no job says how many GPUs it asked for.
    pub gpu_hours: Option<f64>,
}

/// Retries by the disruption after which they were granted.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DisruptionReport {
    /// The run was preempted, whatever the cause.
    pub preempted: u64,
    /// Those of them that were requested through the API.
    pub preempted_by_api: u64,
    /// Those of them for the fair share of another queue.
    pub preempted_by_fair_share: u64,
    /// The run was evicted, or disrupted without a known reason.
    pub evicted: u64,
    /// The node was lost, or its lease expired.
    pub node_lost: u64,
    /// A signal ended the run, and not since it exceeded its memory or its deadline: possibly a disruption.
    pub killed: u64,
}

impl DisruptionReport {
    /// All of them.
    pub fn sum(&self) -> u64 {
        self.preempted + self.evicted + self.node_lost + self.killed
    }
}

/// Failures by a row of the table of disruptions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DisruptionRowReport {
    /// The row.
    #[serde(flatten)]
    pub row: RowReport,
    /// How many failures there were.
    pub failures: u64,
}

/// What the retries of one number in their job came to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NumberReport {
    /// The number of the retry in its job, from 1; 21 is for the 21st and all later ones. Null is for runs of members
    /// that ran again with their unit, for which they were granted no retry of their own.
    pub retry: Option<u32>,
    /// Their outcomes.
    #[serde(flatten)]
    pub outcomes: OutcomeReport,
}

/// What the retries of a policy came to: of its rules and its default.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyReport {
    /// The policy.
    pub policy: String,
    /// Its retries.
    #[serde(flatten)]
    pub retries: RetryReport,
}

/// The nodes on which recorded retries failed.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodesReport {
    /// Whether retries ran on 200,000 nodes or more: then none is counted. Absent where they did not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub too_many: bool,
    /// How many.
    pub count: u64,
    /// Those with the most failed retries, at most 100.
    pub worst: Vec<NodeReport>,
}

/// The recorded retries that ran on one node.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeReport {
    /// The node.
    pub node: String,
    /// Its cluster; null if the history names none.
    pub cluster: Option<String>,
    /// Their counts.
    #[serde(flatten)]
    pub figures: NodeFigures,
}

/// The recorded runs that came next after failures of a kind, whether the policies granted them or not.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FollowingReport {
    /// Their counts.
    #[serde(flatten)]
    pub runs: FollowingRuns,
    /// The share that succeeded; null without any.
    pub success_rate: Option<RateReport>,
}

impl From<FollowingRuns> for FollowingReport {
    fn from(runs: FollowingRuns) -> Self {
        Self { runs, success_rate: RateReport::of(runs.succeeded, runs.recorded) }
    }
}

fn outcome_report(outcomes: &RetryOutcomes) -> OutcomeReport {
    let RetryOutcomes { granted, missing, runs } = outcomes;
    let (recorded, succeeded) = (outcomes.recorded(), runs.succeeded.runs);
    OutcomeReport {
        granted: *granted,
        recorded,
        unrecorded: *missing,
        succeeded,
        failed: runs.failed.runs,
        other: runs.other.runs,
        success_rate: RateReport::of(succeeded, recorded),
        succeeded_hours: HoursReport::from(&runs.succeeded),
        lost_hours: HoursReport::from(&runs.lost()),
    }
}

/// Builds the report of the retries of a rule.
pub(super) fn rule_report(counts: &RuleCounts) -> RetryReport {
    let sum = counts.retries.sum();
    let mut all = sum.runs.lost();
    all.merge(sum.runs.succeeded);
    let outcomes = outcome_report(&sum);
    RetryReport {
        succeeded_range: RangeReport {
            least: outcomes.succeeded,
            // All runs that are not on record might have succeeded.
            most: outcomes.succeeded + outcomes.unrecorded,
        },
        recovered_jobs: counts.recovered,
        cost_per_recovered_job: cost(&all, counts.recovered),
        disruptions: disruption_report(counts.disruptions),
        by_retry: by_number(&counts.retries),
        outcomes,
    }
}

fn disruption_report(counts: DisruptionCounts) -> DisruptionReport {
    let of = |kind| counts.sum(|other| other == kind);
    DisruptionReport {
        preempted: counts.sum(Kind::is_preemption),
        preempted_by_api: of(Kind::ApiPreemption),
        preempted_by_fair_share: of(Kind::FairSharePreemption),
        evicted: of(Kind::Eviction),
        node_lost: counts.sum(|kind| matches!(kind, Kind::NodeLoss | Kind::LeaseExpiry)),
        killed: of(Kind::Kill),
    }
}

/// A row for each sign that failures had, the most first.
pub(super) fn disruptions(names: &Names, summary: &Summary) -> Vec<DisruptionRowReport> {
    let counts = summary.disruptions.iter().enumerate().filter(|(_, count)| **count > 0);
    let row = |(number, failures): (usize, &u64)| {
        let row = names.disruptions().row(RowId::from_index(number)?);
        Some(DisruptionRowReport { row: row.into(), failures: *failures })
    };
    let mut rows: Vec<DisruptionRowReport> = counts.filter_map(row).collect();
    // Stable, so that equal ones stay in the order of the table.
    rows.sort_by_key(|row| std::cmp::Reverse(row.failures));
    rows
}

#[expect(clippy::cast_precision_loss, reason = "counts of jobs are far below 2^53")]
fn cost(all: &Hours, jobs: u64) -> Option<CostReport> {
    let each = |hours: f64| hours / jobs as f64;
    (jobs > 0).then(|| CostReport {
        hours: each(all.run_hours()),
        cpu_hours: all.cpu_hours().map(each),
        gpu_hours: all.gpu_hours().map(each),
    })
}

/// A row for each number that retries have.
pub(super) fn by_number(retries: &RetriesByNumber) -> Vec<NumberReport> {
    let rows = retries.iter().filter(|(_, outcomes)| **outcomes != RetryOutcomes::default());
    // The runs without a number come last.
    let (unnumbered, mut rows): (Vec<_>, Vec<_>) = rows.partition(|(number, _)| *number == 0);
    rows.extend(unnumbered);
    let row = |(number, outcomes): (u32, &RetryOutcomes)| NumberReport {
        retry: Some(number).filter(|number| *number > 0),
        outcomes: outcome_report(outcomes),
    };
    rows.into_iter().map(row).collect()
}

/// A row for each policy, in the order of the rules.
pub(super) fn by_policy(labels: &[RuleLabel], summary: &Summary) -> Vec<PolicyReport> {
    let mut policies: Vec<(&str, RuleCounts)> = Vec::new();
    for (label, counts) in labels.iter().zip(&summary.by_rule) {
        match policies.iter_mut().find(|(policy, _)| *policy == label.policy) {
            Some((_, sum)) => sum.merge(counts.clone()),
            None => policies.push((&label.policy, counts.clone())),
        }
    }
    let row = |(policy, counts): (&str, RuleCounts)| PolicyReport {
        policy: policy.to_owned(),
        retries: rule_report(&counts),
    };
    policies.into_iter().map(row).collect()
}

/// The nodes on which recorded retries failed, those with the most failures first.
pub(super) fn nodes(names: &Names, summary: &Summary) -> NodesReport {
    // Which nodes have a number is random past the limit, so that none is named.
    let Some(names) = names.nodes() else {
        return NodesReport { too_many: true, ..NodesReport::default() };
    };
    let rows = names.into_iter().zip(&summary.nodes);
    let mut rows: Vec<((String, String), NodeFigures)> =
        rows.filter(|(_, node)| node.failed > 0).map(|(name, node)| (name, *node)).collect();
    // Among equal ones the node on which a retry failed after a failure there.
    rows.sort_by(|(name, node), (other_name, other)| {
        let worst = |node: &NodeFigures| (node.failed, node.failed_again);
        worst(other).cmp(&worst(node)).then_with(|| name.cmp(other_name))
    });
    let row = |((cluster, node), figures): ((String, String), NodeFigures)| NodeReport {
        node,
        cluster: non_empty(cluster),
        figures,
    };
    NodesReport {
        too_many: false,
        count: rows.len() as u64,
        worst: rows.into_iter().take(NODES).map(row).collect(),
    }
}
