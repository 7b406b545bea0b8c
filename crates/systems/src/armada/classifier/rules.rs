//! The rules of the categories, compiled, and the search for the first that matches (`classifier.go`).

use super::config::{CategoryConfig, ErrorCategories, RuleConfig};
use super::pod::{FailedContainer, FailedPod};
use document::diag::Place;
use document::pattern::{Pattern, SearchMemory, Searcher};
use replay::history::{PodEvent, UnknownText, is_cut};

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
    /// The category.
    pub category: String,
    /// Its number in the category, from 0.
    pub number: usize,
    /// The subcategory; may be empty.
    pub subcategory: String,
    /// A text to append to the message; may be empty.
    pub hint: String,
    /// Whether the pod is deleted before the failure is reported.
    pub deletes_pod: bool,
    /// Its place.
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

/// What a failure is classified as.
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

/// The texts beside the pod that a pass has.
#[derive(Debug, Clone, Copy, Default)]
pub struct PassInput<'p> {
    /// The text for `onPodError`.
    pub pod_error: &'p str,
    /// The events for `onPodEvents`.
    pub events: &'p [PodEvent],
}

/// The texts beside the pod that a pass has, as far as they are known.
#[derive(Debug, Clone, Copy)]
pub struct KnownInput<'p> {
    /// The text for `onPodError`; `None` if it is unknown, or not known whole.
    pub text: Option<&'p str>,
    /// The events for `onPodEvents`; `None` if the pass reads none.
    pub events: Option<&'p [PodEvent]>,
}

