//! Figures as cells of tables: counts with thousands separators, shares, and intervals.

use replay::simulate::RateReport;

/// Formats a count: `1,204`.
pub(super) fn count(count: u64) -> String {
    separated(&count.to_string())
}

/// Separates the thousands of the whole number with which a text begins: `1,204.5 min`.
pub(super) fn separated(text: &str) -> String {
    let whole = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(whole);
    let mut out = String::with_capacity(text.len() + whole / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (whole - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

/// Formats a count and its share of all: `249 (31.0 %)`; without a share if there are none. A share that is rounded to
/// 0 or 100 % although it is not is `<0.1 %` or `>99.9 %`.
pub(super) fn count_of(part: u64, all: u64) -> String {
    let number = count(part);
    if all == 0 {
        return number;
    }
    // In tenths of a percent, rounded half up.
    let tenths = (u128::from(part) * 2000 + u128::from(all)) / (u128::from(all) * 2);
    match tenths {
        0 if part > 0 => format!("{number} (<0.1 %)"),
        1000 if part < all => format!("{number} (>99.9 %)"),
        tenths => format!("{number} ({}.{} %)", tenths / 10, tenths % 10),
    }
}

/// Formats a count with its noun: `1 job`, `1,204 jobs`.
pub(super) fn several(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{} {noun}s", count(number)) }
}

/// Formats a number of retries: `1 retry`, `1,204 retries`.
pub(super) fn retries(number: u64) -> String {
    if number == 1 { "1 retry".to_owned() } else { format!("{} retries", count(number)) }
}

/// Formats the least and the most that a count can be, and their shares of all: `249-651 (20.7-54.1 %)`.
pub(super) fn range_of(least: u64, most: u64, all: u64) -> String {
    let range = format!("{}-{}", count(least), count(most));
    match share(least, all).zip(share(most, all)) {
        Some((low, high)) => format!("{range} ({}-{} %)", percent(low), percent(high)),
        None => range,
    }
}

/// Formats an interval of shares: `27.9-34.3 %`.
pub(super) fn interval(rate: &RateReport) -> String {
    format!("{}-{} %", percent(rate.low), percent(rate.high))
}

/// Formats a share as a percentage, without the sign.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

/// Formats a share as a percentage with its sign: `31.0%`.
pub(super) fn percentage(share: f64) -> String {
    percent(share) + "%"
}

#[expect(clippy::cast_precision_loss, reason = "a share")]
fn share(part: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        for (number, wanted) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (112_842, "112,842"),
            (1_234_567, "1,234,567"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(count(number), wanted);
        }
        assert_eq!(separated("112842.5 h"), "112,842.5 h");
        assert_eq!(separated("-"), "-");
        assert_eq!(range_of(249, 1651, 2000), "249-1,651 (12.4-82.5 %)");
        assert_eq!(several(1, "job"), "1 job");
        assert_eq!(several(1204, "job"), "1,204 jobs");
    }

    #[test]
    fn shares_are_of_the_total() {
        for (part, all, wanted) in [
            (0, 0, "0"),
            (0, 7, "0 (0.0 %)"),
            (7, 7, "7 (100.0 %)"),
            (249, 802, "249 (31.0 %)"),
            (1, 8, "1 (12.5 %)"),
            (1, 100_000, "1 (<0.1 %)"),
            (99_999, 100_000, "99,999 (>99.9 %)"),
            (1_499, 1_000_000, "1,499 (0.1 %)"),
            (1_500, 1_000_000, "1,500 (0.2 %)"),
            (u64::MAX, u64::MAX, "18,446,744,073,709,551,615 (100.0 %)"),
        ] {
            assert_eq!(count_of(part, all), wanted);
        }
    }
}
