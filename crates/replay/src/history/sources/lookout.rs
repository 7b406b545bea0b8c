//! Lookout's jobs, as `POST /api/v1/jobs` answers: pages of `{"jobs": [..]}`, one or several one
//! after another, or the bare jobs that `jq -c '.jobs[]'` leaves.
//!
//! The most complete source of Armada's runs: each has its own category and exit code, however the job ended.
//! Not in the pages: containers (of the first one that failed only the exit code, here under the name `main`),
//! messages, termination reasons, pod conditions, run indices, grace periods. `docs/sources.md` has the table.
//!
//! The debug JSON and the error of a run, which are answers of other requests, may be joined with the run. A run may
//! also be outside of its job: `{"jobId": .., "debug": ..}`, the answer or the debug JSON itself. Those are gathered,
//! since they are in no order of time.

use super::elements::{Elements, Next, Piece, Position};
use super::json::{self, into_non_empty};
use super::kube::{Texts, annotations};
use super::lookout_run::{LookoutRun, RunEnd};
use super::order::by_unit_and_time;
use super::record::SourceRecord;
use super::sink::{Fault, SourceSink};
use super::sketch::{self, Sketch};
use crate::history::job::RunRecord;
use crate::history::skipped_entries::SkippedKind;
use crate::history::unit_outcome::UnitOutcome;
use armada_retry::engine::Resources;
use armada_retry::engine::{ANNOTATIONS, JobFields};
use document::diag::{Code, Diagnostic, Place, Span, plural};
use document::units::{Quantity, Time};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::collections::HashSet;
use std::io::{self, BufRead};
use std::ops::ControlFlow;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LookoutJob {
    job_id: Option<String>,
    /// Of a run that is outside of its job.
    run_id: Option<String>,
    queue: Option<String>,
    job_set: Option<String>,
    annotations: Option<Texts>,
    /// Thousandths of a core.
    cpu: Option<u64>,
    /// Bytes.
    memory: Option<u64>,
    /// Devices.
    gpu: Option<u64>,
    runs: Option<Vec<LookoutRun>>,
}

/// The keys by which an object is a run outside of its job: its state, or debug JSON in any of its forms.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RunKeys {
    runs: Option<IgnoredAny>,
    job_run_state: Option<IgnoredAny>,
    debug: Option<IgnoredAny>,
    error_string: Option<Value>,
    schema_version: Option<IgnoredAny>,
}

/// How many entries were passed over.
#[derive(Default)]
struct PassedCounts {
    repeated: usize,
    /// The job of each run that has not ended.
    ongoing: Vec<String>,
    unknown: usize,
}

/// The jobs and runs that are read.
#[derive(Default)]
struct Pages {
    seen: HashSet<String>,
    passed: PassedCounts,
    /// Runs outside of their jobs, with their first times.
    single: Vec<(Option<Time>, SourceRecord)>,
    /// How many of them have no id, and the place of the first.
    without_id: Option<(usize, Place)>,
}

/// Whether an object has the keys of a page, of a job, of a run outside of its job, or of an answer of Lookout's that is
/// an error: Armada's gateway sends a code beside the text.
pub(super) fn has_keys(sketch: &Sketch) -> bool {
    let is_job = sketch.has("jobId") && sketch.has("runs") && !sketch.has("outcome");
    let is_debug =
        sketch.has("schemaVersion") && sketch.has("trigger") || sketch.has("errorString");
    let is_run = is_debug || sketch.has("debug") || sketch.has("jobRunState");
    let is_gateway_error = ["code", "message", "details"].iter().all(|key| sketch.has(key))
        && !sketch.has("error")
        && !sketch.has("jobId");
    let has_text = matches!(sketch.get("error"), Some(sketch::Value::Text(_)));
    sketch.is_list_or_null("jobs")
        || is_job
        || is_run && !sketch.has("outcome")
        || sketch.is_error() && has_text && !sketch.has("code")
        || is_gateway_error
}

/// Reads pages, and runs outside of their jobs.
pub(super) fn read(
    name: &str,
    bytes: &mut dyn BufRead,
    sink: &mut dyn SourceSink,
) -> io::Result<()> {
    let mut elements = Elements::new(name, "jobs", bytes);
    let mut pages = Pages::default();
    loop {
        let flow = match elements.next()? {
            Next::End => break,
            Next::Broken(finding) => sink.bad(None, finding),
            Next::Piece(piece) => match entry_of(&piece) {
                Ok(Some(Entry::Job(job))) => pages.job(&piece, job, sink),
                Ok(Some(Entry::Run(job, run))) => pages.single_run(name, &piece, job, *run, sink),
                Ok(None) => ControlFlow::Continue(()),
                Err(finding) => sink.bad(None, finding),
            },
        };
        if flow.is_break() {
            return Ok(());
        }
    }
    pages.finish(sink);
    Ok(())
}

