//! The fields of a pod's record where they stand in a line.
//!
//! Owns a second reading of them, without serde between, for the sake of replays of whole fleets. It
//! takes no value that [`PodFields::field`](crate::history::OwnFields::field) refuses, and reads what
//! that one reads.

use super::model::ConditionStatus;
use super::pod::{PodCondition, PodContainer};
use super::record::{PodFields, PodOutcome};
use crate::history::{Fields, Written};

/// `podIndex`.
pub(in crate::systems) fn index(pod: &mut PodFields, value: &mut Written<'_, '_>) -> Option<()> {
    number(value, &mut pod.index)
}

/// `outcome`.
pub(in crate::systems) fn outcome(pod: &mut PodFields, value: &mut Written<'_, '_>) -> Option<()> {
    pod.outcome = value.text(PodOutcome::from_name)??;
    Some(())
}

/// `restarts`.
pub(in crate::systems) fn restarts(pod: &mut PodFields, value: &mut Written<'_, '_>) -> Option<()> {
    number(value, &mut pod.restarts)
}

/// `podName`.
pub(in crate::systems) fn name(pod: &mut PodFields, value: &mut Written<'_, '_>) -> Option<()> {
    value.unless_null(|value| {
        pod.name = value.text(|text| text.into())?;
        Some(())
    })
}

/// `podReason`.
pub(in crate::systems) fn reason(pod: &mut PodFields, value: &mut Written<'_, '_>) -> Option<()> {
    value.unless_null(|value| {
        pod.reason = value.text(|text| text.into())?;
        Some(())
    })
}

/// `indexFailureCount`.
pub(in crate::systems) fn index_failures(
    pod: &mut PodFields,
    value: &mut Written<'_, '_>,
) -> Option<()> {
    pod.index_failures = value.optional(Written::whole)?;
    Some(())
}

/// `indexIgnoredFailureCount`.
pub(in crate::systems) fn index_ignored_failures(
    pod: &mut PodFields,
    value: &mut Written<'_, '_>,
) -> Option<()> {
    pod.index_ignored_failures = value.optional(Written::whole)?;
    Some(())
}

/// `containers`.
pub(in crate::systems) fn containers(
    pod: &mut PodFields,
    value: &mut Written<'_, '_>,
) -> Option<()> {
    objects(value, &CONTAINER, |container| pod.containers.push(container))
}

/// `podConditions`.
pub(in crate::systems) fn conditions(
    pod: &mut PodFields,
    value: &mut Written<'_, '_>,
) -> Option<()> {
    objects(value, &CONDITION, |condition| pod.conditions.push(condition))
}

/// A list of objects, each of which needs its first field; null says that there are none.
fn objects<T: Default, const COUNT: usize>(
    value: &mut Written<'_, '_>,
    fields: &Fields<T, COUNT>,
    mut take: impl FnMut(T),
) -> Option<()> {
    value.unless_null(|value| {
        value.items(|value| {
            let mut object = T::default();
            let has = value.fields(fields, &mut object)?;
            take(object);
            has.field(0).then_some(())
        })
    })
}

/// The fields of a container.
static CONTAINER: Fields<PodContainer, 6> = Fields::new([
    ("name", |container, value| {
        container.name = value.text(|text| text.into())?;
        Some(())
    }),
    ("exitCode", |container, value| {
        container.exit_code = value.optional(Written::integer)?;
        Some(())
    }),
    ("reason", |container, value| {
        value.unless_null(|value| {
            container.reason = value.text(|text| (!text.is_empty()).then(|| text.into()))?;
            Some(())
        })
    }),
    // No rule looks at it.
    ("message", |_, value| value.unless_null(Written::pass_text)),
    ("init", |container, value| {
        container.init = value.optional(Written::truth)?.unwrap_or_default();
        Some(())
    }),
    ("restarts", |container, value| {
        container.restarts = value.optional(Written::whole)?;
        Some(())
    }),
]);

/// The fields of a condition.
static CONDITION: Fields<PodCondition, 3> = Fields::new([
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
    ("reason", |condition, value| {
        value.unless_null(|value| {
            condition.reason = value.text(|text| (!text.is_empty()).then(|| text.into()))?;
            Some(())
        })
    }),
]);

fn number(value: &mut Written<'_, '_>, field: &mut u32) -> Option<()> {
    value.unless_null(|value| {
        *field = value.whole()?;
        Some(())
    })
}
