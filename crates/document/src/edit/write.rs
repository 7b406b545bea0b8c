//! Texts as scalars.

use crate::go_yaml::yaml11_type;
use crate::{Resolved, Scalar, ScalarStyle, ScalarTag};

/// A text as a scalar on one line, with quotes where it needs them.
pub(super) fn text(text: &str, is_json: bool) -> String {
    if is_json {
        return double_quoted(text);
    }
    if is_plain(text) {
        return text.to_owned();
    }
    single_quoted(text).unwrap_or_else(|| double_quoted(text))
}

/// A text in single quotes; `None` if it contains characters that need an escape.
pub(crate) fn single_quoted(text: &str) -> Option<String> {
    // YAML 1.2 (5.1, 5.4) excludes these from printable characters, and YAML 1.1 breaks lines at two of them.
    let breaks = ['\u{feff}', '\u{2028}', '\u{2029}', '\u{fffe}', '\u{ffff}'];
    let is_printable = |c: char| !c.is_control() && !breaks.contains(&c);
    text.chars().all(is_printable).then(|| format!("'{}'", text.replace('\'', "''")))
}

/// A text in double quotes. A string of JSON is one of YAML too.
pub(crate) fn double_quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Whether every reader of YAML 1.1 and 1.2 reads a text without quotes as this text, in any style. Texts that need
/// no quotes in some places only are not among them.
fn is_plain(text: &str) -> bool {
    let is_inner = |c: char| c.is_alphanumeric() || " -_./+%".contains(c);
    let is_first = |c: char| c.is_alphanumeric() || matches!(c, '/' | '_');
    let (style, tag) = (ScalarStyle::Plain, ScalarTag::None);
    let scalar = Scalar { text: text.to_owned(), style, tag };
    let is_text = matches!(scalar.resolve(), Resolved::Text(_)) && yaml11_type(&scalar).is_none();
    text.starts_with(is_first)
        && text.chars().all(is_inner)
        && !text.ends_with(' ')
        && is_text
        // Dates and base-60 numbers of YAML 1.1.
        && !text.starts_with(|c: char| c.is_ascii_digit())
}
