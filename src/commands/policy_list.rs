//! The list of policies of a queue: attach and detach.

use super::queue_change::QueueChange;
use client::{ClientError, ClientErrorKind, Fields};
use serde_json::Value;
use std::sync::Arc;

/// The position of attached policies in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// After the others, unless they are in the list already.
    Last,
    /// Before the others, in their own order.
    First,
    /// In place of the others.
    Only,
}

/// A change of the list.
#[derive(Debug, Clone)]
pub(super) struct PolicyList {
    policies: Arc<[String]>,
    operation: ListOperation,
}

#[derive(Debug, Clone, Copy)]
enum ListOperation {
    Attach(Position),
    Detach,
}

impl PolicyList {
    /// Attaches policies.
    pub fn attach(policies: Vec<String>, position: Position) -> Self {
        Self::new(policies, ListOperation::Attach(position))
    }

    /// Detaches policies.
    pub fn detach(policies: Vec<String>) -> Self {
        Self::new(policies, ListOperation::Detach)
    }

    fn new(policies: Vec<String>, operation: ListOperation) -> Self {
        Self { policies: policies.into(), operation }
    }

    /// The list after the change.
    fn apply_to(&self, list: &[String]) -> Vec<String> {
        let others = list.iter().filter(|name| !self.policies.contains(name)).cloned();
        let own = self.policies.iter();
        match self.operation {
            ListOperation::Detach => others.collect(),
            ListOperation::Attach(Position::Only) => own.cloned().collect(),
            ListOperation::Attach(Position::First) => own.cloned().chain(others).collect(),
            ListOperation::Attach(Position::Last) => {
                let new = own.filter(|name| !list.contains(name));
                list.iter().chain(new).cloned().collect()
            }
        }
    }
}

impl QueueChange for PolicyList {
    const FIELD: &'static str = "retryPolicies";

    fn apply(&self, queue: &mut Fields) -> Result<(), ClientError> {
        let before = read_list(queue).ok_or_else(|| {
            let message = "`retryPolicies` of a queue on the server is not a list of names";
            ClientError::new(ClientErrorKind::Server, message)
        })?;
        let after = self.apply_to(&before);
        if after.is_empty() && !before.is_empty() {
            // Armada has no empty lists.
            queue.remove(Self::FIELD);
        } else if after != before {
            queue.set(Self::FIELD, &Value::from(after));
        }
        Ok(())
    }

    fn list(&self, queue: &Fields) -> Option<Vec<String>> {
        Some(attached_policies(queue))
    }
}

/// The policies of a queue; `None` if the field is not a list of names.
pub(super) fn read_list(queue: &Fields) -> Option<Vec<String>> {
    queue.value(PolicyList::FIELD).map_or_else(|| Some(Vec::new()), |value| names_of(&value))
}

/// The policies of a queue.
pub(super) fn attached_policies(queue: &Fields) -> Vec<String> {
    queue.value(PolicyList::FIELD).and_then(|value| names_of(&value)).unwrap_or_default()
}

fn names_of(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Null => Some(Vec::new()),
        Value::Array(items) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn policies_come_and_go_in_order() {
        let attach = |policies, position| PolicyList::attach(names(policies), position);
        for (change, before, after) in [
            (attach("c b", Position::Last), "a b", "a b c"),
            (attach("c b", Position::First), "a b", "c b a"),
            (attach("c b", Position::Only), "a b", "c b"),
            (attach("a", Position::First), "a b", "a b"),
            (PolicyList::detach(names("a x")), "a b", "b"),
        ] {
            assert_eq!(change.apply_to(&names(before)), names(after), "{change:?}");
        }
    }

    #[test]
    fn an_empty_list_is_no_list() {
        let mut queue = Fields::parse(r#"{"name":"q", "retryPolicies":["a"], "x":1e400}"#).unwrap();
        PolicyList::detach(names("a")).apply(&mut queue).unwrap();
        assert_eq!(queue.text(), r#"{"name":"q", "x":1e400}"#);
        let mut none = Fields::parse(r#"{"name":"q","retryPolicies":[]}"#).unwrap();
        PolicyList::detach(names("a")).apply(&mut none).unwrap();
        assert_eq!(none.text(), r#"{"name":"q","retryPolicies":[]}"#, "what is so stays so");
        let mut nonsense = Fields::parse(r#"{"retryPolicies":"a"}"#).unwrap();
        assert!(PolicyList::detach(names("a")).apply(&mut nonsense).is_err());
    }
}
