//! The files that runs write: the events and records of one, and the shares of queues over time of all.

use super::ClusterArgs;
use super::record_output::RecordOutput;
use super::variants::Variant;
use crate::commands::output_file::OutputFile;
use anyhow::Result;
use cluster::events::{Event, EventKind, NodeEvent, PoolRound, Simulation};
use cluster::failure::JobFailures;
use cluster::report::Figure;
use cluster::resources::ResourceTypes;
use cluster::round::PreemptionKind;
use cluster::spec::{JobTemplate, Nanoseconds};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The files of `--events` and `--record`, which a single run has.
pub(super) struct Files {
    events: Option<OutputFile>,
    record: Option<RecordOutput>,
    run: Run,
    /// The runs whose pods are not running yet, by their start and the order of their leases.
    starting: BTreeMap<(Nanoseconds, u64), Event>,
    leases: u64,
}

/// The bytes of rows that a run writes at once, if those before it have ended.
const PART: usize = 1 << 20;

/// The rows of a run in the file of `--series`.
pub(super) struct SeriesRows<'f> {
    file: &'f Mutex<SeriesFile>,
    /// The number of the run among all.
    number: usize,
    run: Run,
    /// The rows that are not written yet.
    rows: String,
    /// By pool and queue: the cells of the last row.
    last: Vec<Vec<Option<Cells>>>,
}

/// The file of `--series`, which has the rows of each run in the order of the runs.
pub(super) struct SeriesFile {
    file: OutputFile,
    next: usize,
    /// The rows of runs that have ended before others.
    waiting: BTreeMap<usize, String>,
}

/// The names of a run.
#[derive(Default)]
struct Run {
    variant: String,
    seed: u64,
    queues: Vec<String>,
    templates: Vec<RunTemplate>,
    pools: Vec<String>,
    /// By pool.
    nodes: Vec<Vec<String>>,
}

/// The names of a template, and the position of its queue.
struct RunTemplate {
    id: String,
    queue: usize,
    causes: Arc<JobFailures>,
    /// The resources of each of its runs: cores, bytes, devices.
    resources: BTreeMap<String, Figure>,
}

/// The cells of a row of the series: entitled, actual and demanded share; jobs that run, are queued, wait until they may
/// be queued again, and run again.
type Cells = ([f64; 3], [u32; 4]);

/// The columns of the series.
const HEADER: &str =
    "time,queue,entitled,actual,demand,running,queued,backingOff,pool,variant,seed,runningRetries";

/// A line of the events.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'l> {
    time: Figure,
    event: &'static str,
    /// Columns that a change of a node does not have.
    queue: Option<&'l str>,
    template: Option<&'l str>,
    job_id: Option<String>,
    run_index: Option<u32>,
    node: Option<&'l str>,
    cause: Option<&'l str>,
    decision: Option<&'static str>,
    /// The resources of a run that has started.
    #[serde(skip_serializing_if = "Option::is_none")]
    resources: Option<&'l BTreeMap<String, Figure>>,
    variant: &'l str,
    seed: u64,
}

impl Files {
    /// Creates the files of --events and --record.
    pub(super) fn create(args: &ClusterArgs) -> Result<Self> {
        let open = |path: &Option<PathBuf>| path.as_deref().map(OutputFile::create).transpose();
        Ok(Self {
            events: open(&args.events)?,
            record: open(&args.record)?.map(RecordOutput::new),
            run: Run::default(),
            starting: BTreeMap::new(),
            leases: 0,
        })
    }

    /// Sets the names of the run whose events follow.
    pub(super) fn begin(&mut self, variant: &Variant, seed: u64, simulation: &Simulation<'_>) {
        if let Some(record) = &mut self.record {
            record.begin(variant);
        }
        self.run = Run::new(variant, seed, simulation);
    }

    /// Writes an event, and the record of the run that it has ended.
    pub(super) fn event(&mut self, event: &Event) {
        if let Some(record) = &mut self.record {
            record.event(event);
        }
        if self.events.is_none() {
            return;
        }
        self.write_starts(event.time);
        match event.kind {
            EventKind::Leased => {
                let start = event.time.saturating_add(event.pending);
                self.starting.insert((start, self.leases), *event);
                self.leases += 1;
            }
            EventKind::Submitted | EventKind::Requeued => {}
            // A run that ends before its pod runs has no start.
            _ => self.starting.retain(|_, other| {
                (other.template, other.number) != (event.template, event.number)
            }),
        }
        self.write_event(event);
    }

