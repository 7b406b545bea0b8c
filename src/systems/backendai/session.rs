//! The id of a session.

use std::fmt;

/// The id of a session, a UUID. Anything else is taken as it is, in lower case, since histories
/// may have been made anonymous.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionId {
    /// A UUID; the highest byte is the first.
    Uuid(u128),
    /// What is no UUID, in lower case.
    Other(Box<str>),
}

impl SessionId {
    /// Reads an id. A UUID is one in either case, with its four hyphens or without any.
    pub fn new(text: &str) -> Self {
        uuid(text).map_or_else(|| Self::Other(text.to_lowercase().into()), Self::Uuid)
    }

    /// The sixteen bytes of a UUID.
    pub fn bytes(&self) -> Option<[u8; 16]> {
        match self {
            Self::Uuid(number) => Some(number.to_be_bytes()),
            Self::Other(_) => None,
        }
    }
}

/// The text that is hashed: as Python's `str` writes a UUID.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// However a UUID is written, it is one session and has one text.
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
}
