//! The form that Armada's current servers accept: `armadaproject.io/v1beta1`, with flat fields.
//!
//! It refuses what Armada's server and its own command line refuse (validation.go, strict
//! decoding); non-canonical spellings that they accept are accepted with a warning.

use super::model::{Action, Form, RetryPolicy, Rule};
use super::v1::{LIMIT, RESOURCES, RULE as V1_RULE, limit, memory, memory_text};
use super::{PolicyDocument, PolicyName};
use document::diag::{Code, Diagnostic, Findings, Place};
use document::{Constraint, Document, Entry, Kind, Node, NodeKind, choices, shapes};
use std::sync::{Arc, LazyLock};

shapes! {
    /// Which failures of a job are retried: ordered rules, of which the first that matches wins.
    /// This is the form that Armada servers take today. Of the policies on a queue only the first
    /// is evaluated, and one budget counts all failures of a job.
    pub static POLICY_V1BETA1 = "RetryPolicy" (elsewhere: &[
        (
            "metadata",
            "`v1beta1` is flat: write `name` at the top, or use `apiVersion: armadaproject.io/v1`",
        ),
        (
            "spec",
            "`v1beta1` is flat: write its fields at the top, or use `apiVersion: armadaproject.io/v1`",
        ),
        (
            "backoff",
            "Armada servers do not support backoff yet; it is part of `apiVersion: armadaproject.io/v1`",
        ),
        (
            "antiAffinity",
            "in `v1beta1` write `mutate: {affinity: {avoidSameNode: true}}` on a rule",
        ),
    ]) {
        /// The form: armadaproject.io/v1beta1.
        required apiVersion: Kind::Exactly("armadaproject.io/v1beta1"),
        /// The kind: RetryPolicy.
        required kind: Kind::Exactly("RetryPolicy"),
        /// The name: 1 to 63 of a-z, 0-9 and `-`, a letter or digit at both ends.
        /// Unique on a server; queues refer to it.
        required name: Kind::Name,
        /// Retries a job may have in all. Absent or 0: it is never retried.
        /// N retries are N+1 attempts; preempted runs and returned leases do not count.
        optional retryLimit: LIMIT,
        #[doc = "What happens when no rule matches."]
        required defaultAction: Kind::OneOf(&ACTIONS),
        /// The rules, in order; the first that matches decides.
        optional rules: Kind::List { item: &Kind::Object(&RULE), min: 0 },
    }

    /// A failure category, and the action for failures that have it.
    static RULE = "rule" (constraints: &[
        Constraint::Needs {
            field: "onSubcategory",
            needs: "onCategory",
            code: Code::SubcategoryAlone,
            message: "`onSubcategory` without `onCategory`",
            help: "add the category that it narrows: `onCategory: ..`",
        },
        Constraint::AtLeastOne {
            fields: &["onCategory", "onSubcategory"],
            code: Code::NoMatcher,
            message: "the rule matches nothing: it has no `onCategory`",
            help: "add `onCategory: ..`; a catch-all is `defaultAction`",
        },
    ], elsewhere: &[
        ("onFailureCategory", "in `v1beta1` write `onCategory: ..`, one category a rule"),
        ("onFailureSubcategory", "in `v1beta1` write `onSubcategory: ..`, one a rule"),
        (
            "onExitCodes",
            "Armada servers match categories only; it is part of `apiVersion: armadaproject.io/v1`",
        ),
        (
            "onConditions",
            "Armada servers match categories only; it is part of `apiVersion: armadaproject.io/v1`",
        ),
        (
            "onTerminationMessage",
            "Armada servers match categories only; it is part of `apiVersion: armadaproject.io/v1`",
        ),
        (
            "containerName",
            "Armada servers match categories only; it is part of `apiVersion: armadaproject.io/v1`",
        ),
        (
            "includeInitContainers",
            "Armada servers match categories only; it is part of `apiVersion: armadaproject.io/v1`",
        ),
        ("retryLimit", "in `v1beta1` the policy has one `retryLimit` for all rules"),
        ("antiAffinity", "in `v1beta1` write `mutate: {affinity: {avoidSameNode: true}}`"),
        (
            "backoff",
            "Armada servers do not support backoff yet; it is part of `apiVersion: armadaproject.io/v1`",
        ),
    ]) {
        /// The action when the rule matches.
        required action: Kind::OneOf(&ACTIONS),
        /// The failure category, compared exactly. Every rule needs one.
        /// The executor's errorCategories assign them.
        optional onCategory: Kind::SomeText,
        /// Narrows onCategory to this subcategory, compared exactly.
        /// Empty means absent.
        optional onSubcategory: Kind::Text,
        /// How a retry by this rule changes the job. No effect on a Fail rule.
        optional mutate: Kind::Object(&MUTATE),
    }

    /// How a retry changes the job. It applies to runs that failed, not to expired leases.
    static MUTATE = "mutate" {
        /// Which nodes a retry avoids.
        optional affinity: Kind::Object(&AFFINITY),
        /// How a retry's resources grow.
        optional resources: Kind::Object(&RESOURCES),
    }

    /// Which nodes a retry avoids.
    static AFFINITY = "affinity" {
        /// Whether a retry avoids every node that the job has tried.
        optional avoidSameNode: Kind::Boolean,
    }
}

choices! {
    static ACTIONS = "action" (any_case: true) {
        /// The job gets another run, within the limits.
        "Retry" => &["RETRY_ACTION_RETRY", "2"],
        /// The job ends.
        "Fail" => &["RETRY_ACTION_FAIL", "1"],
    }
}