enum Entry {
    /// A job with its runs.
    Job(LookoutJob),
    /// A run, and what is known of its job.
    Run(LookoutJob, Box<LookoutRun>),
}

/// The job or run of a piece; a page without jobs has none.
fn entry_of(piece: &Piece<'_>) -> Result<Option<Entry>, Fault> {
    if piece.position == Position::Alone {
        let page: serde_json::Map<String, Value> = json::read(piece.text, || piece.source())?;
        if page.is_empty() || page.contains_key("jobs") {
            return Ok(None);
        }
        let is_run = ["debug", "jobRunState"].iter().any(|key| page.contains_key(*key));
        let is_gateway_error = page.contains_key("code") && page.contains_key("details");
        let message = page.get(if is_gateway_error { "message" } else { "error" });
        if let Some(error) = message.and_then(Value::as_str).filter(|_| !is_run) {
            return Err(piece.fault(format!("the server answered with an error: {error}")).into());
        }
    }
    let keys: RunKeys = json::read(piece.text, || piece.source())?;
    // A run has a state or debug JSON; a job without runs in its answer has neither.
    let is_run = keys.job_run_state.is_some() || keys.debug.is_some();
    let is_debug = keys.schema_version.is_some() || keys.error_string.is_some();
    if keys.runs.is_some() || !is_run && !is_debug {
        return json::read(piece.text, || piece.source()).map(|job| Some(Entry::Job(job)));
    }
    // The debug JSON itself has other values under the keys of a run.
    if keys.schema_version.is_some() {
        let debug = json::read(piece.text, || piece.source())?;
        return Ok(Some(Entry::Run(LookoutJob::default(), LookoutRun::from_debug(debug).into())));
    }
    let mut run: LookoutRun = json::read(piece.text, || piece.source())?;
    // Lookout answers a debug request with its text under `errorString`.
    run.debug = run.debug.or(keys.error_string);
    let job = json::read(piece.text, || piece.source())?;
    Ok(Some(Entry::Run(job, run.into())))
}

impl Pages {
    /// Passes on the runs of a job, in the order of their times.
    fn job(
        &mut self,
        piece: &Piece<'_>,
        mut job: LookoutJob,
        sink: &mut dyn SourceSink,
    ) -> ControlFlow<()> {
        let Some(id) = into_non_empty(job.job_id.take()) else {
            return sink.bad(None, piece.fault("the job has no `jobId`").into());
        };
        // Pages shift while jobs are submitted between two requests.
        if !self.seen.insert(id.clone()) {
            self.passed.repeated += 1;
            return ControlFlow::Continue(());
        }
        let mut fields = fields_of(&mut job);
        let mut queue = into_non_empty(job.queue);
        let mut runs = Vec::new();
        for run in job.runs.unwrap_or_default() {
            runs.extend(self.run(piece, &id, run, sink)?);
        }
        // By time, as the rules between records ask for it.
        runs.sort_by_key(|(began, _)| *began);
        runs.into_iter().try_for_each(|(_, run)| {
            // The fields of the job go with its first run alone, whose record is the first of the unit.
            let (job, queue) = (std::mem::take(&mut fields), queue.take());
            let (id, line) = (id.clone(), piece.line);
            sink.record(SourceRecord { id, pod: None, queue, job, run, index: None, line })
        })
    }

    /// Keeps a run outside of its job. One without any id is a job of its own, named by its place.
    fn single_run(
        &mut self,
        name: &str,
        piece: &Piece<'_>,
        mut job: LookoutJob,
        run: LookoutRun,
        sink: &mut dyn SourceSink,
    ) -> ControlFlow<()> {
        let id = into_non_empty(job.job_id.take());
        let id = id.or_else(|| into_non_empty(job.run_id.take())).unwrap_or_else(|| {
            let (source, begin) = piece.source();
            let first = || Place::new(&source, Span::new(begin, begin + 1));
            self.without_id.get_or_insert_with(|| (0, first())).0 += 1;
            format!("{name}:{}", piece.line)
        });
        if let Some((began, run)) = self.run(piece, &id, run, sink)? {
            let (queue, line) = (into_non_empty(job.queue.take()), piece.line);
            let job = fields_of(&mut job);
            let record = SourceRecord { id, pod: None, queue, job, run, index: None, line };
            self.single.push((began, record));
        }
        ControlFlow::Continue(())
    }

