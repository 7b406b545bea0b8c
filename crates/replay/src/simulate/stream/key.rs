//! Keyed hashes of unit ids and member keys: a stream stores them instead of the texts, to take less memory.

use siphasher::sip::SipHasher13;
use siphasher::sip128;
use siphasher::sip128::Hasher128;
use std::hash::Hasher;

/// The keyed hash of an id.
pub(super) type Key = [u32; 4];

/// The hash of an id: 128 bits under a random key, so that no two ids collide, crafted ones included.
pub(super) fn key_of(key: (u64, u64), id: &str) -> Key {
    let mut hasher = sip128::SipHasher13::new_with_keys(key.0, key.1);
    hasher.write(id.as_bytes());
    let hash = hasher.finish128();
    let ([a, b], [c, d]) = (halves(hash.h1), halves(hash.h2));
    [a, b, c, d]
}

/// The hash of a member of a unit, under the same random key; `K` is the type of its key.
#[inline]
pub(super) fn member_hash<K>(key: (u64, u64), hash: impl FnOnce(&mut SipHasher13)) -> [u32; 2] {
    // Units of one member have empty keys: a hash would be the same for all lines.
    if size_of::<K>() == 0 {
        return [0; 2];
    }
    let mut hasher = SipHasher13::new_with_keys(key.0, key.1);
    hash(&mut hasher);
    halves(hasher.finish())
}

/// A quarter of a key, for hash tables.
pub(super) fn tag_of(key: &Key) -> u32 {
    key[0]
}

/// The hash of a tag: tables use its first and its last bits.
pub(super) fn hash_of_tag(tag: u32) -> u64 {
    u64::from(tag) | u64::from(tag) << 32
}

/// The shard of an id. It depends on other bits than [`tag_of`], so that tables stay balanced.
pub(super) fn shard_of(key: Key, shards: usize) -> usize {
    key[3] as usize % shards
}

/// The low and the high half of a number.
pub(super) fn halves(number: u64) -> [u32; 2] {
    let low = |number: u64| u32::try_from(number & u64::from(u32::MAX)).unwrap_or_default();
    [low(number), low(number >> 32)]
}
