//! A decision of other systems' engines, without reading: the runs of `support/runs.rs` as pods of
//! Jobs of one pod, of JobSets of one Job, as Iris jobs of one task, and as the sessions and the tries
//! of the two systems that hash their delays, under the policies beside this file.

#[expect(dead_code, reason = "other benchmarks draw in more ways")]
#[path = "../support/draw.rs"]
mod draw;
#[path = "../support/runs.rs"]
mod runs;

use armada_retry::engine::Outcome;
use armada_retry::policy::read_with_foreign;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use document::diag::{Findings, Source};
use replay::history::{Job, Member, OnBadRecord, RunRecord};
use replay::simulate::{Effect, Evaluation, Fact, FactKind, Live, Moment, read_history};
use serde_json::{Value, json};
use std::hint::black_box;
use std::time::Duration;
use systems::airflow::AirflowEngine;
use systems::backendai::BackendAiEngine;
use systems::iris::IrisEngine;
use systems::job::JobEngine;
use systems::jobset::JobSetEngine;
use systems::{ManifestSystem, Options, foreign_kinds};

/// The engine over a manifest.
fn engine<S: ManifestSystem>(name: &str, text: &str) -> S {
    let (documents, _) = read_with_foreign(&[Source::new(name, text)], foreign_kinds());
    let mut findings = Findings::new();
    let document = &documents.others.first().expect("a manifest").document;
    let manifest = S::read(document, &Options::default(), &mut findings);
    assert!(!findings.has_errors(), "{name} is admitted");
    S::engine(vec![manifest.expect("a manifest")], &Options::default())
}

/// A run as a record of a pod or of a task, with the fields of every system; each has words of its
/// own for a failure and a success.
fn record(job: &Job, run: &RunRecord, [failed, succeeded]: [&str; 2]) -> Value {
    let container = |container: &armada_retry::engine::Container| {
        json!({
            "name": container.name,
            "exitCode": container.exit_code,
            "reason": some(&container.reason),
            "message": some(&container.message),
        })
    };
    let containers: Vec<Value> = run.own.containers.iter().map(container).collect();
    let disrupted =
        run.own.outcome == Outcome::Preempted || run.own.conditions.iter().any(|c| c == "Evicted");
    let conditions = if disrupted { json!([{"type": "DisruptionTarget"}]) } else { json!([]) };
    let outcome = if run.own.outcome == Outcome::Succeeded { succeeded } else { failed };
    json!({
        "jobId": &*job.unit,
        "jobName": format!("{}-main-0", job.unit),
        "replicatedJob": "main",
        "jobIndex": 0,
        "outcome": outcome,
        "finishedAt": run.finished_at.map(|time| time.to_string()),
        "containers": containers,
        "podConditions": conditions,
    })
}

/// A text that is not empty.
fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// The runs as a system's members, each a unit.
fn members<S: ManifestSystem>(words: [&str; 2]) -> Vec<Member<S::Fields>> {
    let lines: Vec<String> = runs::jobs(42, 200)
        .iter()
        .flat_map(|job| job.runs.iter().map(|run| record(job, run, words).to_string() + "\n"))
        .collect();
    let (history, findings) = read_history::<S>(None, OnBadRecord::Error, |stream| {
        stream.whole_lines("runs", &lines.concat());
    });
    assert!(!findings.has_errors(), "the records are good");
    history.members
}

/// Judges the runs of a member until its unit is over; how many decisions it took.
fn replay<S: ManifestSystem>(
    engine: &S,
    state: &mut S::State,
    memory: &mut S::Memory,
    answer: &mut Evaluation<S::Decision>,
    member: &Member<S::Fields>,
) -> usize {
    let mut decisions = 0;
    for run in &member.runs {
        let facts = [Fact { member: 0, kind: FactKind::Ended(run) }];
        answer.clear();
        engine.evaluate(
            state,
            memory,
            &Moment {
                now: run.time(),
                facts: &facts,
                draw: 0,
                live: Live::default(),
                matched: None,
            },
            answer,
        );
        decisions += answer.verdicts.iter().filter(|verdict| verdict.decision.is_some()).count();
        black_box(&answer);
        let goes_on = |effect: &Effect| matches!(effect, Effect::Rerun { .. });
        if !answer.verdicts.iter().any(|verdict| goes_on(&verdict.effect)) {
            break;
        }
    }
    decisions
}

fn decisions<S: ManifestSystem>(
    criterion: &mut Criterion,
    name: &str,
    engine: &S,
    words: [&str; 2],
) {
    let members = members::<S>(words);
    let (mut memory, mut answer) = (S::Memory::default(), Evaluation::default());
    let begin = || members.iter().map(|member| engine.begin(&[member])).collect::<Vec<_>>();
    let mut states = begin();
    let all = states.iter_mut().zip(&members);
    let count: usize =
        all.map(|(state, member)| replay(engine, state, &mut memory, &mut answer, member)).sum();
    let mut group = criterion.benchmark_group(format!("decision-{name}"));
    group.throughput(Throughput::Elements(count as u64));
    group.bench_function("armadactl", |bencher| {
        bencher.iter_batched_ref(
            begin,
            |states| {
                for (state, member) in states.iter_mut().zip(&members) {
                    replay(engine, state, &mut memory, &mut answer, member);
                }
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

/// A pod's failure and success.
const PODS: [&str; 2] = ["Failed", "Succeeded"];

fn systems(criterion: &mut Criterion) {
    let job: JobEngine = engine("job.yaml", include_str!("job.yaml"));
    decisions(criterion, "job", &job, PODS);
    let jobset: JobSetEngine = engine("jobset.yaml", include_str!("jobset.yaml"));
    decisions(criterion, "jobset", &jobset, PODS);
    let iris: IrisEngine = engine("iris.yaml", include_str!("iris.yaml"));
    decisions(criterion, "iris", &iris, ["FAILED", "SUCCEEDED"]);
    let draft: BackendAiEngine = engine("backendai.yaml", include_str!("backendai.yaml"));
    decisions(criterion, "backendai", &draft, PODS);
    let airflow: AirflowEngine = engine("airflow.yaml", include_str!("airflow.yaml"));
    decisions(criterion, "airflow", &airflow, PODS);
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(1));
    targets = systems
}
criterion_main!(benches);
