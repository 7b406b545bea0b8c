//! Random policies for the tests of commands.

use armada_retry::policy::{self, Documents};
use document::diag::Source;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

/// Random rules of `v1`, in flow style.
pub(super) fn rule() -> impl Strategy<Value = String> {
    let list = |names: Vec<&'static str>| {
        let most = names.len();
        subsequence(names, 1..=most).prop_map(|names| format!("[{}]", names.join(", ")))
    };
    let codes = (select(vec!["In", "NotIn"]), list(vec!["1", "2", "137"]))
        .prop_map(|(operator, values)| {
            format!("onExitCodes: {{operator: {operator}, values: {values}}}")
        })
        .boxed();
    let conditions = list(vec!["OOMKilled", "Evicted", "Preempted", "DeadlineExceeded"])
        .prop_map(|names| format!("onConditions: {names}"))
        .boxed();
    let patterns = vec!["a", "b", "^a$", "a|b", "[^a]", "^[^b]*$", "(?i)A.*B", ".", "^b.?$"];
    let messages = select(patterns)
        .prop_map(|pattern| format!("onTerminationMessage: {{pattern: '{pattern}'}}"))
        .boxed();
    let categories = list(vec!["x", "y"]).prop_map(|it| format!("onFailureCategory: {it}")).boxed();
    let both = (list(vec!["x", "y"]), list(vec!["s", "t"])).prop_map(|(categories, within)| {
        format!("onFailureCategory: {categories}, onFailureSubcategory: {within}")
    });
    let names = categories.prop_union(both.boxed()).boxed();
    let matchers = subsequence(vec![codes, conditions, messages, names], 1..=3)
        .prop_flat_map(|matchers| matchers);
    let scopes = ["containerName: a", "containerName: main", "includeInitContainers: true"];
    let scope = prop::option::weighted(0.4, select(scopes.to_vec()));
    let terms = vec![
        "backoff: {initialDelay: 10s}",
        "antiAffinity: {mode: node}",
        "mutate: {resources: {memory: {factor: 1.5}}}",
    ];
    let action = prop_oneof![
        1 => Just("action: Fail".to_owned()),
        2 => (prop::option::of(0..4_u32), subsequence(terms, 0..=1)).prop_map(|(limit, terms)| {
            let limit = limit.map(|limit| format!("retryLimit: {limit}"));
            let action = "action: Retry".to_owned();
            [action].into_iter().chain(limit).chain(terms.into_iter().map(str::to_owned)).collect::<Vec<_>>().join(", ")
        }),
    ];
    (action, matchers, scope).prop_map(|(action, matchers, scope)| {
        let matchers = matchers.join(", ");
        let scope = scope.map(|scope| format!(", {scope}")).unwrap_or_default();
        format!("{{{action}, {matchers}{scope}}}")
    })
}

/// A random policy of `v1`.
pub(super) fn policy(name: &'static str) -> impl Strategy<Value = String> {
    let rules = prop::collection::vec(rule(), 0..9);
    let default = select(vec!["Retry", "Fail"]);
    let fields = vec!["backoff: {initialDelay: 5s}, ", "antiAffinity: {mode: node}, "];
    (rules, prop::option::of(0..4_u32), default, subsequence(fields, 0..=1)).prop_map(
        move |(rules, limit, default, fields)| {
            let limit = limit.map(|limit| format!("retryLimit: {limit}, ")).unwrap_or_default();
            let (fields, rules) = (fields.concat(), rules.join(", "));
            format!(
                "{{apiVersion: armadaproject.io/v1, kind: RetryPolicy, metadata: {{name: {name}}}, \
                 spec: {{{limit}{fields}defaultAction: {default}, rules: [{rules}]}}}}\n"
            )
        },
    )
}

/// A random policy of `v1beta1`.
pub(super) fn v1beta1_policy() -> impl Strategy<Value = String> {
    let retry = "action: Retry, mutate: {affinity: {avoidSameNode: true}}";
    let action = select(vec!["action: Retry", "action: Fail", retry]);
    let name = select(vec!["c", "d"]);
    let subcategory = prop::option::of(select(vec!["s", "t"]));
    let rule = (action, name, subcategory).prop_map(|(action, name, subcategory)| {
        let of = subcategory.map(|it| format!(", onSubcategory: {it}")).unwrap_or_default();
        format!("{{{action}, onCategory: {name}{of}}}")
    });
    let rules = prop::collection::vec(rule, 0..5);
    (rules, prop::option::of(0..4_u32), select(vec!["Retry", "Fail"])).prop_map(
        |(rules, limit, default)| {
            let limit = limit.map(|limit| format!("retryLimit: {limit}, ")).unwrap_or_default();
            let rules = rules.join(", ");
            format!(
                "{{apiVersion: armadaproject.io/v1beta1, kind: RetryPolicy, name: p, {limit}\
                 defaultAction: {default}, rules: [{rules}]}}\n"
            )
        },
    )
}

/// The documents of a text without errors.
pub(super) fn documents(text: String) -> Documents {
    let (documents, findings) = policy::read(&[Source::new("p.yaml", text)]);
    assert!(!findings.has_errors(), "{findings:?}");
    documents
}
