//! The report of changes, and the lines of `--changes`. Fields may be added, never renamed.

use super::change::{Change, ChangeKind};
use super::counts::{Changes, Kind as CountedKind};
use super::samples::Sample;
use super::side::{RuleSide, Side};
use crate::simulate::engine::Engine;
use crate::simulate::figures::RuleLabel;
use crate::simulate::names::{Kind, Names};
use crate::simulate::report::JobReport;
use document::units::GoDuration;
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What differs from the first set of policies.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangesReport {
    /// Decisions under at least one of the two.
    pub compared: u64,
    /// Those of them that are changed: their codes differ, or only one of the two has the decision.
    pub decisions: u64,
    /// Jobs whose outcomes differ.
    pub jobs: u64,
    /// Decisions of the same code with another wait; they are not among the changed ones.
    pub other_wait: u64,
    /// Decisions of the same code with the same wait by another rule; they are not among the changed
    /// ones.
    pub other_rule: u64,
    /// Changed decisions by code, the most first.
    pub by_decision: Vec<DecisionChange>,
    /// Changed decisions by rule, the most first.
    pub by_rule: Vec<RuleChange>,
    /// By queue, by name.
    pub by_queue: Vec<QueueChange>,
    /// Changed jobs by outcome, the most first.
    pub by_outcome: Vec<OutcomeChange>,
    /// Jobs that succeed under the first set of policies and fail under the other.
    pub succeeded_to_failed: FailedJobsReport,
}

/// Jobs that fail, by queue and by the kind of the failure that ended them, the most first, at most 20 of each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailedJobsReport {
    /// Jobs.
    pub jobs: u64,
    /// By queue.
    pub by_queue: Vec<QueueJobs>,
    /// By kind of failure (docs/answer.md); jobs that no failure ended are in none.
    pub by_kind: Vec<KindJobs>,
}

/// Jobs of a queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueJobs {
    /// The queue; empty if the history names none.
    pub queue: String,
    /// Jobs.
    pub jobs: u64,
}

/// Jobs that failures of a kind ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KindJobs {
    /// The kind of failure.
    pub kind: String,
    /// Jobs.
    pub jobs: u64,
}

/// The number of queues and of kinds in a report. Its schema documents it.
const FAILED_JOBS: usize = 20;

/// Changed decisions of one code under the first set of policies, and one under the other.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionChange {
    /// The code under the first set; `not_reached`, `cut_off` or `no_decision` if there is no decision.
    pub from: String,
    /// The code under the other set, or one of these words.
    pub to: String,
    /// How many.
    pub count: u64,
    /// Some of them, of different jobs.
    pub samples: Vec<SampleReport>,
}

/// Changed decisions by one rule under the first set of policies, and one under the other.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleChange {
    /// What decides under the first set; null if there is no decision.
    pub from: Option<DeciderReport>,
    /// What decides under the other set; null if there is no decision.
    pub to: Option<DeciderReport>,
    /// How many.
    pub count: u64,
    /// Some of them, of different jobs.
    pub samples: Vec<SampleReport>,
}

/// What a decision is attributed to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeciderReport {
    /// The policy; null where none decided.
    pub policy: Option<String>,
    /// The rule's index; null for a default action and where none decided.
    pub rule_index: Option<usize>,
}

/// A run whose decision is changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SampleReport {
    /// The job.
    pub job_id: String,
    /// The run.
    pub run_index: u32,
}

/// The changes in one queue.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueChange {
    /// The queue; empty if the history names none.
    pub queue: String,
    /// Changed decisions.
    pub decisions: u64,
    /// Changed jobs.
    pub jobs: u64,
}

/// Jobs with one outcome under the first set of policies, and another under the other.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeChange {
    /// The outcome under the first set.
    pub from: String,
    /// The outcome under the other set.
    pub to: String,
    /// Jobs.
    pub jobs: u64,
    /// The ids of some of them.
    pub samples: Vec<String>,
}

/// One job under two sets of policies.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExampleReport {
    /// Its timeline under the first set.
    pub first: JobReport,
    /// Its timeline under the other set.
    pub other: JobReport,
}

/// A line of `--changes`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "change", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ChangeLine<'l> {
    /// A decision about a run: its code differs, or only one of the two sets of policies has it.
    Decision {
        /// The other set of policies.
        variant: &'l str,
        /// The job.
        job_id: &'l str,
        /// Its queue; empty if the history names none.
        queue: &'l str,
        /// The run.
        run_index: u32,
        /// The decision under the first set.
        from: DecisionSide<'l>,
        /// The decision under the other set.
        to: DecisionSide<'l>,
    },
    /// A job whose outcome differs.
    Job {
        /// The other set of policies.
        variant: &'l str,
        /// The job.
        job_id: &'l str,
        /// Its queue; empty if the history names none.
        queue: &'l str,
        /// The outcome under the first set.
        from: &'l str,
        /// The outcome under the other set.
        to: &'l str,
    },
}

/// A decision under one of the sets of policies.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionSide<'l> {
    /// The code; `not_reached`, `cut_off` or `no_decision` if there is no decision.
    pub decision: &'l str,
    /// The policy; null where none decided.
    pub policy: Option<&'l str>,
    /// The rule's index; null for a default action and where none decided.
    pub rule_index: Option<usize>,
    /// How long the next run waits, in seconds; null where the engine granted none.
    pub delay_seconds: Option<f64>,
}

