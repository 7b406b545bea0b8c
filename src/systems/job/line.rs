//! The fields of a pod's record where they stand in a line.
//!
//! Owns a second reading of them, without serde between, for the sake of replays of whole fleets. It
//! takes no value that [`PodFields::field`](crate::history::OwnFields::field) refuses, and reads what
//! that one reads.

use super::model::ConditionStatus;
use super::pod::{PodCondition, PodContainer};
use super::record::{PodFields, PodOutcome};
use crate::history::{Entries, Written};
use compact_str::CompactString;

/// Reads the value of a field; `false` if `key` is none.
pub(super) fn field(
    fields: &mut PodFields,
    key: &str,
    entries: &mut Entries<'_, '_>,
) -> Option<bool> {
    match key {
        "podIndex" => number(&mut entries.value()?, &mut fields.index)?,
        "outcome" => fields.outcome = entries.value()?.text(PodOutcome::from_name)??,
        "restarts" => number(&mut entries.value()?, &mut fields.restarts)?,
        "podName" => entries.value()?.unless_null(|value| {
            fields.name = value.text(|text| text.into())?;
            Some(())
        })?,
        "containers" => entries.value()?.unless_null(|value| {
            value.items(|value| {
                fields.containers.push(container(value)?);
                Some(())
            })
        })?,
        "podConditions" => entries.value()?.unless_null(|value| {
            value.items(|value| {
                fields.conditions.push(condition(value)?);
                Some(())
            })
        })?,
        _ => return Some(false),
    }
    Some(true)
}

fn number(value: &mut Written<'_, '_>, field: &mut u32) -> Option<()> {
    value.unless_null(|value| {
        *field = value.whole()?;
        Some(())
    })
}

fn container(value: &mut Written<'_, '_>) -> Option<PodContainer> {
    let (mut name, mut init, mut exit_code) = (None, None, None);
    let (mut reason, mut restarts, mut message) = (None, None, None);
    value.entries(|key, value| match key {
        "name" => once(&mut name, compact(value)?),
        "init" => once(&mut init, value.optional(Written::truth)?),
        "exitCode" => once(&mut exit_code, value.optional(Written::integer)?),
        "reason" => once(&mut reason, value.optional(compact)?),
        "restarts" => once(&mut restarts, value.optional(Written::whole)?),
        // No rule looks at it.
        "message" => once(&mut message, value.optional(Written::pass_text)?),
        _ => value.pass(),
    })?;
    Some(PodContainer {
        name: name?,
        init: init.flatten().unwrap_or_default(),
        exit_code: exit_code.flatten(),
        reason: reason.flatten().filter(|text| !text.is_empty()),
        restarts: restarts.flatten(),
    })
}

fn condition(value: &mut Written<'_, '_>) -> Option<PodCondition> {
    let (mut kind, mut status) = (None, None);
    value.entries(|key, value| match key {
        "type" => once(&mut kind, compact(value)?),
        "status" => {
            once(&mut status, value.optional(|value| value.text(ConditionStatus::from_name)?)?)
        }
        _ => value.pass(),
    })?;
    Some(PodCondition { kind: kind?, status: status.flatten().unwrap_or_default() })
}

/// Fills a field that an object has once.
fn once<T>(field: &mut Option<T>, value: T) -> Option<()> {
    field.replace(value).is_none().then_some(())
}

fn compact(value: &mut Written<'_, '_>) -> Option<CompactString> {
    value.text(|text| text.into())
}
