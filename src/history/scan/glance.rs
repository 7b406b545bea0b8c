//! A key as it mostly stands in a line, to be known by its first bytes at one look.
//!
//! Owns the look and no grammar: what it does not know may be the key all the same, written in
//! another way.

/// Bytes looked at together.
const WORD: usize = size_of::<u64>();
/// Words of a look, which cost less than the search for a difference.
const WORDS: usize = 3;

/// A key in quotes with its colon, in words of eight bytes.
#[derive(Debug, Clone, Copy)]
pub(in crate::history) struct Glance {
    words: [u64; WORDS],
    /// Which bytes of the words count.
    masks: [u64; WORDS],
    /// How long it is without the colon.
    length: usize,
}

impl Glance {
    /// One that knows nothing.
    pub(in crate::history) const NEVER: Self =
        Self { words: [1; WORDS], masks: [0; WORDS], length: 0 };

    /// Of a key that stands in quotes as it is. One that is too long is never known.
    pub(in crate::history) const fn of(key: &str) -> Self {
        let key = key.as_bytes();
        let length = key.len() + 2;
        if length >= WORDS * WORD {
            return Self::NEVER;
        }
        let mut glance = Self { words: [0; WORDS], masks: [0; WORDS], length };
        let mut at = 0;
        while at <= length {
            let byte = if at == length {
                b':'
            } else if at == 0 || at == length - 1 {
                b'"'
            } else {
                key[at - 1]
            };
            let shift = at % WORD * 8;
            glance.words[at / WORD] |= (byte as u64) << shift;
            glance.masks[at / WORD] |= 0xff << shift;
            at += 1;
        }
        glance
    }

    /// How long the key and its quotes are.
    #[inline]
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Whether the key stands at a place, with a colon right after.
    #[inline]
    pub(in crate::history) fn is_at(&self, bytes: &[u8], at: usize) -> bool {
        let room = bytes.get(at..at + WORDS * WORD).and_then(<[u8]>::as_array);
        match room {
            Some(room) => self.is_in(room),
            None => self.is_in(&filled(bytes.get(at..).unwrap_or_default())),
        }
    }

    #[inline]
    fn is_in(&self, room: &[u8; WORDS * WORD]) -> bool {
        let (words, _) = room.as_chunks::<WORD>();
        let other = |(at, word): (usize, &[u8; WORD])| {
            u64::from_le_bytes(*word) & self.masks[at] ^ self.words[at]
        };
        words.iter().enumerate().map(other).fold(0, |all, other| all | other) == 0
    }
}

/// The last bytes of a text, with nothing after them.
#[cold]
#[inline(never)]
fn filled(bytes: &[u8]) -> [u8; WORDS * WORD] {
    let mut room = [0; WORDS * WORD];
    for (to, from) in room.iter_mut().zip(bytes) {
        *to = *from;
    }
    room
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A look finds what a comparison of bytes finds.
        #[test]
        fn a_look_is_a_comparison(key in "[a-zA-Z]{0,26}", other in "[a-z]{0,3}", rest in ".{0,30}", same: bool, cut in 0..40_usize, before in "[a-z]{0,30}") {
            let written = if same { format!("\"{key}\":") } else { format!("\"{key}{other}\"{rest}") };
            let line = format!("{written}{rest}");
            let line = &line.as_bytes()[..line.len().min(cut)];
            let quoted = format!("\"{key}\":");
            let known = line.starts_with(quoted.as_bytes()) && key.len() <= 21;
            let (at, line) = (before.len(), [before.as_bytes(), line].concat());
            let glance = Glance::of(&key);
            prop_assert_eq!(glance.is_at(&line, at), known);
            prop_assert!(!known || glance.length() == quoted.len() - 1);
            prop_assert!(!Glance::NEVER.is_at(&line, at));
        }
    }
}
