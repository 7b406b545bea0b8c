//! The reasons for which jobs end under policies although their record goes on (docs/answer.md, The reasons).

use crate::simulate::numbering::read_code;
use crate::simulate::summary::{Hours, LastDecision, RunFacts};
use borsh::{BorshDeserialize, BorshSerialize};
use hashbrown::HashMap;
use std::collections::BTreeMap;

/// A kind of failure, and the decision that ended jobs after it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize,
)]
pub struct ReasonKey {
    /// The number of the kind of failure.
    pub kind: u32,
    /// The rule or default that decided, by its number; none if no policy did.
    pub rule: Option<u32>,
    /// The code of the decision where no policy decided.
    #[borsh(deserialize_with = "read_code")]
    pub code: Option<&'static str>,
}

impl ReasonKey {
    /// The reason of a decision about a failure of a kind.
    pub(crate) fn new(kind: u32, decision: LastDecision) -> Self {
        let rule = decision.rule();
        Self { kind, rule, code: rule.is_none().then(|| decision.code()) }
    }
}

/// The recorded runs that jobs do not reach for a reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ReasonCounts {
    pub failed_jobs: u64,
    /// Those that succeeded on record.
    pub jobs: u64,
    /// Runs that did not succeed.
    pub saved: Hours,
    /// Runs that succeeded.
    pub lost: Hours,
}

impl ReasonCounts {
    pub(super) fn merge(&mut self, other: Self) {
        self.failed_jobs += other.failed_jobs;
        self.jobs += other.jobs;
        self.saved.merge(other.saved);
        self.lost.merge(other.lost);
    }
}

/// The counts of reasons, by numbers of their own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reasons {
    numbers: HashMap<ReasonKey, u32>,
    counts: Vec<(ReasonKey, ReasonCounts)>,
}

impl Reasons {
    /// The number of a reason.
    pub(crate) fn number(&mut self, key: ReasonKey) -> u32 {
        *self.numbers.entry(key).or_insert_with(|| {
            self.counts.push((key, ReasonCounts::default()));
            u32::try_from(self.counts.len() - 1).unwrap_or(u32::MAX)
        })
    }

    /// Counts a run that is not reached.
    pub(crate) fn add_run(&mut self, number: u32, run: &RunFacts) {
        if let Some((_, counts)) = self.counts.get_mut(number as usize) {
            let hours = if run.has_succeeded() { &mut counts.lost } else { &mut counts.saved };
            hours.merge(run.hours);
        }
    }

    /// Counts a job of which runs are not reached.
    pub(crate) fn add_job(&mut self, number: u32, has_succeeded_on_record: bool) {
        if let Some((_, counts)) = self.counts.get_mut(number as usize) {
            counts.failed_jobs += 1;
            counts.jobs += u64::from(has_succeeded_on_record);
        }
    }

    /// The reasons for which jobs failed.
    pub(super) fn with_jobs(self) -> impl Iterator<Item = (ReasonKey, ReasonCounts)> {
        self.counts.into_iter().filter(|(_, counts)| counts.failed_jobs > 0)
    }
}

/// Adds counts by reason to others.
pub(super) fn merge(
    all: &mut BTreeMap<ReasonKey, ReasonCounts>,
    other: impl IntoIterator<Item = (ReasonKey, ReasonCounts)>,
) {
    for (key, counts) in other {
        all.entry(key).or_default().merge(counts);
    }
}

/// The reason for which a unit of a stream has failed, if a decision ended it. Four bytes, since a stream holds one for
/// every unit and engine: from the second bit on the number of the reason plus one; the first bit is set if a run is not
/// reached.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct UnitReason(u32);

impl UnitReason {
    /// The reason of a unit that a decision has just ended.
    pub(crate) fn new(number: u32) -> Self {
        // Shifted by one: the lowest bit is whether a run was not reached, and 0 is no reason.
        Self(number.saturating_add(1) << 1)
    }

    /// The number of the reason.
    fn number(self) -> Option<u32> {
        (self.0 >> 1).checked_sub(1)
    }

    /// Counts a run of the unit that is not reached. Returns whether the unit has failed by a decision.
    pub(crate) fn add_run(&mut self, reasons: &mut Reasons, run: &RunFacts) -> bool {
        let Some(number) = self.number() else { return false };
        self.0 |= 1;
        reasons.add_run(number, run);
        true
    }

    /// Counts the unit, if runs of it are not reached. `has_succeeded` tells whether it succeeded on record.
    pub(crate) fn finish(self, reasons: &mut Reasons, has_succeeded: impl FnOnce() -> bool) {
        if let Some(number) = self.number().filter(|_| self.0 & 1 != 0) {
            reasons.add_job(number, has_succeeded());
        }
    }

    /// The number of the kind of the failure that ended the unit.
    pub(crate) fn kind(self, reasons: &Reasons) -> Option<u32> {
        let (key, _) = reasons.counts.get(self.number()? as usize)?;
        Some(key.kind)
    }
}
