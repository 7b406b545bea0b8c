//! What follows from each failure of a pod, rule by rule, as the rules of a `v1` policy.
//!
//! A pod failure policy and what is done about the end of its Job come to the same thing: ordered
//! steps, of which the first that matches a pod says whether there is another attempt and what it
//! costs. The two systems count differently. A Job, or a set, has one budget; a `v1` policy has
//! one for each rule. So steps that draw on the budget are brought together in one place: left to
//! the default action if that draws on it too, else joined with the first of them. Exit codes of
//! one container can be moved so, since sets of them can be taken from each other.

use super::codes::CodeSet;
use super::template::Template;
use crate::policy::{Action, Backoff, Condition, Rule};
use crate::systems::conversion::Notes;
use crate::systems::job::{ConditionPattern, ConditionStatus, ExitCodes, Requirement};

/// A limit that means none: what Kubernetes writes for no limit, too.
pub(in crate::systems) const UNLIMITED: u32 = i32::MAX as u32;

/// What follows from a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::systems) enum Follows {
    /// Nothing: it is the end.
    End,
    /// Another attempt, which costs nothing.
    Free,
    /// Another attempt, within the budget.
    Counted,
}

/// A rule of a pod failure policy, and what follows from it in the end.
#[derive(Debug, Clone, Copy)]
pub(in crate::systems) struct Step<'p> {
    /// What it looks at.
    pub requirement: &'p Requirement,
    /// What follows.
    pub follows: Follows,
    /// The wait, where it is not the policy's.
    pub backoff: Backoff,
}

/// What steps are turned into rules by.
#[derive(Debug)]
pub(in crate::systems) struct Ladder<'p> {
    /// The steps, in order.
    pub steps: Vec<Step<'p>>,
    /// What follows if none matches.
    pub default: Follows,
    /// The budget.
    pub limit: u32,
    /// The containers of the pod.
    pub template: &'p Template,
    /// Where the pod failure policy's rules stand: `spec.podFailurePolicy.rules`.
    pub path: String,
}

/// Where a step went.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// Into a rule of its own; what is left of its exit codes, if it is about those of one
    /// container.
    Own(Option<CodeSet>),
    /// To the default action.
    Default,
    /// Into the rule of an earlier step.
    Step(usize),
}

impl<'p> Ladder<'p> {
    /// The rules of a `v1` policy that say the same, or nearly so.
    pub fn rules(&self, notes: &mut Notes) -> Vec<Rule> {
        let places = self.places();
        let own = |(step, place): (&Step<'_>, &Place)| {
            step.follows == Follows::Counted && matches!(place, Place::Own(_))
        };
        let budgets = self.steps.iter().zip(&places).filter(|pair| own(*pair)).count()
            + usize::from(self.default == Follows::Counted);
        let mut rules = Vec::new();
        for (index, (step, place)) in self.steps.iter().zip(&places).enumerate() {
            let path = format!("{}[{index}]", self.path);
            let set = match place {
                Place::Default => {
                    notes.carried(path, "left to the default action, which counts it alike");
                    continue;
                }
                Place::Step(first) => {
                    notes.carried(path, format!("joined with rule {first}, whose limit it shares"));
                    continue;
                }
                Place::Own(set) => set,
            };
            let found = match step.requirement {
                Requirement::ExitCodes(codes) => {
                    self.by_codes(step, codes, set.as_ref(), &path, notes)
                }
                Requirement::Conditions(patterns) => {
                    self.by_conditions(step, patterns, &path, notes)
                }
                Requirement::Nothing => Vec::new(),
            };
            if !found.is_empty() {
                self.cost(step, budgets, &path, notes);
            }
            rules.extend(found);
        }
        rules
    }

    /// Says what is not the same about the limit of a rule.
    fn cost(&self, step: &Step<'_>, budgets: usize, path: &str, notes: &mut Notes) {
        let path = format!("{path}.action");
        if step.follows == Follows::Free {
            let what =
                "it has no limit; in v1 the fleet's globalMaxRetries ends the job all the same";
            notes
                .approximated(path, what)
                .help("set the fleet's globalMaxRetries to as many retries as a job may ever have");
        } else if step.follows == Follows::Counted && budgets > 1 && self.limit > 0 {
            let limit = self.limit;
            let what = format!(
                "in v1 a rule counts for itself: it has {limit} retries beside the others'"
            );
            notes.approximated(path, what);
        }
    }

    /// The codes of a step about exit codes of one container, and that container.
    fn codes(&self, step: &Step<'p>) -> Option<(&'p str, CodeSet)> {
        let Requirement::ExitCodes(codes) = step.requirement else { return None };
        let scope = self.template.scope(codes.container.as_deref())?;
        Some((scope, CodeSet::of(codes)))
    }

    /// Whether steps are about exit codes of the same container.
    fn alike(&self, one: &Step<'p>, other: &Step<'p>) -> bool {
        let scope = |step| self.codes(step).map(|(scope, _)| scope);
        scope(one).is_some() && scope(one) == scope(other)
    }

