//! The executor's checks of failed pods, which return the lease, and of pods that do not start
//! (`internal/executor/podchecks`).

use super::config::{FailedChecksConfig, PendingCheckConfig, PendingChecksConfig};
use super::pod::FailedPod;
use document::diag::go_quote;
use document::pattern::Pattern;
use document::units::{GoDuration, Time};
use regex_automata::meta::Regex;
use replay::history::{KubeContainer, KubePod, PodEvent, UnknownText, UnknownTexts, is_cut};

/// The automaton of a pattern that Go accepts; `None` matches nothing.
pub(super) fn compile(text: &str) -> Option<Regex> {
    Pattern::parse(text).ok()?.regex().ok()
}

pub(super) fn is_match(regex: Option<&Regex>, text: &str) -> bool {
    regex.is_some_and(|regex| regex.is_match(text))
}

/// `kubernetes.failedPodChecks`, compiled.
#[derive(Debug)]
pub struct FailedPodChecks {
    events: Vec<(Option<Regex>, String, String)>,
    pod_statuses: Vec<(Option<Regex>, String)>,
    containers: Vec<(Option<Regex>, Option<Regex>)>,
}

impl FailedPodChecks {
    /// Compiles the checks.
    pub fn new(config: &FailedChecksConfig) -> Self {
        let events = config.events.iter().map(|check| {
            (compile(&check.regexp.text), check.reason.text.clone(), check.event_type.text.clone())
        });
        let statuses = config.pod_statuses.iter();
        let containers = config.container_statuses.iter();
        Self {
            events: events.collect(),
            pod_statuses: statuses
                .map(|check| (compile(&check.regexp.text), check.reason.text.clone()))
                .collect(),
            containers: containers
                .map(|check| (compile(&check.name.text), compile(&check.message.text)))
                .collect(),
        }
    }

    /// The text for which the lease of a failed pod is returned, if it is. Once a container has started, only
    /// containers are checked. Unlike rules, checks match empty texts.
    pub fn retryable<'p>(&self, pod: &FailedPod<'p>) -> Option<&'p str> {
        if pod.has_started {
            return self.containers.iter().find_map(|(name, message)| {
                let mut containers = pod.containers.iter();
                let found = containers.find(|container| {
                    is_match(name.as_ref(), container.name)
                        && is_match(message.as_ref(), container.message)
                });
                found.map(|container| container.message)
            });
        }
        let of_events = self.events.iter().find_map(|(regex, reason, event_type)| {
            let found = pod.events.iter().find(|event| {
                (reason.is_empty() || *reason == event.reason)
                    && *event_type == event.event_type
                    && is_match(regex.as_ref(), &event.message)
            });
            found.map(|event| event.message.as_str())
        });
        // Events come before the status, as in the executor (`pod_checks`).
        of_events.or_else(|| {
            let is_met = |(regex, reason): &(Option<Regex>, String)| {
                (reason.is_empty() || reason == pod.reason) && is_match(regex.as_ref(), pod.message)
            };
            self.pod_statuses.iter().any(is_met).then_some(pod.message)
        })
    }

    fn is_empty(&self) -> bool {
        self.events.is_empty() && self.pod_statuses.is_empty() && self.containers.is_empty()
    }

    /// The unknown texts of a failed pod that the checks read before one surely applies.
    pub fn unknown(&self, pod: &FailedPod<'_>) -> UnknownTexts {
        let lacks = |text: UnknownText| pod.unknown.has(text);
        let mut unknown = UnknownTexts::NONE;
        if !pod.has_started && !self.is_empty() && lacks(UnknownText::Container) {
            unknown = unknown.with(UnknownText::Container);
        }
        if pod.has_started {
            for (name, message) in &self.containers {
                let named = pod.containers.iter().filter(|it| is_match(name.as_ref(), it.name));
                for container in named {
                    if !pod.knows_message(container) {
                        unknown = unknown.with(UnknownText::TerminationMessage);
                    } else if is_match(message.as_ref(), container.message) {
                        return unknown;
                    }
                }
                if lacks(UnknownText::Container) {
                    unknown = unknown.with(UnknownText::Container);
                }
            }
            return unknown;
        }
        for (regex, reason, event_type) in &self.events {
            let events = pod.events.iter().filter(|event| {
                (reason.is_empty() || *reason == event.reason) && *event_type == event.event_type
            });
            for event in events {
                if lacks(UnknownText::CutEvent) && is_cut(&event.message) {
                    unknown = unknown.with(UnknownText::CutEvent);
                } else if is_match(regex.as_ref(), &event.message) {
                    return unknown;
                }
            }
            if lacks(UnknownText::Event) {
                unknown = unknown.with(UnknownText::Event);
            }
        }
        for (regex, reason) in &self.pod_statuses {
            if !reason.is_empty() && reason != pod.reason {
                continue;
            }
            if lacks(UnknownText::StatusMessage) {
                unknown = unknown.with(UnknownText::StatusMessage);
            } else if is_match(regex.as_ref(), pod.message) {
                return unknown;
            }
        }
        unknown
    }
}

