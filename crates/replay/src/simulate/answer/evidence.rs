//! The evidence of the record about the decisions of a set of policies: the retries that it refused, and those that it
//! granted, by kind of failure and rule (docs/answer.md, Advice).

use super::policy::PolicyCounts;
use super::unit::CostUnit;
use crate::simulate::names::{Kind, Names};
use crate::simulate::report::{HoursReport, OutcomeReport};
use crate::simulate::summary::{Hours, RetryHours};
use std::collections::BTreeMap;

/// The retries on record after failures of a kind that one rule or default decided.
#[derive(Debug, Clone, PartialEq)]
pub struct KindEvidence {
    /// The kind of failure.
    pub kind: Kind,
    /// The number of the rule or default among those of the engine.
    pub rule: usize,
    /// The runs that jobs do not reach since the decision ended them.
    pub refused: RetryCost,
    /// The runs that the decision granted.
    pub granted: RetryCost,
}

/// Some retries on record, and their cost in the unit of the report.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RetryCost {
    /// Retries.
    pub runs: u64,
    /// Those that succeeded.
    pub succeeded: u64,
    /// The cost of those that succeeded.
    pub succeeded_cost: f64,
    /// The cost of the others.
    pub failed_cost: f64,
}

impl RetryCost {
    fn new(unit: CostUnit, succeeded: &Hours, failed: &Hours) -> Self {
        Self {
            runs: succeeded.runs + failed.runs,
            succeeded: succeeded.runs,
            succeeded_cost: unit.of(&HoursReport::from(succeeded)),
            failed_cost: unit.of(&HoursReport::from(failed)),
        }
    }

    /// The recorded runs of some retries.
    pub fn of(retries: &OutcomeReport, unit: CostUnit) -> Self {
        Self {
            runs: retries.recorded,
            succeeded: retries.succeeded,
            succeeded_cost: unit.of(&retries.succeeded_hours),
            failed_cost: unit.of(&retries.lost_hours),
        }
    }

    /// These retries and others.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            runs: self.runs + other.runs,
            succeeded: self.succeeded + other.succeeded,
            succeeded_cost: self.succeeded_cost + other.succeeded_cost,
            failed_cost: self.failed_cost + other.failed_cost,
        }
    }
}

/// The evidence about the decisions of a set of policies, by kind and rule. Where a stream has too many kinds, those of
/// one name are one.
pub fn evidence(names: &Names, counts: &PolicyCounts, unit: CostUnit) -> Vec<KindEvidence> {
    let kinds = names.kinds();
    let mut all: BTreeMap<(Kind, u32), (Hours, Hours, RetryHours)> = BTreeMap::new();
    let of = |kind: u32, rule| (kinds[kind as usize].clone().without_outcome(), rule);
    for (key, counts) in &counts.reasons {
        if let Some(rule) = key.rule {
            let (succeeded, failed, _) = all.entry(of(key.kind, rule)).or_default();
            succeeded.merge(counts.lost);
            failed.merge(counts.saved);
        }
    }
    // Retries whose grant is not known say nothing about a rule.
    let granted = counts.granted.iter();
    for (granted, runs) in granted.filter_map(|(granted, runs)| Some((granted.as_ref()?, runs))) {
        all.entry(of(granted.kind, granted.rule)).or_default().2.merge(*runs);
    }
    let each = all.into_iter().map(|((kind, rule), (succeeded, failed, granted))| KindEvidence {
        kind,
        rule: rule as usize,
        refused: RetryCost::new(unit, &succeeded, &failed),
        granted: RetryCost::new(unit, &granted.succeeded, &granted.lost()),
    });
    each.collect()
}
