//! What comes of a rule of a Job that fails it, taken apart where a set tells its exit codes apart.
//!
//! The message of such a failure holds the exit code, so a set can restart after one code of a rule
//! and end after another. Codes that are listed are looked at one by one; those that are not, and
//! conditions, are looked at together.

use super::chain::{Decided, JobFailure};
use crate::systems::job::convert::Template;
use crate::systems::job::{ExitCodes, Operator, Requirement};
use crate::systems::jobset::{JobSet, ReplicatedJob};

/// Failures by one rule of which the same follows.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    /// What the rule looks at, or the part of its exit codes.
    pub requirement: Requirement,
    /// What follows.
    pub decided: Decided,
}

/// What comes of a rule at this place, in parts that have no failure in common.
pub(super) fn outcomes(
    index: usize,
    requirement: &Requirement,
    template: &Template,
    set: &JobSet,
    of: &ReplicatedJob,
) -> Vec<Outcome> {
    let mut outcomes: Vec<Outcome> = Vec::new();
    for part in parts(requirement) {
        let decided = JobFailure::by_rule(index, &part, template).decided(set, of);
        let alike = |outcome: &&mut Outcome| outcome.decided.follows == decided.follows;
        match outcomes.iter_mut().find(alike) {
            Some(outcome) => outcome.take_in(part, decided),
            None => outcomes.push(Outcome { requirement: part, decided }),
        }
    }
    outcomes
}

/// A requirement as the parts that are looked at: code by code if they are listed.
fn parts(requirement: &Requirement) -> Vec<Requirement> {
    match requirement {
        Requirement::ExitCodes(codes) if codes.operator == Some(Operator::In) => {
            let one = |code: &i32| ExitCodes { values: vec![*code], ..codes.clone() };
            codes.values.iter().map(one).map(Requirement::ExitCodes).collect()
        }
        whole => vec![whole.clone()],
    }
}

impl Outcome {
    /// Takes in more codes of the same rule, of which the same follows.
    fn take_in(&mut self, part: Requirement, decided: Decided) {
        if let (Requirement::ExitCodes(codes), Requirement::ExitCodes(more)) =
            (&mut self.requirement, part)
        {
            codes.values.extend(more.values);
        }
        self.decided.rules.extend(decided.rules);
        self.decided.doubts.extend(decided.doubts);
    }
}
