//! The finding that the default of an absent field has a surprising effect.

use document::diag::{Code, Diagnostic, Place};

/// The finding that a field which is absent has a default with a surprising effect. `place` is that of the field which
/// suggests another value.
pub fn surprising_default(
    place: Place,
    (field, default): (&str, &str),
    effect: &str,
    remedy: &str,
) -> Diagnostic {
    let message = format!("`{field}` is {default} by default: {effect}");
    Diagnostic::warning(Code::SurprisingDefault, place, message).help(remedy)
}
