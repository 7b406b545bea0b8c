//! Passes the records of a source to the [`Reader`].

use super::PROGRAMS;
use super::aws_batch;
use super::pods::{self, PodState, PodUnits, read_pods};
use super::program::{Program, Read};
use super::record::{SourceRecord, SystemRecord};
use super::sink::{Fault, SourceSink};
use super::sketch::Sketch;
use crate::disruption::Disruptions;
use crate::history::checks::{FieldFault, ends_before_it_starts};
use crate::history::kube_pod::KubePod;
use crate::history::names::Names;
use crate::history::reader::{Reader, Row, Sink, no_record};
use crate::history::record::{PodRecord, RecordFields, Run};
use crate::history::skipped_entries::{SkippedEntries, SkippedKind};
use crate::history::time_notation::TimeNotation;
use crate::history::tree::read_json;
use crate::history::unit_outcome::UnitOutcome;
use document::diag::{Code, Diagnostic, Findings, Place, Source, Span};
use document::units::Time;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{self, BufRead};
use std::ops::ControlFlow;

/// The names of a record: its line, and its run in messages.
struct RecordName {
    id: String,
    /// `namespace/name`, if the run has a pod.
    pod: Option<String>,
    line: usize,
}

impl RecordName {
    fn describe(&self, message: &str) -> String {
        match &self.pod {
            Some(pod) => format!("pod `{pod}`: {message}"),
            None => format!("job `{}`: {message}", self.id),
        }
    }
}

impl<F: RecordFields> Reader<F> {
    /// Reads a source. `name` is its name in messages.
    pub(crate) fn source(
        &mut self,
        program: &Program,
        name: &str,
        bytes: &mut dyn BufRead,
        sink: &mut dyn Sink<F>,
    ) -> io::Result<()> {
        let into = Records { reader: self, name, sink };
        match program.read {
            Read::Runs(read) if F::READS_ALL_SOURCES => return read(name, bytes, &mut { into }),
            Read::Records { engine, read } if engine == F::SOURCE_ENGINE => {
                return read(name, bytes, &mut { into });
            }
            // `{"jobs": []}` is an answer of both programs; without this an empty one would be refused as Lookout's.
            Read::Runs(_) if is_empty_of::<F>(&Sketch::of(bytes.fill_buf()?)) => {
                return aws_batch::read(name, bytes, &mut { into });
            }
            Read::Runs(_) | Read::Records { .. } => {}
        }
        if let Some(other_pods) = F::OTHER_PODS.filter(|_| program.has_pods) {
            let (slots, numbers) = (HashMap::new(), HashMap::new());
            let mut pods = Pods { records: into, slots, numbers, ongoing: Vec::new() };
            let units = PodUnits { kind: F::UNIT_KIND, other_pods };
            read_pods(name, bytes, &mut pods, units, pod_state::<F>)?;
            let outcomes = &mut pods.records.reader.outcomes;
            for id in pods.ongoing {
                // An outcome that a unit's object shows is certain, and stays.
                outcomes.entry(id).or_insert(UnitOutcome::Open);
            }
            return Ok(());
        }
        let place = Place::new(&Source::new(name, ""), Span::default());
        let message = "this format does not record runs of these units";
        let finding = Diagnostic::error(Code::NoDocument, place, message);
        self.push(finding.help(readable::<F>(program)));
        Ok(())
    }
}

/// Whether an answer without jobs, which Lookout and AWS Batch print alike, is one of the system's own program.
fn is_empty_of<F: RecordFields>(sketch: &Sketch) -> bool {
    F::SOURCE_ENGINE == aws_batch::ENGINE && aws_batch::is_without_jobs(sketch)
}