    /// Writes the starts of runs up to a time.
    fn write_starts(&mut self, time: Nanoseconds) {
        while let Some(first) = self.starting.first_entry().filter(|it| it.key().0 <= time) {
            let ((start, _), event) = first.remove_entry();
            let Some(output) = &mut self.events else { return };
            let RunTemplate { id, queue, resources, .. } = &self.run.templates[event.template];
            let node = event.node.map(|(pool, node)| self.run.nodes[pool][node].as_str());
            output.json(&Line {
                queue: Some(&self.run.queues[*queue]),
                template: Some(id),
                job_id: Some(format!("{id}-{}", event.number)),
                run_index: Some(event.attempt),
                node,
                resources: Some(resources),
                ..self.run.line(start, "Started")
            });
        }
    }

    fn write_event(&mut self, event: &Event) {
        let Some(output) = &mut self.events else { return };
        let RunTemplate { id: template, queue, causes, .. } = &self.run.templates[event.template];
        let name = match event.kind {
            EventKind::Submitted => "Submitted",
            EventKind::Requeued => "Requeued",
            EventKind::Leased => "Leased",
            EventKind::Preempted => "Preempted",
            EventKind::Succeeded => "Succeeded",
            EventKind::Failed => "Failed",
            EventKind::Stopped => "Stopped",
        };
        let node = event.node.map(|(pool, node)| self.run.nodes[pool][node].as_str());
        let cause = event.preemption.map(|kind| match kind {
            PreemptionKind::FairShare => "fairShare",
            PreemptionKind::Urgency => "urgency",
            PreemptionKind::Unknown | PreemptionKind::UnknownGang => "other",
        });
        let failure = event.failure.map(|kind| kind.name(&causes.causes));
        output.json(&Line {
            queue: Some(&self.run.queues[*queue]),
            template: Some(template),
            job_id: Some(format!("{template}-{}", event.number)),
            run_index: Some(event.attempt),
            node,
            cause: cause.or(failure),
            decision: event
                .decision
                .or(event.granted.filter(|_| event.kind == EventKind::Requeued))
                .map(|decision| decision.code),
            ..self.run.line(event.time, name)
        });
    }

    /// Writes a change of a node.
    pub(super) fn node(&mut self, event: &NodeEvent) {
        self.write_starts(event.time);
        let Some(output) = &mut self.events else { return };
        let (pool, node) = event.node;
        output.json(&Line {
            node: Some(&self.run.nodes[pool][node]),
            cause: event.failure.map(|kind| kind.name(&[])),
            ..self.run.line(event.time, if event.failure.is_some() { "NodeDown" } else { "NodeUp" })
        });
    }

    /// Writes what is left, and what is buffered; the first error of each file.
    pub(super) fn finish(mut self, end: Nanoseconds) -> Result<()> {
        self.write_starts(end);
        let record = self.record.map(RecordOutput::into_output);
        [self.events, record].into_iter().flatten().try_for_each(OutputFile::finish)
    }
}