/// The action for a pod that does not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PendingAction {
    /// Nothing yet.
    Wait,
    /// The lease is returned.
    Retry,
    /// The run fails.
    Fail,
}

/// The answer of the checks of a pod that does not start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingAnswer {
    /// The action of the check.
    pub action: PendingAction,
    /// Whether the pod got no node.
    pub has_no_node: bool,
    /// Why, in words.
    pub message: String,
}

/// `kubernetes.pendingPodChecks`, compiled.
#[derive(Debug)]
pub struct PendingPodChecks {
    events: Vec<(Option<Regex>, String, Check)>,
    containers: Vec<(Option<Regex>, Check)>,
    deadline_for_updates: GoDuration,
    deadline_for_node: GoDuration,
    deadline_for_init: GoDuration,
}

#[derive(Debug)]
struct Check {
    name: String,
    inverse: bool,
    grace: GoDuration,
    action: PendingAction,
}

impl Check {
    fn new(config: &PendingCheckConfig) -> Self {
        Self {
            name: config.name.clone(),
            inverse: config.inverse,
            grace: config.grace_period,
            action: if config.action.text == "Fail" {
                PendingAction::Fail
            } else {
                PendingAction::Retry
            },
        }
    }
}

impl PendingPodChecks {
    /// Compiles the checks.
    pub fn new(config: &PendingChecksConfig) -> Self {
        let events = config.events.iter().map(|event| {
            (compile(&event.regexp.text), event.event_type.text.clone(), Check::new(&event.check))
        });
        let containers = config.container_statuses.iter();
        Self {
            events: events.collect(),
            containers: containers
                .map(|config| (compile(&config.regexp.text), Check::new(&config.check)))
                .collect(),
            deadline_for_updates: config.deadline_for_updates,
            deadline_for_node: config.deadline_for_node_assignment,
            deadline_for_init: config.deadline_for_init_containers,
        }
    }

    /// Returns the action for a pod that has not started, once all deadlines and grace periods have passed.
    pub fn answer(&self, pod: &KubePod, events: &[PodEvent]) -> PendingAnswer {
        let answer = |action, has_no_node, message| PendingAnswer { action, has_no_node, message };
        // Armada checks nothing before it knows a time of the pod.
        if last_change(pod).is_none() {
            return answer(PendingAction::Wait, false, String::new());
        }
        if self.deadline_for_init > GoDuration::ZERO
            && let Some(message) = self.unfinished_init(pod)
        {
            return answer(PendingAction::Fail, false, message);
        }
        if pod.node.is_none() {
            let message = format!(
                "Pod could not been scheduled in within {} deadline. Retrying",
                self.deadline_for_node
            );
            return answer(PendingAction::Retry, true, message);
        }
        // The scheduler's events come before the kubelet has the pod.
        let is_of_scheduler =
            |event: &PodEvent| matches!(event.reason.as_str(), "Scheduled" | "FailedScheduling");
        if pod.containers.is_empty() && events.iter().all(is_of_scheduler) {
            let message = format!(
                "Pod has received no updates within {} deadline - likely the node is bad. Retrying",
                self.deadline_for_updates
            );
            return answer(PendingAction::Retry, false, message);
        }
        let (of_events, event_text) = self.check_events(events);
        let (of_containers, container_text) = self.check_containers(pod);
        let texts = [(of_events, event_text), (of_containers, container_text)];
        let texts = texts.into_iter().filter(|(action, _)| *action != PendingAction::Wait);
        let texts: Vec<String> = texts.map(|(_, text)| text).collect();
        // The stronger action wins, whichever check has it.
        answer(of_events.max(of_containers), false, texts.join("\n"))
    }

