//! The classification of failures on record, of which some texts are unknown, and whether it depends on those.
//!
//! A text of the history that is missing or cut may match a rule, or not. The answer depends on it if another answer is
//! possible: if some rule before the one that surely matches reads the text, and its category is another one.

use super::executor::{Executor, Pass};
use super::internal::INTERNAL;
use super::pod::FailedPod;
use super::rules::{Classification, Classifier, ClassifierMemory, Match, PassInput};
use replay::history::UnknownText;
pub use replay::history::{
    ArmadaRun, DebugTrigger, EmittedText, ObservedPod, UnknownTexts, without_hint,
};

/// The answers that are possible in a pass: numbers of rules, or `None` for the default.
struct PossibleRules {
    rules: Vec<Option<usize>>,
    /// The unknown texts that the rules before the last one read.
    unknown: UnknownTexts,
}

/// A category and a subcategory.
type Names<'c> = (&'c str, &'c str);

impl Executor {
    /// How the failure of a run on record is reported: the pass and the classification. A failure that Armada itself
    /// detected has Armada's own category; a run that was preempted or cancelled has none.
    pub fn classify_run(
        &self,
        run: &ArmadaRun,
        memory: &mut ClassifierMemory,
    ) -> (Pass, Classification<'_>) {
        let failed = FailedPod::from_run(run);
        let observed = run.observed.as_deref();
        match observed.and_then(|observed| observed.trigger) {
            Some(DebugTrigger::ExternallyDeleted) => internal("externally-deleted"),
            Some(DebugTrigger::StuckTerminating) => internal("stuck-terminating"),
            Some(DebugTrigger::ActiveDeadlineExceeded) => internal("active-deadline"),
            Some(DebugTrigger::Preempted | DebugTrigger::CancelledNotStarted) => {
                (Pass::Internal, Classification::default())
            }
            Some(DebugTrigger::Undeletable) => match self.classify_failed(&failed, memory) {
                (Pass::Delete, _) => internal("stuck-terminating"),
                other => other,
            },
            Some(DebugTrigger::PodFailed | DebugTrigger::Other) | None => {
                let Some(observed) = observed.filter(|observed| observed.is_pending) else {
                    return self.classify_failed(&failed, memory);
                };
                let (text, _) = without_hint(&observed.error);
                let input = PassInput::new(text);
                (Pass::PendingPodCheck, self.classify(&failed, input, memory))
            }
        }
    }

