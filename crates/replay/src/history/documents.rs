//! `kind: FailureHistory` documents.

use super::checks::FieldFault;
use super::reader::{Reader, RecordFault, Row, Sink, checked};
use super::record::RecordFields;
use super::table::Table;
use super::time_notation::TimeNotation;
use super::tree::{Record, key_of_node, read_node, record_of_node, span_of_fault};
use super::unit_fields::UnitFields;
use armada_retry::engine::Reload;
use armada_retry::policy::{QUEUE_FIELDS, Queue};
use document::diag::{Code, Diagnostic, Findings, Place, Source, Span, did_you_mean};
use document::units::Time;
use document::{
    self, Constraint, Document, Entry, Extra, Items, Kind, Limits, Node, NodeKind, Outline, Shape,
    optional, parse_outline, required, shapes,
};
use std::collections::HashSet;
use std::sync::Arc;

/// The path of a document's jobs. Their trees take much more memory than their text, so they are parsed
/// one by one.
const JOBS: &[&str] = &["spec", "jobs"];

impl<F: RecordFields> Reader<F> {
    /// Reads the documents of a text.
    pub(crate) fn text(&mut self, source: &Arc<Source>, sink: &mut dyn Sink<F>) {
        let mut items = Items::new(source, Limits::HISTORY, JOBS);
        for outline in &self.outlines(source) {
            self.outline(&outline.document, sink, |take| items.of(outline, take));
        }
    }

    /// Reads the queues and reloads of the documents of a text, without their jobs.
    pub fn settings(&mut self, source: &Arc<Source>) {
        for outline in &self.outlines(source) {
            self.outline(&outline.document, &mut NoMembers, |_| {});
        }
    }

    pub(crate) fn document(&mut self, document: &Document, sink: &mut dyn Sink<F>) {
        self.outline(document, sink, |take| {
            let jobs = document.root.at(JOBS).map(Node::items).unwrap_or_default();
            _ = jobs.iter().all(take);
        });
    }

    /// The documents of a text without their jobs; a finding if there are none.
    fn outlines(&mut self, source: &Arc<Source>) -> Vec<Outline> {
        let (outlines, findings) = parse_outline(source, Limits::HISTORY, JOBS);
        if outlines.is_empty() && findings.is_empty() {
            let place = Place::new(source, Span::default());
            let empty = Diagnostic::error(Code::NoDocument, place, "the input has no history");
            self.push(empty.help("write a `kind: FailureHistory` document, or JSON Lines"));
        }
        // A history of many documents may have more findings than anybody reads; the others are counted.
        self.omitted.keep_or_count(findings, &mut self.findings);
        outlines
    }

    /// Reads a document whose jobs `each` passes on, as long as its argument returns `true`.
    fn outline(
        &mut self,
        document: &Document,
        sink: &mut dyn Sink<F>,
        each: impl FnOnce(&mut dyn FnMut(&Node) -> bool),
    ) {
        self.has_document = true;
        let mut findings = Findings::new();
        let spec = spec_of(document, &mut findings);
        self.omitted.keep_or_count(findings, &mut self.findings);
        let Some(spec) = spec else { return };
        let mut notation = notation_of(spec);
        if F::HAS_SCHEDULER {
            let queues = spec.get("queues").map(Node::items).unwrap_or_default();
            self.queues.extend(queues.iter().filter_map(Queue::from_fields));
        } else {
            self.reject_events(document, spec);
        }
        // Within a document only: several documents may continue the same jobs.
        let mut ids = HashSet::new();
        each(&mut |job| {
            self.job(document, job, &mut notation, &mut ids, sink);
            !self.is_full()
        });
        // After the jobs, whose times may determine the notation of an event's time.
        if F::HAS_SCHEDULER && !self.is_full() {
            self.read_reloads(document, spec, &mut notation);
        }
    }

    fn reject_events(&mut self, document: &Document, spec: &Node) {
        if let Some(event) = spec.get("events").and_then(|events| events.items().first()) {
            let place = document.place(event.span);
            let message =
                "`events` are reloads of Armada's scheduler, which does not schedule these units";
            let finding = Diagnostic::error(Code::UnknownField, place, message);
            self.push(finding.help("remove `events`"));
        }
    }

