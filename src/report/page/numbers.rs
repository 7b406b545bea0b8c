//! Texts and numbers of pictures: short ones for scales and labels, durations, and counts as coordinates.

pub(super) use crate::report::answer::cells::failed_cost_name;
use replay::simulate::CostUnit;

/// A count as a coordinate.
#[expect(clippy::cast_precision_loss, reason = "counts of jobs and runs are far below 2^53")]
pub(in crate::report) fn float(count: u64) -> f64 {
    count as f64
}

/// A position in a list as a coordinate.
pub(super) fn position(at: usize) -> f64 {
    float(at as u64)
}

/// The name of the unit of cost: `GPU-hours`, and of retries `failed retries`.
pub(super) fn cost_name(unit: CostUnit) -> &'static str {
    match unit {
        CostUnit::Retries => "failed retries",
        unit => unit.as_str(),
    }
}

/// A number in at most three digits: `12`, `2.5`, `127 k`, `1.17 M`.
pub(super) fn short(value: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")];
    // From here on three digits are rounded up to the next unit.
    let unit = UNITS.into_iter().find(|(size, _)| value.abs() >= size * 0.999_5);
    let (size, unit) = unit.unwrap_or((1.0, ""));
    three_digits(value / size) + unit
}

/// A number with three digits, without zeros at the end of its decimals.
fn three_digits(value: f64) -> String {
    // The bounds are those from which a value is rounded up to one more digit before the point.
    let decimals = match value.abs() {
        99.95.. => 0,
        9.995.. => 1,
        0.995.. => 2,
        0.0 => 0,
        // The first digit that is not 0 and two more.
        small => 2 + (1..9).take_while(|it| small * 10_f64.powi(*it) < 1.0).count() + 1,
    };
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A duration of seconds in its two largest units: `3 h 39 min`, `12 min`, `45 s`, `2 d`.
pub(super) fn duration(seconds: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(86_400.0, "d"), (3_600.0, "h"), (60.0, "min"), (1.0, "s")];
    let whole = seconds.round();
    if whole < 1.0 {
        return if seconds > 0.0 { format!("{} s", three_digits(seconds)) } else { "0".to_owned() };
    }
    // Days from 100 hours on: up to there hours are easier to compare.
    let first = match whole {
        360_000.0.. => 0,
        3_600.0.. => 1,
        60.0.. => 2,
        _ => 3,
    };
    let (size, unit) = UNITS[first];
    let (count, rest) = ((whole / size).floor(), whole % size);
    let next = UNITS.get(first + 1).filter(|_| first < 2);
    let next = next.map(|(size, unit)| ((rest / size).floor(), unit)).filter(|(it, _)| *it > 0.0);
    match next {
        Some((rest, next)) => format!("{count} {unit} {rest} {next}"),
        None => format!("{count} {unit}"),
    }
}

/// A text with a capital as its first letter.
pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_scale_have_three_digits() {
        for (value, wanted) in [
            (0.0, "0"),
            (2.5, "2.5"),
            (12.34, "12.3"),
            (999.4, "999"),
            (999.6, "1 k"),
            (127_163.0, "127 k"),
            (1_171_885.0, "1.17 M"),
            (2_000_000.0, "2 M"),
            (0.25, "0.25"),
            (0.001_24, "0.00124"),
            (-2_500.0, "-2.5 k"),
        ] {
            assert_eq!(short(value), wanted);
        }
    }

    #[test]
    fn durations_have_two_units() {
        for (seconds, wanted) in [
            (0.0, "0"),
            (0.25, "0.25 s"),
            (59.4, "59 s"),
            (720.0, "12 min"),
            (13_140.0, "3 h 39 min"),
            (7_200.0, "2 h"),
            (172_800.0, "48 h"),
            (432_000.0, "5 d"),
            (439_200.0, "5 d 2 h"),
        ] {
            assert_eq!(duration(seconds), wanted);
        }
    }
}
