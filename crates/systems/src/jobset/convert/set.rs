//! The fields of the set itself: its limit, and the Jobs that restart when one of several fails.

use super::job_failure::{Restarts, restarts_alone};
use crate::convert::{Notes, note_fleet_limit};
use crate::jobset::{JobSet, ReplicatedJob, RestartStrategy, Rule};
use document::Node;

const JOBS: &str = "spec.replicatedJobs";
/// The settings that put jobs into a gang.
const ANNOTATIONS: &str = "the annotations armadaproject.io/gangId and gangCardinality";

/// Notes the conversion of the fields of the set itself. `has_limit` holds if failures of a Job
/// restart it, or the set, against its limit.
pub(super) fn note_set_fields(root: &Node, set: &JobSet, has_limit: bool, notes: &mut Notes) {
    if root.at(&["spec", "successPolicy"]).is_some() {
        notes.lost(
            "spec.successPolicy",
            "an Armada job succeeds when its pod does, a gang when all do",
        );
    }
    let Some(policy) = &set.failure_policy else {
        return notes.carried("spec", "without a `failurePolicy` the set fails with its first Job");
    };
    let limit = limit(set);
    if limit > 0 && !has_limit {
        let what = "not needed: no rule retries against it";
        notes.carried("spec.failurePolicy.maxRestarts", what);
    } else {
        notes.carried("spec.failurePolicy.maxRestarts", format!("as the limit {limit}"));
        note_fleet_limit(limit, "spec.failurePolicy.maxRestarts", notes);
    }
    if policy.restart_strategy == RestartStrategy::InPlaceRestart {
        let what = "Armada restarts no container in its pod; each attempt is a new one";
        notes.lost("spec.failurePolicy.restartStrategy", what);
    }
    for (index, rule) in policy.rules.iter().enumerate() {
        if alone_of_several(set, rule) {
            let what = "restarts the failed Job alone, where an Armada gang reruns as a whole";
            let help = format!("without {ANNOTATIONS} each job is retried on its own");
            notes.approximated(action(index), what).help(help);
        }
    }
}

/// Notes the conversion of a rule's action, unless it restarts one Job of several, which has a note already.
pub(super) fn note_action(set: &JobSet, rule: usize, what: &str, notes: &mut Notes) {
    let rules = set.failure_policy.as_ref().map_or(&[][..], |policy| &policy.rules);
    if !rules.get(rule).is_some_and(|rule| alone_of_several(set, rule)) {
        notes.carried(action(rule), what);
    }
}

/// Notes how several jobs approximate the pods of a set, by the Jobs that restart together.
pub(super) fn note_several_pods(set: &JobSet, restarts: Restarts, notes: &mut Notes) {
    let pods = |job: &ReplicatedJob| {
        // A Job without completions runs its parallelism of pods.
        u64::from(job.replicas) * u64::from(job.job.completions.unwrap_or(job.job.parallelism))
    };
    let pods = set.replicated_jobs.iter().map(pods).sum::<u64>();
    if pods == 1 {
        return;
    }
    let (near, help) = match restarts {
        Restarts { alone: true, all: true } if jobs(set) > 1 => (
            "restarts the failed Job alone after some failures and all Jobs after others, where Armada \
             reruns a gang as a whole, and other jobs on their own",
            format!(
                "submit the jobs with {ANNOTATIONS} if most failures are to restart all, else without"
            ),
        ),
        Restarts { alone: true, all: false } if jobs(set) > 1 => (
            "of which the failed Job restarts alone is nearest to jobs that are retried on their own",
            if pods == jobs(set) {
                format!("submit the jobs without {ANNOTATIONS}")
            } else {
                format!("submit the pods of each Job as a gang of their own, with {ANNOTATIONS}")
            },
        ),
        _ => (
            "is nearest to a gang, of which all members rerun when one is retried",
            format!("submit the jobs with {ANNOTATIONS}"),
        ),
    };
    let what = format!(
        "a set of several pods {near}; but each job has a budget of its own, where the set has one, and a FailJob \
         ends a whole Job"
    );
    notes.approximated(JOBS, what).help(help);
}

/// Returns the number of counted restarts that are granted.
pub(super) fn limit(set: &JobSet) -> u32 {
    let limit = set.failure_policy.as_ref().map_or(0, |policy| policy.max_restarts);
    u32::try_from(limit).unwrap_or(0)
}

/// Returns whether a rule restarts the failed Job and leaves others unchanged.
fn alone_of_several(set: &JobSet, rule: &Rule) -> bool {
    restarts_alone(rule.action) && jobs(set) > 1
}

/// Returns the number of a set's Jobs.
fn jobs(set: &JobSet) -> u64 {
    set.replicated_jobs.iter().map(|job| u64::from(job.replicas)).sum()
}

