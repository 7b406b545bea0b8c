//! Holds a tree against a shape and reports everything that does not fit.

use super::constraint::constraints;
use super::shape::listed;
use super::{Choices, Entry, Extra, KeyCase, Kind, Need, Node, NodeKind, Resolved, Shape};
use crate::diag::{Code, Diagnostic, Findings, Place, Source, Span, did_you_mean};
use crate::units::{GoDuration, Quantity, Time};
use std::sync::Arc;

/// Checks `node` against `shape`. What it reports is all that the shape can say; afterwards a
/// value that is there and of the right type can be taken at its word.
pub fn check(
    source: &Arc<Source>,
    node: &Node,
    shape: &'static Shape,
    keys: KeyCase,
    findings: &mut Findings,
) {
    Checker { source, keys, findings }.object(node, shape, node.span);
}

pub(super) struct Checker<'a> {
    source: &'a Arc<Source>,
    keys: KeyCase,
    findings: &'a mut Findings,
}

impl Checker<'_> {
    pub(super) fn error(&self, code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, Place::new(self.source, span), message)
    }

    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        self.findings.push(diagnostic);
    }

    /// `head` is where a finding about the mapping as a whole points.
    fn object(&mut self, node: &Node, shape: &'static Shape, head: Span) {
        let NodeKind::Map(entries) = &node.kind else {
            self.wrong_type(node, "a mapping", None);
            return;
        };
        self.duplicates(entries);
        for entry in entries {
            self.entry(entry, shape);
        }
        for field in shape.fields {
            if field.need == Need::Required && node.get(field.name).is_none() {
                let message = format!("{} has no `{}`", article(shape.name), field.name);
                let help = format!("add `{}`: {}", field.name, field.kind.expected());
                self.push(self.error(Code::MissingField, head, message).help(help));
            }
        }
        constraints(self, node, shape, head);
    }

    fn duplicates(&mut self, entries: &[Entry]) {
        for (index, entry) in entries.iter().enumerate() {
            let same = |other: &&Entry| match self.keys {
                KeyCase::Exact => other.key == entry.key,
                KeyCase::Folded => other.key.eq_ignore_ascii_case(&entry.key),
            };
            if let Some(first) = entries[..index].iter().find(same) {
                let first_place = Place::new(self.source, first.key_span);
                let message = format!("`{}` stands here a second time", entry.key);
                let finding = self
                    .error(Code::DuplicateKey, entry.key_span, message)
                    .labelled("second")
                    .also(first_place, "first")
                    .help("keep one of them");
                self.push(finding);
            }
        }
    }

    fn entry(&mut self, entry: &Entry, shape: &'static Shape) {
        if let Some(field) = shape.field(&entry.key) {
            self.field(entry, &field.kind);
            return;
        }
        let other_case = shape.fields.iter().find(|f| f.name.eq_ignore_ascii_case(&entry.key));
        if let (KeyCase::Folded, Some(field)) = (self.keys, other_case) {
            let message = format!("`{}` is spelled `{}`", entry.key, field.name);
            let place = Place::new(self.source, entry.key_span);
            self.push(
                Diagnostic::warning(Code::OddSpelling, place, message)
                    .help("Armada takes another case of a key; other tools may not"),
            );
            self.field(entry, &field.kind);
            return;
        }
        if let Some((_, instead)) = shape.elsewhere.iter().find(|(name, _)| *name == entry.key) {
            let message = format!("{} has no field `{}`", article(shape.name), entry.key);
            self.push(self.error(Code::OtherForm, entry.key_span, message).help(*instead));
            return;
        }
        if shape.extra == Extra::Refused {
            self.unknown_field(entry, shape);
        }
    }

    fn unknown_field(&mut self, entry: &Entry, shape: &'static Shape) {
        let message = format!("{} has no field `{}`", article(shape.name), entry.key);
        let names = || shape.fields.iter().map(|field| field.name);
        let help = match did_you_mean(&entry.key, names()) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("its fields are {}", listed(names()).replace(" or ", " and ")),
        };
        self.push(self.error(Code::UnknownField, entry.key_span, message).help(help));
    }

    fn field(&mut self, entry: &Entry, kind: &'static Kind) {
        if !entry.value.is_null() {
            self.value(&entry.value, kind, &entry.key, entry.key_span);
        }
    }

    /// `name` and `head` are the key that the value stands under.
    fn value(&mut self, node: &Node, kind: &'static Kind, name: &str, head: Span) {
        match kind {
            Kind::Anything => {}
            Kind::Object(shape) => self.object(node, shape, head),
            Kind::List { item, min } => self.list(node, item, *min, name, head),
            Kind::Map(value) => {
                let NodeKind::Map(entries) = &node.kind else {
                    return self.wrong_type(node, "a mapping", None);
                };
                self.duplicates(entries);
                for entry in entries {
                    self.field(entry, value);
                }
            }
            Kind::Boolean => self.boolean(node),
            Kind::Whole { min, max, code } => self.whole(node, (*min, *max), *code, name),
            Kind::Number { min, above, code } => self.number(node, *min, *above, *code, name),
            Kind::OneOf(choices) => self.one_of(node, choices, name),
            _ => self.text(node, kind, name),
        }
    }

    fn list(&mut self, node: &Node, item: &'static Kind, min: usize, name: &str, head: Span) {
        let NodeKind::List(items) = &node.kind else {
            let help = node.scalar().map(|scalar| format!("write `[{}]`", scalar.text));
            return self.wrong_type(node, &format!("a list of values for `{name}`"), help);
        };
        if items.len() < min {
            let message = format!("`{name}` is empty");
            let help = format!("list at least {min}, or leave `{name}` out");
            self.push(self.error(Code::EmptyList, head, message).help(help));
        }
        for node in items {
            if node.is_null() {
                self.wrong_type(node, &item.expected(), None);
            } else {
                self.value(node, item, name, node.span);
            }
        }
    }

    fn boolean(&mut self, node: &Node) {
        if node.boolean().is_some() {
            return;
        }
        let text = node.scalar().map(|scalar| scalar.text.to_ascii_lowercase());
        let help = match text.as_deref() {
            Some("yes" | "on" | "y" | "1" | "true") => Some("write `true`".to_owned()),
            Some("no" | "off" | "n" | "0" | "false") => Some("write `false`".to_owned()),
            _ => None,
        };
        self.wrong_type(node, "`true` or `false`", help);
    }

    fn whole(&mut self, node: &Node, (min, max): (i128, i128), code: Code, name: &str) {
        let Some(value) = node.integer() else {
            let unquoted = node.text().filter(|text| text.parse::<i64>().is_ok());
            let help = unquoted.map(|text| format!("write {text} without quotes"));
            return self.wrong_type(node, "a whole number", help);
        };
        if value < min || value > max {
            let message = format!("`{name}` is {value}, not a number from {min} to {max}");
            self.push(self.error(code, node.span, message));
        }
    }

    fn number(&mut self, node: &Node, min: f64, above: bool, code: Code, name: &str) {
        let Some(value) = node.number() else {
            return self.wrong_type(node, "a number", None);
        };
        let fits = value.is_finite() && if above { value > min } else { value >= min };
        if !fits {
            let bound = if above { "greater than" } else { "at least" };
            let message = format!("`{name}` is {value}; it must be finite and {bound} {min}");
            self.push(self.error(code, node.span, message));
        }
    }

    fn one_of(&mut self, node: &Node, choices: &'static Choices, name: &str) {
        let Some(scalar) = node.scalar() else {
            return self.wrong_type(node, &choices.listed(), None);
        };
        let text = scalar.text.as_str();
        // In Go's JSON a digit stands for an enum's value only where it is a number.
        let quoted_number = node.integer().is_none() && text.bytes().all(|b| b.is_ascii_digit());
        match choices.find(text).filter(|_| !quoted_number) {
            Some(choice) if choice.value == text && node.text().is_some() => {}
            Some(choice) => {
                let message = format!("`{text}` is spelled `{}`", choice.value);
                let place = Place::new(self.source, node.span);
                self.push(
                    Diagnostic::warning(Code::OddSpelling, place, message)
                        .help(format!("write `{}`; Armada takes both", choice.value)),
                );
            }
            None => {
                let message = format!("`{text}` is no {} for `{name}`", choices.name);
                let help = match did_you_mean(text, choices.values.iter().map(|c| c.value)) {
                    Some(value) => format!("did you mean `{value}`?"),
                    None => format!("write {}", choices.listed()),
                };
                self.push(self.error(Code::NotAChoice, node.span, message).help(help));
            }
        }
    }

    fn text(&mut self, node: &Node, kind: &'static Kind, name: &str) {
        let Some(scalar) = node.scalar() else {
            return self.wrong_type(node, &kind.expected(), None);
        };
        let Resolved::Text(text) = scalar.resolve() else {
            let (expected, help) = match kind {
                Kind::Duration => (
                    "a duration".to_owned(),
                    GoDuration::parse(&scalar.text).err().map(|e| e.help()),
                ),
                // Kubernetes takes a quantity without quotes.
                Kind::Quantity if Quantity::parse(&scalar.text).is_ok() => {
                    return self.quantity(&scalar.text, node, name);
                }
                _ => (kind.expected(), Some(format!("put it in quotes: \"{}\"", scalar.text))),
            };
            return self.wrong_type(node, &expected, help);
        };
        let (code, message, help) = match kind {
            Kind::SomeText | Kind::Pattern if text.is_empty() => {
                (Code::EmptyText, format!("`{name}` is empty"), None)
            }
            Kind::Name => match name_fault(text) {
                Some((fault, help)) => (Code::BadName, fault, help),
                None => return,
            },
            Kind::Exactly(wanted) if text != *wanted => (
                Code::NotAChoice,
                format!("`{name}` is `{text}`"),
                Some(format!("write `{wanted}`")),
            ),
            Kind::Duration => match GoDuration::parse(text) {
                Err(error) => (Code::BadDuration, format!("`{name}`: {error}"), Some(error.help())),
                Ok(value) if value.is_negative() => {
                    (Code::BadDuration, format!("`{name}` is negative"), None)
                }
                Ok(_) => return,
            },
            Kind::Quantity => return self.quantity(text, node, name),
            // An empty text means absent in a history (semantics.md, section 10).
            Kind::Time if text.is_empty() => return,
            Kind::Time | Kind::Date => match time_fault(text, matches!(kind, Kind::Time)) {
                Some((message, help)) => {
                    (Code::BadTime, format!("`{name}`: {message}"), Some(help))
                }
                None => return,
            },
            _ => return,
        };
        self.push(self.error(code, node.span, message).maybe_help(help));
    }

    fn quantity(&mut self, text: &str, node: &Node, name: &str) {
        match Quantity::parse(text) {
            Err(error) => {
                let message = format!("`{name}`: {error}");
                self.push(self.error(Code::BadQuantity, node.span, message).help(error.help()));
            }
            Ok(quantity) if !quantity.is_positive() => {
                let message = format!("`{name}` is {quantity}; it must be more than 0");
                self.push(self.error(Code::BadQuantity, node.span, message));
            }
            Ok(_) => {}
        }
    }

    fn wrong_type(&mut self, node: &Node, expected: &str, help: Option<String>) {
        let message = format!("expected {expected}, found {}", node.describe());
        self.push(self.error(Code::WrongType, node.span, message).maybe_help(help));
    }
}

