//! The table itself, and for each row that the engines have a policy and a failure that two releases decide otherwise.

use super::*;
use crate::Options;
use crate::airflow::AirflowEngine;
use crate::job::JobEngine;
use crate::jobset::JobSetEngine;
use document::diag::Source;
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
        let (document, mut findings) = (document(example.policy), document::diag::Findings::new());
        let prepared =
            prepare(&document, is_set(example.policy), &Releases::default(), &mut findings);
        assert!(matches!(prepared, std::borrow::Cow::Borrowed(_)) && findings.is_empty());
    }
}
