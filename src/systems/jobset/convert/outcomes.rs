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
        self.decided.restarts = self.decided.restarts.or(decided.restarts);
    }
}

#[cfg(test)]
mod tests {
    use super::super::to_v1;
    use crate::diag::{Findings, Source};
    use crate::document::{Limits, parse};
    use crate::policy::{Action, RetryPolicy};
    use crate::systems::conversion::{Conversion, Kept};
    use crate::systems::jobset::JobSetEngine;
    use crate::systems::{Options, System};

    /// A set of one pod whose Job fails by this requirement on exit codes, and which ends on a
    /// failure whose message has this pattern.
    fn converted(codes: &str, pattern: &str) -> Conversion<Vec<RetryPolicy>> {
        let text = format!(
            "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: s}}\nspec:\n  failurePolicy:\n    \
             maxRestarts: 20\n    rules:\n    - {{name: end, action: FailJobSet, onJobFailureReasons: [PodFailurePolicy], \
             onJobFailureMessagePatterns: ['{pattern}']}}\n  replicatedJobs:\n  - name: job\n    template:\n      spec:\n        \
             backoffLimit: 0\n        podFailurePolicy:\n          rules:\n          - {{action: FailJob, onExitCodes: {codes}}}\n        \
             template:\n          spec: {{restartPolicy: Never, containers: [{{name: main, image: i}}]}}\n"
        );
        let (documents, _) = parse(&Source::new("s.yaml", text), Limits::POLICY);
        let mut findings = Findings::new();
        let set = JobSetEngine::read(&documents[0], &Options::default(), &mut findings);
        assert!(findings.is_empty(), "{findings:?}");
        to_v1(&documents[0].root, &set.expect("a set")).expect("a name")
    }

    /// The codes that the rules end on.
    fn ends(done: &Conversion<Vec<RetryPolicy>>) -> Vec<i32> {
        let rules = done.result[0].rules.iter().filter(|rule| rule.action == Action::Fail);
        rules.flat_map(|rule| rule.exit_codes.as_ref().expect("codes").values.clone()).collect()
    }

    #[test]
    fn a_listed_code_that_ends_the_set_ends_the_job() {
        let done = converted("{operator: In, values: [2, 3]}", "failed with exit code 2 matching");
        assert_eq!(ends(&done), [2]);
        assert!(done.is_exact(), "{:?}", done.notes);
        let done = converted("{operator: In, values: [2, 3, 5]}", "exit code [25] ");
        assert_eq!(ends(&done), [2, 5]);
        assert!(done.is_exact(), "{:?}", done.notes);
    }

    #[test]
    fn what_only_the_cluster_knows_burns_no_retries() {
        for (codes, pattern) in [
            ("{operator: NotIn, values: [3]}", "exit code 2 "),
            ("{operator: In, values: [3]}", "for pod prod/"),
        ] {
            let done = converted(codes, pattern);
            assert_eq!(ends(&done), [3], "{pattern}");
            let said = done.notes.iter().find(|note| note.kept == Kept::Approximated);
            assert!(said.expect("a note").what.contains("Fail is taken"), "{:?}", done.notes);
        }
    }
}
