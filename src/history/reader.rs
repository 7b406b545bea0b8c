//! Reads histories record by record and puts the jobs together.

use super::clock::Clock;
use super::fields::{self, JobFields, RunFields};
use super::json_record;
use super::record::{Job, Outcome, Reload};
use super::shape::{HISTORY_ITSELF, JOB_ITSELF, RECORD, RUN};
use super::sources::{PassedOver, SourceRecord};
use crate::diag::{Code, Diagnostic, Findings, Place, Severity, Source, Span};
use crate::document::{Document, KeyCase, Limits, Node, Shape, check, parse};
use crate::policy::{Queue, SchedulerSettings};
use crate::units::{GoDuration, Time};
use std::collections::HashMap;
use std::sync::Arc;

/// What was recorded.
#[derive(Debug, Default)]
pub struct History {
    /// Queues and their policies, as the history knows them.
    pub queues: Vec<Queue>,
    /// The jobs, in the order in which they are first met.
    pub jobs: Vec<Job>,
    /// Changes of the scheduler's settings.
    pub reloads: Vec<Reload>,
    /// Bad records that were left out.
    pub skipped: usize,
    /// What was passed over since it is no ended run.
    pub passed_over: Vec<PassedOver>,
    /// Whether any of it was a `FailureHistory` document.
    pub has_document: bool,
}

/// What becomes of a bad record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnBadRecord {
    /// It is an error; reading stops after 20.
    #[default]
    Error,
    /// It is an error, and all of them are found.
    ErrorToTheEnd,
    /// It is left out and counted.
    Skip,
}

/// Grace periods that Armada takes at submission (semantics.md, section 7).
#[derive(Debug, Clone, Copy)]
pub struct GraceBounds {
    /// The least, for one above 0.
    pub min: GoDuration,
    /// The most, if there is one.
    pub max: Option<GoDuration>,
}

impl From<&SchedulerSettings> for GraceBounds {
    fn from(settings: &SchedulerSettings) -> Self {
        Self { min: settings.min_grace, max: settings.max_grace }
    }
}

/// After how many bad records reading stops.
const MOST_BAD: usize = 20;

/// Reads any number of histories into one.
#[derive(Debug)]
pub struct Reader {
    bounds: GraceBounds,
    on_bad: OnBadRecord,
    lines_clock: Clock,
    history: History,
    known: HashMap<String, usize>,
    builders: Vec<Builder>,
    /// Bad records by job: a run's position counts them too.
    bad_of_job: HashMap<String, usize>,
    findings: Findings,
    bad: usize,
}

#[derive(Debug, Default)]
struct Builder {
    fields: JobFields,
    latest: Option<Time>,
    last_index: Option<u32>,
}

impl Reader {
    /// Nothing read yet.
    pub fn new(bounds: GraceBounds, on_bad: OnBadRecord) -> Self {
        Self {
            bounds,
            on_bad,
            lines_clock: Clock::of_lines(),
            history: History::default(),
            known: HashMap::new(),
            builders: Vec::new(),
            bad_of_job: HashMap::new(),
            findings: Findings::new(),
            bad: 0,
        }
    }

    /// Whether so many bad records were found that reading on helps nobody.
    pub fn is_full(&self) -> bool {
        self.on_bad == OnBadRecord::Error && self.bad >= MOST_BAD
    }

    /// Reads the documents of a text.
    pub fn text(&mut self, source: &Arc<Source>) {
        let (documents, findings) = parse(source, Limits::HISTORY);
        if documents.is_empty() && findings.is_empty() {
            let place = Place::new(source, Span::default());
            let nothing = Diagnostic::error(Code::NoDocument, place, "there is no history here");
            self.findings
                .push(nothing.help("write a `kind: FailureHistory` document, or JSON Lines"));
        }
        self.findings.extend(findings);
        for document in &documents {
            self.document(document);
        }
    }

    /// Reads a `kind: FailureHistory` document.
    pub fn document(&mut self, document: &Document) {
        self.history.has_document = true;
        let findings = checked(document, &document.root, &HISTORY_ITSELF);
        if let Some(kind) = document.root.get("kind")
            && kind.text().is_some_and(|kind| kind != "FailureHistory")
        {
            // The fields of another kind of document are not what is wrong with it.
            self.findings.extend(findings.at(kind.span));
            return;
        }
        self.findings.extend(findings);
        let Some(spec) = document.root.get("spec") else { return };
        // A start that is none has been reported; what it made of the times has not to be.
        let start = spec.get("start").map(|start| {
            let start = start.text().and_then(|text| Time::parse(text).ok());
            start.unwrap_or(Time::EPOCH)
        });
        let mut clock = Clock::of_document(start);
        self.queues(spec);
        let mut ids = std::collections::HashSet::new();
        for job in spec.get("jobs").map(Node::items).unwrap_or_default() {
            self.job(document, job, &mut clock, &mut ids);
            if self.is_full() {
                return;
            }
        }
        self.reloads(document, spec, &mut clock);
    }

