//! Coverage of generated tests, against brute force: what random failures reach in random policies, the generated tests
//! cover. So a target that they do not cover is one that no failure reaches, as far as is known.

mod manifests;

use super::manifests::{read_example, targets_and_examples};
use crate::analysis::unit_test::{TargetIndex, read_cases, run_case, scaffold};
use crate::project::{Manifests, PolicyScope, Project};
use ::systems::airflow::AirflowEngine;
use ::systems::backendai::BackendAiEngine;
use ::systems::iris::IrisEngine;
use ::systems::job::JobEngine;
use ::systems::jobset::JobSetEngine;
use ::systems::{CoverageTarget, ManifestSystem, Options, TargetKind};
use document::diag::{Findings, Source};
use document::{Limits, parse};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A target in messages.
fn name(target: &CoverageTarget) -> String {
    let kind = match target.kind {
        TargetKind::Limit { source, value } => format!("{source} {value}"),
        kind => format!("{kind:?}"),
    };
    format!("{} {:?} {kind}", target.policy, target.rule_index)
}

/// The targets that sequences of failures reach and generated tests do not cover, and the generated tests that fail; `None`
/// for a manifest with errors.
fn missed<S: ManifestSystem>(
    manifest: &Value,
    sequences: &[Vec<Value>],
) -> Option<BTreeSet<String>> {
    let source = Source::new("p.yaml", manifest.to_string());
    let project = Project::from_sources(&[source], PolicyScope::OneSystem, Findings::new());
    let (mut findings, options) = (project.findings, Options::default());
    let manifests = Manifests::<S>::read(&project.documents, &options, &mut findings);
    if findings.has_errors() {
        return None;
    }
    let engine = manifests.engine();
    let (targets, examples) = targets_and_examples::<S>(&project.documents, &options);
    let scaffolding = scaffold(&engine, &targets, examples, &|document, case| {
        read_example(document, case, &manifests, &engine)
    });
    let uncovered: BTreeSet<String> =
        scaffolding.uncovered.iter().chain(&scaffolding.dead).map(name).collect();
    let rules = engine.rules();
    let index = TargetIndex::new(&targets, &rules);
    let run = |test: Value| {
        let test = json!({"spec": {"tests": [test]}});
        let (documents, _) = parse(&Source::new("t.yaml", test.to_string()), Limits::HISTORY);
        let cases = read_cases(&documents[0], &mut Findings::new());
        let recorded = read_example(&documents[0], &cases[0], &manifests, &engine)?;
        Some(run_case(&engine, false, &recorded, &cases[0], 0))
    };
    let mut reached = BTreeSet::new();
    for failures in sequences {
        let Some(outcome) = run(json!({"name": "t", "failures": failures})) else { continue };
        for decision in outcome.decided {
            reached
                .extend(index.reached(&decision).into_iter().map(|number| name(&targets[number])));
        }
    }
    let mut missed: BTreeSet<String> = reached.intersection(&uncovered).cloned().collect();
    for test in scaffolding.tests {
        let generated =
            json!({"name": test.name, "failures": test.failures, "expect": test.expectations});
        let passes = run(generated).is_some_and(|outcome| outcome.mismatches.is_empty());
        missed.extend((!passes).then(|| format!("`{}` fails", test.name)));
    }
    Some(missed)
}

/// Sequences of failures, of which each may repeat.
fn sequences(pool: Vec<Value>) -> impl Strategy<Value = Vec<Vec<Value>>> {
    let runs = prop::collection::vec((prop::sample::select(pool), 1_usize..4), 1..9);
    let sequence = runs.prop_map(|runs| {
        runs.into_iter().flat_map(|(failure, times)| std::iter::repeat_n(failure, times)).collect()
    });
    prop::collection::vec(sequence, 1..12)
}

macro_rules! covered {
    ($($test:ident: $engine:ty, $manifests:expr, $pool:expr;)*) => {
        $(
            #[test]
            fn $test() {
                let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
                    failure_persistence: None,
                    max_global_rejects: 100_000,
                    ..ProptestConfig::with_cases(100)
                });
                let strategy = $manifests.prop_flat_map(|manifest| {
                    let pool: Vec<Value> = $pool(&manifest);
                    (Just(manifest), sequences(pool))
                });
                let result = runner.run(&strategy, |(manifest, sequences)| {
                    let Some(missed) = missed::<$engine>(&manifest, &sequences) else {
                        return Err(TestCaseError::reject("invalid"));
                    };
                    prop_assert!(missed.is_empty(), "{missed:?} in {manifest}");
                    Ok(())
                });
                result.unwrap();
            }
        )*
    };
}

covered! {
    what_failures_reach_in_jobs: JobEngine, manifests::jobs(), manifests::pods;
    what_failures_reach_in_job_sets: JobSetEngine, manifests::job_sets(), manifests::failed_jobs;
    what_failures_reach_in_iris: IrisEngine, manifests::iris(), manifests::attempts;
    what_failures_reach_in_backend_ai: BackendAiEngine, manifests::backend_ai(), manifests::sessions;
    what_failures_reach_in_airflow: AirflowEngine, manifests::airflow(), manifests::tries;
}
