//! A task's retry policy: rules that compare a failure's exception, in order.
//!
//! The form is that of `RetryPolicy.serialize` (`airflow/sdk/definitions/retry_policy.py`); durations are
//! seconds. A chain has no serialized form: it is written as the constructor of `ChainRetryPolicy` takes it.

use super::exceptions::canonical;
use super::python_time::TimeDelta;
use compact_str::CompactString;
use document::names;
use document::{Node, NodeKind};

/// `__type` of a list of rules.
pub(crate) const EXCEPTIONS: &str = "ExceptionRetryPolicy";

/// `__type` of a chain of policies.
pub(crate) const CHAIN: &str = "ChainRetryPolicy";

names! {
    /// What happens after a failure (`RetryAction`).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum RetryAction {
        /// Another try follows, within `retries`.
        Retry = "retry",
        /// No other try follows.
        Fail = "fail",
        /// The next policy of a chain decides, and at last `retries` and `retry_delay`.
        #[default]
        Default = "default",
        /// Since 3.4: the same try runs again later.
        Reschedule = "reschedule",
    }
}

/// A rule (`RetryRule`).
#[derive(Debug, Clone, PartialEq)]
pub struct RetryRule {
    /// The classes that it matches, each by its [`canonical`] name.
    pub exceptions: Vec<CompactString>,
    /// `action`; by default `retry`.
    pub action: RetryAction,
    /// `retry_delay`: the delay of a retry or a reschedule; if absent, the task's.
    pub retry_delay: Option<TimeDelta>,
    /// `reason`, which is logged and stored.
    pub reason: Option<String>,
    /// `match_subclasses`: whether derived classes match too; by default they do.
    pub match_subclasses: bool,
    /// `max_reschedules` of one try.
    pub max_reschedules: Option<u32>,
    /// `reschedule_timeout`, from the first reschedule of the try on.
    pub reschedule_timeout: Option<TimeDelta>,
}

/// A list of rules (`ExceptionRetryPolicy`): the first that matches decides.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExceptionRetryPolicy {
    /// The rules, in order.
    pub rules: Vec<RetryRule>,
    /// The action if none matches.
    pub default: RetryAction,
}

/// A task's `retry_policy`.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskRetryPolicy {
    /// The policies, in order: the first that does not answer `default` decides.
    pub policies: Vec<ExceptionRetryPolicy>,
    /// Whether it is a `ChainRetryPolicy`, and not its only policy itself.
    pub is_chain: bool,
}

/// A rule's place: the number of its policy, and its number among the rules of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RulePlace {
    /// The number of the policy.
    pub policy: usize,
    /// The number of the rule in it.
    pub rule: usize,
}

impl TaskRetryPolicy {
    /// Returns all rules with their places, in order.
    pub fn rules(&self) -> impl Iterator<Item = (RulePlace, &RetryRule)> {
        self.policies.iter().enumerate().flat_map(|(policy, exceptions)| {
            let rules = exceptions.rules.iter().enumerate();
            rules.map(move |(rule, one)| (RulePlace { policy, rule }, one))
        })
    }

    /// Returns the rule at a place.
    pub fn rule(&self, place: RulePlace) -> Option<&RetryRule> {
        self.policies.get(place.policy)?.rules.get(place.rule)
    }

    /// Returns the number of a rule among those of all policies.
    pub fn index(&self, place: RulePlace) -> usize {
        let before = self.policies.iter().take(place.policy);
        before.map(|policy| policy.rules.len()).sum::<usize>() + place.rule
    }

    /// Returns the path of a rule in a profile: `retry_policy.rules[0]`.
    pub fn path(&self, place: RulePlace) -> String {
        format!("{}.rules[{}]", self.policy_path(place.policy), place.rule)
    }

    /// Returns the path of a policy in a profile: `retry_policy`, or `retry_policy.policies[0]`.
    pub fn policy_path(&self, policy: usize) -> String {
        if self.is_chain { format!("{FIELD}.policies[{policy}]") } else { FIELD.to_owned() }
    }

    /// Returns whether a rule reschedules, which needs no `retries`.
    pub fn reschedules(&self) -> bool {
        self.rules().any(|(_, rule)| rule.action == RetryAction::Reschedule)
    }
}

/// The field of a task.
pub(crate) const FIELD: &str = "retry_policy";

/// Reads a checked `retry_policy`.
pub(super) fn read(node: &Node) -> TaskRetryPolicy {
    match node.get("policies") {
        Some(policies) => TaskRetryPolicy {
            policies: policies.items().iter().map(read_exceptions).collect(),
            is_chain: true,
        },
        None => TaskRetryPolicy { policies: vec![read_exceptions(node)], is_chain: false },
    }
}

fn read_exceptions(node: &Node) -> ExceptionRetryPolicy {
    let rules = node.get("rules").map(Node::items).unwrap_or_default();
    ExceptionRetryPolicy {
        rules: rules.iter().map(read_rule).collect(),
        default: action(node, "default").unwrap_or_default(),
    }
}

fn action(node: &Node, field: &str) -> Option<RetryAction> {
    RetryAction::from_name(node.get(field)?.text()?)
}

fn read_rule(node: &Node) -> RetryRule {
    let seconds = |field| node.get(field).and_then(Node::number).map(TimeDelta::from_seconds);
    let exceptions = node.get("exception").map(classes).unwrap_or_default();
    RetryRule {
        exceptions: exceptions.iter().filter_map(|class| class.text()).map(canonical).collect(),
        action: action(node, "action").unwrap_or(RetryAction::Retry),
        retry_delay: seconds("retry_delay"),
        reason: node.get("reason").and_then(Node::some_text).map(str::to_owned),
        match_subclasses: node.get("match_subclasses").and_then(Node::boolean).unwrap_or(true),
        max_reschedules: node
            .get("max_reschedules")
            .and_then(Node::integer)
            .and_then(|number| u32::try_from(number).ok()),
        reschedule_timeout: seconds("reschedule_timeout"),
    }
}

/// Returns the classes of `exception`, which is one or a list.
pub(crate) fn classes(node: &Node) -> &[Node] {
    match &node.kind {
        NodeKind::List(items) => items,
        _ => std::slice::from_ref(node),
    }
}
