//! Fast parser of the most common form of a time, `2026-10-01T10:04:12.5Z`.
//!
//! Owns that one form; `time` parses the others.

use super::{Time, calendar};

/// Parses a time of the common form, with up to 9 fraction digits; `None` if it has another form or
/// is invalid.
pub(super) fn parse_utc(text: &str) -> Option<Time> {
    let (head, tail) = text.as_bytes().split_first_chunk::<19>()?;
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T', rest @ ..] = head else { return None };
    let [h1, h2, b':', n1, n2, b':', s1, s2] = rest else { return None };
    let year = number([*y1, *y2, *y3, *y4])?;
    let (month, day) = (number([*m1, *m2])?, number([*d1, *d2])?);
    let (hour, minute, second) = (number([*h1, *h2])?, number([*n1, *n2])?, number([*s1, *s2])?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let nanos = match tail {
        [b'Z'] => 0,
        [b'.', fraction @ .., b'Z'] => parse_nanoseconds(fraction)?,
        _ => return None,
    };
    let of_day = (hour * 60 + minute) * 60 + second;
    let day_number = calendar::day_number(year, month, day)?;
    Some(Time::new(day_number * calendar::DAY + i64::from(of_day), nanos))
}

/// The number of some digits. All bytes are tested together at the end: one branch instead of one per byte.
fn number<const DIGITS: usize>(digits: [u8; DIGITS]) -> Option<u32> {
    let (mut number, mut other) = (0_u32, false);
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        other |= digit > 9;
        number = number.wrapping_mul(10).wrapping_add(digit.into());
    }
    (!other).then_some(number)
}

/// The nanoseconds of 1 to 9 fraction digits.
fn parse_nanoseconds(digits: &[u8]) -> Option<u32> {
    const DIGITS: usize = 9;
    if !(1..=DIGITS).contains(&digits.len()) {
        return None;
    }
    let number = digits.iter().try_fold(0, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0'))
    })?;
    let missing = u32::try_from(DIGITS - digits.len()).ok()?;
    Some(number * 10_u32.pow(missing))
}
