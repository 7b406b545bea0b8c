//! What only the decisions of some systems have: fields of reports, which tests can expect, and columns of timelines.

use document::Kind;
use document::diag::Code;
use document::{Field, optional};
use replay::simulate::SystemFields;

/// A field that only decisions of some systems have.
#[derive(Debug, Clone, Copy)]
pub struct DecisionField {
    /// Its name in reports and tests, its kind in tests, and its documentation.
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

/// Declares the fields that only decisions of one system have. Of a row are made the field of the struct, its name in
/// reports and its schema, and the field that tests can expect.
macro_rules! decision_fields {
    (
        $(#[$attribute:meta])*
        $type:ident $([$lifetime:lifetime])? {
            $($field:ident: $value:ty = ($name:literal, $kind:expr, $comparison:ident, $doc:literal),)+
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
                $($crate::DecisionField::new($name, $kind, $crate::Comparison::$comparison, $doc),)+
            ];
        }
    };
}
pub(crate) use decision_fields;

/// A column that only the timelines of some systems have. It is omitted if all its cells are empty.
#[derive(Debug)]
pub struct DecisionColumn {
    /// The header.
    pub header: &'static str,
    /// Where the column is.
    pub place: ColumnPlace,
    /// The least width at which its cells still differ, if it may not be cut to any width.
    pub min_width: Option<usize>,
    /// The text of a cell, from the fields of the decision and the name of the unit; empty without a value.
    pub cell: fn(&SystemFields, &str) -> String,
}

/// The place of a column in a timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnPlace {
    /// At the left: it says which member of the unit the decision is about.
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
    pub const fn new(
        header: &'static str,
        place: ColumnPlace,
        cell: fn(&SystemFields, &str) -> String,
    ) -> Self {
        Self { header, place, min_width: None, cell }
    }

    /// Returns whether the column says which member of the unit a decision is about.
    pub fn is_of_member(&self) -> bool {
        matches!(self.place, ColumnPlace::Member | ColumnPlace::DispensableMember)
    }
}
