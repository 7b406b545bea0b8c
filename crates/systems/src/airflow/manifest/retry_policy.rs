//! A task's retry policy: rules that compare a failure's exception, in order.
//!
//! The form is that of `RetryPolicy.serialize` (`airflow/sdk/definitions/retry_policy.py`); durations are
//! seconds. A chain has no serialized form: it is written as the constructor of `ChainRetryPolicy` takes it.

use super::exceptions::canonical;
use super::python_time::TimeDelta;
use compact_str::CompactString;
use document::diag::Code;
use document::{Choices, Field, FieldValue, Kind, Need, Node, NodeKind, choices, optional, shapes};

/// `__type` of a list of rules.
pub(crate) const EXCEPTIONS: &str = "ExceptionRetryPolicy";

/// `__type` of a chain of policies.
pub(crate) const CHAIN: &str = "ChainRetryPolicy";

choices! {
    /// What happens after a failure (`RetryAction`).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum RetryAction = "action of a retry rule" {
        /// Another try follows, if `retries` leaves one.
        Retry = "retry",
        /// No other try follows.
        Fail = "fail",
        /// The next policy of a chain decides, at last `retries` and the task's wait.
        #[default]
        Default = "default",
        /// The same try runs again later, without using a retry (3.4).
        Reschedule = "reschedule",
    }
}

shapes! {
    /// A task's retry policy: rules, or since 3.4 a chain of policies. Policies that are code have no form.
    static RETRY_POLICY = "retry_policy" {
        /// The policy's class; absent means the one that the other fields belong to.
        optional __type: Kind::OneOf(&POLICY_TYPES),
        RULES,
        DEFAULT,
        /// A chain (3.4): the policies, in order. The first that does not answer default decides.
        optional policies: Kind::List { item: &Kind::Object(&LINK), min: 1 },
    }

    /// A policy of a chain.
    static LINK = "policy of a chain" (elsewhere: &[("policies", NESTED)]) {
        /// The policy's class.
        optional __type: Kind::OneOf(&LINK_TYPES),
        LINK_RULES,
        DEFAULT,
    }

    /// A rule: the exceptions that it matches, and what follows.
    static RULE = "retry rule" (elsewhere: &[
        ("exceptions", "write `exception`, which may be a list"),
        ("retry_delay_seconds", "write `retry_delay`, in seconds, as a rule is serialized"),
    ]) {
        /// The import path of an exception class, such as `builtins.ConnectionError`, or a list of them.
        /// It is compared with the classes of a record's `exceptions`.
        required exception: Kind::Anything,
        #[doc = "What follows; absent means retry."]
        optional action: RetryAction::KIND,
        /// The wait of a retry or a reschedule in seconds; absent means the task's.
        /// Neither cap nor ceiling applies to it.
        optional retry_delay: TimeDelta::KIND,
        /// The reason, which Airflow logs and stores.
        optional reason: Kind::Text,
        /// Whether classes that derive from it match too; absent means true.
        optional match_subclasses: Kind::Boolean,
        /// The most reschedules of one try (3.4); then `retries` decides.
        optional max_reschedules: Kind::Whole { min: 1, max: u32::MAX as i128, code: Code::OutOfRange },
        /// The seconds from a try's first reschedule (3.4) after which `retries` decides.
        optional reschedule_timeout: Kind::Number { min: 0.0, above: true, code: Code::OutOfRange },
    }
}

choices! {
    static POLICY_TYPES = "retry policy of Airflow" (elsewhere: &[(
        "RetryPolicy",
        "it is the abstract base; only its two classes of data can be replayed",
    )]) {
        /// Rules that compare the exception, in order.
        "ExceptionRetryPolicy",
        /// Policies that are consulted in order (3.4).
        "ChainRetryPolicy",
    }

    static LINK_TYPES = "retry policy of a chain" (elsewhere: &[(CHAIN, NESTED)]) {
        /// Rules that compare the exception, in order.
        "ExceptionRetryPolicy",
    }
}

/// The actions of rules, but for the last one.
static DEFAULTS: Choices = Choices {
    values: RetryAction::CHOICES.values.split_at(RetryAction::Reschedule as usize).0,
    elsewhere: &[("reschedule", "it needs a bound: write a rule with `max_reschedules`")],
    ..Choices::new("default of a retry policy")
};

static RULE_KIND: Kind = Kind::Object(&RULE);

const RULES: Field = optional(
    "rules",
    Kind::List { item: &RULE_KIND, min: 0 },
    "The rules: the first that matches decides.",
);

/// The rules of a policy of a chain.
const LINK_RULES: Field = Field { need: Need::Required, ..RULES };

const DEFAULT: Field = optional(
    "default",
    Kind::OneOf(&DEFAULTS),
    "The action if no rule matches; absent means default, which leaves the try to `retries`.",
);

const NESTED: &str = "write its policies into the outer chain: the decisions are the same";

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

impl FieldValue for TaskRetryPolicy {
    const KIND: Kind = Kind::Object(&RETRY_POLICY);

    fn from_node(node: &Node) -> Option<Self> {
        let policies = node.get("policies").map(Node::items);
        let is_chain = policies.is_some();
        // A policy that is no chain is read as a chain of one.
        let policies = policies.unwrap_or(std::slice::from_ref(node)).iter();
        Some(Self { policies: policies.map(read_exceptions).collect(), is_chain })
    }
}

fn read_exceptions(node: &Node) -> ExceptionRetryPolicy {
    let rules = node.get("rules").map(Node::items).unwrap_or_default();
    ExceptionRetryPolicy {
        rules: rules.iter().map(read_rule).collect(),
        default: RetryAction::from_field(node, "default").unwrap_or_default(),
    }
}

fn read_rule(node: &Node) -> RetryRule {
    let seconds = |field| TimeDelta::from_field(node, field);
    let exceptions = node.get("exception").map(classes).unwrap_or_default();
    RetryRule {
        exceptions: exceptions.iter().filter_map(|class| class.text()).map(canonical).collect(),
        // The defaults of `RetryRule` in Airflow.
        action: RetryAction::from_field(node, "action").unwrap_or(RetryAction::Retry),
        retry_delay: seconds("retry_delay"),
        reason: node.get("reason").and_then(Node::some_text).map(str::to_owned),
        match_subclasses: bool::from_field(node, "match_subclasses").unwrap_or(true),
        max_reschedules: u32::from_field(node, "max_reschedules"),
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
