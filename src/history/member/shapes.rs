//! What follows from the shape of a system's records: which fields a line must have, and what a
//! document's jobs and runs look like. All of it is worked out when the program is built.

use super::OwnFields;
use crate::document::{Extra, Field, Kind, Need, Shape};
use crate::history::scan::{Glance, InLine};
use std::marker::PhantomData;

/// The most fields of a record, those included that a job has and a record has not.
pub(super) const MOST: usize = NO_FIELD as usize + 1;
/// The number of no field: there are fewer.
pub(super) const NO_FIELD: u8 = 63;

/// Fields, and how many of them count.
type Fields = ([Field; MOST], usize);

static ANYTHING: Kind = Kind::Anything;

/// A document's runs, without a look at them: a bad run is one bad record, not a bad history.
const RUNS: Field = Field {
    name: "runs",
    doc: "Its runs.",
    kind: Kind::List { item: &ANYTHING, min: 0 },
    need: Need::Optional,
};

/// A field that all records have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Common {
    Id,
    Queue,
    RunIndex,
    Started,
    Finished,
    Node,
    Cluster,
    /// It is the system's own.
    None,
}

/// The shapes that go with a system's records.
pub(super) struct Shapes<F>(PhantomData<F>);

impl<F: OwnFields> Shapes<F> {
    /// The fields without which a line is no record, a bit a field.
    pub(super) const REQUIRED: u64 = required(F::RECORD.fields);

    /// Which of the record's fields are those that all records have.
    pub(super) const COMMON: [Common; MOST] = common(F::RECORD.fields);

    /// How the fields of the system's own are read where they stand in a line, if not by serde.
    pub(super) const IN_LINE: &'static [Option<InLine<F>>; MOST] = &in_line(F::RECORD.fields);

    /// The record's keys, as they mostly stand in a line.
    pub(super) const GLANCES: &'static [Glance; MOST] = &glances(F::RECORD.fields);

    const JOB_FIELDS: &'static Fields = &of_job(F::RECORD.fields);
    const RUN_FIELDS: &'static Fields = &of_run(F::RECORD.fields);

    /// A job of a document by itself. Fields of a single value may stand here for all its runs.
    pub(super) const JOB: &'static Shape = &Shape {
        name: "job",
        doc: "A unit and the runs of its members.",
        fields: Self::JOB_FIELDS.0.split_at(Self::JOB_FIELDS.1).0,
        constraints: &[],
        extra: Extra::Refused,
        elsewhere: &[],
    };

    /// A run of a document, with what its job says for it.
    pub(super) const RUN: &'static Shape = &Shape {
        name: "run",
        doc: "One run of a member: when, where and how it ended.",
        fields: Self::RUN_FIELDS.0.split_at(Self::RUN_FIELDS.1).0,
        constraints: F::RECORD.constraints,
        extra: Extra::Refused,
        elsewhere: &[],
    };

    /// Whether a field is one of a system's own that may stand on a job.
    pub(super) fn is_inherited(key: &str) -> bool {
        key != "jobId" && key != "queue" && key != "runs" && Self::JOB.field(key).is_some()
    }
}

const fn required(fields: &[Field]) -> u64 {
    assert!(fields.len() < MOST - 1, "so many fields are not reckoned with");
    let (mut bits, mut at) = (0, 0);
    while at < fields.len() {
        if matches!(fields[at].need, Need::Required) {
            bits |= 1 << at;
        }
        at += 1;
    }
    bits
}

const fn common(fields: &[Field]) -> [Common; MOST] {
    let (mut all, mut at) = ([Common::None; MOST], 0);
    while at < fields.len() {
        let name = fields[at].name;
        all[at] = match () {
            () if same(name, "jobId") => Common::Id,
            () if same(name, "queue") => Common::Queue,
            () if same(name, "runIndex") => Common::RunIndex,
            () if same(name, "startedAt") => Common::Started,
            () if same(name, "finishedAt") => Common::Finished,
            () if same(name, "node") => Common::Node,
            () if same(name, "cluster") => Common::Cluster,
            () => Common::None,
        };
        at += 1;
    }
    all
}

const fn in_line<F: OwnFields>(fields: &[Field]) -> [Option<InLine<F>>; MOST] {
    let (mut all, mut from) = ([None; MOST], 0);
    while from < F::IN_LINE.len() {
        let (name, reader) = F::IN_LINE[from];
        let mut at = 0;
        while !same(fields[at].name, name) {
            // That every name is a field's, the end of the fields sees to.
            at += 1;
        }
        all[at] = Some(reader);
        from += 1;
    }
    all
}

const fn glances(fields: &[Field]) -> [Glance; MOST] {
    let (mut all, mut at) = ([Glance::NEVER; MOST], 0);
    while at < fields.len() {
        all[at] = Glance::of(fields[at].name);
        at += 1;
    }
    all
}

const fn of_job(fields: &[Field]) -> Fields {
    let (mut kept, mut count, mut at) = ([RUNS; MOST], 0, 0);
    while at < fields.len() {
        let field = fields[at];
        if same(field.name, "jobId") {
            kept[count] = field;
            count += 1;
        } else if !is_of_one_run(field.name) && is_single(&field.kind) {
            kept[count] = Field { need: Need::Optional, ..field };
            count += 1;
        }
        at += 1;
    }
    // What is not written over is `runs`.
    (kept, count + 1)
}

const fn of_run(fields: &[Field]) -> Fields {
    let (mut kept, mut count, mut at) = ([RUNS; MOST], 0, 0);
    while at < fields.len() {
        if !same(fields[at].name, "jobId") {
            kept[count] = fields[at];
            count += 1;
        }
        at += 1;
    }
    (kept, count)
}

/// Whether a field of all records says something of one run only.
const fn is_of_one_run(name: &str) -> bool {
    same(name, "runIndex")
        || same(name, "startedAt")
        || same(name, "finishedAt")
        || same(name, "node")
        || same(name, "cluster")
}

/// Whether it is a single value. A list that each run took over could fill the memory.
const fn is_single(kind: &Kind) -> bool {
    !matches!(kind, Kind::List { .. } | Kind::Map(_) | Kind::Object(_) | Kind::Anything)
}

/// Whether two texts are the same: a constant cannot ask `==`.
const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}