    fn places(&self) -> Vec<Place> {
        let set = |step| self.codes(step).map(|(_, set)| set);
        let mut places: Vec<Place> = self.steps.iter().map(|step| Place::Own(set(step))).collect();
        match self.default {
            Follows::Counted => self.leave_to_default(&mut places),
            Follows::End | Follows::Free => self.join(&mut places),
        }
        places
    }

    /// Leaves counted steps to the default action and takes their codes from the steps behind
    /// them, which the codes must not reach now.
    fn leave_to_default(&self, places: &mut [Place]) {
        for (index, step) in self.steps.iter().enumerate() {
            let behind = self.steps.get(index + 1..).unwrap_or_default();
            let mut others = behind.iter().filter(|other| other.follows != Follows::Counted);
            let free_to_go = others.all(|other| self.alike(step, other));
            let (before, after) = places.split_at_mut(index + 1);
            let Some(place) = before.last_mut() else { continue };
            if step.follows != Follows::Counted || !free_to_go {
                continue;
            }
            if let Place::Own(Some(gone)) = std::mem::replace(place, Place::Default) {
                for (other, place) in behind.iter().zip(after) {
                    if let Place::Own(Some(left)) = place
                        && self.alike(step, other)
                    {
                        *left = left.minus(&gone);
                    }
                }
            }
        }
    }

    /// Joins counted steps with the first of them, but for the codes that steps between them take.
    fn join(&self, places: &mut [Place]) {
        let counted = |step: &Step<'_>| step.follows == Follows::Counted;
        let Some(first) = self.steps.iter().position(counted) else { return };
        let Some(home) = self.steps.get(first) else { return };
        let mut between = CodeSet::Only(std::collections::BTreeSet::new());
        for (index, step) in self.steps.iter().enumerate().skip(first + 1) {
            // Behind a step about something else nothing can be moved.
            let Some((_, set)) = self.codes(step).filter(|_| self.alike(home, step)) else {
                return;
            };
            if !counted(step) {
                between = between.or(&set);
                continue;
            }
            let Some(Place::Own(Some(joined))) = places.get_mut(first) else { return };
            *joined = joined.or(&set.minus(&between));
            if let Some(place) = places.get_mut(index) {
                *place = Place::Step(first);
            }
        }
    }

    fn rule(&self, step: &Step<'_>) -> Rule {
        let (action, limit) = match step.follows {
            Follows::End => (Action::Fail, None),
            Follows::Counted if self.limit == 0 => (Action::Fail, None),
            Follows::Free => (Action::Retry, Some(UNLIMITED)),
            // The policy has the same limit for its default action.
            Follows::Counted if self.default == Follows::Counted => (Action::Retry, None),
            Follows::Counted => (Action::Retry, Some(self.limit)),
        };
        let backoff = if action == Action::Retry { step.backoff } else { Backoff::default() };
        Rule { retry_limit: limit, backoff, ..Rule::new(action) }
    }

    fn by_codes(
        &self,
        step: &Step<'_>,
        codes: &ExitCodes,
        left: Option<&CodeSet>,
        path: &str,
        notes: &mut Notes,
    ) -> Vec<Rule> {
        let path = format!("{path}.onExitCodes");
        if codes.values.iter().any(|code| *code < 0) {
            let what = "values below 0 are left out: Armada matches none";
            notes.approximated(format!("{path}.values"), what);
        }
        let set = left.cloned().unwrap_or_else(|| CodeSet::of(codes));
        if set.is_empty() {
            notes.carried(path, "no exit code is left that would get to this rule");
            return Vec::new();
        }
        let any = self.template.scope(codes.container.as_deref()).is_none();
        if any {
            let what = "a Job looks at all containers, Armada at the first that failed, init containers first";
            notes.approximated(path, what).help("name the container: `containerName`");
        } else {
            notes.carried(path, "as `onExitCodes`");
        }
        let rule = |matcher| Rule {
            container: codes.container.as_deref().map(str::to_owned),
            include_init_containers: any,
            exit_codes: Some(matcher),
            ..self.rule(step)
        };
        set.matchers().into_iter().map(rule).collect()
    }

    fn by_conditions(
        &self,
        step: &Step<'_>,
        patterns: &[ConditionPattern],
        path: &str,
        notes: &mut Notes,
    ) -> Vec<Rule> {
        let path = format!("{path}.onPodConditions");
        let disrupts = |pattern: &ConditionPattern| {
            &*pattern.kind == "DisruptionTarget" && pattern.status == ConditionStatus::True
        };
        for (index, pattern) in patterns.iter().enumerate().filter(|(_, p)| !disrupts(p)) {
            let what = format!(
                "Armada knows no condition `{}` that is {}; failures of pods with it go on to the next rule, \
                 and at last to the default action",
                pattern.kind,
                pattern.status.as_str()
            );
            notes.lost(format!("{path}[{index}]"), what);
        }
        if !patterns.iter().any(disrupts) {
            return Vec::new();
        }
        let what = "DisruptionTarget is rendered as `onConditions: [Preempted, Evicted]`; it is also set \
                    on pods that are deleted through the API or with their node";
        notes.approximated(path, what);
        let conditions = vec![Condition::Preempted, Condition::Evicted];
        vec![Rule { conditions, ..self.rule(step) }]
    }
}
