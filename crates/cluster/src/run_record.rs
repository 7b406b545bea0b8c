//! The records of ended runs, as Armada's would be: what a retry policy sees of a failure.
//!
//! Contract: docs/cluster-failures.md.

use super::events::{Event, EventKind};
use super::failure::{FailureKind, FailureReport, JobFailures};
use super::resources::{CPU, GPU, MEMORY, ResourceTypes};
use super::retry::UnitId;
use super::spec::{ClusterSpec, JobTemplate, Nanoseconds, NodeNames, TimedReload, Workload};
use armada_retry::engine::{Container, Gang, JobFields, Outcome, Reload, Resources};
use document::units::{GoDuration, Quantity, Time};
pub use replay::history::{ArmadaRun, Job, RunRecord, record_line, record_parts};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The records of a run of a simulation.
pub struct Records {
    templates: Vec<RecordTemplate>,
    /// The names of the nodes, by pool.
    nodes: Vec<Vec<NodeNames>>,
    /// The date of simulated time 0.
    start: Time,
}

/// Fields that the records of a template's jobs have in common.
struct RecordTemplate {
    id: String,
    queue: String,
    fields: JobFields,
    /// The members of a gang; 0 without gangs.
    cardinality: u32,
    failures: Arc<JobFailures>,
}

/// The date of simulated time 0.
const START: &str = "2000-01-01T00:00:00Z";
/// The name of the only container of a simulated pod.
const CONTAINER: &str = "main";

/// Returns a reload with its date.
pub fn reload(reload: &TimedReload) -> Reload {
    let TimedReload { at, global_max_retries, enabled } = *reload;
    Reload { at: date(at), global_max_retries, enabled }
}

/// Returns what decides which policies apply to a template's jobs.
pub fn job(workload: &Workload, template: &JobTemplate) -> Job {
    let annotations = annotations(template);
    Job {
        queue: workload.queues[template.queue].name.as_str().into(),
        ..Job::new(&template.id, JobFields { annotations, ..JobFields::default() })
    }
}

fn annotations(template: &JobTemplate) -> Option<BTreeMap<String, String>> {
    Some(&*template.annotations).filter(|it| !it.is_empty()).cloned()
}

/// Returns the date of a simulated time.
fn date(time: Nanoseconds) -> Time {
    Time::parse(START).unwrap_or(Time::EPOCH).plus(GoDuration::from_nanos(time))
}

impl Records {
    /// Creates the records of the runs of a workload on a cluster.
    pub fn new(resources: &ResourceTypes, clusters: &ClusterSpec, workload: &Workload) -> Self {
        let template = |template: &JobTemplate| RecordTemplate {
            id: template.id.clone(),
            queue: workload.queues[template.queue].name.clone(),
            fields: fields(resources, template),
            cardinality: template
                .gang
                .as_ref()
                .map_or(0, |gang| u32::try_from(gang.cardinality).unwrap_or(u32::MAX)),
            failures: Arc::clone(&template.failures),
        };
        let nodes = clusters.pools().into_iter().map(|pool| clusters.node_names(pool));
        Self {
            templates: workload.templates.iter().map(template).collect(),
            nodes: nodes.collect(),
            start: date(0),
        }
    }

    /// Returns the record of the run that an event has ended, as a line of a JSON Lines history without its end;
    /// `None` if the event ends no run.
    ///
    /// # Errors
    ///
    /// If the serializer fails, which it does not with texts and whole numbers.
    pub fn line(&self, event: &Event) -> Option<serde_json::Result<String>> {
        let run = self.run(event)?;
        let template = &self.templates[event.template];
        let (id, fields) = template.job(event.number);
        Some(record_line((&id, &template.queue), &fields, &run))
    }

    /// Returns the job and the record of the run that an event has ended, as JSON objects of a `FailureHistory`
    /// document; `None` if the event ends no run.
    ///
    /// # Errors
    ///
    /// If the serializer fails, which it does not with texts and whole numbers.
    pub fn parts(&self, event: &Event) -> Option<serde_json::Result<(String, String)>> {
        let run = self.run(event)?;
        let template = &self.templates[event.template];
        let (id, fields) = template.job(event.number);
        Some(record_parts((&id, &template.queue), &fields, &run))
    }

    /// Returns the jobs of a unit, without runs.
    pub(super) fn members(&self, (template, number): UnitId) -> impl Iterator<Item = Job> {
        let template = &self.templates[template];
        let members = template.cardinality.max(1);
        let first = number.saturating_mul(members);
        (first..first.saturating_add(members)).map(|number| {
            let (id, fields) = template.job(number);
            Job { queue: template.queue.as_str().into(), ..Job::new(&id, fields) }
        })
    }

    /// Returns the number of an event's job in its unit.
    pub(super) fn member_number(&self, event: &Event) -> usize {
        let members = self.templates[event.template].cardinality.max(1);
        (event.number % members) as usize
    }