    /// The message about init containers that began and have not all succeeded.
    fn unfinished_init(&self, pod: &KubePod) -> Option<String> {
        let status = |name: &String| pod.containers.iter().find(|it| it.init && it.name == *name);
        let all: Vec<_> = pod.init_containers.iter().map(status).collect();
        let has_begun = all.iter().flatten().any(|container| {
            container.running_since.is_some()
                || container.end.as_ref().is_some_and(|end| end.started.is_some())
        });
        let has_succeeded = |container: Option<&KubeContainer>| {
            let end = container.and_then(|container| container.end.as_ref());
            end.is_some_and(|end| end.exit_code == Some(0) && end.finished.is_some())
        };
        if !has_begun || all.iter().all(|container| has_succeeded(*container)) {
            return None;
        }
        let mut text = format!(
            "Init containers did not complete within deadline of {}",
            self.deadline_for_init
        );
        let failed = all.iter().flatten().filter_map(|container| {
            let code = container.end.as_ref()?.exit_code.filter(|code| *code != 0)?;
            let name = go_quote(&container.name);
            Some(format!("init container {name} terminated with non-zero exit code {code}"))
        });
        let failed: Vec<String> = failed.collect();
        if !failed.is_empty() {
            text += &format!("\nErrors from init containers: {}", failed.join("\n"));
        }
        Some(text)
    }

    fn check_events(&self, events: &[PodEvent]) -> (PendingAction, String) {
        let (mut action, mut texts) = (PendingAction::Wait, Vec::new());
        for event in events {
            let found = self.events.iter().find(|(regex, event_type, check)| {
                *event_type == event.event_type
                    && check.inverse != is_match(regex.as_ref(), &event.message)
            });
            if let Some((_, _, check)) = found {
                action = action.max(check.action);
                texts.push(format!("Matched check: {}\n{}", go_quote(&check.name), event.message));
            }
        }
        (action, texts.join("\n"))
    }

    fn check_containers(&self, pod: &KubePod) -> (PendingAction, String) {
        let (mut action, mut texts) = (PendingAction::Wait, Vec::new());
        let (init, main): (Vec<_>, Vec<_>) = pod.containers.iter().partition(|it| it.init);
        // Main containers first, as in the pod's status; init containers follow.
        for container in main.into_iter().chain(init) {
            let found = container.waiting.as_ref().and_then(|waiting| {
                let mut checks = self.containers.iter();
                let is_met = |(regex, check): &&(Option<Regex>, Check)| {
                    check.inverse != is_match(regex.as_ref(), &waiting.reason)
                };
                Some((checks.find(is_met).map(|(_, check)| check)?, waiting))
            });
            texts.push(found.map_or_else(String::new, |(check, waiting)| {
                action = action.max(check.action);
                format!(
                    "Container {} has been in state Waiting for reason {} ({} - check {}) for more than timeout {}",
                    container.name,
                    waiting.reason,
                    waiting.message,
                    go_quote(&check.name),
                    check.grace
                )
            }));
        }
        (action, texts.join("\n"))
    }
}

/// The last time on record at which the pod changed (`LastStatusChange`).
fn last_change(pod: &KubePod) -> Option<Time> {
    let containers = pod.containers.iter().flat_map(|container| {
        [container.running_since, container.end.as_ref().and_then(|end| end.finished)]
    });
    let conditions = pod.conditions.iter().map(|condition| condition.since);
    containers.chain(conditions).flatten().chain(pod.created).max()
}
