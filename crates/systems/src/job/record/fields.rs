//! The fields of a pod's record: the documentation of each, and the setter that reads it.
//!
//! Owns the rows that the tables of Job and JobSet share. Replays of whole fleets read every pod through
//! these setters, so they copy each text once, and a pod with one container needs no separate allocation.

use super::pod_fields::{PodFields, PodOutcome};
use crate::job::engine::pod::{PodCondition, PodContainer};
use crate::job::index_source::IndexSource;
use crate::job::manifest::ConditionStatus;
use document::diag::Code;
use document::{FieldValue, Kind, optional, required, shapes};
use replay::history::run_fields::{self, COUNT, LIST_OF_RESOURCES};
use replay::history::{Field, ObjectFields, ValueReader};
use std::marker::PhantomData;

/// The documentation of `jobId`.
pub(crate) const JOB_ID: &str = "The Job, or the set, that the run belongs to.";

/// A record with the fields of a pod.
pub(crate) trait HasPod: 'static {
    fn pod(&mut self) -> &mut PodFields;
}

impl HasPod for PodFields {
    #[inline]
    fn pod(&mut self) -> &mut PodFields {
        self
    }
}

/// The rows of a pod's fields in the table of a record.
pub(crate) struct PodRows<R>(PhantomData<R>);

impl<R: HasPod> PodRows<R> {
    pub(crate) const INDEX: Field<R> = Field::own(
        optional(
            "podIndex",
            COUNT,
            "The pod's completion index, if its Job is Indexed; ignored if it is not. Absent means 0.",
        ),
        |record, value| {
            value.unless_null(|value| {
                let pod = record.pod();
                (pod.index, pod.index_source) = (value.u32()?, IndexSource::Recorded);
                Some(())
            })
        },
    );

    /// How the pod ended.
    pub(crate) const OUTCOME: Field<R> =
        Field::own(required("outcome", PodOutcome::KIND, "How the pod ended."), |record, value| {
            record.pod().outcome = value.text(PodOutcome::from_name)??;
            Some(())
        });

    pub(crate) const CONTAINERS: Field<R> = Field::own(
        optional(
            "containers",
            Kind::List { item: &CONTAINER_KIND, min: 0 },
            "The pod's containers as they were when it ended, which rules match.",
        ),
        |record, value| containers(record.pod(), value),
    );

    pub(crate) const CONDITIONS: Field<R> = Field::own(
        optional(
            "podConditions",
            Kind::List { item: &CONDITION_KIND, min: 0 },
            "The pod's conditions, such as DisruptionTarget.",
        ),
        |record, value| conditions(record.pod(), value),
    );

    /// The number of restarts in place.
    pub(crate) const RESTARTS: Field<R> = Field::own(
        optional(
            "restarts",
            COUNT,
            "How often containers of the pod have been restarted in place so far, summed; absent means 0.",
        ),
        |record, value| number(value, &mut record.pod().restarts),
    );

    pub(crate) const NAME: Field<R> = Field::own(
        optional(
            "podName",
            Kind::Text,
            "The pod's name, or `namespace/name`; messages of failed Jobs contain it.",
        ),
        |record, value| value.some_text(|text| record.pod().name = text.into()),
    );

    /// The reason of the pod's phase.
    pub(crate) const REASON: Field<R> = Field::own(
        optional(
            "podReason",
            Kind::Text,
            "The pod's `status.reason`, such as Evicted; no rule matches it.",
        ),
        |record, value| value.some_text(|text| record.pod().reason = text.into()),
    );

    /// The failures of its index before it that count.
    pub(crate) const INDEX_FAILURES: Field<R> = Field::own(
        optional(
            "indexFailureCount",
            COUNT,
            "Failures of the pod's index before it that count.\n\
             Its annotation batch.kubernetes.io/job-index-failure-count has them. Absent: the recorded ones.",
        ),
        |record, value| optional_number(value, &mut record.pod().index_failures),
    );

    /// The failures of its index before it that a rule ignored.
    pub(crate) const INDEX_IGNORED_FAILURES: Field<R> = Field::own(
        optional(
            "indexIgnoredFailureCount",
            COUNT,
            "Failures of the pod's index before it that a rule ignored.\nIts annotation batch.kubernetes.io/job-index-ignored-failure-count has them.",
        ),
        |record, value| optional_number(value, &mut record.pod().index_ignored_failures),
    );

