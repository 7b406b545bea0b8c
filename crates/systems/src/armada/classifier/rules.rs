//! The rules of the categories, compiled, and the search for the first that matches (`classifier.go`).

use super::config::{CategoryConfig, ErrorCategories, RuleConfig};
use super::pod::{FailedContainer, FailedPod};
use document::diag::Place;
use document::pattern::{Pattern, SearchMemory, Searcher};
use replay::history::{PodEvent, UnknownText, UnknownTexts, is_cut};

/// The rules of the categories of one executor, in the order in which they are tested.
#[derive(Debug)]
pub struct Classifier {
    rules: Vec<ClassifierRule>,
    default_category: String,
    default_subcategory: String,
}

/// A rule, with what it assigns.
#[derive(Debug)]
pub struct ClassifierRule {
    pub category: String,
    /// Its number in the category, from 0.
    pub number: usize,
    /// The subcategory; may be empty.
    pub subcategory: String,
    /// A text to append to the message; may be empty.
    pub hint: String,
    /// Whether the pod is deleted before the failure is reported.
    pub deletes_pod: bool,
    pub place: Place,
    container: String,
    matcher: Matcher,
}

#[derive(Debug)]
enum Matcher {
    Conditions(Vec<String>),
    ExitCodes { is_in: bool, values: Vec<i64> },
    TerminationMessage(Searcher),
    PodError(Searcher),
    PodEvents { message: Searcher, reason: String, event_type: String },
}

/// Working memory of a [`Classifier`], one a thread.
#[derive(Debug, Default)]
pub struct ClassifierMemory {
    searches: Vec<SearchMemory>,
}

/// The category and subcategory of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Classification<'c> {
    /// The category; may be empty.
    pub category: &'c str,
    /// The subcategory; may be empty.
    pub subcategory: &'c str,
    /// A text to append to the message; may be empty.
    pub hint: &'c str,
    /// Whether the pod is deleted before the failure is reported.
    pub deletes_pod: bool,
    /// The number of the rule among [`Classifier::rules`]; `None` for the default.
    pub rule: Option<usize>,
}

impl Classification<'_> {
    /// The message with the hint.
    pub fn with_hint(&self, message: &str) -> String {
        if self.hint.is_empty() {
            message.to_owned()
        } else {
            format!("{message}\n\n{}", self.hint)
        }
    }
}

/// The texts beside the pod that a pass has, and those that are not known.
#[derive(Debug, Clone, Copy)]
pub struct PassInput<'p> {
    /// The text for `onPodError`; `None` if it is unknown, or not known whole.
    pub pod_error: Option<&'p str>,
    /// The events for `onPodEvents`.
    pub events: &'p [PodEvent],
    /// The texts of the pod that count as unknown, not as empty.
    pub unknown: UnknownTexts,
}

impl<'p> PassInput<'p> {
    /// The input of a pass that reads this text and no events.
    pub fn new(pod_error: &'p str) -> Self {
        Self { pod_error: Some(pod_error), events: &[], unknown: UnknownTexts::NONE }
    }
}

/// Whether a rule matches a failure of which not all texts are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Match {
    /// It matches, whatever the unknown texts are.
    Yes,
    /// It does not match, whatever they are.
    No,
    /// It depends on this text.
    Unknown(UnknownText),
}

/// The condition that is a reason of a container, not of the pod.
const OOM_KILLED: &str = "OOMKilled";

impl Classifier {
    /// Compiles the categories. They must be without faults; a pattern that is too large for its automaton matches
    /// nothing.
    pub fn new(config: &ErrorCategories) -> Self {
        let mut searches = 0;
        let mut rules = Vec::new();
        for category in &config.categories {
            for (number, rule) in category.rules.iter().enumerate() {
                rules.extend(ClassifierRule::new(category, number, rule, &mut searches));
            }
        }
        Self {
            rules,
            default_category: config.default_category.text.clone(),
            default_subcategory: config.default_subcategory.text.clone(),
        }
    }

    /// All rules.
    pub fn rules(&self) -> &[ClassifierRule] {
        &self.rules
    }

