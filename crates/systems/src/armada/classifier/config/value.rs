//! The values of configuration files as Armada's loader has them before it decodes them: YAML as `yaml.v3` resolves it,
//! keys in lower case as `viper` makes them, several files merged.

use document::diag::{Code, Diagnostic, Findings, Place};
use document::{self, Document, Node, NodeKind, Scalar, ScalarStyle, ScalarTag};
use std::collections::HashMap;

/// A value with its place.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub(super) place: Place,
    pub(super) kind: ValueKind,
}

/// The kinds of values.
#[derive(Debug, Clone)]
pub(super) enum ValueKind {
    Null,
    Boolean(bool),
    Integer(i128),
    Float(f64),
    Text(String),
    /// A time, such as `2026-01-05`, which no field accepts.
    Time,
    List(Vec<Value>),
    Map(Vec<Entry>),
}

/// An entry of a mapping.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// The key in lower case.
    pub(super) key: String,
    /// The key as it is written.
    pub(super) written: String,
    /// The place of the key.
    pub(super) place: Place,
    pub(super) value: Value,
}

impl Value {
    /// The value of a document. Duplicate keys are errors, as in `yaml.v3`.
    pub(super) fn from_document(document: &Document, findings: &mut Findings) -> Self {
        Self::from_node(document, &document.root, findings)
    }

    fn from_node(document: &Document, node: &Node, findings: &mut Findings) -> Self {
        let kind = match &node.kind {
            NodeKind::Scalar(scalar) => resolve(scalar),
            NodeKind::List(items) => ValueKind::List(
                items.iter().map(|item| Self::from_node(document, item, findings)).collect(),
            ),
            NodeKind::Map(entries) => ValueKind::Map(Self::entries_of(document, entries, findings)),
        };
        Self { place: document.place(node.span), kind }
    }

    /// The entries of a mapping, without those whose key is equal to one before.
    fn entries_of(
        document: &Document,
        entries: &[document::Entry],
        findings: &mut Findings,
    ) -> Vec<Entry> {
        let mut seen: HashMap<&str, Place> = HashMap::new();
        let mut folded: HashMap<String, Place> = HashMap::new();
        let mut list = Vec::new();
        for entry in entries {
            let place = document.place(entry.key_span);
            let mut report = |message: String, first: &Place, help: &str| {
                let finding = Diagnostic::error(Code::DuplicateKey, place.clone(), message);
                findings.push(finding.also(first.clone(), "first").help(help));
            };
            if let Some(first) = seen.get(entry.key.as_str()) {
                let help = "remove one of them: the executor does not start with both";
                report(format!("duplicate key `{}`", entry.key), first, help);
                continue;
            }
            seen.insert(&entry.key, place.clone());
            // viper folds keys to lower case.
            let key = entry.key.to_lowercase();
            if let Some(first) = folded.get(&key) {
                let help = "remove one of them: keys are compared without case, and the executor uses \
                            either at random";
                report(format!("`{}` is another case of a key before", entry.key), first, help);
                continue;
            }
            folded.insert(key.clone(), place.clone());
            let value = Self::from_node(document, &entry.value, findings);
            list.push(Entry { key, written: entry.key.clone(), place, value });
        }
        list
    }

    /// The entry of a key in lower case.
    pub(super) fn entry(&self, key: &str) -> Option<&Entry> {
        match &self.kind {
            ValueKind::Map(entries) => entries.iter().find(|entry| entry.key == key),
            _ => None,
        }
    }

    /// The value at a path of keys in lower case.
    pub(super) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |value, key| Some(&value.entry(key)?.value))
    }

    /// Lays a later file over this one (`mergeMaps` of viper): mappings merge, every other value is replaced, and
    /// nothing but a mapping replaces a mapping. `lists` takes each list that was replaced, and its successor.
    pub(super) fn merge(&mut self, later: Self, lists: &mut Vec<(Place, Place)>) {
        let (ValueKind::Map(entries), ValueKind::Map(more)) = (&mut self.kind, later.kind) else {
            return;
        };
        let known = entries.iter().enumerate().map(|(position, entry)| (&*entry.key, position));
        let known: HashMap<&str, usize> = known.collect();
        let positions = more.iter().map(|entry| known.get(&*entry.key).copied());
        let positions: Vec<Option<usize>> = positions.collect();
        for (entry, position) in more.into_iter().zip(positions) {
            let Some(known) = position.map(|position| &mut entries[position]) else {
                entries.push(entry);
                continue;
            };
            if matches!(known.value.kind, ValueKind::Map(_)) {
                known.value.merge(entry.value, lists);
                continue;
            }
            if let ValueKind::List(items) = &known.value.kind
                && !items.is_empty()
            {
                lists.push((known.place.clone(), entry.place.clone()));
            }
            *known = entry;
        }
    }
}

