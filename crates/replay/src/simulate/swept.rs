//! The limits that a sweep sets, and their values.

use super::Figure;
use document::units::GoDuration;
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A limit that a sweep sets.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SweptLimit {
    /// The limit, as `--sweep` names it: `globalMaxRetries`, `infra.rules[1].retryLimit`.
    pub path: String,
    /// Its value.
    pub value: Figure,
    /// The unit of the value; absent for a count.
    #[serde(skip_serializing_if = "SweptUnit::is_count")]
    #[schemars(default)]
    pub unit: SweptUnit,
    /// The limit that the second `--sweep` of a grid sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second: Option<SecondLimit>,
}

/// The limit of the second sweep of a grid.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecondLimit {
    /// The limit, as `--sweep` names it.
    pub path: String,
    /// Its value.
    pub value: Figure,
    /// The unit of the value; absent for a count.
    #[serde(skip_serializing_if = "SweptUnit::is_count")]
    #[schemars(default)]
    pub unit: SweptUnit,
}

/// The unit of a value of a swept limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SweptUnit {
    /// A count, such as of retries.
    #[default]
    Count,
    /// A time in seconds.
    Seconds,
    /// A factor.
    Factor,
}

impl SweptUnit {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_count(&self) -> bool {
        *self == Self::Count
    }
}

/// A value of a swept limit. Its text has a different form for each unit: `3`, `5m`, `1.5`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SweptValue {
    /// The number; of a time in seconds.
    pub number: f64,
    /// The unit.
    pub unit: SweptUnit,
}

impl SweptLimit {
    /// The limits that a sweep sets, or that the two of a grid set, to these values; `None` without one.
    pub fn new(limits: &[(&str, SweptValue)]) -> Option<Self> {
        let (first, others) = limits.split_first()?;
        let second = others.first().map(|(path, value)| SecondLimit {
            path: (*path).to_owned(),
            value: Figure(value.number),
            unit: value.unit,
        });
        let (path, value) = first;
        let (path, unit) = ((*path).to_owned(), value.unit);
        Some(Self { path, value: Figure(value.number), unit, second })
    }

    /// The value, and that of the second limit of a grid.
    pub fn values(&self) -> (SweptValue, Option<SweptValue>) {
        let second = self.second.as_ref();
        let second = second.map(|it| SweptValue { number: it.value.0, unit: it.unit });
        (SweptValue { number: self.value.0, unit: self.unit }, second)
    }
}

impl SweptValue {
    /// A count.
    pub fn count(count: u32) -> Self {
        Self { number: f64::from(count), unit: SweptUnit::Count }
    }

    /// The count, if it is one.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts are made of `u32`"
    )]
    pub fn as_count(self) -> Option<u32> {
        (self.unit == SweptUnit::Count).then_some(self.number as u32)
    }

    /// The order of two values of one limit.
    pub fn compare(&self, other: &Self) -> Ordering {
        self.number.total_cmp(&other.number)
    }
}

impl fmt::Display for SweptValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit {
            SweptUnit::Count => write!(f, "{}", self.number),
            // A whole factor has a fraction too, so that it differs from a count.
            SweptUnit::Factor => write!(f, "{:?}", self.number),
            SweptUnit::Seconds => {
                #[expect(clippy::cast_possible_truncation, reason = "it saturates")]
                let text = GoDuration::from_nanos((self.number * 1e9).round() as i64).to_string();
                let text = if text.ends_with("m0s") { &text[..text.len() - 2] } else { &text };
                f.write_str(if text.ends_with("h0m") { &text[..text.len() - 2] } else { text })
            }
        }
    }
}

impl FromStr for SweptValue {
    type Err = ();

    /// Reads a text of [`Display`](fmt::Display), and any other notation of the same number.
    fn from_str(text: &str) -> Result<Self, ()> {
        if let Ok(count) = text.parse::<u32>() {
            return Ok(Self::count(count));
        }
        let value = if let Ok(number) = text.parse::<f64>() {
            Self { number, unit: SweptUnit::Factor }
        } else {
            let number = GoDuration::parse(text).map_err(|_| ())?.as_secs_f64();
            Self { number, unit: SweptUnit::Seconds }
        };
        let is_valid = value.number.is_finite() && value.number >= 0.0;
        // `-0` is no limit either.
        (is_valid && !text.starts_with('-')).then_some(value).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_text_of_a_value_has_its_unit() {
        for (text, number, printed) in [
            ("3", 3.0, "3"),
            ("1.5", 1.5, "1.5"),
            ("2.0", 2.0, "2.0"),
            ("5m", 300.0, "5m"),
            ("90s", 90.0, "1m30s"),
            ("1h", 3600.0, "1h"),
            ("1h10m", 4200.0, "1h10m"),
            ("0s", 0.0, "0s"),
            ("500ms", 0.5, "500ms"),
        ] {
            let value: SweptValue = text.parse().unwrap();
            assert_eq!((value.number, &*value.to_string()), (number, printed));
        }
        for text in ["", "-1", "-0", "-5m", "a", "inf", "NaN", "1d"] {
            assert_eq!(text.parse::<SweptValue>(), Err(()), "{text}");
        }
    }

    proptest! {
        /// A text is read as the value that it was printed from.
        #[test]
        fn a_printed_value_is_read_again(count: u32, millis in 0_u32.., factor in 0.0..1e6_f64) {
            let seconds = f64::from(millis) / 1000.0;
            for value in [
                SweptValue::count(count),
                SweptValue { number: seconds, unit: SweptUnit::Seconds },
                SweptValue { number: factor, unit: SweptUnit::Factor },
            ] {
                let read: SweptValue = value.to_string().parse().unwrap();
                prop_assert_eq!(read.unit, value.unit);
                prop_assert!((read.number - value.number).abs() <= 1e-9 * value.number.max(1.0));
            }
        }
    }
}
