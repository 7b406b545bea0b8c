//! Decodes values as mapstructure does with weak typing, with its error texts, and collects keys that no field has.
//!
//! Null is an absent value. A boolean or a number is accepted as a text, a text as a number, one value as a list of
//! one, and a text as a list of its parts between commas.

use super::model::Text;
use super::value::{Value, ValueKind, go_integer};
use document::diag::{Code, Diagnostic, Findings, Place};
use document::units::GoDuration;
use std::borrow::Cow;

/// A key that the executor ignores, with a line in its log.
#[derive(Debug, Clone)]
pub(super) struct UnusedKey {
    /// The path of its mapping in Go's names, such as `Application.ErrorCategories.Categories[0]`; empty at the top.
    pub(super) parent: String,
    /// The key in lower case.
    pub(super) key: String,
    /// The key as it is written.
    pub(super) written: String,
    pub(super) place: Place,
}

/// Decodes one configuration.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    pub(super) findings: Findings,
    pub(super) unused: Vec<UnusedKey>,
    /// The first error, in Go's words.
    pub(super) first_error: Option<String>,
}

/// A value that may be absent, and its path in Go's names.
pub(super) struct Field<'v> {
    pub(super) value: Option<Cow<'v, Value>>,
    pub(super) path: String,
    /// The place to report for an absent value.
    parent: Place,
}

/// A mapping and its path.
pub(super) struct Object<'v> {
    value: Cow<'v, Value>,
    path: String,
}

impl Object<'_> {
    /// The place of the mapping.
    pub(super) fn place(&self) -> Place {
        self.value.place.clone()
    }

    /// The value of a field of this name in Go.
    pub(super) fn field(&self, name: &str) -> Field<'_> {
        let entry = self.value.entry(&name.to_lowercase());
        let value = entry.map(|entry| &entry.value);
        Field {
            value: value.filter(|value| !matches!(value.kind, ValueKind::Null)).map(Cow::Borrowed),
            path: format!("{}.{name}", self.path),
            parent: entry.map_or_else(|| self.place(), |entry| entry.place.clone()),
        }
    }
}

impl<'v> Field<'v> {
    /// The value at the root.
    pub(super) fn root(value: Option<&'v Value>, path: &str, place: Place) -> Self {
        let value = value.filter(|value| !matches!(value.kind, ValueKind::Null));
        Self { value: value.map(Cow::Borrowed), path: path.to_owned(), parent: place }
    }

    /// Its place, or that of its parent.
    pub(super) fn place(&self) -> Place {
        self.value.as_ref().map_or_else(|| self.parent.clone(), |value| value.place.clone())
    }

    /// The items of a list.
    pub(super) fn items(self) -> Vec<Self> {
        let Self { value: Some(value), path, parent } = self else { return Vec::new() };
        let items: Vec<Cow<'v, Value>> = match value {
            Cow::Borrowed(Value { kind: ValueKind::List(items), .. }) => {
                items.iter().map(Cow::Borrowed).collect()
            }
            Cow::Owned(Value { kind: ValueKind::List(items), .. }) => {
                items.into_iter().map(Cow::Owned).collect()
            }
            value => match &value.kind {
                // Hooks of viper's decoder: an empty map or text is an empty list, and a text is split at commas.
                ValueKind::Map(entries) if entries.is_empty() => Vec::new(),
                ValueKind::Text(text) if text.is_empty() => Vec::new(),
                ValueKind::Text(text) => {
                    let part = |part: &str| Value {
                        place: value.place.clone(),
                        kind: ValueKind::Text(part.to_owned()),
                    };
                    text.split(',').map(part).map(Cow::Owned).collect()
                }
                _ => vec![value],
            },
        };
        let items = items.into_iter().enumerate().map(|(number, value)| {
            let parent = if matches!(value.kind, ValueKind::Null) {
                value.place.clone()
            } else {
                parent.clone()
            };
            let value = (!matches!(value.kind, ValueKind::Null)).then_some(value);
            Self { value, path: format!("{path}[{number}]"), parent }
        });
        items.collect()
    }
}

impl Decoder {
    fn error(&mut self, field: &Field<'_>, message: &str) {
        let message = format!("'{}' {message}", field.path);
        let finding = Diagnostic::error(Code::WrongType, field.place(), &message)
            .help("the executor does not start with this value");
        self.findings.push(finding);
        self.first_error.get_or_insert(message);
    }

    fn unconvertible(&mut self, field: &Field<'_>, expected: &str, kind: &ValueKind) {
        let message =
            format!("expected type '{expected}', got unconvertible type '{}'", go_type(kind));
        self.error(field, &message);
    }

