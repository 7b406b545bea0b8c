//! A resource as a document: the server's own fields in their order, under `apiVersion` and `kind`; or
//! a policy converted to the form of `--api`.

use crate::cli::{Exit, Refusal};
use crate::commands::resource_args::ResourceKind;
use crate::report::{Resource, TooDeep};
use crate::ui::Ui;
use anyhow::Result;
use armada_retry::policy::convert::{Treatment, convert};
use armada_retry::policy::{self, Form, wire};
use client::Fields;
use document::diag::printable;

/// The resource as a document: as the server holds it, or a policy converted to the form `api`, with a
/// warning for each loss.
pub(super) fn document(
    ui: &mut Ui,
    kind: ResourceKind,
    fields: &Fields,
    api: Option<Form>,
) -> Result<Resource> {
    match api.filter(|_| kind == ResourceKind::Policy) {
        Some(form) => convert_policy(ui, fields, form),
        None => Ok(document_of(kind, fields)?),
    }
}

/// A policy in a form, whatever the server's is.
fn convert_policy(ui: &mut Ui, fields: &Fields, form: Form) -> Result<Resource> {
    let unreadable = |why: &str| {
        let message = format!("the server's document is not a policy: {}", printable(why));
        let help = "leave `--api` out to print it unchanged";
        Refusal { exit: Exit::Server, ..Refusal::usage(message) }.help(help)
    };
    let value = fields.to_value().map_err(|error| unreadable(&error.to_string()))?;
    let policy = wire::from_wire(&value).map_err(|error| unreadable(&error))?;
    let conversion = convert(&policy, form);
    for difference in &conversion.differences {
        let rule = difference.rule.map(|rule| format!("rule {rule}, ")).unwrap_or_default();
        let what = difference.message(Treatment::Written);
        ui.note(&format!("warning: policy `{}`, {rule}{what}", policy.name))?;
    }
    Ok(Resource::of(&policy::to_value(&conversion.policy)).map_err(|error| print_error(&error))?)
}

/// The resource as the server holds it: a policy with fields that only the full form has as an
/// `armadaproject.io/v1` document, any other as it is on the wire.
fn document_of(kind: ResourceKind, fields: &Fields) -> Result<Resource, Refusal> {
    let full = kind == ResourceKind::Policy && is_full(fields);
    let Resource::Object(mut fields) = parse(fields)? else { return Err(print_error(&TooDeep)) };
    fields.retain(|(key, _)| key != "apiVersion" && key != "kind");
    let version = if full { "armadaproject.io/v1" } else { "armadaproject.io/v1beta1" };
    let head = [("apiVersion", version), ("kind", kind.document_kind())];
    let head = head.map(|(key, text)| (key.to_owned(), Resource::text(text)));
    let fields = if full { v1_fields(fields) } else { fields };
    Ok(Resource::Object(head.into_iter().chain(fields).collect()))
}

/// The fields as the server sent them, if they can be printed.
pub(super) fn parse(fields: &Fields) -> Result<Resource, Refusal> {
    Resource::parse(fields.text()).map_err(|error| print_error(&error))
}

fn print_error(error: &TooDeep) -> Refusal {
    let message = format!("the server's document cannot be printed: {error}");
    Refusal { exit: Exit::Server, ..Refusal::usage(message) }
}

/// Whether a policy has fields that only the full form has.
pub(super) fn is_full(policy: &Fields) -> bool {
    policy.to_value().is_ok_and(|policy| policy.as_object().is_some_and(wire::is_full))
}

/// The fields of a policy as those of a `v1` document.
fn v1_fields(fields: Vec<(String, Resource)>) -> Vec<(String, Resource)> {
    let (name, spec): (Vec<_>, Vec<_>) = fields.into_iter().partition(|(key, _)| key == "name");
    let spec = spec.into_iter().map(|(key, value)| match value {
        Resource::List(rules) if key == "rules" => {
            (key, Resource::List(rules.into_iter().map(v1_rule).collect()))
        }
        value => (key, value),
    });
    let object = |key: &str, fields| (key.to_owned(), Resource::Object(fields));
    vec![object("metadata", name), object("spec", spec.collect())]
}

/// A rule of a `v1` document: one category is a list of one there.
fn v1_rule(v1_rule: Resource) -> Resource {
    let Resource::Object(fields) = v1_rule else { return v1_rule };
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
        let document =
            document_of(ResourceKind::Policy, &Fields::parse(text).unwrap()).unwrap().json(0);
        document.split_whitespace().collect()
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
