//! Ids as streams know them: by their keyed hashes.

use siphasher::sip::SipHasher13;
use siphasher::sip128;
use siphasher::sip128::Hasher128;
use std::hash::Hasher;

/// The keyed hash of an id.
pub(super) type Key = [u32; 4];

/// The hash of an id: 128 bits under a key that nobody outside knows, so that no two ids meet.
pub(super) fn key_of(key: (u64, u64), id: &str) -> Key {
    let mut hasher = sip128::SipHasher13::new_with_keys(key.0, key.1);
    hasher.write(id.as_bytes());
    let hash = hasher.finish128();
    let ([a, b], [c, d]) = (halves(hash.h1), halves(hash.h2));
    [a, b, c, d]
}

/// The hash of a member of a unit, under the same key.
pub(super) fn hash_of((one, other): (u64, u64), tell: impl FnOnce(&mut SipHasher13)) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(one, other);
    tell(&mut hasher);
    hasher.finish()
}

/// Part of the hash, for tables.
pub(super) fn short(key: &Key) -> u64 {
    u64::from(key[0]) | u64::from(key[1]) << 32
}

/// The share that an id falls to, of so many.
pub(super) fn shard_of(key: Key, shards: usize) -> usize {
    key[3] as usize % shards
}

/// The low and the high half of a number.
pub(super) fn halves(number: u64) -> [u32; 2] {
    let low = |number: u64| u32::try_from(number & u64::from(u32::MAX)).unwrap_or_default();
    [low(number), low(number >> 32)]
}
