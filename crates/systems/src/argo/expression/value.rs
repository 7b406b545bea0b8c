//! Values of expressions, and their comparison as expr-lang makes it at run time (`vm/runtime`).

use document::units::GoDuration;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

/// A text of an expression.
pub(super) type Text<'a> = Cow<'a, str>;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value<'a> {
    Text(Text<'a>),
    /// A whole number.
    Integer(i64),
    Float(f64),
}

/// The error of an evaluation, as expr-lang words it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvaluationError(pub String);

impl Value<'_> {
    /// Returns the same value without a copy of its text.
    pub fn borrowed(&self) -> Value<'_> {
        match self {
            Self::Text(text) => Value::Text(Cow::Borrowed(text)),
            Self::Integer(number) => Value::Integer(*number),
            Self::Float(number) => Value::Float(*number),
        }
    }

    /// Converts a text to a whole number (`strconv.Atoi`).
    pub fn integer(text: &str) -> Result<Self, EvaluationError> {
        let number = text.parse().map(Self::Integer);
        number.map_err(|_| EvaluationError(format!("invalid operation: int({text})")))
    }

    /// Converts a text to a number (`strconv.ParseFloat`).
    pub fn float(text: &str) -> Result<Self, EvaluationError> {
        let number = text.parse().map(Self::Float);
        number.map_err(|_| EvaluationError(format!("invalid operation: float({text})")))
    }

    pub fn text(&self) -> Result<&str, EvaluationError> {
        match self {
            Self::Text(text) => Ok(text),
            other => Err(EvaluationError(format!("a text is needed, and {other} is a number"))),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "expr-lang converts the same way")]
    fn number(&self) -> Option<f64> {
        match self {
            Self::Text(_) => None,
            Self::Integer(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
        }
    }

    fn type_name(&self) -> &'static str {
        match self {
            Self::Text(_) => "string",
            Self::Integer(_) => "int",
            Self::Float(_) => "float64",
        }
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Integer(number) => number.fmt(f),
            Self::Float(number) => number.fmt(f),
        }
    }
}

/// Returns whether two values are equal: a text and a number never are.
#[expect(clippy::float_cmp, reason = "expr-lang compares the same way")]
pub(super) fn is_equal(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (left, right) {
        (Value::Text(left), Value::Text(right)) => left == right,
        (Value::Integer(left), Value::Integer(right)) => left == right,
        _ => left.number().zip(right.number()).is_some_and(|(left, right)| left == right),
    }
}

/// Returns the order of two values; `None` if one is not a number.
///
/// # Errors
///
/// If one is a text and the other is not.
pub(super) fn compare(
    left: &Value<'_>,
    right: &Value<'_>,
    operator: &str,
) -> Result<Option<Ordering>, EvaluationError> {
    match (left, right) {
        // Go compares texts by their bytes.
        (Value::Text(left), Value::Text(right)) => Ok(Some(left.as_bytes().cmp(right.as_bytes()))),
        (Value::Integer(left), Value::Integer(right)) => Ok(Some(left.cmp(right))),
        _ => {
            if let Some((left, right)) = left.number().zip(right.number()) {
                return Ok(left.partial_cmp(&right));
            }
            let (left, right) = (left.type_name(), right.type_name());
            Err(EvaluationError(format!("invalid operation: {left} {operator} {right}")))
        }
    }
}

/// Writes nanoseconds as a number of seconds, as Go's `fmt.Sprint` does: with an exponent from 1e+06 on and below 0.0001.
pub(super) fn go_seconds(nanos: i64) -> String {
    let seconds = GoDuration::from_nanos(nanos).as_secs_f64();
    // Within these bounds Go's `%g` and Rust's `Display` write the same digits.
    if seconds == 0.0 || (1e-4..1e6).contains(&seconds.abs()) {
        return seconds.to_string();
    }
    let scientific = format!("{seconds:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    // Go writes an exponent with at least two digits.
    format!("{digits}e{sign}{exponent:0>2}")
}
