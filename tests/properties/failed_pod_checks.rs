//! The categories that `convert` writes for checks of failed pods give the verdict of the checks, wherever no loss is
//! reported: whether a failed pod is deleted and its job runs again.

use document::diag::{Place, Source};
use document::pattern::Pattern;
use flate2::read::GzDecoder;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use replay::history::{DescribedPod, PodEvent, UnknownTexts, described_pods};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use systems::armada::classifier::config::{
    ExecutorConfig, FailedContainerConfig, PodStatusConfig, Text, read,
};
use systems::armada::classifier::{
    CategoryConversion, ClassifierMemory, Executor, FailedContainer, FailedPod, FailedPodChecks,
    Loss, Pass, to_categories,
};

/// A configuration, converted; the executor that has both files.
struct Converted {
    config: ExecutorConfig,
    checks: FailedPodChecks,
    conversion: CategoryConversion,
    before: Executor,
    after: Executor,
}

impl Converted {
    /// Converts a configuration; `None` if it has faults.
    fn new(file: &Value) -> Option<Self> {
        let file = Source::new("executor.yaml", file.to_string());
        let read_first = read(std::slice::from_ref(&file));
        let config = read_first.config.filter(|_| read_first.stop.is_none())?;
        let conversion = to_categories(&config);
        let changed = conversion.to_value(&config.failed_checks).to_string();
        let read_both = read(&[file, Source::new("categories.yaml", changed)]);
        assert_eq!(read_both.stop, None, "the executor starts: {:?}", read_both.findings);
        let after = read_both.config.expect("the executor starts");
        assert!(after.failed_checks.is_empty(), "the checks are off");
        Some(Self {
            checks: FailedPodChecks::new(&config.failed_checks),
            before: Executor::new(&config),
            after: Executor::new(&after),
            config,
            conversion,
        })
    }

    fn is_returned(&self, pod: &FailedPod<'_>) -> bool {
        self.checks.retryable(pod).is_some()
    }

    /// Whether the pod is deleted, and its category is one that a policy retries.
    fn is_retried(&self, pod: &FailedPod<'_>) -> bool {
        let (pass, found) = self.after.classify_failed(pod, &mut ClassifierMemory::default());
        pass == Pass::Delete && self.conversion.retried.iter().any(|it| it == found.category)
    }

    fn has(&self, loss: Loss) -> bool {
        self.conversion.notes.iter().any(|note| note.loss == Some(loss))
    }

    fn has_at(&self, loss: Loss, field: &str, place: &Place) -> bool {
        let mut notes = self.conversion.notes.iter();
        notes.any(|note| {
            note.loss == Some(loss) && note.field == field && is_same(&note.place, place)
        })
    }

    /// The reported loss that explains a difference of the verdicts, if there is one.
    fn explanation(&self, pod: &FailedPod<'_>) -> Option<Loss> {
        if !self.is_returned(pod) {
            return self.explanation_of_retry(pod);
        }
        let losses = if pod.has_started {
            self.losses_of_containers(pod)
        } else {
            let mut losses = self.losses_of_events(pod);
            losses.extend(self.losses_of_statuses(pod));
            losses
        };
        // Each check that returns the lease has to be lost.
        let all: Option<Vec<Loss>> = losses.into_iter().collect();
        all?.into_iter().max()
    }

    /// Why a pod is retried that no check returns.
    fn explanation_of_retry(&self, pod: &FailedPod<'_>) -> Option<Loss> {
        if !pod.containers.is_empty() {
            return None;
        }
        if pod.has_started {
            return self.has(Loss::StartedPod).then_some(Loss::StartedPod);
        }
        let is_dropped = |check: &&PodStatusConfig| {
            self.has_at(Loss::Reason, "reason", &check.reason.place)
                && check.reason.text != pod.reason
                && matches(&check.regexp, pod.message)
        };
        let mut checks = self.config.failed_checks.pod_statuses.iter();
        checks.find(is_dropped).map(|_| Loss::Reason)
    }