    pub(super) fn read_reloads(
        &mut self,
        document: &Document,
        spec: &Node,
        notation: &mut TimeNotation,
    ) {
        for event in spec.get("events").map(Node::items).unwrap_or_default() {
            let (Some(at), Some(reload)) = (event.get("at"), event.get("reload")) else {
                continue;
            };
            match notation.read(at.text().unwrap_or_default()) {
                Ok(time) => self.reloads.push(Reload {
                    at: time,
                    global_max_retries: reload
                        .get("globalMaxRetries")
                        .and_then(Node::integer)
                        .and_then(|limit| u32::try_from(limit).ok()),
                    enabled: reload.get("enabled").and_then(Node::boolean),
                }),
                Err(message) => {
                    let place = document.place(at.span);
                    let finding = Diagnostic::error(Code::BadTime, place, message);
                    self.push(finding.help(notation.help));
                }
            }
        }
    }

    fn job(
        &mut self,
        document: &Document,
        node: &Node,
        notation: &mut TimeNotation,
        ids: &mut HashSet<String>,
        sink: &mut dyn Sink<F>,
    ) {
        let id = match id_of_job(document, node, Table::<F>::JOB, ids) {
            Ok(id) => id,
            Err(findings) => return self.bad_record(findings),
        };
        let job = JobNode { id, node, fields: unit_of::<F>(node) };
        for run in node.get("runs").map(Node::items).unwrap_or_default() {
            let with_inherited = with_inherited::<F>(node, run);
            let shape = Table::<F>::RUN;
            let findings = checked(document, &with_inherited, shape);
            match record_of_node::<F>(document, &with_inherited, shape, notation, findings) {
                Ok(record) => self.run_of_job(document, &job, run, record, sink),
                Err(findings) => {
                    // A bad run still counts for its job: later runs have later positions.
                    sink.add_bad(id, key_of_node::<F>(&with_inherited));
                    self.bad_record(findings);
                }
            }
            if self.is_full() {
                return;
            }
        }
    }

    fn run_of_job(
        &mut self,
        document: &Document,
        job: &JobNode<'_, F>,
        node: &Node,
        (header, run): Record<F>,
        sink: &mut dyn Sink<F>,
    ) {
        let place = |fault: &FieldFault| document.place(span_of_fault(node, fault));
        let place_of = |key: &str| place_of(document, node, key);
        self.unread.conditions(&run.own, &place_of);
        let mut row = Row::new(header, run, &mut self.names);
        let differences = job.differences(&row);
        if let Some(queue) = &job.fields.queue {
            row.queue = Some(self.names.intern(queue));
        }
        row.unit = match (job.fields.unit.clone(), row.unit) {
            (Some(of_job), Some(of_run)) => Some(Box::new(of_job.or(*of_run))),
            (of_job, of_run) => of_job.map(Box::new).or(of_run),
        };
        self.add(sink, job.id, row, &differences, &place, &|message| message);
    }
}

/// Takes no runs.
struct NoMembers;

impl<F: RecordFields> Sink<F> for NoMembers {
    fn add(&mut self, _: &str, _: Row<F>) -> Result<(), Box<RecordFault>> {
        Ok(())
    }

    fn add_bad(&mut self, _: &str, _: F::Key) {}
}

/// A job of a document.
struct JobNode<'n, F: RecordFields> {
    id: &'n str,
    node: &'n Node,
    fields: UnitOfJob<F>,
}

/// The fields of a document's job that are of its unit.
struct UnitOfJob<F: RecordFields> {
    queue: Option<String>,
    unit: Option<F::Unit>,
}

impl<F: RecordFields> JobNode<'_, F> {
    /// The fields that the job has and for which a run has another value.
    fn differences(&self, row: &Row<F>) -> Vec<&'static str> {
        let queue = self.fields.queue.as_deref().zip(row.queue.as_deref());
        let queue = queue.filter(|(job, run)| job != run).map(|_| "queue");
        let unit = self.fields.unit.as_ref().zip(row.unit.as_deref());
        let unit = unit.map(|(job, run)| job.differences(run)).unwrap_or_default();
        let unit = unit.into_iter().filter(|key| self.node.get(key).is_some());
        queue.into_iter().chain(unit).collect()
    }
}

