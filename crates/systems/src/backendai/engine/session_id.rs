//! The ids of a session: its own, and its creation id.
//!
//! Owns the creation ids of a chain of sessions (seed, "Decision and dispatch", step 3).
//!
//! A retry's creation id is its parent's with `:retry:N` appended, so it grows with every retry. Its column
//! is limited (`sessions.creation_id`, 32 characters, not unique). The draft does not define how to handle a
//! creation id that is too long, so no decision depends on it here.

use std::fmt;

/// The id of a session, a UUID. Any other text is kept in lower case, since histories may have been made
/// anonymous.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionId {
    /// A UUID, its first byte the highest.
    Uuid(u128),
    /// Any other text, in lower case.
    Other(Box<str>),
}

impl SessionId {
    /// Reads an id. A UUID may be in either case, with its four hyphens or without any.
    pub fn new(text: &str) -> Self {
        uuid(text).map_or_else(|| Self::Other(text.to_lowercase().into()), Self::Uuid)
    }

    /// Returns the sixteen bytes of a UUID.
    pub fn bytes(&self) -> Option<[u8; 16]> {
        match self {
            Self::Uuid(number) => Some(number.to_be_bytes()),
            Self::Other(_) => None,
        }
    }
}

/// Writes the text that is hashed: a UUID as Python's `str` writes it.
impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = match self {
            Self::Uuid(number) => number,
            Self::Other(text) => return f.write_str(text),
        };
        let four = |shift: u32| number >> shift & 0xffff;
        let (first, last) = (number >> 96, number & 0xffff_ffff_ffff);
        write!(f, "{first:08x}-{:04x}-{:04x}-{:04x}-{last:012x}", four(80), four(64), four(48))
    }
}

/// Reads a UUID: 32 hexadecimal digits, in one group or with hyphens after 8, 12, 16 and 20 of them.
fn uuid(text: &str) -> Option<u128> {
    let lengths = || text.split('-').map(str::len);
    if !lengths().eq([32]) && !lengths().eq([8, 4, 4, 4, 12]) {
        return None;
    }
    let digits = text.chars().filter(|digit| *digit != '-');
    digits
        .map(|digit| digit.to_digit(16))
        .try_fold(0, |number: u128, digit| digit.map(|digit| number << 4 | u128::from(digit)))
}

/// The length of the column of creation ids, in characters.
pub const CREATION_ID_LIMIT: usize = 32;

/// The length of a root session's generated creation id, in characters.
pub const DEFAULT_CREATION_ID_LENGTH: usize = 22;

/// Returns the suffix that is appended to the parent's creation id for a retry with this `retry_count`.
pub fn creation_suffix(retry_count: u32) -> String {
    format!(":retry:{retry_count}")
}

/// Returns the first retry of a chain whose creation id is too long for its column; `root` is the length of
/// the root's id in characters. If the root's id is too long itself, the first retry is returned.
pub fn first_overflow(root: usize, max_retries: u32) -> Option<u32> {
    let mut length = root;
    (1..=max_retries).find(|retry_count| {
        length = length.saturating_add(creation_suffix(*retry_count).len());
        length > CREATION_ID_LIMIT
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Every spelling of a UUID is the same session and has the same text.
        #[test]
        fn has_one_text(number: u128) {
            let bare = format!("{number:032x}");
            let parts = [&bare[..8], &bare[8..12], &bare[12..16], &bare[16..20], &bare[20..]];
            let text = parts.join("-");
            for written in [&bare, &text, &text.to_uppercase(), &bare.to_uppercase()] {
                let id = SessionId::new(written);
                prop_assert_eq!(id.bytes(), Some(number.to_be_bytes()));
                prop_assert_eq!(id.to_string(), text.as_str());
            }
        }

        #[test]
        fn what_is_no_uuid_stays_in_lower_case(text in "\\PC{0,40}") {
            let id = SessionId::new(&text);
            prop_assume!(id.bytes().is_none());
            prop_assert_eq!(id.to_string(), text.to_lowercase());
        }
    }

    #[test]
    fn hyphens_elsewhere_make_no_uuid() {
        for text in ["3f2504e04f-8941d3-9a0c-0305e82c3301", "+f2504e04f8941d39a0c0305e82c3301", ""]
        {
            assert_eq!(SessionId::new(text).bytes(), None, "{text}");
        }
    }

    proptest! {
        /// The computed overflow is that of the ids.
        #[test]
        fn overflows_where_an_id_is_too_long(root in "\\PC{0,36}", max_retries in 0..9_u32) {
            let mut id = root.clone();
            let too_long = (1..=max_retries).find(|retry_count| {
                id += &creation_suffix(*retry_count);
                id.chars().count() > 32
            });
            prop_assert_eq!(first_overflow(root.chars().count(), max_retries), too_long);
        }
    }

    #[test]
    fn a_usual_id_overflows_at_the_second_retry() {
        assert_eq!(first_overflow(DEFAULT_CREATION_ID_LENGTH, u32::MAX), Some(2));
        assert_eq!(first_overflow(DEFAULT_CREATION_ID_LENGTH, 1), None);
        assert_eq!(first_overflow(CREATION_ID_LIMIT + 1, 3), Some(1));
        assert_eq!(first_overflow(CREATION_ID_LIMIT + 1, 0), None);
    }
}
