//! The common form of a time, `2026-10-01T10:04:12.5Z`, read from its digits.
//!
//! Owns that one form. What it does not read may be a time all the same.

use jiff::civil::DateTime;

/// The time of a text in the common form, if there is such a day and time; up to 9 fraction digits.
pub(super) fn utc(text: &str) -> Option<DateTime> {
    let (head, tail) = text.as_bytes().split_first_chunk::<19>()?;
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T', rest @ ..] = head else { return None };
    let [h1, h2, b':', n1, n2, b':', s1, s2] = rest else { return None };
    let year = i16::from(pair(*y1, *y2)?) * 100 + i16::from(pair(*y3, *y4)?);
    let (month, day) = (pair(*m1, *m2)?, pair(*d1, *d2)?);
    let (hour, minute, second) = (pair(*h1, *h2)?, pair(*n1, *n2)?, pair(*s1, *s2)?);
    let nanos = match tail {
        [b'Z'] => 0,
        [b'.', fraction @ .., b'Z'] => nanoseconds(fraction)?,
        _ => return None,
    };
    DateTime::new(year, month, day, hour, minute, second, nanos).ok()
}

/// The number that two digits are.
fn pair(tens: u8, ones: u8) -> Option<i8> {
    let digits = tens.is_ascii_digit() && ones.is_ascii_digit();
    digits.then(|| (tens - b'0') * 10 + (ones - b'0')).and_then(|number| number.try_into().ok())
}

/// The nanoseconds that 1 to 9 digits after the point are.
fn nanoseconds(digits: &[u8]) -> Option<i32> {
    let missing = 9_usize.checked_sub(digits.len()).filter(|missing| *missing < 9)?;
    let number = digits.iter().try_fold(0, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + i32::from(digit - b'0'))
    })?;
    Some((0..missing).fold(number, |number, _| number * 10))
}
