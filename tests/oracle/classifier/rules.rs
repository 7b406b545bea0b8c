//! One classification: the first rule that matches decides.

use super::model::{Category, Executor, Matcher, Pod, Rule};
use regex::Regex;

/// What one classification may look at, besides the pod's status.
pub struct Pass<'a> {
    /// The text for `onPodError`.
    pub pod_error: &'a str,
    pub with_events: bool,
}

/// What a classification gives; the default is that of a disabled classifier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Winner {
    pub category: String,
    pub subcategory: String,
    pub is_delete: bool,
    pub hint: String,
    /// Positions of the category and of the rule in it; none for the defaults.
    pub rule: Option<(usize, usize)>,
}

/// "Categories in order, rules in order; the first match over all ends it."
pub fn first_match(executor: &Executor, pod: &Pod, pass: &Pass) -> Winner {
    for (category_index, category) in executor.categories.iter().enumerate() {
        for (index, rule) in category.rules.iter().enumerate() {
            if matches(rule, pod, pass) {
                return winner(category, rule, (category_index, index));
            }
        }
    }
    Winner {
        category: executor.default_category.clone(),
        subcategory: executor.default_subcategory.clone(),
        ..Winner::default()
    }
}

fn winner(category: &Category, rule: &Rule, position: (usize, usize)) -> Winner {
    Winner {
        category: category.name.clone(),
        subcategory: rule.subcategory.clone(),
        is_delete: category.is_delete,
        hint: rule.hint.clone(),
        rule: Some(position),
    }
}

fn matches(rule: &Rule, pod: &Pod, pass: &Pass) -> bool {
    let is_in_scope = |name: &str| rule.container.is_empty() || rule.container == name;
    let failed = pod.failed().into_iter();
    let mut ends = failed.filter(|(name, _)| is_in_scope(name)).map(|(_, end)| end);
    match &rule.matcher {
        // "OOMKilled: any collected container's reason. Evicted, DeadlineExceeded: `status.reason` equals it,
        // containerName ignored."
        Matcher::Conditions(names) => names.iter().any(|name| match name.as_str() {
            "OOMKilled" => ends.clone().any(|end| end.reason == "OOMKilled"),
            "Evicted" | "DeadlineExceeded" => pod.reason == *name,
            other => panic!("{other} is no condition"),
        }),
        Matcher::ExitCodes { is_in: true, values } => ends.any(|end| values.contains(&end.code)),
        // "Some collected container's code is outside values (not all)."
        Matcher::ExitCodes { is_in: false, values } => ends.any(|end| !values.contains(&end.code)),
        Matcher::TerminationMessage(regexp) => ends.any(|end| is_found(regexp, &end.message)),
        Matcher::PodError(regexp) => is_found(regexp, pass.pod_error),
        Matcher::PodEvents(pattern) => {
            let mut events = pod.events.iter().filter(|_| pass.with_events);
            events.any(|event| pattern.is_about(event) && is_found(&pattern.regexp, &event.message))
        }
    }
}

/// "Empty text never matches, whatever the regexp."
fn is_found(regexp: &Regex, text: &str) -> bool {
    !text.is_empty() && regexp.is_match(text)
}
