//! What one record says, field by field, before anybody asks what it means: from a line's bytes or
//! from a tree.
//!
//! Owns which fields all records have; the others are offered to the system. It judges nothing but
//! types and, in a line, that no field is there twice.

use super::OwnFields;
use super::shapes::{Common, MOST, NO_FIELD, Shapes};
use crate::history::clock::Clock;
use crate::history::faults::ends_before_it_starts;
use crate::history::line::Text;
use crate::history::scan::{Entries, GivenUp, Line};
use crate::units::Time;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// What a record says beside the system's own fields. Its texts stay where they were read if they
/// stand there as they are.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Said<'t> {
    /// The unit's id; empty in a document, where the job says it.
    pub(crate) id: Cow<'t, str>,
    pub(crate) queue: Option<Cow<'t, str>>,
    pub(crate) index: Option<u32>,
    pub(super) node: Option<Cow<'t, str>>,
    pub(super) cluster: Option<Cow<'t, str>>,
    started: Option<Cow<'t, str>>,
    finished: Option<Cow<'t, str>>,
}

impl<'t> Said<'t> {
    /// Reads the value of the field with this number.
    fn field<F: OwnFields, A: MapAccess<'t>>(
        &mut self,
        own: &mut F,
        at: usize,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match Shapes::<F>::COMMON[at] {
            Common::Id => self.id = map.next_value::<Text<'_>>()?.0,
            Common::Queue => self.queue = text(map)?,
            Common::RunIndex => self.index = map.next_value()?,
            Common::Started => self.started = text(map)?,
            Common::Finished => self.finished = text(map)?,
            Common::Node => self.node = text(map)?,
            Common::Cluster => self.cluster = text(map)?,
            Common::None => {
                if !own.field(F::RECORD.fields[at].name, map)? {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    /// Reads the value of the field with this number where it stands in a line.
    fn in_line<F: OwnFields>(
        &mut self,
        own: &mut F,
        at: usize,
        entries: &mut Entries<'_, 't>,
    ) -> Option<()> {
        match Shapes::<F>::COMMON[at] {
            Common::Id => self.id = entries.value()?.lend()?,
            Common::Queue => entries.value()?.lend_to(&mut self.queue)?,
            Common::RunIndex => entries.value()?.unless_null(|value| {
                self.index = Some(value.whole()?);
                Some(())
            })?,
            Common::Started => entries.value()?.lend_to(&mut self.started)?,
            Common::Finished => entries.value()?.lend_to(&mut self.finished)?,
            Common::Node => entries.value()?.lend_to(&mut self.node)?,
            Common::Cluster => entries.value()?.lend_to(&mut self.cluster)?,
            Common::None => match Shapes::<F>::IN_LINE[at] {
                Some(reader) => reader(own, &mut entries.value()?)?,
                None => self.field(own, at, entries).ok()?,
            },
        }
        Some(())
    }

    /// The same, with texts of its own.
    pub(super) fn into_owned(self) -> Said<'static> {
        let own = |text: Option<Cow<'_, str>>| text.map(|text| Cow::Owned(text.into_owned()));
        Said {
            id: Cow::Owned(self.id.into_owned()),
            queue: own(self.queue),
            index: self.index,
            node: own(self.node),
            cluster: own(self.cluster),
            started: own(self.started),
            finished: own(self.finished),
        }
    }
}

/// A record that nothing is wrong with: what it says, its system's own fields, and its times.
pub(super) type Record<'t, F> = (Said<'t>, F, Times);

/// When a run began and ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Times {
    pub(crate) started: Option<Time>,
    pub(crate) finished: Option<Time>,
}

/// Reads a line that is a record beyond doubt, its system's own fields over those that `own` had
/// before, the others into `said`, which says nothing yet; where it gives nothing, the tree says
/// what is wrong and where. The clock moves on only with a record.
pub(super) fn of_text<'t, F: OwnFields>(
    text: &'t str,
    clock: &mut Clock,
    order: &mut Order,
    (said, own): (&mut Said<'t>, &mut F),
) -> Option<Times> {
    own.clear();
    let read = |line: &mut Line<'t>| {
        let field = |at, entries: &mut Entries<'_, 't>| said.in_line(own, at, entries);
        let seen = order.read::<F>(&mut line.entries()?, field).ok_or(GivenUp)?;
        order.may_have_unread = line.has_skipped();
        Ok(seen)
    };
    let seen = Line::new(text).read(read).ok()?;
    order.may_have_unread |= own.may_have_unread();
    let mut after = *clock;
    let times = Times {
        started: time(said.started.as_deref(), &mut after)?,
        finished: time(said.finished.as_deref(), &mut after)?,
    };
    let sound = seen & Shapes::<F>::REQUIRED == Shapes::<F>::REQUIRED
        && !said.id.is_empty()
        && ends_before_it_starts(times.started, times.finished).is_none()
        && own.fault().is_none();
    sound.then(|| {
        *clock = after;
        times
    })
}

