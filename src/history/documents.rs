//! `kind: FailureHistory` documents.

use super::clock::Clock;
use super::fields::{self, JobFields};
use super::reader::{JOBS, Reader, checked};
use super::record::Reload;
use super::shape::{HISTORY_ITSELF, JOB_ITSELF, RUN};
use crate::diag::{Code, Diagnostic, Findings};
use crate::document::{Document, Node, Shape};
use crate::policy::Queue;
use crate::units::Time;
use std::collections::HashSet;

impl Reader {
    /// Reads a `kind: FailureHistory` document.
    pub fn document(&mut self, document: &Document) {
        self.outline(document, |take| {
            let jobs = document.root.at(JOBS).map(Node::items).unwrap_or_default();
            _ = jobs.iter().all(take);
        });
    }

    /// Reads a document whose jobs `each` gives, as long as its argument returns `true`.
    pub(super) fn outline(
        &mut self,
        document: &Document,
        each: impl FnOnce(&mut dyn FnMut(&Node) -> bool),
    ) {
        self.history.has_document = true;
        let Some(spec) = spec_of(document, &mut self.findings) else { return };
        let mut clock = clock_of(spec);
        self.queues(spec);
        let mut ids = HashSet::new();
        each(&mut |job| {
            self.job(document, job, &mut clock, &mut ids);
            !self.is_full()
        });
        if !self.is_full() {
            self.reloads(document, spec, &mut clock);
        }
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

    fn job(
        &mut self,
        document: &Document,
        node: &Node,
        clock: &mut Clock,
        ids: &mut HashSet<String>,
    ) {
        let id = match id_of_job(document, node, &JOB_ITSELF, ids) {
            Ok(id) => id,
            Err(findings) => return self.bad_record(None, findings),
        };
        // Job-level fields may stand on the job or on its first run.
        let of_job = JobFields::of(node);
        for run in node.get("runs").map(Node::items).unwrap_or_default() {
            let mut findings = checked(document, run, &RUN);
            let good = !findings.has_errors();
            let fields = if good { fields::run(document, run, clock, &mut findings) } else { None };
            match fields {
                Some(fields) => {
                    let conditions = fields.run.conditions.iter().map(String::as_str);
                    let at = run.get("conditions").map_or(run.span, |node| node.span);
                    self.history.unread.conditions(conditions, || document.place(at));
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
}

/// What a `kind: FailureHistory` document says, with findings about all but its jobs.
pub(super) fn spec_of<'d>(document: &'d Document, findings: &mut Findings) -> Option<&'d Node> {
    let wrong = checked(document, &document.root, &HISTORY_ITSELF);
    if let Some(kind) = document.root.get("kind")
        && kind.text().is_some_and(|kind| kind != "FailureHistory")
    {
        // The fields of another kind of document are not what is wrong with it.
        findings.extend(wrong.at(kind.span));
        return None;
    }
    findings.extend(wrong);
    document.root.get("spec")
}

/// The clock of a document.
pub(super) fn clock_of(spec: &Node) -> Clock {
    // A start that is none has been reported; what it made of the times has not to be.
    let start = spec.get("start").map(|start| {
        let start = start.text().and_then(|text| Time::parse(text).ok());
        start.unwrap_or(Time::EPOCH)
    });
    Clock::of_document(start)
}

/// The id of a job, unless the job itself, without a look at its runs, is none that can be.
pub(super) fn id_of_job<'n>(
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
        let message = format!("job `{id}` stands here a second time");
        findings.push(Diagnostic::error(Code::BadRecord, place, message));
    }
    id.filter(|_| !findings.has_errors()).ok_or(findings)
}