fn unit_of<F: RecordFields>(node: &Node) -> UnitOfJob<F> {
    let of_unit = |field: &document::Field| Table::<F>::is_of_unit(field.name);
    let own = read_node::<F>(node, Table::<F>::JOB, of_unit);
    let unit = own.and_then(|mut own| own.take_unit()).map(|unit| *unit);
    let queue = node.get("queue").and_then(Node::some_text).map(str::to_owned);
    UnitOfJob { queue, unit }
}

/// The `spec` of a `kind: FailureHistory` document, with findings about all but its jobs.
fn spec_of<'d>(document: &'d Document, findings: &mut Findings) -> Option<&'d Node> {
    let of_shape = checked(document, &document.root, &HISTORY_WITHOUT_JOBS);
    if let Some(kind) = document.root.get("kind")
        && kind.text().is_some_and(|kind| kind != "FailureHistory")
    {
        // A document of another kind has other fields; only its kind is wrong.
        match kind.text().filter(|kind| POLICY_KINDS.contains(kind)) {
            Some(policy) => findings.push(policy_finding(document, kind, policy)),
            None => match foreign_kind(document, kind) {
                Some(finding) => findings.push(finding),
                // A misspelt kind: the finding of the shape proposes the right one.
                None => findings.extend(of_shape.at(kind.span)),
            },
        }
        return None;
    }
    findings.extend(of_shape);
    document.root.get("spec")
}

/// The finding that an answer of Kubernetes that is an error, or another object, was given as a history. None if the kind is
/// a misspelling, or the document is not an object.
fn foreign_kind(document: &Document, kind: &Node) -> Option<Diagnostic> {
    let name = kind.text().filter(|name| did_you_mean(name, ["FailureHistory"]).is_none())?;
    document.root.get("apiVersion")?;
    let error = document.root.get("message").and_then(Node::text).filter(|_| name == "Status");
    let message = match error {
        Some(error) => format!("this is an error answer: {error}"),
        None => format!("a {name} is not a history"),
    };
    let finding = Diagnostic::error(Code::NotAChoice, document.place(kind.span), message);
    let help = match name {
        "Workflow" => {
            "give its status as JSON, `kubectl get workflows -o json`; a manifest is given with -f"
        }
        _ => "give a FailureHistory, JSON Lines, or the output of a program of docs/sources.md",
    };
    Some(finding.help(help))
}

/// Kinds of documents that `-f` takes.
const POLICY_KINDS: [&str; 7] =
    ["RetryPolicy", "RetryPolicyList", "RetryProfile", "Queue", "QueueList", "Job", "JobSet"];

/// The finding that a policy was given as a history.
fn policy_finding(document: &Document, kind: &Node, name: &str) -> Diagnostic {
    let message = format!("a {name} is not a history");
    let finding = Diagnostic::error(Code::NotAChoice, document.place(kind.span), message);
    let file = document.source.name();
    finding.help(format!(
        "a {name} is given so: `simulate -f {file} --history HISTORY`, or `lint {file} --against HISTORY`"
    ))
}

pub(super) fn notation_of(spec: &Node) -> TimeNotation {
    // An invalid start has been reported; the times after it must not be.
    let start = spec.get("start").map(|start| {
        let start = start.text().and_then(|text| Time::parse(text).ok());
        start.unwrap_or(Time::EPOCH)
    });
    TimeNotation::for_document(start)
}

/// The id of a job.
///
/// # Errors
///
/// Findings about the job, apart from its runs.
fn id_of_job<'n>(
    document: &Document,
    node: &'n Node,
    shape: &'static Shape,
    ids: &mut HashSet<String>,
) -> Result<&'n str, Findings> {
    let mut findings = checked(document, node, shape);
    let runs = node.get("runs").map(Node::items).unwrap_or_default();
    let id = node.get("jobId").and_then(Node::some_text);
    if runs.is_empty() && !findings.has_errors() {
        let place = document.place(node.span);
        let message = format!("job `{}` has no runs", id.unwrap_or_default());
        findings.push(Diagnostic::error(Code::BadRecord, place, message));
    }
    if let Some(id) = id.filter(|id| !ids.insert((*id).to_owned())) {
        let place = document.place(node.get("jobId").map_or(node.span, |node| node.span));
        let message = format!("job `{id}` is listed a second time");
        findings.push(Diagnostic::error(Code::BadRecord, place, message));
    }
    id.filter(|_| !findings.has_errors()).ok_or(findings)
}

