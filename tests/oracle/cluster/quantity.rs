//! Kubernetes quantities.

use serde_json::Value;

const NANO: i128 = 1_000_000_000;

/// A quantity in billionths of its base unit.
pub fn nano(value: &Value) -> i128 {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let part = format!("{part:0<9}");
    let whole: i128 = format!("0{whole}").parse().expect("digits");
    let number = whole * NANO + part[..9].parse::<i128>().expect("digits");
    match &text[digits.len()..] {
        "" => number,
        "m" => number / 1000,
        "k" => number * 1000,
        "M" => number * 1_000_000,
        "G" => number * NANO,
        "T" => number * 1000 * NANO,
        "Ki" => number << 10,
        "Mi" => number << 20,
        "Gi" => number << 30,
        "Ti" => number << 40,
        suffix => panic!("a suffix that the cases do not have: {suffix}"),
    }
}

/// The scale of a resource with this resolution: the power of ten at or below it.
pub fn scale(resolution: i128) -> i32 {
    if resolution <= 0 {
        return -3;
    }
    let mut scale = -9;
    while 10_i128.pow(u32::try_from(scale + 10).expect("from 0 on")) <= resolution {
        scale += 1;
    }
    scale
}

/// The units of a scale in a quantity, rounded down.
pub fn units_down(nano: i128, scale: i32) -> i64 {
    let unit = 10_i128.pow(u32::try_from(scale + 9).expect("nano at least"));
    i64::try_from(nano.div_euclid(unit)).expect("an amount of 64 bits")
}

/// The units of a scale in a quantity, rounded up.
pub fn units_up(nano: i128, scale: i32) -> i64 {
    -units_down(-nano, scale)
}
