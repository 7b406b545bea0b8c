//! Times in the files of partial results.

use super::Time;
use borsh::io::{ErrorKind, Read, Write};
use borsh::{BorshDeserialize, BorshSerialize};

/// As seconds and nanoseconds.
impl BorshSerialize for Time {
    fn serialize<W: Write>(&self, writer: &mut W) -> borsh::io::Result<()> {
        (self.epoch_seconds(), self.nanos()).serialize(writer)
    }
}

impl BorshDeserialize for Time {
    fn deserialize_reader<R: Read>(reader: &mut R) -> borsh::io::Result<Self> {
        let (seconds, nanos) = <(i64, u32)>::deserialize_reader(reader)?;
        let time = Self::new(seconds, nanos.min(999_999_999));
        let is_valid = (Self::FIRST..=Self::LAST).contains(&time);
        is_valid.then_some(time).ok_or_else(|| ErrorKind::InvalidData.into())
    }
}
