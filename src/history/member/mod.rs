//! Run records of other systems: of members of units, with fields of the system's own.
//!
//! A system says which fields its records have beyond those that all records have
//! ([`OwnFields`]); everything else about reading them is the same for all systems and stands
//! here. What a unit and a member are is the system's: for JobSet the set and its child Jobs, for a
//! Job itself and its pods.

mod documents;
mod lines;
mod names;
mod pieces;
mod pods;
mod reader;
mod rows;
mod said;
mod shapes;
mod skim;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use lines::{Stands, Wrong};
pub(crate) use names::Names as MemberNames;
pub use reader::MemberReader;
pub(crate) use said::{Order as MemberOrder, Said as MemberSaid, Times as MemberTimes};
pub(crate) use skim::{Of as MemberOf, Skim, whole};
pub(in crate::history) use tree::read_node;

use super::scan::InLine;
use super::sources::{KubePod, PassedOver};
use super::unread::UnreadWords;
use crate::document::Shape;
use crate::units::{GoDuration, Time};
use serde::de::MapAccess;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// What the run records of a system hold beyond what all records hold (`jobId`, `queue`,
/// `runIndex`, `startedAt`, `finishedAt`, `node`, `cluster`).
pub trait OwnFields: Default + Clone + PartialEq + Debug + Send + Sync + 'static {
    /// What tells the members of a unit apart.
    type Key: Clone + Ord + Hash + Debug + Send + Sync;

    /// A record as a line of JSON holds it: all its fields, those that all records have too. They
    /// are 62 at most.
    const RECORD: &'static Shape;

    /// Reads the value of one of its own fields; `false`, with nothing read, if `key` is none. Null
    /// and an empty text say nothing.
    ///
    /// # Errors
    ///
    /// If the shape refuses the value: null where it requires one, another type, no such choice.
    /// Then the record is held against the shape, which says what is wrong with it, so that a line
    /// without an error needs no tree. A checked record has none such.
    fn field<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error>;

    /// Its own fields that are read as [`field`](Self::field) does without serde between, where they
    /// stand in a line: each one's name, and how. Others are read by `field`.
    const IN_LINE: &'static [(&'static str, InLine<Self>)] = &[];

    /// Makes it say nothing, for the next record. What it has room for it may keep.
    fn clear(&mut self) {
        *self = Self::default();
    }

    /// The field whose value cannot be, and why, beyond what the shape says.
    fn fault(&self) -> Option<(&'static str, String)>;

    /// What to write in place of that value.
    fn way_out(&self) -> Option<String> {
        None
    }

    /// Whether it may have words that nothing reads beside keys.
    fn may_have_unread(&self) -> bool {
        false
    }

    /// The field that names a member which a unit of so many members has not, and why.
    fn stray(&self, members: u32) -> Option<(&'static str, String)> {
        let _ = members;
        None
    }

    /// Which member of its unit the run is of.
    fn key(&self) -> Self::Key;

    /// Says which member of its unit the run is of, for whoever only compares: the same for runs of
    /// one member.
    fn tell_key(&self, to: &mut impl Hasher) {
        self.key().hash(to);
    }

    /// Whether it is a run of this member.
    fn is_of(&self, key: &Self::Key) -> bool {
        self.key() == *key
    }

    /// What people call pods that are of none of the system's units, one and several; none where it
    /// knows no pods.
    const STRANGE_PODS: Option<[&'static str; 2]> = None;

    /// The unit that a pod is of, if it is of one.
    fn unit_of_pod(pod: &KubePod) -> Option<String> {
        let _ = pod;
        None
    }

    /// The record of a unit's pod, if its state tells of a run.
    ///
    /// # Errors
    ///
    /// If a label or an annotation of the pod has a value that it cannot have: which, and what value.
    fn of_pod(pod: &KubePod) -> Result<Option<PodRecord<Self>>, String> {
        let _ = pod;
        Ok(None)
    }

    /// Makes it the record of the member with this number, where pods have no numbers of their own.
    fn put(&mut self, place: u32) {
        let _ = place;
    }

    /// Whether the run did its work.
    fn succeeded(&self) -> bool;

    /// Whether it is a run that goes on, of which restarts in place are told.
    fn goes_on(&self) -> bool;

    /// Whether it is a run, and nothing that befell its member or its unit.
    fn is_attempt(&self) -> bool {
        true
    }

    /// Whether it tells of its unit as a whole, whichever member it stands on.
    fn is_of_unit(&self) -> bool {
        false
    }
}

/// What a pod of a unit says.
#[derive(Debug, Clone, PartialEq)]
pub struct PodRecord<F> {
    /// What the system's records say.
    pub own: F,
    /// Whether it says which member it is; else it takes the first place that is free when it
    /// begins.
    pub placed: bool,
}

/// What was recorded of a system's units.
#[derive(Debug, Clone)]
pub struct MemberHistory<F: OwnFields> {
    /// The members, unit by unit in the order in which units are first met, and each unit's in the
    /// order in which they are.
    pub members: Vec<Member<F>>,
    /// Bad records that were left out.
    pub skipped: usize,
    /// What was passed over since it is no ended run.
    pub passed_over: Vec<PassedOver>,
    /// Whether any of it was a `FailureHistory` document.
    pub has_document: bool,
    /// Keys of records that nothing reads.
    pub unread: UnreadWords,
}

/// A run of a member.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemberRun<F> {
    /// Its number. It grows within a member.
    pub run_index: u32,
    /// When it began.
    pub started_at: Option<Time>,
    /// When it ended.
    pub finished_at: Option<Time>,
    /// Where it ran.
    pub node: Option<Arc<str>>,
    /// The cluster it ran in.
    pub cluster: Option<Arc<str>>,
    /// What the system's records say beyond this.
    pub own: F,
}

/// A member of a unit and its recorded runs, in time order.
#[derive(Debug, Clone, PartialEq)]
pub struct Member<F: OwnFields> {
    /// The unit it is a member of: `jobId`.
    pub unit: Arc<str>,
    /// The unit's queue; empty if no record names one.
    pub queue: Arc<str>,
    /// Which member it is.
    pub key: F::Key,
    /// Whether its unit has no other member on record.
    pub alone: bool,
    /// Its runs.
    pub runs: Vec<MemberRun<F>>,
}

impl<F> MemberRun<F> {
    /// When it ended, else when it began.
    pub fn time(&self) -> Option<Time> {
        self.finished_at.or(self.started_at)
    }

    /// How long it ran, where both ends are known.
    pub fn length(&self) -> Option<GoDuration> {
        self.started_at.zip(self.finished_at).map(|(start, end)| end.since(start))
    }
}
