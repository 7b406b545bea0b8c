//! The hash that spreads retries: the same for the same try, and for no chance at all.

use super::logical_date::LogicalDate;
use sha1::{Digest, Sha1};
use std::fmt::{self, Write};
use std::num::NonZeroU64;

/// What of a task instance is hashed. Neither the run's id nor the index of a mapped instance is,
/// so that all instances of a mapped task wait equally long, and so do runs without a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskInstance<'t> {
    /// `dag_id`.
    pub dag_id: &'t str,
    /// `task_id`.
    pub task_id: &'t str,
    /// `logical_date`, up to 2.x `execution_date`.
    pub logical_date: LogicalDate,
}

/// The text that is hashed: `dag_id#task_id#logical_date#try_number`. A `#` within an id is left
/// as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hashed<'t> {
    /// The task instance.
    pub task: TaskInstance<'t>,
    /// `try_number`, as the release reads it
    /// ([`read_try_number`](super::Profile::read_try_number)).
    pub try_number: i32,
}

impl fmt::Display for Hashed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TaskInstance { dag_id, task_id, logical_date } = &self.task;
        write!(f, "{dag_id}#{task_id}#{logical_date}#{}", self.try_number)
    }
}

impl Hashed<'_> {
    /// The SHA-1 of the text in UTF-8, as a 160-bit number with its highest byte first, modulo
    /// this.
    pub fn modulo(&self, modulus: NonZeroU64) -> u64 {
        let mut hasher = Hasher(Sha1::new());
        // Writing to a hasher does not fail.
        let _ = write!(hasher, "{self}");
        remainder(&hasher.0.finalize(), modulus)
    }
}

/// A hasher that text is written to.
struct Hasher(Sha1);

impl Write for Hasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text);
        Ok(())
    }
}

/// A number of many bytes, the highest first, modulo another: reduced byte by byte, so that none
/// of the numbers between is long.
fn remainder(bytes: &[u8], modulus: NonZeroU64) -> u64 {
    let modulus = u128::from(modulus.get());
    let rest = bytes.iter().fold(0, |rest: u128, byte| ((rest << 8) | u128::from(*byte)) % modulus);
    // Below the modulus, so that it is a `u64`.
    u64::try_from(rest).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_text_is_joined_as_it_is() {
        let hashed = |dag_id, task_id| {
            let logical_date = LogicalDate::Absent;
            Hashed { task: TaskInstance { dag_id, task_id, logical_date }, try_number: 3 }
        };
        assert_eq!(hashed("train", "fine#tune").to_string(), "train#fine#tune#None#3");
        assert_eq!(hashed("a#b", "c").to_string(), hashed("a", "b#c").to_string());
    }

    /// FIPS 180's own example, the digest of `abc`: modulo 2^32 its last 4 bytes are left, modulo
    /// 2^64 - 1 the sum of its 8-byte digits.
    #[test]
    fn the_digest_is_read_highest_byte_first() {
        let digest = Sha1::digest("abc");
        let modulus = NonZeroU64::new(1 << 32).unwrap();
        assert_eq!(remainder(&digest, modulus), 0x9cd0_d89d);
        let modulus = NonZeroU64::MAX;
        let sum = 0xa999_3e36_u128 + 0x4706_816a_ba3e_2571 + 0x7850_c26c_9cd0_d89d;
        assert_eq!(u128::from(remainder(&digest, modulus)), sum % u128::from(u64::MAX));
    }

    proptest! {
        /// Against the sum of its digits in base 2^32, each times that digit's own remainder.
        #[test]
        fn agrees_with_a_sum_of_parts(bytes: [u8; 20], modulus in 1_u64..1 << 40) {
            let (mut weight, mut sum) = (1_u128, 0_u128);
            for part in bytes.rchunks(4) {
                let digit = part.iter().fold(0, |digit, byte| digit * 256 + u128::from(*byte));
                sum += digit * weight;
                weight = (weight << 32) % u128::from(modulus);
            }
            let rest = remainder(&bytes, NonZeroU64::new(modulus).unwrap());
            prop_assert_eq!(u128::from(rest), sum % u128::from(modulus));
        }
    }
}
