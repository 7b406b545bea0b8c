//! RetryPolicy documents of both forms as plain data (section 1's table). Decides nothing.

use regex::bytes::{Regex, RegexBuilder};
use serde_json::Value;

use super::backoff::Backoff;
use super::json::{list, owned, text, texts};
use super::quantity::{Fraction, bytes};

/// What a rule or a default says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Retry,
    Fail,
}

/// `onExitCodes` (section 4).
pub struct ExitCodes {
    pub negated: bool,
    pub values: Vec<i64>,
}

/// `mutate.resources.memory` (section 7).
#[derive(Clone, Copy)]
pub enum Bump {
    Factor(Fraction),
    Static(i128),
}

/// One rule. An empty list is a matcher that is not set: "A matcher's list may not be empty" (section 4).
pub struct Rule {
    pub action: Action,
    pub limit: Option<u64>,
    pub container: Option<String>,
    pub include_init: bool,
    pub exit_codes: Option<ExitCodes>,
    pub conditions: Vec<String>,
    pub message: Option<Regex>,
    pub categories: Vec<String>,
    pub subcategories: Vec<String>,
    pub backoff: Backoff,
    /// `antiAffinity.mode` is `node`; `None` where nothing is said.
    pub avoid_node: Option<bool>,
    /// `mutate.affinity.avoidSameNode`, which like all of `mutate` is for Failed runs only.
    pub avoid_by_mutation: bool,
    pub bump: Option<Bump>,
}

/// One policy.
pub struct Policy {
    pub name: String,
    pub limit: Option<u64>,
    pub default_action: Action,
    pub backoff: Backoff,
    pub avoid_node: Option<bool>,
    pub rules: Vec<Rule>,
}

impl Policy {
    /// Either form, by `apiVersion`.
    pub fn read(document: &Value) -> Self {
        if is_v1beta1(document) { Self::read_v1beta1(document) } else { Self::read_v1(document) }
    }

    fn read_v1(document: &Value) -> Self {
        let spec = &document["spec"];
        Self {
            name: owned(&document["metadata"], "name").expect("a policy has a name"),
            limit: spec["retryLimit"].as_u64(),
            default_action: action(&spec["defaultAction"]),
            backoff: Backoff::read(&spec["backoff"]),
            avoid_node: avoid(spec),
            rules: list(spec, "rules").iter().map(rule_v1).collect(),
        }
    }

    /// Section 1: "a `v1beta1` document under `v1` keeps its meaning of an absent `retryLimit` (0)".
    fn read_v1beta1(document: &Value) -> Self {
        Self {
            name: owned(document, "name").expect("a policy has a name"),
            limit: Some(document["retryLimit"].as_u64().unwrap_or(0)),
            default_action: action(&document["defaultAction"]),
            backoff: Backoff::default(),
            avoid_node: None,
            rules: list(document, "rules").iter().map(rule_v1beta1).collect(),
        }
    }
}

/// True for the flat form.
pub fn is_v1beta1(document: &Value) -> bool {
    document["apiVersion"] == "armadaproject.io/v1beta1"
}

/// Section 1: `defaultAction` "absent means Fail".
fn action(value: &Value) -> Action {
    if value == "Retry" { Action::Retry } else { Action::Fail }
}

fn avoid(owner: &Value) -> Option<bool> {
    text(&owner["antiAffinity"], "mode").map(|mode| mode == "node")
}

fn rule_v1(rule: &Value) -> Rule {
    let codes = &rule["onExitCodes"];
    Rule {
        action: action(&rule["action"]),
        limit: rule["retryLimit"].as_u64(),
        container: owned(rule, "containerName"),
        include_init: rule["includeInitContainers"].as_bool().unwrap_or(false),
        exit_codes: codes.is_object().then(|| exit_codes(codes)),
        conditions: texts(rule, "onConditions"),
        message: text(&rule["onTerminationMessage"], "pattern").map(pattern),
        categories: texts(rule, "onFailureCategory"),
        subcategories: texts(rule, "onFailureSubcategory"),
        backoff: Backoff::read(&rule["backoff"]),
        avoid_node: avoid(rule),
        avoid_by_mutation: false,
        bump: bump(rule),
    }
}

fn rule_v1beta1(rule: &Value) -> Rule {
    Rule {
        action: action(&rule["action"]),
        limit: None,
        container: None,
        include_init: false,
        exit_codes: None,
        conditions: Vec::new(),
        message: None,
        categories: owned(rule, "onCategory").into_iter().collect(),
        subcategories: owned(rule, "onSubcategory").into_iter().collect(),
        backoff: Backoff::default(),
        avoid_node: None,
        avoid_by_mutation: rule["mutate"]["affinity"]["avoidSameNode"] == true,
        bump: bump(rule),
    }
}

fn exit_codes(codes: &Value) -> ExitCodes {
    ExitCodes {
        negated: codes["operator"] == "NotIn",
        values: list(codes, "values").iter().filter_map(Value::as_i64).collect(),
    }
}

/// ASCII classes as Go has them. The patterns tested stay inside what both dialects read alike.
fn pattern(pattern: &str) -> Regex {
    let built = RegexBuilder::new(pattern).unicode(false).build();
    built.expect("a pattern of the shared dialect")
}

fn bump(rule: &Value) -> Option<Bump> {
    let memory = &rule["mutate"]["resources"]["memory"];
    let factor = Fraction::of(&memory["factor"]).map(Bump::Factor);
    factor.or_else(|| text(memory, "static").and_then(bytes).map(Bump::Static))
}
