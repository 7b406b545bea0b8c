//! Counts of a column of policies beside the record: jobs that end otherwise, and runs that are not reached.

use super::reasons::{self, ReasonCounts, ReasonKey, Reasons, UnitReason};
use crate::simulate::changes::Samples;
use crate::simulate::context::UnitId;
use crate::simulate::evaluation::End;
use crate::simulate::numbering::{NumberError, Numbers};
use crate::simulate::summary::{Hours, LastDecision, RetryHours, RunFacts};
use borsh::io::{Read, Result as IoResult, Write};
use borsh::{BorshDeserialize, BorshSerialize};
use hashbrown::HashMap;
use std::collections::BTreeMap;

/// The number of sampled jobs.
const SAMPLES: usize = 3;

/// A grant of a retry: the number of the kind of the failure before it, and of the rule or default.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize,
)]
pub struct Granted {
    /// The kind of failure.
    pub kind: u32,
    /// The rule or default.
    pub rule: u32,
}

impl Granted {
    /// The grant of a decision about a failure of a kind; none if no rule decided.
    pub(crate) fn new(kind: u32, decision: Option<LastDecision>) -> Option<Self> {
        let rule = decision?.rule()?;
        Some(Self { kind, rule })
    }
}

/// Counts of a column of policies. Merging is associative and commutative, and empty counts change nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct PolicyCounts {
    /// Jobs that succeeded in a run after their first.
    pub recovered: u64,
    /// Members that ran again with their unit, without a decision about them.
    pub reruns: u64,
    /// Runs after a first one that are reached, by the kind of the failure before them and the rule or default that granted
    /// them; none if no rule did.
    #[borsh(serialize_with = "write_granted", deserialize_with = "read_granted")]
    pub granted: HashMap<Option<Granted>, RetryHours>,
    /// Runs that are not reached, or not to their end, and did not succeed, of jobs without a reason.
    saved: Hours,
    /// The same of runs that succeeded.
    lost_work: Hours,
    /// Jobs that failed and succeeded on record.
    pub failed_succeeded: u64,
    /// Some of them.
    pub samples: Samples,
    /// The jobs that failed by a decision, and of which runs are not reached.
    pub reasons: BTreeMap<ReasonKey, ReasonCounts>,
}

impl PolicyCounts {
    /// Runs after a first one that are reached.
    pub fn retried(&self) -> RetryHours {
        let mut all = RetryHours::default();
        self.granted.values().for_each(|runs| all.merge(*runs));
        all
    }

    /// Runs that are not reached, or not to their end, and did not succeed.
    pub fn saved(&self) -> Hours {
        let mut all = self.saved;
        self.reasons.values().for_each(|counts| all.merge(counts.saved));
        all
    }

    /// Runs that are not reached, or not to their end, and succeeded.
    pub fn lost_work(&self) -> Hours {
        let mut all = self.lost_work;
        self.reasons.values().for_each(|counts| all.merge(counts.lost));
        all
    }

    /// Counts the end of a unit, by a decision about a failure of a kind if one ended it. Returns the reason if it has
    /// failed.
    pub(crate) fn end_unit(
        &mut self,
        reasons: &mut Reasons,
        has_retries: bool,
        end: End,
        decision: Option<LastDecision>,
        kind: u32,
    ) -> UnitReason {
        match (end, decision) {
            (End::Succeeded, _) => self.recovered += u64::from(has_retries),
            (End::Failed, Some(decision)) => {
                return UnitReason::new(reasons.number(ReasonKey::new(kind, decision)));
            }
            (End::Failed, None) | (End::Cancelled, _) => {}
        }
        UnitReason::default()
    }

    /// Counts a run after a first one that is reached, and that a decision granted if one did.
    pub(crate) fn add_retry(&mut self, run: &RunFacts, granted: Option<Granted>) {
        self.granted.entry(granted).or_default().add(run.end.ending, &run.hours);
    }

    /// Counts a run that is not reached, or not to its end, of a job without a reason. Runs of jobs with a reason are
    /// counted by it.
    pub(crate) fn add_not_reached(&mut self, run: &RunFacts) {
        let hours = if run.has_succeeded() { &mut self.lost_work } else { &mut self.saved };
        hours.merge(run.hours);
    }

    /// Counts a run that is not reached, or not to its end, of a unit of this id and reason.
    pub(crate) fn add_run_not_reached(
        &mut self,
        reasons: &mut Reasons,
        (reason, id): (&mut UnitReason, UnitId<'_>),
        run: &RunFacts,
    ) {
        if !reason.add_run(reasons, run) {
            self.add_not_reached(run);
        } else if run.has_succeeded() {
            self.add_sample(id.as_str());
        }
    }

    /// Takes a job that failed here, and of which a later run succeeded, for a sample. A stream does not know the ids of
    /// jobs at its end, when their outcomes on record are known.
    pub(crate) fn add_sample(&mut self, job: &str) {
        self.samples.add_job(SAMPLES, job);
    }

    /// Adds the counts of reasons.
    pub(crate) fn add_reasons(&mut self, reasons: Reasons) {
        reasons::merge(&mut self.reasons, reasons.with_jobs());
    }

    /// The counts by other numbers of names.
    pub(in crate::simulate) fn renumber(self, numbers: &Numbers) -> Result<Self, NumberError> {
        let kinds = &numbers.kinds;
        let mut all = Self { granted: HashMap::new(), reasons: BTreeMap::new(), ..self };
        for (granted, runs) in self.granted {
            let number = |it: Granted| Ok(Granted { kind: kinds.of(it.kind)?, ..it });
            all.granted.entry(granted.map(number).transpose()?).or_default().merge(runs);
        }
        for (key, counts) in self.reasons {
            let key = ReasonKey { kind: kinds.of(key.kind)?, ..key };
            reasons::merge(&mut all.reasons, [(key, counts)]);
        }
        Ok(all)
    }

    /// Whether each rule is one of an engine with this number of rules.
    pub(in crate::simulate) fn has_rules(&self, rules: usize) -> bool {
        let granted = self.granted.keys().flatten().map(|granted| granted.rule);
        let mut all = granted.chain(self.reasons.keys().filter_map(|reason| reason.rule));
        all.all(|rule| (rule as usize) < rules)
    }

    /// Adds other counts of the same engine.
    pub fn merge(&mut self, other: Self) {
        self.recovered += other.recovered;
        self.reruns += other.reruns;
        for (granted, runs) in other.granted {
            self.granted.entry(granted).or_default().merge(runs);
        }
        self.saved.merge(other.saved);
        self.lost_work.merge(other.lost_work);
        self.failed_succeeded += other.failed_succeeded;
        self.samples.merge(SAMPLES, other.samples);
        reasons::merge(&mut self.reasons, other.reasons);
    }
}

/// Writes grants in their order.
fn write_granted<W: Write>(
    granted: &HashMap<Option<Granted>, RetryHours>,
    writer: &mut W,
) -> IoResult<()> {
    // A hash map has another order each time: equal counts are written as equal bytes.
    let sorted: BTreeMap<_, _> = granted.iter().collect();
    sorted.serialize(writer)
}

fn read_granted<R: Read>(reader: &mut R) -> IoResult<HashMap<Option<Granted>, RetryHours>> {
    let all = BTreeMap::<Option<Granted>, RetryHours>::deserialize_reader(reader)?;
    Ok(all.into_iter().collect())
}