/// Whether a rule matches a failure of which not all texts are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// It matches, whatever the unknown texts are.
    Match,
    /// It does not match, whatever they are.
    Mismatch,
    /// It depends on this text.
    Unknown(UnknownText),
}

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

    /// What is assigned where no rule matches.
    pub fn default_names(&self) -> (&str, &str) {
        (&self.default_category, &self.default_subcategory)
    }

    /// What a pod is classified as in a pass.
    pub fn classify(
        &self,
        pod: &FailedPod<'_>,
        input: PassInput<'_>,
        memory: &mut ClassifierMemory,
    ) -> Classification<'_> {
        let found = self.rules.iter().position(|rule| rule.matches(pod, input, memory));
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

    /// Why the rule does not match in a pass in which it does not.
    pub(super) fn mismatch(&self, pod: &FailedPod<'_>, input: PassInput<'_>) -> String {
        let tested: Vec<&FailedContainer<'_>> = self.containers(pod).collect();
        let no_container = || match self.container.as_str() {
            "" => "no container failed".to_owned(),
            name => format!("no container `{name}` failed"),
        };
        match &self.matcher {
            Matcher::Conditions(conditions) => {
                let reason = match pod.reason {
                    "" => "the pod has no reason".to_owned(),
                    reason => format!("the pod's reason is {reason}"),
                };
                if conditions.iter().any(|condition| condition == "OOMKilled") {
                    let killed = "no failed container was OOMKilled";
                    if conditions.len() == 1 {
                        killed.to_owned()
                    } else {
                        format!("{reason}, {killed}")
                    }
                } else {
                    reason
                }
            }
            Matcher::ExitCodes { .. } | Matcher::TerminationMessage(_) if tested.is_empty() => {
                no_container()
            }
            Matcher::ExitCodes { is_in, values } => {
                let codes: Vec<String> = tested
                    .iter()
                    .map(|container| {
                        format!("{} ended with {}", container.name, container.exit_code)
                    })
                    .collect();
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                let not = if *is_in { "not" } else { "one of" };
                format!("{}, {not} {}", codes.join(", "), values.join(", "))
            }
            Matcher::TerminationMessage(_) => {
                if tested.iter().all(|container| container.message.is_empty()) {
                    "no failed container has a message".to_owned()
                } else {
                    "no message matches".to_owned()
                }
            }
            Matcher::PodError(_) if input.pod_error.is_empty() => {
                if pod.failed_reason().is_empty() {
                    "the failure has no text".to_owned()
                } else {
                    "this pass does not read the failure's text".to_owned()
                }
            }
            Matcher::PodError(_) => "the failure's text does not match".to_owned(),
            Matcher::PodEvents { .. } if input.events.is_empty() => {
                let known = if pod.events.is_empty() {
                    "there are no events"
                } else {
                    "this pass does not read events"
                };
                known.to_owned()
            }
            Matcher::PodEvents { .. } => "no event matches".to_owned(),
        }
    }

    /// Whether the rule matches in a pass. No text matches if it is empty.
    pub(super) fn matches(
        &self,
        pod: &FailedPod<'_>,
        input: PassInput<'_>,
        memory: &mut ClassifierMemory,
    ) -> bool {
        let mut containers = self.containers(pod);
        match &self.matcher {
            Matcher::Conditions(conditions) => conditions.iter().any(|condition| {
                if condition == "OOMKilled" {
                    self.containers(pod).any(|container| container.reason == condition)
                } else {
                    pod.reason == condition
                }
            }),
            Matcher::ExitCodes { is_in, values } => {
                containers.any(|container| values.contains(&container.exit_code) == *is_in)
            }
            Matcher::TerminationMessage(pattern) => {
                containers.any(|container| memory.is_match(pattern, container.message))
            }
            Matcher::PodError(pattern) => memory.is_match(pattern, input.pod_error),
            Matcher::PodEvents { message, reason, event_type } => {
                let mut events = input.events.iter();
                events.any(|event| {
                    is_event(event, reason, event_type) && memory.is_match(message, &event.message)
                })
            }
        }
    }

    /// Whether the rule matches in a pass, as far as the texts that are known decide it.
    pub(super) fn certainty(
        &self,
        pod: &FailedPod<'_>,
        input: KnownInput<'_>,
        memory: &mut ClassifierMemory,
    ) -> Certainty {
        let lacks = |text: UnknownText| pod.unknown.has(text).then_some(Certainty::Unknown(text));
        let known = PassInput { pod_error: input.text.unwrap_or_default(), events: &[] };
        let unknown = match &self.matcher {
            Matcher::PodEvents { message, reason, event_type } => {
                let Some(events) = input.events else { return Certainty::Mismatch };
                let has_marks = pod.unknown.has(UnknownText::CutEvent);
                let mut of_cut = None;
                for event in events.iter().filter(|event| is_event(event, reason, event_type)) {
                    if has_marks && is_cut(&event.message) {
                        of_cut = lacks(UnknownText::CutEvent);
                    } else if memory.is_match(message, &event.message) {
                        return Certainty::Match;
                    }
                }
                of_cut.or_else(|| lacks(UnknownText::Event))
            }
            Matcher::PodError(_) if input.text.is_none() => {
                let of_message = lacks(UnknownText::StatusMessage);
                return of_message.unwrap_or(Certainty::Unknown(UnknownText::TerminationMessage));
            }
            _ if self.matches(pod, known, memory) => return Certainty::Match,
            Matcher::PodError(_) => None,
            Matcher::TerminationMessage(_)
                if self.containers(pod).any(|container| !pod.knows_message(container)) =>
            {
                lacks(UnknownText::TerminationMessage)
            }
            Matcher::TerminationMessage(_) | Matcher::ExitCodes { .. } => {
                lacks(UnknownText::Container)
            }
            Matcher::Conditions(conditions) => {
                let reads = conditions.iter().any(|condition| condition == "OOMKilled");
                lacks(UnknownText::Container).filter(|_| reads)
            }
        };
        unknown.unwrap_or(Certainty::Mismatch)
    }
}

fn is_event(event: &PodEvent, reason: &str, event_type: &str) -> bool {
    (reason.is_empty() || reason == event.reason) && event_type == event.event_type
}

impl ClassifierMemory {
    fn is_match(&mut self, pattern: &Searcher, text: &str) -> bool {
        if text.is_empty() {
            return false;
        }
        if self.searches.len() <= pattern.number {
            self.searches.resize_with(pattern.number + 1, SearchMemory::default);
        }
        pattern.is_match(text, &mut self.searches[pattern.number])
    }
}
