//! Shards of a history: parts of whole units, so that several processes can replay it.

use memchr::memmem;
use sha2::{Digest, Sha256};

/// A shard of a history: the units of which the first four bytes of SHA-256 of the id, a number with the highest byte first,
/// have this remainder. Database engines have the same function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryShard {
    /// Its number, from 0.
    pub number: u32,
    /// The number of shards, at least 1.
    pub count: u32,
}

impl HistoryShard {
    /// A history as a whole.
    pub const WHOLE: Self = Self { number: 0, count: 1 };

    /// Whether it has the unit of an id.
    pub fn has(self, id: &str) -> bool {
        let hash = Sha256::digest(id.as_bytes());
        let first = hash.first_chunk().copied().map_or(0, u32::from_be_bytes);
        self.count <= 1 || first % self.count == self.number
    }

    /// Whether a line belongs to another shard if its unit is not known. The unit of `id` is that of the line unless the line
    /// names another one, for which it has a `word`; an escape may spell it.
    pub(super) fn lacks_line(self, id: &str, line: &str, word: Option<&str>) -> bool {
        let has = |word: &str| memmem::find(line.as_bytes(), word.as_bytes()).is_some();
        let may_name_unit = word.is_some_and(|word| has(word) || has("\\u"));
        !may_name_unit && !self.has(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures of other implementations: `select ('0x' || left(sha256('job-1'), 8))::bigint % 16` of `DuckDB`, and
    /// Python's `hashlib`.
    #[test]
    fn the_shard_is_that_of_other_engines() {
        let number = |id: &str| {
            let is_of = |number: &u32| HistoryShard { number: *number, count: 16 }.has(id);
            (0..16).filter(is_of).collect::<Vec<u32>>()
        };
        assert_eq!(number("job-1"), [9]);
        assert_eq!(number("q\u{0}set\u{0}gang"), [5]);
        assert!(HistoryShard::WHOLE.has("any"));
    }
}