    /// Returns the executor's report about a run on record that it classified in a pass.
    pub(super) fn emitted_text(
        &self,
        run: &ArmadaRun,
        (pass, found): (Pass, Classification<'_>),
    ) -> EmittedText {
        let failed = FailedPod::from_run(run);
        let error = run.observed.as_deref().map_or("", |observed| without_hint(&observed.error).0);
        let text = match pass {
            Pass::FailedPodCheck => {
                self.failed_checks.retryable(&failed).unwrap_or_default().into()
            }
            Pass::Delete | Pass::Retain => failed.failed_reason(),
            Pass::PendingPodCheck | Pass::Internal => error.into(),
        };
        EmittedText { message: found.with_hint(&text), hint: found.hint.to_owned() }
    }

    /// The unknown texts on which the classification of a run on record depends.
    pub fn unknown_of_run(&self, run: &ArmadaRun, memory: &mut ClassifierMemory) -> UnknownTexts {
        let failed = FailedPod::from_run(run);
        let observed = run.observed.as_deref();
        if failed.unknown.is_empty() || observed.is_some_and(is_of_armada) {
            return UnknownTexts::NONE;
        }
        if let Some(observed) = observed.filter(|observed| observed.is_pending) {
            let (text, is_whole) = without_hint(&observed.error);
            let pod_error = (is_whole && !text.is_empty()).then_some(text);
            return self.unknown_in(&failed, PassInput { pod_error, ..PassInput::new("") }, memory);
        }
        self.unknown_of_failed(&failed, memory)
    }

    fn unknown_of_failed(
        &self,
        failed: &FailedPod<'_>,
        memory: &mut ClassifierMemory,
    ) -> UnknownTexts {
        let of_checks = self.failed_checks.unknown(failed);
        if !of_checks.is_empty() {
            return of_checks;
        }
        if let Some(text) = self.failed_checks.retryable(failed) {
            return self.unknown_in(failed, PassInput::new(text), memory);
        }
        let Some(classifier) = self.classifier() else {
            return UnknownTexts::NONE;
        };
        let text = failed.failed_reason();
        let pod_error = failed.knows_failed_reason().then_some(&*text);
        let first = if classifier.may_delete() {
            let input = PassInput { pod_error, events: failed.events, unknown: failed.unknown };
            classifier.possible(failed, input, memory)
        } else {
            PossibleRules { rules: vec![None], unknown: UnknownTexts::NONE }
        };
        // The first pass counts only if the category deletes the pod.
        let counts = |rule: &Option<usize>| {
            let rule = rule.map(|number| &classifier.rules()[number]);
            rule.filter(|rule| rule.deletes_pod).map(|_| ())
        };
        let mut unknown = UnknownTexts::NONE;
        let answers = first.rules.iter().map(|rule| counts(rule).map(|()| classifier.names(*rule)));
        if differ(answers) {
            unknown = unknown.or(first.unknown);
        }
        if first.rules.iter().any(|rule| counts(rule).is_none()) {
            unknown = unknown.or(self.unknown_in(failed, PassInput::new(""), memory));
        }
        unknown
    }

    /// The unknown texts on which the answer of a pass depends that counts whatever it is.
    fn unknown_in(
        &self,
        failed: &FailedPod<'_>,
        input: PassInput<'_>,
        memory: &mut ClassifierMemory,
    ) -> UnknownTexts {
        let Some(classifier) = self.classifier() else {
            return UnknownTexts::NONE;
        };
        // Such a pass reads no events.
        let unknown = failed.unknown.without(UnknownText::Event).without(UnknownText::CutEvent);
        let input = PassInput { unknown, ..input };
        let PossibleRules { rules, unknown } = classifier.possible(failed, input, memory);
        let is_open = differ(rules.into_iter().map(|rule| classifier.names(rule)));
        if is_open { unknown } else { UnknownTexts::NONE }
    }
}

impl Classifier {
    fn possible(
        &self,
        failed: &FailedPod<'_>,
        input: PassInput<'_>,
        memory: &mut ClassifierMemory,
    ) -> PossibleRules {
        let (mut rules, mut unknown) = (Vec::new(), UnknownTexts::NONE);
        for (number, rule) in self.rules().iter().enumerate() {
            match rule.test(failed, input, memory) {
                Match::No => continue,
                Match::Unknown(text) => unknown = unknown.with(text),
                Match::Yes => {
                    rules.push(Some(number));
                    return PossibleRules { rules, unknown };
                }
            }
            rules.push(Some(number));
        }
        rules.push(None);
        PossibleRules { rules, unknown }
    }

    /// Returns the category that a rule, or the default, assigns.
    fn names(&self, rule: Option<usize>) -> Names<'_> {
        match rule.map(|number| &self.rules()[number]) {
            Some(rule) => (&rule.category, &rule.subcategory),
            None => self.default_names(),
        }
    }
}

/// Whether the answers are not all the same.
fn differ<T: PartialEq>(mut answers: impl Iterator<Item = T>) -> bool {
    let first = answers.next();
    answers.any(|answer| Some(answer) != first)
}

/// Whether Armada itself names the failure, without the operator's rules.
fn is_of_armada(observed: &ObservedPod) -> bool {
    !matches!(
        observed.trigger,
        None | Some(DebugTrigger::PodFailed | DebugTrigger::Undeletable | DebugTrigger::Other)
    )
}

fn internal(subcategory: &'static str) -> (Pass, Classification<'static>) {
    (
        Pass::Internal,
        Classification { category: INTERNAL, subcategory, ..Classification::default() },
    )
}
