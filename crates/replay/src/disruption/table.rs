//! The table: its rows, with those that a file replaces, and the search for the row of a record.

use super::kind::Source;
use super::row::Row;
use super::rows::ROWS;
use super::sign::{Evidence, Sign};
use armada_retry::policy::Condition;
use schemars::JsonSchema;
use serde::Serialize;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

/// The number of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId(pub(super) u8);

impl RowId {
    /// The number, from 0.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The row with a number.
    pub fn from_index(index: usize) -> Option<Self> {
        u8::try_from(index).ok().filter(|index| usize::from(*index) < ROWS.len()).map(Self)
    }
}

/// A row as it is printed and read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RowReport {
    /// The program that leaves the sign.
    pub system: &'static str,
    /// The source that has it: `pods`, `sacct`, `armada-events`, `lookout` or `records`.
    pub source: &'static str,
    /// The sign.
    pub sign: String,
    /// What ended the run.
    pub kind: &'static str,
    /// The condition of the run under Armada's engines; null if the run gets none.
    pub condition: Option<&'static str>,
    /// Whether the sign counts.
    pub enabled: bool,
    /// The document or code that defines the sign.
    pub rule: &'static str,
}

impl From<&Row> for RowReport {
    fn from(row: &Row) -> Self {
        Self {
            system: row.system.as_str(),
            source: row.source.as_str(),
            sign: row.sign.to_string(),
            kind: row.kind.as_str(),
            condition: row.condition.map(Condition::as_str),
            enabled: row.enabled,
            rule: row.rule,
        }
    }
}

/// The table. A copy shares its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disruptions(Arc<[Row]>);

static DEFAULT: LazyLock<Disruptions> = LazyLock::new(|| Disruptions(ROWS.into()));

/// The numbers of the rows of each source, which follow each other.
static OF_SOURCE: LazyLock<Vec<(Source, Range<u8>)>> = LazyLock::new(|| {
    let mut end = 0;
    let of_source = ROWS.chunk_by(|row, next| row.source == next.source).map(|rows| {
        let first = end;
        end += u8::try_from(rows.len()).expect("rows have numbers of 8 bits");
        (rows[0].source, first..end)
    });
    of_source.collect()
});

impl Default for Disruptions {
    fn default() -> Self {
        DEFAULT.clone()
    }
}

impl Disruptions {
    /// The rows, in the order in which they are compared.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &Row> {
        self.0.iter()
    }

    /// A row.
    pub fn row(&self, id: RowId) -> &Row {
        &self.0[id.index()]
    }

    /// The table with other values in a row.
    #[must_use]
    pub(super) fn with(self, id: RowId, row: Row) -> Self {
        let mut rows = self.0.to_vec();
        rows[id.index()] = row;
        Self(rows.into())
    }

    /// The row of a record of this source: the first that counts, else the first that is off. A reason that has a row
    /// which is off is not covered by the row of the other reasons.
    pub fn find(&self, source: Source, evidence: &dyn Evidence) -> Option<RowId> {
        // Nearly all records have no sign, and need no search.
        if evidence.is_plain() {
            return None;
        }
        let is_known = |kind: &str, reason: &str| self.has_reason(source, kind, reason);
        let mut off = None;
        for id in Self::source_rows(source) {
            let row = self.row(id);
            if !row.sign.is_in(evidence, &is_known) {
                continue;
            }
            if row.enabled {
                return Some(id);
            }
            off = off.or(Some(id));
        }
        off
    }

    /// The rows of a source.
    pub(super) fn source_rows(source: Source) -> impl Iterator<Item = RowId> {
        let rows = OF_SOURCE.iter().find(|(of, _)| *of == source).map(|(_, rows)| rows.clone());
        rows.unwrap_or_default().map(RowId)
    }

    /// Whether a row of this source has a reason of a condition of pods.
    fn has_reason(&self, source: Source, kind: &str, reason: &str) -> bool {
        Self::source_rows(source).any(|id| {
            matches!(self.row(id).sign, Sign::PodCondition { kind: other, reason: Some(own) }
                if other == kind && own == reason)
        })
    }

    /// The row of a record of this source, if the row counts.
    pub fn find_enabled(&self, source: Source, evidence: &dyn Evidence) -> Option<&Row> {
        self.find(source, evidence).map(|id| self.row(id)).filter(|row| row.enabled)
    }
}
