//! The common record of JSON Lines, read without a tree.
//!
//! It gives a record or nothing; where it gives nothing, the tree says what is wrong and where.

use super::clock::Clock;
use super::fields::{JobFields, RunFields};
use super::line::{Amount, Annotations, ContainerLine, Line, ResourcesLine};
use super::record::{Container, Gang, Outcome, Resources, RunRecord};
use super::scan::scan;
use super::unread::has_unread_condition;
use crate::units::{GoDuration, Quantity, Time};
use std::borrow::Cow;

/// A run, and what its record says of its job. Its texts stay in the line where they can.
#[derive(Debug, Default)]
pub struct Record<'t> {
    /// The job's id.
    pub id: Cow<'t, str>,
    /// What it says of the job.
    pub(crate) job: JobFields<Cow<'t, str>>,
    /// The run.
    pub(crate) fields: RunFields<Cow<'t, str>>,
    /// Whether the line may have keys that nothing reads. Only the scanner rules it out.
    pub(super) may_have_unread: bool,
}

/// Records that hold the same are equal, whoever read them.
impl PartialEq for Record<'_> {
    fn eq(&self, other: &Self) -> bool {
        (&self.id, &self.job, &self.fields) == (&other.id, &other.job, &other.fields)
    }
}

impl Record<'_> {
    /// Whether its line may have keys or conditions that nothing reads.
    pub(crate) fn may_have_unread(&self) -> bool {
        self.may_have_unread || has_unread_condition(&self.fields.run.conditions)
    }

    /// A record with texts of its own.
    pub(super) fn owned(id: &str, job: JobFields, fields: RunFields) -> Record<'static> {
        Record {
            id: Cow::Owned(id.to_owned()),
            job: job.into_cow(),
            fields: RunFields { run: fields.run.into_cow(), index: fields.index },
            may_have_unread: true,
        }
    }

    /// Forgets all it says, but not the room for it.
    pub(super) fn clear(&mut self) {
        self.id = Cow::default();
        self.job = JobFields::default();
        self.fields.index = None;
        self.fields.run.clear();
        self.may_have_unread = false;
    }
}

/// Reads a line into a record, if it is one beyond doubt; else what the record says means nothing.
/// The clock moves on only with it.
pub(super) fn read<'t>(text: &'t str, clock: &mut Clock, record: &mut Record<'t>) -> bool {
    if let Some(after) = scan(text, *clock, record) {
        *clock = after;
        return true;
    }
    let Some((read, after)) = parse(text, *clock) else { return false };
    (*record, *clock) = (read, after);
    true
}

/// What the scanner and what `serde_json` read in a line. Where the scanner reads something, both
/// are the same: checks ask for it.
pub fn both_ways(text: &str) -> [Option<Record<'_>>; 2] {
    let mut scanned = Record::default();
    let read = scan(text, Clock::of_lines(), &mut scanned).is_some();
    [read.then_some(scanned), parse(text, Clock::of_lines()).map(|(record, _)| record)]
}

/// What `serde_json` reads in a line, and the clock after it.
#[cold]
pub(super) fn parse(text: &str, mut clock: Clock) -> Option<(Record<'_>, Clock)> {
    let line: Line<'_> = serde_json::from_str(text).ok()?;
    let mut time = |text: Option<Cow<'_, str>>| -> Option<Option<Time>> {
        let Some(text) = some(text) else { return Some(None) };
        clock.read(&text).ok().map(Some)
    };
    let containers = line.containers.unwrap_or_default().into_iter().map(container);
    let conditions = line.conditions.unwrap_or_default();
    let run = RunRecord {
        started_at: time(line.started_at)?,
        finished_at: time(line.finished_at)?,
        termination_confirmed_at: time(line.termination_confirmed_at)?,
        node: some(line.node),
        cluster: some(line.cluster),
        conditions: conditions.into_iter().filter(|name| !name.is_empty()).collect(),
        containers: containers.collect::<Option<_>>()?,
        category: some(line.category),
        subcategory: some(line.subcategory),
        termination_grace: match line.termination_grace_period_seconds {
            Some(seconds) => Some(grace(seconds)?),
            None => None,
        },
        ..RunRecord::new(Outcome::from_name(&line.outcome)?)
    };
    let job = JobFields {
        queue: some(line.queue),
        job_set: some(line.job_set),
        annotations: line.annotations.map(said),
        resources: match line.resources {
            Some(resources) => Some(quantities(&resources)?),
            None => None,
        },
        gang: line.gang.map(|gang| Gang { id: gang.id, cardinality: gang.cardinality }),
    };
    let fields = RunFields { run, index: line.run_index };
    let record = Record { id: line.job_id, job, fields, may_have_unread: true };
    is_sound(&record).then_some((record, clock))
}

/// Whether a record breaks no rule that concerns more than one of its fields.
pub(super) fn is_sound(record: &Record<'_>) -> bool {
    let gang = record.job.gang.as_ref();
    let run = &record.fields.run;
    !record.id.is_empty()
        && gang.is_none_or(|gang| gang.cardinality > 0 && !gang.id.is_empty())
        && !run.ends_before_it_starts()
        && run.repeated_container().is_none()
}

/// A grace period of so many seconds.
pub(super) fn grace(seconds: i64) -> Option<GoDuration> {
    (0..=9_000_000_000).contains(&seconds).then(|| GoDuration::from_secs(seconds))
}

/// An empty text means absent.
fn some(text: Option<Cow<'_, str>>) -> Option<Cow<'_, str>> {
    text.filter(|text| !text.is_empty())
}

/// The annotations that have a value.
fn said(all: Annotations<'_>) -> std::collections::BTreeMap<Cow<'_, str>, Cow<'_, str>> {
    all.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}

fn container(line: ContainerLine<'_>) -> Option<Container<Cow<'_, str>>> {
    (!line.name.is_empty()).then(|| Container {
        name: line.name,
        init: line.init == Some(true),
        exit_code: line.exit_code,
        reason: some(line.reason),
        message: some(line.message),
    })
}

fn quantities(line: &ResourcesLine<'_>) -> Option<Resources> {
    let mut resources = Resources::default();
    let Resources { cpu, memory, gpu } = &mut resources;
    for (amount, field) in [(&line.cpu, cpu), (&line.memory, memory), (&line.gpu, gpu)] {
        if let Some(amount) = amount {
            quantity(amount, field)?;
        }
    }
    Some(resources)
}

/// Reads an amount into its field, if it is one that a job can ask for; an empty text is none.
pub(super) fn quantity(amount: &Amount<'_>, field: &mut Option<Quantity>) -> Option<()> {
    let text = match amount {
        Amount::Text(text) if text.is_empty() => return Some(()),
        Amount::Text(text) => Cow::Borrowed(&**text),
        Amount::Whole(whole) => Cow::Owned(whole.to_string()),
    };
    *field = Some(Quantity::parse(&text).ok().filter(|quantity| quantity.is_positive())?);
    Some(())
}