impl<'f> SeriesRows<'f> {
    /// The rows of a run, without any.
    pub(super) fn new(
        (file, number): (&'f Mutex<SeriesFile>, usize),
        variant: &Variant,
        seed: u64,
        simulation: &Simulation<'_>,
    ) -> Self {
        let run = Run::new(variant, seed, simulation);
        let last = vec![vec![None; run.queues.len()]; run.pools.len()];
        Self { file, number, run, rows: String::new(), last }
    }

    /// Adds a row for each queue whose cells differ from those of its last row.
    pub(super) fn round(&mut self, round: &PoolRound<'_>) {
        for (queue, of_queue) in round.outcome.queues.iter().enumerate() {
            let shares = [round.entitled[queue], of_queue.cost_after, of_queue.shares.demand];
            let jobs = [round.running, round.queued, round.backing_off, round.running_retries];
            let cells = (shares, jobs.map(|jobs| jobs[queue]));
            let last = &mut self.last[round.pool][queue];
            if *last != Some(cells) {
                *last = Some(cells);
                self.rows.push_str(&self.run.row(round.time, round.pool, queue, cells));
            }
        }
        if self.rows.len() >= PART {
            let mut file = self.file();
            file.write_part(self.number, &mut self.rows);
        }
    }

    /// Writes the rows that are left, with the last cells once more at the end of the run.
    pub(super) fn finish(mut self, end: Nanoseconds) {
        for (pool, queues) in self.last.iter().enumerate() {
            for (queue, cells) in queues.iter().enumerate() {
                if let Some(cells) = cells {
                    self.rows.push_str(&self.run.row(end, pool, queue, *cells));
                }
            }
        }
        let rows = std::mem::take(&mut self.rows);
        self.file().end_run(self.number, rows);
    }

    fn file(&self) -> MutexGuard<'f, SeriesFile> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SeriesFile {
    /// Creates the file of `--series`, if there is one.
    pub(super) fn create(args: &ClusterArgs) -> Result<Option<Self>> {
        let Some(path) = args.series.as_deref() else { return Ok(None) };
        let mut file = OutputFile::create(path)?;
        file.line(HEADER);
        Ok(Some(Self { file, next: 0, waiting: BTreeMap::new() }))
    }

    /// Writes rows of a run that goes on, if all runs before it have ended.
    fn write_part(&mut self, number: usize, rows: &mut String) {
        if number == self.next {
            self.file.bytes(rows.as_bytes());
            rows.clear();
        }
    }

    /// Writes the last rows of a run, and those that waited for its end.
    fn end_run(&mut self, number: usize, rows: String) {
        self.waiting.insert(number, rows);
        while let Some(rows) = self.waiting.remove(&self.next) {
            self.file.bytes(rows.as_bytes());
            self.next += 1;
        }
    }

    /// Writes what is buffered; the first error.
    pub(super) fn finish(self) -> Result<()> {
        self.file.finish()
    }
}

impl RunTemplate {
    fn new(template: &JobTemplate, types: &ResourceTypes) -> Self {
        let request = template.shape.request.as_slice();
        let named = types.names().iter().zip(request).enumerate();
        let named = named.filter(|(_, (_, amount))| **amount > 0);
        #[expect(clippy::cast_precision_loss, reason = "a float has 15 digits")]
        let resource = |(at, (name, amount)): (usize, (&String, &i64))| {
            (name.clone(), Figure(*amount as f64 * types.base_unit(at)))
        };
        Self {
            id: template.id.clone(),
            queue: template.queue,
            causes: Arc::clone(&template.failures),
            resources: named.map(resource).collect(),
        }
    }
}

impl Run {
    fn new(variant: &Variant, seed: u64, simulation: &Simulation<'_>) -> Self {
        let workload = &variant.workload;
        let types = &variant.scheduling.settings().resources;
        let pools: Vec<String> = simulation.pool_names().map(str::to_owned).collect();
        let nodes = |pool| simulation.node_ids(pool).map(str::to_owned).collect();
        let templates = workload.templates.iter();
        Self {
            variant: variant.name.clone(),
            seed,
            queues: workload.queues.iter().map(|queue| queue.name.clone()).collect(),
            templates: templates.map(|template| RunTemplate::new(template, types)).collect(),
            nodes: (0..pools.len()).map(nodes).collect(),
            pools,
        }
    }

    /// The line of an event without its subject.
    fn line(&self, time: Nanoseconds, event: &'static str) -> Line<'_> {
        Line {
            time: seconds(time),
            event,
            queue: None,
            template: None,
            job_id: None,
            run_index: None,
            node: None,
            cause: None,
            decision: None,
            resources: None,
            variant: &self.variant,
            seed: self.seed,
        }
    }

    fn row(&self, time: Nanoseconds, pool: usize, queue: usize, cells: Cells) -> String {
        let ([entitled, actual, demand], [running, queued, backing_off, retries]) = cells;
        let (time, queue) = (seconds(time).0, csv_cell(&self.queues[queue]));
        let pool = csv_cell(&self.pools[pool]);
        let (variant, seed) = (csv_cell(&self.variant), self.seed);
        format!(
            "{time},{queue},{entitled},{actual},{demand},{running},{queued},{backing_off},{pool},\
             {variant},{seed},{retries}\n"
        )
    }
}

#[expect(clippy::cast_precision_loss, reason = "a float has 15 digits")]
fn seconds(time: Nanoseconds) -> Figure {
    Figure(time as f64 / 1e9)
}

/// A cell of a CSV file (RFC 4180).
fn csv_cell(text: &str) -> Cow<'_, str> {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}