    /// The resources that it requested.
    pub(crate) const RESOURCES: Field<R> = Field::own(
        optional(
            "resources",
            Kind::Object(&LIST_OF_RESOURCES),
            "What the pod requested, of which core- and GPU-hours are counted.",
        ),
        |record, value| {
            value.unless_null(|value| {
                record.pod().resources = Some(Box::new(run_fields::resources(value)?));
                Some(())
            })
        },
    );
}

/// Reads a number into a field that is 0 if the value is null.
fn number(value: &mut ValueReader<'_, '_>, field: &mut u32) -> Option<()> {
    value.unless_null(|value| {
        *field = value.u32()?;
        Some(())
    })
}

/// Reads a number that may be null.
pub(crate) fn optional_number(
    value: &mut ValueReader<'_, '_>,
    field: &mut Option<u32>,
) -> Option<()> {
    *field = value.optional(ValueReader::u32)?;
    Some(())
}

fn containers(pod: &mut PodFields, value: &mut ValueReader<'_, '_>) -> Option<()> {
    objects(value, &CONTAINER_FIELDS, |container| pod.containers.push(container))
}

fn conditions(pod: &mut PodFields, value: &mut ValueReader<'_, '_>) -> Option<()> {
    objects(value, &CONDITION_FIELDS, |condition| pod.conditions.push(condition))
}

/// Reads a list of objects, each of which needs its first field; null is an empty list.
fn objects<T: Default, const COUNT: usize>(
    value: &mut ValueReader<'_, '_>,
    fields: &ObjectFields<T, COUNT>,
    mut take: impl FnMut(T),
) -> Option<()> {
    value.unless_null(|value| {
        value.items(|value| {
            let mut object = T::default();
            let present = value.object(fields, &mut object)?;
            take(object);
            present.contains(0).then_some(())
        })
    })
}

static CONTAINER_FIELDS: ObjectFields<PodContainer, 6> = ObjectFields::new([
    ("name", |container, value| {
        container.name = value.text(|text| text.into())?;
        Some(())
    }),
    ("exitCode", |container, value| {
        container.exit_code = value.optional(ValueReader::i32)?;
        Some(())
    }),
    ("reason", |container, value| value.some_text(|text| container.reason = Some(text.into()))),
    // No rule matches on the message, so it is skipped.
    ("message", |_, value| value.unless_null(ValueReader::skip_text)),
    ("init", |container, value| {
        container.init = value.optional(ValueReader::boolean)?.unwrap_or_default();
        Some(())
    }),
    ("restarts", |container, value| optional_number(value, &mut container.restarts)),
]);

static CONDITION_FIELDS: ObjectFields<PodCondition, 3> = ObjectFields::new([
    ("type", |condition, value| {
        condition.kind = value.text(|text| text.into())?;
        Some(())
    }),
    ("status", |condition, value| {
        value.unless_null(|value| {
            condition.status = value.text(ConditionStatus::from_name)??;
            Some(())
        })
    }),
    ("reason", |condition, value| value.some_text(|text| condition.reason = Some(text.into()))),
]);

static CONTAINER_KIND: Kind = Kind::Object(&CONTAINER);
static CONDITION_KIND: Kind = Kind::Object(&CONDITION);

shapes! {
    /// One container of a pod.
    static CONTAINER = "container" {
        /// Its name.
        required name: Kind::SomeText,
        /// Whether it is an init container.
        optional init: Kind::Boolean,
        /// Its exit code; absent if it did not end.
        optional exitCode: Kind::Whole { min: i32::MIN as i128, max: i32::MAX as i128, code: Code::OutOfRange },
        /// Why it ended, such as OOMKilled, Error or Completed.
        optional reason: Kind::Text,
        #[doc = "What it wrote to its termination log."]
        optional message: Kind::Text,
        /// How often it has been restarted in place so far.
        /// The limit on restarts in place goes by the most of any container; where none has it, by
        /// the pod's `restarts`.
        optional restarts: COUNT,
    }

    /// A condition of a pod.
    pub(super) static CONDITION = "condition" {
        /// Its type.
        required type: Kind::SomeText,
        /// Its status; absent means True.
        optional status: ConditionStatus::KIND,
        /// Why, such as EvictionByEvictionAPI; no rule matches it.
        optional reason: Kind::Text,
    }
}
