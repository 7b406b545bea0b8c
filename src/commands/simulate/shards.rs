//! The shards of a history that partial summaries hold together.

use crate::cli::Refusal;
use anyhow::Result;
use document::diag::with_thousands_separators;
use replay::simulate::{Engine, HeldShard, HistoryShard, Stream};
use std::collections::BTreeMap;

/// Shards that are listed if they are missing.
const MAX_LISTED: usize = 10;

/// The number of shards of a history, and those that are replayed, with the names of their files.
#[derive(Debug, Default)]
pub(super) struct Shards {
    count: u32,
    held: BTreeMap<u32, (HeldShard, String)>,
}

impl Shards {
    /// The shard that a stream has read.
    pub(super) fn from_stream<E: Engine>(shard: HistoryShard, stream: &mut Stream<'_, E>) -> Self {
        let HistoryShard { number, count } = shard;
        let (records, others) = stream.lines_of_shards();
        let held = HeldShard { number, records, others, notations: stream.notations() };
        Self { count, held: BTreeMap::from([(number, (held, String::new()))]) }
    }

    /// The number of shards of the history.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// The shards that are replayed.
    pub(super) fn held(&self) -> Vec<HeldShard> {
        self.held.values().map(|(held, _)| *held).collect()
    }

    /// Adds those of a file.
    ///
    /// # Errors
    ///
    /// If the history of the file has another number of shards, a shard is there already, or the parts were not cut by unit.
    pub(super) fn add(&mut self, name: &str, count: u32, held: &[HeldShard]) -> Result<()> {
        if self.held.is_empty() {
            self.count = count;
        }
        if count != self.count {
            let message =
                format!("`{name}` is of {count} shards, but others are of {}", self.count);
            let refusal = Refusal::input(message);
            return Err(refusal.help("replay all shards with the same `N` of --shard I/N").into());
        }
        for shard in held {
            if let Some((_, known)) = self.held.get(&shard.number) {
                let number = shard.number;
                let message =
                    format!("`{name}` holds shard {number}/{count}, which `{known}` holds too");
                let refusal = Refusal::input(message);
                return Err(refusal
                    .help("give each shard once; parts of a history need --shard I/N")
                    .into());
            }
            self.refuse_other_notation(name, *shard)?;
            self.refuse_other_cut(name, *shard)?;
            self.held.insert(shard.number, (*shard, name.to_owned()));
        }
        Ok(())
    }

    /// Refuses a shard whose times are written otherwise: dates, or offsets from the start of the history. In one process the
    /// first of them would decide.
    fn refuse_other_notation(&self, name: &str, shard: HeldShard) -> Result<()> {
        let has_other = |known: &HeldShard| ![0, shard.notations].contains(&known.notations);
        let other = self.held.values().find(|(known, _)| has_other(known));
        let Some((_, known)) = other.filter(|_| shard.notations != 0) else { return Ok(()) };
        let message =
            format!("the times of `{name}` have another notation than those of `{known}`");
        Err(Refusal::input(message).help("write all times as dates, or all as offsets").into())
    }

    /// Refuses a shard that was not read from the same records as the others: either all read the whole history, or each its
    /// own records alone.
    fn refuse_other_cut(&self, name: &str, shard: HeldShard) -> Result<()> {
        let all = |shard: &HeldShard| shard.records.saturating_add(shard.others);
        let is_cut = |shard: &HeldShard| shard.others == 0;
        let held = || self.held.values().map(|(held, _)| held).chain([&shard]);
        let is_consistent = held().all(is_cut) || held().all(|it| all(it) == all(&shard));
        let records = held().fold(0_u64, |sum, it| sum.saturating_add(it.records));
        let is_whole = self.held.len() + 1 == self.count as usize;
        let is_sum =
            held().all(is_cut) || records < all(&shard) && !is_whole || records == all(&shard);
        if is_consistent && is_sum {
            return Ok(());
        }
        let number = with_thousands_separators;
        let message = format!(
            "`{name}`: shard {}/{} has {} records of its units and skipped {} of other shards, which does not fit the \
             other parts",
            shard.number,
            self.count,
            number(shard.records),
            number(shard.others)
        );
        let advice = "cut the history by unit (docs/scale.md): each part has all records of its units and no other, or each \
                    reads the whole history";
        Err(Refusal::input(message).help(advice).into())
    }

    /// The shards that are missing, as a text: `3 of 16 shards are missing: 4, 7, 9`.
    pub(super) fn missing(&self) -> Option<(u64, String)> {
        // Never all of them: N may be a mistake of billions.
        let count = self.count as usize - self.held.len();
        let missing = (0..self.count).filter(|number| !self.held.contains_key(number));
        let listed: Vec<String> =
            missing.take(MAX_LISTED).map(|number| number.to_string()).collect();
        let more = count - listed.len();
        let and_more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let verb = if count == 1 { "is" } else { "are" };
        let text = format!(
            "{count} of {} shards {verb} missing: {}{and_more}",
            self.count,
            listed.join(", ")
        );
        (count > 0).then_some((count as u64, text))
    }
}
