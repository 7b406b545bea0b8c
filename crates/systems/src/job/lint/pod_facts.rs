//! The facts of a failed pod that rules match: the exit code of a container, or a condition.
//!
//! A pod shows any number of facts, of each container and each type of condition at most one. A rule matches a pod if it
//! matches one of its facts. So another fact only adds rules that match, and of the pods that a rule is the first to match
//! those of one fact are matched by the fewest others.

use crate::job::manifest::containers::Container;
use crate::job::manifest::{
    ConditionStatus, ExitCodes, JobPolicy, Operator, PodRule, Requirement, RestartPolicy,
};
use replay::disruption::exit_codes;
use replay::history::{DISRUPTION_TARGET, TERMINATION_TARGET};
use std::collections::{BTreeMap, BTreeSet};

/// The most rules that are examined. The API server takes 20.
const MAX_RULES: usize = 32;

/// The exit codes of a process. Rules may list others, which containers of Windows end with.
const EXIT_CODES: std::ops::RangeInclusive<i32> = 1..=255;

/// A code that no list can contain.
const OTHER_CODE: i64 = i32::MAX as i64 + 1;

/// The conditions that nearly every failed pod has, by the kubelet (`pkg/kubelet/status/generate.go`).
const USUAL_CONDITIONS: [(&str, ConditionStatus); 4] = [
    ("Initialized", ConditionStatus::True),
    ("Ready", ConditionStatus::False),
    ("ContainersReady", ConditionStatus::False),
    ("PodScheduled", ConditionStatus::True),
];

/// A fact about a failed pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cause<'p> {
    /// A container ended with one of these codes, which the same rules match.
    ExitCodes {
        /// The name of the container.
        container: &'p str,
        /// The codes, in order.
        codes: Vec<i32>,
        /// Whether these rules match all others that no rule lists, beyond those of a process.
        has_others: bool,
    },
    /// The pod has a condition.
    Condition {
        /// The type of the condition.
        kind: &'p str,
        /// The status of the condition.
        status: ConditionStatus,
    },
}

impl Cause<'_> {
    /// Returns whether the fact shows that the pod was disrupted, so that the failure is none of its own.
    pub(crate) fn is_disruption(&self) -> bool {
        matches!(self, Self::Condition { kind, status: ConditionStatus::True }
            if [DISRUPTION_TARGET, TERMINATION_TARGET].contains(kind))
    }

    /// Returns whether pods may fail for reasons of their own and show the fact: an exit code, or a condition that nearly
    /// every failed pod has. The meaning of other conditions is not known.
    pub(crate) fn is_own_failure(&self) -> bool {
        match self {
            Self::ExitCodes { .. } => true,
            Self::Condition { kind, status } => USUAL_CONDITIONS.contains(&(*kind, *status)),
        }
    }

    /// Returns whether a pod can show both facts.
    fn is_compatible(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::ExitCodes { container: one, .. }, Self::ExitCodes { container: two, .. }) => {
                one != two
            }
            (Self::Condition { kind: one, .. }, Self::Condition { kind: two, .. }) => one != two,
            _ => true,
        }
    }
}

/// A fact, and the rules that match it.
#[derive(Debug, Clone)]
pub(crate) struct Fact<'p> {
    pub(crate) cause: Cause<'p>,
    /// A bit for each rule, the first rule's the lowest.
    matching: u32,
}

/// The facts that a Job's rules distinguish.
#[derive(Debug)]
pub(crate) struct PodFacts<'p> {
    pub(crate) facts: Vec<Fact<'p>>,
}