/// The help about the output of a program that is not read: what is read of the system.
fn readable<F: RecordFields>(program: &Program) -> String {
    if let (true, Some(engine)) = (F::READS_ALL_SOURCES, program.engine()) {
        return format!("give policies of `{engine}`, the only system whose runs it has");
    }
    let own = PROGRAMS.iter().find(|program| program.engine() == Some(F::SOURCE_ENGINE));
    match (own, F::OTHER_PODS) {
        (Some(program), _) => format!("give JSON Lines, a FailureHistory, or {}", program.title),
        (None, Some(_)) => {
            "give JSON Lines, a FailureHistory, or what `kubectl get pods -o json` prints"
                .to_owned()
        }
        (None, None) => "give JSON Lines or a FailureHistory".to_owned(),
    }
}

/// Adds records to a reader.
struct Records<'r, F: RecordFields> {
    reader: &'r mut Reader<F>,
    name: &'r str,
    sink: &'r mut dyn Sink<F>,
}

impl<F: RecordFields> Records<'_, F> {
    fn flow(&self) -> ControlFlow<()> {
        if self.reader.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn add(&mut self, name: &RecordName, row: Row<F>) -> ControlFlow<()> {
        let place = |_: &FieldFault| {
            Place::new(&Source::excerpt(self.name, "", name.line), Span::default())
        };
        let run = &row.run;
        let fault = ends_before_it_starts(run.started_at, run.finished_at);
        match fault.or_else(|| run.own.fault()) {
            None => {
                let describe = |message: String| name.describe(&message);
                self.reader.add(self.sink, &name.id, row, &[], &place, &describe);
            }
            Some(fault) => {
                // Counted for its member: the positions of its later runs are their indices.
                self.sink.add_bad(&name.id, run.own.key());
                let message = name.describe(&fault.message);
                let finding = Diagnostic::error(Code::BadRecord, place(&fault), message);
                self.reader.bad_record(Findings::of(finding));
            }
        }
        self.flow()
    }

    fn bad(&mut self, job: Option<&str>, finding: Diagnostic) -> ControlFlow<()> {
        if let Some(id) = job {
            self.sink.add_bad(id, F::default().key());
        }
        self.reader.bad_record(Findings::of(finding));
        self.flow()
    }

    fn outcome(&mut self, id: String, outcome: Option<UnitOutcome>) {
        match outcome {
            Some(outcome) => _ = self.reader.outcomes.insert(id, outcome),
            None => _ = self.reader.outcomes.remove(&id),
        }
    }

    fn skipped_entries(
        &mut self,
        kind: SkippedKind,
        count: usize,
        [one, several]: [&'static str; 2],
    ) {
        if count > 0 {
            let name = self.name.to_owned();
            self.reader.skipped_entries.push(SkippedEntries {
                name,
                kind,
                count,
                one: one.into(),
                several: several.into(),
            });
        }
    }
}

/// A record of a source that has a row in the history of a system.
trait IntoRow<F: RecordFields> {
    /// Its names, and its row; `None` if the system has none for it.
    fn into_row(self, names: &mut Names) -> (RecordName, Option<Row<F>>);
}

impl<F: RecordFields> IntoRow<F> for SourceRecord {
    fn into_row(self, names: &mut Names) -> (RecordName, Option<Row<F>>) {
        let Self { id, pod, queue, job, run, index, line } = self;
        let Run { run_index, started_at, finished_at, node, cluster, own } = run;
        let row = F::from_source(own, job).map(|own| {
            let mut run = Run { run_index, started_at, finished_at, node, cluster, own };
            let queue = queue.map(|name| names.intern(&name));
            Row { queue, unit: run.own.take_unit(), index, run }
        });
        (RecordName { id, pod, line }, row)
    }
}

impl<F: RecordFields> IntoRow<F> for SystemRecord {
    fn into_row(self, names: &mut Names) -> (RecordName, Option<Row<F>>) {
        let Self { id, fields, line } = self;
        let record = read_json::<F>(&Value::Object(fields).to_string(), TimeNotation::for_lines());
        let row = record.map(|(header, run)| Row::new(header, run, names));
        (RecordName { id, pod: None, line }, row)
    }
}

impl<F: RecordFields, R: IntoRow<F>> SourceSink<R> for Records<'_, F> {
    fn record(&mut self, record: R) -> ControlFlow<()> {
        match record.into_row(&mut self.reader.names) {
            (name, Some(row)) => self.add(&name, row),
            (name, None) => {
                let source = Source::excerpt(self.name, "", name.line);
                self.bad(Some(&name.id), no_record(&source))
            }
        }
    }

    fn bad(&mut self, job: Option<&str>, fault: Fault) -> ControlFlow<()> {
        self.bad(job, *fault)
    }

    fn warning(&mut self, finding: Diagnostic) {
        self.reader.push(finding);
    }

    fn disruptions(&self) -> &Disruptions {
        &self.reader.disruptions
    }

    fn outcome(&mut self, id: String, outcome: Option<UnitOutcome>) {
        self.outcome(id, outcome);
    }

    fn skipped_entries(&mut self, kind: SkippedKind, count: usize, words: [&'static str; 2]) {
        self.skipped_entries(kind, count, words);
    }
}

/// An item of a program's output: a run, a bad record, or something about the output.
#[derive(Debug)]
pub struct SourceItem(Item);

#[derive(Debug)]
enum Item {
    Record(Box<SourceRecord>),
    Bad(Option<String>, Fault),
    Warning(Box<Diagnostic>),
    Outcome(String, Option<UnitOutcome>),
    SkippedEntries(SkippedKind, usize, [&'static str; 2]),
}

/// Reads a program's output in Armada's terms, and passes each item to `take`; `Break` stops it. `name` is its name in
/// messages. Output with the records of another system has none.
///
/// # Errors
///
/// If it cannot be read.
pub fn read_source(
    program: &Program,
    name: &str,
    bytes: &mut dyn BufRead,
    disruptions: &Disruptions,
    take: &mut dyn FnMut(SourceItem) -> ControlFlow<()>,
) -> io::Result<()> {
    match program.read {
        Read::Runs(read) => read(name, bytes, &mut Items { disruptions, take }),
        Read::Records { .. } => Ok(()),
    }
}

struct Items<'i> {
    disruptions: &'i Disruptions,
    take: &'i mut dyn FnMut(SourceItem) -> ControlFlow<()>,
}

impl SourceSink for Items<'_> {
    fn record(&mut self, record: SourceRecord) -> ControlFlow<()> {
        (self.take)(SourceItem(Item::Record(Box::new(record))))
    }

    fn bad(&mut self, job: Option<&str>, fault: Fault) -> ControlFlow<()> {
        (self.take)(SourceItem(Item::Bad(job.map(str::to_owned), fault)))
    }

    fn warning(&mut self, finding: Diagnostic) {
        let _ = (self.take)(SourceItem(Item::Warning(Box::new(finding))));
    }

    fn disruptions(&self) -> &Disruptions {
        self.disruptions
    }

    fn outcome(&mut self, id: String, outcome: Option<UnitOutcome>) {
        let _ = (self.take)(SourceItem(Item::Outcome(id, outcome)));
    }

    fn skipped_entries(&mut self, kind: SkippedKind, count: usize, words: [&'static str; 2]) {
        let _ = (self.take)(SourceItem(Item::SkippedEntries(kind, count, words)));
    }
}

impl<F: RecordFields> Reader<F> {
    /// Takes an item of a program's output.
    pub(crate) fn item(&mut self, name: &str, item: SourceItem, sink: &mut dyn Sink<F>) {
        let records: &mut dyn SourceSink = &mut Records { reader: self, name, sink };
        match item.0 {
            Item::Record(record) => _ = records.record(*record),
            Item::Bad(job, fault) => _ = records.bad(job.as_deref(), fault),
            Item::Warning(finding) => records.warning(*finding),
            Item::Outcome(id, outcome) => records.outcome(id, outcome),
            Item::SkippedEntries(kind, count, words) => records.skipped_entries(kind, count, words),
        }
    }
}

/// A run that a pod of another system's unit reports.
struct PodRun<F> {
    record_name: RecordName,
    run: Run<F>,
    has_slot: bool,
}

/// The run of a pod. One that is ongoing is reported at its last restart.
fn pod_state<F: RecordFields>(pod: &KubePod, line: usize) -> Result<PodState<PodRun<F>>, String> {
    let Some(id) = F::unit_of_pod(pod).filter(|unit| !unit.is_empty()) else {
        return Ok(PodState::Other);
    };
    let Some(PodRecord { own, has_slot }) = F::read_pod(pod)? else {
        return Ok(PodState::Ongoing(None));
    };
    let finished_at = if own.is_ongoing() { pod.restarted() } else { pod.finished() };
    let run = Run {
        run_index: 0,
        started_at: pod.started,
        finished_at,
        node: pod.node.as_deref().map(Into::into),
        cluster: None,
        own,
    };
    // A pod that never started has only the time of its creation to be ordered by.
    let time = finished_at.or(pod.started).or(pod.created);
    let record_name = RecordName { id: id.clone(), pod: Some(pod.qualified_name()), line };
    Ok(PodState::Run(pods::PodRun { id, record: PodRun { record_name, run, has_slot }, time }))
}

/// When the last pod of a slot leaves it.
#[derive(Debug, Clone, Copy)]
enum Free {
    /// At its end, if that is on record.
    At(Option<Time>),
    /// Never: it is ongoing.
    Never,
}

/// Adds pods, and gives those without a number the first slot of their unit that is free at their start.
struct Pods<'r, F: RecordFields> {
    records: Records<'r, F>,
    slots: HashMap<String, Vec<Free>>,
    /// The number of the next pod without a slot, by unit.
    numbers: HashMap<String, u32>,
    /// The units of pods that are ongoing.
    ongoing: Vec<String>,
}

impl<F: RecordFields> Pods<'_, F> {
    fn slot(&mut self, id: &str, run: &Run<F>) -> u32 {
        let slots = self.slots.entry(id.to_owned()).or_default();
        let is_free = |free: &Free| match free {
            // Without both times nothing shows that the pods overlapped, and one slot has room for both.
            Free::At(end) => end.zip(run.started_at).is_none_or(|(end, start)| end <= start),
            Free::Never => false,
        };
        // The first free slot, so that as few slots are used as pods ran at a time.
        let slot = slots.iter().position(is_free).unwrap_or_else(|| {
            slots.push(Free::Never);
            slots.len() - 1
        });
        slots[slot] = if run.own.is_ongoing() { Free::Never } else { Free::At(run.finished_at) };
        u32::try_from(slot).unwrap_or(u32::MAX)
    }
}