    fn queues(&mut self, spec: &Node) {
        let queues = spec.get("queues").map(Node::items).unwrap_or_default();
        self.history.queues.extend(queues.iter().filter_map(Queue::of_fields));
    }

    fn reloads(&mut self, document: &Document, spec: &Node, clock: &mut Clock) {
        for event in spec.get("events").map(Node::items).unwrap_or_default() {
            let (Some(at), Some(reload)) = (event.get("at"), event.get("reload")) else { continue };
            match clock.read(at.text().unwrap_or_default()) {
                Ok(time) => self.history.reloads.push(Reload {
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
                    self.findings.push(finding.help(clock.help));
                }
            }
        }
    }

    fn job<'n>(
        &mut self,
        document: &Document,
        node: &'n Node,
        clock: &mut Clock,
        ids: &mut std::collections::HashSet<&'n str>,
    ) {
        let mut findings = checked(document, node, &JOB_ITSELF);
        let runs = node.get("runs").map(Node::items).unwrap_or_default();
        let id = node.get("jobId").and_then(Node::some_text);
        if runs.is_empty() && !findings.has_errors() {
            let place = document.place(node.span);
            let message = format!("job `{}` has no runs", id.unwrap_or_default());
            findings.push(Diagnostic::error(Code::BadRecord, place, message));
        }
        if let Some(id) = id.filter(|id| !ids.insert(id)) {
            let place = document.place(node.get("jobId").map_or(node.span, |node| node.span));
            let message = format!("job `{id}` stands here a second time");
            findings.push(Diagnostic::error(Code::BadRecord, place, message));
        }
        let (Some(id), false) = (id, findings.has_errors()) else {
            return self.bad_record(None, findings);
        };
        // Job-level fields may stand on the job or on its first run.
        let of_job = JobFields::of(node);
        for run in runs {
            let mut findings = checked(document, run, &RUN);
            let good = !findings.has_errors();
            let fields = if good { fields::run(document, run, clock, &mut findings) } else { None };
            match fields {
                Some(fields) => {
                    let of_run = JobFields::of(run);
                    let own = of_job.differences(&of_run).filter(|key| node.get(key).is_some());
                    let own: Vec<_> = own.collect();
                    let at = |key: &str| run.get(key).map_or(run.span, |node| node.span);
                    let said = of_job.clone().or(of_run);
                    self.record(id, said, fields, &own, |key| document.place(at(key)));
                }
                None => self.bad_record(Some(id), findings),
            }
            if self.is_full() {
                return;
            }
        }
    }

    /// Begins another stream of lines: whether its times are dates or offsets is its own.
    pub fn begin_lines(&mut self) {
        self.lines_clock = Clock::of_lines();
    }

    /// Reads one line of JSON Lines. `number` is the line's, from 1.
    pub fn line(&mut self, name: &str, number: usize, text: &str) {
        if let Some((id, job, run)) = json_record::read(text, &mut self.lines_clock) {
            let source = || Source::excerpt(name, text, number);
            self.record(&id, job, run, &[], |key| place_in_line(&source(), key));
            return;
        }
        match self.tree_of_line(name, number, text) {
            Ok((id, job, run, clock)) => {
                self.lines_clock = clock;
                let source = || Source::excerpt(name, text, number);
                self.record(&id, job, run, &[], |key| place_in_line(&source(), key));
            }
            Err(findings) => self.bad_record(id_of_line(text).as_deref(), findings),
        }
    }