impl<'p> PodFacts<'p> {
    /// Returns the facts of pods with these containers; `None` with more rules than a Job may have. Without names of
    /// containers pods have those that rules name, and two others.
    pub(crate) fn new(rules: &'p [PodRule], containers: &[&'p str]) -> Option<Self> {
        Self::find(rules, containers, &[])
    }

    /// Returns the facts of a Job's failed pods; `None` with more rules than a Job may have. A container does not end
    /// with a code on which it restarts in place.
    pub(crate) fn for_job(policy: &'p JobPolicy, containers: &[&'p str]) -> Option<Self> {
        Self::find(policy.rules(), containers, &policy.containers)
    }

    fn find(
        rules: &'p [PodRule],
        containers: &[&'p str],
        restarting: &[Container],
    ) -> Option<Self> {
        if rules.len() > MAX_RULES {
            return None;
        }
        let mut facts = Vec::new();
        let codes = listed_codes(rules, restarting);
        let matching_of = |code: i64, container: &str| {
            bits(rules, |requirement| match requirement {
                Requirement::ExitCodes(codes) => admits(codes, container, code),
                Requirement::Conditions(_) | Requirement::Nothing => false,
            })
        };
        for container in distinguished(rules, containers, restarting) {
            let template = restarting.iter().find(|it| *it.name == *container);
            let ends_with = |code: i64| template.is_none_or(|it| ends_pod(it, code));
            let mut by_rules: BTreeMap<u32, Vec<i32>> = BTreeMap::new();
            for &code in codes.iter().filter(|code| ends_with(i64::from(**code))) {
                let matching = matching_of(i64::from(code), container);
                // Codes that the same rules match are one fact, since no rule distinguishes them.
                by_rules.entry(matching).or_default().push(code);
            }
            let has_others = ends_with(OTHER_CODE);
            let of_container = by_rules.into_iter().map(|(matching, codes)| {
                let has_others = has_others && matching == matching_of(OTHER_CODE, container);
                Fact { cause: Cause::ExitCodes { container, codes, has_others }, matching }
            });
            facts.extend(of_container);
        }
        let conditions = patterns(rules).map(|(kind, status)| {
            let matching = bits(rules, |requirement| {
                matches!(requirement, Requirement::Conditions(patterns)
                    if patterns.iter().any(|it| *it.kind == *kind && it.status == status))
            });
            Fact { cause: Cause::Condition { kind, status }, matching }
        });
        facts.extend(conditions);
        Some(Self { facts })
    }

    /// Returns the facts of which a rule is the first to match.
    pub(crate) fn reaching(&self, rule: usize) -> impl Iterator<Item = &Fact<'p>> {
        self.facts.iter().filter(move |fact| fact.first_rule() == Some(rule))
    }

    /// Returns the first rule that matches a pod with a condition; `None` if there is none.
    pub(super) fn matching_condition(&self, kind: &str, status: ConditionStatus) -> Option<usize> {
        let is_condition = |fact: &&Fact<'p>| match fact.cause {
            Cause::Condition { kind: other, status: its } => other == kind && its == status,
            Cause::ExitCodes { .. } => false,
        };
        self.facts.iter().find(is_condition)?.first_rule()
    }

    /// Returns, of each pod that a rule is the first to match, the rule that would match without it; `None` is none.
    pub(super) fn next_rules(&self, rule: usize) -> BTreeSet<Option<usize>> {
        let mut next = BTreeSet::new();
        let later = |matching: u32| first_of(matching & !(1 << rule));
        // A rule before it would have been the first to match.
        let before = (1_u32 << rule) - 1;
        // Another fact of the pod may be the one that the next rule matches.
        let others: Vec<&Fact<'p>> =
            self.facts.iter().filter(|fact| fact.matching & before == 0).collect();
        for fact in self.reaching(rule) {
            next.insert(later(fact.matching));
            for other in others.iter().filter(|other| fact.cause.is_compatible(&other.cause)) {
                next.insert(later(fact.matching | other.matching));
            }
        }
        next
    }
}

impl Fact<'_> {
    /// Returns the first rule that matches a pod of this fact alone.
    pub(crate) fn first_rule(&self) -> Option<usize> {
        first_of(self.matching)
    }
}

fn first_of(matching: u32) -> Option<usize> {
    (matching != 0).then(|| matching.trailing_zeros() as usize)
}

/// Returns a bit for each rule whose requirement holds. A rule with an unknown action is skipped.
fn bits(rules: &[PodRule], holds: impl Fn(&Requirement) -> bool) -> u32 {
    let matching = rules.iter().enumerate();
    let matching = matching.filter(|(_, rule)| rule.action.is_some() && holds(&rule.requirement));
    matching.fold(0, |bits, (number, _)| bits | 1 << number)
}