    /// A run that has ended, and its first time.
    fn run(
        &mut self,
        piece: &Piece<'_>,
        id: &str,
        run: LookoutRun,
        sink: &mut dyn SourceSink,
    ) -> ControlFlow<(), Option<(Option<Time>, RunRecord)>> {
        match run.end() {
            Ok(RunEnd::Ended(outcome)) => match run.record(outcome) {
                Ok((began, mut run)) => {
                    let table = sink.disruptions();
                    run.own.disruption = table.find(crate::disruption::Source::Lookout, &run.own);
                    return ControlFlow::Continue(Some((began, run)));
                }
                Err(message) => {
                    let fault = piece.fault(format!("a run of job `{id}`: {message}"));
                    sink.bad(Some(id), fault.into())?;
                }
            },
            Ok(RunEnd::Ongoing) => self.passed.ongoing.push(id.to_owned()),
            Ok(RunEnd::Unknown) => self.passed.unknown += 1,
            Err(message) => {
                let message = format!("job `{id}` has a run {message}");
                sink.bad(Some(id), piece.fault(message).into())?;
            }
        }
        ControlFlow::Continue(None)
    }

    /// Passes on the runs outside of their jobs, and reports what was passed over.
    fn finish(self, sink: &mut dyn SourceSink) {
        if let Some((count, place)) = self.without_id {
            let runs = plural(count, "run has", "runs have");
            let message = format!("{runs} no `jobId`: each counts as a job of its own");
            let help = "write {\"jobId\": .., \"queue\": .., \"debug\": ..} for each run";
            sink.warning(Diagnostic::warning(Code::BadRecord, place, message).help(help));
        }
        let runs = by_unit_and_time(self.single, |(_, run)| &run.id, |(began, _)| *began);
        for (_, record) in runs {
            if sink.record(record).is_break() {
                return;
            }
        }
        let words = ["job listed on an earlier page", "jobs listed on an earlier page"];
        sink.skipped_entries(SkippedKind::Other, self.passed.repeated, words);
        let words = ["run that has not ended", "runs that have not ended"];
        sink.skipped_entries(SkippedKind::NotEnded, self.passed.ongoing.len(), words);
        for id in self.passed.ongoing {
            sink.outcome(id, Some(UnitOutcome::Open));
        }
        let words = ["run of unknown outcome", "runs of unknown outcome"];
        sink.skipped_entries(SkippedKind::Other, self.passed.unknown, words);
    }
}

/// Returns the fields of a job beyond its id and queue.
fn fields_of(job: &mut LookoutJob) -> JobFields {
    JobFields {
        job_set: into_non_empty(job.job_set.take()),
        annotations: annotations(job.annotations.take().map(with_prefix)),
        resources: resources(job.cpu, job.memory, job.gpu),
        gang: None,
    }
}

/// Annotations with Armada's prefix: Lookout removes a prefix that is configured, by default that one.
fn with_prefix(mut all: Texts) -> Texts {
    for key in ANNOTATIONS {
        let short = key.rsplit('/').next().unwrap_or(key);
        // An annotation with its prefix is the more certain one.
        if let Some(value) = all.remove(short) {
            all.entry(key.to_owned()).or_insert(value);
        }
    }
    all
}

fn resources(cpu: Option<u64>, memory: Option<u64>, gpu: Option<u64>) -> Option<Resources> {
    let quantity = |amount: Option<u64>, unit: &str| {
        let amount = amount.filter(|amount| *amount > 0)?;
        Quantity::parse(&format!("{amount}{unit}")).ok()
    };
    let resources =
        Resources { cpu: quantity(cpu, "m"), memory: quantity(memory, ""), gpu: quantity(gpu, "") };
    (resources != Resources::default()).then_some(resources)
}

#[cfg(test)]
mod tests {
    use super::*;
    const GANG_ID: &str = "armadaproject.io/gangId";
    use crate::history::sources::tests::Collected;

    #[test]
    fn runs_are_ordered_by_time() {
        let collected = Collected::of(read, "lookout/pages.json");
        assert_eq!(
            collected.runs(),
            [
                "1: 01k6a Failed 10:01:00..10:10:00 gpu-17 main=137 memory/oom",
                "1: 01k6a LeaseReturned -..10:14:00 - internal/stuck-terminating",
                "1: 01k6a Failed 10:31:00..10:45:00 gpu-21 main=2 user/bad-input",
                "1: 01k6b Preempted 10:01:00..10:05:00 gpu-03",
                "1: 01k6c LeaseExpired 10:01:00..10:20:00 gpu-04",
                "1: 01k6c Succeeded 10:22:00..10:40:00 gpu-05",
                "2: 01k6e Cancelled 10:01:00..10:30:00 gpu-07",
            ]
        );
        assert_eq!(
            collected.skipped_entries,
            [
                "1 job listed on an earlier page",
                "1 run that has not ended",
                "1 run of unknown outcome"
            ]
        );
        let first = &collected.records[0];
        assert_eq!(first.job.resources.unwrap().cpu, Quantity::parse("4").ok());
        assert_eq!(collected.records[1].job, JobFields::default());
        let gang = collected.records[3].job.annotations.as_ref().unwrap();
        assert_eq!(gang.get(GANG_ID).map(String::as_str), Some("g1"), "its prefix is back");
        assert_eq!(gang.len(), 2);
    }

