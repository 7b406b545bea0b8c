//! The rules of a `v1` policy that are made from steps.

use super::code_set::CodeSet;
use super::steps::{Consequence, Place, Step, StepList, UNLIMITED};
use crate::convert::Notes;
use crate::job::{ConditionPattern, ConditionStatus, ExitCodes, Requirement};
use armada_retry::policy::{Action, Backoff, Condition, Rule};
use replay::disruption::conditions_of_pod;
use replay::history::DISRUPTION_TARGET;

impl StepList<'_> {
    /// Returns the equivalent rules of a `v1` policy, with notes on differences.
    pub fn rules(&self, notes: &mut Notes) -> Vec<Rule> {
        let places = self.places();
        // Each rule counts separately, even if several of them are made from one step.
        let own = |(step, place): (&Step, &Place)| match place {
            _ if step.consequence != Consequence::Counted => 0,
            Place::Own(Some(set)) => set.matchers().len(),
            Place::Own(None) => 1,
            Place::Default | Place::Step(_) => 0,
        };
        let budgets = self.steps.iter().zip(&places).map(own).sum::<usize>()
            + usize::from(self.default == Consequence::Counted);
        let mut rules = Vec::new();
        for (step, place) in self.steps.iter().zip(&places) {
            let path = format!("{}[{}]", self.path, step.rule);
            let set = match place {
                Place::Default => {
                    notes.carried(path, "left to the default action, which counts in the same way");
                    continue;
                }
                Place::Step(first) => {
                    let first = self.steps.get(*first).map_or(step.rule, |first| first.rule);
                    notes.carried(path, format!("joined with rule {first}, whose limit it shares"));
                    continue;
                }
                Place::Own(set) => set,
            };
            let found = match &step.requirement {
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

    /// Notes differences in the limit of a rule.
    fn cost(&self, step: &Step, budgets: usize, path: &str, notes: &mut Notes) {
        let path = format!("{path}.action");
        if step.consequence == Consequence::Free {
            let what = "it has no limit; in v1 the fleet's globalMaxRetries still ends the job";
            notes
                .approximated(path, what)
                .help("set the fleet's globalMaxRetries to the most retries that a job may have");
        } else if step.consequence == Consequence::Counted && budgets > 1 && self.limit > 0 {
            let limit = self.limit;
            let what = format!(
                "in v1 a rule counts for itself: it has {limit} retries beside the others'"
            );
            notes.approximated(path, what);
        }
    }

    fn rule(&self, step: &Step) -> Rule {
        let (action, limit) = match step.consequence {
            // `retryLimit: 0` is a Fail, and is written as such.
            Consequence::End => (Action::Fail, None),
            Consequence::Counted if self.limit == 0 => (Action::Fail, None),
            Consequence::Free => (Action::Retry, Some(UNLIMITED)),
            // The policy has the same limit for its default action, so the rule needs none of its own.
            Consequence::Counted if self.default == Consequence::Counted => (Action::Retry, None),
            Consequence::Counted => (Action::Retry, Some(self.limit)),
        };
        let backoff = if action == Action::Retry { step.backoff } else { Backoff::default() };
        Rule { retry_limit: limit, backoff, ..Rule::new(action) }
    }

    fn by_codes(
        &self,
        step: &Step,
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
            notes.carried(path, "no exit code remains that could reach this rule");
            return Vec::new();
        }
        let any = self.template.scope(codes.container.as_deref()).is_none();
        if any {
            let what =
                "a Job checks all containers, Armada the first that failed, init containers first";
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
        step: &Step,
        patterns: &[ConditionPattern],
        path: &str,
        notes: &mut Notes,
    ) -> Vec<Rule> {
        let path = format!("{path}.onPodConditions");
        let disrupts = |pattern: &ConditionPattern| {
            pattern.status == ConditionStatus::True && !conditions_of_pod(&pattern.kind).is_empty()
        };
        for (index, pattern) in patterns.iter().enumerate().filter(|(_, p)| !disrupts(p)) {
            let what = format!(
                "Armada has no condition `{}` with status {}; failures of such pods go on to the next rules \
                 and finally to the default action",
                pattern.kind,
                pattern.status.as_str()
            );
            notes.lost(format!("{path}[{index}]"), what);
        }
        if !patterns.iter().any(disrupts) {
            return Vec::new();
        }
        let mut conditions: Vec<Condition> = Vec::new();
        for pattern in patterns.iter().filter(|pattern| disrupts(pattern)) {
            let of_pod = conditions_of_pod(&pattern.kind);
            let names: Vec<&str> = of_pod.iter().map(|condition| condition.as_str()).collect();
            let what = match &*pattern.kind {
                DISRUPTION_TARGET => {
                    "it is also set on pods that are deleted through the API or with their node"
                }
                _ => "Kueue also sets it on pods that it stops for other reasons",
            };
            let (kind, names) = (&pattern.kind, names.join(", "));
            let what = format!("{kind} is rendered as `onConditions: [{names}]`; {what}");
            notes.approximated(path.clone(), what);
            conditions.extend(of_pod);
        }
        // `Preempted` first and equal ones in succession, as `dedup` needs.
        conditions.sort_by_key(|condition| *condition != Condition::Preempted);
        conditions.dedup();
        vec![Rule { conditions, ..self.rule(step) }]
    }
}

#[cfg(test)]
mod tests {
    use super::super::Template;
    use super::*;
    use crate::job::Operator;

    /// All codes become `In` 1 and `NotIn` 1: one step, two rules, and a budget for each.
    #[test]
    fn a_step_of_two_rules_is_told_to_share_no_budget() {
        let of = |values: Vec<i32>| {
            let codes = ExitCodes {
                container: Some("main".into()),
                operator: Some(Operator::NotIn),
                values,
            };
            let step = Step {
                rule: 0,
                requirement: Requirement::ExitCodes(codes),
                consequence: Consequence::Counted,
                backoff: Backoff::default(),
            };
            let template = Template::default();
            let (default, path) = (Consequence::End, "rules".to_owned());
            let ladder =
                StepList { steps: vec![step], default, limit: 3, template: &template, path };
            let mut notes = Notes::default();
            let rules = ladder.rules(&mut notes).len();
            let notes = notes.into_vec();
            (rules, notes.iter().filter(|note| note.what.contains("counts for itself")).count())
        };
        assert_eq!(of(vec![0]), (2, 1));
        assert_eq!(of(vec![1]), (1, 0));
    }
}