impl<F: RecordFields> SourceSink<PodRun<F>> for Pods<'_, F> {
    fn record(&mut self, pod: PodRun<F>) -> ControlFlow<()> {
        let PodRun { record_name, mut run, has_slot } = pod;
        if run.own.is_ongoing() {
            self.ongoing.push(record_name.id.clone());
        }
        let mut index = None;
        if !has_slot {
            let slot = self.slot(&record_name.id, &run);
            run.own.set_slot(slot);
            // Slots only keep pods apart that ran at the same time, so that the number identifies a pod of the unit.
            let next = self.numbers.entry(record_name.id.clone()).or_default();
            index = Some(*next);
            *next = next.saturating_add(1);
        }
        let unit = run.own.take_unit();
        self.records.add(&record_name, Row { queue: None, unit, index, run })
    }

    fn bad(&mut self, _: Option<&str>, fault: Fault) -> ControlFlow<()> {
        self.records.bad(None, *fault)
    }

    fn warning(&mut self, finding: Diagnostic) {
        self.records.reader.push(finding);
    }

    fn disruptions(&self) -> &Disruptions {
        &self.records.reader.disruptions
    }

    fn outcome(&mut self, id: String, outcome: Option<UnitOutcome>) {
        self.records.outcome(id, outcome);
    }

    fn skipped_entries(&mut self, kind: SkippedKind, count: usize, words: [&'static str; 2]) {
        self.records.skipped_entries(kind, count, words);
    }
}
