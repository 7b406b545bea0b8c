//! Keyed hashes of texts that stand for them.

use siphasher::sip::SipHasher13;
use std::hash::Hasher;

/// Hashes of texts under a random key, so that no two texts of an input have the same. Few names of containers are in
/// most runs of a history: a text is not hashed again until another takes its place.
#[derive(Debug)]
pub struct TextHashes {
    key: (u64, u64),
    last: [(String, u64); PLACES],
}

/// Texts that are not hashed again. Their places depend on their lengths.
const PLACES: usize = 8;

impl TextHashes {
    /// Hashes under a key.
    pub(crate) fn new(key: (u64, u64)) -> Self {
        let empty = hash(key, "");
        Self { key, last: std::array::from_fn(|_| (String::new(), empty)) }
    }

    /// The hash of a text.
    pub fn of(&mut self, text: &str) -> u64 {
        let (last, found) = &mut self.last[text.len() % PLACES];
        if last != text {
            *found = hash(self.key, text);
            last.clear();
            last.push_str(text);
        }
        *found
    }
}

fn hash(key: (u64, u64), text: &str) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(key.0, key.1);
    hasher.write(text.as_bytes());
    hasher.finish()
}
