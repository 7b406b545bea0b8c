//! JSON Schema (draft 2020-12) of a shape, for editors and other validators.

use super::value::DURATION_PARTS;
use super::{Constraint, Extra, Field, Kind, Need, Shape};
use serde_json::{Map, Value, json};

/// The schema of a document of this shape.
///
/// It expresses what a shape expresses. Only `validate` checks rules about more than one value (two documents
/// with one name, a pattern's dialect, a delay above its maximum).
pub fn json_schema(shape: &Shape, title: &str) -> Value {
    let mut schema = object(shape);
    if let Value::Object(map) = &mut schema {
        map.insert("title".to_owned(), json!(title));
        map.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    }
    schema
}

fn object(shape: &Shape) -> Value {
    let mut map = Map::new();
    map.insert("type".to_owned(), json!("object"));
    map.insert("description".to_owned(), json!(shape.doc));
    let properties: Map<String, Value> =
        shape.fields.iter().map(|field| (field.name.to_owned(), property(field))).collect();
    map.insert("properties".to_owned(), Value::Object(properties));
    let required: Vec<&str> = shape
        .fields
        .iter()
        .filter(|field| field.need == Need::Required)
        .map(|field| field.name)
        .collect();
    if !required.is_empty() {
        map.insert("required".to_owned(), json!(required));
    }
    if shape.extra == Extra::Refused {
        map.insert("additionalProperties".to_owned(), json!(false));
    }
    let constraints: Vec<Value> = shape.constraints.iter().map(constraint).collect();
    if !constraints.is_empty() {
        map.insert("allOf".to_owned(), json!(constraints));
    }
    Value::Object(map)
}

/// The schema of a field. A null counts as absent, so an optional field accepts it.
fn property(field: &Field) -> Value {
    let described = |mut schema: Value| {
        if let Value::Object(map) = &mut schema {
            map.insert("description".to_owned(), json!(field.doc));
        }
        schema
    };
    match field.need {
        Need::Required => described(kind_schema(&field.kind)),
        Need::Optional if matches!(field.kind, Kind::Anything) => described(json!({})),
        Need::Optional => described(json!({"anyOf": [kind_schema(&field.kind), {"type": "null"}]})),
    }
}

fn kind_schema(kind: &Kind) -> Value {
    match kind {
        Kind::Text => json!({"type": "string"}),
        Kind::SomeText | Kind::Pattern => json!({"type": "string", "minLength": 1}),
        Kind::Name => {
            json!({"type": "string", "maxLength": 63, "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"})
        }
        Kind::Exactly(text) => json!({"const": text}),
        Kind::OneOf(choices) => {
            let values: Vec<&str> = choices.values.iter().map(|choice| choice.value).collect();
            json!({"enum": values})
        }
        Kind::Boolean => json!({"type": "boolean"}),
        Kind::Whole { min, max, .. } => {
            // Whole numbers of JSON have 64 bits here.
            let bound = |value: i128| i64::try_from(value).unwrap_or(i64::MAX);
            json!({"type": "integer", "minimum": bound(*min), "maximum": bound(*max)})
        }
        Kind::Number { min, above: true, .. } => json!({"type": "number", "exclusiveMinimum": min}),
        Kind::Number { min, .. } => json!({"type": "number", "minimum": min}),
        Kind::Finite => json!({"type": "number"}),
        Kind::Share => share(),
        Kind::ShareOr(shape) => json!({"anyOf": [share(), object(shape)]}),
        Kind::Duration => json!({"type": "string", "pattern": DURATION}),
        Kind::Quantity => json!({"anyOf": [
            {"type": "string", "pattern": QUANTITY},
            {"type": "number", "exclusiveMinimum": 0},
        ]}),
        Kind::Seconds => json!({"anyOf": [
            {"type": "number", "minimum": 0},
            {"type": "string", "pattern": DURATION},
        ]}),
        Kind::ProtoDuration => json!({"anyOf": [
            {"type": "string", "pattern": DURATION},
            object(&DURATION_PARTS),
        ]}),
        Kind::Amount => json!({"anyOf": [
            {"type": "string", "pattern": AMOUNT},
            {"type": "number", "minimum": 0},
        ]}),
        Kind::Rate => json!({"anyOf": [
            {"type": "number", "minimum": 0},
            {"enum": ["inf", "+inf", "Inf", "+Inf"]},
        ]}),
        Kind::Time => {
            json!({"type": "string", "anyOf": [{"pattern": DATE}, {"pattern": DURATION_SIGNED}, {"const": ""}]})
        }
        Kind::Date => json!({"type": "string", "pattern": DATE}),
        Kind::List { item, min } => {
            json!({"type": "array", "items": kind_schema(item), "minItems": min})
        }
        Kind::Pair(item) => {
            json!({"type": "array", "items": kind_schema(item), "minItems": 2, "maxItems": 2})
        }
        Kind::Map(value) if !value.may_be_null() => {
            json!({"type": "object", "additionalProperties": kind_schema(value)})
        }
        Kind::Map(value) => {
            // A key without a value is null in YAML.
            json!({"type": "object", "additionalProperties": {"anyOf": [kind_schema(value), {"type": "null"}]}})
        }
        Kind::Object(shape) => object(shape),
        Kind::Anything => json!({}),
    }
}

fn share() -> Value {
    json!({"type": "number", "minimum": 0, "maximum": 1})
}

const DURATION: &str = r"^\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$";
const DURATION_SIGNED: &str = r"^[+-]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$";
const QUANTITY: &str = r"^\+?(?=[0-9.]*[1-9])([0-9]+(\.[0-9]*)?|\.[0-9]+)(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?[0-9]+)?$";
const AMOUNT: &str =
    r"^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?[0-9]+)?$";
const DATE: &str = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}(:[0-9]{2})?)$";

fn constraint(constraint: &Constraint) -> Value {
    // A null counts as absent, so a present field must also be "not null".
    let present = |field: &&str| json!({"required": [field], "properties": {*field: {"not": {"type": "null"}}}});
    match constraint {
        Constraint::AtLeastOne { fields, .. } => {
            json!({"anyOf": fields.iter().map(present).collect::<Vec<_>>()})
        }
        Constraint::ExactlyOne { fields, .. } => {
            json!({"oneOf": fields.iter().map(present).collect::<Vec<_>>()})
        }
        Constraint::Needs { field, needs, .. } => {
            json!({"anyOf": [{"not": present(field)}, present(needs)]})
        }
    }
}
