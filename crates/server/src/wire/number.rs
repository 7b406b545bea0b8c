//! Numbers of JSON in Go's notation.

use std::fmt;

/// A number.
#[derive(Debug, Clone, PartialEq)]
pub enum Number {
    /// The text of a number in a body, before the kind of its field is known.
    Written(String),
    /// A whole number.
    Whole(i64),
    /// A float.
    Float(f64),
}

impl Number {
    /// The number as a float; infinite if it is too large for one.
    #[expect(clippy::cast_precision_loss, reason = "Go reads them as float64 too")]
    pub fn as_f64(&self) -> f64 {
        match self {
            Self::Written(text) => text.parse().unwrap_or(f64::INFINITY),
            Self::Whole(value) => *value as f64,
            Self::Float(value) => *value,
        }
    }

    /// The whole number; `None` if it has another notation or does not fit.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Written(text) => text.parse().ok(),
            Self::Whole(value) => Some(*value),
            Self::Float(_) => None,
        }
    }
}

/// Formats like Go's `encoding/json` for a float64: whole numbers without a fraction, an exponent below 1e-6
/// and from 1e21 on.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = match self {
            Self::Written(text) => return f.write_str(text),
            Self::Whole(value) => return write!(f, "{value}"),
            Self::Float(value) => *value,
        };
        // The bounds within which Go's `encoding/json` writes a float without an exponent.
        if value == 0.0 || (1e-6..1e21).contains(&value.abs()) {
            return write!(f, "{value}");
        }
        let text = format!("{value:e}");
        match text.split_once('e') {
            Some((digits, power)) if power.starts_with('-') => write!(f, "{digits}e{power}"),
            Some((digits, power)) => write!(f, "{digits}e+{power}"),
            None => f.write_str(&text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_as_go_does() {
        for (value, text) in [
            (1.0, "1"),
            (1.5, "1.5"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1e-7, "1e-7"),
            (0.000_001, "0.000001"),
            (-2.5e30, "-2.5e+30"),
        ] {
            assert_eq!(Number::Float(value).to_string(), text);
        }
    }
}
