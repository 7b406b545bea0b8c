//! The description of a kind of document.
//!
//! The check, the field pages of `explain` and the JSON Schema are all derived from it, so they cannot
//! differ. Rules about more than one value (a pattern's dialect, two documents with one name) belong to the
//! reader of that kind of document.

use crate::diag::Code;

/// The fields of one mapping.
#[derive(Debug)]
pub struct Shape {
    /// The name in messages: `RetryPolicy`, `rule`.
    pub name: &'static str,
    /// The documentation; the first line is a summary.
    pub doc: &'static str,
    /// The fields, in the order in which documents are printed.
    pub fields: &'static [Field],
    /// Constraints between fields.
    pub constraints: &'static [Constraint],
    /// How to handle fields that are not listed.
    pub extra: Extra,
    /// Fields of other forms or systems that authors may write here, each with the help to print.
    pub elsewhere: &'static [(&'static str, &'static str)],
}

/// One field.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The key.
    pub name: &'static str,
    /// The documentation, with units and defaults; the first line is a summary.
    pub doc: &'static str,
    /// The kind of its value.
    pub kind: Kind,
    /// Whether it is required.
    pub need: Need,
}

/// A field that may be absent.
pub const fn optional(name: &'static str, kind: Kind, doc: &'static str) -> Field {
    Field { name, doc, kind, need: Need::Optional }
}

/// A required field.
pub const fn required(name: &'static str, kind: Kind, doc: &'static str) -> Field {
    Field { name, doc, kind, need: Need::Required }
}

/// Whether a field is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The field must be present.
    Required,
    /// The field may be absent.
    Optional,
}

/// How to handle fields that a shape does not list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    /// Report an error, with a suggestion.
    Refused,
    /// Ignore them: another program owns the document.
    Ignored,
    /// Ignore them, but report an error for a field of another mapping of the document, and a
    /// warning for a misspelling of an absent field.
    Tolerated,
}

/// Whether another case of a key is the same key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyCase {
    /// No.
    Exact,
    /// Yes, as in Go's `encoding/json`; another case gets a warning.
    Folded,
}

