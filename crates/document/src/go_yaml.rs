//! Differences between this reader and Go's YAML reader.
//!
//! `sigs.k8s.io/yaml`, with which kubectl and Armada's command line read files, follows YAML 1.1:
//! there `yes` is a boolean and `010` the number 8, and both are refused in text fields. It
//! also makes `3.0` and `1e1` whole numbers on the way to JSON. Documents that those programs read
//! too get these checks in addition to those of their shape.

use super::{Kind, Node, NodeKind, Resolved, Scalar, ScalarStyle, ScalarTag, Shape};
use crate::diag::{Code, Diagnostic, Findings, Place, Source, Span};
use crate::units::Quantity;
use std::sync::Arc;

/// Reports texts in `node` that Go's reader reads as booleans or numbers, and numbers where it
/// requires a text.
pub fn check_for_go(
    source: &Arc<Source>,
    node: &Node,
    shape: &'static Shape,
    findings: &mut Findings,
) {
    for entry in node.entries() {
        let field = shape.fields.iter().find(|field| field.name.eq_ignore_ascii_case(&entry.key));
        if let Some(field) = field {
            check_value(source, &entry.value, &field.kind, field.name, findings);
        }
    }
}

fn check_value(
    source: &Arc<Source>,
    node: &Node,
    kind: &'static Kind,
    name: &str,
    findings: &mut Findings,
) {
    let place = || Place::new(source, node.span);
    match (kind, &node.kind) {
        (Kind::Object(shape), _) => check_for_go(source, node, shape, findings),
        (Kind::List { item, .. } | Kind::Pair(item), NodeKind::List(items)) => {
            for (index, node) in items.iter().enumerate() {
                check_value(source, node, item, &format!("{name}[{index}]"), findings);
            }
        }
        (Kind::Map(inner), NodeKind::Map(entries)) => {
            for entry in entries {
                check_value(source, &entry.value, inner, &entry.key, findings);
            }
        }
        (Kind::Text | Kind::SomeText | Kind::Name | Kind::Quantity, NodeKind::Scalar(scalar))
            if yaml11_type(scalar).is_some() =>
        {
            // An invalid quantity is reported by the check of the shape.
            let is_quantity = || Quantity::parse(&scalar.text).is_ok();
            if !matches!(kind, Kind::Quantity) || is_quantity() {
                findings.push(not_text_finding(place(), name, scalar));
            }
        }
        (Kind::Quantity, NodeKind::Scalar(scalar)) if node.number().is_some_and(|n| n > 0.0) => {
            let text = &scalar.text;
            let message = format!(
                "`{name}`: `{text}` is a number, but Armada's command line expects a string"
            );
            findings.push(
                Diagnostic::warning(Code::WrongType, place(), message)
                    .help(format!("put it in quotes: \"{text}\"")),
            );
        }
        _ => {}
    }
}

fn not_text_finding(place: Place, name: &str, scalar: &Scalar) -> Diagnostic {
    let (text, other) = (&scalar.text, yaml11_type(scalar).unwrap_or("another type"));
    let message = format!("`{name}`: Go reads `{text}` as {other}, not as a string");
    Diagnostic::error(Code::WrongType, place, message).help(format!("put it in quotes: \"{text}\""))
}

/// The type of a text without quotes in YAML 1.1, if it is not a text there.
pub(super) fn yaml11_type(scalar: &Scalar) -> Option<&'static str> {
    let Resolved::Text(text) = scalar.resolve() else { return None };
    if scalar.style != ScalarStyle::Plain || scalar.tag != ScalarTag::None {
        return None;
    }
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some("the boolean `true`"),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some("the boolean `false`"),
        _ => is_number(text).then_some("a number"),
    }
}

/// Whether a text is a number in YAML 1.1: underscores are ignored, `0` begins an octal
/// number, `0b` a binary one.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !unsigned.starts_with(|first: char| first.is_ascii_digit()) {
        return false;
    }
    let plain = unsigned.replace('_', "");
    let radix = match plain.get(..2) {
        Some("0x" | "0X") => 16,
        Some("0b" | "0B") => 2,
        Some("0o" | "0O") => 8,
        _ => return is_decimal(&plain),
    };
    let digits = &plain[2..];
    !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix))
}

