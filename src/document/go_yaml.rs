//! Values that Go's YAML reader takes for something else than they are here.
//!
//! `sigs.k8s.io/yaml`, with which kubectl and Armada's command line read files, follows YAML 1.1:
//! there `yes` is a boolean and `010` the number 8, and both are refused where a text belongs. It
//! also makes `3.0` and `1e1` whole numbers on the way to JSON. Documents that those programs read
//! too are held against this beside the usual check.

use super::{Kind, Node, NodeKind, Resolved, Scalar, ScalarStyle, Shape};
use crate::diag::{Code, Diagnostic, Findings, Place, Source, Span};
use std::sync::Arc;

/// Reports texts in `node` that Go's reader takes for booleans or numbers, and numbers where it
/// needs a text.
pub fn check_for_go(
    source: &Arc<Source>,
    node: &Node,
    shape: &'static Shape,
    findings: &mut Findings,
) {
    for entry in node.entries() {
        let field = shape.fields.iter().find(|field| field.name.eq_ignore_ascii_case(&entry.key));
        if let Some(field) = field {
            value(source, &entry.value, &field.kind, field.name, findings);
        }
    }
}

fn value(
    source: &Arc<Source>,
    node: &Node,
    kind: &'static Kind,
    name: &str,
    findings: &mut Findings,
) {
    let place = || Place::new(source, node.span);
    match (kind, &node.kind) {
        (Kind::Object(shape), _) => check_for_go(source, node, shape, findings),
        (Kind::List { item, .. }, NodeKind::List(items)) => {
            for (index, node) in items.iter().enumerate() {
                value(source, node, item, &format!("{name}[{index}]"), findings);
            }
        }
        (Kind::Map(inner), NodeKind::Map(entries)) => {
            for entry in entries {
                value(source, &entry.value, inner, &entry.key, findings);
            }
        }
        (Kind::Text | Kind::SomeText | Kind::Name, NodeKind::Scalar(scalar)) => {
            if let Some(other) = other_type(scalar) {
                let text = &scalar.text;
                let message = format!("`{name}`: Go reads `{text}` as {other}, not as a text");
                findings.push(
                    Diagnostic::error(Code::WrongType, place(), message)
                        .help(format!("put it in quotes: \"{text}\"")),
                );
            }
        }
        (Kind::Quantity, NodeKind::Scalar(scalar)) if node.number().is_some_and(|n| n > 0.0) => {
            let text = &scalar.text;
            let message =
                format!("`{name}`: `{text}` is a number, and Armada's command line takes a text");
            findings.push(
                Diagnostic::warning(Code::WrongType, place(), message)
                    .help(format!("put it in quotes: \"{text}\"")),
            );
        }
        _ => {}
    }
}

/// What a text without quotes is in YAML 1.1, if it is no text there.
fn other_type(scalar: &Scalar) -> Option<&'static str> {
    let Resolved::Text(text) = scalar.resolve() else { return None };
    if scalar.style != ScalarStyle::Plain || scalar.forced_text {
        return None;
    }
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some("the boolean `true`"),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some("the boolean `false`"),
        _ => is_number(text).then_some("a number"),
    }
}

/// Whether YAML 1.1 has a number of this text: underscores are passed over, `0` begins an octal
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
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    !whole.is_empty()
        && all_digits(whole)
        && all_digits(fraction)
        && exponent.is_none_or(|digits| !digits.is_empty() && all_digits(digits))
}

/// Makes whole numbers of those that are written with a fraction of zero or with an exponent, as
/// Go's reader does on the way to JSON. Each gets a warning.
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
            Some(Kind::Whole { .. }) => settle(source, &mut entry.value, &entry.key, findings),
            _ => {}
        }
    }
}

fn settle(source: &Arc<Source>, node: &mut Node, name: &str, findings: &mut Findings) {
    let span: Span = node.span;
    let NodeKind::Scalar(scalar) = &mut node.kind else { return };
    let Resolved::Float(number) = scalar.resolve() else { return };
    // Beyond 2^53 a float no longer holds every whole number.
    if number.fract() != 0.0 || number.abs() > 9_007_199_254_740_992.0 {
        return;
    }
    let whole = format!("{number:.0}");
    let message = format!("`{name}`: `{}` is an odd spelling of `{whole}`", scalar.text);
    findings.push(
        Diagnostic::warning(Code::OddSpelling, Place::new(source, span), message)
            .help(format!("write `{whole}`; Armada takes both")),
    );
    scalar.text = whole;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Scalar {
        Scalar { text: text.to_owned(), style: ScalarStyle::Plain, forced_text: false }
    }

    #[test]
    fn texts_that_go_takes_for_something_else_are_known() {
        for text in ["y", "YES", "on", "Off", "n"] {
            assert!(
                other_type(&plain(text)).is_some_and(|other| other.contains("boolean")),
                "{text}"
            );
        }
        for text in ["010", "08", "1_000", "-0b11", "+0_7", "0X1F", "1_0.5", "1_0e+2"] {
            assert_eq!(other_type(&plain(text)), Some("a number"), "{text}");
        }
        for text in
            ["yEs", "x", "0b", "0x", "0b12", "1_000x", "2026-01-01", "1.2.3", "-", "_1", "1e"]
        {
            assert_eq!(other_type(&plain(text)), None, "{text}");
        }
        let quoted = Scalar { style: ScalarStyle::Double, ..plain("yes") };
        assert_eq!(other_type(&quoted), None);
    }
}
