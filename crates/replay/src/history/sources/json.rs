//! From the text of one JSON value to a struct, or to a finding in its place.

use super::sink::Fault;
use document::diag::{
    Code, Diagnostic, Place, Source, Span, json_message, json_offset, json_syntax,
};
use document::units::Time;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
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
        let (source, start) = source();
        let place = |at: usize| Place::new(&source, Span::new(start + at, start + at + 1));
        // Only data of a wrong type have words for a record; all else is about the syntax.
        if error.classify() == Category::Data {
            let message = error.to_string();
            let message = json_message(message.split(" at line ").next().unwrap_or_default());
            let place = place(json_offset(text, &error));
            let message = format!("invalid record: {message}");
            return Diagnostic::error(Code::BadRecord, place, message).into();
        }
        let ((message, help), at) = json_syntax(text, &error);
        Diagnostic::error(Code::Syntax, place(at), message).help(help).into()
    })
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
