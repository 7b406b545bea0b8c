//! The glob patterns of `evaluateOnExit`: a text, which may end with `*`.

use document::{FieldValue, Kind, Node};
use std::fmt;

/// The maximum number of characters in a pattern.
pub(in crate::awsbatch) const MAX_LENGTH: usize = 512;

/// A pattern: the whole text, or the start of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    /// The pattern without the `*` at its end.
    pub start: Box<str>,
    /// Whether it ends with `*`, so that any text may follow.
    pub is_open: bool,
}

impl FieldValue for Glob {
    const KIND: Kind = Kind::SomeText;

    fn from_node(node: &Node) -> Option<Self> {
        node.text().map(Self::new)
    }
}

impl Glob {
    /// Creates the pattern that is written so.
    pub fn new(text: &str) -> Self {
        let start = text.strip_suffix('*');
        Self { start: start.unwrap_or(text).into(), is_open: start.is_some() }
    }

    /// Returns whether it matches a text.
    pub fn matches(&self, text: &str) -> bool {
        if self.is_open { text.starts_with(&*self.start) } else { text == &*self.start }
    }

    /// Returns whether it matches every text.
    pub fn matches_all(&self) -> bool {
        self.is_open && self.start.is_empty()
    }
}

/// Writes it as a manifest has it.
impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.start, if self.is_open { "*" } else { "" })
    }
}

/// Returns the first character that a pattern on reasons may not contain before its end, with its place.
pub(in crate::awsbatch) fn invalid_in_reason(text: &str) -> Option<char> {
    let start = text.strip_suffix('*').unwrap_or(text);
    start.chars().find(|c| !(c.is_alphanumeric() || matches!(c, '.' | ':') || c.is_whitespace()))
}

/// Returns the first character that a pattern on exit codes may not contain before its end.
pub(in crate::awsbatch) fn invalid_in_code(text: &str) -> Option<char> {
    let start = text.strip_suffix('*').unwrap_or(text);
    start.chars().find(|c| !c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_a_text_or_its_start() {
        for (pattern, text, is_match) in [
            ("Host EC2*", "Host EC2 (instance i-0abc) terminated.", true),
            ("Host EC2*", "Host EC2", true),
            ("Host EC2*", "host EC2 (instance i-0abc) terminated.", false),
            ("Host EC2", "Host EC2 (instance i-0abc) terminated.", false),
            ("AGENT", "AGENT", true),
            ("*", "", true),
            ("*", "anything", true),
            ("40*", "40", true),
            ("40*", "403", true),
            ("40*", "4", false),
            ("137", "137", true),
            ("137", "1370", false),
        ] {
            assert_eq!(Glob::new(pattern).matches(text), is_match, "{pattern}: {text}");
            assert_eq!(Glob::new(pattern).to_string(), pattern);
        }
    }

    #[test]
    fn stars_and_signs_are_allowed_only_where_they_are_documented() {
        for (pattern, invalid) in [
            ("CannotPullContainerError:*", None),
            ("Task failed to start", None),
            ("Host*terminated", Some('*')),
            ("**", Some('*')),
            ("Host EC2 (instance*", Some('(')),
            ("a-b", Some('-')),
        ] {
            assert_eq!(invalid_in_reason(pattern), invalid, "{pattern}");
        }
        for (pattern, invalid) in
            [("40*", None), ("*", None), ("-1", Some('-')), ("1.0", Some('.')), ("4*0", Some('*'))]
        {
            assert_eq!(invalid_in_code(pattern), invalid, "{pattern}");
        }
    }
}