    /// A mapping with these fields, named as in Go. `None` if it is absent.
    pub(super) fn object<'v>(&mut self, field: Field<'v>, names: &[&str]) -> Option<Object<'v>> {
        let ValueKind::Map(entries) = &field.value.as_deref()?.kind else {
            let kind = go_kind(&field.value.as_deref()?.kind);
            self.error(&field, &format!("expected a map or struct, got {kind:?}"));
            return None;
        };
        for entry in entries {
            // Keys of Go's structs are compared without case.
            if !names.iter().any(|name| name.eq_ignore_ascii_case(&entry.key)) {
                self.unused.push(UnusedKey::new(&field.path, entry));
            }
        }
        Some(Object { value: field.value?, path: field.path })
    }

    /// A text. Another scalar that becomes one gets a warning.
    pub(super) fn text(&mut self, field: &Field<'_>) -> Text {
        let place = field.place();
        let Some(value) = &field.value else { return Text { text: String::new(), place } };
        let text = match &value.kind {
            ValueKind::Text(text) => text.clone(),
            ValueKind::Boolean(value) => u8::from(*value).to_string(),
            ValueKind::Integer(value) => value.to_string(),
            ValueKind::Float(value) => value.to_string(),
            kind => {
                self.unconvertible(field, "string", kind);
                String::new()
            }
        };
        if matches!(value.kind, ValueKind::Boolean(_) | ValueKind::Float(_)) {
            let message = format!("the executor reads this value as the text \"{text}\"");
            let warning = Diagnostic::warning(Code::OddSpelling, place.clone(), message);
            self.findings.push(warning.help("put the value in quotes"));
        }
        Text { text, place }
    }

    /// A boolean; absent is false.
    pub(super) fn boolean(&mut self, field: &Field<'_>) -> bool {
        let Some(value) = &field.value else { return false };
        match &value.kind {
            ValueKind::Boolean(value) => *value,
            ValueKind::Integer(value) => *value != 0,
            ValueKind::Float(value) => *value != 0.0,
            // The texts of Go's `strconv.ParseBool`; an empty one is false to mapstructure.
            ValueKind::Text(text) => match text.as_str() {
                "1" | "t" | "T" | "true" | "TRUE" | "True" => true,
                "" | "0" | "f" | "F" | "false" | "FALSE" | "False" => false,
                _ => {
                    let message = "cannot parse value as 'bool': strconv.ParseBool: invalid syntax";
                    self.error(field, message);
                    false
                }
            },
            kind => {
                self.unconvertible(field, "bool", kind);
                false
            }
        }
    }

    /// A 32-bit number. A number beyond 32 bits wraps, and one with a fraction is cut: both with a warning.
    #[expect(clippy::cast_possible_truncation, reason = "as Go converts numbers")]
    pub(super) fn int32(&mut self, field: &Field<'_>) -> i32 {
        let Some(value) = &field.value else { return 0 };
        let place = field.place();
        let (number, is_exact) = match &value.kind {
            ValueKind::Integer(whole) => (*whole as i32, i32::try_from(*whole).is_ok()),
            ValueKind::Float(float) => {
                let cut = *float as i64;
                (cut as i32, float.fract() == 0.0 && i32::try_from(cut).is_ok())
            }
            ValueKind::Boolean(value) => (i32::from(*value), false),
            ValueKind::Text(text) if text.is_empty() => (0, false),
            ValueKind::Text(text) => {
                let whole = go_integer(text);
                let Some(whole) = whole.and_then(|whole| i32::try_from(whole).ok()) else {
                    let reason =
                        if whole.is_some() { "value out of range" } else { "invalid syntax" };
                    let message =
                        format!("cannot parse value as 'int32': strconv.ParseInt: {reason}");
                    self.error(field, &message);
                    return 0;
                };
                (whole, true)
            }
            kind => {
                self.unconvertible(field, "int32", kind);
                return 0;
            }
        };
        if !is_exact {
            let message = format!("the executor reads this value as the exit code {number}");
            let warning = Diagnostic::warning(Code::BadExitCode, place, message);
            self.findings.push(warning.help("exit codes are whole numbers from 0 to 255"));
        }
        number
    }

    /// A duration: a text such as `5m`, or a number of nanoseconds.
    pub(super) fn duration(&mut self, field: &Field<'_>) -> GoDuration {
        let Some(value) = &field.value else { return GoDuration::ZERO };
        match &value.kind {
            ValueKind::Text(text) => GoDuration::parse(text).unwrap_or_else(|_| {
                let message = format!("time: invalid duration {text:?}");
                self.error(field, &message);
                GoDuration::ZERO
            }),
            ValueKind::Integer(nanos) => {
                GoDuration::from_nanos(i64::try_from(*nanos).unwrap_or(i64::MAX))
            }
            kind => {
                self.unconvertible(field, "time.Duration", kind);
                GoDuration::ZERO
            }
        }
    }
}

fn go_kind(kind: &ValueKind) -> &'static str {
    match kind {
        ValueKind::Null => "invalid",
        ValueKind::Boolean(_) => "bool",
        ValueKind::Integer(_) => "int",
        ValueKind::Float(_) => "float64",
        ValueKind::Text(_) => "string",
        ValueKind::Time => "struct",
        ValueKind::List(_) => "slice",
        ValueKind::Map(_) => "map",
    }
}

fn go_type(kind: &ValueKind) -> &'static str {
    match kind {
        ValueKind::Time => "time.Time",
        ValueKind::List(_) => "[]interface {}",
        ValueKind::Map(_) => "map[string]interface {}",
        other => go_kind(other),
    }
}
