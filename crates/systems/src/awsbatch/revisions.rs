//! Revisions of job definitions in the list that `aws batch describe-job-definitions` prints: of each name the newest that
//! is `ACTIVE` is read, as a submission without a revision uses it (API Reference, `SubmitJob`).

use armada_retry::policy::Selection;
use document::Node;
use document::diag::plural;
use std::collections::BTreeMap;

/// Selects the newest active revision of each name; definitions without a revision are all read.
pub(super) fn select(items: &[Node]) -> Selection {
    if items.is_empty() {
        return refuse("`jobDefinitions` is empty: no job definition is listed".to_owned(), LIST);
    }
    let mut by_name: BTreeMap<&str, Vec<(usize, i128)>> = BTreeMap::new();
    let mut selection = Selection::default();
    for (number, item) in items.iter().enumerate() {
        let name = item.get("jobDefinitionName").and_then(Node::text);
        match name.zip(item.get("revision").and_then(Node::integer)) {
            Some((name, revision)) => by_name.entry(name).or_default().push((number, revision)),
            // A list without revisions is not what AWS printed, and has no older ones to leave out.
            None => selection.read.push(number),
        }
    }
    // AWS runs no jobs of an inactive revision.
    let is_active = |number: usize| status(&items[number]) != Some("INACTIVE");
    for (name, revisions) in by_name {
        let active = revisions.iter().filter(|(number, _)| is_active(*number));
        let newest = active.map(|(_, revision)| *revision).max();
        let (read, skipped): (Vec<_>, Vec<_>) = revisions
            .into_iter()
            .partition(|(number, revision)| is_active(*number) && Some(*revision) == newest);
        selection.read.extend(read.iter().map(|(number, _)| *number));
        let Some((first, _)) = skipped.first() else { continue };
        let list = skipped.iter().map(|(number, revision)| {
            format!("{revision}{}", if is_active(*number) { "" } else { " (INACTIVE)" })
        });
        let list: Vec<String> = list.collect();
        let count = plural(list.len(), "revision is", "revisions are");
        let newest = newest.map_or_else(
            || "none is ACTIVE".to_owned(),
            |newest| format!("{newest} is the newest that is ACTIVE"),
        );
        let message =
            format!("{count} skipped of job definition `{name}`: {}; {newest}", list.join(", "));
        let revision = skipped.first().map_or(0, |(_, revision)| *revision);
        selection.skipped.push((*first, message, one_revision(name, revision)));
    }
    // In the order of the list, since the map is in that of the names.
    selection.read.sort_unstable();
    if selection.read.is_empty() {
        selection.refusal =
            Some(["no job definition in the list is ACTIVE".to_owned(), LIST.to_owned()]);
    }
    selection
}

/// The command that lists the definitions that can be read.
const LIST: &str = "check the name, the region and the account: `aws batch describe-job-definitions --status ACTIVE` lists \
                    those that jobs can use";

fn status(item: &Node) -> Option<&str> {
    item.get("status").and_then(Node::text)
}

fn refuse(message: String, help: &str) -> Selection {
    Selection { refusal: Some([message, help.to_owned()]), ..Selection::default() }
}

/// Returns the help with the command that prints one revision alone.
fn one_revision(name: &str, revision: i128) -> String {
    format!(
        "to read one of them, give it alone: `aws batch describe-job-definitions --job-definitions {name}:{revision} --query \
         'jobDefinitions[0]'`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::diag::Source;
    use document::{Limits, parse};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select as one_of;
    use serde_json::{Value, json};

    fn definition() -> impl Strategy<Value = Value> {
        let name = one_of(vec!["a", "b"]);
        let status = one_of(vec!["ACTIVE", "INACTIVE"]);
        (name, 1..6_u32, status).prop_map(|(name, revision, status)| {
            json!({"jobDefinitionName": name, "revision": revision, "status": status})
        })
    }

    proptest! {
        /// Each definition is read, or named in a message: one that is read has no later active revision.
        #[test]
        fn every_definition_is_read_or_named(items in vec(definition(), 0..8)) {
            let text = Value::from(items.clone()).to_string();
            let (documents, _) = parse(&Source::new("x", text), Limits::POLICY);
            let selection = select(documents[0].root.items());
            let is_active = |item: &Value| item["status"] == "ACTIVE";
            for (number, item) in items.iter().enumerate() {
                let is_older = items.iter().any(|other| {
                    is_active(other)
                        && other["jobDefinitionName"] == item["jobDefinitionName"]
                        && other["revision"].as_u64() > item["revision"].as_u64()
                });
                let is_read = selection.read.contains(&number);
                prop_assert_eq!(is_read, is_active(item) && !is_older);
                let subject = format!("job definition `{}`", item["jobDefinitionName"].as_str().unwrap());
                let is_named = selection.skipped.iter().any(|(_, message, _)| {
                    message.contains(&subject) && message.contains(&item["revision"].to_string())
                });
                prop_assert!(is_read || is_named);
            }
            prop_assert_eq!(selection.refusal.is_some(), selection.read.is_empty());
        }
    }
}
