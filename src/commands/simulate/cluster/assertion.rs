//! The value of `--assert`: a comparison of a figure of the report.

use crate::units::GoDuration;
use std::str::FromStr;

/// The value of `--assert`.
#[derive(Debug, Clone)]
pub(super) struct Assertion {
    /// The expression as the user wrote it.
    pub(super) text: String,
    /// The variant and the path, in one: a path may contain colons.
    path: String,
    pub(super) operator: Operator,
    pub(super) bound: Bound,
}

/// An operator: its text, and its meaning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operator(&'static str, pub(super) fn(f64, f64) -> bool);

/// The longer operators come first: of those at the same position of a text the first is taken.
#[expect(clippy::float_cmp, reason = "counts are whole")]
const OPERATORS: [Operator; 6] = [
    Operator("<=", |a, b| a <= b),
    Operator(">=", |a, b| a >= b),
    Operator("==", |a, b| a == b),
    Operator("!=", |a, b| a != b),
    Operator("<", |a, b| a < b),
    Operator(">", |a, b| a > b),
];

/// The other side of the comparison.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bound {
    /// A number.
    Number(f64),
    /// The figure of the first variant, times this.
    Base(f64),
}

impl FromStr for Assertion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = || "write PATH OP VALUE, such as `queue.b.wait.p95 < 10m`".to_owned();
        let operator = |operator: &Operator| Some((text.find(operator.0)?, *operator));
        let found = OPERATORS.iter().filter_map(operator).min_by_key(|(at, _)| *at);
        let (at, operator) = found.ok_or_else(form)?;
        let (path, value) = (text[..at].trim(), text[at + operator.0.len()..].trim());
        if path.is_empty() || value.is_empty() {
            return Err(form());
        }
        let bound = value.parse()?;
        Ok(Self { text: text.trim().to_owned(), path: path.to_owned(), operator, bound })
    }
}

impl FromStr for Bound {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
        if let Some(factor) = text.strip_prefix("BASE") {
            let factor = factor.trim();
            let factor = if factor.is_empty() {
                Some(1.0)
            } else {
                factor.strip_prefix('*').and_then(number)
            };
            return factor.map(Self::Base).ok_or_else(|| "write BASE or BASE*1.01".to_owned());
        }
        let share = || text.strip_suffix('%').and_then(number).map(|share| share / 100.0);
        let duration = || GoDuration::parse(text).ok().map(GoDuration::as_secs_f64);
        let value = number(text).or_else(share).or_else(duration);
        value.map(Self::Number).ok_or_else(|| {
            format!("`{text}` is not a number, a duration such as 10m, a share such as 10%, or BASE*1.01")
        })
    }
}

impl Assertion {
    /// The variant, if one is named, and the path.
    pub(super) fn split<'a>(&'a self, names: &[&str]) -> (Option<&'a str>, &'a str) {
        match self.path.split_once(':') {
            // A colon of a queue's name is in the second half of a path with dots.
            Some((name, path)) if names.contains(&name) || !name.contains('.') => {
                (Some(name.trim()), path.trim())
            }
            _ => (None, &self.path),
        }
    }
}
