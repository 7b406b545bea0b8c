//! The document at `/swagger.json`: OpenAPI 2.0, as Armada's gateway serves it.
//!
//! Clients detect from it the form that a server accepts: in the full form, the definition of a rule has more
//! properties.

use super::dialect::WireForm;
use super::wire::{FULL_POLICY, FULL_RULE, Kind, Message};
use serde_json::{Map, Value, json};

const DEPLOYED: &str = include_str!("swagger.json");

/// The document of a server that accepts this form.
pub(super) fn document(form: WireForm) -> Value {
    // This cannot fail: the text is a constant, and a test parses it.
    let mut document: Value = serde_json::from_str(DEPLOYED).unwrap_or_default();
    if form == WireForm::Full {
        for message in [&FULL_POLICY, &FULL_RULE] {
            define(&mut document["definitions"], message);
        }
    }
    document
}

/// Adds the definition of a message, and of the messages inside it that are not defined yet.
fn define(definitions: &mut Value, message: &'static Message) {
    let mut properties = Map::new();
    for field in message.fields {
        properties.insert(field.name.to_owned(), property(field.kind));
        if let Kind::Message(inner) = field.kind
            && definitions.get(name(inner)).is_none()
        {
            define(definitions, inner);
        }
    }
    definitions[name(message)] = json!({"type": "object", "properties": properties});
}

fn name(message: &Message) -> String {
    format!("api{}", message.go)
}

fn property(kind: Kind) -> Value {
    match kind {
        Kind::Text => json!({"type": "string"}),
        Kind::Bool => json!({"type": "boolean"}),
        Kind::Uint32 => json!({"type": "integer", "format": "int64"}),
        Kind::Int32 => json!({"type": "integer", "format": "int32"}),
        Kind::Double => json!({"type": "number", "format": "double"}),
        Kind::Action => json!({"$ref": "#/definitions/apiRetryAction"}),
        Kind::List(item) => json!({"type": "array", "items": property(*item)}),
        Kind::Map(item) => json!({"type": "object", "additionalProperties": property(*item)}),
        Kind::Message(message) => json!({"$ref": format!("#/definitions/{}", name(message))}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::ROUTES;
    use crate::wire::{POLICY, QUEUE, QUEUE_LIST, RULE};

    fn keys(value: &Value) -> Vec<&str> {
        value.as_object().unwrap().keys().map(String::as_str).collect()
    }

    #[test]
    fn it_has_every_route_and_no_other() {
        let document = document(WireForm::Deployed);
        let mut described: Vec<(String, String)> = Vec::new();
        for (path, methods) in document["paths"].as_object().unwrap() {
            for method in keys(methods) {
                described.push((method.to_uppercase(), path.clone()));
            }
        }
        described.sort();
        let calls = ROUTES.iter().filter(|(method, ..)| *method != "*");
        let mut routes: Vec<_> =
            calls.map(|(method, path, _)| ((*method).to_owned(), (*path).to_owned())).collect();
        routes.sort();
        assert_eq!(described, routes);
    }

    #[test]
    fn its_definitions_are_the_messages() {
        let deployed = document(WireForm::Deployed);
        for message in [&POLICY, &RULE, &QUEUE, &QUEUE_LIST] {
            check(&deployed, message);
        }
        let full = document(WireForm::Full);
        for message in [&FULL_POLICY, &FULL_RULE] {
            check(&full, message);
        }
    }

    /// Checks that the definition of a message has its fields, and that the types of these are defined.
    fn check(document: &Value, message: &Message) {
        let properties = &document["definitions"][name(message)]["properties"];
        assert!(properties.is_object(), "{}", message.go);
        let fields: Vec<&str> = message.fields.iter().map(|field| field.name).collect();
        assert_eq!(keys(properties), fields, "{}", message.go);
        for field in message.fields {
            assert_eq!(properties[field.name], property(field.kind), "{}", field.name);
            if let Kind::List(kind) | Kind::Map(kind) = field.kind
                && let Kind::Message(inner) = kind
            {
                check(document, inner);
            }
            if let Kind::Message(inner) = field.kind {
                check(document, inner);
            }
        }
    }

    #[test]
    fn only_the_full_form_knows_exit_codes() {
        let rule = |form| document(form)["definitions"]["apiRetryRule"]["properties"].clone();
        assert!(rule(WireForm::Deployed).get("onExitCodes").is_none());
        assert!(rule(WireForm::Full).get("onExitCodes").is_some());
    }
}
