//! Numbers of texts, most of which are short: names of nodes, queues and categories.

use hashbrown::HashMap;

/// A map from texts to numbers. A text of up to 16 bytes is its own key, so that it is compared without reading it from
/// elsewhere in memory.
#[derive(Debug, Default)]
pub(in crate::simulate) struct TextMap {
    short: HashMap<ShortText, u32>,
    long: HashMap<Box<str>, u32>,
}

/// The bytes of a text in two words, which overlap, and its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct ShortText {
    words: [u64; 2],
    length: u32,
}

impl ShortText {
    #[inline]
    fn new(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let words = if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            [u64::from_le_bytes(*first), u64::from_le_bytes(*last)]
        } else {
            [bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)), 0]
        };
        let length = u32::try_from(bytes.len()).ok().filter(|length| *length <= 16)?;
        Some(Self { words, length })
    }
}

impl TextMap {
    /// The number of a text.
    #[inline]
    pub(in crate::simulate) fn get(&self, text: &str) -> Option<u32> {
        match ShortText::new(text) {
            Some(text) => self.short.get(&text).copied(),
            None => self.long.get(text).copied(),
        }
    }

    /// Sets the number of a text.
    pub(in crate::simulate) fn insert(&mut self, text: &str, number: u32) {
        match ShortText::new(text) {
            Some(text) => _ = self.short.insert(text, number),
            None => _ = self.long.insert(text.into(), number),
        }
    }

    /// The number of a text, from `find` if it has none.
    #[inline]
    pub(in crate::simulate) fn get_or_insert(
        &mut self,
        text: &str,
        find: impl FnOnce(&str) -> u32,
    ) -> u32 {
        if let Some(number) = self.get(text) {
            return number;
        }
        let number = find(text);
        self.insert(text, number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// It has the numbers of a plain map: no two texts of any length share one.
        #[test]
        fn texts_have_numbers_of_their_own(texts in prop::collection::vec("(.{0,5}|[ab\0]{0,18})", 0..40)) {
            let (mut map, mut plain) = (TextMap::default(), BTreeMap::new());
            for (number, text) in (0..).zip(&texts) {
                prop_assert_eq!(map.get(text), plain.get(text).copied());
                let found = map.get_or_insert(text, |_| number);
                prop_assert_eq!(found, *plain.entry(text).or_insert(number));
            }
        }
    }
}
