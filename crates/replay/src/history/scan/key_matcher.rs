//! Recognises a key by comparing whole words of bytes.
//!
//! It matches only the common spelling: in quotes, without escapes, with the colon right after. A
//! key that does not match may still be the same key in another spelling.

/// Bytes compared at a time.
const WORD: usize = size_of::<u64>();
/// Words compared for each key.
// Three cover the keys of every system but the longest two, and comparing all of them costs less than a loop that stops
// at the first difference.
const WORDS: usize = 3;
/// The longest key that fits the words with its quotes and its colon.
const SHORT: usize = WORDS * WORD - 3;

/// A key in quotes with its colon, in words of eight bytes.
#[derive(Debug, Clone, Copy)]
pub struct KeyMatcher {
    words: [u64; WORDS],
    /// The bytes of the words that belong to the key.
    masks: [u64; WORDS],
    /// Bytes of the key with its quotes and its colon.
    length: usize,
    /// The end of a long key, which is compared if the words match.
    rest: Option<&'static [u8]>,
}

impl KeyMatcher {
    /// Matches nothing.
    pub(in crate::history) const NEVER: Self =
        // No text masked with 0 is 1.
        Self { words: [1; WORDS], masks: [0; WORDS], length: usize::MAX, rest: None };

    /// A matcher of a key.
    pub(in crate::history) const fn of(key: &'static str) -> Self {
        let key = key.as_bytes();
        let length = key.len() + 3;
        let rest = if key.len() <= SHORT { None } else { Some(key.split_at(SHORT).1) };
        let mut matcher = Self { words: [0; WORDS], masks: [0; WORDS], length, rest };
        let mut at = 0;
        // Of a long key the words hold its quote and the first bytes; the rest is compared afterwards.
        while at < length && (rest.is_none() || at <= SHORT) {
            let byte = if at == length - 1 {
                b':'
            } else if at == 0 || at == length - 2 {
                b'"'
            } else {
                key[at - 1]
            };
            let shift = at % WORD * 8;
            matcher.words[at / WORD] |= (byte as u64) << shift;
            matcher.masks[at / WORD] |= 0xff << shift;
            at += 1;
        }
        matcher
    }

    /// Bytes of the key with its quotes and its colon.
    #[inline]
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Whether the key begins at a place, with a colon right after it.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "an eighth of the instructions of reading a line")]
    pub(in crate::history) fn is_at(&self, bytes: &[u8], at: usize) -> bool {
        match bytes.get(at..at + WORDS * WORD).and_then(<[u8]>::as_array) {
            Some(bytes_at) => {
                self.is_in(bytes_at) && self.rest.is_none_or(|rest| self.ends(rest, bytes, at))
            }
            None => self.is_near_end(bytes, at),
        }
    }

    /// The same where the text ends before the words do, so that only a short key can be there.
    #[cold]
    fn is_near_end(&self, bytes: &[u8], at: usize) -> bool {
        let words = self.words.map(u64::to_le_bytes);
        let key = words.as_flattened().get(..self.length);
        key.zip(bytes.get(at..)).is_some_and(|(key, text)| text.starts_with(key))
    }

    /// Whether the end of a long key follows, with its quote and its colon.
    #[cold]
    fn ends(&self, rest: &[u8], bytes: &[u8], at: usize) -> bool {
        let end = bytes.get(at + 1 + SHORT..at + self.length);
        end.and_then(|end| end.strip_prefix(rest)) == Some(b"\":")
    }

    #[inline]
    fn is_in(&self, bytes_at: &[u8; WORDS * WORD]) -> bool {
        let (words, _) = bytes_at.as_chunks::<WORD>();
        let other = |(at, word): (usize, &[u8; WORD])| {
            u64::from_le_bytes(*word) & self.masks[at] ^ self.words[at]
        };
        words.iter().enumerate().map(other).fold(0, |all, other| all | other) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The words match where a comparison of bytes does.
        #[test]
        fn matches_what_a_comparison_matches(key in "[a-zA-Z]{0,32}", other in "[a-z]{0,3}", rest in ".{0,30}", same: bool, cut in 0..50_usize, before in "[a-z]{0,30}") {
            let text = if same { format!("\"{key}\":") } else { format!("\"{key}{other}\"{rest}") };
            let line = format!("{text}{rest}");
            let line = &line.as_bytes()[..line.len().min(cut)];
            let quoted = format!("\"{key}\":");
            let matches = line.starts_with(quoted.as_bytes());
            let (at, line) = (before.len(), [before.as_bytes(), line].concat());
            let matcher = KeyMatcher::of(key.leak());
            prop_assert_eq!(matcher.is_at(&line, at), matches);
            prop_assert!(!matches || matcher.length() == quoted.len());
            prop_assert!(!KeyMatcher::NEVER.is_at(&line, at));
        }
    }
}
