//! Instants and durations in whole nanoseconds (sections 6 and 10), by hand: no calendar library.

use super::quantity::Fraction;

/// Nanoseconds: a duration, or an instant counted from 1970-01-01T00:00:00Z.
pub type Nanos = i128;

/// One second.
pub const SECOND: Nanos = 1_000_000_000;

const UNITS: [(&str, Nanos); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3_600 * SECOND),
];

/// A Go duration, `1h30m`, `500ms`, `0s` (section 6); `None` where it is none, a bare number included.
pub fn duration(text: &str) -> Option<Nanos> {
    let mut rest = text;
    let mut sum = 0;
    while !rest.is_empty() {
        let number = leading(rest, |c| c.is_ascii_digit() || c == '.');
        rest = &rest[number.len()..];
        let unit = leading(rest, |c| !c.is_ascii_digit() && c != '.');
        rest = &rest[unit.len()..];
        let unit = UNITS.iter().find(|known| known.0 == unit)?;
        sum += Fraction::read(number)?.cut(unit.1);
    }
    (!text.is_empty()).then_some(sum)
}

fn leading(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    &text[..end]
}

/// True for a date, false for an offset.
pub fn is_date(text: &str) -> bool {
    text.contains('T')
}

/// An instant (section 10): a date as it stands, anything else an offset from `start`.
pub fn instant(text: &str, start: Nanos) -> Option<Nanos> {
    if is_date(text) { date(text) } else { duration(text).map(|offset| start + offset) }
}

/// RFC 3339 with a zone and up to nine fraction digits.
fn date(text: &str) -> Option<Nanos> {
    let (day, clock) = text.split_once('T')?;
    let [year, month, of_month] = three(day, '-')?;
    let zone_at = clock.find(['Z', '+', '-'])?;
    let (local, zone) = clock.split_at(zone_at);
    let (hms, fraction) = local.split_once('.').unwrap_or((local, "0"));
    let [hour, minute, second] = three(hms, ':')?;
    let seconds = days_before(year, month, of_month) * 86_400 + hour * 3_600 + minute * 60 + second;
    Some(
        (seconds - zone_seconds(zone)?) * SECOND
            + Fraction::read(&format!("0.{fraction}"))?.cut(SECOND),
    )
}

fn three(text: &str, between: char) -> Option<[i128; 3]> {
    let parts: Vec<i128> =
        text.split(between).map(|part| part.parse().ok()).collect::<Option<_>>()?;
    parts.try_into().ok()
}

fn zone_seconds(zone: &str) -> Option<i128> {
    if zone == "Z" {
        return Some(0);
    }
    let (hours, minutes) = zone[1..].split_once(':')?;
    let size = hours.parse::<i128>().ok()? * 3_600 + minutes.parse::<i128>().ok()? * 60;
    Some(if zone.starts_with('-') { -size } else { size })
}

fn leap(year: i128) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn month_length(year: i128, month: i128) -> i128 {
    match month {
        2 if leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a date, counted one year and one month at a time.
fn days_before(year: i128, month: i128, day: i128) -> i128 {
    let year_length = |y| if leap(y) { 366 } else { 365 };
    let years: i128 = if year >= 1970 {
        (1970..year).map(year_length).sum()
    } else {
        -(year..1970).map(year_length).sum::<i128>()
    };
    let months: i128 = (1..month).map(|m| month_length(year, m)).sum();
    years + months + day - 1
}

/// A duration as every output shows it.
pub fn in_seconds(length: Nanos) -> f64 {
    let decimal = format!("{}.{:09}", length / SECOND, length % SECOND);
    decimal.parse().expect("a decimal is a number")
}

/// An instant as every output shows it: UTC with `Z`, the fraction without trailing zeros.
pub fn shown(at: Nanos) -> String {
    let whole = civil(at.div_euclid(SECOND));
    let fraction = format!("{:09}", at.rem_euclid(SECOND));
    match fraction.trim_end_matches('0') {
        "" => format!("{whole}Z"),
        digits => format!("{whole}.{digits}Z"),
    }
}

/// Date and clock of a second, `2026-01-02T03:04:05`, without a zone.
pub fn civil(second: i128) -> String {
    let (mut days, clock) = (second.div_euclid(86_400), second.rem_euclid(86_400));
    let (mut year, mut month) = (1970, 1);
    while days < 0 {
        year -= 1;
        days += if leap(year) { 366 } else { 365 };
    }
    while days >= month_length(year, month) {
        days -= month_length(year, month);
        (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    }
    let (hour, minute, second) = (clock / 3_600, clock / 60 % 60, clock % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}", days + 1)
}
