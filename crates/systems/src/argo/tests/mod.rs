//! Tests of Argo's rules, of its manifests, expressions and records, and of its conversions. The decisions themselves are
//! compared with those of Argo's code: `tools/argo`, and `tests/vectors/argo.rs` with a part of its cases.

mod compare;
mod convert;
mod engine;
mod expression;
mod lint;
mod read;

use super::{ArgoEngine, ArgoManifest, AttemptFields};
use crate::{ManifestSystem, Options};
use document::diag::{Findings, Source};
use document::{Document, Limits, parse};
use replay::history::Member;
use replay::simulate::testing::read_lines;
use replay::simulate::{self, JobReport, Timelines, simulate};
use serde_json::Value;
use std::num::NonZeroUsize;

const OPTIONS: simulate::Options = simulate::Options {
    timelines: Timelines::All,
    assume: None,
    only: None,
    threads: NonZeroUsize::MIN,
    skipped_records: 0,
    seed: 0,
};

/// Reads a document with a workflow.
fn read_document(text: &str) -> (Document, Option<ArgoManifest>, Findings) {
    let (mut documents, mut findings) = parse(&Source::new("w.yaml", text), Limits::POLICY);
    let document = documents.remove(0);
    let manifest = ArgoEngine::read(&document, &Options::default(), &mut findings);
    (document, manifest, findings)
}

/// Returns the document of a workflow with this spec.
fn workflow(spec: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {{name: train, namespace: ml}}\nspec: {spec}\n"
    )
}

/// Returns the document of a workflow with one template, which has this strategy.
fn with_strategy(strategy: &str) -> String {
    workflow(&format!("{{templates: [{{name: main, retryStrategy: {strategy}}}]}}"))
}

fn engine(document: &str) -> ArgoEngine {
    let (_, manifest, findings) = read_document(document);
    assert!(!findings.has_errors(), "{findings:?}\n{document}");
    ArgoEngine::new(manifest.into_iter().collect())
}

fn members(records: &[Value]) -> Vec<Member<AttemptFields>> {
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    let (members, findings) = read_lines::<ArgoEngine>(&lines.join("\n"));
    assert!(findings.is_empty(), "{findings:?}");
    members
}

/// Replays the records of one node.
fn replay(engine: &ArgoEngine, records: &[Value]) -> JobReport {
    let mut jobs = simulate(engine, &members(records), OPTIONS).jobs.unwrap();
    assert_eq!(jobs.len(), 1, "one node");
    jobs.remove(0)
}

fn codes(job: &JobReport) -> Vec<&str> {
    job.decisions.iter().map(|decision| decision.decision.as_str()).collect()
}
