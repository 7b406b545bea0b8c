//! Does a rule match a run (section 4)? Every matcher that is set must hold.

use super::history::{Container, Run};
use super::policy::{ExitCodes, Rule};

/// "Every matcher a rule sets must hold (AND); inside a list, any (OR)."
pub fn matches(rule: &Rule, run: &Run) -> bool {
    let codes = rule.exit_codes.as_ref().is_none_or(|codes| exit_code_holds(codes, rule, run));
    let conditions = rule.conditions.is_empty() || condition_holds(rule, run);
    let message = rule.message.is_none() || message_holds(rule, run);
    let category = rule.categories.is_empty() || is_listed(&rule.categories, run.category.as_ref());
    let narrowed =
        rule.subcategories.is_empty() || is_listed(&rule.subcategories, run.subcategory.as_ref());
    codes && conditions && message && category && narrowed
}

fn is_listed(list: &[String], name: Option<&String>) -> bool {
    name.is_some_and(|name| list.contains(name))
}

/// The container a rule looks at: the one it names, else the first failed one. A bare run has none.
fn chosen<'a>(rule: &Rule, run: &'a Run) -> Option<&'a Container> {
    if run.is_bare() {
        return None;
    }
    match &rule.container {
        Some(name) => run.containers.iter().find(|container| container.name == *name),
        None => in_order(rule, run).into_iter().find(|container| has_failed(container)),
    }
}

/// Pod order: "init containers skipped unless `includeInitContainers: true` (then they come first)".
fn in_order<'a>(rule: &Rule, run: &'a Run) -> Vec<&'a Container> {
    let (init, main): (Vec<_>, Vec<_>) =
        run.containers.iter().partition(|container| container.init);
    if rule.include_init { [init, main].concat() } else { main }
}

/// "Failed: exit code ≠ 0, or a reason other than `Completed`."
fn has_failed(container: &Container) -> bool {
    let by_code = container.exit_code.is_some_and(|code| code != 0);
    let by_reason = container.reason.as_ref().is_some_and(|reason| reason != "Completed");
    by_code || by_reason
}

/// "Exit code 0, negative or absent never matches, for `NotIn` too."
fn exit_code_holds(codes: &ExitCodes, rule: &Rule, run: &Run) -> bool {
    let code = chosen(rule, run).and_then(|container| container.exit_code);
    code.is_some_and(|code| code > 0 && codes.values.contains(&code) != codes.negated)
}

/// Pod-level conditions are never held for a rule with `containerName`; `OOMKilled` is a container's reason,
/// or named at the run (section 10).
fn condition_holds(rule: &Rule, run: &Run) -> bool {
    rule.conditions.iter().any(|condition| {
        let oom = condition == "OOMKilled" && is_oom_killed(chosen(rule, run));
        let preempted = condition == "Preempted" && run.is_preempted();
        let named = run.conditions.contains(condition);
        oom || (rule.container.is_none() && (preempted || named))
    })
}

fn is_oom_killed(container: Option<&Container>) -> bool {
    container.and_then(|container| container.reason.as_deref()) == Some("OOMKilled")
}

/// "With `containerName`, that container's message; without, any non-init container's, failed or not (init
/// too with `includeInitContainers`). An empty message never matches."
fn message_holds(rule: &Rule, run: &Run) -> bool {
    let candidates = match &rule.container {
        Some(_) => chosen(rule, run).into_iter().collect(),
        None if run.is_bare() => Vec::new(),
        None => in_order(rule, run),
    };
    let pattern = rule.message.as_ref().expect("asked only of rules with a pattern");
    let mut messages = candidates.into_iter().filter_map(|container| container.message.as_ref());
    messages.any(|message| pattern.is_match(message.as_bytes()))
}
