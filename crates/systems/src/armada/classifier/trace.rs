//! Every rule of the categories, tried as the executor tries it about a failure, and why it does not match.

use super::executor::{Emission, Executor, Pass};
use super::pod::FailedPod;
use super::rules::{Classifier, ClassifierMemory, ClassifierRule, Match, PassInput};

/// A rule, tried in the passes that there are.
#[derive(Debug)]
pub struct RuleTrace<'c> {
    /// The rule.
    pub rule: &'c ClassifierRule,
    /// The answer in each pass.
    pub answers: Vec<PassAnswer>,
}

/// The answer of a rule in a pass.
#[derive(Debug)]
pub struct PassAnswer {
    /// The pass.
    pub pass: Pass,
    /// Why the rule does not match; `None` if it matches.
    pub mismatch: Option<String>,
}

impl Executor {
    /// Tries every rule in the passes that lead to what is reported: one after a check, else both passes over a failed
    /// pod. Rules are not consulted about failures that Armada itself names, and there are none without a classifier.
    pub fn trace(
        &self,
        pod: &FailedPod<'_>,
        emission: &Emission<'_>,
        memory: &mut ClassifierMemory,
    ) -> Vec<RuleTrace<'_>> {
        let rules = self.classifier().map(Classifier::rules).unwrap_or_default();
        let text = &emission.text;
        let of_text = PassInput::new(text);
        let passes = match emission.pass {
            Pass::Internal => return Vec::new(),
            Pass::FailedPodCheck | Pass::PendingPodCheck => vec![(emission.pass, of_text)],
            Pass::Delete | Pass::Retain => vec![
                (Pass::Delete, PassInput { events: pod.events, ..of_text }),
                (Pass::Retain, PassInput::new("")),
            ],
        };
        let mut answer = |rule: &ClassifierRule, (pass, input): (Pass, PassInput<'_>)| {
            let matches = rule.test(pod, input, memory) == Match::Yes;
            PassAnswer { pass, mismatch: (!matches).then(|| rule.mismatch(pod, input)) }
        };
        let trace = rules.iter().map(|rule| RuleTrace {
            rule,
            answers: passes.iter().map(|pass| answer(rule, *pass)).collect(),
        });
        trace.collect()
    }
}
