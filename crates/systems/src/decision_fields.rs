//! The fields of reported decisions, and the columns of timelines, that a system has beside those of all systems.

use document::Kind;
use document::diag::Code;
use document::{Field, optional};
use replay::simulate::SystemFields;

/// A field that decisions of a system have beside those of all systems, as tests can expect it.
#[derive(Debug, Clone, Copy)]
pub struct DecisionField {
    /// Its name in reports and tests, its kind in tests, and its documentation there.
    pub field: Field,
    /// How a test compares it.
    pub comparison: Comparison,
}

/// How an expected value is compared with the reported one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// Both are equal.
    Equal,
    /// The reported text contains the expected one: sentences may get more precise.
    Contains,
    /// Both are the same number of seconds; a text is a Go duration.
    Seconds,
    /// Both are the same number of bytes; a text is a quantity.
    Bytes,
    /// Both are the same instant.
    Instant,
    /// The reported mapping has these entries; it may have more.
    Entries,
}

/// A count or an index.
pub const COUNT: Kind = Kind::Whole { min: 0, max: u32::MAX as i128, code: Code::OutOfRange };
/// A number that may be larger than a count.
pub const NUMBER: Kind = Kind::Whole { min: 0, max: i64::MAX as i128, code: Code::OutOfRange };
/// Counts by name.
pub const COUNTS: Kind = Kind::Map(&NUMBER);

impl DecisionField {
    /// A field with its documentation.
    pub const fn new(
        name: &'static str,
        kind: Kind,
        comparison: Comparison,
        doc: &'static str,
    ) -> Self {
        Self { field: optional(name, kind, doc), comparison }
    }
}

/// Declares the fields of a system's decisions. Each row becomes a field of the struct, with its name in JSON and its
/// schema, and an entry of `FIELDS`, which tests can expect; the second text is for tests alone. Fields are published:
/// they may be added, never renamed. Systems that share a name share the whole row.
macro_rules! decision_fields {
    (
        $(#[$attribute:meta])*
        $type:ident $([$lifetime:lifetime])? {
            $($field:ident: $value:ty =
                ($name:literal, $kind:expr, $comparison:ident, $doc:literal $(, $in_tests:literal)?),)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, serde::Serialize, schemars::JsonSchema)]
        pub struct $type $(<$lifetime>)? {
            $(
                #[doc = $doc]
                #[serde(rename = $name)]
                pub $field: Option<$value>,
            )+
        }

        impl $(<$lifetime>)? $type $(<$lifetime>)? {
            /// The fields in tests.
            pub const FIELDS: &'static [$crate::DecisionField] = &[
                $($crate::DecisionField::new(
                    $name,
                    $kind,
                    $crate::Comparison::$comparison,
                    concat!($doc $(, "\n", $in_tests)?),
                ),)+
            ];
        }
    };
}
pub(crate) use decision_fields;

/// A column that timelines of a system have beside those of all systems. It is omitted if all its cells are empty.
#[derive(Debug)]
pub struct DecisionColumn {
    /// The header.
    pub header: &'static str,
    /// Where the column is.
    pub place: ColumnPlace,
    /// The width that a narrow terminal leaves it, at which its cells still differ; `None` for any.
    pub min_width: Option<usize>,
    /// The text of its cells.
    pub cell: CellText,
}

/// The text of the cells of a column; empty without a value.
#[derive(Debug, Clone, Copy)]
pub enum CellText {
    /// The value of the field with this name.
    Field(&'static str),
    /// A text from the fields of the decision and the name of the unit.
    Computed(fn(&SystemFields, &str) -> String),
}

/// The place of a column in a timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnPlace {
    /// At the left: it names the member of the unit that the decision is about.
    Member,
    /// As `Member`, but a narrow terminal omits it.
    DispensableMember,
    /// After the counts of the limit.
    Count,
    /// With `-o wide` alone, before the columns that all systems have there.
    Wide,
}

impl DecisionColumn {
    /// A column of any width.
    pub const fn new(header: &'static str, place: ColumnPlace, cell: CellText) -> Self {
        Self { header, place, min_width: None, cell }
    }

    /// Returns whether the column names the member of the unit that a decision is about.
    pub fn is_of_member(&self) -> bool {
        matches!(self.place, ColumnPlace::Member | ColumnPlace::DispensableMember)
    }

    /// Returns the text of a cell: for a decision with these fields, about the unit of this name.
    pub fn text(&self, fields: &SystemFields, unit: &str) -> String {
        match self.cell {
            CellText::Field(name) => fields.cell(name),
            CellText::Computed(text) => text(fields, unit),
        }
    }
}

/// The message of the failure, in one line.
pub const MESSAGE: DecisionColumn = DecisionColumn::new(
    "MESSAGE",
    ColumnPlace::Wide,
    CellText::Computed(|fields, _| one_line(&fields.cell("failureMessage"))),
);

fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::CellText;
    use crate::{DECISION_FIELDS, SystemName};
    use std::collections::HashMap;

    /// A document with decisions of any system has one schema and one documentation of a field.
    #[test]
    fn systems_that_share_a_name_share_the_whole_row() {
        let mut rows: HashMap<&str, String> = HashMap::new();
        for row in DECISION_FIELDS.iter().copied().flatten() {
            let own = format!("{row:?}");
            assert_eq!(rows.entry(row.field.name).or_insert_with(|| own.clone()), &own);
        }
    }

    #[test]
    fn columns_have_fields_of_their_system() {
        for system in SystemName::all().map(SystemName::description) {
            for column in system.columns {
                let CellText::Field(name) = column.cell else { continue };
                let mut fields = system.decision_fields.iter();
                assert!(fields.any(|it| it.field.name == name), "{}: {name}", system.id);
            }
        }
    }
}
