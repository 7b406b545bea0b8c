//! Owners and permissions of a queue. A server turns owners into one permission with all verbs, puts
//! it before the others and never returns owners: so they are compared, and changed, as that
//! permission.
//!
//! A document that names `permissions` describes all rights on the queue, together with the owners
//! that it names; one that names only owners leaves permissions that do not hold all verbs alone.

use serde_json::{Value, json};

/// The verbs of an owner, in the order of Armada's servers.
pub(in crate::commands) const OWNER_VERBS: [&str; 5] =
    ["submit", "cancel", "preempt", "reprioritize", "watch"];

/// The desired owners and permissions; those that are not named stay as they are.
#[derive(Debug, Clone, Default)]
pub(super) struct Owners {
    /// Users that own the queue.
    pub users: Option<Vec<String>>,
    /// Groups that own the queue.
    pub groups: Option<Vec<String>>,
    /// The other permissions.
    pub permissions: Option<Vec<Value>>,
}

impl Owners {
    /// The permissions of a queue with these owners; `None` if nothing is desired of them.
    pub(super) fn permissions(&self, live: &[Value]) -> Option<Value> {
        if self.users.is_none() && self.groups.is_none() {
            return self.permissions.clone().map(Value::Array);
        }
        let (owners, rest): (Vec<&Value>, Vec<&Value>) = live.iter().partition(|p| is_owners(p));
        let live_owners: Vec<Value> = owners.iter().flat_map(|owner| subjects_of(owner)).collect();
        // With `permissions` all rights are named: owners that are not named are none.
        let unnamed = |kind: &str| match self.permissions {
            None => subjects_of_kind(&live_owners, kind),
            Some(_) => Vec::new(),
        };
        let subjects = |names: &Option<Vec<String>>, kind: &str| match names {
            Some(names) => names.iter().map(|name| json!({"kind": kind, "name": name})).collect(),
            None => unnamed(kind),
        };
        let desired = [subjects(&self.users, "User"), subjects(&self.groups, "Group")].concat();
        if self.permissions.is_none() && same_subjects(&live_owners, &desired) {
            return Some(Value::from(live.to_vec()));
        }
        let is_desired = |permission: &Value| {
            is_owners(permission) && same_subjects(&subjects_of(permission), &desired)
        };
        let mut others: Vec<Value> = match &self.permissions {
            Some(named) => named.clone(),
            None => rest.into_iter().cloned().collect(),
        };
        // The output of `get` has the owners' permission among the others.
        if let Some(repeated) = others.iter().position(is_desired) {
            others.remove(repeated);
        }
        if !desired.is_empty() {
            let same = owners.into_iter().find(|owner| is_desired(owner)).cloned();
            others.insert(
                0,
                same.unwrap_or_else(|| json!({"subjects": desired, "verbs": OWNER_VERBS})),
            );
        }
        Some(Value::Array(others))
    }

    /// Whether owners or permissions are named.
    pub(super) fn has_any(&self) -> bool {
        self.users.is_some() || self.groups.is_some() || self.permissions.is_some()
    }
}

/// Whether a permission holds an owner's verbs and no others.
fn is_owners(permission: &Value) -> bool {
    let verbs = permission["verbs"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_known = |verb: &Value| verb.as_str().is_some_and(|verb| OWNER_VERBS.contains(&verb));
    OWNER_VERBS.iter().all(|verb| verbs.iter().any(|live_owners| live_owners == verb))
        && verbs.iter().all(is_known)
}

fn subjects_of(permission: &Value) -> Vec<Value> {
    permission["subjects"].as_array().cloned().unwrap_or_default()
}

fn subjects_of_kind(subjects: &[Value], kind: &str) -> Vec<Value> {
    subjects.iter().filter(|subject| subject["kind"] == kind).cloned().collect()
}

fn same_subjects(a: &[Value], b: &[Value]) -> bool {
    let within = |a: &[Value], b: &[Value]| a.iter().all(|subject| b.contains(subject));
    within(a, b) && within(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(users: &[&str], groups: &[&str]) -> Value {
        let subject = |kind: &str, name: &&str| json!({"kind": kind, "name": name});
        let users = users.iter().map(|name| subject("User", name));
        let groups = groups.iter().map(|name| subject("Group", name));
        json!({"subjects": users.chain(groups).collect::<Vec<_>>(), "verbs": OWNER_VERBS})
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn other() -> Value {
        json!({"subjects": [{"kind": "User", "name": "x"}], "verbs": ["watch"]})
    }

    #[test]
    fn owners_equal_their_permission() {
        let live = [block(&["a", "b"], &["g"]), other()];
        let desired = |owners: &Owners| owners.permissions(&live).unwrap();
        let users = |users: &[&str]| Owners { users: Some(names(users)), ..Owners::default() };
        assert_eq!(desired(&users(&["b", "a"])), json!(live), "the order of owners says nothing");
        assert_eq!(desired(&users(&["c"])), json!([block(&["c"], &["g"]), other()]));
        assert_eq!(Owners::default().permissions(&live), None);
        let none = Owners { users: Some(names(&[])), groups: Some(names(&[])), permissions: None };
        assert_eq!(desired(&none), json!([other()]));
        let first = Owners { groups: Some(names(&["h"])), ..Owners::default() };
        assert_eq!(first.permissions(&[other()]).unwrap(), json!([block(&[], &["h"]), other()]));
    }

    #[test]
    fn permissions_are_all_rights() {
        let live = [block(&["me"], &["g"]), other()];
        let only = |list: Vec<Value>| Owners { permissions: Some(list), ..Owners::default() };
        for named in [vec![], vec![other()], live.to_vec(), vec![block(&["you"], &[]), other()]] {
            assert_eq!(only(named.clone()).permissions(&live), Some(Value::Array(named)));
        }
        let both = |users: &[&str], list: Vec<Value>| Owners {
            users: Some(names(users)),
            permissions: Some(list),
            groups: None,
        };
        let desired = |owners: Owners| owners.permissions(&live).unwrap();
        assert_eq!(desired(both(&["me"], vec![other()])), json!([block(&["me"], &[]), other()]));
        let got = [block(&["me"], &[]), other()];
        assert_eq!(desired(both(&["me"], got.to_vec())), json!(got), "what `get` printed");
        assert_eq!(desired(both(&[], vec![])), json!([]));
    }

    #[test]
    fn every_permission_with_all_verbs_is_an_owner() {
        let mut reversed = block(&["hidden"], &[]);
        reversed["verbs"].as_array_mut().unwrap().reverse();
        let live = [other(), block(&["a"], &["g"]), reversed.clone()];
        let users = |users: &[&str]| Owners { users: Some(names(users)), ..Owners::default() };
        let desired = |owners: Owners| owners.permissions(&live).unwrap();
        assert_eq!(desired(users(&["a", "hidden"])), json!(live), "no change is needed");
        assert_eq!(desired(users(&["a"])), json!([block(&["a"], &["g"]), other()]));
        assert_eq!(desired(users(&[])), json!([block(&[], &["g"]), other()]));
        reversed["verbs"].as_array_mut().unwrap().push(json!("more"));
        assert!(!is_owners(&reversed), "its other verbs would be lost");
    }
}
