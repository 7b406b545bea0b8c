//! Notes on what of the checks the categories keep.

use document::diag::{Code, Diagnostic, Place};

/// A part of a check, or of a category beside it, whose meaning is kept or not.
#[derive(Debug, Clone)]
pub struct CheckNote {
    /// The part that is not kept; `None` if all is.
    pub loss: Option<Loss>,
    /// The place of the field.
    pub place: Place,
    /// The field.
    pub field: &'static str,
    /// The equivalent of the field, or the difference.
    pub what: String,
    /// The remedy, if there is one.
    pub help: Option<String>,
}

/// The part of a check that is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// Rules match no empty text.
    EmptyText,
    /// A rule on the pod's text compares no reason.
    Reason,
    /// A rule on a pod without failed containers applies whether a container started or not.
    StartedPod,
    /// A rule names one container, so that further names that the pattern matches are not tested.
    OtherNames,
    /// The names of containers cannot be listed: the check is left out.
    UnlistedNames,
    /// A rule of the file comes before the checks, which came first.
    EarlierRule,
    /// The categories of the file were off, and are on.
    TurnedOn,
    /// Failures that no rule matches get another category.
    Default,
}

impl CheckNote {
    /// The finding about what is not kept; `None` if all is.
    pub fn finding(&self) -> Option<Diagnostic> {
        let code = match self.loss? {
            Loss::UnlistedNames => Code::NoCounterpart,
            _ => Code::Approximated,
        };
        let warning = Diagnostic::warning(code, self.place.clone(), self.text());
        Some(warning.maybe_help(self.help.clone()))
    }

    /// The field, and how it is converted.
    pub fn text(&self) -> String {
        format!("`{}`: {}", self.field, self.what)
    }
}

/// The notes of a conversion, in order.
#[derive(Debug, Default)]
pub(super) struct CheckNotes(pub(super) Vec<CheckNote>);

impl CheckNotes {
    pub(super) fn kept(&mut self, place: &Place, field: &'static str, what: impl Into<String>) {
        let (place, what) = (place.clone(), what.into());
        self.0.push(CheckNote { loss: None, place, field, what, help: None });
    }

    pub(super) fn lost(
        &mut self,
        loss: Loss,
        (place, field): (&Place, &'static str),
        what: impl Into<String>,
        help: Option<String>,
    ) {
        let (place, what) = (place.clone(), what.into());
        self.0.push(CheckNote { loss: Some(loss), place, field, what, help });
    }
}
