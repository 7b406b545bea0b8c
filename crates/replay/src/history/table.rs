//! The field table of a system's run records, and everything that follows from it.
//!
//! A row is a [`Field`]. The scanner, the exact path, the shapes that check, explain and publish records, and
//! the keys that a document's job may hold for its runs are computed from the rows when the program is built.

use super::field::{Common, Field, Scope, Target};
use super::record::RecordFields;
use super::scan::{KeyMatcher, KeyNumbers};
use document::diag::Code;
use document::{self, Extra, Kind, Need, Shape};
use std::marker::PhantomData;

/// Slots of a table: the bits of a `u32`.
// The program holds every slot of every shape, so that 64 of them would make it some 60 kB longer.
pub(super) const MAX_FIELDS: usize = NO_FIELD as usize + 1;
/// The number of no field.
pub(super) const NO_FIELD: u8 = 31;

/// The data derived from the field table of a system.
#[derive(Debug)]
pub struct Table<F>(PhantomData<F>);

static ANY_VALUE: Kind = Kind::Anything;

/// The runs of a document's job, unchecked: a bad run is one bad record, not a bad history.
const UNCHECKED_RUNS: document::Field =
    document::optional("runs", Kind::List { item: &ANY_VALUE, min: 0 }, "Its runs.");

/// Shape fields, and how many of the slots are used.
type Slots = ([document::Field; MAX_FIELDS], usize);

impl<F: RecordFields> Table<F> {
    /// A record as a line of JSON Lines. Unknown keys are ignored.
    pub const RECORD: &'static Shape = &Shape {
        name: "record",
        doc: F::DOC,
        fields: used(Self::RECORD_FIELDS),
        constraints: F::CONSTRAINTS,
        extra: Extra::Ignored,
        elsewhere: &[],
    };

    /// A run of a document, with what its job holds for it.
    pub const RUN: &'static Shape = &Shape {
        name: "run",
        doc: F::RUN_DOC,
        fields: used(Self::RUN_FIELDS),
        constraints: F::CONSTRAINTS,
        extra: Extra::Refused,
        elsewhere: &[],
    };

    /// A failure of a test of a policy: a record whose id and outcome have defaults, with shorthands.
    pub const FAILURE: &'static Shape = &Shape {
        name: "failure",
        doc: F::RUN_DOC,
        fields: used(Self::FAILURE_FIELDS),
        constraints: F::CONSTRAINTS,
        extra: Extra::Refused,
        elsewhere: &[],
    };

    /// A job of a document without its runs.
    pub const JOB: &'static Shape = &Shape {
        name: "job",
        doc: F::JOB_DOC,
        fields: used(Self::JOB_FIELDS),
        constraints: &[],
        extra: Extra::Refused,
        elsewhere: &[],
    };

    /// A job of a document with its runs.
    pub const JOB_WITH_RUNS: &'static Shape =
        &Shape { fields: used(Self::JOB_AND_RUNS_FIELDS), ..*Self::JOB };

    const RUN_KIND: &'static Kind = &Kind::Object(Self::RUN);
    const JOB_AND_RUNS_FIELDS: &'static Slots = &{
        let (mut slots, count) = *Self::JOB_FIELDS;
        let runs = Kind::List { item: Self::RUN_KIND, min: 1 };
        slots[count - 1] = document::required("runs", runs, "Its runs, in time order.");
        (slots, count)
    };
    const RECORD_FIELDS: &'static Slots = &record_fields(F::FIELDS);
    const FAILURE_FIELDS: &'static Slots = &failure_fields(F::FIELDS);
    const RUN_FIELDS: &'static Slots = &run_fields(F::FIELDS);
    const JOB_FIELDS: &'static Slots = &job_fields(F::FIELDS);

    /// The fields without which a line is not a record, a bit a field.
    pub(super) const REQUIRED: u32 = required(F::FIELDS);

    /// The keys of the record in their common spelling.
    pub(super) const MATCHERS: &'static [KeyMatcher; MAX_FIELDS] = &matchers(F::FIELDS);

    /// Where the fields are stored, without their shapes, which reading a line does not need.
    pub(super) const TARGETS: &'static [Target<F>; MAX_FIELDS] = &targets(F::FIELDS);

    /// The number of the field of this name.
    pub(super) fn number(name: &str) -> Option<usize> {
        let at = Self::NUMBERS.find(name)?;
        (F::FIELDS.get(at)?.shape.name == name).then_some(at)
    }

    const NUMBERS: KeyNumbers = KeyNumbers::of(&names(F::FIELDS));

    /// Whether a document's job may hold a field for all of its runs.
    pub(super) fn is_inherited(key: &str) -> bool {
        let field = F::FIELDS.iter().find(|field| field.shape.name == key);
        field.is_some_and(|field| is_inherited(field) && !matches!(field.target, Target::Common(_)))
    }

    /// Whether a field concerns the unit as a whole.
    pub(super) fn is_of_unit(key: &str) -> bool {
        let field = F::FIELDS.iter().find(|field| field.shape.name == key);
        field.is_some_and(|field| {
            matches!((field.scope, field.target), (Scope::Unit, Target::Own(_)))
        })
    }
}

