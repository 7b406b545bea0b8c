//! Owners and permissions of a queue. A server turns owners into one permission that holds all
//! verbs, puts it before the others and never gives owners back: so they are compared, and
//! changed, as what they become.

use super::compare::differences;
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
        let (owner, rest) = split(live);
        if self.users.is_none() && self.groups.is_none() {
            let wanted = self.permissions.as_deref()?;
            return Some(unowned(wanted, live, owner, rest));
        }
        let subjects = |wanted: &Option<Vec<String>>, kind: &str| match wanted {
            Some(names) => names.iter().map(|name| json!({"kind": kind, "name": name})).collect(),
            None => owner.map(|owner| of_kind(owner, kind)).unwrap_or_default(),
        };
        let all = [subjects(&self.users, "User"), subjects(&self.groups, "Group")].concat();
        let mut wanted: Vec<Value> = Vec::new();
        match owner {
            Some(owner) if same_subjects(&of(owner), &all) => wanted.push(owner.clone()),
            _ if all.is_empty() => {}
            _ => wanted.push(json!({"subjects": all, "verbs": VERBS})),
        }
        let others = self.permissions.as_deref().unwrap_or(rest);
        // What `get` gave has the owners' permission among the others.
        let repeated = others.first().filter(|first| is_owners(first));
        let repeated = repeated.is_some_and(|first| same_subjects(&of(first), &all));
        wanted.extend_from_slice(&others[usize::from(repeated)..]);
        Some(Value::Array(wanted))
    }
}

/// Permissions without a word on owners: the owners stay, unless they are among the permissions.
fn unowned(wanted: &[Value], live: &[Value], owner: Option<&Value>, rest: &[Value]) -> Value {
    let same = |a: &[Value], b: &[Value]| {
        differences("", &Value::from(a.to_vec()), &Value::from(b.to_vec())).is_empty()
    };
    if same(wanted, live) || same(wanted, rest) {
        return Value::from(live.to_vec());
    }
    let kept = owner.filter(|_| split(wanted).0.is_none());
    kept.into_iter().chain(wanted).cloned().collect()
}

/// The owners' permission, if there is one, and the others.
fn split(permissions: &[Value]) -> (Option<&Value>, &[Value]) {
    match permissions.split_first() {
        Some((first, rest)) if is_owners(first) => (Some(first), rest),
        _ => (None, permissions),
    }
}

fn is_owners(permission: &Value) -> bool {
    let verbs = permission["verbs"].as_array().map(Vec::as_slice).unwrap_or_default();
    verbs.len() == VERBS.len() && VERBS.iter().all(|verb| verbs.iter().any(|held| held == verb))
}

fn of(permission: &Value) -> Vec<Value> {
    permission["subjects"].as_array().cloned().unwrap_or_default()
}

fn of_kind(permission: &Value, kind: &str) -> Vec<Value> {
    of(permission).into_iter().filter(|subject| subject["kind"] == kind).collect()
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
    fn permissions_alone_leave_the_owners() {
        let live = [block(&["me"], &[]), other()];
        let only = |list: Vec<Value>| Owners { permissions: Some(list), ..Owners::default() };
        let wanted = |list: Vec<Value>| only(list).permissions(&live).unwrap();
        assert_eq!(wanted(vec![other()]), json!(live));
        assert_eq!(wanted(live.to_vec()), json!(live), "what `get` gave");
        assert_eq!(wanted(vec![]), json!([block(&["me"], &[])]));
        let you = block(&["you"], &[]);
        assert_eq!(wanted(vec![you.clone(), other()]), json!([you, other()]));
        let both =
            Owners { users: Some(names(&["me"])), permissions: Some(live.to_vec()), groups: None };
        assert_eq!(both.permissions(&live).unwrap(), json!(live));
    }
}
