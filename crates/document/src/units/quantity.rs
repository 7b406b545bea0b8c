//! Quantities in Kubernetes' notation.

use std::fmt;

/// An amount of a resource in Kubernetes' notation (`512Mi`, `1.5`, `250m`, `1e9`).
///
/// It is stored in billionths, to which Kubernetes also rounds up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Quantity {
    nanos: i128,
}

/// The reason that a text is not a quantity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// The text does not begin with a number.
    #[error("invalid quantity `{0}`")]
    NoNumber(String),
    /// Kubernetes has no such suffix, such as `MB`.
    #[error("unknown suffix `{0}` in a quantity")]
    UnknownSuffix(String),
    /// More than 2^63 - 1 of the base unit.
    #[error("the quantity is too large")]
    TooLarge,
}

impl QuantityError {
    /// The correction to try.
    pub fn help(&self) -> String {
        match self {
            Self::UnknownSuffix(suffix) => match suffix.to_ascii_lowercase().as_str() {
                text if text.starts_with(' ') => "write the suffix next to the number",
                "k" | "ki" | "kb" | "kib" => "write `Ki` for 1024 bytes or `k` for 1000",
                "m" | "mi" | "mb" | "mib" => "write `Mi` for mebibytes or `M` for megabytes",
                "g" | "gi" | "gb" | "gib" => "write `Gi` for gibibytes or `G` for gigabytes",
                "t" | "ti" | "tb" | "tib" => "write `Ti` for tebibytes or `T` for terabytes",
                _ => "the suffixes are `Ki`, `Mi`, `Gi`, `Ti` and `k`, `M`, `G`, `T`",
            },
            Self::TooLarge => "write less than `8Ei`",
            Self::NoNumber(_) => "write a Kubernetes quantity, such as `512Mi`, `1.5Gi` or `250m`",
        }
        .to_owned()
    }
}

/// Billionths of a base unit.
const NANO: i128 = 1_000_000_000;

impl Quantity {
    /// Reads Kubernetes' notation (`resource.ParseQuantity`).
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let none = || QuantityError::NoNumber(text.to_owned());
        let (negative, unsigned) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            Some(_) => (false, text),
            None => return Err(none()),
        };
        let end =
            unsigned.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(unsigned.len());
        let (number, suffix) = unsigned.split_at(end);
        let (int, fraction) = number.split_once('.').unwrap_or((number, ""));
        if int.is_empty() && fraction.is_empty() || fraction.contains('.') {
            return Err(none());
        }
        let nanos = scaled(int, fraction, scale(suffix)?)?;
        Ok(Self { nanos: if negative { -nanos } else { nanos } })
    }

    /// The amount in whole base units (bytes of memory, devices), rounded up; a negative one becomes 0.
    pub fn ceil(self) -> u64 {
        let up = self.nanos.div_euclid(NANO) + i128::from(self.nanos.rem_euclid(NANO) != 0);
        u64::try_from(up.max(0)).unwrap_or(u64::MAX)
    }

    /// The amount in base units, with fractions (cores).
    #[expect(clippy::cast_precision_loss, reason = "for reports")]
    pub fn as_f64(self) -> f64 {
        self.nanos as f64 / 1e9
    }

    /// The amount in billionths.
    pub fn billionths(self) -> i128 {
        self.nanos
    }

    /// The sum; saturates at the limits of the type.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let most = i128::from(i64::MAX) * NANO;
        Self { nanos: self.nanos.saturating_add(other.nanos).min(most) }
    }

    /// Whether the amount is above 0.
    pub fn is_positive(self) -> bool {
        self.nanos > 0
    }
}

/// The value of a suffix, as a base (ten or two) and an exponent.
fn scale(suffix: &str) -> Result<(u32, i32), QuantityError> {
    let unknown = || QuantityError::UnknownSuffix(suffix.to_owned());
    let decimal = |exponent| Ok((10, exponent));
    match suffix {
        "n" => decimal(-9),
        "u" => decimal(-6),
        "m" => decimal(-3),
        "" => decimal(0),
        "k" => decimal(3),
        "M" => decimal(6),
        "G" => decimal(9),
        "T" => decimal(12),
        "P" => decimal(15),
        "E" => decimal(18),
        "Ki" => Ok((2, 10)),
        "Mi" => Ok((2, 20)),
        "Gi" => Ok((2, 30)),
        "Ti" => Ok((2, 40)),
        "Pi" => Ok((2, 50)),
        "Ei" => Ok((2, 60)),
        _ => {
            let exponent = suffix.strip_prefix(['e', 'E']).ok_or_else(unknown)?;
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(unknown());
            }
            decimal(exponent.parse::<i32>().map_err(|_| QuantityError::TooLarge)?)
        }
    }
}