fn time_fault(text: &str, offsets: bool) -> Option<(String, String)> {
    let error = Time::parse(text).err()?;
    if offsets && GoDuration::parse(text).is_ok() {
        return None;
    }
    Some((error.to_string(), error.help()))
}

/// What is wrong with a name, and a name that would do.
fn name_fault(text: &str) -> Option<(String, Option<String>)> {
    if text.is_empty() {
        return Some(("the name is empty".to_owned(), None));
    }
    if text.len() > 63 {
        return Some((
            format!("the name has {} characters; at most 63 are allowed", text.len()),
            None,
        ));
    }
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let valid = text.bytes().all(|byte| inner(byte) || byte == b'-')
        && !text.starts_with('-')
        && !text.ends_with('-');
    if valid {
        return None;
    }
    let mended: String = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .collect();
    let mended = mended.trim_matches('-');
    let rule = "a name is made of a-z, 0-9 and `-`, and begins and ends with a letter or digit";
    let help = if mended.is_empty() { rule.to_owned() } else { format!("{rule}: `{mended}`") };
    Some((format!("`{text}` is no name"), Some(help)))
}

/// "a rule", "an entry".
fn article(name: &str) -> String {
    let vowel = name.starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U']);
    format!("{} {name}", if vowel { "an" } else { "a" })
}
