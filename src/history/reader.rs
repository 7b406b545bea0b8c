//! Puts the jobs of histories together, record by record.

use super::bad::{BadRecords, OnBadRecord};
use super::clock::Clock;
use super::faults::Prior;
use super::fields::{JobFields, RunFields};
use super::record::{Job, Reload};
use super::sources::PassedOver;
use super::unread::{PieceUnread, UnreadWords};
use crate::diag::{Code, Diagnostic, Findings, Place, Severity, Source, Span};
use crate::document::{
    Document, Items, KeyCase, Limits, Node, Outline, Shape, check, parse_outline,
};
use crate::policy::{Queue, SchedulerSettings};
use crate::units::GoDuration;
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
    /// Keys and conditions of records that nothing reads.
    pub unread: UnreadWords,
}

/// Grace periods that Armada takes at submission (semantics.md, section 7).
#[derive(Debug, Clone, Copy)]
pub struct GraceBounds {
    /// The least, for one above 0.
    pub min: GoDuration,
    /// The most, if there is one.
    pub max: Option<GoDuration>,
}

impl GraceBounds {
    /// Whether a grace period is taken; 0 and none are.
    pub(crate) fn take(self, grace: Option<GoDuration>) -> bool {
        grace.is_none_or(|grace| {
            grace == GoDuration::ZERO
                || grace >= self.min && self.max.is_none_or(|max| grace <= max)
        })
    }
}

impl From<&SchedulerSettings> for GraceBounds {
    fn from(settings: &SchedulerSettings) -> Self {
        Self { min: settings.min_grace, max: settings.max_grace }
    }
}

/// Reads any number of histories into one.
#[derive(Debug)]
pub struct Reader {
    pub(super) bounds: GraceBounds,
    bad: BadRecords,
    pub(super) lines_clock: Clock,
    /// Lines of the present stream.
    pub(super) lines_read: usize,
    pub(super) history: History,
    known: HashMap<String, usize>,
    builders: Vec<Builder>,
    /// Bad records by job: a run's position counts them too.
    bad_of_job: HashMap<String, usize>,
    pub(super) findings: Findings,
}

#[derive(Debug, Default)]
struct Builder {
    fields: JobFields,
    prior: Prior,
}

impl Reader {
    /// Nothing read yet.
    pub fn new(bounds: GraceBounds, on_bad: OnBadRecord) -> Self {
        Self {
            bounds,
            bad: BadRecords::new(on_bad),
            lines_clock: Clock::of_lines(),
            lines_read: 0,
            history: History::default(),
            known: HashMap::new(),
            builders: Vec::new(),
            bad_of_job: HashMap::new(),
            findings: Findings::new(),
        }
    }

    /// Whether some job has been read.
    pub fn has_jobs(&self) -> bool {
        !self.history.jobs.is_empty()
    }

    /// Whether so many bad records were found that reading on helps nobody.
    pub fn is_full(&self) -> bool {
        self.bad.is_full()
    }

    /// Reads the documents of a text.
    pub fn text(&mut self, source: &Arc<Source>) {
        let mut items = Items::new(source, Limits::HISTORY, JOBS);
        for outline in &outlines_of(source, &mut self.findings) {
            self.outline(&outline.document, |take| items.of(outline, take));
        }
    }

