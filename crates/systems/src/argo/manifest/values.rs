//! The values of a strategy that may be numbers or texts.

use document::Node;
use document::units::{DurationError, GoDuration};

/// Returns whether a value has double braces, which the controller replaces as the workflow runs.
pub(in crate::argo) fn has_parameter(node: &Node) -> bool {
    node.text().is_some_and(|text| text.contains("{{"))
}

/// Reads a whole number, or a text of one (`intstr.Int32`).
pub(in crate::argo) fn int32(node: &Node) -> Option<i32> {
    let number = match node.text() {
        Some(text) => text.parse::<i64>().ok()?.into(),
        None => node.integer()?,
    };
    i32::try_from(number).ok()
}

/// Reads a number of seconds or a Go duration, as a text (`ParseStringToDuration`).
///
/// # Errors
///
/// If it is neither.
pub(in crate::argo) fn duration(node: &Node) -> Result<GoDuration, DurationError> {
    let text = node.text().unwrap_or_default();
    match text.parse::<i64>() {
        Ok(seconds) => Ok(GoDuration::from_secs(seconds)),
        Err(_) => GoDuration::parse(text),
    }
}
