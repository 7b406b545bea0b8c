//! The outcomes of a rule that fails its Job, split by exit code if the set distinguishes them.
//!
//! The message of such a failure contains the exit code, so a set can restart after one code of a rule and
//! end after another. Listed codes are evaluated one by one; unlisted ones, and conditions, are evaluated
//! together.

use super::job_failure::{JobFailure, SetResponse};
use crate::job::convert::Template;
use crate::job::{ExitCodes, Operator, Requirement};
use crate::jobset::{JobSet, ReplicatedJob};

/// Failures by one rule with the same consequence.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    /// The rule's requirement, or a part of its exit codes.
    pub requirement: Requirement,
    pub response: SetResponse,
}

/// Returns the outcomes of the rule at this index, as disjoint parts.
pub(super) fn outcomes(
    index: usize,
    requirement: &Requirement,
    template: &Template,
    set: &JobSet,
    of: &ReplicatedJob,
) -> Vec<Outcome> {
    let mut outcomes: Vec<Outcome> = Vec::new();
    for part in parts(requirement) {
        let response = JobFailure::by_rule(index, &part, template).response(set, of);
        let alike = |outcome: &&mut Outcome| outcome.response.consequence == response.consequence;
        match outcomes.iter_mut().find(alike) {
            Some(outcome) => outcome.take_in(part, response),
            None => outcomes.push(Outcome { requirement: part, response }),
        }
    }
    outcomes
}

/// Splits a requirement into the parts that are evaluated separately: listed codes one by one.
fn parts(requirement: &Requirement) -> Vec<Requirement> {
    match requirement {
        Requirement::ExitCodes(codes) if codes.operator == Some(Operator::In) => {
            let one = |code: &i32| ExitCodes { values: vec![*code], ..codes.clone() };
            codes.values.iter().map(one).map(Requirement::ExitCodes).collect()
        }
        set => vec![set.clone()],
    }
}

impl Outcome {
    /// Adds codes of the same rule with the same consequence.
    fn take_in(&mut self, part: Requirement, response: SetResponse) {
        if let (Requirement::ExitCodes(codes), Requirement::ExitCodes(more)) =
            (&mut self.requirement, part)
        {
            codes.values.extend(more.values);
        }
        self.response.rules.extend(response.rules);
        self.response.doubts.extend(response.doubts);
        self.response.restarts = self.response.restarts.or(response.restarts);
    }
}

#[cfg(test)]
mod tests {
    use super::super::to_v1;
    use crate::convert::{Conversion, Fidelity};
    use crate::jobset::JobSetEngine;
    use crate::{ManifestSystem, Options};
    use armada_retry::policy::{Action, RetryPolicy};
    use document::diag::{Findings, Source};
    use document::{Limits, parse};

    /// Converts a set of one pod whose Job fails by this requirement on exit codes, and which ends on a
    /// failure whose message matches this pattern.
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

    /// Returns the codes on which the rules end the job.
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
            let note = done.notes.iter().find(|note| note.fidelity == Fidelity::Approximated);
            assert!(note.expect("a note").what.contains("Fail is used"), "{:?}", done.notes);
        }
    }
}
