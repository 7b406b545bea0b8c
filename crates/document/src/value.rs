//! Checks single values and lists against the kind of their field.

use super::check::Checker;
use super::fault::{exit_code_help, list_help, name_fault, range_help, time_fault, whole_help};
use super::{Choices, Extra, Kind, Node, NodeKind, Resolved, Scalar, ScalarStyle, Shape, optional};
use crate::diag::{Code, Span, did_you_mean, plural};
use crate::units::{GoDuration, Quantity};

/// The comparison with 0 of quantities that must be positive, for messages.
const MORE_THAN: &str = "more than";
/// Spellings of positive infinity in Go's `strconv.ParseFloat`, in any case.
const INFINITY: [&str; 2] = ["inf", "+inf"];

/// A duration in protobuf's form: seconds and nanoseconds.
pub(super) static DURATION_PARTS: Shape = Shape {
    name: "duration",
    doc: "A duration as protobuf has it.",
    fields: &[
        optional(
            "seconds",
            Kind::Whole { min: 0, max: i64::MAX as i128, code: Code::OutOfRange },
            "Whole seconds.",
        ),
        optional(
            "nanos",
            Kind::Whole { min: 0, max: 999_999_999, code: Code::OutOfRange },
            "The rest, in nanoseconds.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

impl Checker<'_> {
    /// Checks a value. `name` is its name in messages: its key, or `key[0]` in a list; `head` is
    /// the span of findings about the whole value.
    pub(super) fn check_value(&mut self, node: &Node, kind: &'static Kind, name: &str, head: Span) {
        if node.scalar().is_some_and(Scalar::is_bytes) {
            return;
        }
        match kind {
            Kind::Anything => {}
            Kind::Object(shape) => self.check_object(node, shape, name, head),
            Kind::List { item, min } => self.check_list(node, kind, (item, *min), name, head),
            Kind::Map(value) => self.check_free_map(node, value, name),
            Kind::Boolean => self.check_boolean(node, name),
            Kind::Whole { min, max, code } => self.check_whole(node, (*min, *max), *code, name),
            Kind::Number { min, above, code } => self.check_number(node, *min, *above, *code, name),
            Kind::Finite => self.check_finite(node, name),
            Kind::ShareOr(shape) if matches!(node.kind, NodeKind::Map(_)) => {
                self.check_object(node, shape, name, head);
            }
            Kind::ShareOr(_) if node.number().is_none() => {
                self.wrong_type(node, name, &kind.expected(), None);
            }
            Kind::Share | Kind::ShareOr(_) => self.check_share(node, name),
            Kind::Pair(item) => self.check_pair(node, kind, item, name, head),
            Kind::Rate => self.check_rate(node, name),
            Kind::ProtoDuration if matches!(node.kind, NodeKind::Map(_)) => {
                self.check_object(node, &DURATION_PARTS, name, head);
            }
            Kind::OneOf(choices) => self.check_one_of(node, choices, name),
            Kind::Seconds if node.number().is_some() => {
                self.check_number(node, 0.0, false, Code::OutOfRange, name);
            }
            _ => self.check_text(node, kind, name),
        }
    }

    fn check_list(
        &mut self,
        node: &Node,
        kind: &Kind,
        (item, min): (&'static Kind, usize),
        name: &str,
        head: Span,
    ) {
        let NodeKind::List(items) = &node.kind else {
            let help = list_help(node, item, self.fits(node, item));
            return self.wrong_type(node, name, &kind.expected(), help);
        };
        if items.len() < min {
            let message = format!("`{name}` is empty");
            let help = "write at least one value, or remove the field if it is optional";
            self.push(self.error(Code::EmptyList, head, message).help(help));
        }
        for (index, node) in items.iter().enumerate() {
            if self.is_full() {
                return;
            }
            let name = format!("{name}[{index}]");
            if !node.is_null() {
                self.check_value(node, item, &name, node.span);
            } else if !self.is_broken_alias(node) {
                let help = Some("remove the item, or write its value".to_owned());
                self.wrong_type(node, &name, &item.expected(), help);
            }
        }
    }

    fn check_pair(
        &mut self,
        node: &Node,
        kind: &Kind,
        item: &'static Kind,
        name: &str,
        head: Span,
    ) {
        self.check_list(node, kind, (item, 1), name, head);
        let length = node.items().len();
        // A list without values has a finding already.
        if length == 1 || length > 2 {
            let message = format!("`{name}` has {}, not two", plural(length, "value", "values"));
            let help = "write two values, such as `[1, 2]`";
            self.push(self.error(Code::WrongType, head, message).help(help));
        }
    }

    fn check_boolean(&mut self, node: &Node, name: &str) {
        if node.boolean().is_some() {
            return;
        }
        let text = node.scalar().map(|scalar| scalar.text.to_ascii_lowercase());
        let help = match text.as_deref() {
            Some(word @ ("true" | "false")) => Some(format!("write `{word}` without quotes")),
            Some("yes" | "on" | "y" | "1") => Some("write `true`".to_owned()),
            Some("no" | "off" | "n" | "0") => Some("write `false`".to_owned()),
            _ => one_value_help(node),
        };
        self.wrong_type(node, name, &Kind::Boolean.expected(), help);
    }

    fn check_whole(&mut self, node: &Node, (min, max): (i128, i128), code: Code, name: &str) {
        let Some(value) = node.integer() else {
            let read = |scalar| whole_help(scalar, min);
            let help = node.scalar().map_or_else(|| one_value_help(node), read);
            let help = help
                .or_else(|| Some(format!("write a whole number, such as {}", min.max(3).min(max))));
            return self.wrong_type(node, name, "a whole number", help);
        };
        if value < min || value > max {
            let text = node.scalar().map_or("", |scalar| scalar.text.as_str());
            let message = format!("`{name}` is {text}, not a number from {min} to {max}");
            let help = match code {
                Code::BadExitCode => exit_code_help(value),
                _ => range_help(value, min, max),
            };
            self.push(self.error(code, node.span, message).help(help));
        }
    }

    /// Returns the number of a node; reports any other value and returns `None`.
    fn any_number(&mut self, node: &Node, name: &str) -> Option<f64> {
        let value = node.number();
        if value.is_none() {
            let is_plain = node.scalar().is_some_and(|scalar| scalar.style == ScalarStyle::Plain);
            let finite = |text: &&str| text.parse::<f64>().is_ok_and(f64::is_finite);
            let help = match node.text().filter(finite) {
                Some(_) if is_plain => Some("write it without leading zeros".to_owned()),
                Some(text) => Some(format!("write {text} without quotes")),
                None => one_value_help(node),
            };
            self.wrong_type(node, name, "a number", help);
        }
        value
    }

    fn check_finite(&mut self, node: &Node, name: &str) {
        let Some(value) = self.any_number(node, name) else { return };
        if !value.is_finite() {
            let text = node.scalar().map_or("", |scalar| scalar.text.as_str());
            let message = format!("`{name}` is {text}; it must be finite");
            self.push(self.error(Code::OutOfRange, node.span, message));
        }
    }

    fn check_share(&mut self, node: &Node, name: &str) {
        let Some(value) = self.any_number(node, name) else { return };
        if !(0.0..=1.0).contains(&value) {
            let text = node.scalar().map_or("", |scalar| scalar.text.as_str());
            let message = format!("`{name}` is {text}, not a number from 0 to 1");
            self.push(self.error(Code::OutOfRange, node.span, message));
        }
    }

    fn check_rate(&mut self, node: &Node, name: &str) {
        // Go's `strconv.ParseFloat` reads infinity in any case, with or without a sign.
        if node.text().is_some_and(|text| INFINITY.iter().any(|it| text.eq_ignore_ascii_case(it))) {
            return;
        }
        let Some(value) = self.any_number(node, name) else { return };
        // NaN fails every comparison, so it needs a test of its own.
        if value.is_nan() || value < 0.0 {
            let text = node.scalar().map_or("", |scalar| scalar.text.as_str());
            let message = format!("`{name}` is {text}; it must be at least 0");
            self.push(self.error(Code::OutOfRange, node.span, message));
        }
    }

    fn check_number(&mut self, node: &Node, min: f64, above: bool, code: Code, name: &str) {
        let Some(value) = self.any_number(node, name) else { return };
        let fits = value.is_finite() && if above { value > min } else { value >= min };
        if !fits {
            let bound = if above { "greater than" } else { "at least" };
            let text = node.scalar().map_or("", |scalar| scalar.text.as_str());
            let finite = if value.is_finite() { "" } else { "finite and " };
            let message = format!("`{name}` is {text}; it must be {finite}{bound} {min}");
            self.push(self.error(code, node.span, message));
        }
    }

    fn check_one_of(&mut self, node: &Node, choices: &'static Choices, name: &str) {
        let Some(scalar) = node.scalar() else {
            return self.wrong_type(node, name, &choices.listed(), one_value_help(node));
        };
        let text = scalar.text.as_str();
        // Go's JSON takes a digit as an enum's value only if it is a number, not a text.
        let quoted_number = node.integer().is_none() && text.bytes().all(|b| b.is_ascii_digit());
        match choices.find(text).filter(|_| !quoted_number) {
            Some(_) if node.boolean().is_some() => {
                let help = Some(format!("put it in quotes: \"{text}\""));
                self.wrong_type(node, name, &choices.listed(), help);
            }
            // `3.0` is a number to YAML, and may be the name of a release.
            Some(choice)
                if choice.value == text && (node.text().is_some() || node.number().is_some()) => {}
            Some(choice) => {
                let message =
                    format!("`{name}`: `{text}` is an unusual spelling of `{}`", choice.value);
                let help = format!("write `{}`; Armada accepts both", choice.value);
                self.push(self.warning(Code::OddSpelling, node.span, message).help(help));
            }
            None => {
                let message = match text {
                    "" => format!("`{name}` is empty"),
                    _ => format!("`{name}`: unknown {} `{text}`", choices.name),
                };
                // No suggestion for releases: a similar number does not mean similar behaviour.
                let is_release = text.starts_with(|first: char| first.is_ascii_digit());
                let names = choices.values.iter().map(|choice| choice.value);
                let near = did_you_mean(text, names).filter(|_| !is_release);
                let mut elsewhere = choices.elsewhere.iter();
                let help = match (elsewhere.find(|(value, _)| *value == text), near) {
                    (Some((_, help)), _) => (*help).to_owned(),
                    (None, Some(value)) if choices.has_booleans() => {
                        format!("write \"{value}\", in quotes")
                    }
                    (None, Some(value)) => format!("did you mean `{value}`?"),
                    (None, None) => format!("write {}", choices.listed()),
                };
                self.push(self.error(Code::NotAChoice, node.span, message).help(help));
            }
        }
    }

    fn check_text(&mut self, node: &Node, kind: &'static Kind, name: &str) {
        let Some(scalar) = node.scalar() else {
            return self.wrong_type(node, name, &kind.expected(), one_value_help(node));
        };
        let text = scalar.text.as_str();
        match kind {
            // These come before the test for a text: their parsers have better messages for numbers.
            Kind::Duration | Kind::ProtoDuration | Kind::Seconds => {
                return self.check_duration(text, node, name);
            }
            Kind::Quantity => return self.check_quantity(text, node, name, MORE_THAN),
            Kind::Amount => return self.check_quantity(text, node, name, "at least"),
            // An empty text means absent in a history (semantics.md, section 10).
            Kind::Time if text.is_empty() => {}
            Kind::Time | Kind::Date => {
                if let Some((message, help)) = time_fault(text, matches!(kind, Kind::Time)) {
                    let message = format!("`{name}`: {message}");
                    self.push(self.error(Code::BadTime, node.span, message).help(help));
                }
                return;
            }
            _ => {}
        }
        if !matches!(scalar.resolve(), Resolved::Text(_)) {
            let help = format!("put it in quotes: \"{text}\"");
            return self.wrong_type(node, name, &kind.expected(), Some(help));
        }
        let (code, message, help) = match kind {
            Kind::Pattern if text.is_empty() => (
                Code::EmptyText,
                format!("`{name}` is empty"),
                "write `.` for any message, or the text to look for".to_owned(),
            ),
            Kind::SomeText if text.is_empty() => (
                Code::EmptyText,
                format!("`{name}` is empty"),
                "write the value, or remove it if none is meant".to_owned(),
            ),
            Kind::Name => match name_fault(text) {
                Some((fault, help)) => (Code::BadName, format!("`{name}`: {fault}"), help),
                None => return,
            },
            Kind::Exactly(required) if text != *required => {
                (Code::NotAChoice, format!("`{name}` is `{text}`"), format!("write `{required}`"))
            }
            _ => return,
        };
        self.push(self.error(code, node.span, message).help(help));
    }

    fn check_duration(&mut self, text: &str, node: &Node, name: &str) {
        let (message, help) = match GoDuration::parse(text) {
            Err(error) => (format!("`{name}`: {error}"), error.help()),
            Ok(value) if value.is_negative() => {
                (format!("`{name}` is negative"), "write `0s` or more".to_owned())
            }
            Ok(_) => return,
        };
        self.push(self.error(Code::BadDuration, node.span, message).help(help));
    }

    /// Checks a quantity; `bound` is the required comparison with 0: `more than` or `at least`.
    fn check_quantity(&mut self, text: &str, node: &Node, name: &str, bound: &str) {
        match Quantity::parse(text) {
            Err(error) if text.is_empty() => {
                let message = format!("`{name}` is empty");
                self.push(self.error(Code::BadQuantity, node.span, message).help(error.help()));
            }
            Err(error) => {
                let message = format!("`{name}`: {error}");
                self.push(self.error(Code::BadQuantity, node.span, message).help(error.help()));
            }
            Ok(quantity)
                if quantity < Quantity::default()
                    || bound == MORE_THAN && !quantity.is_positive() =>
            {
                let message = format!("`{name}` is {text}; it must be {bound} 0");
                self.push(self.error(Code::BadQuantity, node.span, message));
            }
            Ok(_) => {}
        }
    }

    pub(super) fn wrong_type(
        &mut self,
        node: &Node,
        name: &str,
        expected: &str,
        help: Option<String>,
    ) {
        let message = format!("`{name}`: expected {expected}, found {}", node.describe());
        self.push(self.error(Code::WrongType, node.span, message).maybe_help(help));
    }
}

/// The help for a list in the place of one value.
fn one_value_help(node: &Node) -> Option<String> {
    match node.items() {
        [] => None,
        [only] => only.scalar().map(|scalar| format!("write `{}` without the list", scalar.text)),
        _ => Some("it takes one value, not a list".to_owned()),
    }
}
