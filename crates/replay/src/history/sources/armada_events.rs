//! Armada's event stream.
//!
//! As its REST gateway sends it, `curl -XPOST $ARMADA/v1/job-set/QUEUE/JOBSET -d '{"watch":false}'`,
//! one JSON object a line; or as Armada's `armadactl watch QUEUE JOBSET --raw` prints it, the name
//! of a type and then the event; or as `grpcurl` and `jq` print it, over several lines or in a
//! list. Streams of several job sets may follow one another.
//!
//! | event | result |
//! |---|---|
//! | `submitted` | the job's queue, job set, annotations of Armada's, resources, init containers, grace period |
//! | `leased`, `pending`, `running` | a run begins; cluster, node; `startedAt` from `running` |
//! | `failed` | Failed at `created`; containers, category; cause 1, 2, 3: `Evicted`, `OOMKilled`, `DeadlineExceeded` |
//! | `failed`, cause 4, or before any lease | the job never ran: no run |
//! | `preempted` | Preempted; the `failed` that follows is the job's end, not another run's |
//! | `leaseReturned`, `leaseExpired` | these; a `failed` that follows adds its category to the latter |
//! | `succeeded`, `cancelled` | Succeeded, Cancelled; cancelled while it was queued: no run |
//!
//! Not in the stream: containers, cause and node of a failure that ended its job by a policy,
//! whose event the scheduler replaces (its category is kept); which containers are init
//! containers, if `submitted` is not in the stream; when a pod was confirmed to have ended; run
//! indices; anything of a run that has not ended.

use super::attempt::{Attempts, Unreported};
use super::elements::{Elements, NO_LIST, Next};
use super::event::{Event, GatewayLine, Kind, Message};
use super::json;
use super::lines::{Line, Lines};
use super::record::SourceRecord;
use super::sink::{Fault, SourceSink};
use super::sketch::{Sketch, Value};
use crate::history::piece::LONGEST_LINE;
use crate::history::skipped_entries::SkippedKind;
use crate::history::unit_outcome::UnitOutcome;
use document::diag::{BYTE_ORDER_MARK, Code, Diagnostic, Place, Source, Span};
use serde::de::IgnoredAny;
use std::collections::HashMap;
use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The contents of a line.
enum Entry {
    Event(Kind, Box<Event>),
    /// Nothing about a run.
    Other,
}

/// Whether an object has the keys of an event in its envelope, or is an error.
pub(super) fn has_keys(sketch: &Sketch) -> bool {
    let is_object = |key: &str| sketch.get(key) == Some(&Value::Object);
    is_object("result") || is_object("message") && sketch.has("id") || sketch.is_error()
}

/// Whether a line is one of `armadactl watch --raw`.
pub(super) fn has_lines(first: &str, _text: &str) -> bool {
    first.starts_with("Watching job set ") || first.starts_with("*api.Job")
}

/// Reads a stream of events: one a line, or values of JSON over several lines.
pub(super) fn read(
    name: &str,
    bytes: &mut dyn BufRead,
    sink: &mut dyn SourceSink,
) -> io::Result<()> {
    let mut head = Vec::new();
    let spans_lines = spans_lines(bytes, &mut head)?;
    let mut bytes = io::Cursor::new(head).chain(bytes);
    let mut stream = Stream::default();
    let flow = if spans_lines {
        values(name, &mut bytes, &mut stream, sink)?
    } else {
        lines(name, &mut bytes, &mut stream, sink)?
    };
    if flow.is_continue() {
        stream.finish(sink);
    }
    Ok(())
}

