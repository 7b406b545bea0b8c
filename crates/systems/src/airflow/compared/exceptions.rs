//! The exceptions that represent all exceptions for two retry policies.
//!
//! A rule matches an exception by any of its classes, and the first rule that matches answers for its policy. So an exception
//! is answered like one of at most a class for each policy of both versions, beside the class that was raised.

use crate::airflow::manifest::exceptions::{BASE, base, complete};
use crate::airflow::manifest::retry_policy::TaskRetryPolicy;
use compact_str::CompactString;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// A class that ends the tries of a task in all releases.
pub(super) const FAIL: &str = "airflow.exceptions.AirflowFailException";

/// A class that ends the tries of a task since 3.0.
pub(super) const TERMINATED: &str = "airflow.exceptions.AirflowTaskTerminated";

/// The most exceptions that are compared: more take seconds.
const MAX_EXCEPTIONS: usize = 10_000;

const EXCEPTION: &str = "builtins.Exception";

/// The classes of an exception, the most derived first.
type Classes = Vec<CompactString>;

/// Returns an exception of no class that a rule names, of each such class, and of classes that derive from several of them.
///
/// # Errors
///
/// If they are too many.
pub(super) fn representatives(
    policies: [Option<&TaskRetryPolicy>; 2],
) -> Result<Vec<Classes>, String> {
    let rules = || policies.into_iter().flatten().flat_map(TaskRetryPolicy::rules);
    let named: BTreeSet<&str> =
        rules().flat_map(|(_, rule)| &rule.exceptions).map(CompactString::as_str).collect();
    let exact = rules().filter(|(_, rule)| !rule.match_subclasses);
    let exact: BTreeSet<&str> =
        exact.flat_map(|(_, rule)| &rule.exceptions).map(CompactString::as_str).collect();
    // No rule of either version names it, so that it stands for all other classes.
    let other = unnamed(&named);
    let mut all = vec![derived(&named, &other, &[])];
    if !named.contains(EXCEPTION) {
        all.insert(0, vec![EXCEPTION.into()]);
    }
    all.extend(named.iter().map(|class| derived(&named, class, &[])));
    all.extend([FAIL, TERMINATED].map(|class| vec![class.into()]));
    let policies = policies.into_iter().flatten().map(|policy| policy.policies.len()).sum();
    // Python's own classes have no other bases.
    // Only a rule that compares exactly tells a class from those that derive from it.
    let firsts = exact.into_iter().filter(|class| base(class).is_none() && *class != BASE);
    let firsts: Vec<&str> = firsts.chain([&*other]).collect();
    for bases in subsets(&named, policies) {
        if all.len() > MAX_EXCEPTIONS {
            return Err(format!(
                "the rules of `retry_policy` distinguish more than {MAX_EXCEPTIONS} exceptions"
            ));
        }
        all.extend(firsts.iter().map(|first| derived(&named, first, &bases)));
    }
    // The example that is shown is the first that differs, and one with few classes is read most easily.
    all.sort_by_key(Vec::len);
    Ok(all.into_iter().map(|classes| classes.iter().map(shortened).collect()).collect())
}

/// Returns a class that no rule names.
fn unnamed(named: &BTreeSet<&str>) -> String {
    let mut class = "other.Error".to_owned();
    while named.contains(&*class) {
        class.push('_');
    }
    class
}

/// Returns the subsets of some classes up to a size, the empty one excluded, the smaller first.
fn subsets<'n>(classes: &BTreeSet<&'n str>, most: usize) -> impl Iterator<Item = Vec<&'n str>> {
    let classes: Vec<&str> = classes.iter().copied().collect();
    let mut places: Vec<usize> = Vec::new();
    std::iter::from_fn(move || {
        // The next combination of this size, or the first one of the next size.
        let size = places.len();
        // The last place that can still move, as an odometer counts.
        let movable = (0..size).rev().find(|place| places[*place] + size - place < classes.len());
        match movable {
            Some(place) => {
                let from = places[place] + 1;
                places.truncate(place);
                places.extend(from..from + size - place);
            }
            None if size < most.min(classes.len()) => places = (0..=size).collect(),
            None => return None,
        }
        Some(places.iter().map(|place| classes[*place]).collect())
    })
}

/// Returns an exception of a class that derives from others, with all their bases. A class without known bases derives from
/// `Exception`, unless a rule names that.
fn derived(named: &BTreeSet<&str>, class: &str, bases: &[&str]) -> Classes {
    let has_known_bases = base(class).is_some() || class == BASE;
    let usual = (!has_known_bases && !named.contains(EXCEPTION)).then_some(EXCEPTION);
    let mut all: Classes = Vec::new();
    for start in bases.iter().copied().chain(usual).chain([BASE]) {
        let known = closure(start).into_iter().filter(|it| *it != class);
        let new: Vec<_> = known.filter(|it| !all.contains(it)).collect();
        all.extend(new);
    }
    // A class is before its bases; those of other packages are unknown.
    all.sort_by_key(|it| {
        Reverse(if base(it).is_none() && it != BASE { usize::MAX } else { closure(it).len() })
    });
    if has_known_bases {
        all.clear();
    }
    all.insert(0, class.into());
    all
}

/// Returns a class and its known bases, without `object`.
fn closure(class: &str) -> Classes {
    let mut classes = vec![class.into()];
    complete(&mut classes);
    classes.retain(|class| class != "builtins.object");
    classes
}

/// Returns the name of a class as tracebacks write it.
fn shortened(class: &CompactString) -> CompactString {
    // `traceback` leaves out the module of a built-in exception.
    let bare = class.strip_prefix("builtins.").filter(|bare| !bare.contains('.'));
    bare.unwrap_or(class).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn subsets_are_all_up_to_a_size(count in 0..7_usize, most in 0..5_usize) {
            let names = ["a", "b", "c", "d", "e", "f"];
            let classes: BTreeSet<&str> = names.into_iter().take(count).collect();
            let count = classes.len();
            let found: Vec<Vec<&str>> = subsets(&classes, most).collect();
            let masks = (1..1_u32 << count).filter(|mask| mask.count_ones() as usize <= most);
            prop_assert_eq!(found.len(), masks.count());
            prop_assert!(found.is_sorted_by_key(Vec::len));
            prop_assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len());
        }
    }
}