const fn used(slots: &'static Slots) -> &'static [document::Field] {
    slots.0.split_at(slots.1).0
}

const fn required<F>(fields: &[Field<F>]) -> u32 {
    // Two slots less: one for no field, and one for the `runs` of a document's job.
    assert!(fields.len() < MAX_FIELDS - 1, "at most 30 fields");
    let (mut bits, mut at) = (0, 0);
    while at < fields.len() {
        if matches!(fields[at].shape.need, Need::Required) {
            bits |= 1 << at;
        }
        at += 1;
    }
    bits
}

const fn matchers<F>(fields: &[Field<F>]) -> [KeyMatcher; MAX_FIELDS] {
    let (mut all, mut at) = ([KeyMatcher::NEVER; MAX_FIELDS], 0);
    while at < fields.len() {
        all[at] = KeyMatcher::of(fields[at].shape.name);
        at += 1;
    }
    all
}

/// The names of the fields; unused slots are empty.
const fn names<F>(fields: &[Field<F>]) -> [&'static str; MAX_FIELDS] {
    let (mut all, mut at) = ([""; MAX_FIELDS], 0);
    while at < fields.len() {
        all[at] = fields[at].shape.name;
        at += 1;
    }
    all
}

const fn targets<F>(fields: &[Field<F>]) -> [Target<F>; MAX_FIELDS] {
    let (mut all, mut at) = ([Target::Common(Common::Id); MAX_FIELDS], 0);
    while at < fields.len() {
        all[at] = fields[at].target;
        at += 1;
    }
    all
}

const fn record_fields<F>(fields: &[Field<F>]) -> Slots {
    let (mut slots, mut at) = ([UNCHECKED_RUNS; MAX_FIELDS], 0);
    while at < fields.len() {
        slots[at] = fields[at].shape;
        at += 1;
    }
    (slots, at)
}

/// The shorthands of a failure for its only container `main`, without `repeat`.
pub(super) const OF_MAIN: [&str; 3] = ["exitCode", "reason", "message"];
/// The number of equal failures that a failure stands for.
pub(super) const REPEAT: &str = "repeat";
/// The most failures that one stands for: a test that is replayed within a second.
pub const MAX_REPEAT: u32 = 100_000;

/// The fields of a record, all of them optional, and the shorthands of a failure.
const fn failure_fields<F>(fields: &[Field<F>]) -> Slots {
    let (mut slots, mut at, mut has_containers) = ([UNCHECKED_RUNS; MAX_FIELDS], 0, false);
    while at < fields.len() {
        slots[at] = document::Field { need: Need::Optional, ..fields[at].shape };
        has_containers |= is_equal(fields[at].shape.name, "containers");
        at += 1;
    }
    let mut count = at;
    if has_containers {
        let code =
            Kind::Whole { min: i32::MIN as i128, max: i32::MAX as i128, code: Code::OutOfRange };
        let docs = [
            (code, "The exit code of the only container, `main`."),
            (Kind::Text, "The reason of the only container, `main`."),
            (Kind::Text, "The termination message of the only container, `main`."),
        ];
        let mut next = 0;
        while next < docs.len() {
            slots[count] = document::optional(OF_MAIN[next], docs[next].0, docs[next].1);
            count += 1;
            next += 1;
        }
    }
    let repeat = Kind::Whole { min: 1, max: MAX_REPEAT as i128, code: Code::OutOfRange };
    slots[count] = document::optional(
        REPEAT,
        repeat,
        "How many equal failures, one after the other, it stands for; absent means 1.",
    );
    (slots, count + 1)
}

/// Whether two texts are equal.
const fn is_equal(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// All but the id; those of the unit last.
const fn run_fields<F>(fields: &[Field<F>]) -> Slots {
    let (mut slots, mut count) = ([UNCHECKED_RUNS; MAX_FIELDS], 0);
    let mut of_unit = 0;
    // Two passes, since a constant function has neither iterators nor sorting.
    while of_unit < 2 {
        let mut at = 0;
        while at < fields.len() {
            let is_id = matches!(fields[at].target, Target::Common(Common::Id));
            if !is_id && matches!(fields[at].scope, Scope::Unit) == (of_unit == 1) {
                slots[count] = fields[at].shape;
                count += 1;
            }
            at += 1;
        }
        of_unit += 1;
    }
    (slots, count)
}

/// The id, what the job may hold for its runs, and the runs.
const fn job_fields<F>(fields: &[Field<F>]) -> Slots {
    let (mut slots, mut count, mut at) = ([UNCHECKED_RUNS; MAX_FIELDS], 0, 0);
    while at < fields.len() {
        let field = fields[at];
        if matches!(field.target, Target::Common(Common::Id)) {
            slots[count] = field.shape;
            count += 1;
        } else if is_inherited(&field) || matches!(field.scope, Scope::Unit) {
            slots[count] = document::Field { need: Need::Optional, ..field.shape };
            count += 1;
        }
        at += 1;
    }
    // The first unused slot is `runs`.
    (slots, count + 1)
}

/// A list or a map that each run inherits could fill the memory. An object has few fields.
const fn is_inherited<F>(field: &Field<F>) -> bool {
    let is_single = !matches!(
        field.shape.kind,
        Kind::List { .. } | Kind::Pair(_) | Kind::Map(_) | Kind::ShareOr(_) | Kind::Anything
    );
    matches!(field.scope, Scope::Inherited) && is_single
}