    /// Whether a category deletes pods.
    pub fn may_delete(&self) -> bool {
        self.rules.iter().any(|rule| rule.deletes_pod)
    }

    /// Returns the category and subcategory if no rule matches.
    pub fn default_names(&self) -> (&str, &str) {
        (&self.default_category, &self.default_subcategory)
    }

    /// Classifies a pod in a pass.
    pub fn classify(
        &self,
        pod: &FailedPod<'_>,
        input: PassInput<'_>,
        memory: &mut ClassifierMemory,
    ) -> Classification<'_> {
        let found = self.rules.iter().position(|rule| rule.test(pod, input, memory) == Match::Yes);
        let Some(number) = found else {
            return Classification {
                category: &self.default_category,
                subcategory: &self.default_subcategory,
                ..Classification::default()
            };
        };
        let rule = &self.rules[number];
        Classification {
            category: &rule.category,
            subcategory: &rule.subcategory,
            hint: &rule.hint,
            deletes_pod: rule.deletes_pod,
            rule: Some(number),
        }
    }
}

impl ClassifierRule {
    fn new(
        category: &CategoryConfig,
        number: usize,
        rule: &RuleConfig,
        searches: &mut usize,
    ) -> Option<Self> {
        let mut compile = |text: &str| {
            let pattern = Pattern::parse(text).ok()?;
            *searches += 1;
            Some(Searcher::new(*searches - 1, pattern))
        };
        let matcher = if let Some(codes) = &rule.exit_codes {
            let values = codes.values.iter().copied().map(i64::from).collect();
            Matcher::ExitCodes { is_in: codes.operator.text == "In", values }
        } else if let Some(pattern) = &rule.termination_message {
            Matcher::TerminationMessage(compile(&pattern.text)?)
        } else if let Some(pattern) = &rule.pod_error {
            Matcher::PodError(compile(&pattern.text)?)
        } else if let Some(events) = &rule.pod_events {
            Matcher::PodEvents {
                message: compile(&events.regexp.text)?,
                reason: events.reason.text.clone(),
                event_type: events.event_type.text.clone(),
            }
        } else {
            Matcher::Conditions(rule.conditions.iter().map(|it| it.text.clone()).collect())
        };
        Some(Self {
            category: category.name.text.clone(),
            number,
            subcategory: rule.subcategory.text.clone(),
            hint: rule.hint.text.clone(),
            deletes_pod: category.action.text == "Delete",
            place: rule.place.clone(),
            container: rule.container_name.text.clone(),
            matcher,
        })
    }

    /// The failed containers that the rule tests.
    fn containers<'c, 'p>(
        &'c self,
        pod: &'c FailedPod<'p>,
    ) -> impl Iterator<Item = &'c FailedContainer<'p>> {
        let is_tested =
            |it: &&FailedContainer<'_>| self.container.is_empty() || it.name == self.container;
        pod.containers.iter().filter(is_tested)
    }

    fn has_condition(&self, pod: &FailedPod<'_>, condition: &str) -> bool {
        if condition == OOM_KILLED {
            self.containers(pod).any(|container| container.reason == condition)
        } else {
            pod.reason == condition
        }
    }