    /// Returns the simulated time of a date.
    pub(super) fn time(&self, date: Time) -> Nanoseconds {
        date.since(self.start).as_nanos()
    }

    /// Returns the record of the run that an event has ended.
    pub(super) fn run(&self, event: &Event) -> Option<RunRecord> {
        let leased = event.leased?;
        let own = match event.kind {
            EventKind::Submitted | EventKind::Leased | EventKind::Requeued => return None,
            EventKind::Succeeded => ArmadaRun {
                containers: vec![container(Some(0), "Completed", "")].into(),
                ..ArmadaRun::new(Outcome::Succeeded)
            },
            EventKind::Preempted => ArmadaRun::new(Outcome::Preempted),
            EventKind::Stopped => ArmadaRun::new(Outcome::Stopped),
            EventKind::Failed => self.failed(event),
        };
        let grace = self.templates[event.template].failures.termination.grace;
        let started = leased.saturating_add(event.pending);
        let (node, cluster) = event.node.map(|node| self.node(node)).unzip();
        Some(RunRecord {
            run_index: event.attempt,
            // A run that ended while it was pending has not started.
            started_at: (started <= event.time).then(|| self.date(started)),
            finished_at: Some(self.date(event.time)),
            node,
            cluster,
            own: ArmadaRun {
                termination_grace: (grace > 0).then(|| GoDuration::from_nanos(grace)),
                termination_confirmed_at: event.gone.map(|gone| self.date(gone)),
                ..own
            },
        })
    }

    /// Returns the ids of a node and of its cluster.
    fn node(&self, (pool, position): (usize, usize)) -> (Arc<str>, Arc<str>) {
        let names = &self.nodes[pool];
        // The last template that does not begin after the node; one without nodes begins where the next one does.
        let names = &names[names.partition_point(|names| names.begin <= position) - 1];
        (names.id(position).into(), Arc::clone(&names.cluster))
    }

    fn failed(&self, event: &Event) -> ArmadaRun {
        let run = ArmadaRun::new(Outcome::Failed);
        let causes = &self.templates[event.template].failures.causes;
        match event.failure {
            Some(FailureKind::Cause(position) | FailureKind::Again(position)) => {
                failed_run(&causes[position].report)
            }
            Some(FailureKind::Gpu) => ArmadaRun { category: "gpu".into(), ..run },
            Some(FailureKind::Spot) => ArmadaRun {
                conditions: vec!["Evicted".into()].into(),
                category: "spot".into(),
                ..run
            },
            Some(FailureKind::Deadline) => ArmadaRun {
                conditions: vec!["DeadlineExceeded".into()].into(),
                category: "internal".into(),
                subcategory: "active-deadline".into(),
                ..run
            },
            Some(FailureKind::Node) | None => ArmadaRun { category: "node-failure".into(), ..run },
        }
    }

    fn date(&self, time: Nanoseconds) -> Time {
        self.start.plus(GoDuration::from_nanos(time))
    }
}

impl RecordTemplate {
    /// Returns the id of a job, and what its records hold of it.
    fn job(&self, number: u32) -> (String, JobFields) {
        let mut fields = self.fields.clone();
        fields.gang = number.checked_div(self.cardinality).map(|gang| Gang {
            id: format!("{}-gang-{gang}", self.id),
            cardinality: self.cardinality,
        });
        (format!("{}-{number}", self.id), fields)
    }
}

/// Returns the record of a failure by a cause of the template. A container that failed has an exit code: 137 if it
/// was out of memory, else 1, unless the cause has another.
fn failed_run(report: &FailureReport) -> ArmadaRun {
    let code = if report.reason == "OOMKilled" { 137 } else { 1 };
    let reason = if report.reason.is_empty() { "Error" } else { &report.reason };
    let failed = container(Some(report.exit_code.unwrap_or(code)), reason, &report.message);
    ArmadaRun {
        containers: vec![failed].into(),
        category: report.category.as_str().into(),
        subcategory: report.subcategory.as_str().into(),
        ..ArmadaRun::new(Outcome::Failed)
    }
}

fn container(exit_code: Option<i64>, reason: &str, message: &str) -> Container {
    Container {
        name: CONTAINER.into(),
        init: false,
        exit_code,
        reason: reason.into(),
        message: message.into(),
    }
}

/// Returns what the records of a template's jobs have in common, without the gang.
fn fields(resources: &ResourceTypes, template: &JobTemplate) -> JobFields {
    let amount = |name| {
        let position = resources.position(name)?;
        let text = resources.text(&template.shape.request, position);
        Quantity::parse(&text).ok().filter(|amount| amount.is_positive())
    };
    let resources = Resources { cpu: amount(CPU), memory: amount(MEMORY), gpu: amount(GPU) };
    JobFields {
        job_set: template.job_set.clone(),
        annotations: annotations(template),
        resources: Some(resources),
        ..JobFields::default()
    }
}
