//! The replay of a stream of units with one member each gives the same reports as a replay from memory,
//! for any cut into pieces and any number of threads.
//!
//! Holds semantics.md 10.

use document::diag::{Findings, Source};
use document::{Limits, parse};
use proptest::prelude::*;
use proptest::sample::select;
use replay::history::{OnBadRecord, Piece, RecordFields};
use replay::simulate::{
    self, Batch, Names, Options, ReplayResult, ReportTexts, Retention, Stream, StreamOptions,
    StreamOutcome, Summary, Timelines, read_history,
};
use serde_json::Value;
use std::num::NonZeroUsize;
use systems::airflow::AirflowEngine;
use systems::backendai::BackendAiEngine;
use systems::iris::IrisEngine;
use systems::job::JobEngine;
use systems::jobset::JobSetEngine;
use systems::{self, ManifestSystem};

const JOBS: [&str; 5] = [
    "{completionMode: Indexed, completions: 1, successPolicy: {rules: [{succeededCount: 1}]},
        template: {spec: {restartPolicy: Never}}}",
    "{backoffLimit: 2, activeDeadlineSeconds: 40, podFailurePolicy: {rules: [
        {action: Ignore, onPodConditions: [{type: DisruptionTarget}]},
        {action: FailJob, onExitCodes: {operator: In, values: [3]}}]},
        template: {spec: {restartPolicy: Never}}}",
    "{backoffLimit: 1, template: {spec: {restartPolicy: OnFailure}}}",
    "{completionMode: Indexed, completions: 1, backoffLimitPerIndex: 1, maxFailedIndexes: 0,
        template: {spec: {restartPolicy: Never}}}",
    "{backoffLimit: 0, template: {spec: {restartPolicy: Never}}}",
];

const SETS: [&str; 4] = [
    "successPolicy: {operator: Any, targetReplicatedJobs: [main]}",
    "failurePolicy: {maxRestarts: 2, rules: [
        {action: FailJobSet, onJobFailureMessagePatterns: ['exit code 3 ']},
        {action: RestartJobSetAndIgnoreMaxRestarts, onJobFailureReasons: [DeadlineExceeded]}]}",
    "failurePolicy: {maxRestarts: 1, restartStrategy: InPlaceRestart}",
    "suspend: false",
];

const IRIS: [&str; 3] = [
    "profile: upstream, policy: {max_retries_failure: 1, max_task_failures: 1, max_retries_preemption: 2}",
    "profile: seed, policy: {max_retries_preemption: 0}",
    "profile: upstream",
];

const TASKS: [&str; 2] = [
    "{retries: 3, retry_exponential_backoff: 2, retry_delay_seconds: 1}",
    "{retries: 1, retry_delay_seconds: 10}",
];

/// Layers of the draft: what is drawn is drawn from the seed, the unit and the run.
const SESSIONS: [&str; 3] = [
    "{session: {max_retries: 3, jitter: random, jitter_ratio: 1, retry_delay: 5}}",
    "{cluster: {max_retries: 2, backoff: exponential, jitter: random}, session: {retry_delay: 2,
        eligible_causes: [oom_killed, unknown]}}",
    "{session: {max_retries: 1}}",
];

/// What is said of a run.
#[derive(Debug, Clone)]
struct Run {
    unit: usize,
    outcome: &'static str,
    code: i32,
    disrupted: bool,
    started: Option<u32>,
    finished: Option<u32>,
    restarts: u32,
    index: Option<u32>,
    queue: &'static str,
    /// Something else that spoils the line or leaves something out of it.
    odd: usize,
}

fn run() -> impl Strategy<Value = Run> {
    let outcome =
        select(vec!["Failed", "Failed", "Failed", "Succeeded", "Running", "Stopped", "Cancelled"]);
    let times = (prop::option::of(0..90_u32), prop::option::weighted(0.9, 0..90_u32));
    let more = (0..3_u32, prop::option::weighted(0.1, 0..9_u32), select(vec!["a", "a", "b", ""]));
    // Now and then many runs fall to one unit, and with it to one share.
    let unit = prop_oneof![1 => 0..12_usize, 1 => Just(0_usize)];
    (unit, outcome, 1..5, any::<bool>(), times, more, 0..40_usize).prop_map(
        |(unit, outcome, code, disrupted, (started, finished), (restarts, index, queue), odd)| {
            Run { unit, outcome, code, disrupted, started, finished, restarts, index, queue, odd }
        },
    )
}