    #[test]
    fn findings_about_jobs_have_places() {
        let collected = Collected::of(read, "lookout/bad.json");
        assert_eq!(
            collected.bad,
            [
                "x:3:5: job `01k6a` has a run of unknown state `RUN_AWAY`",
                "x:3:5: a run of job `01k6a`: `finished`: invalid RFC 3339 time `yesterday`",
                "x:4:15: invalid record: expected a string, found the number `7`",
                "x:5:5: the job has no `jobId`",
                "x:9:1: the server answered with an error: page too far",
            ]
        );
        assert_eq!(collected.records.len(), 3);
    }

    /// The observed pods of the runs that have one.
    fn observed(collected: &Collected) -> Vec<String> {
        let runs = collected
            .records
            .iter()
            .filter_map(|record| Some((record, record.run.own.observed.as_ref()?)));
        runs.map(|(record, pod)| {
            let messages =
                record.run.own.containers.iter().map(|container| container.message.as_str());
            let messages = messages.collect::<Vec<_>>().join("|");
            format!("{}: {:?} {} events, {messages}", record.id, pod.trigger, pod.events.len())
        })
        .collect()
    }

    #[test]
    fn runs_have_the_containers_of_their_debug_json_and_errors() {
        let collected = Collected::of(read, "lookout/debug-pages.json");
        assert_eq!(
            collected.runs(),
            [
                "1: 01k6a Failed 10:01:00..10:10:00 gpu-17 main=74 proxy=143",
                "1: 01k6a Failed -..10:13:00 gpu-18 UnexpectedAdmissionError",
                "1: 01k6a Failed 10:21:00..10:40:00 gpu-19 trainer=137",
                "1: 01k6b Preempted 10:01:00..10:05:00 gpu-03",
                "1: 01k6b Failed 10:07:00..10:09:00 gpu-04 main=1",
            ]
        );
        assert_eq!(
            observed(&collected),
            [
                "01k6a: Some(PodFailed) 1 events, CUDA error: device-side assert|",
                "01k6a: Some(PodFailed) 1 events, ",
                "01k6a: None 0 events, ",
            ]
        );
        assert!(collected.bad.is_empty(), "{:?}", collected.bad);
    }

    #[test]
    fn runs_outside_of_their_jobs_are_sorted() {
        let collected = Collected::of(read, "lookout/debug-runs.jsonl");
        assert_eq!(
            collected.runs(),
            [
                "2: 01k6c Failed 10:01:00..10:10:00 gpu-05 main=-",
                "1: 01k6c Failed 10:20:00..10:30:00 gpu-17 main=74 proxy=143",
                "3: r-d0 Cancelled -..- gpu-17 main=-",
                "4: x:4 Failed -..- gpu-18 UnexpectedAdmissionError",
                "5: x:5 Failed -..- gpu-17 main=74 proxy=143",
            ]
        );
        assert_eq!(collected.skipped_entries, ["1 run of unknown outcome"]);
        assert_eq!(
            collected.warnings,
            ["x:4:1: 2 runs have no `jobId`: each counts as a job of its own"]
        );
        let bad = Collected::of(read, "lookout/debug-bad.jsonl");
        assert_eq!(
            bad.bad,
            [
                "x:1:1: job `01k6f` has a run with neither `jobRunState` nor debug JSON",
                "x:2:1: job `01k6g` has a run with invalid debug JSON: `schemaVersion` is 2, but only 1 is read",
            ]
        );
        let fault = |at: usize| bad.records[at].run.own.observed.as_ref().unwrap().fault.clone();
        let (field, message) = fault(0).unwrap();
        assert_eq!(field, "debug");
        assert!(message.contains("expected a string, found the number `7`"));
        assert_eq!(fault(1), None);
    }

    #[test]
    fn bare_jobs_are_jobs() {
        let text =
            r#"{"jobId":"a","runs":[{"jobRunState":"RUN_FAILED"}]} {"jobId":"b","runs":null}"#;
        let mut collected = Collected::default();
        read("x", &mut text.as_bytes(), &mut collected).unwrap();
        assert_eq!(collected.runs(), ["1: a Failed -..- -"]);
    }
}
