//! The files that a run writes: its events, the records of its runs, and the shares of queues over time.

use super::ClusterArgs;
use super::record_output::RecordOutput;
use super::variants::Variant;
use crate::cluster::events::{Event, EventKind, NodeEvent, PoolRound, Simulation};
use crate::cluster::failure::JobFailures;
use crate::cluster::report::Figure;
use crate::cluster::round::PreemptionKind;
use crate::cluster::spec::{JobTemplate, Nanoseconds};
use crate::commands::output_file::OutputFile;
use anyhow::Result;
use serde::Serialize;
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

/// The files of `--events`, `--record` and `--series`.
pub(super) struct Files {
    events: Option<OutputFile>,
    series: Option<OutputFile>,
    record: Option<RecordOutput>,
    run: Run,
    /// By pool and queue: the cells of the last row.
    last: Vec<Vec<Option<Cells>>>,
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
}

/// The cells of a row of the series: entitled, actual and demanded share; jobs that run, are queued, and wait until
/// they may be queued again.
type Cells = ([f64; 3], [u32; 3]);

/// The columns of the series.
const HEADER: &str = "time,queue,entitled,actual,demand,running,queued,backingOff,pool";

/// A line of the events.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'l> {
    time: Figure,
    event: &'static str,
    /// What a change of a node does not have.
    queue: Option<&'l str>,
    template: Option<&'l str>,
    job_id: Option<String>,
    run_index: Option<u32>,
    node: Option<&'l str>,
    cause: Option<&'l str>,
    decision: Option<&'static str>,
    variant: &'l str,
    seed: u64,
}

impl Files {
    /// Creates the files of --events, --record and --series.
    pub(super) fn create(args: &ClusterArgs) -> Result<Self> {
        let open = |path: &Option<PathBuf>| path.as_deref().map(OutputFile::create).transpose();
        let mut files = Self {
            events: open(&args.events)?,
            series: open(&args.series)?,
            record: open(&args.record)?.map(RecordOutput::new),
            run: Run::default(),
            last: Vec::new(),
        };
        if let Some(series) = &mut files.series {
            series.line(HEADER);
        }
        Ok(files)
    }

    /// Sets the names of the run whose events follow.
    pub(super) fn begin(&mut self, variant: &Variant, seed: u64, simulation: &Simulation<'_>) {
        let workload = &variant.workload;
        let templates = workload.templates.iter();
        let pools: Vec<String> = simulation.pool_names().map(str::to_owned).collect();
        let nodes = |pool| simulation.node_ids(pool).map(str::to_owned).collect();
        if let Some(record) = &mut self.record {
            record.begin(variant);
        }
        self.last = vec![vec![None; workload.queues.len()]; pools.len()];
        self.run = Run {
            variant: variant.name.clone(),
            seed,
            queues: workload.queues.iter().map(|queue| queue.name.clone()).collect(),
            templates: templates.map(RunTemplate::new).collect(),
            nodes: (0..pools.len()).map(nodes).collect(),
            pools,
        };
    }

    /// Writes an event, and the record of the run that it has ended.
    pub(super) fn event(&mut self, event: &Event) {
        if let Some(record) = &mut self.record {
            record.event(event);
        }
        let Some(output) = &mut self.events else { return };
        let RunTemplate { id: template, queue, causes } = &self.run.templates[event.template];
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
        let Some(output) = &mut self.events else { return };
        let (pool, node) = event.node;
        output.json(&Line {
            node: Some(&self.run.nodes[pool][node]),
            cause: event.failure.map(|kind| kind.name(&[])),
            ..self.run.line(event.time, if event.failure.is_some() { "NodeDown" } else { "NodeUp" })
        });
    }

    /// Writes a row for each queue whose cells differ from those of its last row.
    pub(super) fn round(&mut self, round: &PoolRound<'_>) {
        let Some(output) = &mut self.series else { return };
        for (queue, of_queue) in round.outcome.queues.iter().enumerate() {
            let shares = [round.entitled[queue], of_queue.cost_after, of_queue.shares.demand];
            let jobs = [round.running[queue], round.queued[queue], round.backing_off[queue]];
            let cells = (shares, jobs);
            let last = &mut self.last[round.pool][queue];
            if *last != Some(cells) {
                *last = Some(cells);
                output.line(&self.run.row(round.time, round.pool, queue, cells));
            }
        }
    }

    /// Writes the last rows, and what is buffered; the first error of each file.
    pub(super) fn finish(mut self, end: Nanoseconds) -> Result<()> {
        if let Some(output) = &mut self.series {
            for (pool, queues) in self.last.iter().enumerate() {
                for (queue, cells) in queues.iter().enumerate() {
                    if let Some(cells) = cells {
                        output.line(&self.run.row(end, pool, queue, *cells));
                    }
                }
            }
        }
        let record = self.record.map(RecordOutput::into_output);
        [self.events, self.series, record].into_iter().flatten().try_for_each(OutputFile::finish)
    }
}

impl RunTemplate {
    fn new(template: &JobTemplate) -> Self {
        let causes = Arc::clone(&template.failures);
        Self { id: template.id.clone(), queue: template.queue, causes }
    }
}

impl Run {
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
            variant: &self.variant,
            seed: self.seed,
        }
    }

    fn row(&self, time: Nanoseconds, pool: usize, queue: usize, cells: Cells) -> String {
        let ([entitled, actual, demand], [running, queued, backing_off]) = cells;
        let (time, queue) = (seconds(time).0, csv_cell(&self.queues[queue]));
        let pool = csv_cell(&self.pools[pool]);
        format!(
            "{time},{queue},{entitled},{actual},{demand},{running},{queued},{backing_off},{pool}"
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