impl<'l> ChangeLine<'l> {
    /// The line of a change under the set of policies named `variant`. `first` and `own` are the rules of the first
    /// and of the other set.
    pub fn new(
        change: &'l Change<'_>,
        variant: &'l str,
        first: &'l [RuleLabel],
        own: &'l [RuleLabel],
    ) -> Self {
        let (job_id, queue) = (change.job, change.queue);
        match &change.kind {
            ChangeKind::Decision(run_index, from, to) => Self::Decision {
                variant,
                job_id,
                queue,
                run_index: *run_index,
                from: DecisionSide::new(from, first),
                to: DecisionSide::new(to, own),
            },
            ChangeKind::Job(from, to) => {
                Self::Job { variant, job_id, queue, from: from.as_str(), to: to.as_str() }
            }
        }
    }
}

impl<'l> DecisionSide<'l> {
    fn new(side: &Side, rules: &'l [RuleLabel]) -> Self {
        let decided = side.decided();
        let rule = decided.and_then(|it| rules.get(it.rule()? as usize));
        Self {
            decision: side.code(),
            policy: rule.map(|rule| rule.policy.as_str()),
            rule_index: rule.and_then(|rule| rule.index),
            delay_seconds: decided.and_then(|it| it.wait).map(GoDuration::as_secs_f64),
        }
    }
}

/// The report of the changes from a first engine.
pub fn changes_report<E: Engine>(
    (first, own): (&E, &E),
    names: &Names,
    changes: &Changes,
) -> ChangesReport {
    let (first, own) = (first.rules(), own.rules());
    let by_rule = sorted(&changes.by_rule).into_iter().map(|((from, to), kind)| RuleChange {
        from: decider(*from, &first),
        to: decider(*to, &own),
        count: kind.count,
        samples: samples(kind),
    });
    let by_decision =
        sorted(&changes.by_decision).into_iter().map(|((from, to), kind)| DecisionChange {
            from: (*from).to_owned(),
            to: (*to).to_owned(),
            count: kind.count,
            samples: samples(kind),
        });
    let by_outcome =
        sorted(&changes.by_outcome).into_iter().map(|((from, to), kind)| OutcomeChange {
            from: from.as_str().to_owned(),
            to: to.as_str().to_owned(),
            jobs: kind.count,
            samples: kind.samples.iter().map(|sample| sample.job.to_string()).collect(),
        });
    ChangesReport {
        compared: changes.compared,
        decisions: changes.decisions,
        jobs: changes.jobs,
        other_wait: changes.other_wait,
        other_rule: changes.other_rule,
        by_decision: by_decision.collect(),
        by_rule: by_rule.collect(),
        by_queue: by_queue(names, changes),
        by_outcome: by_outcome.collect(),
        succeeded_to_failed: failed_jobs(names, &changes.succeeded_to_failed),
    }
}

fn failed_jobs(names: &Names, all: &BTreeMap<(u32, Option<u32>), u64>) -> FailedJobsReport {
    let (queues, kinds) = (names.queues(), names.kinds());
    let queue = |(queue, _): &(u32, Option<u32>)| queues.get(*queue as usize).cloned();
    let kind = |(_, kind): &(u32, Option<u32>)| kinds.get((*kind)? as usize).map(Kind::to_string);
    let by_queue = most(all.iter().filter_map(|(key, jobs)| Some((queue(key)?, *jobs))));
    let by_kind = most(all.iter().filter_map(|(key, jobs)| Some((kind(key)?, *jobs))));
    FailedJobsReport {
        jobs: all.values().sum(),
        by_queue: by_queue.map(|(queue, jobs)| QueueJobs { queue, jobs }).collect(),
        by_kind: by_kind.map(|(kind, jobs)| KindJobs { kind, jobs }).collect(),
    }
}

/// The sums by name, the most first.
fn most(jobs: impl Iterator<Item = (String, u64)>) -> impl Iterator<Item = (String, u64)> {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    jobs.for_each(|(name, jobs)| *sums.entry(name).or_default() += jobs);
    let mut rows: Vec<(String, u64)> = sums.into_iter().collect();
    // Stable, so that equal ones stay in the order of their names.
    rows.sort_by_key(|(_, jobs)| Reverse(*jobs));
    rows.into_iter().take(FAILED_JOBS)
}

/// The kinds, the most first.
fn sorted<K: Ord>(kinds: &BTreeMap<K, CountedKind>) -> Vec<(&K, &CountedKind)> {
    let mut rows: Vec<(&K, &CountedKind)> = kinds.iter().collect();
    // Stable, so that equal ones stay in the order of their keys.
    rows.sort_by_key(|(_, kind)| Reverse(kind.count));
    rows
}

fn samples(kind: &CountedKind) -> Vec<SampleReport> {
    let sample =
        |sample: &Sample| SampleReport { job_id: sample.job.to_string(), run_index: sample.run };
    kind.samples.iter().map(sample).collect()
}

fn decider(rule: RuleSide, rules: &[RuleLabel]) -> Option<DeciderReport> {
    match rule {
        RuleSide::NoDecision => None,
        RuleSide::NoRule => Some(DeciderReport::default()),
        RuleSide::Rule(number) => {
            let rule = rules.get(number as usize);
            Some(DeciderReport {
                policy: rule.map(|rule| rule.policy.clone()),
                rule_index: rule.and_then(|rule| rule.index),
            })
        }
    }
}

fn by_queue(names: &Names, changes: &Changes) -> Vec<QueueChange> {
    let queues = names.queues();
    let row = |(number, changes): (&u32, &super::QueueChanges)| QueueChange {
        queue: queues.get(*number as usize).cloned().unwrap_or_default(),
        decisions: changes.decisions,
        jobs: changes.jobs,
    };
    let mut rows: Vec<QueueChange> = changes.queues.iter().map(row).collect();
    rows.sort_by(|one, other| one.queue.cmp(&other.queue));
    rows
}
