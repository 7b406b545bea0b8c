//! The figures of a replay, which merge.

use crate::simulate::answer::{PolicyCounts, RecordCounts};
use crate::simulate::changes::Changes;
use crate::simulate::engine::Engine;
use crate::simulate::numbering::{NumberError, Numbers};
use crate::simulate::summary::Summary;
use borsh::{BorshDeserialize, BorshSerialize};

/// The figures of a replay. Merging is associative and commutative, and empty figures change nothing.
#[derive(Debug, Clone, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Figures {
    /// Engine by engine.
    pub summaries: Vec<Summary>,
    /// The counts of the record.
    pub record: RecordCounts,
    /// The counts beside the record, engine by engine.
    pub columns: Vec<PolicyCounts>,
    /// The changes under each engine but the first; none unless engines are compared.
    pub changes: Vec<Changes>,
}

impl Figures {
    /// The figures of nothing.
    pub fn new<E: Engine>(engines: &[E]) -> Self {
        Self {
            summaries: engines.iter().map(|it| Summary::new(it.rules().len())).collect(),
            record: RecordCounts::default(),
            columns: vec![PolicyCounts::default(); engines.len()],
            changes: Vec::new(),
        }
    }

    /// Marks the needs of policies that are met. Each thread stops looking for parts once all needs are met by its own units,
    /// so that without this equal figures could have other bytes.
    pub fn complete<E: Engine>(&mut self, engines: &[E]) {
        for (summary, engine) in self.summaries.iter_mut().zip(engines) {
            for (judged, needs) in summary.judged.iter_mut().zip(engine.needs()) {
                judged.parts = needs.found(judged.parts);
            }
        }
    }

    /// Adds figures of the same engines and names.
    pub fn merge(&mut self, other: Self) {
        let summaries = self.summaries.iter_mut().zip(other.summaries);
        summaries.for_each(|(own, other)| own.merge(other));
        self.record.merge(other.record);
        self.columns.iter_mut().zip(other.columns).for_each(|(own, other)| own.merge(other));
        self.changes.iter_mut().zip(other.changes).for_each(|(own, other)| own.merge(other));
    }

    /// The figures by other numbers of names.
    ///
    /// # Errors
    ///
    /// If a number is that of no name.
    pub fn renumber(self, numbers: &Numbers) -> Result<Self, NumberError> {
        let Self { summaries, record, columns, changes } = self;
        Ok(Self {
            summaries: each(summaries, |it| it.renumber(numbers))?,
            record: record.renumber(numbers)?,
            columns: each(columns, |it| it.renumber(numbers))?,
            changes: each(changes, |it| it.renumber(numbers))?,
        })
    }

    /// Whether these are figures of such engines, which may be compared: no rule has a number beyond those of its engine.
    pub fn are_of<E: Engine>(&self, engines: &[E]) -> bool {
        let rules: Vec<usize> = engines.iter().map(|it| it.rules().len()).collect();
        let Self { summaries, record: _, columns, changes } = self;
        let (first, others) = rules.split_first().unwrap_or((&0, &[]));
        let are_all = (summaries.len(), columns.len()) == (rules.len(), rules.len());
        let are_compared = changes.is_empty() || changes.len() == others.len();
        are_all
            && are_compared
            && summaries.iter().zip(&rules).all(|(it, rules)| it.has_rules(*rules))
            && columns.iter().zip(&rules).all(|(it, rules)| it.has_rules(*rules))
            && changes.iter().zip(others).all(|(it, own)| it.has_rules(*first, *own))
    }
}

fn each<T>(
    items: Vec<T>,
    renumber: impl Fn(T) -> Result<T, NumberError>,
) -> Result<Vec<T>, NumberError> {
    items.into_iter().map(renumber).collect()
}
