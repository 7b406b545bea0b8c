//! The fast path for the common line: one pass over its bytes, straight into a [`Record`].
//!
//! Owns which key fills which field. It never says what is wrong: what it gives up on, `serde_json`
//! decides about.

mod cursor;
mod fields;
mod glance;
mod key;
mod skip;
mod string;
mod value;
mod written;

pub use fields::{Fields, Has, InLine};
pub(in crate::history) use glance::Glance;
pub(super) use value::{Entries, GivenUp, Line};
pub use written::Written;

use super::clock::Clock;
use super::json_record::{Record, grace, is_sound, quantity};
use super::line::Amount;
use super::record::{Container, Gang, Outcome, Resources};
use crate::units::Time;
use cursor::Cursor;
use key::{ContainerKey, GangKey, Key, Name, ResourceKey, Seen};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Reads a line into a record, where `serde_json` would read the very same one, and gives the clock
/// after it; else nothing, which says nothing.
///
/// Keys may come in any order, with any whitespace and any escapes; unknown ones are passed over
/// anywhere, and what is passed is checked. It gives up on all that is no run, and beyond that on
/// objects written as lists, on times with escapes, on unknown values nested deeper than 64, and on
/// half surrogate pairs inside unknown values. Bytes that are no UTF-8 never get here.
pub(super) fn scan<'t>(text: &'t str, clock: Clock, record: &mut Record<'t>) -> Option<Clock> {
    let mut cursor = Cursor::new(text);
    let mut seen = Seen::default();
    let mut clock = clock;
    record.clear();
    cursor.object(|cursor| {
        let Name::Known(key) = cursor.key()? else { return cursor.skip() };
        seen.add(key as u32)?;
        field(cursor, key, &mut clock, record)
    })?;
    record.may_have_unread = cursor.has_skipped;
    let required = seen.has(Key::JobId as u32) && seen.has(Key::Outcome as u32);
    (required && cursor.peek().is_none() && is_sound(record)).then_some(clock)
}

/// Reads the value of a key into its field.
#[inline]
fn field<'t>(
    cursor: &mut Cursor<'t>,
    key: Key,
    clock: &mut Clock,
    record: &mut Record<'t>,
) -> Option<()> {
    let Record { id, job, fields, .. } = record;
    let run = &mut fields.run;
    match key {
        Key::JobId => cursor.string_into(id)?,
        Key::Outcome => run.outcome = outcome(cursor)?,
        Key::Queue => text(cursor, &mut job.queue)?,
        Key::JobSet => text(cursor, &mut job.job_set)?,
        Key::Annotations => cursor.optional(&mut job.annotations, annotations)?,
        Key::Resources => cursor.optional(&mut job.resources, resources)?,
        Key::Gang => cursor.optional(&mut job.gang, gang)?,
        Key::RunIndex => cursor.optional(&mut fields.index, small)?,
        Key::StartedAt => time(cursor, clock, &mut run.started_at)?,
        Key::FinishedAt => time(cursor, clock, &mut run.finished_at)?,
        Key::Node => text(cursor, &mut run.node)?,
        Key::Cluster => text(cursor, &mut run.cluster)?,
        Key::Conditions => cursor.unless_null(|cursor| conditions(cursor, &mut run.conditions))?,
        Key::Containers => cursor.unless_null(|cursor| containers(cursor, &mut run.containers))?,
        Key::Category => text(cursor, &mut run.category)?,
        Key::Subcategory => text(cursor, &mut run.subcategory)?,
        Key::GracePeriod => {
            cursor.optional(&mut run.termination_grace, |cursor| grace(cursor.integer()?))?;
        }
        Key::ConfirmedAt => time(cursor, clock, &mut run.termination_confirmed_at)?,
    }
    Some(())
}

/// Reads a text or null into its field: a text that was handed back would wait in memory. An empty
/// one means absent.
#[inline(never)]
fn text<'t>(cursor: &mut Cursor<'t>, field: &mut Option<Cow<'t, str>>) -> Option<()> {
    let Some(text) = cursor.lent() else { return uncommon(cursor, field) };
    if !text.is_empty() {
        *field = Some(Cow::Borrowed(text));
    }
    Some(())
}

/// A text with escapes, or null.
#[inline(never)]
fn uncommon<'t>(cursor: &mut Cursor<'t>, field: &mut Option<Cow<'t, str>>) -> Option<()> {
    cursor.optional(field, |cursor| cursor.decoded().map(Cow::Owned))
}

