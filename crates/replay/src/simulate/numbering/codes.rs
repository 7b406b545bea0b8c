//! Codes of decisions and other texts that are static in memory.

use borsh::BorshDeserialize;
use borsh::io::{Read, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// The texts that were read so far.
static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// A text that lives until the process ends. Each different text takes memory once: partial summaries have a few dozen.
fn static_text(text: &str) -> &'static str {
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = texts.get(text) {
        return known;
    }
    let text = Box::leak(Box::from(text));
    texts.insert(text);
    text
}

/// A key of a map that has codes.
pub trait CodeKey: Ord {
    /// The key as it is read.
    type Read: BorshDeserialize;

    /// The key with static codes.
    fn of(read: Self::Read) -> Self;
}

impl CodeKey for &'static str {
    type Read = String;

    fn of(code: String) -> Self {
        static_text(&code)
    }
}

impl CodeKey for (&'static str, Option<usize>) {
    type Read = (String, Option<usize>);

    fn of((code, rule): Self::Read) -> Self {
        (static_text(&code), rule)
    }
}

impl CodeKey for (&'static str, &'static str) {
    type Read = (String, String);

    fn of((from, to): Self::Read) -> Self {
        (static_text(&from), static_text(&to))
    }
}

/// Reads a map by codes.
pub fn read_codes<K: CodeKey, V: BorshDeserialize, R: Read>(
    reader: &mut R,
) -> Result<BTreeMap<K, V>> {
    let items = Vec::<(K::Read, V)>::deserialize_reader(reader)?;
    Ok(items.into_iter().map(|(key, value)| (K::of(key), value)).collect())
}

/// Reads a code that may be absent.
pub fn read_code<R: Read>(reader: &mut R) -> Result<Option<&'static str>> {
    let code = Option::<String>::deserialize_reader(reader)?;
    Ok(code.map(|code| static_text(&code)))
}
