//! The types of a valid retry policy.

use super::PolicyName;
use document::pattern::Pattern;
use document::units::{GoDuration, Quantity};
use document::{choices, names};
use serde_json::{Value, json};
use std::fmt;

names! {
    /// The form that a document is written in; it picks the engine profile (semantics.md, section 1).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Form {
        /// `armadaproject.io/v1`: the design.
        V1 = "v1",
        /// `armadaproject.io/v1beta1`: what Armada servers take today.
        V1beta1 = "v1beta1",
    }
}

impl Form {
    /// The `globalMaxRetries` of its engine without a setting (semantics.md, section 2).
    pub const fn global_max_retries(self) -> u32 {
        match self {
            Self::V1 => 20,
            Self::V1beta1 => 5,
        }
    }
}

names! {
    /// The action on a failed job.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Action {
        /// Gives the job another run, within the limits (semantics.md, section 5).
        Retry = "Retry",
        /// Ends the job.
        Fail = "Fail",
    }
}

/// A retry policy: ordered rules, of which the first that matches wins (semantics.md, section 4).
#[derive(Debug, Clone, PartialEq)]
pub struct RetryPolicy {
    /// The name, unique on a server.
    pub name: PolicyName,
    /// The form of its document.
    pub form: Form,
    /// The maximum of retries granted by each rule without a limit of its own.
    pub retry_limit: Option<u32>,
    /// The action if no rule matches; absent means [`Action::Fail`].
    pub default_action: Option<Action>,
    /// The backoff of retries that the policy grants.
    pub backoff: Backoff,
    /// Which node a retry avoids.
    pub anti_affinity: Option<AntiAffinity>,
    /// The rules, in order.
    pub rules: Vec<Rule>,
}

/// A rule: matchers that must all hold, and the action if they do (semantics.md, section 4).
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    pub action: Action,
    /// The maximum of retries that this rule grants; absent means the policy's.
    pub retry_limit: Option<u32>,
    /// The only container whose exit code, reason and message count; absent means the first failed one.
    pub container: Option<String>,
    /// Whether init containers count too.
    pub include_init_containers: bool,
    /// Exit codes that match.
    pub exit_codes: Option<ExitCodes>,
    /// Conditions that match, any of them; empty for no such matcher.
    pub conditions: Vec<Condition>,
    /// A termination message that matches.
    pub message: Option<Pattern>,
    /// Failure categories that match, any of them; empty for no such matcher.
    pub categories: Vec<String>,
    /// Failure subcategories that match, any of them; empty for no such matcher.
    pub subcategories: Vec<String>,
    /// The backoff of retries that the rule grants.
    pub backoff: Backoff,
    /// Which node a retry avoids.
    pub anti_affinity: Option<AntiAffinity>,
    /// Whether a retry avoids nodes tried before (`mutate.affinity.avoidSameNode`): all of them in `v1beta1`,
    /// the last one in `v1` (semantics.md, sections 7 and 11).
    pub avoid_same_node: bool,
    /// The growth of memory on a retry that the rule grants.
    pub memory: Option<MemoryBump>,
    /// The static amount of `memory` in the document's notation, so that output repeats it. Without it, the
    /// amount is printed in canonical notation.
    pub memory_text: Option<String>,
}

/// A matcher on exit codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExitCodes {
    /// Whether exit codes match that are among the values, or those that are not.
    pub operator: Operator,
    /// The values, as written.
    pub values: Vec<i32>,
}

/// How exit codes are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// One of the values.
    In,
    /// None of the values. Exit code 0 matches neither operator.
    NotIn,
}

choices! {
    /// A condition of a run's pod or container.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Condition = "condition" {
        /// A container exceeded its memory limit.
        OomKilled = "OOMKilled",
        /// The pod was evicted under node pressure.
        Evicted = "Evicted",
        /// The pod was preempted by the scheduler.
        Preempted = "Preempted",
        /// The pod exceeded activeDeadlineSeconds.
        DeadlineExceeded = "DeadlineExceeded",
        /// The pod could not be scheduled.
        Unschedulable = "Unschedulable",
    }
}

/// The backoff of one level. An absent field is taken from the next level (semantics.md, section 6).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Backoff {
    /// The wait after the first failure.
    pub initial_delay: Option<GoDuration>,
    /// The longest wait.
    pub max_delay: Option<GoDuration>,
    /// The factor from each wait to the next; at least 1.
    pub multiplier: Option<f64>,
}

impl Backoff {
    /// The last level, which sets every field (semantics.md, section 6).
    pub const BUILT_IN: Self = Self {
        initial_delay: Some(GoDuration::ZERO),
        max_delay: Some(GoDuration::from_secs(600)),
        multiplier: Some(2.0),
    };

    /// Fills the fields that this level does not set from `general`.
    #[must_use]
    pub fn or(self, general: Self) -> Self {
        Self {
            initial_delay: self.initial_delay.or(general.initial_delay),
            max_delay: self.max_delay.or(general.max_delay),
            multiplier: self.multiplier.or(general.multiplier),
        }
    }

    /// Whether no field is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The nodes that a retry avoids (semantics.md, section 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AntiAffinity {
    /// Avoids no node.
    None,
    /// Avoids the node of the most recent failed run.
    Node,
}

/// The growth of memory on a retry (semantics.md, section 7).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MemoryBump {
    /// A factor; those of several retries multiply.
    Factor(f64),
    /// An amount that each retry adds.
    Static(Quantity),
}