fn outcome(cursor: &mut Cursor<'_>) -> Option<Outcome> {
    Outcome::from_name(&cursor.string()?)
}

/// A time or null.
fn time(cursor: &mut Cursor<'_>, clock: &mut Clock, field: &mut Option<Time>) -> Option<()> {
    cursor.unless_null(|cursor| {
        let text = cursor.lent()?;
        if !text.is_empty() {
            *field = Some(clock.read(text).ok()?);
        }
        Some(())
    })
}

fn small(cursor: &mut Cursor<'_>) -> Option<u32> {
    cursor.whole()?.try_into().ok()
}

#[inline(never)]
fn conditions<'t>(cursor: &mut Cursor<'t>, into: &mut Vec<Cow<'t, str>>) -> Option<()> {
    cursor.list(|cursor| {
        let name = cursor.string()?;
        if !name.is_empty() {
            into.push(name);
        }
        Some(())
    })
}

/// Of two of one name the later counts, as in any map; null says that there is none of this name.
#[inline(never)]
fn annotations<'t>(cursor: &mut Cursor<'t>) -> Option<BTreeMap<Cow<'t, str>, Cow<'t, str>>> {
    let mut annotations = BTreeMap::new();
    cursor.object(|cursor| {
        let name = cursor.string()?;
        cursor.take(b':')?;
        let mut value = None;
        cursor.optional(&mut value, Cursor::string)?;
        match value {
            Some(value) => annotations.insert(name, value),
            None => annotations.remove(&name),
        };
        Some(())
    })?;
    Some(annotations)
}

#[inline(never)]
fn resources(cursor: &mut Cursor<'_>) -> Option<Resources> {
    let mut resources = Resources::default();
    let mut seen = Seen::default();
    cursor.object(|cursor| {
        let Name::Known(key) = cursor.key()? else { return cursor.skip() };
        seen.add(key as u32)?;
        let field = match key {
            ResourceKey::Cpu => &mut resources.cpu,
            ResourceKey::Memory => &mut resources.memory,
            ResourceKey::Gpu => &mut resources.gpu,
        };
        cursor.unless_null(|cursor| quantity(&amount(cursor)?, field))
    })?;
    Some(resources)
}

fn amount<'t>(cursor: &mut Cursor<'t>) -> Option<Amount<'t>> {
    match cursor.peek()? {
        b'"' => cursor.string().map(Amount::Text),
        _ => cursor.whole().map(Amount::Whole),
    }
}

#[inline(never)]
fn gang<'t>(cursor: &mut Cursor<'t>) -> Option<Gang<Cow<'t, str>>> {
    let mut gang = Gang { id: Cow::default(), cardinality: 0 };
    let mut seen = Seen::default();
    cursor.object(|cursor| {
        let Name::Known(key) = cursor.key()? else { return cursor.skip() };
        seen.add(key as u32)?;
        match key {
            GangKey::Id => cursor.string_into(&mut gang.id)?,
            GangKey::Cardinality => gang.cardinality = small(cursor)?,
        }
        Some(())
    })?;
    (seen.has(GangKey::Id as u32) && seen.has(GangKey::Cardinality as u32)).then_some(gang)
}

#[inline(never)]
fn containers<'t>(cursor: &mut Cursor<'t>, into: &mut Vec<Container<Cow<'t, str>>>) -> Option<()> {
    cursor.list(|cursor| {
        into.push(Container::default());
        container(cursor, into.last_mut()?)
    })
}

fn container<'t>(cursor: &mut Cursor<'t>, into: &mut Container<Cow<'t, str>>) -> Option<()> {
    let mut seen = Seen::default();
    cursor.object(|cursor| {
        let Name::Known(key) = cursor.key()? else { return cursor.skip() };
        seen.add(key as u32)?;
        match key {
            ContainerKey::Name => cursor.string_into(&mut into.name)?,
            ContainerKey::Init => cursor.unless_null(|cursor| {
                into.init = cursor.truth()?;
                Some(())
            })?,
            ContainerKey::ExitCode => cursor.optional(&mut into.exit_code, Cursor::integer)?,
            ContainerKey::Reason => text(cursor, &mut into.reason)?,
            ContainerKey::Message => text(cursor, &mut into.message)?,
        }
        Some(())
    })?;
    (!into.name.is_empty()).then_some(())
}
