//! The parts of a failed pod that the rules of a pod failure policy compare, and those that a rule requires.

use super::manifest::{ConditionPattern, ConditionStatus, PodRule, Requirement};
use super::record::PodFields;
use replay::simulate::{Absence, MAX_PARTS, Need, Part, Parts, Without};

static EXIT_CODE: Part =
    Part { field: "containers[].exitCode", noun: "an exit code", absence: Absence::Usual };
static CONTAINER: Part =
    Part { field: "containers[].name", noun: "a container", absence: Absence::Named };
static CONDITION: Part =
    Part { field: "podConditions", noun: "the condition", absence: Absence::Usual };

const HAS_EXIT_CODE: Parts = Parts::of(0);
const HAS_CONDITION: Parts = Parts::of(1);
const HAS_CONTAINER: Parts = Parts::of(2);
/// The first bit of the values that rules name.
const VALUES: usize = 3;

/// The values that the rules of some policies name. Those beyond the size of a set are not looked for.
#[derive(Debug, Clone, Default)]
pub struct PodValues {
    /// The containers, each with its bit.
    containers: Vec<(Box<str>, Parts)>,
    /// The conditions, each with its bit.
    conditions: Vec<(ConditionPattern, Parts)>,
    /// The first bit that a system may use for parts of its own.
    next: usize,
}

impl PodValues {
    /// Creates the values of policies whose system has so many parts of its own.
    pub fn new(own: usize) -> Self {
        Self { next: VALUES + own, ..Self::default() }
    }

    /// Returns the bit of a part of the system's own, by its number.
    pub const fn own(number: usize) -> Parts {
        Parts::of(VALUES + number)
    }

    /// Returns the needs of rules, the first of which has this number.
    pub fn needs(&mut self, rules: &[PodRule], first: usize) -> Vec<Need> {
        let numbered = rules.iter().enumerate().filter(|(_, rule)| rule.action.is_some());
        numbered.flat_map(|(index, rule)| self.rule_needs(rule, first + index)).collect()
    }

    fn rule_needs(&mut self, rule: &PodRule, number: usize) -> Vec<Need> {
        let need = |part, values, any_of, any_value| Need {
            rule: number,
            part,
            values,
            names: Vec::new(),
            any_of,
            any_value,
            without: Without::NeverMatches,
        };
        match &rule.requirement {
            Requirement::ExitCodes(codes) => {
                let code = need(&EXIT_CODE, Vec::new(), HAS_EXIT_CODE, HAS_EXIT_CODE);
                let named = codes.container.as_ref().map(|name| {
                    let bit = bit_of(&mut self.containers, &mut self.next, name);
                    need(&CONTAINER, vec![name.to_string()], bit, HAS_CONTAINER)
                });
                [code].into_iter().chain(named).collect()
            }
            Requirement::Conditions(patterns) => {
                let bits =
                    patterns.iter().map(|it| bit_of(&mut self.conditions, &mut self.next, it));
                let bits: Vec<Parts> = bits.collect();
                // One that has no bit may be there.
                let is_known = bits.iter().all(|bit| !bit.is_empty());
                let any_of = if is_known { bits.into_iter().collect() } else { Parts::default() };
                let values = patterns.iter().map(text_of).collect();
                vec![need(&CONDITION, values, any_of, HAS_CONDITION)]
            }
            Requirement::Nothing => Vec::new(),
        }
    }

    /// Returns the parts of a failed pod.
    pub fn parts(&self, pod: &PodFields) -> Parts {
        let has_code = pod.containers.iter().any(|it| it.exit_code.is_some_and(|code| code != 0));
        let parts = Parts::default()
            .with(HAS_EXIT_CODE, has_code)
            .with(HAS_CONDITION, !pod.conditions.is_empty())
            .with(HAS_CONTAINER, !pod.containers.is_empty());
        let parts = self.containers.iter().fold(parts, |parts, (name, bit)| {
            parts.with(*bit, pod.containers.iter().any(|container| *container.name == **name))
        });
        self.conditions.iter().fold(parts, |parts, (pattern, bit)| {
            let mut all = pod.conditions.iter();
            let is_there = all.any(|it| *it.kind == *pattern.kind && it.status == pattern.status);
            parts.with(*bit, is_there)
        })
    }
}

/// Returns the bit of a value; empty if all bits are used.
fn bit_of<T: PartialEq + Clone>(known: &mut Vec<(T, Parts)>, next: &mut usize, value: &T) -> Parts {
    if let Some((_, bit)) = known.iter().find(|(other, _)| other == value) {
        return *bit;
    }
    let bit = Parts::of(*next);
    if *next < MAX_PARTS {
        known.push((value.clone(), bit));
        *next += 1;
    }
    bit
}

fn text_of(pattern: &ConditionPattern) -> String {
    match pattern.status {
        ConditionStatus::True => pattern.kind.to_string(),
        status => format!("{}={}", pattern.kind, status.as_str()),
    }
}
