//! Names of policies.

use std::fmt;
use std::sync::Arc;

/// A policy's name: 1 to 63 characters that match `[a-z0-9]([-a-z0-9]*[a-z0-9])?`, as Armada's server
/// requires.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyName(Arc<str>);

/// Whether a text is a valid name.
pub fn is_name(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    let ends = |byte: Option<&u8>| byte.is_some_and(|&byte| inner(byte));
    text.len() <= 63
        && ends(bytes.first())
        && ends(bytes.last())
        && bytes.iter().all(|&byte| inner(byte) || byte == b'-')
}

impl PolicyName {
    /// Returns the name; `None` if the text is not a valid one.
    pub fn new(text: &str) -> Option<Self> {
        is_name(text).then(|| Self(text.into()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PolicyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_armadas() {
        for good in ["a", "0", "ml-training", &"a".repeat(63)] {
            assert!(PolicyName::new(good).is_some(), "{good}");
        }
        for bad in ["", "-a", "a-", "A", "a_b", "a.b", "é", &"a".repeat(64)] {
            assert!(PolicyName::new(bad).is_none(), "{bad}");
        }
    }
}
