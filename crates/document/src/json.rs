//! The values of a checked node as JSON text.

use super::{Field, Kind, Node, NodeKind, Resolved, Shape};
use std::fmt::Write;

/// The fields of a node that `select` picks, as one JSON object without unknown keys and without null. The
/// node has been checked against the shape; a value that the check refuses becomes null or a text.
pub fn json_of(node: &Node, shape: &Shape, select: impl Fn(&Field) -> bool) -> String {
    let mut text = String::new();
    object(node, shape, &select, &mut text);
    text
}

/// A whole node as JSON text. A number that is not finite becomes null.
pub fn json_of_any(node: &Node) -> String {
    let mut text = String::new();
    any(node, &mut text);
    text
}

fn any(node: &Node, out: &mut String) {
    match &node.kind {
        NodeKind::Scalar(_) => value(node, &Kind::Anything, out),
        NodeKind::List(items) => {
            out.push('[');
            for (number, item) in items.iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                any(item, out);
            }
            out.push(']');
        }
        NodeKind::Map(entries) => {
            out.push('{');
            for (number, entry) in entries.iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                string(&entry.key, out);
                out.push(':');
                any(&entry.value, out);
            }
            out.push('}');
        }
    }
}

fn object(node: &Node, shape: &Shape, select: &dyn Fn(&Field) -> bool, out: &mut String) {
    out.push('{');
    let fields = node.entries().iter().filter(|entry| !entry.value.is_null());
    let fields = fields.filter_map(|entry| Some((entry, shape.field(&entry.key)?)));
    let fields = fields.filter(|(_, field)| select(field));
    for (number, (entry, field)) in fields.enumerate() {
        if number > 0 {
            out.push(',');
        }
        string(&entry.key, out);
        out.push(':');
        value(&entry.value, &field.kind, out);
    }
    out.push('}');
}

fn value(node: &Node, kind: &Kind, out: &mut String) {
    match (kind, &node.kind) {
        (Kind::Object(shape), _) => object(node, shape, &|_| true, out),
        (Kind::List { item, .. }, _) => {
            out.push('[');
            for (number, node) in node.items().iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                value(node, item, out);
            }
            out.push(']');
        }
        (Kind::Map(kind), _) => map(node, kind, out),
        // Documents also have quantities as numbers; their source text is what `Quantity` parses.
        (Kind::Quantity | Kind::Amount, NodeKind::Scalar(scalar)) => string(&scalar.text, out),
        (_, NodeKind::Scalar(scalar)) => match scalar.resolve() {
            Resolved::Boolean(value) => out.push_str(if value { "true" } else { "false" }),
            Resolved::Integer(value) => _ = write!(out, "{value}"),
            // The shortest decimal that reads as the same number.
            Resolved::Float(value) if value.is_finite() => _ = write!(out, "{value:?}"),
            Resolved::Null | Resolved::Float(_) => out.push_str("null"),
            Resolved::Text(text) => string(text, out),
        },
        (Kind::Anything, _) => any(node, out),
        _ => out.push_str("null"),
    }
}

fn map(node: &Node, kind: &Kind, out: &mut String) {
    out.push('{');
    let entries = node.entries().iter().filter(|entry| !entry.value.is_null());
    for (number, entry) in entries.enumerate() {
        if number > 0 {
            out.push(',');
        }
        string(&entry.key, out);
        out.push(':');
        value(&entry.value, kind, out);
    }
    out.push('}');
}

fn string(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}
