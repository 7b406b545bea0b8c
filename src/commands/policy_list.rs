//! The policies of a queue, put there and taken away.

use super::queue_change::QueueChange;
use crate::client::{ClientError, Fields, Trouble};
use serde_json::Value;
use std::sync::Arc;

/// Where policies go among those a queue has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Among {
    /// Behind them, unless they are there already.
    Last,
    /// Before them, in their own order.
    First,
    /// In their place.
    Alone,
}

/// A change of the list.
#[derive(Debug, Clone)]
pub(super) struct PolicyList {
    policies: Arc<[String]>,
    to: To,
}

#[derive(Debug, Clone, Copy)]
enum To {
    Attach(Among),
    Detach,
}

impl PolicyList {
    /// Puts policies there.
    pub fn attach(policies: Vec<String>, among: Among) -> Self {
        Self::new(policies, To::Attach(among))
    }

    /// Takes policies away.
    pub fn detach(policies: Vec<String>) -> Self {
        Self::new(policies, To::Detach)
    }

    fn new(policies: Vec<String>, to: To) -> Self {
        Self { policies: policies.into(), to }
    }

    /// What becomes of a list.
    fn changed(&self, list: &[String]) -> Vec<String> {
        let others = list.iter().filter(|name| !self.policies.contains(name)).cloned();
        let own = self.policies.iter();
        match self.to {
            To::Detach => others.collect(),
            To::Attach(Among::Alone) => own.cloned().collect(),
            To::Attach(Among::First) => own.cloned().chain(others).collect(),
            To::Attach(Among::Last) => {
                let new = own.filter(|name| !list.contains(name));
                list.iter().chain(new).cloned().collect()
            }
        }
    }
}

impl QueueChange for PolicyList {
    const FIELD: &'static str = "retryPolicies";

    fn apply(&self, queue: &mut Fields) -> Result<(), ClientError> {
        let held = match queue.value(Self::FIELD) {
            None => Some(Vec::new()),
            Some(value) => list(&value),
        };
        let held = held.ok_or_else(|| {
            let message = "the server's `retryPolicies` of a queue is no list of names";
            ClientError::new(Trouble::Server, message)
        })?;
        let wanted = self.changed(&held);
        if wanted.is_empty() && !held.is_empty() {
            // Armada has no empty lists.
            queue.remove(Self::FIELD);
        } else if wanted != held {
            queue.set(Self::FIELD, &Value::from(wanted));
        }
        Ok(())
    }

    fn list(&self, queue: &Fields) -> Option<Vec<String>> {
        Some(held(queue))
    }
}

/// The policies of a queue.
pub(super) fn held(queue: &Fields) -> Vec<String> {
    queue.value(PolicyList::FIELD).and_then(|value| list(&value)).unwrap_or_default()
}

fn list(value: &Value) -> Option<Vec<String>> {
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
        let attach = |policies, among| PolicyList::attach(names(policies), among);
        for (change, before, after) in [
            (attach("c b", Among::Last), "a b", "a b c"),
            (attach("c b", Among::First), "a b", "c b a"),
            (attach("c b", Among::Alone), "a b", "c b"),
            (attach("a", Among::First), "a b", "a b"),
            (PolicyList::detach(names("a x")), "a b", "b"),
        ] {
            assert_eq!(change.changed(&names(before)), names(after), "{change:?}");
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
