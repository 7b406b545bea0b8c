//! How a digest becomes the seconds that are added to a wait.
//!
//! The digest is a number of 160 bits, its first byte the highest (as Airflow reads its own; the
//! draft does not say). Modulo 0, which Python refuses, is 0 here.

use super::reading::Reduction;

/// 2 to the 32nd.
const TWO_32: f64 = 4_294_967_296.0;

impl Reduction {
    /// The digest reduced by a span of seconds: at least 0, below the span.
    pub fn jitter(self, digest: &[u8; 20], span: f64) -> f64 {
        match self {
            Self::IntFloorSeconds => modulo(digest, span),
            Self::IntMillis => modulo(digest, span * 1000.0) / 1000.0,
            Self::PythonFloatMod if span > 0.0 => number(digest) % span,
            Self::PythonFloatMod => 0.0,
        }
    }
}

/// The digest modulo the whole part of a number; a number of more than 64 bits counts as the
/// largest of 64.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the whole part is what is asked for; as a rest, milliseconds are exact for millennia"
)]
fn modulo(digest: &[u8; 20], by: f64) -> f64 {
    let by = u128::from(by as u64);
    let next = |rest: u128, byte: &u8| (rest << 8 | u128::from(*byte)).checked_rem(by);
    digest.iter().try_fold(0, next).map_or(0.0, |rest| rest as f64)
}

/// The digest as Python makes an integer a float: the nearest one, of two the even one.
#[expect(clippy::cast_precision_loss, reason = "so does Python, and to the same float")]
fn number(digest: &[u8; 20]) -> f64 {
    let [high @ .., a, b, c, d] = digest;
    let (high, low) = (u128::from_be_bytes(*high), u32::from_be_bytes([*a, *b, *c, *d]));
    if high >> 96 == 0 {
        return (high << 32 | u128::from(low)) as f64;
    }
    // More than 96 bits stand above: of those below, rounding asks only whether there are any.
    (high | u128::from(low != 0)) as f64 * TWO_32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The decimal digits of a number of many bytes, the highest first: divided by ten again and
    /// again.
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

    /// The rest of a decimal number.
    fn rest(decimal: &str, by: u64) -> u64 {
        let digits = decimal.bytes().map(|digit| u128::from(digit - b'0'));
        let rest = digits.fold(0, |rest, digit| (rest * 10 + digit) % u128::from(by));
        u64::try_from(rest).unwrap()
    }

    /// Digests of every magnitude, those near the middle between two floats among them.
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
            prop_assert_eq!(Some(number(&digest)), format!("0{}", decimal(&digest)).parse().ok());
            digest[16..].copy_from_slice(&low);
            prop_assert_eq!(Some(number(&digest)), format!("0{}", decimal(&digest)).parse().ok());
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
            // An eighth of a second is 125 milliseconds exactly.
            let by_millis = Reduction::IntMillis.jitter(&digest, span / 8.0) * 1000.0;
            #[expect(clippy::cast_precision_loss, reason = "47 bits fit")]
            let expected = rest(&digits, millis * 125) as f64;
            prop_assert!((by_millis - expected).abs() < 1e-3 * expected.max(1.0));
        }

        /// Whatever the span: nothing below 0, nothing that reaches it.
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
        // 64 seconds * 0.25: the low bits that would be left have been rounded away.
        assert_eq!(of(Reduction::PythonFloatMod, 16.0), Some(0.0));
        assert_eq!(of(Reduction::IntFloorSeconds, 16.0), Some(11.0));
    }
}
