//! The fast path for the common line: one pass over its bytes, straight into a [`Line`].
//!
//! Owns which key fills which field. It never says what is wrong: what it gives up on, `serde_json`
//! decides about.

mod cursor;
mod key;
mod skip;
mod string;

use super::line::{Amount, Annotations, ContainerLine, GangLine, Line, ResourcesLine};
use cursor::Cursor;
use key::{ContainerKey, GangKey, Key, Name, ResourceKey, Seen};
use std::borrow::Cow;

/// The line, where `serde_json` would read the very same one; else nothing, which says nothing.
///
/// Keys may come in any order, with any whitespace and any escapes; unknown ones are passed over
/// anywhere, and what is passed is checked. It gives up on all that is no line, and beyond that on
/// objects written as lists, on unknown values nested deeper than 64, and on half surrogate pairs
/// inside unknown values. Bytes that are no UTF-8 never get here.
pub(super) fn scan(text: &str) -> Option<Line<'_>> {
    let mut cursor = Cursor::new(text);
    let mut scanned = Some(Line::default());
    let line = scanned.as_mut()?;
    let mut seen = Seen::default();
    cursor.object(|cursor| {
        let Name::Known(key) = cursor.key()? else { return cursor.skip() };
        seen.add(key as u32)?;
        field(cursor, key, line)
    })?;
    let required = seen.has(Key::JobId as u32) && seen.has(Key::Outcome as u32);
    if required && cursor.peek().is_none() { scanned } else { None }
}

/// Reads the value of a key into its field.
#[inline]
fn field<'a>(cursor: &mut Cursor<'a>, key: Key, line: &mut Line<'a>) -> Option<()> {
    match key {
        Key::JobId => cursor.string_into(&mut line.job_id)?,
        Key::Outcome => cursor.string_into(&mut line.outcome)?,
        Key::Queue => text(cursor, &mut line.queue)?,
        Key::JobSet => text(cursor, &mut line.job_set)?,
        Key::Annotations => cursor.optional(&mut line.annotations, annotations)?,
        Key::Resources => cursor.optional(&mut line.resources, resources)?,
        Key::Gang => cursor.optional(&mut line.gang, gang)?,
        Key::RunIndex => cursor.optional(&mut line.run_index, small)?,
        Key::StartedAt => text(cursor, &mut line.started_at)?,
        Key::FinishedAt => text(cursor, &mut line.finished_at)?,
        Key::Node => text(cursor, &mut line.node)?,
        Key::Cluster => text(cursor, &mut line.cluster)?,
        Key::Conditions => cursor.optional(&mut line.conditions, texts)?,
        Key::Containers => cursor.optional(&mut line.containers, containers)?,
        Key::Category => text(cursor, &mut line.category)?,
        Key::Subcategory => text(cursor, &mut line.subcategory)?,
        Key::GracePeriod => {
            cursor.optional(&mut line.termination_grace_period_seconds, Cursor::integer)?;
        }
        Key::ConfirmedAt => text(cursor, &mut line.termination_confirmed_at)?,
    }
    Some(())
}

/// Reads a text or null into its field: a text that was handed back would wait in memory.
#[inline(never)]
fn text<'a>(cursor: &mut Cursor<'a>, field: &mut Option<Cow<'a, str>>) -> Option<()> {
    let Some(text) = cursor.lent() else { return uncommon(cursor, field) };
    *field = Some(Cow::Borrowed(text));
    Some(())
}

/// A text with escapes, or null.
#[inline(never)]
fn uncommon<'a>(cursor: &mut Cursor<'a>, field: &mut Option<Cow<'a, str>>) -> Option<()> {
    cursor.optional(field, |cursor| cursor.decoded().map(Cow::Owned))
}

fn small(cursor: &mut Cursor<'_>) -> Option<u32> {
    cursor.whole()?.try_into().ok()
}

#[inline(never)]
fn texts<'a>(cursor: &mut Cursor<'a>) -> Option<Vec<Cow<'a, str>>> {
    let mut texts = Vec::new();
    cursor.list(|cursor| {
        texts.push(cursor.string()?);
        Some(())
    })?;
    Some(texts)
}

/// Of two of one name the later counts, as in any map.
#[inline(never)]
fn annotations<'a>(cursor: &mut Cursor<'a>) -> Option<Annotations<'a>> {
    let mut annotations = Annotations::new();
    cursor.object(|cursor| {
        let name = cursor.string()?;
        cursor.take(b':')?;
        let mut value = None;
        text(cursor, &mut value)?;
        annotations.insert(name, value);
        Some(())
    })?;
    Some(annotations)
}

#[inline(never)]
fn resources<'a>(cursor: &mut Cursor<'a>) -> Option<ResourcesLine<'a>> {
    let mut line = ResourcesLine::default();
    let mut seen = Seen::default();
    cursor.object(|cursor| {
        let Name::Known(key) = cursor.key()? else { return cursor.skip() };
        seen.add(key as u32)?;
        let field = match key {
            ResourceKey::Cpu => &mut line.cpu,
            ResourceKey::Memory => &mut line.memory,
            ResourceKey::Gpu => &mut line.gpu,
        };
        cursor.optional(field, amount)
    })?;
    Some(line)
}

fn amount<'a>(cursor: &mut Cursor<'a>) -> Option<Amount<'a>> {
    match cursor.peek()? {
        b'"' => cursor.string().map(Amount::Text),
        _ => cursor.whole().map(Amount::Whole),
    }
}

#[inline(never)]
fn gang<'a>(cursor: &mut Cursor<'a>) -> Option<GangLine<'a>> {
    let mut line = GangLine::default();
    let mut seen = Seen::default();
    cursor.object(|cursor| {
        let Name::Known(key) = cursor.key()? else { return cursor.skip() };
        seen.add(key as u32)?;
        match key {
            GangKey::Id => cursor.string_into(&mut line.id)?,
            GangKey::Cardinality => line.cardinality = small(cursor)?,
        }
        Some(())
    })?;
    (seen.has(GangKey::Id as u32) && seen.has(GangKey::Cardinality as u32)).then_some(line)
}

#[inline(never)]
fn containers<'a>(cursor: &mut Cursor<'a>) -> Option<Vec<ContainerLine<'a>>> {
    let mut containers = Vec::new();
    cursor.list(|cursor| {
        if containers.is_empty() {
            // Most pods have one container, and some a sidecar.
            containers = Vec::with_capacity(2);
        }
        containers.push(ContainerLine::default());
        container(cursor, containers.last_mut()?)
    })?;
    Some(containers)
}

fn container<'a>(cursor: &mut Cursor<'a>, line: &mut ContainerLine<'a>) -> Option<()> {
    let mut seen = Seen::default();
    cursor.object(|cursor| {
        let Name::Known(key) = cursor.key()? else { return cursor.skip() };
        seen.add(key as u32)?;
        match key {
            ContainerKey::Name => cursor.string_into(&mut line.name)?,
            ContainerKey::Init => cursor.optional(&mut line.init, Cursor::truth)?,
            ContainerKey::ExitCode => cursor.optional(&mut line.exit_code, Cursor::integer)?,
            ContainerKey::Reason => text(cursor, &mut line.reason)?,
            ContainerKey::Message => text(cursor, &mut line.message)?,
        }
        Some(())
    })?;
    seen.has(ContainerKey::Name as u32).then_some(())
}
