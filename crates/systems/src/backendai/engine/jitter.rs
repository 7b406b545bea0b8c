//! The jitter of a delay: a number that the caller draws, or a digest.
//!
//! Owns the digest that deterministic jitter depends on (seed, "Backoff formula"), and the reduction of a
//! digest to seconds.
//!
//! The digest is read as a 160-bit number, highest byte first. Airflow reads its digest in the same way; the
//! draft does not define it. A number modulo 0, which is an error in Python, is 0 here.

use super::session_id::SessionId;
use crate::backendai::manifest::interpretation::{HashText, Reduction};
use sha1::{Digest, Sha1};

/// A number drawn by the caller: at least 0, below 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Draw(f64);

impl Draw {
    /// The lowest draw.
    pub const LOWEST: Self = Self(0.0);

    /// Returns the draw of a number; `None` if it is not in `0.0..1.0`.
    pub fn new(number: f64) -> Option<Self> {
        (0.0..1.0).contains(&number).then_some(Self(number))
    }

    /// Returns the draw whose binary fraction is the upper 53 of these bits: a float has 53 significant bits.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    pub fn from_bits(bits: u64) -> Self {
        const PLACES: u32 = 53;
        let scale = (1_u64 << PLACES) as f64;
        Self((bits >> (u64::BITS - PLACES)) as f64 / scale)
    }

    /// Maps the draw to the range from `low` to `high`. The result is always below `high`, even if rounding
    /// would reach it; Python's `random.uniform` may return `high`.
    pub fn between(self, low: f64, high: f64) -> f64 {
        let drawn = low + (high - low) * self.0;
        // At least `low`, since a range of no length has nothing below `high`.
        if drawn < high { drawn } else { high.next_down().max(low) }
    }
}

/// Returns the SHA-1 of `session_id || retry_count`, both of the failed session: when the delay of its retry
/// is computed, the retry has no id yet. If an id is not a UUID, the bytes of its text are hashed.
pub fn digest(reading: HashText, session: &SessionId, retry_count: u32) -> [u8; 20] {
    let hash = match session.bytes().filter(|_| reading.takes_bytes()) {
        Some(bytes) => Sha1::new().chain_update(bytes),
        None => Sha1::new().chain_update(session.to_string()),
    };
    let hash = match reading {
        HashText::TextConcat | HashText::UuidBytesDec => hash.chain_update(retry_count.to_string()),
        HashText::TextColon => hash.chain_update(format!(":{retry_count}")),
        HashText::UuidBytesU32be => hash.chain_update(retry_count.to_be_bytes()),
    };
    hash.finalize().into()
}

/// Describes the hash's input: a text as it is, or its parts.
pub(crate) fn hash_input_text(reading: HashText, session: &SessionId, retry_count: u32) -> String {
    let id = if reading.takes_bytes() && session.bytes().is_some() {
        format!("the bytes of `{session}`")
    } else {
        format!("`{session}`")
    };
    match reading {
        HashText::TextConcat => format!("`{session}{retry_count}`"),
        HashText::TextColon => format!("`{session}:{retry_count}`"),
        HashText::UuidBytesDec => format!("{id} and `{retry_count}`"),
        HashText::UuidBytesU32be => format!("{id} and {retry_count} as four bytes"),
    }
}

/// 2 to the power of 32.
const TWO_32: f64 = 4_294_967_296.0;

impl Reduction {
    /// Returns the digest reduced by a span of seconds: at least 0, below the span.
    pub fn jitter(self, digest: &[u8; 20], span: f64) -> f64 {
        match self {
            Self::IntFloorSeconds => modulo(digest, span),
            Self::IntMillis => modulo(digest, span * 1000.0) / 1000.0,
            // A remainder by 0 would be NaN, where Python raises an error.
            Self::PythonFloatMod if span > 0.0 => to_float(digest) % span,
            Self::PythonFloatMod => 0.0,
        }
    }
}

