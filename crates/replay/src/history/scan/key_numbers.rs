//! The numbers of some keys, found by a hash without collisions.

/// Places of the table: with four times the 30 keys of a record, one factor in 40 has no collision.
const PLACES: usize = 128;
/// The place of no key.
const NONE: u8 = u8::MAX;

/// Numbers of keys that differ in their length, or in their first, middle or last byte.
pub(in crate::history) struct KeyNumbers {
    factor: u32,
    numbers: [u8; PLACES],
}

impl KeyNumbers {
    /// Those of these keys, in their order. Empty keys have none.
    ///
    /// # Panics
    ///
    /// If two keys agree in what is hashed. In a constant this fails the build.
    pub(in crate::history) const fn of(keys: &[&str]) -> Self {
        // The digits of the golden ratio: any odd number would do.
        let mut factor: u32 = 0x9e37_79b9;
        let mut tries = 0;
        // One factor in 40 has no collision: a thousand fail only if two keys agree in what is hashed.
        while tries < 1000 {
            if let Some(numbers) = numbers(keys, factor) {
                return Self { factor, numbers };
            }
            factor = factor.wrapping_mul(0x2c1b_3c6d).wrapping_add(2);
            tries += 1;
        }
        panic!("two keys have one hash");
    }

    /// The number of the key that this one may be.
    #[inline]
    pub(in crate::history) fn find(&self, key: &str) -> Option<usize> {
        let number = self.numbers[place(key.as_bytes(), self.factor)?];
        (number != NONE).then_some(number as usize)
    }
}

/// The table for a factor, if it has no collision.
const fn numbers(keys: &[&str], factor: u32) -> Option<[u8; PLACES]> {
    let (mut numbers, mut at) = ([NONE; PLACES], 0);
    // `for` and iterators are not available in constant functions.
    while at < keys.len() {
        if let Some(place) = place(keys[at].as_bytes(), factor) {
            if numbers[place] != NONE {
                return None;
            }
            [numbers[place], ..] = at.to_le_bytes();
        }
        at += 1;
    }
    Some(numbers)
}

/// The place of a key, unless it is empty.
#[inline]
const fn place(key: &[u8], factor: u32) -> Option<usize> {
    let (Some(first), Some(last)) = (key.first(), key.last()) else { return None };
    let middle = key[key.len() / 2];
    let [length, ..] = key.len().to_le_bytes();
    // Four bytes tell all keys of every system apart, and fit one multiplication.
    let word = u32::from_le_bytes([*first, middle, *last, length]);
    // The upper bits of a product depend on all bits of the word.
    Some((word.wrapping_mul(factor) >> (u32::BITS - PLACES.trailing_zeros())) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_number() {
        const KEYS: [&str; 6] = ["jobId", "queue", "startedAt", "finishedAt", "node", ""];
        const NUMBERS: KeyNumbers = KeyNumbers::of(&KEYS);
        for (number, key) in KEYS.iter().enumerate() {
            assert_eq!(NUMBERS.find(key), (!key.is_empty()).then_some(number));
        }
    }
}