/// A run with the fields that its job holds for it, unless it has them itself.
fn with_inherited<F: RecordFields>(job: &Node, run: &Node) -> Node {
    let NodeKind::Map(own) = &run.kind else {
        return run.clone();
    };
    let inherited: Vec<&Entry> = job
        .entries()
        .iter()
        .filter(|entry| Table::<F>::is_inherited(&entry.key) && run.get(&entry.key).is_none())
        .filter(|entry| !entry.value.is_null())
        .collect();
    let is_inherited = |own: &&Entry| inherited.iter().any(|entry| entry.key == own.key);
    let own = own.iter().filter(|own| !is_inherited(own));
    let entries = own.chain(inherited.iter().copied()).cloned().collect();
    Node { span: run.span, kind: NodeKind::Map(entries) }
}

static ANY_VALUE: Kind = Kind::Anything;

shapes! {
    /// A change of settings during the history.
    pub static EVENT = "event" {
        /// The time of the change; a run at exactly this time has the new settings.
        required at: Kind::Time,
        /// The scheduler's settings that changed.
        required reload: Kind::Object(&RELOAD),
    }

    /// The scheduler's settings that changed.
    pub static RELOAD = "reload" (constraints: &[Constraint::AtLeastOne {
        fields: &["globalMaxRetries", "enabled"],
        code: Code::MissingField,
        message: "the reload changes no setting",
        help: "write `globalMaxRetries` or `enabled`, or remove the event",
    }]) {
        /// The new globalMaxRetries; 0 stops all retries.
        optional globalMaxRetries: Kind::Whole { min: 0, max: u32::MAX as i128, code: Code::OutOfRange },
        /// Whether the engine runs from then on.
        optional enabled: Kind::Boolean,
    }
}

/// The fields of a history's document around this `spec`.
pub(crate) const fn history_fields(spec: &'static Shape) -> [document::Field; 4] {
    [
        required(
            "apiVersion",
            Kind::Exactly("armadaproject.io/v1"),
            "The form: armadaproject.io/v1.",
        ),
        required("kind", Kind::Exactly("FailureHistory"), "The kind: FailureHistory."),
        optional("metadata", Kind::Anything, "Not read."),
        required("spec", Kind::Object(spec), "The history."),
    ]
}

static EVENT_KIND: Kind = Kind::Object(&EVENT);
static QUEUE_KIND: Kind = Kind::Object(&QUEUE_FIELDS);

/// The fields of a history's `spec` around these `jobs`.
pub(crate) const fn spec_fields(jobs: document::Field) -> [document::Field; 4] {
    [
        optional(
            "start",
            Kind::Date,
            "What offsets count from; absent means 1970-01-01T00:00:00Z.",
        ),
        optional(
            "queues",
            Kind::List { item: &QUEUE_KIND, min: 0 },
            "The queues and their policies, where neither --queue-policies nor a Queue document sets them.",
        ),
        jobs,
        optional(
            "events",
            Kind::List { item: &EVENT_KIND, min: 0 },
            "Reloads of the scheduler's settings.",
        ),
    ]
}

/// A history whose jobs are checked one by one.
static HISTORY_WITHOUT_JOBS: Shape = Shape {
    name: "FailureHistory",
    doc: "What happened to jobs: their runs, and how each ended.",
    fields: &history_fields(&SPEC_WITHOUT_JOBS),
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static SPEC_WITHOUT_JOBS: Shape = Shape {
    name: "spec",
    doc: "The history.",
    fields: &spec_fields(required("jobs", Kind::List { item: &ANY_VALUE, min: 0 }, "The jobs.")),
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

/// The place of a record's field, or of the record if it lacks the field.
pub(super) fn place_of(document: &Document, node: &Node, key: &str) -> Place {
    document.place(node.get(key).unwrap_or(node).span)
}
