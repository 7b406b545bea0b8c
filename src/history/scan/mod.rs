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
use key::{ContainerKey, Key, Seen};
use std::borrow::Cow;

/// The line, where `serde_json` would read the very same one; else nothing, which says nothing.
///
/// Keys may come in any order, with any whitespace and any escapes; unknown ones are passed over
/// anywhere, and what is passed is checked. It gives up on all that is no line, and beyond that on
/// objects written as lists, on unknown values nested deeper than 64, and on half surrogate pairs
/// inside unknown values. Bytes that are no UTF-8 never get here.
pub(super) fn scan(text: &str) -> Option<Line<'_>> {
    let mut cursor = Cursor::new(text);
    let mut line = Line::default();
    let mut seen = Seen::default();
    cursor.object(|cursor, name| {
        let Some(key) = Key::of(&name) else { return cursor.skip() };
        seen.add(key as u32)?;
        field(cursor, key, &mut line)
    })?;
    let required = seen.has(Key::JobId as u32) && seen.has(Key::Outcome as u32);
    (required && cursor.peek().is_none()).then_some(line)
}

/// Reads the value of a key into its field.
#[inline]
fn field<'a>(cursor: &mut Cursor<'a>, key: Key, line: &mut Line<'a>) -> Option<()> {
    match key {
        Key::JobId => line.job_id = cursor.string()?,
        Key::Outcome => line.outcome = cursor.string()?,
        Key::Queue => line.queue = text(cursor)?,
        Key::JobSet => line.job_set = text(cursor)?,
        Key::Annotations => line.annotations = cursor.optional(annotations)?,
        Key::Resources => line.resources = cursor.optional(resources)?,
        Key::Gang => line.gang = cursor.optional(gang)?,
        Key::RunIndex => line.run_index = cursor.optional(small)?,
        Key::StartedAt => line.started_at = text(cursor)?,
        Key::FinishedAt => line.finished_at = text(cursor)?,
        Key::Node => line.node = text(cursor)?,
        Key::Cluster => line.cluster = text(cursor)?,
        Key::Conditions => line.conditions = cursor.optional(texts)?,
        Key::Containers => line.containers = cursor.optional(containers)?,
        Key::Category => line.category = text(cursor)?,
        Key::Subcategory => line.subcategory = text(cursor)?,
        Key::GracePeriod => {
            line.termination_grace_period_seconds = cursor.optional(Cursor::integer)?;
        }
        Key::ConfirmedAt => line.termination_confirmed_at = text(cursor)?,
    }
    Some(())
}

fn text<'a>(cursor: &mut Cursor<'a>) -> Option<Option<Cow<'a, str>>> {
    cursor.optional(Cursor::string)
}

fn small(cursor: &mut Cursor<'_>) -> Option<u32> {
    cursor.whole()?.try_into().ok()
}

fn texts<'a>(cursor: &mut Cursor<'a>) -> Option<Vec<Cow<'a, str>>> {
    let mut texts = Vec::new();
    cursor.list(|cursor| {
        texts.push(cursor.string()?);
        Some(())
    })?;
    Some(texts)
}

/// Of two of one name the later counts, as in any map.
fn annotations<'a>(cursor: &mut Cursor<'a>) -> Option<Annotations<'a>> {
    let mut annotations = Annotations::new();
    cursor.object(|cursor, key| {
        annotations.insert(key, text(cursor)?);
        Some(())
    })?;
    Some(annotations)
}

fn resources<'a>(cursor: &mut Cursor<'a>) -> Option<ResourcesLine<'a>> {
    let mut line = ResourcesLine::default();
    let mut seen = Seen::default();
    cursor.object(|cursor, name| {
        let (number, amount_of) = match &*name {
            "cpu" => (0, &mut line.cpu),
            "memory" => (1, &mut line.memory),
            "nvidia.com/gpu" => (2, &mut line.gpu),
            _ => return cursor.skip(),
        };
        seen.add(number)?;
        *amount_of = cursor.optional(amount)?;
        Some(())
    })?;
    Some(line)
}

fn amount<'a>(cursor: &mut Cursor<'a>) -> Option<Amount<'a>> {
    match cursor.peek()? {
        b'"' => cursor.string().map(Amount::Text),
        _ => cursor.whole().map(Amount::Whole),
    }
}

fn gang<'a>(cursor: &mut Cursor<'a>) -> Option<GangLine<'a>> {
    let mut line = GangLine::default();
    let mut seen = Seen::default();
    cursor.object(|cursor, name| {
        match &*name {
            "id" => {
                seen.add(0)?;
                line.id = cursor.string()?;
            }
            "cardinality" => {
                seen.add(1)?;
                line.cardinality = small(cursor)?;
            }
            _ => cursor.skip()?,
        }
        Some(())
    })?;
    (seen.has(0) && seen.has(1)).then_some(line)
}

fn containers<'a>(cursor: &mut Cursor<'a>) -> Option<Vec<ContainerLine<'a>>> {
    let mut containers = Vec::new();
    cursor.list(|cursor| {
        containers.push(container(cursor)?);
        Some(())
    })?;
    Some(containers)
}

fn container<'a>(cursor: &mut Cursor<'a>) -> Option<ContainerLine<'a>> {
    let mut line = ContainerLine::default();
    let mut seen = Seen::default();
    cursor.object(|cursor, name| {
        let Some(key) = ContainerKey::of(&name) else { return cursor.skip() };
        seen.add(key as u32)?;
        match key {
            ContainerKey::Name => line.name = cursor.string()?,
            ContainerKey::Init => line.init = cursor.optional(Cursor::truth)?,
            ContainerKey::ExitCode => line.exit_code = cursor.optional(Cursor::integer)?,
            ContainerKey::Reason => line.reason = text(cursor)?,
            ContainerKey::Message => line.message = text(cursor)?,
        }
        Some(())
    })?;
    seen.has(ContainerKey::Name as u32).then_some(line)
}
