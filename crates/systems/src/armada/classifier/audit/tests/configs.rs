//! Random configurations over a small alphabet.

use crate::armada::classifier::config::{self, ExecutorConfig};
use document::diag::Source;
use proptest::prelude::*;

/// The number of a category, whether it deletes pods, and its rules: a matcher and a subcategory.
pub(super) type RandomCategory = (usize, bool, Vec<(String, Option<&'static str>)>);

/// A random configuration: the values of `application` and `kubernetes` in YAML.
#[derive(Debug, Clone)]
pub(super) struct RandomConfig {
    categories: Vec<RandomCategory>,
    default: Option<&'static str>,
    checks: Vec<(&'static str, &'static str)>,
    pending: &'static str,
}

pub(super) const PENDING: [&str; 4] = [
    // The executor's own.
    "{}",
    // No pod fails.
    "{deadlineForInitContainers: 0s, events: [], containerStatuses: []}",
    "{deadlineForInitContainers: 0s, containerStatuses: [], events: [{regexp: a, type: Warning, gracePeriod: 0s, action: Retry}, {regexp: b, type: Warning, gracePeriod: 0s, action: Fail}]}",
    "{deadlineForInitContainers: 0s, events: [], containerStatuses: [{state: Waiting, reasonRegexp: a, inverse: true, gracePeriod: 0s, action: Fail}]}",
];

impl RandomConfig {
    pub(super) fn yaml(&self) -> String {
        let mut text = "application: {errorCategories: {enabled: true".to_owned();
        if let Some(name) = self.default {
            text += &format!(", defaultCategory: {name}");
        }
        text += ", categories: [";
        for (number, deletes, rules) in &self.categories {
            let action = if *deletes { "Delete" } else { "Retain" };
            let rules: Vec<String> = rules
                .iter()
                .map(|(matcher, subcategory)| match subcategory {
                    Some(name) => format!("{{{matcher}, subcategory: {name}}}"),
                    None => format!("{{{matcher}}}"),
                })
                .collect();
            text +=
                &format!("{{name: c{number}, action: {action}, rules: [{}]}},", rules.join(", "));
        }
        text += "]}}\n";
        let checks: Vec<String> = self
            .checks
            .iter()
            .map(|(name, message)| {
                format!("{{containerNameRegexp: '{name}', messageRegexp: '{message}'}}")
            })
            .collect();
        let checks = checks.join(", ");
        text + &format!(
            "kubernetes: {{pendingPodChecks: {}, failedPodChecks: {{containerStatuses: [{checks}]}}}}\n",
            self.pending
        )
    }

    pub(super) fn read(&self) -> ExecutorConfig {
        let yaml = self.yaml();
        let read = config::read(&[Source::new("executor.yaml", yaml.as_str())]);
        assert_eq!(read.stop, None, "{yaml}");
        read.config.expect("it was decoded")
    }
}

pub(super) fn matcher(patterns: &'static [&'static str]) -> impl Strategy<Value = String> {
    let pattern = || prop::sample::select(patterns);
    let name = prop_oneof![
        3 => Just(""),
        1 => Just("containerName: main, "),
        1 => Just("containerName: side, "),
    ];
    let codes = prop::sample::select(&["[0]", "[1]", "[2]", "[1, 2]", "[0, 1]"][..]);
    let operator = prop::sample::select(&["In", "NotIn"][..]);
    let conditions = prop::sample::select(
        &["[OOMKilled]", "[Evicted]", "[DeadlineExceeded]", "[OOMKilled, Evicted]"][..],
    );
    let reason = prop_oneof![Just(""), Just(", reason: r")];
    let event_type = prop_oneof![Just("Normal"), Just("Warning")];
    let test = prop_oneof![
        (operator, codes).prop_map(|(operator, codes)| format!(
            "onExitCodes: {{operator: {operator}, values: {codes}}}"
        )),
        conditions.prop_map(|conditions| format!("onConditions: {conditions}")),
        pattern().prop_map(|pattern| format!("onTerminationMessage: {{pattern: '{pattern}'}}")),
        pattern().prop_map(|pattern| format!("onPodError: {{pattern: '{pattern}'}}")),
        (pattern(), reason, event_type).prop_map(|(pattern, reason, event_type)| {
            format!("onPodEvents: {{regexp: '{pattern}', type: {event_type}{reason}}}")
        }),
    ];
    (name, test).prop_map(|(name, test)| format!("{name}{test}"))
}

pub(super) fn random_config(
    patterns: &'static [&'static str],
) -> impl Strategy<Value = RandomConfig> {
    let subcategory = prop::option::of(prop::sample::select(&["s", "t"][..]));
    let rules = prop::collection::vec((matcher(patterns), subcategory), 1..4);
    let categories = prop::collection::vec((any::<bool>(), rules), 1..4);
    let categories = categories.prop_map(|all| {
        let all = all.into_iter().enumerate();
        all.map(|(number, (deletes, rules))| (number, deletes, rules)).collect()
    });
    let name = prop::sample::select(&["", "main", "side"][..]);
    let checks = prop::collection::vec((name, prop::sample::select(patterns)), 0..2);
    let default = prop_oneof![Just(None), Just(Some("d")), Just(Some("c0"))];
    (categories, default, checks, prop::sample::select(&PENDING[..])).prop_map(
        |(categories, default, checks, pending)| RandomConfig {
            categories,
            default,
            checks,
            pending,
        },
    )
}