    fn loss_of_empty(&self, text: &str, field: &str, pattern: &Text) -> Option<Loss> {
        let is_lost = text.is_empty() && self.has_at(Loss::EmptyText, field, &pattern.place);
        is_lost.then_some(Loss::EmptyText)
    }

    fn losses_of_containers(&self, pod: &FailedPod<'_>) -> Vec<Option<Loss>> {
        let checks = &self.config.failed_checks.container_statuses;
        let pairs = checks.iter().flat_map(|it| pod.containers.iter().map(move |of| (it, of)));
        let returning = pairs.filter(|(FailedContainerConfig { name, message }, container)| {
            matches(name, container.name) && matches(message, container.message)
        });
        let loss = |(check, container): (&FailedContainerConfig, &FailedContainer<'_>)| {
            let lost = [Loss::UnlistedNames, Loss::OtherNames];
            let mut lost = lost.into_iter();
            let of_name =
                lost.find(|it| self.has_at(*it, "containerNameRegexp", &check.name.place));
            let of_text = self.loss_of_empty(container.message, "messageRegexp", &check.message);
            of_text.or_else(|| of_name.filter(|_| !self.is_tested(container.name, check)))
        };
        returning.map(loss).collect()
    }

    /// Whether a rule of a check names a container.
    fn is_tested(&self, name: &str, check: &FailedContainerConfig) -> bool {
        let categories = self.conversion.categories.categories.iter();
        let mut rules = categories.flat_map(|category| &category.rules);
        rules
            .any(|rule| is_same(&rule.place, &check.name.place) && rule.container_name.text == name)
    }

    fn losses_of_events(&self, pod: &FailedPod<'_>) -> Vec<Option<Loss>> {
        let checks = &self.config.failed_checks.events;
        let pairs = checks.iter().flat_map(|check| pod.events.iter().map(move |it| (check, it)));
        let returning = pairs.filter(|(check, event)| {
            check.event_type.text == event.event_type
                && (check.reason.is_empty() || check.reason.text == event.reason)
                && matches(&check.regexp, &event.message)
        });
        let loss = returning
            .map(|(check, event)| self.loss_of_empty(&event.message, "regexp", &check.regexp));
        loss.map(|loss| loss.or_else(|| self.earlier_rule())).collect()
    }

    fn losses_of_statuses(&self, pod: &FailedPod<'_>) -> Vec<Option<Loss>> {
        let checks = self.config.failed_checks.pod_statuses.iter();
        let returning = checks.filter(|check| {
            (check.reason.is_empty() || check.reason.text == pod.reason)
                && matches(&check.regexp, pod.message)
        });
        let loss = returning.map(|check| self.loss_of_empty(pod.message, "regexp", &check.regexp));
        loss.map(|loss| loss.or_else(|| self.earlier_rule())).collect()
    }

    fn earlier_rule(&self) -> Option<Loss> {
        self.has(Loss::EarlierRule).then_some(Loss::EarlierRule)
    }
}

fn is_same(first: &Place, second: &Place) -> bool {
    first.span == second.span && first.source.name() == second.source.name()
}

fn matches(pattern: &Text, text: &str) -> bool {
    let pattern = Pattern::parse(&pattern.text).expect("Go accepts it");
    pattern.regex().expect("it is small").is_match(text)
}

/// Patterns for messages: some match every text, some the empty text alone.
const PATTERNS: [&str; 10] = [
    "",
    ".*",
    "^$",
    "nvidia",
    "(?i)cuda.*error",
    "low on resource",
    "^Pod was rejected",
    "^$|gpu",
    "^[^x]*$",
    "a$",
];
const MESSAGES: [&str; 7] = [
    "",
    "Allocate failed for nvidia.com/gpu",
    "CUDA runtime error",
    "The node was low on resource: memory",
    "Pod was rejected: x",
    "a\nb",
    "a",
];
const NAME_PATTERNS: [&str; 9] =
    ["", "main", "^main$", "^(main|side)$", "init.*", "^a.*b$", "(?i)MAIN", "^Main$", "^.+$"];
const NAMES: [&str; 6] = ["main", "main2", "side", "init-a", "a-b", "x"];
const REASONS: [&str; 5] =
    ["", "Evicted", "DeadlineExceeded", "UnexpectedAdmissionError", "Terminated"];
