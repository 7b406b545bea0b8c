//! Fast parser of the most common forms of a time in UTC: `2026-10-01T10:04:12.5Z` and, as databases print it,
//! `2026-10-01 10:04:12.5+00`.
//!
//! Owns these forms; `time` parses the others.

use super::calendar;

/// Bytes of a form: a register's width.
const WORD: usize = size_of::<u64>();
/// The high bit of every byte.
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Parses a time of a common form, with up to 9 fraction digits, as the seconds since 1970 and the nanoseconds of the
/// second; `None` if it has another form or is invalid.
pub(super) fn parse_utc(text: &str) -> Option<(i64, u32)> {
    const DATE: Form = Form::new(*b"0000-00-");
    const DAY_AND_HOUR: Form = Form::new(*b"00T00:00");
    const TIME: Form = Form::new(*b"00:00:00");
    let (head, tail) = text.as_bytes().split_first_chunk::<19>()?;
    let date = DATE.pairs(*head.first_chunk()?)?;
    let mut day_and_hour: [u8; WORD] = *head[WORD..].first_chunk()?;
    if day_and_hour[2] == b' ' {
        day_and_hour[2] = b'T';
    }
    let day = DAY_AND_HOUR.pairs(day_and_hour)?;
    let time = TIME.pairs(*head.last_chunk()?)?;
    let (year, month, day) = (pair(date, 0) * 100 + pair(date, 2), pair(date, 5), pair(day, 0));
    let (hour, minute, second) = (pair(time, 0), pair(time, 3), pair(time, 6));
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let fraction = match tail {
        [fraction @ .., b'Z'] => fraction,
        _ => tail.strip_suffix(b"+00")?,
    };
    let nanos = match fraction {
        [] => 0,
        [b'.', digits @ ..] => parse_nanoseconds(digits)?,
        _ => return None,
    };
    let of_day = (hour * 60 + minute) * 60 + second;
    let day_number = calendar::day_number(year, month, day)?;
    Some((day_number * calendar::DAY + i64::from(of_day), nanos))
}

/// Where eight bytes have digits, and which bytes are between them. All are tested and read at once, which takes
/// fewer instructions than byte by byte.
struct Form {
    /// The bytes of the form, with 0 for each digit. The low half of a digit is its value.
    bytes: u64,
    /// Added to a byte, its limit sets the high bit unless the byte is of the form.
    limits: u64,
}

impl Form {
    /// A form from an example, all of whose digits are 0.
    const fn new(example: [u8; WORD]) -> Self {
        let (mut limits, mut at) = ([0; WORD], 0);
        while at < WORD {
            let largest = if example[at] == b'0' { 9 } else { 0 };
            limits[at] = 0x7f - largest;
            at += 1;
        }
        Self { bytes: u64::from_le_bytes(example), limits: u64::from_le_bytes(limits) }
    }

    /// The number of each byte and the one after it as two digits, a byte each; `None` if the text has another
    /// form.
    fn pairs(&self, text: [u8; WORD]) -> Option<u64> {
        let digits = u64::from_le_bytes(text) ^ self.bytes;
        // A carry runs only from a byte that is not of the form.
        let other = (digits.wrapping_add(self.limits) | digits) & HIGHS;
        (other == 0).then(|| digits * 10 + (digits >> 8))
    }
}

/// The number of the digits at a byte and after it.
fn pair(pairs: u64, at: usize) -> u32 {
    u32::from(pairs.to_le_bytes()[at])
}

/// The nanoseconds of 1 to 9 fraction digits.
fn parse_nanoseconds(digits: &[u8]) -> Option<u32> {
    /// Nanoseconds of the last digit, by the number of digits.
    const UNITS: [u32; 10] =
        [0, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1];
    let unit = *UNITS.get(digits.len()).filter(|unit| **unit > 0)?;
    // All bytes are tested together at the end: one branch instead of one per byte.
    let (mut number, mut other) = (0_u32, false);
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        other |= digit > 9;
        number = number.wrapping_mul(10).wrapping_add(digit.into());
    }
    (!other).then(|| number * unit)
}