    /// What an uncommon line says, or all that is wrong with it.
    fn tree_of_line(
        &self,
        name: &str,
        number: usize,
        text: &str,
    ) -> Result<(String, JobFields, RunFields, Clock), Findings> {
        let source = Source::excerpt(name, text, number);
        let mut findings = Findings::new();
        if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
            let at = text.char_indices().map(|(at, _)| at).nth(error.column().saturating_sub(1));
            let at = at.unwrap_or(text.len());
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default().to_owned();
            let place = Place::new(&source, Span::new(at, at + 1));
            findings.push(Diagnostic::error(Code::Syntax, place, format!("no JSON: {message}")));
            return Err(findings);
        }
        let (documents, syntax) = parse(&source, Limits::HISTORY);
        findings.extend(syntax);
        if let Some(document) = documents.first() {
            let root = &document.root;
            // Lines may say more than is read of them, at every depth.
            findings.extend(
                checked(document, root, &RECORD).without(&[Code::UnknownField, Code::OtherForm]),
            );
            let mut clock = self.lines_clock;
            let good = !findings.has_errors();
            let id = root.get("jobId").and_then(Node::some_text).filter(|_| good);
            if let Some(id) = id
                && let Some(run) = fields::run(document, root, &mut clock, &mut findings)
            {
                return Ok((id.to_owned(), JobFields::of(root), run, clock));
            }
        }
        if !findings.has_errors() {
            let place = Place::new(&source, Span::new(0, text.len()));
            let message = "this is no run record";
            findings.push(Diagnostic::error(Code::BadRecord, place, message));
        }
        Err(findings)
    }

    /// A line that is not UTF-8: what can be read of it, and the byte at which it goes wrong.
    pub fn not_utf8(&mut self, name: &str, number: usize, text: &str, at: usize) {
        let source = Source::excerpt(name, text, number);
        let place = Place::new(&source, Span::new(at, at + 1));
        let mut findings = Findings::new();
        findings.push(Diagnostic::error(Code::NotUtf8, place, "the line is not UTF-8"));
        self.bad_record(None, findings);
    }

    /// Adds a run of another program's history. People call the source `name`.
    pub fn source_record(&mut self, name: &str, record: SourceRecord) {
        let SourceRecord { id, job, run, index, line } = record;
        let place = || Place::new(&Source::excerpt(name, "", line), Span::default());
        let fault = if run.ends_before_it_starts() {
            Some("the run finishes before it starts".to_owned())
        } else {
            let repeated = run.repeated_container().and_then(|at| run.containers.get(at));
            repeated.map(|container| format!("two containers are named `{}`", container.name))
        };
        match fault {
            None => self.record(&id, job, RunFields { run, index }, &[], |_| place()),
            Some(message) => {
                let message = format!("job `{id}`: {message}");
                let finding = Diagnostic::error(Code::BadRecord, place(), message);
                self.bad_source_record(Some(&id), finding);
            }
        }
    }

    /// A record of another program's that cannot be, and its job if so much is known.
    pub(super) fn bad_source_record(&mut self, job: Option<&str>, finding: Diagnostic) {
        let mut findings = Findings::new();
        findings.push(finding);
        self.bad_record(job, findings);
    }

    /// Something in another program's history that is probably not what was meant.
    pub(super) fn source_warning(&mut self, finding: Diagnostic) {
        self.findings.push(finding);
    }

    /// What another program told of that is no ended run.
    pub(super) fn source_passed_over(&mut self, passed_over: PassedOver) {
        self.history.passed_over.push(passed_over);
    }

    /// Adds a run to its job, unless it breaks a rule between the two.
    fn record(
        &mut self,
        id: &str,
        job: JobFields,
        mut fields: RunFields,
        different: &[&'static str],
        place: impl Fn(&str) -> Place,
    ) {
        let number = self.known.get(id).copied();
        let builder = number.map(|number| &self.builders[number]);
        let position = number.map_or(0, |number| self.history.jobs[number].runs.len())
            + self.bad_of_job.get(id).copied().unwrap_or(0);
        let index = fields.index.unwrap_or_else(|| u32::try_from(position).unwrap_or(u32::MAX));
        fields.run.run_index = index;
        if let Some((key, message)) = self.fault(builder, &job, &fields) {
            let mut findings = Findings::new();
            findings.push(Diagnostic::error(Code::BadRecord, place(key), message));
            return self.bad_record(Some(id), findings);
        }
        let number = number.unwrap_or_else(|| {
            self.known.insert(id.to_owned(), self.builders.len());
            self.builders.push(Builder::default());
            self.history.jobs.push(Job { id: id.to_owned(), ..Job::default() });
            self.builders.len() - 1
        });
        let builder = &mut self.builders[number];
        let mut different = different.to_vec();
        if self.history.jobs[number].runs.is_empty() {
            builder.fields = job;
        } else {
            different.extend(builder.fields.differences(&job));
        }
        builder.latest = fields.run.time().or(builder.latest);
        builder.last_index = Some(index);
        self.history.jobs[number].runs.push(fields.run);
        different.dedup();
        for key in different {
            let message =
                format!("`{key}` of job `{id}` differs from its first record, which counts");
            self.findings.push(Diagnostic::warning(Code::DifferentRecord, place(key), message));
        }
    }

    /// The rule that a run breaks, given the runs before it, and the field that shows it.
    fn fault(
        &self,
        builder: Option<&Builder>,
        job: &JobFields,
        fields: &RunFields,
    ) -> Option<(&'static str, String)> {
        let run = &fields.run;
        if let (Some(latest), Some(time)) = (builder.and_then(|builder| builder.latest), run.time())
            && time < latest
        {
            let key = if run.finished_at.is_some() { "finishedAt" } else { "startedAt" };
            return Some((
                key,
                format!("time goes backwards: {time} comes after {latest} of the run before"),
            ));
        }
        if let Some(last) = builder.and_then(|builder| builder.last_index)
            && run.run_index <= last
        {
            return Some((
                "runIndex",
                format!("runIndex {} does not grow: the run before has {last}", run.run_index),
            ));
        }
        if let Some(grace) = run.termination_grace.filter(|grace| *grace != GoDuration::ZERO) {
            let key = "terminationGracePeriodSeconds";
            if grace < self.bounds.min {
                return Some((
                    key,
                    format!(
                        "the grace period {grace} is less than the minimum, {}",
                        self.bounds.min
                    ),
                ));
            }
            if let Some(max) = self.bounds.max.filter(|max| grace > *max) {
                return Some((
                    key,
                    format!("the grace period {grace} is more than the maximum, {max}"),
                ));
            }
        }
        let known = builder.map_or(job, |builder| &builder.fields);
        if run.outcome == Outcome::Stopped && as_job("", known).gang().is_none() {
            return Some((
                "outcome",
                "a run is Stopped only with its gang, and this job has none".to_owned(),
            ));
        }
        None
    }

    fn bad_record(&mut self, id: Option<&str>, findings: Findings) {
        if let Some(id) = id {
            *self.bad_of_job.entry(id.to_owned()).or_default() += 1;
        }
        match self.on_bad {
            OnBadRecord::Skip => self.history.skipped += 1,
            OnBadRecord::Error | OnBadRecord::ErrorToTheEnd => {
                self.bad += 1;
                self.findings.extend(findings);
            }
        }
    }

    /// The history, and what was found in it.
    pub fn finish(mut self) -> (History, Findings) {
        for (job, builder) in self.history.jobs.iter_mut().zip(self.builders) {
            let runs = std::mem::take(&mut job.runs);
            *job = Job { runs, ..as_job(&job.id, &builder.fields) };
        }
        small_gangs(&self.history.jobs, &mut self.findings);
        (self.history, self.findings)
    }
}