/// The value of a scalar (`resolve.go` of `yaml.v3`): `yes` is a text, `0112` the octal number 74, `1_000` a number.
fn resolve(scalar: &Scalar) -> ValueKind {
    let text = scalar.text.as_str();
    if scalar.style != ScalarStyle::Plain || scalar.tag == ScalarTag::Text {
        return ValueKind::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => ValueKind::Null,
        "true" | "True" | "TRUE" => ValueKind::Boolean(true),
        "false" | "False" | "FALSE" => ValueKind::Boolean(false),
        ".nan" | ".NaN" | ".NAN" => ValueKind::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => ValueKind::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => ValueKind::Float(f64::NEG_INFINITY),
        _ if is_time(text) => ValueKind::Time,
        _ => number(text).unwrap_or_else(|| ValueKind::Text(text.to_owned())),
    }
}

/// Whether `yaml.v3` reads a scalar as a time: a date, or a date and the beginning of a time of day. Digits of a time
/// that are out of range make it a text, which no real configuration has.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits =
        |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if bytes.len() < 8 || digits(0) != 4 || bytes[4] != b'-' {
        return false;
    }
    let month = digits(5);
    let day_at = 6 + month;
    if !(1..=2).contains(&month) || bytes.get(5 + month) != Some(&b'-') || day_at >= bytes.len() {
        return false;
    }
    let day = digits(day_at);
    (1..=2).contains(&day) && matches!(bytes.get(day_at + day), None | Some(b'T' | b't' | b' '))
}

fn number(text: &str) -> Option<ValueKind> {
    let first = text.bytes().next()?;
    if !(first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.')) {
        return None;
    }
    let plain = text.replace('_', "");
    if first != b'.'
        && let Some(whole) = go_integer(&plain)
    {
        // Beyond 64 bits the number is read as a float.
        return Some(if (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&whole) {
            ValueKind::Integer(whole)
        } else {
            ValueKind::Float(plain.parse().ok()?)
        });
    }
    is_float(&plain).then(|| plain.parse().ok().map(ValueKind::Float)).flatten()
}

/// A whole number as Go's `strconv.ParseInt` reads it with base 0, without underscores: `0x4a`, `0b11`, `0o112`, `0112`.
pub(super) fn go_integer(text: &str) -> Option<i128> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let lower = unsigned.to_ascii_lowercase();
    let (digits, radix) = match lower.as_bytes() {
        [b'0', b'x', ..] => (&lower[2..], 16),
        [b'0', b'b', ..] => (&lower[2..], 2),
        [b'0', b'o', ..] => (&lower[2..], 8),
        [b'0', _, ..] => (&lower[1..], 8),
        _ => (&lower[..], 10),
    };
    // `from_str_radix` accepts a sign, which Go does not accept here.
    if digits.is_empty() || digits.starts_with(['+', '-']) {
        return None;
    }
    let value = i128::from_str_radix(digits, radix).ok()?;
    Some(if text.starts_with('-') { -value } else { value })
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
fn is_float(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_exponent = |text: &str| is_digits(text.strip_prefix(['+', '-']).unwrap_or(text));
    let is_mantissa = match mantissa.split_once('.') {
        Some(("", fraction)) => is_digits(fraction),
        Some((whole, fraction)) => is_digits(whole) && (fraction.is_empty() || is_digits(fraction)),
        None => is_digits(mantissa),
    };
    is_mantissa && exponent.is_none_or(is_exponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::diag::Source;
    use document::{Limits, parse};

    fn resolved(text: &str) -> String {
        let (documents, _) = parse(&Source::new("c.yaml", format!("a: {text}\n")), Limits::POLICY);
        let mut findings = Findings::new();
        let value = Value::from_document(&documents[0], &mut findings);
        format!("{:?}", value.at(&["a"]).unwrap().kind)
    }

    #[test]
    fn scalars_resolve_as_in_go() {
        for (text, expected) in [
            ("yes", "Text(\"yes\")"),
            ("0112", "Integer(74)"),
            ("0o112", "Integer(74)"),
            ("0x4a", "Integer(74)"),
            ("-0b11", "Integer(-3)"),
            ("1_000", "Integer(1000)"),
            ("089", "Float(89.0)"),
            ("1.50", "Float(1.5)"),
            (".5e3", "Float(500.0)"),
            ("1e", "Text(\"1e\")"),
            ("2026-01-05", "Time"),
            ("2026-01-05x", "Text(\"2026-01-05x\")"),
            ("\"74\"", "Text(\"74\")"),
            ("~", "Null"),
            ("18446744073709551616", "Float(1.8446744073709552e19)"),
        ] {
            assert_eq!(resolved(text), expected, "{text}");
        }
    }
}
