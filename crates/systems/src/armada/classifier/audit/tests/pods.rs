//! All pods over a small alphabet, through the executor itself.

use crate::armada::classifier::config::ExecutorConfig;
use crate::armada::classifier::pod::{FailedContainer, FailedPod};
use crate::armada::classifier::{ClassifierMemory, EmittedAs, Executor, Pass, Situation};
use document::units::Time;
use replay::history::{ContainerEnd, KubeContainer, KubePod, PodEvent, UnknownTexts, Waiting};
use std::collections::BTreeSet;

/// Texts of containers, pods and events. `~` is in no pattern.
const TEXTS: [&str; 6] = ["", "a", "b", "ab", "~", "~a~"];
const REASONS: [&str; 3] = ["", "Evicted", "DeadlineExceeded"];
const NAMES: [&str; 3] = ["main", "side", "~"];

/// Who assigned, and whether the pod is kept: a rule's number, or that of the default.
pub(super) type Emitted = BTreeSet<(usize, bool)>;

pub(super) fn events() -> Vec<PodEvent> {
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

pub(super) fn containers() -> Vec<FailedContainer<'static>> {
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
pub(super) fn emitted_of_failed(executor: &Executor, rules: usize) -> Emitted {
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
pub(super) fn emitted_of_pending(executor: &Executor, rules: usize) -> Emitted {
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

pub(super) fn emitted(config: &ExecutorConfig, rules: usize) -> Emitted {
    let executor = Executor::new(config);
    let mut all = emitted_of_failed(&executor, rules);
    all.extend(emitted_of_pending(&executor, rules));
    all
}
