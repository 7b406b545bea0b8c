//! How a resource is shown: the server's own fields in their order, under `apiVersion` and `kind`.

use crate::cli::{Exit, Refusal};
use crate::client::Fields;
use crate::commands::target::Kind;
use crate::report::{Resource, TooDeep};
use crate::server::wire::{FULL_POLICY, FULL_RULE, Field, POLICY, RULE};

/// The resource as a document. The one place that says which form a policy is shown in: one with
/// fields that only the full form has as `armadaproject.io/v1`, any other as it is on the wire.
pub(super) fn shown(kind: Kind, fields: &Fields) -> Result<Resource, Refusal> {
    let Resource::Object(mut fields) = parsed(fields)? else { return Err(nonsense(&TooDeep)) };
    fields.retain(|(key, _)| key != "apiVersion" && key != "kind");
    let full = kind == Kind::Policy && is_full(&fields);
    let version = if full { "armadaproject.io/v1" } else { "armadaproject.io/v1beta1" };
    let head = [("apiVersion", version), ("kind", kind.kind())];
    let head = head.map(|(key, text)| (key.to_owned(), Resource::text(text)));
    let fields = if full { nested(fields) } else { fields };
    Ok(Resource::Object(head.into_iter().chain(fields).collect()))
}

/// The fields as they came, if they can be shown.
pub(super) fn parsed(fields: &Fields) -> Result<Resource, Refusal> {
    Resource::parse(fields.text()).map_err(|error| nonsense(&error))
}

fn nonsense(error: &TooDeep) -> Refusal {
    let message = format!("what the server holds cannot be shown: {error}");
    Refusal { exit: Exit::Server, ..Refusal::usage(message) }
}

/// Whether a policy as it is on the wire has fields of the full form.
pub(super) fn is_full(policy: &[(String, Resource)]) -> bool {
    let more = |fields: &[(String, Resource)], full: &[Field], today: &[Field]| {
        let of = |fields: &[Field], key: &str| fields.iter().any(|field| field.name == key);
        fields.iter().any(|(key, _)| of(full, key) && !of(today, key))
    };
    let rules =
        policy.iter().filter(|(key, _)| key == "rules").flat_map(|(_, rules)| rules.items());
    more(policy, FULL_POLICY.fields, POLICY.fields)
        || rules.into_iter().any(|rule| more(rule.fields(), FULL_RULE.fields, RULE.fields))
}

/// The fields of a policy as those of a `v1` document.
fn nested(fields: Vec<(String, Resource)>) -> Vec<(String, Resource)> {
    let (name, spec): (Vec<_>, Vec<_>) = fields.into_iter().partition(|(key, _)| key == "name");
    let spec = spec.into_iter().map(|(key, value)| match value {
        Resource::List(rules) if key == "rules" => {
            (key, Resource::List(rules.into_iter().map(rule).collect()))
        }
        value => (key, value),
    });
    let object = |key: &str, fields| (key.to_owned(), Resource::Object(fields));
    vec![object("metadata", name), object("spec", spec.collect())]
}

/// A rule of a `v1` document: one category is a list of one there.
fn rule(rule: Resource) -> Resource {
    let Resource::Object(fields) = rule else { return rule };
    let fields = fields.into_iter().map(|(key, value)| match key.as_str() {
        "onCategory" => ("onFailureCategory".to_owned(), Resource::List(vec![value])),
        "onSubcategory" => ("onFailureSubcategory".to_owned(), Resource::List(vec![value])),
        _ => (key, value),
    });
    Resource::Object(fields.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(text: &str) -> String {
        let shown = shown(Kind::Policy, &Fields::parse(text).unwrap()).unwrap().json(0);
        shown.split_whitespace().collect()
    }

    #[test]
    fn a_policy_is_shown_as_it_is_held() {
        let flat = r#"{"name":"p","new":1.0,"kind":"x","rules":[{"action":"Retry","onCategory":"c","more":1}]}"#;
        assert_eq!(
            policy(flat),
            r#"{"apiVersion":"armadaproject.io/v1beta1","kind":"RetryPolicy","name":"p","new":1.0,"rules":[{"action":"Retry","onCategory":"c","more":1}]}"#
        );
    }

    #[test]
    fn a_policy_of_the_full_form_is_a_v1_document() {
        let full = r#"{"retryLimit":3,"name":"p","new":{},"rules":[{"action":"Retry","onCategory":"c","retryLimit":0},{}]}"#;
        assert_eq!(
            policy(full),
            r#"{"apiVersion":"armadaproject.io/v1","kind":"RetryPolicy","metadata":{"name":"p"},"spec":{"retryLimit":3,"new":{},"rules":[{"action":"Retry","onFailureCategory":["c"],"retryLimit":0},{}]}}"#
        );
        assert!(policy(r#"{"name":"p","backoff":{}}"#).contains(r#""spec":{"backoff":{}}"#));
    }
}
