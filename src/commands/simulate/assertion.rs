//! The value of `--assert`: a comparison of a figure of the report.

use super::figure_path::nearest;
use crate::cli::Refusal;
use anyhow::Result;
use document::units::GoDuration;
use replay::simulate::{AssertionReport, Figure};
use std::str::FromStr;

/// The value of `--assert`.
#[derive(Debug, Clone)]
pub(super) struct Assertion {
    /// The expression as the user wrote it.
    text: String,
    /// The variant and the path, in one: a path may contain colons.
    path: String,
    operator: Operator,
    bound: Bound,
}

/// An operator: its text, and its meaning.
#[derive(Debug, Clone, Copy)]
struct Operator(&'static str, fn(f64, f64) -> bool);

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
enum Bound {
    Number(f64),
    /// A share from 0 to 1, written in percent.
    Share(f64),
    /// A duration in seconds.
    Duration(f64),
    /// The figure of the first variant, times this.
    Base(f64),
}

/// The unit of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// A count, or another number without a unit.
    Count,
    /// A share from 0 to 1.
    Share,
    /// A time in hours.
    Hours,
    /// A time in seconds.
    Seconds,
    /// A number of the report of a cluster, whose shares and indices are not distinguished from counts.
    Any,
}

impl Unit {
    /// The unit of a figure of a cluster.
    pub(super) fn for_cluster(path: &str) -> Self {
        let mut words = path.split('.');
        if words.any(|word| word == "hours" || word == "lost") { Self::Hours } else { Self::Any }
    }
}

impl FromStr for Assertion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = || "write PATH OP VALUE, such as `outcomes.Failed < 10`".to_owned();
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
        let share = || Some(Self::Share(text.strip_suffix('%').and_then(number)? / 100.0));
        let duration = || Some(Self::Duration(GoDuration::parse(text).ok()?.as_secs_f64()));
        number(text).map(Self::Number).or_else(share).or_else(duration).ok_or_else(|| {
            format!("`{text}` is not a number, a duration such as 10m, a share such as 10%, or BASE*1.01")
        })
    }
}

impl Assertion {
    /// The variant, if one is named, and the path.
    fn split<'a>(&'a self, names: &[&str]) -> (Option<&'a str>, &'a str) {
        let after = |name: &str| self.path.strip_prefix(name)?.trim_start().strip_prefix(':');
        let known = names.iter().filter_map(|name| Some((name.len(), after(name)?)));
        if let Some((length, path)) = known.max_by_key(|(length, _)| *length) {
            return (Some(&self.path[..length]), path.trim());
        }
        match self.path.split_once(':') {
            // A colon of a queue's name is in the second half of a path with dots.
            Some((name, path)) if !name.contains('.') => (Some(name.trim()), path.trim()),
            _ => (None, &self.path),
        }
    }

    /// The number of the variant among these names, and the path; an error for another name, and for a figure of the
    /// first variant that is compared with itself.
    pub(super) fn split_variant<'a>(&'a self, names: &[&str]) -> Result<(usize, &'a str)> {
        let (variant, path) = self.split(names);
        let number = variant.map_or(Some(0), |name| names.iter().position(|one| *one == name));
        let Some(number) = number else {
            let variant = variant.unwrap_or_default();
            let refusal =
                Refusal::usage(format!("--assert: the variant `{variant}` is not defined"));
            return Err(refusal.help(nearest(variant, names.iter().copied())).into());
        };
        if number == 0 && matches!(self.bound, Bound::Base(_)) {
            let message =
                format!("--assert: `{}` compares the first variant with itself", self.text);
            let help = match names.get(1) {
                Some(other) => format!("name another variant: `{other}:{}`", self.text),
                None => "add another variant with --variant".to_owned(),
            };
            return Err(Refusal::usage(message).help(help).into());
        }
        Ok((number, path))
    }

    /// Refuses a duration for a figure that is not a time, and a percentage for a figure that is not a share.
    pub(super) fn check_unit(&self, unit: Unit) -> Result<()> {
        let (what, help) = match (self.bound, unit) {
            (Bound::Duration(_), Unit::Count | Unit::Share) => ("time", "compare it with a number"),
            (Bound::Share(_), Unit::Count | Unit::Hours | Unit::Seconds) => {
                ("share", "compare it with a number, or with BASE*1.01")
            }
            _ => return Ok(()),
        };
        let message = format!("--assert: the figure of `{}` is not a {what}", self.text);
        Err(Refusal::usage(message).help(help).into())
    }

    /// Compares a figure. `base` is that of the first variant.
    pub(super) fn compare(
        &self,
        value: Option<f64>,
        base: Option<f64>,
        unit: Unit,
        note: Option<String>,
    ) -> AssertionReport {
        let bound = match self.bound {
            Bound::Number(number) | Bound::Share(number) => Some(number),
            Bound::Duration(seconds) if unit == Unit::Hours => Some(seconds / 3600.0),
            Bound::Duration(seconds) => Some(seconds),
            Bound::Base(factor) => base.map(|base| base * factor),
        };
        let holds = value.zip(bound).is_some_and(|(value, bound)| self.operator.1(value, bound));
        AssertionReport {
            assertion: self.text.clone(),
            value: value.map(Figure),
            bound: bound.map(Figure),
            holds,
            note,
        }
    }
}
