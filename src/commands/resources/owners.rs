//! Owners and permissions of a queue. A server turns owners into one permission that holds all
//! verbs, puts it before the others and never gives owners back: so they are compared, and
//! changed, as what they become.
//!
//! A document that names `permissions` describes all rights on the queue, together with the owners
//! that it names; one that names only owners leaves permissions that do not hold all verbs alone.

use serde_json::{Value, json};

/// The verbs of an owner, as servers have them.
const VERBS: [&str; 5] = ["submit", "cancel", "preempt", "reprioritize", "watch"];

/// What is wanted of owners and permissions; what is not named stays as it is.
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
    /// The permissions that a queue with these is to have; none if nothing is wanted of them.
    pub(super) fn permissions(&self, live: &[Value]) -> Option<Value> {
        if self.users.is_none() && self.groups.is_none() {
            return self.permissions.clone().map(Value::Array);
        }
        let (owners, rest): (Vec<&Value>, Vec<&Value>) = live.iter().partition(|p| is_owners(p));
        let held: Vec<Value> = owners.iter().flat_map(|owner| of(owner)).collect();
        // With `permissions` all rights are named: owners that are not named are none.
        let unnamed = |kind: &str| match self.permissions {
            None => of_kind(&held, kind),
            Some(_) => Vec::new(),
        };
        let subjects = |names: &Option<Vec<String>>, kind: &str| match names {
            Some(names) => names.iter().map(|name| json!({"kind": kind, "name": name})).collect(),
            None => unnamed(kind),
        };
        let wanted = [subjects(&self.users, "User"), subjects(&self.groups, "Group")].concat();
        if self.permissions.is_none() && same_subjects(&held, &wanted) {
            return Some(Value::from(live.to_vec()));
        }
        let is_wanted =
            |permission: &Value| is_owners(permission) && same_subjects(&of(permission), &wanted);
        let mut others: Vec<Value> = match &self.permissions {
            Some(named) => named.clone(),
            None => rest.into_iter().cloned().collect(),
        };
        // What `get` prints has the owners' permission among the others.
        if let Some(repeated) = others.iter().position(is_wanted) {
            others.remove(repeated);
        }
        if !wanted.is_empty() {
            let same = owners.into_iter().find(|owner| is_wanted(owner)).cloned();
            others.insert(0, same.unwrap_or_else(|| json!({"subjects": wanted, "verbs": VERBS})));
        }
        Some(Value::Array(others))
    }

    /// Whether anything is wanted of owners or permissions.
    pub(super) fn are_named(&self) -> bool {
        self.users.is_some() || self.groups.is_some() || self.permissions.is_some()
    }
}

/// Whether a permission holds an owner's verbs and no others.
fn is_owners(permission: &Value) -> bool {
    let verbs = permission["verbs"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_known = |verb: &Value| verb.as_str().is_some_and(|verb| VERBS.contains(&verb));
    VERBS.iter().all(|verb| verbs.iter().any(|held| held == verb)) && verbs.iter().all(is_known)
}

fn of(permission: &Value) -> Vec<Value> {
    permission["subjects"].as_array().cloned().unwrap_or_default()
}

fn of_kind(subjects: &[Value], kind: &str) -> Vec<Value> {
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
        json!({"subjects": users.chain(groups).collect::<Vec<_>>(), "verbs": VERBS})
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn other() -> Value {
        json!({"subjects": [{"kind": "User", "name": "x"}], "verbs": ["watch"]})
    }

    #[test]
    fn owners_are_the_permission_they_become() {
        let live = [block(&["a", "b"], &["g"]), other()];
        let wanted = |owners: &Owners| owners.permissions(&live).unwrap();
        let users = |users: &[&str]| Owners { users: Some(names(users)), ..Owners::default() };
        assert_eq!(wanted(&users(&["b", "a"])), json!(live), "the order of owners says nothing");
        assert_eq!(wanted(&users(&["c"])), json!([block(&["c"], &["g"]), other()]));
        assert_eq!(Owners::default().permissions(&live), None);
        let none = Owners { users: Some(names(&[])), groups: Some(names(&[])), permissions: None };
        assert_eq!(wanted(&none), json!([other()]));
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
        let wanted = |owners: Owners| owners.permissions(&live).unwrap();
        assert_eq!(wanted(both(&["me"], vec![other()])), json!([block(&["me"], &[]), other()]));
        let got = [block(&["me"], &[]), other()];
        assert_eq!(wanted(both(&["me"], got.to_vec())), json!(got), "what `get` printed");
        assert_eq!(wanted(both(&[], vec![])), json!([]));
    }

    #[test]
    fn every_permission_with_all_verbs_is_an_owner() {
        let mut reversed = block(&["hidden"], &[]);
        reversed["verbs"].as_array_mut().unwrap().reverse();
        let live = [other(), block(&["a"], &["g"]), reversed.clone()];
        let users = |users: &[&str]| Owners { users: Some(names(users)), ..Owners::default() };
        let wanted = |owners: Owners| owners.permissions(&live).unwrap();
        assert_eq!(wanted(users(&["a", "hidden"])), json!(live), "no change is needed");
        assert_eq!(wanted(users(&["a"])), json!([block(&["a"], &["g"]), other()]));
        assert_eq!(wanted(users(&[])), json!([block(&[], &["g"]), other()]));
        reversed["verbs"].as_array_mut().unwrap().push(json!("more"));
        assert!(!is_owners(&reversed), "its other verbs would be lost");
    }
}