/// The job that a bad line speaks of, if so much can be read.
fn id_of_line(text: &str) -> Option<String> {
    let line: serde_json::Value = serde_json::from_str(text).ok()?;
    line["jobId"].as_str().map(str::to_owned)
}

fn checked(document: &Document, node: &Node, shape: &'static Shape) -> Findings {
    let mut findings = Findings::new();
    check(&document.source, node, shape, KeyCase::Exact, &mut findings);
    findings
}

/// Where a field stands in a line; the line's beginning where it does not.
fn place_in_line(source: &Arc<Source>, key: &str) -> Place {
    let (documents, _) = parse(source, Limits::HISTORY);
    let span = documents.first().and_then(|document| document.root.get(key)).map(|node| node.span);
    Place::new(source, span.unwrap_or(Span::new(0, 1)))
}

fn as_job(id: &str, fields: &JobFields) -> Job {
    Job {
        id: id.to_owned(),
        queue: fields.queue.clone().unwrap_or_default(),
        job_set: fields.job_set.clone().unwrap_or_default(),
        annotations: fields.annotations.clone().unwrap_or_default(),
        resources: fields.resources.unwrap_or_default(),
        gang: fields.gang.clone(),
        runs: Vec::new(),
    }
}

/// A gang with fewer jobs than its cardinality gets a warning (semantics.md, section 9).
fn small_gangs(jobs: &[Job], findings: &mut Findings) {
    let mut seen: Vec<((&str, &str, String), u32, u32)> = Vec::new();
    let mut places: HashMap<(&str, &str, String), usize> = HashMap::new();
    for job in jobs {
        let Some(gang) = job.gang() else { continue };
        let key = (job.queue.as_str(), job.job_set.as_str(), gang.id);
        let place = *places.entry(key.clone()).or_insert_with(|| {
            seen.push((key, 0, gang.cardinality));
            seen.len() - 1
        });
        seen[place].1 += 1;
    }
    for ((queue, _, id), jobs, cardinality) in seen {
        if jobs < cardinality {
            let of_queue =
                if queue.is_empty() { String::new() } else { format!(" of queue `{queue}`") };
            let message = format!(
                "gang `{id}`{of_queue} has {jobs} of its {cardinality} jobs in this history"
            );
            let mut finding = Diagnostic::placeless(Code::SmallGang, message);
            finding.severity = Severity::Warning;
            findings.push(finding.help("the generation is decided by the members there are"));
        }
    }
}
