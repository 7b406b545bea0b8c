//! The hash of a unit's id, by which examples are drawn: they depend on no order and on no cut of a history.

use siphasher::sip::SipHasher13;
use std::hash::Hasher;

/// The hash of a unit's id under a fixed key.
pub(super) fn unit_hash(id: &str) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(0, 0);
    hasher.write(id.as_bytes());
    hasher.finish()
}
