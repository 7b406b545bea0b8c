//! The run records of a Job's pods.

pub(crate) mod fields;
pub(crate) mod pod_fields;
pub(super) mod pods;

use super::index_source::IndexSource;
use armada_retry::engine::Resources;
use compact_str::CompactString;
use document::Shape;
use fields::{CONDITION, JOB_ID, PodRows};
pub use pod_fields::{PodFields, PodOutcome};
use replay::history::run_fields;
use replay::history::{
    Field, FieldFault, KubePod, PodRecord, RecordFields, UnreadKind, is_misspelt_pod_condition,
};
use std::collections::HashSet;

impl RecordFields for PodFields {
    type Key = u32;
    type Unit = ();
    type Limits = ();

    const DOC: &'static str = "One pod of a Job, as one line of a JSON Lines history.";

    const FIELDS: &'static [Field<Self>] = &[
        Field::id(JOB_ID),
        Field::queue(run_fields::QUEUE),
        PodRows::INDEX,
        Field::run_index(run_fields::RUN_INDEX),
        Field::started_at(run_fields::STARTED),
        Field::finished_at(run_fields::FINISHED),
        Field::node(run_fields::NODE),
        Field::cluster(run_fields::CLUSTER),
        PodRows::OUTCOME,
        PodRows::CONTAINERS,
        PodRows::CONDITIONS,
        PodRows::RESTARTS,
        PodRows::NAME,
        PodRows::REASON,
        PodRows::INDEX_FAILURES,
        PodRows::INDEX_IGNORED_FAILURES,
        PodRows::RESOURCES,
    ];

    fn clear(&mut self) {
        // The fields are cleared in place, since this runs for every record: `*self = …` would move the lists
        // out and back. The pattern without `..` makes the compiler report a forgotten field.
        let Self {
            index,
            index_source,
            outcome,
            restarts,
            containers,
            conditions,
            name,
            reason,
            index_failures,
            index_ignored_failures,
            resources,
        } = self;
        (*index, *index_source) = (0, IndexSource::Absent);
        (*outcome, *restarts) = (PodOutcome::default(), 0);
        (*index_failures, *index_ignored_failures) = (None, None);
        (*reason, *resources) = (CompactString::default(), None);
        containers.clear();
        conditions.clear();
        if !name.is_empty() {
            *name = Box::default();
        }
    }

    fn fault(&self) -> Option<FieldFault> {
        if self.containers.iter().any(|container| container.name.is_empty()) {
            return Some(FieldFault::new("containers", "a container has no name"));
        }
        if self.conditions.iter().any(|condition| condition.kind.is_empty()) {
            return Some(FieldFault::new("podConditions", "a condition has no type"));
        }
        // Most pods have one or two containers, for which no set is built.
        let repeated = match &*self.containers {
            [] | [_] => return None,
            [one, other] => Some(other).filter(|other| other.name == one.name)?,
            all => {
                let mut seen = HashSet::new();
                all.iter().find(|container| !seen.insert(&container.name))?
            }
        };
        let message = format!("two containers are named `{}`", repeated.name);
        Some(FieldFault::new("containers", message))
    }

    fn has_unread_condition(&self) -> bool {
        self.conditions.iter().any(|condition| is_misspelt_pod_condition(&condition.kind))
    }

    fn each_unread_condition(&self, take: &mut dyn FnMut(UnreadKind, &'static Shape, &str)) {
        let misspelt = self.condition_types().filter(|kind| is_misspelt_pod_condition(kind));
        misspelt.for_each(|kind| take(UnreadKind::PodCondition, &CONDITION, kind));
    }

    fn key(&self) -> u32 {
        self.member_key()
    }

    const OTHER_PODS: Option<[&'static str; 2]> = Some(["pod without a Job", "pods without a Job"]);
    const UNIT_KIND: &'static str = "Job";

    /// Returns the Job's name after its namespace.
    fn unit_of_pod(pod: &KubePod) -> Option<String> {
        Some(pod.in_namespace(pods::job_name(pod)?))
    }

    fn read_pod(pod: &KubePod) -> Result<Option<PodRecord<Self>>, String> {
        pods::read_pod(pod)
    }

    fn set_slot(&mut self, slot: u32) {
        self.index = slot;
    }

    fn pod_name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn resources<'r>(&'r self, (): &'r ()) -> Option<&'r Resources> {
        self.resources.as_deref()
    }

    fn is_ongoing(&self) -> bool {
        self.outcome == PodOutcome::Running
    }
}