fn action(rule: usize) -> String {
    format!("spec.failurePolicy.rules[{rule}].action")
}

#[cfg(test)]
mod tests {
    use super::super::to_v1;
    use crate::convert::{Fidelity, Note};
    use crate::jobset::JobSetEngine;
    use crate::{ManifestSystem, Options};
    use document::diag::{Findings, Source};
    use document::{Limits, parse};

    /// Returns the notes on a set with this number of Jobs, of pods per Job, and with these rules.
    fn converted_notes(replicas: u32, pods: u32, rules: &str) -> Vec<Note> {
        notes_of(replicas, pods, rules, "")
    }

    /// Returns the same for Jobs with these rules of their own.
    fn notes_of(replicas: u32, pods: u32, rules: &str, own: &str) -> Vec<Note> {
        let text = format!(
            "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: s}}\nspec:\n  failurePolicy: \
             {{maxRestarts: 2, rules: [{rules}]}}\n  replicatedJobs:\n  - name: w\n    replicas: {replicas}\n    \
             template:\n      spec:\n        backoffLimit: 0\n        podFailurePolicy: {{rules: [{own}]}}\n        completions: {pods}\n        parallelism: {pods}\n        \
             template: {{spec: {{restartPolicy: Never, containers: [{{name: main, image: i}}]}}}}\n"
        );
        let (documents, _) = parse(&Source::new("s.yaml", text), Limits::POLICY);
        let mut findings = Findings::new();
        let options = Options { restart_job: true, ..Options::default() };
        let set = JobSetEngine::read(&documents[0], &options, &mut findings);
        assert!(findings.is_empty(), "{findings:?}");
        to_v1(&documents[0].root, &set.expect("a set")).expect("a name").notes
    }

    /// Returns the paths and help of approximations.
    fn near(notes: &[Note]) -> Vec<(&str, &str)> {
        let near = notes.iter().filter(|note| note.fidelity == Fidelity::Approximated);
        near.map(|note| (note.path.as_str(), note.help.as_deref().unwrap_or_default())).collect()
    }

    #[test]
    fn what_restarts_alone_goes_in_no_gang() {
        let alone = converted_notes(2, 1, "{action: RestartJob}");
        let action = "spec.failurePolicy.rules[0].action";
        assert!(alone.iter().all(|note| note.path != action || note.fidelity != Fidelity::Carried));
        let [(path, _), (set, help)] = near(&alone)[..] else { panic!("{alone:?}") };
        assert_eq!((path, set), (action, "spec.replicatedJobs"));
        assert!(help.contains("without the annotations"), "{help}");

        let pods = converted_notes(2, 3, "{action: RestartJob}");
        assert!(near(&pods)[1].1.contains("the pods of each Job as a gang"), "{pods:?}");
        let free = converted_notes(2, 1, "{action: RestartJobAndIgnoreMaxRestarts}");
        assert!(near(&free).contains(&near(&alone)[0]), "{free:?}");
    }

    #[test]
    fn the_only_job_restarts_as_its_set_does() {
        assert_eq!(near(&converted_notes(1, 1, "{action: RestartJob}")), []);
        let pods = converted_notes(1, 2, "{action: RestartJob}");
        let [(path, help)] = near(&pods)[..] else { panic!("{pods:?}") };
        assert_eq!(path, "spec.replicatedJobs");
        assert!(help.starts_with("submit the jobs with the annotations"), "{help}");
    }

    #[test]
    fn a_set_that_does_both_is_said_to() {
        // This Job has no deadline and one limit, so only one of these rules decides.
        for rules in [
            "{action: RestartJobSet, onJobFailureReasons: [DeadlineExceeded]}, {action: RestartJob}",
            "{action: RestartJob, onJobFailureMessagePatterns: [limit]}, {action: RestartJobSet}",
            "{action: RestartJob, targetReplicatedJobs: [w]}",
        ] {
            let notes = converted_notes(2, 1, rules);
            let alone = "of which the failed Job restarts alone";
            assert!(notes.iter().any(|note| note.what.contains(alone)), "{rules}: {notes:?}");
        }
        let other = "{action: RestartJob, onJobFailureReasons: [DeadlineExceeded]}";
        let help = "submit the jobs with the annotations";
        assert!(near(&converted_notes(2, 1, other))[1].1.starts_with(help));
        let rule = "{action: RestartJob, onJobFailureReasons: [PodFailurePolicy]}";
        let own = "{action: FailJob, onExitCodes: {operator: In, values: [3]}}";
        let both = notes_of(2, 1, rule, own);
        let is_noted = |note: &Note| note.what.contains("alone after some failures");
        assert!(both.iter().any(is_noted), "{both:?}");
    }
}
