//! Figures of the answer as cells and as words of sentences.

use super::frame::Answer;
use crate::report::figures::separated;
use replay::simulate::CostUnit;

/// Formats a count.
pub(in crate::report) fn figure(value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}", separated(&format!("{:.0}", value.abs())))
}

/// Formats a count, or a mean of counts with one decimal.
pub(in crate::report) fn mean(value: f64) -> String {
    let tenths = (value * 10.0).round() / 10.0;
    if tenths.fract() == 0.0 {
        return figure(tenths);
    }
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}", separated(&format!("{:.1}", tenths.abs())))
}

/// Formats a cost: with one decimal, or two digits if it is small. Retries are counted.
pub(in crate::report) fn cost(answer: &impl Answer, value: f64) -> String {
    if answer.unit() == CostUnit::Retries { figure(value) } else { hours(value) }
}

/// Formats hours: with one decimal, or two digits if they are few.
fn hours(value: f64) -> String {
    let size = value.abs();
    let text = if size == 0.0 {
        "0".to_owned()
    } else if size >= 0.095 {
        format!("{size:.1}")
    } else {
        // The first two digits that are not 0.
        let decimals = (1..9_u32).find(|it| size * f64::from(10_u32.pow(*it)) >= 1.0);
        format!("{size:.*}", decimals.map_or(9, |it| it as usize + 1))
    };
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}", separated(&text))
}

/// Formats a cost with its unit in a sentence: `469 GPU-hours`, `8.2 hours`, `1 retry`. It is whole from 10 on.
pub(in crate::report) fn cost_in_words(answer: &impl Answer, value: f64) -> String {
    if answer.unit() == CostUnit::Retries {
        return retries(value, "");
    }
    // From here on one decimal would be rounded up to 10.0.
    let text = if value.abs() >= 9.95 { figure(value) } else { hours(value) };
    let text = text.strip_suffix(".0").unwrap_or(&text);
    let unit = answer.unit().as_str();
    let unit = if text == "1" { unit.trim_end_matches('s') } else { unit };
    format!("{text} {unit}")
}

/// Puts the sign before a difference.
pub(in crate::report) fn signed(value: f64, text: String) -> String {
    if value > 0.0 { format!("+{text}") } else { text }
}

/// Writes a text with another in brackets after it, if it has one: `225 (64)`.
pub(in crate::report) fn with_brackets(own: Option<String>, within: Option<String>) -> String {
    match (own, within) {
        (Some(own), Some(within)) => format!("{own} ({within})"),
        (own, _) => own.unwrap_or_default(),
    }
}

/// Formats a count with its noun: `1 job`, `1,204 jobs`.
pub(in crate::report) fn several(count: f64, noun: &str) -> String {
    let s = if (count - 1.0).abs() < f64::EPSILON { "" } else { "s" };
    format!("{} {noun}{s}", figure(count))
}

/// The value of a row in a column; 0 if there is none.
pub(in crate::report) fn value(answer: &impl Answer, row: &str, column: usize) -> f64 {
    figure_of(answer, row, column).unwrap_or_default()
}

/// The value of a row in a column, if there is one.
pub(in crate::report) fn figure_of(answer: &impl Answer, row: &str, column: usize) -> Option<f64> {
    answer.row(row)?.values.get(column).copied().flatten()
}

/// Formats a number of retries: `1 retry`, `1,204 failed retries`.
pub(in crate::report) fn retries(number: f64, adjective: &str) -> String {
    let noun = if (number - 1.0).abs() < f64::EPSILON { "retry" } else { "retries" };
    format!("{} {adjective}{noun}", figure(number))
}

/// The cost of failed retries in words: `469 GPU-hours of failed retries`, `19 failed retries`.
pub(in crate::report) fn failed_cost(answer: &impl Answer, cost: f64) -> String {
    match answer.unit() {
        CostUnit::Retries => retries(cost, "failed "),
        _ => format!("{} of failed retries", cost_in_words(answer, cost)),
    }
}

/// A figure in words with its verb: `1 GPU-hour is`, `2 jobs are`.
pub(in crate::report) fn with_verb(figure: &str) -> String {
    let verb = if figure.split(' ').next() == Some("1") { "is" } else { "are" };
    format!("{figure} {verb}")
}

/// The name of the cost of retries that failed: `GPU-hours in failed retries`.
pub(in crate::report) fn failed_cost_name(unit: CostUnit) -> String {
    match unit {
        CostUnit::Retries => "failed retries".to_owned(),
        unit => format!("{} in failed retries", unit.as_str()),
    }
}

/// The header of the cost of retries that did not succeed, in all tables.
pub(in crate::report) const FAILED_RETRIES: &str = "FAILED RETRIES";

/// The header of a column of costs: `FAILED RETRIES, GPU-H`, with a short unit so that a table fits 80 columns.
pub(in crate::report) fn cost_header(answer: &impl Answer, what: &str) -> String {
    match answer.unit() {
        CostUnit::Gpu => format!("{what}, GPU-H"),
        CostUnit::Core => format!("{what}, CORE-H"),
        CostUnit::Run => format!("{what}, HOURS"),
        CostUnit::Retries => what.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use replay::simulate::AnswerReport;

    #[test]
    fn figures_have_the_digits_that_matter() {
        for (value, wanted) in [
            (0.0, "0"),
            (469.13, "469.1"),
            (330.0, "330.0"),
            (-2386.71, "-2,386.7"),
            (0.1, "0.1"),
            (0.0342, "0.034"),
            (0.000_21, "0.00021"),
        ] {
            assert_eq!(hours(value), wanted);
        }
        assert_eq!([figure(1_234_567.0), figure(-3.0)], ["1,234,567", "-3"]);
        let means = [-7.67, 1203.96, 0.25, 7.0, -0.04].map(mean);
        assert_eq!(means, ["-7.7", "1,204", "0.3", "7", "0"]);
        assert_eq!([several(1.0, "job"), several(1204.0, "job")], ["1 job", "1,204 jobs"]);
        let answer = AnswerReport { unit: CostUnit::Gpu, ..AnswerReport::default() };
        let words = [469.13, 8.23, 1.0].map(|cost| cost_in_words(&answer, cost));
        assert_eq!(words, ["469 GPU-hours", "8.2 GPU-hours", "1 GPU-hour"]);
    }
}