/// Returns the digest modulo the whole part of a number; a number of more than 64 bits counts as the largest
/// of 64.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the whole part is what is asked for; as a rest, milliseconds are exact for millennia"
)]
fn modulo(digest: &[u8; 20], by: f64) -> f64 {
    // Rounded toward zero, as Python's `int` does.
    let by = u128::from(by as u64);
    // One byte at a time keeps the number within 128 bits, as the rest is below 2^64.
    let next = |rest: u128, byte: &u8| (rest << 8 | u128::from(*byte)).checked_rem(by);
    // A modulus of 0 leaves no jitter.
    digest.iter().try_fold(0, next).map_or(0.0, |rest| rest as f64)
}

/// Converts the digest to a float as Python does: to the nearest one, ties to even.
#[expect(clippy::cast_precision_loss, reason = "so does Python, and to the same float")]
fn to_float(digest: &[u8; 20]) -> f64 {
    let [high @ .., a, b, c, d] = digest;
    let (high, low) = (u128::from_be_bytes(*high), u32::from_be_bytes([*a, *b, *c, *d]));
    if high >> 96 == 0 {
        return (high << 32 | u128::from(low)) as f64;
    }
    // `high` has more than 96 bits, of which a float keeps 53. For the rounding it matters only whether any
    // of the lower bits is set.
    (high | u128::from(low != 0)) as f64 * TWO_32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn is_drawn_from_the_range(bits: u64, low in 0.0..1e9_f64, span in 0.0..1e9_f64) {
            let draw = Draw::from_bits(bits);
            prop_assert_eq!(Draw::new(draw.0), Some(draw));
            let (drawn, high) = (draw.between(low, low + span), low + span);
            prop_assert!(drawn >= low && (drawn < high || high <= low), "{}", drawn);
        }
    }

    #[test]
    fn every_part_of_the_range_may_be_drawn() {
        let of = |bits| Some(Draw::from_bits(bits).between(60.0, 76.0));
        assert_eq!(of(0), Some(60.0));
        assert_eq!(of(1 << 63), Some(68.0));
        assert_eq!(of(u64::MAX), Some(76.0_f64.next_down()));
        for number in [1.0, -0.1, f64::NAN] {
            assert_eq!(Draw::new(number), None);
        }
    }

    #[test]
    fn ids_that_are_no_uuids_are_hashed_as_text() {
        let id = SessionId::new("Job-A");
        let of = |reading| digest(reading, &id, 7);
        let sha1 = |text: &str| <[u8; 20]>::from(Sha1::digest(text));
        assert_eq!(of(HashText::TextConcat), sha1("job-a7"));
        assert_eq!(of(HashText::UuidBytesDec), sha1("job-a7"));
        assert_eq!(of(HashText::TextColon), sha1("job-a:7"));
        assert_eq!(of(HashText::UuidBytesU32be), sha1("job-a\0\0\0\u{7}"));
    }

    #[test]
    fn what_is_hashed_is_told_as_it_is_read() {
        let uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
        for (id, reading, told) in [
            ("Job-A", HashText::TextConcat, "`job-a7`".to_owned()),
            ("Job-A", HashText::TextColon, "`job-a:7`".to_owned()),
            ("Job-A", HashText::UuidBytesDec, "`job-a` and `7`".to_owned()),
            (uuid, HashText::UuidBytesDec, format!("the bytes of `{uuid}` and `7`")),
            (uuid, HashText::UuidBytesU32be, format!("the bytes of `{uuid}` and 7 as four bytes")),
        ] {
            assert_eq!(hash_input_text(reading, &SessionId::new(id), 7), told);
        }
    }

    /// Returns the decimal digits of a big-endian number, by repeated division by ten.
    fn decimal(bytes: &[u8]) -> String {
        let (mut bytes, mut digits) = (bytes.to_vec(), Vec::new());
        while bytes.iter().any(|byte| *byte != 0) {
            let mut rest = 0;
            for byte in &mut bytes {
                let here = rest << 8 | u16::from(*byte);
                (*byte, rest) = (u8::try_from(here / 10).unwrap(), here % 10);
            }
            digits.push(char::from(b'0' + u8::try_from(rest).unwrap()));
        }
        digits.iter().rev().collect()
    }

    /// Returns the remainder of a decimal number.
    fn rest(decimal: &str, by: u64) -> u64 {
        let digits = decimal.bytes().map(|digit| u128::from(digit - b'0'));
        let rest = digits.fold(0, |rest, digit| (rest * 10 + digit) % u128::from(by));
        u64::try_from(rest).unwrap()
    }

    /// Generates digests of every magnitude, including those near the middle between two floats.
    fn digests() -> impl Strategy<Value = [u8; 20]> {
        let halfway = (0..107_u32, any::<u64>(), -1..=1_i64).prop_map(|(shift, head, off)| {
            let mut digest = [0; 20];
            let head = u128::from(head >> 10 | 1) << shift.min(64);
            let near = head.saturating_add_signed(i128::from(off));
            digest[..16].copy_from_slice(&near.to_be_bytes());
            digest
        });
        let zeros = (any::<[u8; 20]>(), 0..20_usize).prop_map(|(mut digest, zeros)| {
            digest[..zeros].fill(0);
            digest
        });
        prop_oneof![any::<[u8; 20]>(), zeros, halfway]
    }

    proptest! {
        /// The standard library reads decimal digits to the nearest float, as Python rounds.
        #[test]
        fn rounds_as_python_does(digest in digests(), low: [u8; 4]) {
            let mut digest = digest;
            prop_assert_eq!(Some(to_float(&digest)), format!("0{}", decimal(&digest)).parse().ok());
            digest[16..].copy_from_slice(&low);
            prop_assert_eq!(Some(to_float(&digest)), format!("0{}", decimal(&digest)).parse().ok());
        }

        #[test]
        fn the_rest_is_that_of_long_division(digest in digests(), millis in 1..1_u64 << 40) {
            let digits = decimal(&digest);
            #[expect(clippy::cast_precision_loss, reason = "40 bits fit")]
            let span = millis as f64;
            #[expect(clippy::cast_precision_loss, reason = "40 bits fit")]
            let expected = rest(&digits, millis) as f64;
            let seconds = Reduction::IntFloorSeconds.jitter(&digest, span);
            prop_assert_eq!(Some(seconds), Some(expected));
            // An eighth of a second is exactly 125 milliseconds.
            let by_millis = Reduction::IntMillis.jitter(&digest, span / 8.0) * 1000.0;
            #[expect(clippy::cast_precision_loss, reason = "47 bits fit")]
            let expected = rest(&digits, millis * 125) as f64;
            prop_assert!((by_millis - expected).abs() < 1e-3 * expected.max(1.0));
        }

        /// For every span, the jitter is at least 0 and below the span.
        #[test]
        fn stays_below_the_span(digest in digests(), span in prop_oneof![0.0..1e6_f64, any::<f64>()]) {
            for reading in Reduction::ALL {
                let jitter = reading.jitter(&digest, span);
                prop_assert!(jitter >= 0.0, "{}", jitter);
                prop_assert!(jitter == 0.0 || jitter < span, "{}", jitter);
            }
        }
    }

    #[test]
    fn spans_without_a_whole_part_add_nothing() {
        let digest = [0xab; 20];
        let of = |reading: Reduction, span| Some(reading.jitter(&digest, span));
        assert_eq!(of(Reduction::IntFloorSeconds, 0.999), Some(0.0));
        assert_eq!(of(Reduction::IntMillis, 0.0009), Some(0.0));
        assert_eq!(of(Reduction::PythonFloatMod, 0.0), Some(0.0));
        // The span is 64 seconds times 0.25. The digest as a float is a multiple of it, since rounding
        // removed the low bits.
        assert_eq!(of(Reduction::PythonFloatMod, 16.0), Some(0.0));
        assert_eq!(of(Reduction::IntFloorSeconds, 16.0), Some(11.0));
    }
}
