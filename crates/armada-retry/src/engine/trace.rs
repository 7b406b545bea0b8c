//! Every rule tested against one failure, with the matcher that did not hold (semantics.md, section 4). This
//! is a plain linear search; a property test (`agreement`) compares the index with it.

use super::decision::RuleId;
use super::evaluator::{Evaluator, Route};
use super::failure::{Failure, classified};
use super::run::{Container, EndedRun};
use super::scope::Scope;
use crate::policy::{Condition, ExitCodes, Matcher, Operator, Rule};
use document::pattern::Pattern;

/// The result of a rule's test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// The rule or default.
    pub rule: RuleId,
    /// Whether all matchers of the rule hold.
    pub matched: bool,
    /// The first matcher that does not hold, with the value it was compared with; else the matchers of the
    /// rule.
    pub why: String,
}

impl Evaluator {
    /// Tests every rule of a route against a run, in order, then the default. Rules after the first match are
    /// tested too.
    pub fn trace(&self, route: &Route, run: EndedRun<'_>) -> Vec<Tried> {
        let failure = self.failure(run);
        let mut tried: Vec<Tried> = route
            .rules
            .iter()
            .filter_map(|id| {
                let rule = self.rule_body(*id)?;
                Some(match fault(rule, &failure) {
                    Some(why) => Tried { rule: *id, matched: false, why },
                    None => Tried { rule: *id, matched: true, why: super::reason::matchers(rule) },
                })
            })
            .collect();
        if let Some(default) = route.default {
            let decided = tried.iter().any(|tried| tried.matched);
            let why = if decided { "a rule matched" } else { "no rule matched" };
            tried.push(Tried { rule: default, matched: !decided, why: why.to_owned() });
        }
        tried
    }
}

impl Evaluator {
    /// The container by which a rule that limits or widens its containers matched a run: `containerName` or
    /// `includeInitContainers`.
    pub fn scoped_container<'r>(&self, id: RuleId, run: EndedRun<'r>) -> Option<&'r Container> {
        let rule = self.rule_body(id)?;
        let scope = Scope::of(rule);
        if scope.container.is_none() && !scope.init {
            return None;
        }
        let failure = self.failure(run);
        let reads_state =
            rule.exit_codes.is_some() || rule.conditions.contains(&Condition::OomKilled);
        if reads_state {
            return scope.choose(&failure);
        }
        let regex = rule.message.as_ref()?.regex().ok()?;
        scope.containers(&failure).find(|container| regex.is_match(&container.message))
    }
}

/// The first matcher that does not hold; `None` if all do. Messages are searched last, because that costs most.
fn fault(rule: &Rule, failure: &Failure<'_>) -> Option<String> {
    let mut matchers = rule.matchers();
    matchers.sort_by_key(|matcher| matches!(matcher, Matcher::Message(_)));
    let scope = Scope::of(rule);
    let (category, subcategory) = classified(failure.run);
    matchers.into_iter().find_map(|matcher| match matcher {
        Matcher::ExitCodes(codes) => exit_code_fault(codes, scope.choose(failure)),
        Matcher::Conditions(conditions) => condition_fault(conditions, &scope, failure),
        Matcher::Message(pattern) => message_fault(pattern, &scope, failure),
        Matcher::Categories(names) => listed_fault("category", names, category),
        Matcher::Subcategories(names) => listed_fault("subcategory", names, subcategory),
    })
}

fn exit_code_fault(codes: &ExitCodes, chosen: Option<&Container>) -> Option<String> {
    let Some(container) = chosen else { return Some("no such container failed".to_owned()) };
    let Some(code) = container.exit_code else {
        return Some("the container has no exit code".to_owned());
    };
    if code <= 0 {
        return Some(format!("exit code {code} never matches"));
    }
    let listed = codes.values.iter().any(|value| i64::from(*value) == code);
    match codes.operator {
        Operator::In if !listed => Some(format!("exit code {code} is not one of the values")),
        Operator::NotIn if listed => Some(format!("exit code {code} is one of the values")),
        _ => None,
    }
}

fn condition_fault(
    conditions: &[Condition],
    scope: &Scope,
    failure: &Failure<'_>,
) -> Option<String> {
    let (_, holding) = scope.state(failure);
    if conditions.iter().any(|condition| holding.contains(*condition)) {
        return None;
    }
    let wanted: Vec<&str> = conditions.iter().map(|condition| condition.as_str()).collect();
    Some(format!("{} does not hold", wanted.join(" or ")))
}

/// Why a rule has no message to search.
fn absent_message(scope: &Scope, failure: &Failure<'_>) -> String {
    let run = failure.run;
    let with_message = run.containers.iter().find(|container| !container.message.is_empty());
    match (with_message, &scope.container) {
        (None, _) => "there is no message".to_owned(),
        (Some(_), _) if run.outcome.is_bare() => {
            format!("the messages of a run that is {} do not count", run.outcome.as_str())
        }
        (Some(other), Some(name)) => {
            format!("container `{name}` has no message; `{}` has one", other.name)
        }
        (Some(other), None) => {
            format!("the message is of the init container `{}`, which the rule skips", other.name)
        }
    }
}

fn listed_fault(what: &str, wanted: &[String], found: &str) -> Option<String> {
    match found {
        "" => Some(format!("there is no {what}")),
        found if wanted.iter().any(|name| name == found) => None,
        found => Some(format!("{what} `{found}` is not listed")),
    }
}

fn message_fault(pattern: &Pattern, scope: &Scope, failure: &Failure<'_>) -> Option<String> {
    let mut messages = scope.messages(failure).peekable();
    if messages.peek().is_none() {
        return Some(absent_message(scope, failure));
    }
    let Ok(regex) = pattern.regex() else {
        return Some("the pattern is too large to be searched for".to_owned());
    };
    if messages.any(|text| regex.is_match(text)) {
        None
    } else {
        Some("no message matches".to_owned())
    }
}