/// Whether the first value of JSON continues after its first line: it is in a list, or indented.
/// The bytes that were read are put into `head`.
fn spans_lines(bytes: &mut dyn BufRead, head: &mut Vec<u8>) -> io::Result<bool> {
    let mut line = |head: &mut Vec<u8>| {
        let start = head.len();
        // A line without an end must not fill the memory.
        (&mut *bytes).take(LONGEST_LINE as u64).read_until(b'\n', head).map(|_| start)
    };
    let mut start = 0;
    while head[start..].trim_ascii().is_empty() {
        start = line(head)?;
        if start == head.len() {
            return Ok(false);
        }
    }
    let first = head[start..].trim_ascii();
    let first = first.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(first);
    if first.starts_with(b"[") {
        return Ok(true);
    }
    // An indented object is open at the end of its first line.
    let is_open = |first| serde_json::from_slice::<IgnoredAny>(first).is_err_and(|it| it.is_eof());
    if !first.starts_with(b"{") || !is_open(first) {
        return Ok(false);
    }
    // A line that is cut off precedes another event, not the rest of its own.
    let next = line(head)?;
    Ok(!head[next..].starts_with(b"{"))
}

fn lines(
    name: &str,
    bytes: &mut dyn BufRead,
    stream: &mut Stream,
    sink: &mut dyn SourceSink,
) -> io::Result<ControlFlow<()>> {
    let mut lines = Lines::new(name, bytes);
    while let Some(line) = lines.next()? {
        let flow = match line {
            Line::Bad(finding) => sink.bad(None, finding),
            Line::Text(number, text) => {
                let source = || (Source::excerpt(name, text, number), 0);
                stream.take(entry_of(name, number, text), number, source, sink)
            }
        };
        if flow.is_break() {
            return Ok(flow);
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn values(
    name: &str,
    bytes: &mut dyn BufRead,
    stream: &mut Stream,
    sink: &mut dyn SourceSink,
) -> io::Result<ControlFlow<()>> {
    let mut elements = Elements::new(name, NO_LIST, bytes);
    loop {
        let flow = match elements.next()? {
            Next::End => return Ok(ControlFlow::Continue(())),
            Next::Broken(finding) => sink.bad(None, finding),
            Next::Piece(piece) => {
                let entry = message(piece.text, || piece.source());
                stream.take(entry, piece.line, || piece.source(), sink)
            }
        };
        if flow.is_break() {
            return Ok(flow);
        }
    }
}

/// The event of a line, in either notation.
fn entry_of(name: &str, number: usize, text: &str) -> Result<Entry, Fault> {
    let source = |at| move || (Source::excerpt(name, text, number), at);
    if let Some(raw) = text.strip_prefix("*api.") {
        let (kind, event) = raw.split_once(' ').unwrap_or((raw, ""));
        let Some(kind) = Kind::from_type(kind) else {
            return Ok(Entry::Other);
        };
        let event = json::read(event.as_bytes(), source(text.len() - event.len()))?;
        return Ok(Entry::Event(kind, event));
    }
    // `armadactl watch` prints it before the events.
    if text.starts_with("Watching job set ") {
        return Ok(Entry::Other);
    }
    if !text.starts_with('{') {
        let place = Place::new(&Source::excerpt(name, text, number), Span::new(0, text.len()));
        let fault = Diagnostic::error(Code::BadRecord, place, "this is not an event");
        let help = "save what the gateway sends, or what `armadactl watch --raw` prints";
        return Err(fault.help(help).into());
    }
    message(text.as_bytes(), source(0))
}

/// The event of an object in its envelope, which is a part of `source`.
fn message(text: &[u8], source: impl Fn() -> (Arc<Source>, usize)) -> Result<Entry, Fault> {
    let line: GatewayLine = json::read(text, &source)?;
    if let Some(error) = line.error {
        let words = error["message"].as_str().or(error.as_str()).unwrap_or("no reason is given");
        let message = format!("the server ended the stream: {words}");
        return Err(event_fault(source(), message).into());
    }
    let message = line.result.and_then(|result| result.message).or(line.message);
    Ok(message
        .and_then(Message::event)
        .map_or(Entry::Other, |(kind, event)| Entry::Event(kind, event)))
}

/// A finding about a whole event, which begins at a byte of `source`.
fn event_fault((source, begin): (Arc<Source>, usize), message: impl Into<String>) -> Diagnostic {
    let place = Place::new(&source, Span::new(begin, source.text().len()));
    Diagnostic::error(Code::BadRecord, place, message)
}

/// The jobs of a stream.
#[derive(Default)]
struct Stream {
    jobs: HashMap<String, Attempts>,
    never_ran: usize,
    without_end: usize,
}

impl Stream {
    /// Takes the contents of a line.
    fn take(
        &mut self,
        entry: Result<Entry, Fault>,
        line: usize,
        source: impl Fn() -> (Arc<Source>, usize),
        sink: &mut dyn SourceSink,
    ) -> ControlFlow<()> {
        let (kind, mut event) = match entry {
            Ok(Entry::Event(kind, event)) => (kind, event),
            Ok(Entry::Other) => return ControlFlow::Continue(()),
            Err(finding) => return sink.bad(None, finding),
        };
        let Some(id) = json::into_non_empty(event.job_id.take()) else {
            return sink.bad(None, event_fault(source(), "the event has no `jobId`").into());
        };
        let attempts = self.jobs.entry(id.clone());
        let attempts = attempts.or_insert_with(|| Attempts::new(sink.disruptions()));
        let progress = attempts.take(&id, kind, *event, line);
        match progress.unreported {
            Some(Unreported::NeverRan) => self.never_ran += 1,
            Some(Unreported::NoEnd) => self.without_end += 1,
            None => {}
        }
        let (is_over, has_runs) = (progress.is_over, !progress.runs.is_empty());
        let is_open = !is_over && attempts.is_open();
        // Forgotten at once: the memory follows the jobs that are open at a time.
        if is_over {
            self.jobs.remove(&id);
        }
        progress.runs.into_iter().try_for_each(|run| sink.record(run))?;
        // Now and not at the end of the stream, which may have none.
        match (is_open, has_runs) {
            (true, true) => sink.outcome(id, Some(UnitOutcome::Open)),
            (false, false) if is_over => sink.outcome(id, None),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    /// Passes on the runs that are still held, in the order of their lines.
    fn finish(self, sink: &mut dyn SourceSink) {
        let ongoing = self.jobs.values().filter(|attempts| attempts.is_ongoing()).count();
        let open = self.jobs.iter().filter(|(_, attempts)| attempts.is_open());
        let open: Vec<String> = open.map(|(id, _)| id.clone()).collect();
        let mut held: Vec<SourceRecord> =
            self.jobs.into_values().filter_map(Attempts::into_held).collect();
        // The map has no order; lines have one.
        held.sort_by_key(|record| record.line);
        for record in held {
            if sink.record(record).is_break() {
                return;
            }
        }
        for id in open {
            sink.outcome(id, Some(UnitOutcome::Open));
        }
        let words = ["job that ended before it ran", "jobs that ended before they ran"];
        sink.skipped_entries(SkippedKind::NeverRan, self.never_ran, words);
        let words = ["run whose end is not recorded", "runs whose end is not recorded"];
        sink.skipped_entries(SkippedKind::NotEnded, self.without_end + ongoing, words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::sources::tests::Collected;
    use document::units::Quantity;

    /// The runs of the stream of `testdata`, in every notation.
    const RUNS: [&str; 8] = [
        "01k6a Failed 10:00:20.5..10:05:00 gpu-17 OOMKilled init fetch=0 train=137 memory/oom",
        "01k6b Preempted 10:00:21..10:05:31 gpu-03",
        "01k6a LeaseReturned 10:05:20..10:06:40 gpu-21",
        "01k6a Failed 10:07:00..10:08:20 gpu-22 Evicted init fetch=0 train=137 infra/-",
        "01k6a Failed 10:08:40..10:10:00 gpu-22 user/bad-input",
        "01k6c LeaseExpired 10:00:22..10:11:40 gpu-04 internal/lease-expired",
        "01k6c Succeeded 10:12:00..10:15:00 gpu-23",
        "01k6e Cancelled 10:00:25..10:13:21 gpu-05",
    ];

    fn without_lines(collected: &Collected) -> Vec<String> {
        let runs = collected.runs();
        runs.iter().map(|run| run.split_once(": ").unwrap().1.to_owned()).collect()
    }

    #[test]
    fn runs_are_split_and_paired_in_all_notations() {
        for file in ["gateway.jsonl", "watch-raw.txt", "protojson.json"] {
            let file = &format!("armada-events/{file}");
            let mut collected = Collected::of(read, file);
            collected.records.sort_by_key(|record| record.run.finished_at);
            let mut wanted = RUNS.to_vec();
            wanted.sort_by_key(|run| run.split("..").nth(1).unwrap().to_owned());
            assert_eq!(without_lines(&collected), wanted);
            assert!(collected.bad.is_empty(), "{:?}", collected.bad);
            assert_eq!(
                collected.skipped_entries,
                ["2 jobs that ended before they ran", "1 run whose end is not recorded"]
            );
        }
    }

    #[test]
    fn the_first_run_has_the_fields_of_its_job() {
        let collected = Collected::of(read, "armada-events/gateway.jsonl");
        let first = collected.records.iter().find(|record| record.id == "01k6b").unwrap();
        assert_eq!(first.queue.as_deref(), Some("ml"));
        assert_eq!(first.job.job_set.as_deref(), Some("nightly"));
        let annotations = first.job.annotations.as_ref().unwrap();
        assert_eq!(annotations.keys().collect::<Vec<_>>(), ["armadaproject.io/failFast"]);
        assert_eq!(first.job.resources.unwrap().memory, Quantity::parse("16Gi").ok());
        assert_eq!(
            first.run.own.termination_grace,
            Some(document::units::GoDuration::from_secs(45))
        );
        assert_eq!(first.run.cluster.as_deref(), Some("west"));
    }

    #[test]
    fn findings_about_events_have_places() {
        let collected = Collected::of(read, "armada-events/bad.jsonl");
        assert_eq!(
            collected.bad,
            [
                "x:2:72: invalid record: expected a cause: its number, or Error, Evicted, OOM, \
                 DeadlineExceeded or Rejected, found the string `OOMED`",
                "x:3:1: the event has no `jobId`",
                "x:4:1: this is not an event",
                "x:6:1: the server ended the stream: redis is away",
            ]
        );
        assert_eq!(collected.runs(), ["5: 01k6a Succeeded -..10:00:09 -"]);
    }

    #[test]
    fn a_stream_that_begins_in_the_middle_has_its_ends() {
        let text = concat!(
            r#"*api.JobFailedEvent {"jobId":"a","retryable":true}"#,
            "\n",
            r#"*api.JobLeasedEvent {"jobId":"a"}"#,
            "\n",
            r#"*api.JobLeasedEvent {"jobId":"a"}"#,
            "\n",
            r#"*api.JobLeaseReturnedEvent {"jobId":"a"}"#,
            "\n",
            r#"*api.JobFailedEvent {"jobId":"a","reason":"too many attempts"}"#,
            "\n",
            r#"*api.JobCancelledEvent {"jobId":"b"}"#,
            "\n",
            r#"*api.JobPreemptedEvent {"jobId":"c"}"#,
            "\n",
            r#"*api.JobSomethingNewEvent {"jobId":"c"}"#,
            "\n",
        );
        let mut collected = Collected::default();
        read("x", &mut text.as_bytes(), &mut collected).unwrap();
        assert_eq!(
            collected.runs(),
            ["1: a Failed -..- -", "4: a LeaseReturned -..- -", "7: c Preempted -..- -"]
        );
        assert_eq!(collected.skipped_entries.len(), 2, "{:?}", collected.skipped_entries);
    }
}
