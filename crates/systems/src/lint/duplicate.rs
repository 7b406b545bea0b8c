//! The finding that a list has a value twice.

use document::diag::{Code, Diagnostic, Fix, Place};

/// The finding that a list has a value again; `first` is the place of the first one.
pub fn duplicate_value(place: Place, value: &str, first: Place, fix: Option<Fix>) -> Diagnostic {
    Diagnostic::warning(Code::DuplicateValue, place, format!("`{value}` is listed twice"))
        .also(first, "first")
        .help("remove one of them, or write the value that was meant")
        .fixed_by(fix)
}