    /// Adds a run to its job, unless it breaks a rule between the two.
    pub(super) fn record(
        &mut self,
        id: &str,
        job: JobFields,
        fields: RunFields,
        different: &[&'static str],
        place: impl Fn(&str) -> Place,
    ) {
        self.record_as(id, job, fields, different, place, |message| message);
    }

    /// The same for a source whose runs have names: `name` puts a run's into messages.
    pub(super) fn record_as(
        &mut self,
        id: &str,
        job: JobFields,
        mut fields: RunFields,
        different: &[&'static str],
        place: impl Fn(&str) -> Place,
        name: impl Fn(String) -> String,
    ) {
        let number = self.known.get(id).copied();
        let builder = number.map(|number| &self.builders[number]);
        let position = number.map_or(0, |number| self.history.jobs[number].runs.len())
            + self.bad_of_job.get(id).copied().unwrap_or(0);
        let index = fields.index.unwrap_or_else(|| u32::try_from(position).unwrap_or(u32::MAX));
        fields.run.run_index = index;
        let prior = builder.map_or_else(Prior::default, |builder| builder.prior);
        let gang = builder.map_or(&job, |builder| &builder.fields).job("").gang().is_some();
        if let Some((key, message)) = fields.fault(prior, self.bounds, gang) {
            let mut findings = Findings::new();
            findings.push(Diagnostic::error(Code::BadRecord, place(key), name(message)));
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
        builder.prior = builder.prior.then(fields.run.time(), index);
        let runs = &mut self.history.jobs[number].runs;
        if runs.len() == runs.capacity() {
            // Most jobs have a run or two: the usual room for four would be most of it all.
            runs.reserve_exact(runs.len().max(1));
        }
        runs.push(fields.run);
        different.dedup();
        for key in different {
            self.differs(id, key, place(key));
        }
    }

    /// A record says something else of its job than the job's first record.
    pub(super) fn differs(&mut self, id: &str, key: &str, place: Place) {
        self.findings.push(differing(id, key, place));
    }

    pub(super) fn bad_record(&mut self, id: Option<&str>, findings: Findings) {
        if let Some(id) = id {
            *self.bad_of_job.entry(id.to_owned()).or_default() += 1;
        }
        self.bad.take(findings, &mut self.findings);
    }

    /// Whether bad records are left out, so that nobody asks what is wrong with them.
    pub(crate) fn leaves_out(&self) -> bool {
        self.bad.are_left_out()
    }

    /// Leaves a bad record out, and counts it for its job if that is known.
    pub(crate) fn leave_out(&mut self, id: Option<&str>) {
        self.bad_record(id, Findings::new());
    }

    /// Adds the words of a piece that nothing reads.
    pub(crate) fn unread(&mut self, words: PieceUnread, name: &str, bytes: &[u8], lines: usize) {
        self.history.unread.piece(words, name, bytes, lines);
    }

    /// The history, and what was found in it.
    pub fn finish(mut self) -> (History, Findings) {
        for (job, builder) in self.history.jobs.iter_mut().zip(self.builders) {
            let runs = std::mem::take(&mut job.runs);
            *job = Job { runs, ..builder.fields.job(&job.id) };
        }
        small_gangs(&self.history.jobs, &mut self.findings);
        self.history.skipped = self.bad.skipped;
        (self.history, self.findings)
    }
}

/// Where a document has its jobs. Their trees take much more memory than their text.
pub(super) const JOBS: &[&str] = &["spec", "jobs"];

/// The documents of a text without their jobs; a finding if there are none.
pub(super) fn outlines_of(source: &Arc<Source>, findings: &mut Findings) -> Vec<Outline> {
    let (outlines, wrong) = parse_outline(source, Limits::HISTORY, JOBS);
    if outlines.is_empty() && wrong.is_empty() {
        let place = Place::new(source, Span::default());
        let nothing = Diagnostic::error(Code::NoDocument, place, "there is no history here");
        findings.push(nothing.help("write a `kind: FailureHistory` document, or JSON Lines"));
    }
    findings.extend(wrong);
    outlines
}

/// The warning that a record says something else of its job than the job's first record.
pub(super) fn differing(id: &str, key: &str, place: Place) -> Diagnostic {
    let message = format!("`{key}` of job `{id}` differs from its first record, which counts");
    Diagnostic::warning(Code::DifferentRecord, place, message)
}

/// What a shape has against a node.
pub(super) fn checked(document: &Document, node: &Node, shape: &'static Shape) -> Findings {
    let mut findings = Findings::new();
    check(&document.source, node, shape, KeyCase::Exact, &mut findings);
    findings
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
