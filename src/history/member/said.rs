//! What one record says, field by field, before anybody asks what it means: from a line's bytes or
//! from a tree.
//!
//! Owns which fields all records have; the others are offered to the system. It judges nothing but
//! types and, in a line, that no field is there twice.

use super::OwnFields;
use super::shapes::{Common, Shapes};
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
    /// Reads the value of a field.
    fn field<F: OwnFields, A: MapAccess<'t>>(
        &mut self,
        own: &mut F,
        (common, key): (Common, &str),
        map: &mut A,
    ) -> Result<(), A::Error> {
        match common {
            Common::Id => self.id = map.next_value::<Text<'_>>()?.0,
            Common::Queue => self.queue = text(map)?,
            Common::RunIndex => self.index = map.next_value()?,
            Common::Started => self.started = text(map)?,
            Common::Finished => self.finished = text(map)?,
            Common::Node => self.node = text(map)?,
            Common::Cluster => self.cluster = text(map)?,
            Common::None => {
                if !own.field(key, map)? {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    /// Reads the value of a field where it stands in a line.
    fn in_line<F: OwnFields>(
        &mut self,
        own: &mut F,
        (common, key): (Common, &str),
        entries: &mut Entries<'_, 't>,
    ) -> Option<()> {
        match common {
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
            Common::None => {
                if !own.in_line(key, entries)? {
                    entries.value()?.pass()?;
                }
            }
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
/// before; where it gives nothing, the tree says what is wrong and where. The clock moves on only
/// with a record.
pub(super) fn of_text<'t, F: OwnFields>(
    text: &'t str,
    clock: &mut Clock,
    order: &mut Order,
    own: &mut F,
) -> Option<(Said<'t>, Times)> {
    own.clear();
    let mut said = Said::default();
    let is_next = |entries: &mut Entries<'_, 't>, at| {
        Shapes::<F>::GLANCES.get(at).is_some_and(|glance| entries.is_next(glance))
    };
    let read = |line: &mut Line<'t>| {
        order.read::<F, _>(&mut line.entries()?, is_next, |field, entries| {
            said.in_line(own, field, entries).ok_or(GivenUp)
        })
    };
    let seen = Line::new(text).read(read).ok()?;
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
        (said, times)
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
        let field = |field: (Common, &str), map: &mut A| said.field(&mut own, field, map);
        Order::default().read::<F, _>(&mut map, |_, _| false, field)?;
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
#[derive(Debug, Default)]
pub(crate) struct Order(Vec<[usize; 2]>);

/// The number of no field.
const NO_FIELD: usize = usize::MAX;

impl Order {
    /// Reads the entries of a record; says which of the shape's fields it has. `is_next` moves over
    /// the next key if it sees at a glance that it is that of the field with this number, `field`
    /// reads the value.
    fn read<'de, F: OwnFields, A: MapAccess<'de>>(
        &mut self,
        map: &mut A,
        is_next: impl Fn(&mut A, usize) -> bool,
        mut field: impl FnMut((Common, &str), &mut A) -> Result<(), A::Error>,
    ) -> Result<u64, A::Error> {
        let fields = F::RECORD.fields;
        // Where in the order the next field is looked up: nothing stands before the first.
        let (mut seen, mut place) = (0, 0);
        loop {
            let mut expected = self.0.get(place).copied().unwrap_or([NO_FIELD; 2]).into_iter();
            let at = if let Some(at) = expected.find(|at| is_next(map, *at)) {
                at
            } else {
                let Some(Text(key)) = map.next_key()? else { return Ok(seen) };
                let Some(at) = fields.iter().position(|field| field.name == key) else {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                };
                self.learn(place, at, fields.len());
                at
            };
            place = at + 1;
            let key = fields[at].name;
            if seen & 1 << at != 0 {
                return Err(A::Error::custom(format_args!("`{key}` stands here twice")));
            }
            seen |= 1 << at;
            field((Shapes::<F>::COMMON[at], key), map)?;
        }
    }

    /// Takes in that a field stood at a place.
    fn learn(&mut self, place: usize, at: usize, fields: usize) {
        self.0.resize(fields + 1, [NO_FIELD; 2]);
        if let Some(expected) = self.0.get_mut(place) {
            *expected = [at, expected[0]];
        }
    }
}
