//! The fields and columns that Armada's decisions have beside those of all systems.

use crate::decision_fields::{MESSAGE, decision_fields};
use crate::{CellText, ColumnPlace, DecisionColumn};
use document::Kind;
use replay::simulate::SystemFields;

decision_fields! {
    /// The fields of decisions about failures that the configuration of Armada's executors classified.
    ClassifiedDecision['r] {
        failure_message: &'r str = (
            "failureMessage", Kind::SomeText, Contains,
            "The message of the Job's failure, as its condition has it, or the message that Armada's executor reports with \
             the category, with its hint. No rule matches it.",
            "A part of it is enough."
        ),
        failure_hint: &'r str = (
            "failureHint", Kind::SomeText, Contains,
            "The hint of the category.",
            "A part of it is enough."
        ),
        category: &'r str = (
            "category", Kind::SomeText, Equal,
            "The category that Armada's executor reports."
        ),
        subcategory: &'r str = (
            "subcategory", Kind::SomeText, Equal,
            "The subcategory that Armada's executor reports."
        ),
    }
}

/// The columns of timelines of classified failures.
pub const COLUMNS: &[DecisionColumn] =
    &[DecisionColumn::new("CATEGORY", ColumnPlace::Wide, CellText::Computed(category)), MESSAGE];

/// The category that the executor reports, with its subcategory: `gpu/ecc`.
fn category(fields: &SystemFields, _: &str) -> String {
    let names = ["category", "subcategory"].map(|name| fields.text(name));
    names.into_iter().flatten().collect::<Vec<_>>().join("/")
}
