//! A row of a field table: a field's name, kind and documentation, and where its value is stored.

use super::scan::Setter;
use document::{self, Kind};

/// A row of a field table.
#[derive(Debug)]
pub struct Field<F: 'static> {
    pub(super) shape: document::Field,
    pub(super) target: Target<F>,
    pub(super) scope: Scope,
}

/// Where the value of a field is stored.
#[derive(Debug)]
pub(super) enum Target<F: 'static> {
    /// A field of all records.
    Common(Common),
    /// A field of the system's own.
    Own(Setter<F>),
}

/// A field that the records of all systems have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Common {
    Id,
    Queue,
    RunIndex,
    StartedAt,
    FinishedAt,
    Node,
    Cluster,
}

/// Where a document may have a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// On a run; on the job too, for all of its runs, if the value is a single one.
    Inherited,
    /// On a run only.
    Run,
    /// On the job, or on its first run.
    Unit,
}

impl<F> Clone for Field<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Field<F> {}

impl<F> Clone for Target<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Target<F> {}

impl<F: 'static> Field<F> {
    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.shape.name
    }

    /// Its documentation.
    pub const fn doc(&self) -> &'static str {
        self.shape.doc
    }

    /// A field of the system's own, which a document's job may hold for all of its runs.
    pub const fn own(shape: document::Field, set: Setter<F>) -> Self {
        Self { shape, target: Target::Own(set), scope: Scope::Inherited }
    }

    /// A field of the system's own that concerns one run only.
    pub const fn own_of_run(shape: document::Field, set: Setter<F>) -> Self {
        Self { shape, target: Target::Own(set), scope: Scope::Run }
    }

    /// A field of the system's own that concerns the unit as a whole.
    pub const fn own_of_unit(shape: document::Field, set: Setter<F>) -> Self {
        Self { shape, target: Target::Own(set), scope: Scope::Unit }
    }

    /// `jobId`: the unit.
    pub const fn id(doc: &'static str) -> Self {
        Self::common(Common::Id, document::required("jobId", Kind::SomeText, doc), Scope::Unit)
    }

    /// `queue`, which a document's job may hold.
    pub const fn queue(shape: document::Field) -> Self {
        Self::common(Common::Queue, shape, Scope::Inherited)
    }

    /// `queue`, documented with the other fields of the unit.
    pub const fn queue_of_unit(shape: document::Field) -> Self {
        Self::common(Common::Queue, shape, Scope::Unit)
    }

    /// `runIndex`.
    pub const fn run_index(shape: document::Field) -> Self {
        Self::common(Common::RunIndex, shape, Scope::Run)
    }

    /// `startedAt`.
    pub const fn started_at(shape: document::Field) -> Self {
        Self::common(Common::StartedAt, shape, Scope::Run)
    }

    /// `finishedAt`.
    pub const fn finished_at(shape: document::Field) -> Self {
        Self::common(Common::FinishedAt, shape, Scope::Run)
    }

    /// `node`.
    pub const fn node(shape: document::Field) -> Self {
        Self::common(Common::Node, shape, Scope::Run)
    }

    /// `cluster`.
    pub const fn cluster(shape: document::Field) -> Self {
        Self::common(Common::Cluster, shape, Scope::Run)
    }

    const fn common(field: Common, shape: document::Field, scope: Scope) -> Self {
        Self { shape, target: Target::Common(field), scope }
    }
}
