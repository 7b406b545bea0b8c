//! Counts by a decision's short code.

use crate::simulate::numbering::read_codes;
use borsh::io::{Read, Result, Write};
use borsh::{BorshDeserialize, BorshSerialize};
use std::collections::BTreeMap;

/// Counts by a short code. A list, not a map: an engine has few codes, and comparing the addresses of static
/// texts is faster than hashing them.
#[derive(Debug, Clone, Default)]
pub struct Codes(pub(super) Vec<(&'static str, u64)>);

impl Codes {
    /// Adds to the count of a code.
    pub fn add(&mut self, code: &'static str, count: u64) {
        match self.0.iter_mut().find(|(known, _)| std::ptr::eq(*known, code) || *known == code) {
            Some((_, n)) => *n += count,
            None => self.0.push((code, count)),
        }
    }

    /// All counts, in the order of the codes.
    pub fn to_map(&self) -> BTreeMap<&'static str, u64> {
        self.0.iter().copied().collect()
    }
}

impl BorshSerialize for Codes {
    fn serialize<W: Write>(&self, writer: &mut W) -> Result<()> {
        self.to_map().serialize(writer)
    }
}

impl BorshDeserialize for Codes {
    fn deserialize_reader<R: Read>(reader: &mut R) -> Result<Self> {
        let counts: BTreeMap<&'static str, u64> = read_codes(reader)?;
        Ok(Self(counts.into_iter().collect()))
    }
}

impl PartialEq for Codes {
    fn eq(&self, other: &Self) -> bool {
        self.to_map() == other.to_map()
    }
}

impl Eq for Codes {}