const TYPES: [&str; 2] = ["Normal", "Warning"];

fn event_check() -> impl Strategy<Value = Value> {
    (select(&PATTERNS[..]), select(&REASONS[..]), select(&TYPES[..])).prop_map(
        |(regexp, reason, kind)| json!({"regexp": regexp, "reason": reason, "type": kind}),
    )
}

fn checks() -> impl Strategy<Value = Value> {
    let status = (select(&PATTERNS[..]), select(&REASONS[..]))
        .prop_map(|(regexp, reason)| json!({"regexp": regexp, "reason": reason}));
    let container = (select(&NAME_PATTERNS[..]), select(&PATTERNS[..]))
        .prop_map(|(name, text)| json!({"containerNameRegexp": name, "messageRegexp": text}));
    (vec(event_check(), 0..3), vec(status, 0..3), vec(container, 0..3)).prop_map(
        |(events, statuses, containers)| {
            json!({"events": events, "podStatuses": statuses, "containerStatuses": containers})
        },
    )
}

fn rule() -> impl Strategy<Value = Value> {
    prop_oneof![
        event_check().prop_map(|event| json!({"onPodEvents": event})),
        select(&PATTERNS[..]).prop_map(|text| json!({"onPodError": {"pattern": text}})),
        (select(&PATTERNS[..]), select(&NAMES[..])).prop_map(|(text, name)| {
            json!({"onTerminationMessage": {"pattern": text}, "containerName": name})
        }),
        subsequence(&["OOMKilled", "Evicted", "DeadlineExceeded"][..], 1..3)
            .prop_map(|conditions| json!({"onConditions": conditions})),
        (select(&TYPES[..]), subsequence(&[0, 1, 74][..], 1..3)).prop_map(|(kind, values)| {
            let operator = if kind == "Normal" { "In" } else { "NotIn" };
            json!({"onExitCodes": {"operator": operator, "values": values}, "hint": "h"})
        }),
    ]
}

/// The categories of an executor: none, or some.
fn categories() -> impl Strategy<Value = Value> {
    let names = &["a", "b", "default", "retryable-pod"][..];
    let category = (vec(rule(), 1..3), select(&["Delete", "Retain"][..]));
    let default = select(&["", "default", "retryable-container"][..]);
    let some = (subsequence(names, 0..4), vec(category, 4), any::<bool>(), default);
    some.prop_map(|(names, categories, enabled, default)| {
        let of = |(name, (rules, action)): (&str, (Vec<Value>, &str))| {
            json!({"name": name, "action": action, "rules": rules})
        };
        let categories: Vec<Value> = names.into_iter().zip(categories).map(of).collect();
        json!({
            "enabled": enabled,
            "defaultCategory": default,
            "defaultSubcategory": "none",
            "categories": categories,
        })
    })
}

/// A failed pod that owns its texts.
#[derive(Debug, Clone)]
struct Pod {
    reason: &'static str,
    message: &'static str,
    containers: Vec<(&'static str, i64, &'static str)>,
    has_started: bool,
    events: Vec<PodEvent>,
}

impl Pod {
    fn failed(&self) -> FailedPod<'_> {
        let failed = |(name, exit_code, message): &(&'static str, i64, &'static str)| {
            FailedContainer { name, exit_code: *exit_code, reason: "Error", message }
        };
        FailedPod {
            reason: self.reason,
            message: self.message,
            containers: self.containers.iter().map(failed).collect(),
            has_started: self.has_started || !self.containers.is_empty(),
            events: &self.events,
            unknown: UnknownTexts::NONE,
        }
    }
}

fn pod() -> impl Strategy<Value = Pod> {
    let event = (select(&TYPES[..]), select(&REASONS[..]), select(&MESSAGES[..])).prop_map(
        |(event_type, reason, message)| PodEvent {
            event_type: event_type.to_owned(),
            reason: reason.to_owned(),
            message: message.to_owned(),
        },
    );
    let container = (select(&NAMES[..]), select(&[1_i64, 74][..]), select(&MESSAGES[..]));
    let parts = (vec(container, 0..3), any::<bool>(), vec(event, 0..3));
    (select(&REASONS[..]), select(&MESSAGES[..]), parts).prop_map(
        |(reason, message, (containers, has_started, events))| Pod {
            reason,
            message,
            containers,
            has_started,
            events,
        },
    )
}

