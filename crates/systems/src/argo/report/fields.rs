//! The fields that decisions about attempts of Argo have beside those of all systems.

use crate::decision_fields::decision_fields;
use crate::{CellText, ColumnPlace, DecisionColumn};
use document::Kind;

decision_fields! {
    /// The fields that decisions about attempts have.
    AttemptDecision {
        template: String = ("template", Kind::SomeText, Equal, "The template that the node runs."),
        node_phase: &'static str =
            ("nodePhase", Kind::SomeText, Equal, "The phase of the retry node after the decision."),
        node_message: String = (
            "nodeMessage", Kind::SomeText, Contains,
            "The message of the retry node, as Argo writes it.",
            "A part of it is enough."
        ),
        backoff_seconds: f64 = (
            "backoffSeconds", Kind::Seconds, Seconds,
            "The wait of the backoff, which comes before the end of the node too.",
            "It may be a Go duration."
        ),
    }
}

/// The columns of timelines of retry nodes.
pub const COLUMNS: &[DecisionColumn] = &[
    DecisionColumn::new("TEMPLATE", ColumnPlace::Wide, CellText::Field("template")),
    DecisionColumn::new("NODE PHASE", ColumnPlace::Wide, CellText::Field("nodePhase")),
];