impl RetryPolicy {
    /// The limit of rules without one; in `v1beta1` an absent limit is 0 (semantics.md, section 1).
    pub fn limit(&self) -> Option<u32> {
        match self.form {
            Form::V1 => self.retry_limit,
            Form::V1beta1 => Some(self.retry_limit.unwrap_or(0)),
        }
    }

    /// The action if no rule matches.
    pub fn default_action(&self) -> Action {
        self.default_action.unwrap_or(Action::Fail)
    }

    /// The matchers, the action and the limit of a rule in a few words: `OOMKilled: Retry, limit 3`; of the default action
    /// without an index.
    pub fn description(&self, rule: Option<usize>) -> String {
        let rule = rule.and_then(|index| self.rules.get(index));
        let (matchers, action) = match rule {
            Some(rule) => {
                let matchers: Vec<String> =
                    rule.matchers().iter().map(ToString::to_string).collect();
                (matchers.join(" and "), rule.action)
            }
            None => ("everything else".to_owned(), self.default_action()),
        };
        let limit = rule.and_then(|rule| rule.retry_limit).or(self.limit());
        match limit.filter(|_| action == Action::Retry) {
            Some(limit) => format!("{matchers}: Retry, limit {limit}"),
            None => format!("{matchers}: {}", action.as_str()),
        }
    }
}

/// One matcher of a rule. Printing, descriptions, the trace, reachability and conversions go through
/// [`Rule::matchers`], so that they follow from a new variant or no longer compile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Matcher<'r> {
    /// `onExitCodes`.
    ExitCodes(&'r ExitCodes),
    /// `onConditions`.
    Conditions(&'r [Condition]),
    /// `onTerminationMessage`.
    Message(&'r Pattern),
    /// `onFailureCategory`.
    Categories(&'r [String]),
    /// `onFailureSubcategory`.
    Subcategories(&'r [String]),
}

impl Matcher<'_> {
    /// The field of a `v1` rule.
    pub fn field(self) -> &'static str {
        match self {
            Self::ExitCodes(_) => "onExitCodes",
            Self::Conditions(_) => "onConditions",
            Self::Message(_) => "onTerminationMessage",
            Self::Categories(_) => "onFailureCategory",
            Self::Subcategories(_) => "onFailureSubcategory",
        }
    }

    /// The value of the field in a document.
    pub fn to_value(self) -> Value {
        match self {
            Self::ExitCodes(codes) => {
                let operator = if codes.operator == Operator::In { "In" } else { "NotIn" };
                json!({"operator": operator, "values": codes.values})
            }
            Self::Conditions(conditions) => {
                conditions.iter().map(|condition| condition.as_str()).collect()
            }
            Self::Message(pattern) => json!({"pattern": pattern.as_str()}),
            Self::Categories(names) | Self::Subcategories(names) => json!(names),
        }
    }

    /// Whether it is on the failure's category or subcategory.
    pub fn is_of_category(self) -> bool {
        matches!(self, Self::Categories(_) | Self::Subcategories(_))
    }
}

/// The matcher in a few words: at most 4 exit codes, and 24 characters of a pattern.
impl fmt::Display for Matcher<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ExitCodes(codes) => {
                let not = if codes.operator == Operator::NotIn { "not " } else { "" };
                let values: Vec<String> =
                    codes.values.iter().take(4).map(ToString::to_string).collect();
                let more = if codes.values.len() > 4 { ".." } else { "" };
                write!(f, "{not}exit {}{more}", values.join("/"))
            }
            Self::Conditions(conditions) => {
                let names: Vec<&str> = conditions.iter().map(|is| is.as_str()).collect();
                f.write_str(&names.join("/"))
            }
            Self::Message(pattern) => {
                let text: String = pattern.as_str().chars().take(24).collect();
                let more = if pattern.as_str().chars().count() > 24 { ".." } else { "" };
                write!(f, "message ~ {text}{more}")
            }
            Self::Categories(names) => write!(f, "category {}", names.join("/")),
            Self::Subcategories(names) => write!(f, "subcategory {}", names.join("/")),
        }
    }
}

impl Rule {
    /// The matchers that the rule has, in the order of its shape.
    pub fn matchers(&self) -> Vec<Matcher<'_>> {
        // Every field is named, so that a new one does not compile before it is listed here.
        let Self {
            exit_codes,
            conditions,
            message,
            categories,
            subcategories,
            action: _,
            retry_limit: _,
            container: _,
            include_init_containers: _,
            backoff: _,
            anti_affinity: _,
            avoid_same_node: _,
            memory: _,
            memory_text: _,
        } = self;
        let all = [
            exit_codes.as_ref().map(Matcher::ExitCodes),
            (!conditions.is_empty()).then_some(Matcher::Conditions(conditions)),
            message.as_ref().map(Matcher::Message),
            (!categories.is_empty()).then_some(Matcher::Categories(categories)),
            (!subcategories.is_empty()).then_some(Matcher::Subcategories(subcategories)),
        ];
        all.into_iter().flatten().collect()
    }

    /// A rule without matchers; the caller sets them.
    pub fn new(action: Action) -> Self {
        Self {
            action,
            retry_limit: None,
            container: None,
            include_init_containers: false,
            exit_codes: None,
            conditions: Vec::new(),
            message: None,
            categories: Vec::new(),
            subcategories: Vec::new(),
            backoff: Backoff::default(),
            anti_affinity: None,
            avoid_same_node: false,
            memory: None,
            memory_text: None,
        }
    }
}
