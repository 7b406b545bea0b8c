//! The ids of units that have ended under some engines only. A comparison needs them at the end of the history, and
//! a history may have many such units: ids in the form of Armada's take 17 bytes.

use super::chunked::Slab;
use std::cmp::Ordering;

/// Characters of a ULID, the form of Armada's job ids.
const ULID: usize = 26;

/// The digits of a ULID, five bits each.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Ids at stable positions.
#[derive(Debug, Default)]
pub(super) struct IdStore {
    ids: Slab<StoredId>,
    texts: Slab<Box<str>>,
}

#[derive(Debug)]
enum StoredId {
    /// A ULID in lower case, as its 128 bits.
    Ulid([u8; 16]),
    /// The position of its text.
    // Bytes instead of a `u32`, whose alignment would make a stored id 20 bytes.
    Text([u8; 4]),
}

impl IdStore {
    /// Adds an id and returns its position.
    pub(super) fn insert(&mut self, id: &str) -> u32 {
        let stored = match ulid_bits(id) {
            Some(bits) => StoredId::Ulid(bits.to_be_bytes()),
            None => StoredId::Text(self.texts.insert(id.into()).to_be_bytes()),
        };
        self.ids.insert(stored)
    }

    /// The id at a position.
    pub(super) fn get(&self, position: u32) -> Option<String> {
        match self.ids.get(position)? {
            StoredId::Ulid(bits) => Some(ulid_text(u128::from_be_bytes(*bits))),
            StoredId::Text(at) => {
                self.texts.get(u32::from_be_bytes(*at)).map(|id| (**id).to_owned())
            }
        }
    }

    /// Compares the texts of two ids.
    pub(super) fn compare(&self, one: u32, other: u32) -> Ordering {
        match (self.ids.get(one), self.ids.get(other)) {
            // The digits are in the order of their characters.
            (Some(StoredId::Ulid(one)), Some(StoredId::Ulid(other))) => one.cmp(other),
            _ => self.get(one).cmp(&self.get(other)),
        }
    }

    /// Removes the id at a position.
    pub(super) fn remove(&mut self, position: u32) {
        if let Some(StoredId::Text(at)) = self.ids.remove(position) {
            self.texts.remove(u32::from_be_bytes(at));
        }
    }
}

/// The bits of a ULID in lower case.
fn ulid_bits(id: &str) -> Option<u128> {
    if id.len() != ULID {
        return None;
    }
    let mut bits = 0_u128;
    for (at, byte) in id.bytes().enumerate() {
        let digit = DIGITS.iter().position(|digit| *digit == byte)?;
        // 26 digits have 130 bits: the first one is below 8.
        if at == 0 && digit > 7 {
            return None;
        }
        bits = bits << 5 | digit as u128;
    }
    Some(bits)
}

fn ulid_text(bits: u128) -> String {
    let digit = |at: usize| char::from(DIGITS[(bits >> (5 * (ULID - 1 - at)) & 31) as usize]);
    (0..ULID).map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Every id is returned as it was, and a position is used again.
        #[test]
        fn ids_are_returned_as_they_were(
            ids in prop::collection::vec("[0-9a-z]{0,3}|[0-9a-v]{26}|[0-7][0-9a-hjkmnp-tv-z]{25}|[0-7][0-9A-HJKMNP-TV-Z]{25}", 1..20),
        ) {
            let mut store = IdStore::default();
            let positions: Vec<u32> = ids.iter().map(|id| store.insert(id)).collect();
            for (id, position) in ids.iter().zip(&positions) {
                prop_assert_eq!(store.get(*position), Some(id.clone()));
            }
            store.remove(positions[0]);
            prop_assert_eq!(store.get(positions[0]), None);
            prop_assert_eq!(store.insert(&ids[0]), positions[0]);
            prop_assert_eq!(store.get(positions[0]), Some(ids[0].clone()));
        }
    }

    #[test]
    fn an_id_of_armada_takes_17_bytes() {
        assert_eq!(size_of::<Option<StoredId>>(), 17);
    }
}