/// What a mapping says, whatever it is written in.
pub(super) fn of_map<'de, F: OwnFields, D: Deserializer<'de>>(
    map: D,
) -> Result<(Said<'de>, F), D::Error> {
    map.deserialize_map(Mapped::<F>(PhantomData))
}

/// The time of a text, if it says one; nothing if it is one that the clock does not take.
#[expect(clippy::option_option, reason = "a time may be absent, or not be one")]
fn time(text: Option<&str>, clock: &mut Clock) -> Option<Option<Time>> {
    text.map_or(Some(None), |text| clock.read(text).ok().map(Some))
}

/// Reads a mapping.
struct Mapped<F>(PhantomData<F>);

impl<'de, F: OwnFields> Visitor<'de> for Mapped<F> {
    type Value = (Said<'de>, F);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(Said<'de>, F), A::Error> {
        let (mut said, mut own) = (Said::default(), F::default());
        let mut seen = 0;
        while let Some(Text(key)) = map.next_key()? {
            let Some(at) = number::<F>(&key) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if !is_first(&mut seen, at) {
                return Err(A::Error::custom(format_args!("`{key}` stands here twice")));
            }
            said.field(&mut own, at, &mut map)?;
        }
        Ok((said, own))
    }
}

/// A text; null and an empty one say nothing.
fn text<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<Cow<'de, str>>, A::Error> {
    let text: Option<Text<'de>> = map.next_value()?;
    Ok(text.map(|text| text.0).filter(|text| !text.is_empty()))
}

/// The order in which the fields of earlier records stood, where those of the next mostly stand too:
/// the two that followed each field last, and that stood first.
#[derive(Debug)]
pub(crate) struct Order {
    next: [[u8; 2]; MOST],
    /// Whether the last line may have keys that nothing reads.
    pub(crate) may_have_unread: bool,
}

impl Default for Order {
    fn default() -> Self {
        Self { next: [[NO_FIELD; 2]; MOST], may_have_unread: false }
    }
}

impl Order {
    /// Reads the entries of a record; says which of the shape's fields it has, a bit a field. `field`
    /// reads the value of the one with this number.
    fn read<'t, F: OwnFields>(
        &mut self,
        entries: &mut Entries<'_, 't>,
        mut field: impl FnMut(usize, &mut Entries<'_, 't>) -> Option<()>,
    ) -> Option<u64> {
        // Where in the order the next field is looked up: nothing stands before the first.
        let (mut seen, mut place) = (0, 0);
        loop {
            let expected = usize::from(self.next[place][0]);
            let at = if entries.is_next(&Shapes::<F>::GLANCES[expected]) {
                expected
            } else {
                match self.other::<F>(entries, place)? {
                    Next::Field(at) => at,
                    Next::Unknown => continue,
                    Next::None => return Some(seen),
                }
            };
            if !is_first(&mut seen, at) {
                return None;
            }
            place = at + 1;
            field(at, entries)?;
        }
    }

    /// Moves over the next key, which is not the one that stood at this place last; over a whole
    /// entry if nobody knows it.
    #[inline(never)]
    fn other<F: OwnFields>(&mut self, entries: &mut Entries<'_, '_>, place: usize) -> Option<Next> {
        let [last, before] = self.next[place];
        if entries.is_next(&Shapes::<F>::GLANCES[usize::from(before)]) {
            return Some(Next::Field(usize::from(before)));
        }
        let Some(Text(key)) = entries.next_key().ok()? else { return Some(Next::None) };
        let Some(at) = number::<F>(&key) else {
            entries.value()?.pass()?;
            return Some(Next::Unknown);
        };
        self.next[place] = [u8::try_from(at).unwrap_or(NO_FIELD), last];
        Some(Next::Field(at))
    }
}

/// What stands next in a record.
enum Next {
    /// The key of the field with this number.
    Field(usize),
    /// An entry that nobody knows. It is passed.
    Unknown,
    /// Nothing.
    None,
}

/// The number of the field of this name.
fn number<F: OwnFields>(name: &str) -> Option<usize> {
    F::RECORD.fields.iter().position(|field| field.name == name)
}

/// Whether a record has a field for the first time.
fn is_first(seen: &mut u64, at: usize) -> bool {
    let is_first = *seen >> at & 1 == 0;
    *seen |= 1 << at;
    is_first
}
