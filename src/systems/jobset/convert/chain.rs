//! What the failure of a pod comes to in the end: a rule of its Job, or the Job's limit, gives the
//! Job's failure a reason and a message, and by these a rule of the set decides.

use super::messages::{DIGITS, Found, NAME, Piece, found};
use crate::systems::conversion::Notes;
use crate::systems::job::convert::{Follows, Template};
use crate::systems::job::{JobPolicy, Operator, Requirement};
use crate::systems::jobset::{Action, JobSet, ReplicatedJob, Rule};
use std::collections::BTreeSet;

/// How a Job has failed: the reason, and all messages there may be.
#[derive(Debug, Clone)]
pub(super) struct JobFailure {
    reason: &'static str,
    messages: Vec<Vec<Piece>>,
}

/// What a set does about a failure, and by which of its rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decided {
    /// What follows. Where several things may, the one that costs least.
    pub follows: Follows,
    /// The rules that say so; none if none applies, or there is no failure policy.
    pub rules: BTreeSet<usize>,
    /// The rules of which only the cluster knows whether they apply, where it makes a difference.
    pub doubts: BTreeSet<usize>,
    /// What may restart.
    pub restarts: Restarts,
}

/// What restarts when a set goes on. Where only the cluster knows, both may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Restarts {
    /// All Jobs of the set.
    pub all: bool,
    /// The failed Job alone.
    pub alone: bool,
}

impl Restarts {
    /// By an action of a rule.
    fn by(action: Action) -> Self {
        let all =
            action == Action::RestartJobSet || action == Action::RestartJobSetAndIgnoreMaxRestarts;
        Self { all, alone: restarts_alone(action) }
    }

    /// What restarts by either.
    pub fn or(self, other: Self) -> Self {
        Self { all: self.all || other.all, alone: self.alone || other.alone }
    }
}

impl Decided {
    fn surely(follows: Follows, rule: Option<usize>, restarts: Restarts) -> Self {
        let rules = rule.into_iter().collect();
        Self { follows, rules, doubts: BTreeSet::new(), restarts }
    }

    /// Says what was taken to follow from failures by this, where only the cluster knows.
    pub fn doubted(&self, by: &str, notes: &mut Notes) {
        let taken = match self.follows {
            Follows::End => "Fail",
            Follows::Counted => "a retry that counts",
            Follows::Free => "a retry without a limit",
        };
        for rule in &self.doubts {
            let path = format!("spec.failurePolicy.rules[{rule}].onJobFailureMessagePatterns");
            let what = format!(
                "found in some messages of failures by {by} and not in others, by what only the cluster \
                 knows; of what may follow, {taken} is taken, which costs least"
            );
            notes.approximated(path, what).help(
                "list the exit codes (`operator: In`) and match them, or match the rule alone, such as `rule \
                 at index 0$`",
            );
        }
    }
}

fn known(text: impl Into<String>) -> Piece {
    Piece::Known(text.into())
}

impl JobFailure {
    /// By a rule of the pod failure policy (facts, A6).
    pub fn by_rule(index: usize, requirement: &Requirement, template: &Template) -> Self {
        let end = format!(" matching FailJob rule at index {index}");
        let pod = [Piece::Open(NAME), known("/"), Piece::Open(NAME)];
        let around = |before: Vec<Piece>, after: Vec<Piece>| {
            before.into_iter().chain(pod.iter().cloned()).chain(after).collect()
        };
        let messages = match requirement {
            Requirement::ExitCodes(codes) => {
                let container = template.scope(codes.container.as_deref());
                let container = container.map_or(Piece::Open(NAME), known);
                let message = |code| {
                    let before = vec![known("Container "), container.clone(), known(" for pod ")];
                    around(before, vec![known(" failed with exit code "), code, known(&*end)])
                };
                match codes.operator {
                    Some(Operator::In) => codes
                        .values
                        .iter()
                        .filter(|code| **code > 0)
                        .map(|code| message(known(code.to_string())))
                        .collect(),
                    _ => vec![message(Piece::Open(DIGITS))],
                }
            }
            Requirement::Conditions(patterns) => {
                let message = |kind: &str| {
                    around(vec![known("Pod ")], vec![known(format!(" has condition {kind}{end}"))])
                };
                patterns.iter().map(|pattern| message(&pattern.kind)).collect()
            }
            Requirement::Nothing => Vec::new(),
        };
        Self { reason: "PodFailurePolicy", messages }
    }