/// `[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?`; a leading zero makes it octal or decimal, and a number
/// either way.
fn is_decimal(text: &str) -> bool {
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let exponent = exponent.map(|text| text.strip_prefix(['-', '+']).unwrap_or(text));
    let (integer_digits, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    !integer_digits.is_empty()
        && all_digits(integer_digits)
        && all_digits(fraction)
        && exponent.is_none_or(|digits| !digits.is_empty() && all_digits(digits))
}

/// Rewrites whole numbers that have a fraction of zero, an exponent, or a notation that only YAML 1.1
/// has to plain digits, as Go's reader does when it converts to JSON. Each gets a warning.
pub fn settle_whole_numbers(
    source: &Arc<Source>,
    node: &mut Node,
    shape: &'static Shape,
    findings: &mut Findings,
) {
    let NodeKind::Map(entries) = &mut node.kind else { return };
    for entry in entries {
        let field = shape.fields.iter().find(|field| field.name.eq_ignore_ascii_case(&entry.key));
        match field.map(|field| &field.kind) {
            Some(Kind::Object(shape)) => {
                settle_whole_numbers(source, &mut entry.value, shape, findings);
            }
            Some(Kind::Whole { .. }) => {
                settle_whole_number(source, &mut entry.value, &entry.key, findings);
            }
            _ => {}
        }
    }
}

fn settle_whole_number(source: &Arc<Source>, node: &mut Node, name: &str, findings: &mut Findings) {
    let span: Span = node.span;
    let NodeKind::Scalar(scalar) = &mut node.kind else { return };
    let (integer_digits, octal) = match scalar.resolve() {
        Resolved::Float(number) => (integer_digits(number), false),
        Resolved::Text(text) if yaml11_type(scalar) == Some("a number") => go_integer_digits(text),
        _ => return,
    };
    let Some(integer_digits) = integer_digits else { return };
    let message =
        format!("`{name}`: `{}` is an unusual spelling of `{integer_digits}`", scalar.text);
    let why = if octal { "; Go reads a leading zero as octal" } else { "" };
    findings.push(
        Diagnostic::warning(Code::OddSpelling, Place::new(source, span), message)
            .help(format!("write `{integer_digits}`; Armada accepts both{why}")),
    );
    scalar.text = integer_digits;
}

/// The digits of a float that is a whole number.
fn integer_digits(number: f64) -> Option<String> {
    // Above 2^53 a float cannot represent every whole number.
    let holds = number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0;
    holds.then(|| format!("{number:.0}"))
}

/// The digits of the whole number that Go reads from a number of YAML 1.1, and whether Go reads it
/// as octal.
fn go_integer_digits(text: &str) -> (Option<String>, bool) {
    let plain = text.replace('_', "");
    let digits = plain.strip_prefix(['-', '+']).unwrap_or(&plain);
    let (radix, digits) = match digits.get(..2) {
        Some("0x" | "0X") => (16, &digits[2..]),
        Some("0b" | "0B") => (2, &digits[2..]),
        Some("0o" | "0O") => (8, &digits[2..]),
        // YAML 1.1 reads a leading zero as octal.
        _ if digits.starts_with('0') => (8, digits),
        _ => (10, digits),
    };
    let sign = if plain.starts_with('-') { "-" } else { "" };
    match i64::from_str_radix(digits, radix) {
        // Digits 8 and 9 are not octal: Go reads such a number as a float.
        Err(_) => (plain.parse().ok().and_then(integer_digits), false),
        Ok(0) => (Some("0".to_owned()), false),
        // Up to 7 both readings agree.
        Ok(number) => (Some(format!("{sign}{number}")), radix == 8 && number > 7),
    }
}

/// Renames the keys of `node` and of its descendants to the spelling of `shape`, where
/// only the case differs and the mapping does not have the exact spelling too.
pub fn canonical_keys(node: &mut Node, shape: &'static Shape) {
    let NodeKind::Map(entries) = &mut node.kind else { return };
    for field in shape.fields {
        // The exact key is the one that Go takes, so that another spelling of it stays unread.
        if entries.iter().any(|entry| entry.key == field.name) {
            continue;
        }
        if let Some(entry) = entries.iter_mut().find(|e| e.key.eq_ignore_ascii_case(field.name)) {
            field.name.clone_into(&mut entry.key);
        }
    }
    for entry in entries {
        if let Some(field) = shape.field(&entry.key) {
            canonical_keys_in(&mut entry.value, &field.kind);
        }
    }
}

fn canonical_keys_in(node: &mut Node, kind: &'static Kind) {
    match (kind, &mut node.kind) {
        (Kind::Object(shape), _) => canonical_keys(node, shape),
        (Kind::List { item, .. } | Kind::Pair(item), NodeKind::List(items)) => {
            for node in items {
                canonical_keys_in(node, item);
            }
        }
        (Kind::Map(value), NodeKind::Map(entries)) => {
            for entry in entries {
                canonical_keys_in(&mut entry.value, value);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Scalar {
        Scalar { text: text.to_owned(), style: ScalarStyle::Plain, tag: ScalarTag::None }
    }

    #[test]
    fn texts_that_go_takes_for_something_else_are_known() {
        for text in ["y", "YES", "on", "Off", "n"] {
            assert!(
                yaml11_type(&plain(text)).is_some_and(|other| other.contains("boolean")),
                "{text}"
            );
        }
        for text in ["010", "08", "1_000", "-0b11", "+0_7", "0X1F", "1_0.5", "1_0e+2"] {
            assert_eq!(yaml11_type(&plain(text)), Some("a number"), "{text}");
        }
        for text in
            ["yEs", "x", "0b", "0x", "0b12", "1_000x", "2026-01-01", "1.2.3", "-", "_1", "1e"]
        {
            assert_eq!(yaml11_type(&plain(text)), None, "{text}");
        }
        let quoted = Scalar { style: ScalarStyle::Double, ..plain("yes") };
        assert_eq!(yaml11_type(&quoted), None);
    }

    #[test]
    fn whole_numbers_are_those_that_go_reads() {
        for (text, integer_digits, octal) in [
            ("03", "3", false),
            ("010", "8", true),
            ("-010", "-8", true),
            ("08", "8", false),
            ("1_0", "10", false),
            ("0b11", "3", false),
            ("0X1F", "31", false),
            ("0_17", "15", true),
            ("1_0.0", "10", false),
            ("00", "0", false),
        ] {
            assert_eq!(go_integer_digits(text), (Some(integer_digits.to_owned()), octal), "{text}");
        }
        assert_eq!(go_integer_digits("1_0.5").0, None);
    }
}