/// The kind of a field's value.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Any text.
    Text,
    /// A text that is not empty.
    SomeText,
    /// A name: 1 to 63 of `[a-z0-9]([-a-z0-9]*[a-z0-9])?`.
    Name,
    /// Exactly this text.
    Exactly(&'static str),
    /// One of a few values.
    OneOf(&'static Choices),
    /// `true` or `false`.
    Boolean,
    /// A whole number between two bounds, both included.
    Whole {
        /// The minimum.
        min: i128,
        /// The maximum.
        max: i128,
        /// The code of the finding about a number outside the bounds.
        code: Code,
    },
    /// A finite number of at least `min`.
    Number {
        /// The minimum.
        min: f64,
        /// Whether the minimum itself is excluded.
        above: bool,
        /// The code of the finding about a number outside the bounds.
        code: Code,
    },
    /// Any finite number.
    Finite,
    /// A number from 0 to 1.
    Share,
    /// A number from 0 to 1, or a mapping.
    ShareOr(&'static Shape),
    /// A Go duration of at least 0.
    Duration,
    /// A Go duration of at least 0, or protobuf's `{seconds, nanos}`.
    ProtoDuration,
    /// A number of seconds of at least 0, or a Go duration of at least 0.
    Seconds,
    /// A Kubernetes quantity above 0.
    Quantity,
    /// A Kubernetes quantity of at least 0.
    Amount,
    /// A number of at least 0, which may be infinite.
    Rate,
    /// A time in RFC 3339, or a Go duration from the document's start.
    Time,
    /// A time in RFC 3339.
    Date,
    /// A pattern in Go's dialect; the document's reader checks its syntax.
    Pattern,
    /// A list.
    List {
        /// The kind of each item.
        item: &'static Kind,
        /// The minimum number of items.
        min: usize,
    },
    /// A list of exactly two values.
    Pair(&'static Kind),
    /// A mapping with free keys. A key without a value is an error, unless any text is a valid value.
    Map(&'static Kind),
    /// A mapping with known fields.
    Object(&'static Shape),
    /// Any value, without a check.
    Anything,
}

/// One of the values of a field that accepts only a few.
#[derive(Debug)]
pub struct Choice {
    /// The value as it is written.
    pub value: &'static str,
    /// The meaning of the value.
    pub doc: &'static str,
    /// Other spellings that Armada accepts and that get a warning; numbers are in digits.
    pub also: &'static [&'static str],
}

/// A value with one spelling.
pub const fn choice(value: &'static str, doc: &'static str) -> Choice {
    Choice { value, doc, also: &[] }
}

/// The values of a field that accepts only a few.
#[derive(Debug)]
pub struct Choices {
    /// The name of such a value in messages: `action`.
    pub name: &'static str,
    /// The values.
    pub values: &'static [Choice],
    /// Whether any case is accepted, with a warning.
    pub any_case: bool,
    /// Values of other systems that authors may write here, each with the help to print.
    pub elsewhere: &'static [(&'static str, &'static str)],
}

/// A constraint between the fields of one mapping.
#[derive(Debug)]
pub enum Constraint {
    /// At least one of these fields is present.
    AtLeastOne {
        /// The fields.
        fields: &'static [&'static str],
        /// The code of the finding about a violation.
        code: Code,
        /// The message.
        message: &'static str,
        /// The help: how to satisfy the constraint.
        help: &'static str,
    },
    /// Exactly one of these fields is present.
    ExactlyOne {
        /// The fields.
        fields: &'static [&'static str],
        /// The code of the finding about a violation.
        code: Code,
        /// The message if no field is present.
        none: &'static str,
        /// The message if several fields are present.
        several: &'static str,
        /// The help: how to satisfy the constraint.
        help: &'static str,
    },
    /// One field has no meaning without another.
    Needs {
        /// The field.
        field: &'static str,
        /// The field that it requires.
        needs: &'static str,
        /// The code of the finding about a violation.
        code: Code,
        /// The message.
        message: &'static str,
        /// The help: how to satisfy the constraint.
        help: &'static str,
    },
}

impl Shape {
    /// A shape without fields, which refuses all others.
    pub const fn new(name: &'static str, doc: &'static str) -> Self {
        Self { name, doc, fields: &[], constraints: &[], extra: Extra::Refused, elsewhere: &[] }
    }

    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl Shape {
    /// The required fields, and of each constraint on several fields the first, unless another of them is required.
    pub(super) fn needed_fields(&self) -> Vec<&'static Field> {
        let required = self.fields.iter().filter(|field| field.need == Need::Required);
        let mut needed: Vec<&'static Field> = required.collect();
        for constraint in self.constraints {
            let (Constraint::AtLeastOne { fields, .. } | Constraint::ExactlyOne { fields, .. }) =
                constraint
            else {
                continue;
            };
            // One of its fields is enough, which may be there already.
            if !needed.iter().any(|field| fields.contains(&field.name)) {
                needed.extend(fields.first().and_then(|name| self.field(name)));
            }
        }
        needed
    }

    /// An example in braces: the needed fields, else one; a field in `given` with that text. `None` if a field has
    /// no example.
    pub(super) fn example(&self, given: Option<(&str, &str)>) -> Option<String> {
        let mut fields = self.needed_fields();
        if fields.is_empty() {
            let chosen = given.map_or_else(|| self.fields.first(), |(name, _)| self.field(name));
            fields.extend(chosen);
        }
        let field = |field: &&Field| {
            let given = given.filter(|(name, _)| *name == field.name);
            let text = given.map(|(_, text)| text.to_owned()).or_else(|| field.kind.example())?;
            Some(format!("{}: {text}", field.name))
        };
        let fields: Option<Vec<String>> = fields.iter().map(field).collect();
        Some(format!("{{{}}}", fields.filter(|fields| !fields.is_empty())?.join(", ")))
    }

    /// A description for messages: "a mapping with `operator` and `values`". It names the required fields or,
    /// without any, a few optional ones.
    fn expected(&self) -> String {
        let required = self.fields.iter().filter(|field| field.need == Need::Required);
        let required = listed(required.map(|field| field.name)).replace(" or ", " and ");
        match self.fields.len() {
            _ if !required.is_empty() => format!("a mapping with {required}"),
            0..=5 => format!("a mapping with {}", listed(self.fields.iter().map(|f| f.name))),
            _ => "a mapping".to_owned(),
        }
    }
}

impl Choices {
    /// Choices without values, which have one spelling each.
    pub const fn new(name: &'static str) -> Self {
        Self { name, values: &[], any_case: false, elsewhere: &[] }
    }

    /// The value with this spelling.
    pub fn find(&self, text: &str) -> Option<&'static Choice> {
        // The exact spelling first: another value may have it in another case.
        let exact = self.values.iter().find(|choice| choice.value == text);
        exact.or_else(|| {
            self.values.iter().find(|choice| {
                choice.also.contains(&text)
                    || self.any_case && choice.value.eq_ignore_ascii_case(text)
            })
        })
    }

    /// The values as a phrase for messages: "`Retry` or `Fail`".
    pub fn listed(&self) -> String {
        if self.has_booleans() {
            let quoted: Vec<String> =
                self.values.iter().map(|choice| format!("\"{}\"", choice.value)).collect();
            return listed(quoted.iter().map(String::as_str));
        }
        listed(self.values.iter().map(|choice| choice.value))
    }

    /// Whether a value would be a boolean without quotes.
    pub(super) fn has_booleans(&self) -> bool {
        self.values.iter().any(|choice| matches!(choice.value, "True" | "False"))
    }
}

/// The words as a phrase: "`a`, `b` or `c`".
pub(super) fn listed<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

impl Kind {
    /// Whether a key of a free mapping of such values may lack a value.
    pub(super) fn may_be_null(&self) -> bool {
        matches!(self, Self::Text | Self::Anything)
    }

    /// A description of such a value for messages: "a duration such as `30s`".
    pub fn expected(&self) -> String {
        match self {
            Self::Text | Self::SomeText => "a string".to_owned(),
            Self::Name => "a name of a-z, 0-9 and `-`".to_owned(),
            Self::Exactly(text) => format!("`{text}`"),
            Self::OneOf(choices) => choices.listed(),
            Self::Boolean => "`true` or `false`".to_owned(),
            Self::Whole { .. } => "a whole number".to_owned(),
            Self::Number { .. } | Self::Finite => "a number".to_owned(),
            Self::Share => "a number from 0 to 1".to_owned(),
            Self::ShareOr(shape) => format!("a number from 0 to 1, or {}", shape.expected()),
            Self::Duration | Self::ProtoDuration => "a duration such as `30s`".to_owned(),
            Self::Seconds => "seconds, or a duration such as `30s`".to_owned(),
            Self::Rate => "a number or `+inf`".to_owned(),
            Self::Quantity | Self::Amount => "a quantity such as `512Mi`".to_owned(),
            Self::Time | Self::Date => "a time such as `2026-10-01T10:04:12Z`".to_owned(),
            Self::Pattern => "a pattern".to_owned(),
            Self::List { item, .. } => format!("a list of {}", item.plural()),
            Self::Pair(item) => format!("a list of two {}", item.plural()),
            Self::Map(_) => "a mapping".to_owned(),
            Self::Object(shape) => shape.expected(),
            Self::Anything => "anything".to_owned(),
        }
    }

    /// An example of such a value in braces or brackets; `None` if the kind does not determine one.
    pub(super) fn example(&self) -> Option<String> {
        Some(match self {
            Self::Text | Self::SomeText | Self::Pattern => "text".to_owned(),
            Self::Name => "my-name".to_owned(),
            Self::Exactly(text) => (*text).to_owned(),
            Self::OneOf(choices) => match choices.values.first()?.value {
                boolean if choices.has_booleans() => format!("\"{boolean}\""),
                value => value.to_owned(),
            },
            Self::Boolean => "true".to_owned(),
            Self::Whole { min, max, .. } => (*min.max(&1)).min(*max).to_string(),
            Self::Number { min, .. } => (min + 1.0).to_string(),
            Self::Finite | Self::Rate => "1".to_owned(),
            Self::Share | Self::ShareOr(_) => "0.5".to_owned(),
            Self::Duration | Self::ProtoDuration | Self::Seconds => "30s".to_owned(),
            Self::Quantity | Self::Amount => "512Mi".to_owned(),
            Self::Time | Self::Date => "2026-10-01T10:04:12Z".to_owned(),
            Self::List { item, .. } => format!("[{}]", item.example()?),
            Self::Pair(item) => format!("[{0}, {0}]", item.example()?),
            Self::Object(shape) => shape.example(None)?,
            Self::Map(_) | Self::Anything => return None,
        })
    }

    fn plural(&self) -> &'static str {
        match self {
            Self::Text | Self::SomeText | Self::Exactly(_) => "strings",
            Self::Name => "names",
            Self::OneOf(_) | Self::ShareOr(_) | Self::Anything => "values",
            Self::Boolean => "booleans",
            Self::Whole { .. } => "whole numbers",
            Self::Number { .. } | Self::Finite | Self::Rate | Self::Share => "numbers",
            Self::Duration | Self::ProtoDuration | Self::Seconds => "durations",
            Self::Quantity | Self::Amount => "quantities",
            Self::Time | Self::Date => "times",
            Self::Pattern => "patterns",
            Self::List { .. } | Self::Pair(_) => "lists",
            Self::Map(_) | Self::Object(_) => "mappings",
        }
    }

    /// The name of the type in field docs: `[]string`, `integer`, `Duration`.
    pub fn type_name(&self) -> String {
        match self {
            Self::Text | Self::SomeText | Self::Exactly(_) | Self::Name | Self::OneOf(_) => {
                "string".to_owned()
            }
            Self::Boolean => "boolean".to_owned(),
            Self::Whole { .. } => "integer".to_owned(),
            Self::Number { .. } | Self::Finite | Self::Rate | Self::Share => "number".to_owned(),
            Self::ShareOr(_) => "number or Object".to_owned(),
            Self::Duration | Self::ProtoDuration => "Duration".to_owned(),
            Self::Seconds => "number or Duration".to_owned(),
            Self::Quantity | Self::Amount => "Quantity".to_owned(),
            Self::Time => "Time or Duration".to_owned(),
            Self::Date => "Time".to_owned(),
            Self::Pattern => "Pattern".to_owned(),
            Self::List { item, .. } | Self::Pair(item) => format!("[]{}", item.type_name()),
            Self::Map(value) => format!("map[string]{}", value.type_name()),
            Self::Object(_) => "Object".to_owned(),
            Self::Anything => "any".to_owned(),
        }
    }
}