impl Run {
    /// The run as a line; `of_set` says whether it is one of a JobSet.
    fn line(&self, of_set: bool) -> String {
        let Self { unit, outcome, code, restarts, queue, .. } = self;
        if self.odd == 0 {
            return "no record".to_owned();
        }
        let mut line = format!(r#"{{"jobId":"u{unit}","queue":"{queue}","outcome":"{outcome}""#);
        let mut add = |text: String| line.push_str(&text);
        if of_set && self.odd != 1 {
            add(format!(r#","jobName":"u{unit}-main-0""#));
            if self.odd != 2 {
                add(r#","replicatedJob":"main""#.to_owned());
            }
        }
        if let Some(index) = self.index {
            add(format!(r#","runIndex":{index}"#));
        }
        // A stream is of offsets, or of dates: the other lines are bad, wherever it is cut.
        let written = |at: u32| match self.odd {
            4 => format!("1970-01-01T00:{:02}:{:02}Z", at / 60, at % 60),
            _ => format!("{at}s"),
        };
        let time =
            |name: &str, at: Option<u32>| at.map(|at| format!(r#","{name}":"{}""#, written(at)));
        let started = self.started.filter(|start| self.finished.is_none_or(|end| *start <= end));
        add(time("startedAt", started).unwrap_or_default());
        add(time("finishedAt", self.finished).unwrap_or_default());
        match *outcome {
            "Failed" => {
                add(format!(r#","containers":[{{"name":"main","exitCode":{code}}}]"#));
                if self.disrupted {
                    add(r#","podConditions":[{"type":"DisruptionTarget"}]"#.to_owned());
                }
            }
            "Running" => add(format!(r#","restarts":{restarts}"#)),
            _ => {}
        }
        // What only labels and annotations tell of failures before the run.
        if (6..16).contains(&self.odd) {
            add(format!(r#","indexFailureCount":{restarts},"podReason":"Evicted""#));
            if of_set {
                add(format!(r#","restartAttempt":{}"#, self.odd - 6));
            }
        }
        if self.odd == 3 {
            add(r#","outcome":"Failed""#.to_owned());
        }
        line + "}"
    }

    /// The run as a line of a chain of sessions.
    fn line_of_session(&self) -> String {
        let word = match self.outcome {
            word @ ("Failed" | "Succeeded" | "Cancelled") => word,
            _ => "Failed",
        };
        let cause = match self.code {
            1 => r#","cause":"oom_killed""#,
            2 => r#","cause":"kernel_nonzero_exit""#,
            3 => r#","cause":"user_cancelled""#,
            _ => "",
        };
        let count = if self.odd == 5 { r#","retryCount":1"# } else { "" };
        let said = format!(r#""outcome":"{}""#, self.outcome);
        self.line(false).replace(&said, &format!(r#""outcome":"{word}"{cause}{count}"#))
    }

    /// The run as a line of an Iris job.
    fn line_of_iris(&self) -> String {
        let word = match (self.outcome, self.code) {
            ("Failed", 1) => "FAILED",
            ("Failed", 2) => "PREEMPTED",
            ("Failed", 3) => "WORKER_FAILED",
            ("Failed", _) => "TIMEOUT",
            ("Running", _) => "WORKER_REPORTED_KILLED",
            ("Stopped", _) => "UNSCHEDULABLE",
            ("Cancelled", _) => "CANCEL_JOB",
            _ => "SUCCEEDED",
        };
        let phase = if self.disrupted { r#","phase":"ASSIGNED""# } else { "" };
        let said = format!(r#""outcome":"{}""#, self.outcome);
        self.line(false).replace(&said, &format!(r#""outcome":"{word}"{phase}"#))
    }
}

fn session(layers: &str) -> BackendAiEngine {
    engine(format!(
        "{{apiVersion: armadaproject.io/v1, kind: RetryProfile, metadata: {{name: p}}, spec: \
         {{system: backendai, layers: {layers}}}}}"
    ))
}

fn engine<S: ManifestSystem>(text: String) -> S {
    let (documents, _) = parse(&Source::new("m.yaml", text), Limits::POLICY);
    let mut findings = Findings::new();
    let options = systems::Options {
        restart_job: true,
        in_place_restart: true,
        ..systems::Options::default()
    };
    let manifests = documents.iter().filter_map(|one| S::read(one, &options, &mut findings));
    let engine = S::engine(manifests.collect(), &options);
    assert!(!findings.has_errors() && engine.has_single_members(), "{findings:?}");
    engine
}

fn job(spec: &str) -> JobEngine {
    engine(format!("{{apiVersion: batch/v1, kind: Job, metadata: {{name: j}}, spec: {spec}}}"))
}

fn iris(spec: &str) -> IrisEngine {
    engine(format!(
        "{{apiVersion: armadaproject.io/v1, kind: RetryProfile, metadata: {{name: p}}, spec: \
         {{system: iris, {spec}}}}}"
    ))
}

fn set(policy: &str) -> JobSetEngine {
    let child = if policy.contains("InPlace") {
        "{backoffLimit: 2147483647, podReplacementPolicy: Failed, completions: 1, parallelism: 1,
        template: {spec: {restartPolicy: OnFailure}}}"
    } else {
        "{backoffLimit: 1, activeDeadlineSeconds: 30, podFailurePolicy: {rules: [
        {action: FailJob, onExitCodes: {operator: In, values: [2, 3]}}]},
        template: {spec: {restartPolicy: Never}}}"
    };
    engine(format!(
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: j}}\nspec:\n  {policy}\n  \
         replicatedJobs: [{{name: main, template: {{spec: {child}}}}}]"
    ))
}

fn task(policy: &str) -> AirflowEngine {
    engine(format!(
        "{{apiVersion: armadaproject.io/v1, kind: RetryProfile, metadata: {{name: p}},
        spec: {{system: airflow, policy: {policy}}}}}"
    ))
}

/// What a history came to: a report an engine, what was found, and what was left out.
type Answer = (Vec<Value>, Vec<String>, usize);

/// What chance is drawn by, in memory and of a stream.
const SEED: u64 = 11;

const OPTIONS: Options = Options {
    timelines: Timelines::None,
    assume: None,
    only: None,
    threads: NonZeroUsize::MIN,
    skipped_records: 0,
    seed: SEED,
};

fn reports<S: ManifestSystem>(
    engines: &[S],
    names: &Names,
    replayed: impl Iterator<Item = ReplayResult>,
) -> Vec<Value> {
    let report = |(engine, replayed)| simulate::report(engine, names, replayed, OPTIONS);
    let reports = engines.iter().zip(replayed).map(report);
    reports.map(|report| serde_json::to_value(report).expect("JSON")).collect()
}

fn told(findings: Findings) -> Vec<String> {
    findings.sorted().iter().map(|finding| format!("{finding:?}")).collect()
}

fn limits<S: ManifestSystem>(engines: &[S]) -> <S::Fields as RecordFields>::Limits {
    S::limits(&engines.iter().collect::<Vec<_>>())
}

fn in_memory<S: ManifestSystem>(engines: &[S], text: &str, on_bad: OnBadRecord) -> Answer {
    let limits = Some(limits(engines));
    let (history, findings) =
        read_history::<S>(limits, on_bad, |stream| stream.whole_lines("lines", text));
    let names = Names::default();
    let replayed = engines.iter().map(|engine| {
        let none = Summary::new(engine.rules().len());
        simulate::replay(engine, &names, &history.members, OPTIONS, none)
    });
    (reports(engines, &names, replayed), told(findings), history.skipped)
}

fn streamed<S: ManifestSystem>(
    engines: &[S],
    lines: &[String],
    on_bad: OnBadRecord,
    (threads, batch, cut): (usize, usize, usize),
) -> Answer {
    let names = Names::default();
    let options = StreamOptions {
        threads: NonZeroUsize::new(threads).expect("a thread"),
        batch: NonZeroUsize::new(batch).expect("a piece"),
        on_bad,
        hash_key: (7, threads as u64),
        seed: SEED,
        keep: Retention::Necessary,
        has_alike: true,
        shard: None,
        is_unmatched: Some(&|engine, unit| engine == 1 && unit.ends_with('0')),
    };
    let mut stream = Stream::new(engines, &names, Some(limits(engines)), options);
    let mut pieces = lines.chunks(cut).enumerate();
    let mut next = |piece: &mut Piece| {
        let Some((number, lines)) = pieces.next() else { return false };
        let bytes = (lines.join("\n") + "\n").into_bytes();
        *piece = Piece { name: "lines".into(), begins: number == 0, bytes };
        true
    };
    while stream.batch(&mut next) == Batch::Full {}
    let StreamOutcome { summaries, history, findings, units, unmatched, unit_of_several, .. } =
        stream.finish();
    assert_eq!(unit_of_several, None);
    for (engine, unmatched) in unmatched.iter().enumerate() {
        assert_eq!(unmatched.count > 0, unmatched.first.is_some());
        assert!(unmatched.count <= if engine == 1 { units } else { 0 });
    }
    let replayed = engines.iter().zip(summaries).map(|(engine, streamed)| {
        simulate::replay(engine, &names, &history.members, OPTIONS, streamed)
    });
    (reports(engines, &names, replayed), told(findings), history.skipped)
}

fn check<S: ManifestSystem>(
    engines: &[S],
    lines: &[String],
    on_bad: OnBadRecord,
    cuts: [usize; 2],
) -> Result<(), TestCaseError> {
    let memory = in_memory(engines, &(lines.join("\n") + "\n"), on_bad);
    for threads in [1, 3] {
        let way = (threads, cuts[0], cuts[1]);
        prop_assert_eq!(&streamed(engines, lines, on_bad, way), &memory, "{:?}", way);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn a_stream_of_single_members_gives_the_reports_of_memory(
        runs in prop::collection::vec(run(), 1..200),
        sorted: bool,
        cuts in (1..4_usize, 1..150_usize),
        skip: bool,
    ) {
        let mut runs = runs;
        if sorted {
            runs.sort_by_key(|run| run.finished.or(run.started));
        }
        let on_bad = if skip { OnBadRecord::Skip } else { OnBadRecord::ErrorToTheEnd };
        let lines: Vec<String> = runs.iter().map(|run| run.line(false)).collect();
        check(&JOBS.map(job), &lines, on_bad, cuts.into())?;
        let of_iris: Vec<String> = runs.iter().map(Run::line_of_iris).collect();
        check(&IRIS.map(iris), &of_iris, on_bad, cuts.into())?;
        let of_sessions: Vec<String> = runs.iter().map(Run::line_of_session).collect();
        check(&SESSIONS.map(session), &of_sessions, on_bad, cuts.into())?;
        // What no try comes to is a bad record.
        check(&TASKS.map(task), &lines, on_bad, cuts.into())?;
        // A record that does not name its Job is of another member.
        let of_set = runs.iter().filter(|run| run.odd != 1);
        let lines: Vec<String> = of_set.map(|run| run.line(true)).collect();
        check(&SETS.map(set), &lines, on_bad, cuts.into())?;
    }
}

/// Random draws change a report, so that a stream that drew otherwise would give another one.
#[test]
fn another_seed_gives_another_report() {
    let lines = "{\"jobId\":\"u\",\"outcome\":\"Failed\",\"finishedAt\":\"9s\"}\n";
    let (engines, names) = ([session(SESSIONS[0])], Names::default());
    let (history, _) =
        read_history::<BackendAiEngine>(None, OnBadRecord::ErrorToTheEnd, |stream| {
            stream.whole_lines("lines", lines);
        });
    let hours = |seed| {
        let options = Options { seed, ..OPTIONS };
        let replayed = engines.iter().map(|engine| {
            let none = Summary::new(engine.rules().len());
            simulate::replay(engine, &names, &history.members, options, none)
        });
        reports(&engines, &names, replayed)[0]["summary"]["backoffHours"].as_f64()
    };
    assert!(hours(1).is_some_and(|hours| hours > 0.0));
    assert_eq!(hours(1), hours(1));
    assert_ne!(hours(1), hours(2));
}