proptest! {
    #[test]
    fn verdicts_differ_only_where_a_loss_is_reported(
        checks in checks(),
        categories in categories(),
        pods in vec(pod(), 8),
    ) {
        let file = json!({
            "application": {"errorCategories": categories},
            "kubernetes": {"failedPodChecks": checks},
        });
        let Some(converted) = Converted::new(&file) else { return Ok(()) };
        for pod in &pods {
            let pod = pod.failed();
            let (returned, retried) = (converted.is_returned(&pod), converted.is_retried(&pod));
            prop_assert!(
                returned == retried || converted.explanation(&pod).is_some(),
                "returned {returned}, retried {retried}: {pod:?}\n{file}\n{:?}",
                converted.conversion
            );
            let is_same = converted.config.categories.enabled && !converted.has(Loss::Default);
            if is_same && !returned && !retried {
                let mut memory = ClassifierMemory::default();
                let (pass, found) = converted.after.classify_failed(&pod, &mut memory);
                // After an earlier rule that does not delete the pod, the second pass may find a new category.
                let is_new = converted.conversion.retried.iter().any(|it| it == found.category);
                if is_new {
                    prop_assert!(converted.has(Loss::EarlierRule));
                    continue;
                }
                let after = (pass, found.category, found.subcategory, found.hint);
                let mut memory = ClassifierMemory::default();
                let (pass, found) = converted.before.classify_failed(&pod, &mut memory);
                let before = (pass, found.category, found.subcategory, found.hint);
                prop_assert_eq!(before, after, "{:?}\n{}", pod, file);
            }
        }
    }
}

/// The cases of Armada's own checks: checks, pods and their events.
fn vectors() -> Vec<Value> {
    let path = "testdata/vectors/classifier/failedpodchecks.jsonl.gz";
    let mut text = String::new();
    let file = File::open(path).expect(path);
    GzDecoder::new(file).read_to_string(&mut text).expect(path);
    text.lines().map(|line| serde_json::from_str(line).expect(path)).collect()
}

fn described(case: &Value) -> DescribedPod {
    let mut items = vec![case["pod"].clone()];
    for event in case["events"].as_array().into_iter().flatten() {
        let mut event = event.clone();
        event["kind"] = json!("Event");
        event["involvedObject"] = case["pod"]["metadata"].clone();
        items.push(event);
    }
    let list = json!({"kind": "List", "items": items}).to_string();
    described_pods(&Source::new("pod.json", list)).0.remove(0)
}

/// Every configuration of the cases with every pod of the cases. With `--nocapture` it prints the share that
/// docs/classifier.md names.
#[test]
fn verdicts_of_vectors_differ_only_where_a_loss_is_reported() {
    let cases = vectors();
    let pods: Vec<DescribedPod> = cases.iter().map(described).collect();
    let (mut pairs, mut differences) = (0_u32, BTreeMap::new());
    for case in &cases {
        let file = json!({"kubernetes": {"failedPodChecks": case["failedPodChecks"]}});
        let Some(converted) = Converted::new(&file) else { continue };
        for pod in &pods {
            let failed = FailedPod::new(&pod.pod, &pod.events);
            pairs += 1;
            if converted.is_returned(&failed) != converted.is_retried(&failed) {
                let loss = converted.explanation(&failed);
                assert_ne!(loss, None, "{failed:?}\n{file}\n{:?}", converted.conversion.notes);
                *differences.entry(loss).or_insert(0_u32) += 1;
            }
        }
    }
    let different: u32 = differences.values().sum();
    let share = 100.0 * (1.0 - f64::from(different) / f64::from(pairs));
    println!("{pairs} pairs, {share:.1} % with the same verdict; differences: {differences:?}");
    assert!(pairs > 50_000, "{pairs}");
    assert!(share > 90.0, "{share}");
}
