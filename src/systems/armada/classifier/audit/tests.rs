//! The audit against brute force: all pods over a small alphabet, through the executor itself.

use super::*;
use crate::diag::{Code, Source};
use crate::history::{ContainerEnd, KubeContainer, KubePod, PodEvent, UnknownTexts, Waiting};
use crate::policy;
use crate::systems::armada::classifier::config;
use crate::systems::armada::classifier::pod::{FailedContainer, FailedPod};
use crate::systems::armada::classifier::{ClassifierMemory, EmittedAs, Executor, Pass, Situation};
use crate::units::Time;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Texts of containers, pods and events. `~` is in no pattern.
const TEXTS: [&str; 6] = ["", "a", "b", "ab", "~", "~a~"];
const REASONS: [&str; 3] = ["", "Evicted", "DeadlineExceeded"];
const NAMES: [&str; 3] = ["main", "side", "~"];

/// The number of a category, whether it deletes pods, and its rules: a matcher and a subcategory.
type RandomCategory = (usize, bool, Vec<(String, Option<&'static str>)>);

/// A random configuration: the values of `application` and `kubernetes` in YAML.
#[derive(Debug, Clone)]
struct RandomConfig {
    categories: Vec<RandomCategory>,
    default: Option<&'static str>,
    checks: Vec<(&'static str, &'static str)>,
    pending: &'static str,
}

const PENDING: [&str; 4] = [
    // The executor's own.
    "{}",
    // No pod fails.
    "{deadlineForInitContainers: 0s, events: [], containerStatuses: []}",
    "{deadlineForInitContainers: 0s, containerStatuses: [], events: [{regexp: a, type: Warning, gracePeriod: 0s, action: Retry}, {regexp: b, type: Warning, gracePeriod: 0s, action: Fail}]}",
    "{deadlineForInitContainers: 0s, events: [], containerStatuses: [{state: Waiting, reasonRegexp: a, inverse: true, gracePeriod: 0s, action: Fail}]}",
];

impl RandomConfig {
    fn yaml(&self) -> String {
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

    fn read(&self) -> ExecutorConfig {
        let yaml = self.yaml();
        let read = config::read(&[Source::new("executor.yaml", yaml.as_str())]);
        assert_eq!(read.stop, None, "{yaml}");
        read.config.expect("it was decoded")
    }
}

fn matcher(patterns: &'static [&'static str]) -> impl Strategy<Value = String> {
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

fn random_config(patterns: &'static [&'static str]) -> impl Strategy<Value = RandomConfig> {
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

/// Who assigned, and whether the pod is kept: a rule's number, or that of the default.
type Emitted = BTreeSet<(usize, bool)>;

fn events() -> Vec<PodEvent> {
    let mut all = Vec::new();
    for event_type in ["Normal", "Warning"] {
        for reason in ["r", "x"] {
            for message in TEXTS {
                let (event_type, reason) = (event_type.to_owned(), reason.to_owned());
                all.push(PodEvent { event_type, reason, message: message.to_owned() });
            }
        }
    }
    all
}

fn containers() -> Vec<FailedContainer<'static>> {
    let mut all = Vec::new();
    for name in NAMES {
        for exit_code in 1..=3 {
            for reason in ["Error", "OOMKilled"] {
                for message in TEXTS {
                    all.push(FailedContainer { name, exit_code, reason, message });
                }
            }
        }
    }
    all
}

/// All that policies see of pods that failed, with at most one failed container and one event.
fn emitted_of_failed(executor: &Executor, rules: usize) -> Emitted {
    let (events, containers) = (events(), containers());
    let mut memory = ClassifierMemory::default();
    let mut all = Emitted::new();
    for container in containers.iter().map(Some).chain([None]) {
        for reason in REASONS {
            for message in TEXTS {
                for number in 0..=events.len() {
                    let events = events.get(number).map_or(&[][..], std::slice::from_ref);
                    let containers: Vec<_> = container.copied().into_iter().collect();
                    let has_started = true;
                    let unknown = UnknownTexts::NONE;
                    let pod =
                        FailedPod { reason, message, containers, has_started, events, unknown };
                    let (pass, found) = executor.classify_failed(&pod, &mut memory);
                    if pass != Pass::FailedPodCheck {
                        all.insert((found.rule.unwrap_or(rules), pass == Pass::Retain));
                    }
                }
            }
        }
    }
    all
}

/// All that policies see of pods that do not start.
fn emitted_of_pending(executor: &Executor, rules: usize) -> Emitted {
    let mut memory = ClassifierMemory::default();
    let mut all = Emitted::new();
    let failed: Vec<Option<FailedContainer<'_>>> =
        containers().into_iter().map(Some).chain([None]).collect();
    let waiting = |reason: &str, message: &str| KubeContainer {
        name: "~".to_owned(),
        waiting: Some(Waiting { reason: reason.to_owned(), message: message.to_owned() }),
        ..KubeContainer::default()
    };
    let mut others: Vec<(Option<KubeContainer>, Vec<PodEvent>)> = Vec::new();
    for reason in ["InvalidImageName", "a", "b", "~"] {
        others.extend(TEXTS.map(|message| (Some(waiting(reason, message)), Vec::new())));
    }
    let pull = "Failed to pull image failed to pull and unpack image";
    for event in events() {
        let pull = PodEvent { message: format!("{} {pull}", event.message), ..event.clone() };
        let both = PodEvent { message: format!("{} b", event.message), ..event.clone() };
        others.extend([event, pull, both].map(|event| (None, vec![event])));
    }
    let init = KubeContainer {
        name: "i".to_owned(),
        init: true,
        running_since: Some(Time::from_epoch_seconds(1)),
        ..KubeContainer::default()
    };
    others.push((Some(init), Vec::new()));
    for container in &failed {
        for reason in REASONS {
            for (other, events) in &others {
                let end = container.as_ref().map(|container| KubeContainer {
                    name: container.name.to_owned(),
                    end: Some(ContainerEnd {
                        exit_code: Some(container.exit_code),
                        reason: Some(container.reason.to_owned()),
                        message: Some(container.message.to_owned()),
                        ..ContainerEnd::default()
                    }),
                    ..KubeContainer::default()
                });
                let idle = KubeContainer { name: "idle".to_owned(), ..KubeContainer::default() };
                let pod = KubePod {
                    name: "p".to_owned(),
                    phase: "Pending".to_owned(),
                    reason: Some(reason.to_owned()),
                    node: Some("n".to_owned()),
                    created: Some(Time::from_epoch_seconds(0)),
                    init_containers: vec!["i".to_owned()],
                    containers: end.into_iter().chain(other.clone()).chain([idle]).collect(),
                    ..KubePod::default()
                };
                let report = executor.report(&pod, events, Situation::Reported, &mut memory);
                if let Some(emission) = report.emission.filter(|it| it.kind == EmittedAs::PodError)
                {
                    all.insert((
                        emission.classification.rule.unwrap_or(rules),
                        !report.deletes_pod,
                    ));
                }
            }
        }
    }
    all
}

fn emitted(config: &ExecutorConfig, rules: usize) -> Emitted {
    let executor = Executor::new(config);
    let mut all = emitted_of_failed(&executor, rules);
    all.extend(emitted_of_pending(&executor, rules));
    all
}

fn rule_count(config: &ExecutorConfig) -> usize {
    config.categories.categories.iter().map(|category| category.rules.len()).sum()
}

/// Cases of a test: `AUDIT_CASES` sets more.
fn cases(usual: u32) -> ProptestConfig {
    let cases = std::env::var("AUDIT_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig::with_cases(cases.unwrap_or(usual))
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn what_rules_reach_is_what_all_pods_show(
        random in random_config(&["", ".*", "a", "b", "ab"]),
    ) {
        let config = random.read();
        let rules = rule_count(&config);
        let emitted = emitted(&config, rules);
        let reach = Reach::new(&config);
        for number in 0..=rules {
            let reached = reach.of_rule(number);
            for (is_kept, certainty) in [(true, reached.kept), (false, reached.deleted)] {
                let expected = if emitted.contains(&(number, is_kept)) {
                    reach::Certainty::Exists
                } else {
                    reach::Certainty::Never
                };
                prop_assert_eq!(certainty, expected, "rule {} kept {}:\n{}", number, is_kept, random.yaml());
            }
        }
    }

    #[test]
    fn nothing_is_claimed_wrongly_of_other_patterns(
        random in random_config(&["", "a", "ab", "^a$", "a+", "[ab]", "(?i)A", "^.$", "b|a", "^$"]),
    ) {
        let config = random.read();
        let rules = rule_count(&config);
        let emitted = emitted(&config, rules);
        let reach = Reach::new(&config);
        for number in 0..=rules {
            let reached = reach.of_rule(number);
            for (is_kept, certainty) in [(true, reached.kept), (false, reached.deleted)] {
                let is_emitted = emitted.contains(&(number, is_kept));
                let is_wrong = match certainty {
                    reach::Certainty::Never => is_emitted,
                    reach::Certainty::Exists => !is_emitted,
                    reach::Certainty::Unknown => false,
                };
                prop_assert!(!is_wrong, "rule {} kept {}: {:?}\n{}", number, is_kept, certainty, random.yaml());
            }
        }
    }
}

/// A rule of a random policy: whether it retries, its category and its subcategory.
type RandomRule = (bool, &'static str, Option<&'static str>);

#[derive(Debug, Clone)]
struct RandomPolicy {
    limit: Option<u32>,
    retries_by_default: bool,
    rules: Vec<RandomRule>,
}

fn action(retries: bool) -> &'static str {
    if retries { "Retry" } else { "Fail" }
}

impl RandomPolicy {
    /// The document. The rules begin in line 4, one a line, and the default action is in line 2.
    fn yaml(&self, name: &str) -> String {
        let limit = self.limit.map_or_else(String::new, |limit| format!(", retryLimit: {limit}"));
        let mut text = format!(
            "{{apiVersion: armadaproject.io/v1beta1, kind: RetryPolicy, name: {name}{limit},\ndefaultAction: {},\nrules: [\n",
            action(self.retries_by_default)
        );
        for (retries, category, subcategory) in &self.rules {
            let sub = subcategory.map_or_else(String::new, |it| format!(", onSubcategory: {it}"));
            text += &format!("{{action: {}, onCategory: {category}{sub}}},\n", action(*retries));
        }
        text + "]}\n"
    }

    fn accepts(rule: &RandomRule, (category, subcategory): (&str, &str)) -> bool {
        rule.1 == category && rule.2.is_none_or(|it| it == subcategory)
    }
}

fn random_policy() -> impl Strategy<Value = RandomPolicy> {
    let category = prop::sample::select(&["c0", "c1", "c2", "d", "internal", "C0"][..]);
    let subcategory =
        prop::option::of(prop::sample::select(&["s", "t", "lease-expired", "node-failure"][..]));
    let rules = prop::collection::vec((any::<bool>(), category, subcategory), 1..5);
    let limit = prop_oneof![Just(None), Just(Some(0)), Just(Some(2))];
    (limit, any::<bool>(), rules).prop_map(|(limit, retries_by_default, rules)| RandomPolicy {
        limit,
        retries_by_default,
        rules,
    })
}

/// A category, a subcategory, and whether the pod is kept.
type Pairs = BTreeSet<(String, String, bool)>;

fn pairs(config: &ExecutorConfig, emitted: &Emitted) -> Pairs {
    let categories = &config.categories.categories;
    let names = categories.iter().flat_map(|category| {
        category
            .rules
            .iter()
            .map(|rule| (category.name.text.clone(), rule.subcategory.text.clone()))
    });
    let names: Vec<(String, String)> =
        names.chain([(config.categories.default_category.text.clone(), String::new())]).collect();
    let own = emitted.iter().map(|(number, is_kept)| {
        let (category, subcategory) = names[*number].clone();
        (category, subcategory, *is_kept)
    });
    let internal = "active-deadline externally-deleted issue-handler-error job-creation-failed \
                    lease-expired pod-missing stuck-terminating";
    let internal = internal.split(' ').map(|it| ("internal".to_owned(), it.to_owned(), false));
    own.chain(internal).collect()
}

/// The findings that definitions give: the id, the file, and the line or the category.
fn expected(
    rules: usize,
    emitted: &Emitted,
    pairs: &Pairs,
    policies: &[RandomPolicy],
) -> Vec<String> {
    let mut all: Vec<String> = (0..rules)
        .filter(|number| {
            !emitted.contains(&(*number, true)) && !emitted.contains(&(*number, false))
        })
        .map(|_| "RP044 executor.yaml".to_owned())
        .collect();
    for (file, policy) in policies.iter().enumerate() {
        for (number, (retries, category, subcategory)) in policy.rules.iter().enumerate() {
            let line = number + 4;
            let is_reported = pairs.iter().any(|it| it.0 == *category);
            let has_pair = subcategory.is_none_or(|subcategory| {
                pairs.iter().any(|it| it.0 == *category && it.1 == subcategory)
            });
            if !is_reported || !has_pair {
                all.push(format!("RP044 p{file}.yaml {line}"));
            }
            let is_first = |pair| {
                let mut earlier = policy.rules[..number].iter();
                RandomPolicy::accepts(&policy.rules[number], pair)
                    && !earlier.any(|rule| RandomPolicy::accepts(rule, pair))
            };
            let has_kept = pairs.iter().any(|it| it.2 && is_first((&it.0, &it.1)));
            if *retries && policy.limit.unwrap_or(0) > 0 && has_kept {
                all.push(format!("RP046 p{file}.yaml {line}"));
            }
        }
        let is_default = |pair| !policy.rules.iter().any(|rule| RandomPolicy::accepts(rule, pair));
        let has_kept = pairs.iter().any(|it| it.2 && is_default((&it.0, &it.1)));
        if policy.retries_by_default && policy.limit.unwrap_or(0) > 0 && has_kept {
            all.push(format!("RP046 p{file}.yaml 2"));
        }
    }
    let is_unhandled = |pair| {
        !policies
            .iter()
            .flat_map(|policy| &policy.rules)
            .any(|rule| RandomPolicy::accepts(rule, pair))
    };
    let unhandled: BTreeSet<&str> = pairs
        .iter()
        .filter(|it| !it.0.is_empty() && is_unhandled((&it.0, &it.1)))
        .map(|it| it.0.as_str())
        .collect();
    all.extend(unhandled.into_iter().map(|category| format!("RP045 {category}")));
    all.sort();
    all
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn findings_are_those_that_definitions_give(
        random in random_config(&["", ".*", "a", "b", "ab"]),
        random_policies in prop::collection::vec(random_policy(), 1..3),
    ) {
        let config = random.read();
        let rules = rule_count(&config);
        let emitted = emitted(&config, rules);
        let expected = expected(rules, &emitted, &pairs(&config, &emitted), &random_policies);
        let sources: Vec<_> = random_policies
            .iter()
            .enumerate()
            .map(|(file, policy)| Source::new(format!("p{file}.yaml"), policy.yaml(&format!("p{file}"))))
            .collect();
        let (documents, findings) = policy::read(&sources);
        prop_assert!(!findings.has_errors(), "{:?}", findings.sorted());
        let clusters = [ClusterConfig { cluster: None, config }];
        let mut found: Vec<String> = audit(&clusters, &documents.policies)
            .iter()
            .map(|finding| {
                let place = finding.place.as_ref().expect("it has a place");
                let (id, file) = (finding.code.id(), place.source.name());
                match finding.code {
                    Code::NotHandled => {
                        format!("{id} {}", finding.message.split('`').nth(1).unwrap_or_default())
                    }
                    _ if file == "executor.yaml" => format!("{id} {file}"),
                    _ => format!("{id} {file} {}", place.start().line),
                }
            })
            .collect();
        found.sort();
        prop_assert_eq!(found, expected, "{}", random.yaml());
    }
}