    /// By a limit: of the Job, or of its only index (facts, A6 and B5).
    pub fn by_limit(job: &JobPolicy) -> Self {
        let (reason, message) = match (job.backoff_limit_per_index, job.max_failed_indexes) {
            (None, _) => ("BackoffLimitExceeded", "Job has reached the specified backoff limit"),
            (Some(_), Some(0)) => (
                "MaxFailedIndexesExceeded",
                "Job has exceeded the specified maximal number of failed indexes",
            ),
            (Some(_), _) => ("FailedIndexes", "Job has failed indexes"),
        };
        Self { reason, messages: vec![vec![known(message)]] }
    }

    /// What the set does about it.
    pub fn decided(&self, set: &JobSet, of: &ReplicatedJob) -> Decided {
        let Some(policy) = &set.failure_policy else {
            return Decided::surely(Follows::End, None, Restarts::default());
        };
        let mut may = Vec::new();
        let all = Restarts::by(Action::RestartJobSet);
        let mut sure = Decided::surely(Follows::Counted, None, all);
        for (index, rule) in policy.rules.iter().enumerate() {
            match self.applies(rule, of) {
                Found::Always => {
                    let (follows, restarts) = (follows(rule.action), Restarts::by(rule.action));
                    sure = Decided::surely(follows, Some(index), restarts);
                    break;
                }
                Found::Never => {}
                Found::Sometimes => may.push((index, rule.action)),
            }
        }
        let restarts = may.iter().map(|(_, action)| Restarts::by(*action));
        let restarts = restarts.fold(sure.restarts, Restarts::or);
        let follow = may.iter().map(|(_, action)| follows(*action));
        if follow.clone().all(|follows| follows == sure.follows) {
            return Decided { restarts, ..sure };
        }
        let least = follow.fold(sure.follows, Follows::min);
        let doubts = may.into_iter().map(|(index, _)| index).collect();
        Decided { follows: least, rules: BTreeSet::new(), doubts, restarts }
    }

    fn applies(&self, rule: &Rule, of: &ReplicatedJob) -> Found {
        let listed = |list: &[Box<str>], text: &str| {
            list.is_empty() || list.iter().any(|listed| **listed == *text)
        };
        if !listed(&rule.reasons, self.reason) || !listed(&rule.targets, &of.name) {
            return Found::Never;
        }
        if rule.patterns.is_empty() {
            return Found::Always;
        }
        let of_message = |message: &Vec<Piece>| {
            let founds = rule.patterns.iter().map(|pattern| found(pattern.as_str(), message));
            // One pattern that is always found is enough; none is, unless all are never.
            founds.reduce(|one, other| match (one, other) {
                (Found::Always, _) | (_, Found::Always) => Found::Always,
                (Found::Never, Found::Never) => Found::Never,
                _ => Found::Sometimes,
            })
        };
        let all = self.messages.iter().filter_map(of_message);
        let all = all.reduce(|one, other| if one == other { one } else { Found::Sometimes });
        all.unwrap_or(Found::Never)
    }
}

/// Whether an action restarts the failed Job alone.
pub(super) fn restarts_alone(action: Action) -> bool {
    action == Action::RestartJob || action == Action::RestartJobAndIgnoreMaxRestarts
}

/// What an action comes to for the jobs that restart by it.
fn follows(action: Action) -> Follows {
    match action {
        Action::FailJobSet => Follows::End,
        Action::RestartJobSet | Action::RestartJob => Follows::Counted,
        Action::RestartJobSetAndIgnoreMaxRestarts | Action::RestartJobAndIgnoreMaxRestarts => {
            Follows::Free
        }
    }
}
