//! The sink of an anonymized history: checks the rules between the runs of a job, and passes each run on with other names.

use super::messages::Messages;
use super::names::{NameKind, Names, text};
use super::output::{AnonymousRun, Counts, NewName, Output};
use super::settings::Settings;
use crate::disruption::Disruptions;
use crate::history::{ArmadaRun, FieldFault, PreviousRuns, RecordFault, Row, RunRecord, Sink};
use armada_retry::engine::JobFields;
use document::units::Time;
use hashbrown::HashMap;

/// The name of containers that sources give where they have none, and the default of many programs.
const MAIN: &str = "main";

/// Passes runs on with other names. Of a job it keeps its number and what the rules between its runs depend on.
pub(super) struct Copier<'o> {
    pub(super) names: Names,
    pub(super) messages: Messages,
    pub(super) counts: Counts,
    pub(super) disruptions: Disruptions,
    pub(super) output: &'o mut dyn Output,
    jobs: HashMap<u128, Progress>,
    /// Number of bad records of each job that has any: the indexes of later runs count them.
    bad: HashMap<u128, u32>,
}

/// The runs of a job so far.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    /// The number in the job's name.
    number: u32,
    runs: u32,
    last_index: u32,
    latest: Option<Time>,
}

/// The names of a record, apart from its job's.
pub(super) struct RecordNames<'r> {
    pub(super) queue: Option<&'r str>,
    pub(super) fields: Option<Box<JobFields>>,
    /// The run's index, if the record has one.
    pub(super) index: Option<u32>,
}

impl<'o> Copier<'o> {
    /// A copier that has seen no run.
    pub(super) fn new(settings: &Settings<'_>, output: &'o mut dyn Output) -> Self {
        let mut names = Names::new(settings.hash_key, settings.keep);
        names.keep(NameKind::Container, MAIN);
        let rules = || settings.policies.iter().flat_map(|policy| &policy.rules);
        for container in rules().filter_map(|rule| rule.container.as_deref()) {
            names.keep(NameKind::Container, container);
        }
        for policy in settings.policies {
            names.keep(NameKind::Policy, policy.name.as_str());
        }
        Self {
            names,
            messages: Messages::new(rules().filter_map(|rule| rule.message.as_ref())),
            counts: Counts::default(),
            disruptions: settings.disruptions.clone(),
            output,
            jobs: HashMap::new(),
            bad: HashMap::new(),
        }
    }

    /// Passes a run on.
    ///
    /// # Errors
    ///
    /// The rule that it breaks. It then counts as a bad record of its job.
    pub(super) fn take(
        &mut self,
        id: &str,
        record: RecordNames<'_>,
        run: &mut RunRecord,
    ) -> Result<(), FieldFault> {
        let key = self.names.hash(id);
        let known = self.jobs.get(&key).copied();
        let mut job = known.unwrap_or_default();
        // Bad records take a number too, as they do where the history is read.
        let bad = self.bad.get(&key).copied().unwrap_or_default();
        run.run_index = record.index.unwrap_or(job.runs.saturating_add(bad));
        let last_index = known.map(|job| job.last_index);
        let previous = PreviousRuns { latest: job.latest, last_index };
        if let Some(fault) = previous.fault(run.time(), run.finished_at.is_some(), run.run_index) {
            self.count_bad(key);
            return Err(fault);
        }
        // A job begins with its first good record: one without any has no name in the output.
        if known.is_none() {
            self.counts.jobs += 1;
            job.number = self.new_job(id);
        }
        (job.runs, job.last_index) = (job.runs.saturating_add(1), run.run_index);
        job.latest = run.time().or(job.latest);
        self.jobs.insert(key, job);
        let name = text(NameKind::Job, job.number);
        let name = if self.names.keeps_all(NameKind::Job) { id } else { &name };
        self.write(name, record, run);
        Ok(())
    }

    /// The number of a job that was not seen before.
    fn new_job(&mut self, id: &str) -> u32 {
        let (number, name) = self.names.next(NameKind::Job);
        if !self.names.keeps_all(NameKind::Job) {
            self.output.name(&NewName { kind: NameKind::Job, from: id, to: &name });
        }
        number
    }

    fn write(&mut self, job: &str, record: RecordNames<'_>, run: &mut RunRecord) {
        self.counts.runs += 1;
        let queue = self.name(NameKind::Queue, record.queue.unwrap_or_default());
        let fields = record.fields.map(|fields| self.job_fields(*fields)).unwrap_or_default();
        self.run(run);
        self.output.run(&AnonymousRun { job, queue: &queue, fields: &fields, run });
    }

    fn count_bad(&mut self, key: u128) {
        *self.bad.entry(key).or_default() += 1;
    }
}

impl Sink<ArmadaRun> for Copier<'_> {
    fn add(&mut self, id: &str, row: Row<ArmadaRun>) -> Result<(), Box<RecordFault>> {
        let Row { queue, unit, index, mut run } = row;
        let record = RecordNames { queue: queue.as_deref(), fields: unit, index };
        self.take(id, record, &mut run).map_err(|fault| Box::new(RecordFault::Rule(fault)))
    }

    fn add_bad(&mut self, id: &str, (): ()) {
        self.count_bad(self.names.hash(id));
    }
}