/// Returns the exit codes that a process may end with, and the others that rules list, of the Job or of its containers.
fn listed_codes(rules: &[PodRule], restarting: &[Container]) -> BTreeSet<i32> {
    let listed = rules.iter().filter_map(|rule| match &rule.requirement {
        Requirement::ExitCodes(codes) => Some(&codes.values),
        Requirement::Conditions(_) | Requirement::Nothing => None,
    });
    let restarts = restarting.iter().flat_map(|container| &container.restart_rules);
    let restarts = restarts.flat_map(|rule| &rule.values);
    let listed = listed.flatten().chain(restarts).copied();
    listed.filter(|code| *code != 0).chain(EXIT_CODES).collect()
}

/// Returns whether a pod can fail with this exit code of a container that restarts in place by fields of its own. A pod
/// that is deleted ends with the codes of signals, whatever the rules of its containers, and a sidecar gets a signal after
/// the other containers, and may end with any code.
fn ends_pod(container: &Container, code: i64) -> bool {
    container.is_sidecar()
        || exit_codes().any(|signal| i64::from(signal) == code)
        || container.restarted_by(RestartPolicy::Never, code).is_none()
}

/// Returns the containers that rules name or that have a restart policy of their own, and at most two others: rules do not
/// distinguish between more.
fn distinguished<'p>(
    rules: &'p [PodRule],
    containers: &[&'p str],
    restarting: &[Container],
) -> Vec<&'p str> {
    let restarting = restarting.iter().filter(|it| it.restart_policy.is_some());
    let restarting: BTreeSet<&str> = restarting.map(|it| &*it.name).collect();
    let named: BTreeSet<&str> = rules
        .iter()
        .filter_map(|rule| match &rule.requirement {
            Requirement::ExitCodes(codes) => codes.container.as_deref(),
            Requirement::Conditions(_) | Requirement::Nothing => None,
        })
        .collect();
    if containers.is_empty() {
        // Without a template its containers are not known: two names stand for those that no rule names.
        let others = ["main", "other", "another"].into_iter().filter(|it| !named.contains(it));
        return named.iter().copied().chain(others.take(2)).collect();
    }
    let (named, others): (Vec<&str>, Vec<&str>) =
        containers.iter().partition(|it| named.contains(*it) || restarting.contains(*it));
    others.into_iter().take(2).chain(named).collect()
}

fn admits(codes: &ExitCodes, container: &str, code: i64) -> bool {
    let is_listed = || codes.values.iter().any(|listed| i64::from(*listed) == code);
    codes.container.as_deref().is_none_or(|name| name == container)
        && match codes.operator {
            Some(Operator::In) => is_listed(),
            Some(Operator::NotIn) => !is_listed(),
            None => false,
        }
}

/// Returns the conditions of rules, each once.
fn patterns(rules: &[PodRule]) -> impl Iterator<Item = (&str, ConditionStatus)> {
    let mut all: Vec<(&str, ConditionStatus)> = Vec::new();
    for rule in rules {
        let Requirement::Conditions(patterns) = &rule.requirement else { continue };
        for pattern in patterns {
            let condition = (&*pattern.kind, pattern.status);
            if !all.contains(&condition) {
                all.push(condition);
            }
        }
    }
    all.into_iter()
}

/// Describes exit codes, for texts: `exit code 42`, or `exit code 1, 2, 3 or one of 252 more`.
pub(crate) fn codes_text(codes: &[i32]) -> String {
    /// The codes that are listed if there are more.
    const LISTED: usize = 3;
    let text = |codes: &[i32]| codes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match codes {
        [] => "no exit code".to_owned(),
        [one] => format!("exit code {one}"),
        [first @ .., last] if first.len() <= LISTED => {
            format!("exit code {} or {last}", text(first))
        }
        codes => {
            let (first, others) = codes.split_at(LISTED);
            format!("exit code {} or one of {} more", text(first), others.len())
        }
    }
}