/// Removes `factor: 0` from memory bumps that have a `static`, with a warning: Armada treats a factor
/// of 0 as absent.
pub(super) fn drop_zero_factors(document: &mut Document, findings: &mut Findings) {
    let source = Arc::clone(&document.source);
    let Some(rules) = document.root.value_mut("rules") else { return };
    let NodeKind::List(rules) = &mut rules.kind else { return };
    for rule in rules {
        let memory = ["mutate", "resources", "memory"];
        let memory = memory.into_iter().try_fold(rule, |node, key| node.value_mut(key));
        let Some(memory) = memory.filter(|memory| memory.entry_in_any_case("static").is_some())
        else {
            continue;
        };
        let NodeKind::Map(entries) = &mut memory.kind else { continue };
        let is_zero = |entry: &Entry| {
            entry.key.eq_ignore_ascii_case("factor") && entry.value.number() == Some(0.0)
        };
        for entry in entries.iter().filter(|entry| is_zero(entry)) {
            let place = Place::new(&source, entry.key_span);
            let message = "Armada reads a `factor` of 0 as one that is not set";
            let finding = Diagnostic::warning(Code::OddSpelling, place, message);
            findings.push(finding.help("remove it: `static` alone applies"));
        }
        entries.retain(|entry| !is_zero(entry));
    }
}

/// The warning that a policy with a Retry action never retries, because its `retryLimit` is absent.
pub(super) fn absent_limit_warning(found: &PolicyDocument) -> Option<Diagnostic> {
    let (policy, document) = (&found.policy, &found.document);
    if policy.form != Form::V1beta1 || policy.retry_limit.is_some() {
        return None;
    }
    let rules = document.root.get("rules").map(Node::items).unwrap_or_default();
    let actions = rules.iter().chain([&document.root]);
    let actions = actions.filter_map(|node| node.get("action").or(node.get("defaultAction")));
    let retry = actions.into_iter().find(|node| action(node) == Some(Action::Retry))?;
    let message = "nothing is retried: `retryLimit` is absent, which is 0 in `v1beta1`";
    let place = document.place(retry.span);
    Some(
        Diagnostic::warning(Code::Misleading, place, message)
            .help("add `retryLimit: N`: N retries of a job in all; write 0 if none is intended"),
    )
}

/// Reads the policy of a checked document; `None` if a value is invalid.
pub(super) fn read(document: &Document) -> Option<RetryPolicy> {
    let root = &document.root;
    let rules = root.get("rules").map(Node::items).unwrap_or_default();
    Some(RetryPolicy {
        name: PolicyName::new(root.get("name")?.text()?)?,
        form: Form::V1beta1,
        retry_limit: limit(root),
        default_action: Some(action(root.get("defaultAction")?)?),
        backoff: super::Backoff::default(),
        anti_affinity: None,
        rules: rules.iter().map(read_rule).collect::<Option<Vec<_>>>()?,
    })
}

fn read_rule(node: &Node) -> Option<Rule> {
    let texts = |key| node.get(key).and_then(Node::some_text).map(str::to_owned);
    let avoid = node.at(&["mutate", "affinity", "avoidSameNode"]).and_then(Node::boolean);
    Some(Rule {
        categories: texts("onCategory").into_iter().collect(),
        subcategories: texts("onSubcategory").into_iter().collect(),
        avoid_same_node: avoid == Some(true),
        memory: memory(node),
        memory_text: memory_text(node),
        ..Rule::new(action(node.get("action")?)?)
    })
}

fn action(node: &Node) -> Option<Action> {
    match ACTIONS.find(&node.scalar()?.text)?.value {
        "Retry" => Some(Action::Retry),
        _ => Some(Action::Fail),
    }
}

/// Fields of a `v1` policy that the `v1beta1` profile cannot evaluate (semantics.md, section 1).
pub(super) const V1_POLICY_FIELDS: [&str; 2] = ["backoff", "antiAffinity"];
/// A `v1` rule's lists of categories; `v1beta1` has a single one of each.
pub(super) const CATEGORY_LISTS: [&str; 2] = ["onFailureCategory", "onFailureSubcategory"];

/// Fields of a `v1` rule that the `v1beta1` profile cannot evaluate (semantics.md, section 1), in the
/// order of their shape.
pub(super) fn v1_rule_fields() -> &'static [&'static str] {
    static FIELDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let deployed = |name: &str| RULE.fields.iter().any(|field| field.name == name);
        let names = V1_RULE.fields.iter().map(|field| field.name);
        names.filter(|name| !deployed(name) && !CATEGORY_LISTS.contains(name)).collect()
    });
    &FIELDS
}

/// Reports each field of the policy that the `v1beta1` profile does not have.
pub fn report_unsupported_by_v1beta1(policy: &PolicyDocument, findings: &mut Findings) {
    if policy.policy.form == Form::V1beta1 {
        return;
    }
    let Some(spec) = policy.document.root.get("spec") else { return };
    let mut report = |node: &Node, fields: &[&str]| {
        for entry in node.entries() {
            if fields.contains(&entry.key.as_str()) && !entry.value.is_null() {
                let message = format!("the v1beta1 engine has no `{}`", entry.key);
                findings.push(
                    Diagnostic::error(
                        Code::ProfileLacks,
                        policy.document.place(entry.key_span),
                        message,
                    )
                    .help("leave `--engine v1beta1` out, or express the rule by category"),
                );
            }
        }
    };
    report(spec, &V1_POLICY_FIELDS);
    for rule in spec.get("rules").map(Node::items).unwrap_or_default() {
        report(rule, v1_rule_fields());
    }
}