/// `int.fraction` times the scale, in billionths, rounded up.
fn scaled(int: &str, fraction: &str, (base, exponent): (u32, i32)) -> Result<i128, QuantityError> {
    let digits: String = [int, fraction].concat();
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Ok(0);
    }
    let places = i32::try_from(fraction.len()).map_err(|_| QuantityError::TooLarge)?;
    let mantissa: i128 = digits.parse().map_err(|_| QuantityError::TooLarge)?;
    // No suffix of base two has a negative exponent.
    let factor = if base == 2 { 1i128 << exponent } else { 1 };
    // Beyond these no digits make a valid amount, and the sum must not overflow.
    let tens = 9 - places + if base == 10 { exponent.clamp(-200, 200) } else { 0 };
    let value = mantissa.checked_mul(factor).ok_or(QuantityError::TooLarge)?;
    let power = 10i128.checked_pow(tens.unsigned_abs());
    let nanos = match (tens >= 0, power) {
        (true, Some(power)) => value.checked_mul(power).ok_or(QuantityError::TooLarge)?,
        (true, None) => return Err(QuantityError::TooLarge),
        (false, Some(power)) => value / power + i128::from(value % power != 0),
        // Less than a billionth, which is rounded up as in Kubernetes.
        (false, None) => 1,
    };
    if nanos > i128::from(i64::MAX) * NANO { Err(QuantityError::TooLarge) } else { Ok(nanos) }
}

/// Prints the amount in base units: with a binary suffix if that is exact, with decimals if it
/// is not whole.
impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.nanos / NANO, (self.nanos % NANO).unsigned_abs());
        if rest == 0 {
            // In the largest unit that divides it, as amounts of memory are written.
            let suffixes =
                ["Ei", "Pi", "Ti", "Gi", "Mi", "Ki"].iter().zip([60, 50, 40, 30, 20, 10]);
            for (suffix, shift) in suffixes {
                if whole != 0 && whole % (1i128 << shift) == 0 {
                    return write!(f, "{}{suffix}", whole >> shift);
                }
            }
            return write!(f, "{whole}");
        }
        let sign = if self.nanos < 0 && whole == 0 { "-" } else { "" };
        let fraction = format!("{rest:09}");
        write!(f, "{sign}{whole}.{}", fraction.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_kubernetes_reads() {
        let ceil = |text: &str| Quantity::parse(text).unwrap().ceil();
        assert_eq!(ceil("512Mi"), 536_870_912);
        assert_eq!(ceil("1.5Gi"), 1_610_612_736);
        assert_eq!(ceil("1e3"), 1000);
        assert_eq!(ceil("1E"), 1_000_000_000_000_000_000);
        assert_eq!(ceil("1E3"), 1000);
        assert_eq!(ceil("1500m"), 2);
        assert_eq!(ceil(".5k"), 500);
        assert_eq!(ceil("5."), 5);
        assert_eq!(ceil("1n"), 1);
        assert_eq!(ceil("1e-30"), 1, "anything above nothing rounds up");
        assert_eq!(ceil("-3"), 0);
    }

    #[test]
    fn refuses_the_rest() {
        assert!(
            matches!(Quantity::parse("512MB"), Err(QuantityError::UnknownSuffix(s)) if s == "MB")
        );
        assert!(matches!(Quantity::parse("many"), Err(QuantityError::NoNumber(_))));
        assert!(matches!(Quantity::parse(""), Err(QuantityError::NoNumber(_))));
        assert!(matches!(Quantity::parse("1e"), Err(QuantityError::UnknownSuffix(_))));
        assert!(matches!(Quantity::parse("9e999999999999"), Err(QuantityError::TooLarge)));
        assert!(matches!(Quantity::parse("10E"), Err(QuantityError::TooLarge)));
        assert!(matches!(Quantity::parse("16Ei"), Err(QuantityError::TooLarge)));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[+-]?[0-9.]{0,40}[a-zA-Z]{0,3}[+-]?[0-9]{0,12}") {
            if let Ok(quantity) = Quantity::parse(&text) {
                let _ = (quantity.ceil(), quantity.as_f64(), quantity.to_string());
            }
        }

        #[test]
        fn printing_and_reading_again_changes_nothing(nanos in 0i64..i64::MAX) {
            let quantity = Quantity { nanos: i128::from(nanos) };
            proptest::prop_assert_eq!(Quantity::parse(&quantity.to_string()), Ok(quantity));
        }
    }
}
