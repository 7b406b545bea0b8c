//! The table itself, and for each row that the engines have a policy and a failure that two releases decide otherwise.

use super::*;
use crate::Options;
use crate::airflow::AirflowEngine;
use crate::job::JobEngine;
use crate::jobset::JobSetEngine;
use document::diag::{Findings, Severity, Source};
use document::{Document, Limits, parse};
use std::collections::BTreeSet;

fn document(text: &str) -> Document {
    let (mut documents, findings) = parse(&Source::new("a.yaml", text), Limits::POLICY);
    assert!(findings.is_empty(), "{text}: {findings:?}");
    documents.remove(0)
}

/// Evaluates an expression with the engine of the document `$text` as the type `$S`.
macro_rules! with_engine {
    ($text:expr, $S:ident => $body:expr) => {
        if is_set($text) {
            type $S = JobSetEngine;
            $body
        } else if is_job($text) {
            type $S = JobEngine;
            $body
        } else {
            type $S = AirflowEngine;
            $body
        }
    };
}

fn is_set(text: &str) -> bool {
    text.contains("kind: JobSet,")
}

fn is_job(text: &str) -> bool {
    text.contains("kind: Job,")
}

#[test]
fn rows_have_sources_and_names_of_their_own() {
    let mut names = BTreeSet::new();
    let keys = differences().map(|row| (row.program, row.from));
    assert!(keys.is_sorted(), "rows are ordered by program and version");
    for row in differences() {
        assert!(names.insert(row.id), "{} is there twice", row.id);
        assert!(!row.source.is_empty() && row.sentence.ends_with('.'), "{}", row.id);
        assert!(row.until.is_none_or(|until| until > row.from), "{}", row.id);
        let has_release = row.program.release_since(row.from).is_some();
        assert!(has_release, "{}: no release of the table has it", row.id);
    }
}

/// Each row about decisions has an example, or a reason why it has none.
#[test]
fn two_releases_decide_every_modelled_row_otherwise() {
    let (mut modelled, mut decisions) = (0, 0);
    for row in differences() {
        decisions += usize::from(row.kind == DifferenceKind::Decision);
        let example = match row.model {
            Model::NotModelled(reason) => {
                assert!(!reason.is_empty(), "{}", row.id);
                continue;
            }
            // The test below judges it.
            Model::InPlace(_) => continue,
            Model::Engine(example) => example,
        };
        modelled += 1;
        assert_ne!(example.before, example.since, "{}", row.id);
        let document = document(example.policy);
        let answers = with_engine!(example.policy, S => example_answers::<S>(row, &document));
        assert_eq!(answers, Some([example.before, example.since].map(str::to_owned)), "{}", row.id);
    }
    // The counts stand here so that a row that loses its example is noticed.
    assert_eq!((modelled, decisions), (19, 43));
}

/// The exit of each row about restarts in place: the release before refuses the policy, or decides about a failed pod that the
/// next one does not have.
#[test]
fn rules_of_containers_hide_an_exit_from_one_release_on() {
    let mut rows = 0;
    for row in differences() {
        let Model::InPlace(example) = row.model else { continue };
        rows += 1;
        let document = document(example.policy);
        let reached = with_engine!(example.policy, S => {
            reached_differences::<S>(&document, &Options::default(), &|it| it.program == row.program)
        });
        let own = reached.iter().find(|it| it.row.id == row.id).expect(row.id);
        if example.before == "refused" {
            assert!(own.before.starts_with("refused: ") && own.since == "accepted", "{own:?}");
            continue;
        }
        let fields: serde_json::Value = serde_json::from_str(example.exit).unwrap();
        assert!(own.failure.contains(&fields["exitCode"].to_string()), "{own:?}");
        assert!(own.before.contains(&format!("({})", example.before)), "{own:?}");
        assert!(own.since.starts_with("restarted in place"), "{own:?}");
    }
    assert_eq!(rows, 3);
}

/// The example of a row is found by the comparison that `explain releases` makes, and no row is found for a policy that has
/// nothing of any row.
#[test]
fn the_comparison_finds_the_row_of_each_example() {
    let options = Options { restart_job: true, in_place_restart: true, ..Options::default() };
    let found = |text: &str| {
        let document = document(text);
        with_engine!(text, S => reached_differences::<S>(&document, &options, &|_| true))
    };
    for row in differences() {
        let Model::Engine(example) = row.model else { continue };
        let reached = found(example.policy);
        assert!(reached.iter().any(|it| it.row.id == row.id), "{}: {reached:?}", row.id);
        for one in reached {
            assert_ne!(one.before, one.since, "{}", one.row.id);
        }
    }
    let plain = "{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {template: {spec: {restartPolicy: Never, \
                 containers: [{name: main, image: a}]}}}}";
    assert!(found(plain).is_empty());
}

/// Under the default releases nothing is removed and nothing is refused.
#[test]
fn the_default_releases_have_every_field() {
    for row in differences() {
        let Model::Engine(example) = row.model else { continue };
        if !is_set(example.policy) && !is_job(example.policy) {
            continue;
        }
        let (document, mut findings) = (document(example.policy), Findings::new());
        let prepared =
            prepare(&document, is_set(example.policy), &Releases::default(), &mut findings);
        assert!(matches!(prepared, std::borrow::Cow::Borrowed(_)) && findings.is_empty());
    }
}

