//! The record model of all systems: units, their members and the members' runs.
//!
//! A *unit* is what a policy applies to, named by `jobId`; it has *members* (the pods of a Job, the tasks
//! of an Iris job, the job itself for Armada), and each member has *runs*. What a system's records hold
//! beyond the common fields is its [`RecordFields`].

use super::armada::ArmadaRun;
use super::checks::FieldFault;
use super::field::Field;
use super::kube_pod::KubePod;
use super::skipped_entries::SkippedEntries;
use super::text_hashes::TextHashes;
use super::unit_fields::UnitFields;
use super::unit_outcome::UnitOutcomes;
use super::unread::{UnreadConditions, UnreadKind, UnreadWords};
use armada_retry::engine::Resources;
use armada_retry::engine::{JobFields, Reload};
use armada_retry::policy::Queue;
use document::units::{GoDuration, Time};
use document::{Constraint, Shape};
use std::fmt::Debug;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

/// The fields of a system's run records beyond those of all records (`jobId`, `queue`, `runIndex`,
/// `startedAt`, `finishedAt`, `node`, `cluster`): the fields of one run.
pub trait RecordFields: Default + Clone + PartialEq + Debug + Send + Sync + 'static {
    /// Tells the members of a unit apart; `()` if each unit has one member.
    type Key: Clone + Ord + Hash + Debug + Send + Sync;
    /// Fields of the unit as a whole, beyond its queue.
    type Unit: UnitFields + Default + Clone + PartialEq + Eq + Hash + Debug + Send + Sync;
    /// Bounds on records that the policies or their settings impose.
    type Limits: Clone + Debug + Send + Sync;

    /// All fields of a record, in the order of its documentation: at most 30.
    const FIELDS: &'static [Field<Self>];
    /// The description of a record that `explain` prints.
    const DOC: &'static str;
    /// The description of a run of a document.
    const RUN_DOC: &'static str = "One run of a member: when, where and how it ended.";
    /// The description of a job of a document.
    const JOB_DOC: &'static str = "A unit and the runs of its members.";
    /// Constraints between fields.
    const CONSTRAINTS: &'static [Constraint] = &[];
    /// Whether each unit has one member.
    const HAS_SINGLE_MEMBERS: bool = size_of::<Self::Key>() == 0;
    /// Whether a document's `queues` and `events` apply: they configure Armada's scheduler.
    const HAS_SCHEDULER: bool = false;

    /// Makes all fields absent before the next record is read. It may keep buffers.
    fn clear(&mut self) {
        *self = Self::default();
    }

    /// Adds what follows from other fields, once all of them are read.
    fn complete(&mut self) {}

    /// Takes out what the record holds of its unit; `None` if it holds nothing beyond the queue.
    fn take_unit(&mut self) -> Option<Box<Self::Unit>> {
        None
    }

    /// The rule that the record breaks by itself, beyond its shape and its times.
    fn fault(&self) -> Option<FieldFault>;

    /// The rule that the record breaks by naming a member that its unit does not have.
    fn unknown_member(&self, _limits: &Self::Limits) -> Option<FieldFault> {
        None
    }

    /// The rule that the record breaks as a run of its unit.
    fn fault_in_unit(&self, _unit: &Self::Unit, _limits: &Self::Limits) -> Option<FieldFault> {
        None
    }

    /// Whether a condition of the record is one that no rule can match and that may be misspelt.
    fn has_unread_condition(&self) -> bool {
        false
    }

    /// Gives each of those conditions, with the shape of the object that has it.
    fn each_unread_condition(&self, _take: &mut dyn FnMut(UnreadKind, &'static Shape, &str)) {}

    /// Which member of its unit the run belongs to.
    fn key(&self) -> Self::Key;

    /// Hashes the member key without building it.
    fn hash_key(&self, hasher: &mut impl Hasher) {
        self.key().hash(hasher);
    }

    /// Whether the run belongs to this member.
    fn is_of(&self, key: &Self::Key) -> bool {
        self.key() == *key
    }

    /// Whether every source is read, through [`from_source`](Self::from_source); otherwise pods are.
    const READS_ALL_SOURCES: bool = false;

    /// The fields of a run that a source reports in Armada's terms.
    fn from_source(_run: ArmadaRun, _job: JobFields) -> Option<Self> {
        None
    }

    /// The engine by which programs name the system, if the output of one has records of it alone; else empty.
    const SOURCE_ENGINE: &'static str = "";

    /// One and several pods that belong to none of the system's units; `None` where the system has no
    /// pods.
    const OTHER_PODS: Option<[&'static str; 2]> = None;
    /// The kind of the objects that are its units in Kubernetes; empty if they are none.
    const UNIT_KIND: &'static str = "";

    /// The unit that a pod belongs to, if it belongs to one.
    fn unit_of_pod(_pod: &KubePod) -> Option<String> {
        None
    }

    /// The record of a unit's pod, if its status shows a run.
    ///
    /// # Errors
    ///
    /// If a label or an annotation of the pod has an invalid value: which, and what value.
    fn read_pod(_pod: &KubePod) -> Result<Option<PodRecord<Self>>, String> {
        Ok(None)
    }

    /// The key of a unit of several members that the records name, whatever the policies.
    fn recorded_unit_key(_queue: &str, _unit: &Self::Unit) -> Option<String> {
        None
    }

    /// A word that is in the text of every record with such a key, if there are any.
    const RECORDED_UNIT_WORD: Option<&'static str> = None;

    /// Makes it the record of the member with this number, where pods have no numbers of their own.
    fn set_slot(&mut self, _slot: u32) {}

    /// The name of the pod that the record is of; empty if it is unknown, absent if the system has no pods.
    fn pod_name(&self) -> Option<&str> {
        None
    }

    /// Whether the run is ongoing, and the record reports restarts in place.
    fn is_ongoing(&self) -> bool {
        false
    }

    /// The resources that the run requested, if its record or its unit has them.
    fn resources<'r>(&'r self, _unit: &'r Self::Unit) -> Option<&'r Resources> {
        None
    }

    /// Adds what tells the run apart from others that match the same rule, have the same kind of failure and the same
    /// times, as far as decisions and counts can. Returns `false` if that is more than such numbers hold.
    fn describe(&self, _texts: &mut TextHashes, _numbers: &mut Vec<u64>) -> bool {
        false
    }

    /// A hash of the fields by which runs differ that can be described; `None` where no run can.
    fn hash_fields(&self, _hasher: &impl BuildHasher) -> Option<u64> {
        None
    }

    /// A failed run as pairs of `explain decision --failure`; none where decisions depend on more than these.
    fn failure_pairs(_run: &Run<Self>) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Whether the record is the end of a run, not an event of its member or unit.
    fn is_attempt(&self) -> bool {
        true
    }

    /// Whether the record is an event of its unit as a whole, whichever member it names.
    fn is_unit_event(&self) -> bool {
        false
    }
}

/// The record of a unit's pod.
#[derive(Debug, Clone, PartialEq)]
pub struct PodRecord<F> {
    /// The system's own fields.
    pub own: F,
    /// Whether the pod names its member; otherwise it gets the first slot that is free at its start.
    pub has_slot: bool,
}

/// A run of a member.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Run<F> {
    /// Its number. It grows within a member.
    pub run_index: u32,
    /// When it started.
    pub started_at: Option<Time>,
    /// When it ended.
    pub finished_at: Option<Time>,
    /// The node it ran on.
    pub node: Option<Arc<str>>,
    /// The cluster it ran in.
    pub cluster: Option<Arc<str>>,
    /// The system's own fields.
    pub own: F,
}

impl<F> Run<F> {
    /// When it ended, else when it started.
    pub fn time(&self) -> Option<Time> {
        self.finished_at.or(self.started_at)
    }

    /// How long it ran, if both ends are recorded.
    pub fn length(&self) -> Option<GoDuration> {
        self.started_at.zip(self.finished_at).map(|(start, end)| end.since(start))
    }

    /// Whether it started at a time or later.
    pub fn starts_at(&self, time: Option<Time>) -> bool {
        self.started_at.zip(time).is_some_and(|(start, time)| start >= time)
    }
}

/// A member of a unit and its recorded runs, in time order.
#[derive(Debug, Clone, PartialEq)]
pub struct Member<F: RecordFields> {
    /// The unit it is a member of: `jobId`.
    pub unit: Arc<str>,
    /// The unit's queue; empty if no record names one.
    pub queue: Arc<str>,
    /// Fields of the unit as a whole.
    pub unit_fields: Arc<F::Unit>,
    /// Which member it is.
    pub key: F::Key,
    /// Whether its unit has no other recorded member.
    pub is_single: bool,
    /// Its runs.
    pub runs: Vec<Run<F>>,
}

/// The recorded units, without the runs of those that were replayed as they were read.
#[derive(Debug, Clone)]
pub struct History<F: RecordFields> {
    /// The members, unit by unit in the order of each unit's first record, a unit's in the order of each
    /// member's first record.
    pub members: Vec<Member<F>>,
    /// Queues and their policies, from documents.
    pub queues: Vec<Queue>,
    /// Changes of the scheduler's settings, from documents.
    pub reloads: Vec<Reload>,
    /// Number of bad records that were skipped.
    pub skipped: usize,
    /// Entries that are not ended runs, and how many there were.
    pub skipped_entries: Vec<SkippedEntries>,
    /// The outcomes of units that sources report apart from their runs.
    pub outcomes: UnitOutcomes,
    /// Whether part of it was a `FailureHistory` document.
    pub has_document: bool,
    /// Keys and conditions of records that no field reads.
    pub unread: UnreadWords,
}

impl<F: RecordFields> Default for History<F> {
    fn default() -> Self {
        Self {
            members: Vec::new(),
            queues: Vec::new(),
            reloads: Vec::new(),
            skipped: 0,
            skipped_entries: Vec::new(),
            outcomes: UnitOutcomes::new(),
            has_document: false,
            unread: UnreadWords::default(),
        }
    }
}

impl<F: RecordFields> UnreadConditions for F {
    fn has_unread(&self) -> bool {
        self.has_unread_condition()
    }

    fn each_unread(&self, take: &mut dyn FnMut(UnreadKind, &'static Shape, &str)) {
        self.each_unread_condition(take);
    }
}