    /// Tests the rule in a pass, as far as the texts that are known decide it. No text matches if it is empty.
    pub(super) fn test(
        &self,
        pod: &FailedPod<'_>,
        input: PassInput<'_>,
        memory: &mut ClassifierMemory,
    ) -> Match {
        let mut containers = self.containers(pod);
        let (is_met, lacks) = match &self.matcher {
            Matcher::Conditions(conditions) => {
                let is_met = conditions.iter().any(|it| self.has_condition(pod, it));
                let reads_containers = || conditions.iter().any(|it| it == OOM_KILLED);
                let lacks = Some(UnknownText::Container).filter(|_| !is_met && reads_containers());
                (is_met, lacks)
            }
            Matcher::ExitCodes { is_in, values } => (
                containers.any(|it| values.contains(&it.exit_code) == *is_in),
                Some(UnknownText::Container),
            ),
            Matcher::TerminationMessage(pattern) => {
                let is_met = containers.any(|it| memory.is_match(pattern, it.message));
                let is_known = is_met || self.containers(pod).all(|it| pod.knows_message(it));
                let message = UnknownText::TerminationMessage;
                (is_met, Some(if is_known { UnknownText::Container } else { message }))
            }
            Matcher::PodError(pattern) => match input.pod_error {
                Some(text) => (memory.is_match(pattern, text), None),
                None if input.unknown.has(UnknownText::StatusMessage) => {
                    return Match::Unknown(UnknownText::StatusMessage);
                }
                None => return Match::Unknown(UnknownText::TerminationMessage),
            },
            Matcher::PodEvents { message, reason, event_type } => {
                let mut lacks = UnknownText::Event;
                let has_cut = input.unknown.has(UnknownText::CutEvent);
                let mut events = input.events.iter().filter(|it| is_event(it, reason, event_type));
                let is_met = events.any(|event| {
                    let is_cut = has_cut && is_cut(&event.message);
                    lacks = if is_cut { UnknownText::CutEvent } else { lacks };
                    !is_cut && memory.is_match(message, &event.message)
                });
                (is_met, Some(lacks))
            }
        };
        match lacks.filter(|text| input.unknown.has(*text)) {
            _ if is_met => Match::Yes,
            Some(text) => Match::Unknown(text),
            None => Match::No,
        }
    }

    /// Why the rule does not match in a pass in which it does not.
    pub(super) fn mismatch(&self, pod: &FailedPod<'_>, input: PassInput<'_>) -> String {
        let mut tested = self.containers(pod).peekable();
        let why = match &self.matcher {
            Matcher::Conditions(conditions) => {
                let reason = match pod.reason {
                    "" => "the pod has no reason".to_owned(),
                    reason => format!("the pod's reason is {reason}"),
                };
                let killed = "no failed container was OOMKilled";
                return match conditions.as_slice() {
                    [only] if only == OOM_KILLED => killed.to_owned(),
                    all if all.iter().any(|it| it == OOM_KILLED) => format!("{reason}, {killed}"),
                    _ => reason,
                };
            }
            Matcher::ExitCodes { .. } | Matcher::TerminationMessage(_)
                if tested.peek().is_none() =>
            {
                return match self.container.as_str() {
                    "" => "no container failed".to_owned(),
                    name => format!("no container `{name}` failed"),
                };
            }
            Matcher::ExitCodes { is_in, values } => {
                let code =
                    |it: &FailedContainer<'_>| format!("{} ended with {}", it.name, it.exit_code);
                let codes: Vec<String> = tested.map(code).collect();
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                let not = if *is_in { "not" } else { "one of" };
                return format!("{}, {not} {}", codes.join(", "), values.join(", "));
            }
            Matcher::TerminationMessage(_) if tested.all(|it| it.message.is_empty()) => {
                "no failed container has a message"
            }
            Matcher::TerminationMessage(_) => "no message matches",
            Matcher::PodError(_) if input.pod_error.is_some_and(|text| !text.is_empty()) => {
                "the failure's text does not match"
            }
            Matcher::PodError(_) if pod.failed_reason().is_empty() => "the failure has no text",
            Matcher::PodError(_) => "this pass does not read the failure's text",
            Matcher::PodEvents { .. } if !input.events.is_empty() => "no event matches",
            Matcher::PodEvents { .. } if pod.events.is_empty() => "there are no events",
            Matcher::PodEvents { .. } => "this pass does not read events",
        };
        why.to_owned()
    }
}

fn is_event(event: &PodEvent, reason: &str, event_type: &str) -> bool {
    (reason.is_empty() || reason == event.reason) && event_type == event.event_type
}

impl ClassifierMemory {
    fn is_match(&mut self, pattern: &Searcher, text: &str) -> bool {
        // A rule matches no empty text.
        if text.is_empty() {
            return false;
        }
        if self.searches.len() <= pattern.number {
            self.searches.resize_with(pattern.number + 1, SearchMemory::default);
        }
        pattern.is_match(text, &mut self.searches[pattern.number])
    }
}