/// The decisions that the comparison shows are those of the two whole releases: JobSet 0.6 has rules, and drops their patterns, so that
/// a rule for one message decides about every failure.
#[test]
fn decisions_are_those_of_whole_releases() {
    let text = "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: a}, spec: {failurePolicy: {maxRestarts: 3, rules: \
                [{action: FailJobSet, onJobFailureMessagePatterns: ['exit code 3 ']}]}, replicatedJobs: [{name: w, template: {spec: \
                {template: {spec: {containers: [{name: main, image: a}]}}}}}]}}";
    let document = document(text);
    let options = Options::default();
    let reached = reached_differences::<JobSetEngine>(&document, &options, &|_| true);
    let shown = |it: &ReachedDifference| {
        let patterns = it.failure.contains("failureMessage");
        (it.row.id, patterns, it.before.clone(), it.since.clone())
    };
    let (restart, fail) = ("RestartJobSet (restart_jobset)", "FailJobSet (fail_rule)");
    let row = |id, before: &str, since: &str| (id, false, before.to_owned(), since.to_owned());
    assert_eq!(
        reached.iter().map(shown).collect::<Vec<_>>(),
        [row("rules", restart, fail), row("message-patterns", fail, restart)]
    );
}

/// A row is named only if switching it alone exchanges the decisions: `rules` and `job-success-policy-in-set` begin with one
/// release, and each policy has the fields of one of them.
#[test]
fn rows_of_one_release_are_told_apart() {
    let options = Options::default();
    for row in differences().filter(|row| row.program == Program::JobSet && !row.effects.is_empty())
    {
        let Model::Engine(example) = row.model else { continue };
        let gates = Options { restart_job: true, in_place_restart: true, ..options };
        let document = document(example.policy);
        let reached = reached_differences::<JobSetEngine>(&document, &gates, &|_| true);
        let of_program = reached.iter().filter(|it| it.row.program == Program::JobSet);
        let same_release = of_program.filter(|it| it.row.from == row.from);
        assert_eq!(same_release.map(|it| it.row.id).collect::<Vec<_>>(), [row.id]);
    }
}

/// A row that no engine has and that is about fields names fields that its documents can have.
#[test]
fn rows_without_model_concern_documents_with_their_fields() {
    let rules = "restartPolicyRules: [{action: RestartAllContainers, exitCodes: {operator: NotIn, values: [1]}}]";
    let job = format!(
        "{{suspend: true, managedBy: a/b, podFailurePolicy: {{rules: [{{action: FailJob, onExitCodes: {{operator: In, values: [3]}}}}]}}, \
         template: {{spec: {{containers: [{{name: m, restartPolicy: Never, {rules}}}], initContainers: [{{name: i, restartPolicy: \
         Always, {rules}}}]}}}}}}"
    );
    let rest = "failurePolicy: {restartStrategy: InPlaceRestart, rules: [{action: RestartJobSetAndIgnoreMaxRestarts}]}";
    let texts = [
        format!("{{kind: Job, spec: {job}}}"),
        format!("{{kind: JobSet, spec: {{{rest}, replicatedJobs: [{{dependsOn: [{{name: b}}], template: {{spec: {job}}}}}]}}}}"),
        "{spec: {policy: {retry_policy: {rules: []}}}}".to_owned(),
        "{spec: {antiAffinity: {mode: node}, backoff: {maxDelay: 1m}, rules: [{retryLimit: 1, onConditions: [Preempted]}]}}".to_owned(),
        "{rules: [{onCategory: a, mutate: {affinity: {avoidSameNode: true}}}]}".to_owned(),
    ];
    let roots = texts.map(|text| document(&text));
    let listed = |row: &&Difference| {
        roots.iter().any(|it| {
            rows_without_model(&Program::ALL, &it.root, &|_| true)
                .iter()
                .any(|own| own.id == row.id)
        })
    };
    for row in differences().filter(|row| matches!(row.model, Model::NotModelled(_))) {
        assert_eq!(listed(&row), row.has_fields(), "{}", row.id);
    }
    let plain = document("{kind: Job, spec: {template: {spec: {containers: [{name: m}]}}}}");
    assert!(
        rows_without_model(&Program::ALL, &plain.root, &|_| true)
            .iter()
            .all(|row| row.program == Program::Armada)
    );
}

/// A field that a release refuses is not reported as dropped too: 1.33 refuses `restartPolicy` of a container, 1.34 drops it.
#[test]
fn a_field_is_refused_or_dropped() {
    let row = differences().find(|row| row.id == "container-restart-rules").unwrap();
    let Model::InPlace(example) = row.model else { panic!("the row is compared") };
    let document = document(example.policy);
    let codes = |release: &str| -> Vec<Severity> {
        let releases = Releases::default().with(release.parse().unwrap());
        let mut findings = Findings::new();
        prepare(&document, false, &releases, &mut findings);
        findings.iter().map(|finding| finding.severity).collect()
    };
    assert_eq!(codes("kubernetes-1.33"), [Severity::Error, Severity::Warning]);
    assert_eq!(codes("kubernetes-1.34"), [Severity::Warning; 2]);
    assert_eq!(codes("kubernetes-1.35"), []);
}
