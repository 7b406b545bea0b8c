//! From the text of one JSON value to a struct, or to a finding in its place.

use super::sink::Fault;
use crate::diag::{Code, Diagnostic, Place, Source, Span, json_message};
use crate::units::Time;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Reads a struct from a text.
///
/// # Errors
///
/// The finding about the text, which is a part of `source` from a byte on.
pub(super) fn read<T: DeserializeOwned>(
    text: &[u8],
    source: impl FnOnce() -> (Arc<Source>, usize),
) -> Result<T, Fault> {
    serde_json::from_slice(text).map_err(|error| {
        let (source, at) = source();
        let at = at + offset(text, &error);
        let place = Place::new(&source, Span::new(at, at + 1));
        let message = error.to_string();
        let message = json_message(message.split(" at line ").next().unwrap_or_default());
        Box::new(match error.classify() {
            serde_json::error::Category::Data => {
                Diagnostic::error(Code::BadRecord, place, format!("invalid record: {message}"))
            }
            _ => Diagnostic::error(Code::Syntax, place, format!("invalid JSON: {message}")),
        })
    })
}

/// The byte that an error points at.
fn offset(text: &[u8], error: &serde_json::Error) -> usize {
    let breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1));
    let start = starts.take(error.line().max(1)).last().unwrap_or(0);
    (start + error.column().saturating_sub(1)).min(text.len())
}

/// A text that is not empty: an empty one means absent.
pub(super) fn non_empty(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).filter(|text| !text.is_empty())
}

/// The same for an owned text.
pub(super) fn into_non_empty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// The time of an RFC 3339 text; an empty text counts as absent.
pub(super) fn time(key: &str, text: Option<&String>) -> Result<Option<Time>, String> {
    let Some(text) = non_empty(text) else {
        return Ok(None);
    };
    Time::parse(text).map(Some).map_err(|error| format!("`{key}`: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_finding_has_the_place_of_the_error() {
        let text = "{\"é\":\n  true}";
        let source = || (Source::excerpt("x", text, 7), 0);
        let finding = read::<BTreeMap<String, u32>>(text.as_bytes(), source).unwrap_err();
        assert_eq!(finding.place.unwrap().to_string(), "x:8:6");
        assert!(finding.message.starts_with("invalid record: expected "));
        let finding = read::<BTreeMap<String, u32>>(b"{\"a\"", source).unwrap_err();
        assert_eq!(finding.code, Code::Syntax);
    }

    #[test]
    fn an_empty_text_is_no_text() {
        assert_eq!(time("finished", Some(&String::new())), Ok(None));
        assert!(time("finished", Some(&"soon".to_owned())).unwrap_err().contains("finished"));
    }
}
