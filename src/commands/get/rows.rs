//! Policies and queues as rows of a table.

use super::document::{is_full, parse};
use crate::cli::Refusal;
use crate::commands::lookup::name_of;
use crate::commands::resource_args::ResourceKind;
use crate::commands::resources::OWNER_VERBS;
use crate::report::{Head, head};
use client::{Client, ClientError, Fields};
use serde_json::Value;
use std::collections::HashMap;

/// The heads of the columns of a kind.
pub(super) fn heads(kind: ResourceKind, wide: bool) -> Vec<Head> {
    let wide = |title| head(title).only_if(wide);
    match kind {
        ResourceKind::Policy => {
            let titles = ["NAME", "RETRY LIMIT", "DEFAULT", "RULES"].map(head);
            titles.into_iter().chain([wide("QUEUES")]).collect()
        }
        ResourceKind::Queue => vec![
            head("NAME"),
            head("PRIORITY FACTOR").leave_out(1),
            head("CORDONED"),
            head("RETRY POLICIES"),
            wide("LABELS"),
            wide("OWNERS"),
        ],
    }
}

/// A policy; with the queues that use it in a wide table.
pub(super) fn policy(fields: &Fields, uses: Option<&Uses>) -> Result<Vec<String>, Refusal> {
    let parsed = parse(fields)?;
    let rules = parsed.fields().iter().find(|(key, _)| key == "rules");
    // An absent limit is 0 on deployed servers, and no limit in the full form.
    let absent = if is_full(fields) { "" } else { "0" };
    let name = text(fields, "name");
    let queues = uses.map(|uses| uses.get(&name).map(|queues| queues.join(", ")));
    let limit = fields.get("retryLimit").unwrap_or(absent).to_owned();
    let rules = rules.map_or(0, |(_, rules)| rules.items().len()).to_string();
    let mut row = vec![name, limit, text(fields, "defaultAction"), rules];
    row.extend(queues.map(Option::unwrap_or_default));
    Ok(row)
}

/// A queue; with labels and owners in a wide table.
pub(super) fn queue(fields: &Fields, wide: bool) -> Vec<String> {
    let cordoned = fields.value("cordoned") == Some(Value::Bool(true));
    let mut row = vec![
        text(fields, "name"),
        fields.get("priorityFactor").unwrap_or_default().to_owned(),
        if cordoned { "yes" } else { "no" }.to_owned(),
        texts(fields.value("retryPolicies").as_ref()).join(", "),
    ];
    if wide {
        row.extend([labels(fields), owners(fields)]);
    }
    row
}

fn text(fields: &Fields, key: &str) -> String {
    match fields.value(key) {
        Some(Value::String(text)) => text,
        // An action may be a number.
        Some(value) => value.to_string(),
        None => String::new(),
    }
}

fn labels(queue: &Fields) -> String {
    let Some(Value::Object(labels)) = queue.value("labels") else { return String::new() };
    let value_text =
        |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let labels: Vec<String> =
        labels.iter().map(|(key, value)| format!("{key}={}", value_text(value))).collect();
    labels.join(",")
}

/// The subjects with permissions: `User/ann`; with their verbs if they do not have all of an owner.
fn owners(queue: &Fields) -> String {
    let permissions = queue.value("permissions");
    let permissions = permissions.as_ref().and_then(Value::as_array).into_iter().flatten();
    let mut owners = Vec::new();
    for permission in permissions {
        let verbs = texts(permission.get("verbs"));
        let all = OWNER_VERBS.iter().all(|verb| verbs.iter().any(|own| own == verb));
        let verbs = if all { String::new() } else { format!(" ({})", verbs.join(" ")) };
        let subjects = permission.get("subjects").and_then(Value::as_array).into_iter().flatten();
        for subject in subjects {
            let of = |key: &str| subject.get(key).and_then(Value::as_str).unwrap_or_default();
            owners.push(format!("{}/{}{verbs}", of("kind"), of("name")));
        }
    }
    owners.join(", ")
}

/// The queues of each policy, by name.
pub(super) type Uses = HashMap<String, Vec<String>>;

/// Reads the queues of each policy.
pub(super) async fn read_uses(client: &Client) -> Result<Uses, ClientError> {
    let mut uses = Uses::new();
    let mut queues = client.queues().await?;
    while let Some(queue) = queues.next().await? {
        for policy in texts(queue.value("retryPolicies").as_ref()) {
            uses.entry(policy).or_default().extend(name_of(&queue));
        }
    }
    Ok(uses)
}

/// The texts of a list.
pub(super) fn texts(list: Option<&Value>) -> Vec<String> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_values_are_shown_by_their_meaning() {
        let fields = |text: &str| Fields::parse(text).unwrap();
        let row = |text: &str| policy(&fields(text), None).unwrap();
        assert_eq!(row(r#"{"name":"p","defaultAction":"Fail"}"#), ["p", "0", "Fail", "0"]);
        assert_eq!(row(r#"{"name":"p","rules":[{"retryLimit":1}]}"#), ["p", "", "", "1"]);
        assert_eq!(queue(&fields(r#"{"name":1}"#), true), ["1", "", "no", "", "", ""]);
    }
}
