//! The effect of a pod's failure on its set. A rule of its Job, or the Job's limit, gives the Job's failure a
//! reason and a message, and a rule of the set matches on these.

use crate::convert::Notes;
use crate::convert::messages::{DIGITS, MatchCertainty, NAME, Piece, match_message};
use crate::job::convert::{Consequence, Template};
use crate::job::{JobPolicy, Operator, Requirement};
use crate::jobset::{Action, JobSet, ReplicatedJob, Rule};
use std::collections::BTreeSet;

/// A Job's failure: its reason, and all its possible messages.
#[derive(Debug, Clone)]
pub(super) struct JobFailure {
    reason: &'static str,
    messages: Vec<Vec<Piece>>,
}

/// The response of a set to a failure, and the rules that decide it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SetResponse {
    /// The consequence; of several possible ones, the one that allows the fewest attempts.
    pub consequence: Consequence,
    /// The rules that decide; empty if none applies, or there is no failure policy.
    pub rules: BTreeSet<usize>,
    /// The rules whose match depends on the cluster, if that changes the consequence.
    pub doubts: BTreeSet<usize>,
    /// The Jobs that may restart.
    pub restarts: Restarts,
}

/// The Jobs that restart if a set continues. If that depends on the cluster, both may be true.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Restarts {
    /// All Jobs of the set restart.
    pub all: bool,
    /// The failed Job alone restarts.
    pub alone: bool,
}

impl Restarts {
    /// Returns the Jobs that an action of a rule restarts.
    fn by(action: Action) -> Self {
        let all =
            action == Action::RestartJobSet || action == Action::RestartJobSetAndIgnoreMaxRestarts;
        Self { all, alone: restarts_alone(action) }
    }

    /// Returns the Jobs that restart in either case.
    pub fn or(self, other: Self) -> Self {
        Self { all: self.all || other.all, alone: self.alone || other.alone }
    }
}

impl SetResponse {
    fn certain(consequence: Consequence, rule: Option<usize>, restarts: Restarts) -> Self {
        let rules = rule.into_iter().collect();
        Self { consequence, rules, doubts: BTreeSet::new(), restarts }
    }

    /// Notes the consequence that was chosen for failures whose match depends on the cluster.
    pub fn note_doubts(&self, by: &str, notes: &mut Notes) {
        let choice = match self.consequence {
            Consequence::End => "Fail",
            Consequence::Counted => "a retry that counts",
            Consequence::Free => "a retry without a limit",
        };
        for rule in &self.doubts {
            let path = format!("spec.failurePolicy.rules[{rule}].onJobFailureMessagePatterns");
            let what = format!(
                "found in some messages of failures by {by} and not in others, depending on names in the \
                 cluster; of the possible actions, {choice} is used, which costs least"
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
    /// Makes the failure by a rule of the pod failure policy (`pkg/controller/job/pod_failure_policy.go`).
    pub fn by_rule(index: usize, requirement: &Requirement, template: &Template) -> Self {
        let end = format!(" matching FailJob rule at index {index}");
        let pod = [Piece::Open(NAME), known("/"), Piece::Open(NAME)];
        let context = |before: Vec<Piece>, after: Vec<Piece>| {
            before.into_iter().chain(pod.iter().cloned()).chain(after).collect()
        };
        let messages = match requirement {
            Requirement::ExitCodes(codes) => {
                let container = template.scope(codes.container.as_deref());
                let container = container.map_or(Piece::Open(NAME), known);
                let message = |code| {
                    let before = vec![known("Container "), container.clone(), known(" for pod ")];
                    context(before, vec![known(" failed with exit code "), code, known(&*end)])
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
                    context(vec![known("Pod ")], vec![known(format!(" has condition {kind}{end}"))])
                };
                patterns.iter().map(|pattern| message(&pattern.kind)).collect()
            }
            Requirement::Nothing => Vec::new(),
        };
        Self { reason: "PodFailurePolicy", messages }
    }

    /// Makes the failure by a limit: of the Job, or of its only index
    /// (`pkg/controller/job/job_controller.go`).
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

    /// Returns the response of the set.
    pub fn response(&self, set: &JobSet, of: &ReplicatedJob) -> SetResponse {
        let Some(policy) = &set.failure_policy else {
            return SetResponse::certain(Consequence::End, None, Restarts::default());
        };
        let mut may = Vec::new();
        let all = Restarts::by(Action::RestartJobSet);
        let mut sure = SetResponse::certain(Consequence::Counted, None, all);
        for (index, rule) in policy.rules.iter().enumerate() {
            match self.applies(rule, of) {
                MatchCertainty::Always => {
                    let (consequence, restarts) =
                        (consequence(rule.action), Restarts::by(rule.action));
                    sure = SetResponse::certain(consequence, Some(index), restarts);
                    // Rules behind one that always applies are never asked.
                    break;
                }
                MatchCertainty::Never => {}
                MatchCertainty::Sometimes => may.push((index, rule.action)),
            }
        }
        let restarts = may.iter().map(|(_, action)| Restarts::by(*action));
        let restarts = restarts.fold(sure.restarts, Restarts::or);
        let follow = may.iter().map(|(_, action)| consequence(*action));
        if follow.clone().all(|consequence| consequence == sure.consequence) {
            return SetResponse { restarts, ..sure };
        }
        // The least: it is the one that never promises more retries than the set grants.
        let least = follow.fold(sure.consequence, Consequence::min);
        let doubts = may.into_iter().map(|(index, _)| index).collect();
        SetResponse { consequence: least, rules: BTreeSet::new(), doubts, restarts }
    }

    fn applies(&self, rule: &Rule, of: &ReplicatedJob) -> MatchCertainty {
        let listed = |list: &[Box<str>], text: &str| {
            list.is_empty() || list.iter().any(|listed| **listed == *text)
        };
        if !listed(&rule.reasons, self.reason) || !listed(&rule.targets, &of.name) {
            return MatchCertainty::Never;
        }
        if rule.patterns.is_empty() {
            return MatchCertainty::Always;
        }
        let of_message = |message: &Vec<Piece>| {
            let founds =
                rule.patterns.iter().map(|pattern| match_message(pattern.as_str(), message));
            // One pattern that always matches is enough; the result is `Never` only if every pattern never
            // matches.
            founds.reduce(|one, other| match (one, other) {
                (MatchCertainty::Always, _) | (_, MatchCertainty::Always) => MatchCertainty::Always,
                (MatchCertainty::Never, MatchCertainty::Never) => MatchCertainty::Never,
                _ => MatchCertainty::Sometimes,
            })
        };
        let all = self.messages.iter().filter_map(of_message);
        let all =
            all.reduce(|one, other| if one == other { one } else { MatchCertainty::Sometimes });
        all.unwrap_or(MatchCertainty::Never)
    }
}

/// Returns whether an action restarts only the failed Job.
pub(super) fn restarts_alone(action: Action) -> bool {
    action == Action::RestartJob || action == Action::RestartJobAndIgnoreMaxRestarts
}

/// Returns the consequence of an action for the Jobs that it restarts.
fn consequence(action: Action) -> Consequence {
    match action {
        Action::FailJobSet => Consequence::End,
        Action::RestartJobSet | Action::RestartJob => Consequence::Counted,
        Action::RestartJobSetAndIgnoreMaxRestarts | Action::RestartJobAndIgnoreMaxRestarts => {
            Consequence::Free
        }
    }
}
