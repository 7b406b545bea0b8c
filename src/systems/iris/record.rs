//! What a run record of an Iris job says beyond what all records say.

use super::decision::Event;
use super::fields::RECORD;
use super::outcome::{Outcome, Phase};
use crate::document::Shape;
use crate::history::{OwnFields, named};
use serde::de::{Error, MapAccess};
use serde::{Deserialize, Deserializer};

/// The fields of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IrisFields {
    /// The task, from 0.
    pub task: u32,
    /// How its attempt ended, or what befell it.
    pub outcome: Outcome,
    /// What it was doing then.
    pub phase: Phase,
}

impl IrisFields {
    /// The event that it tells of.
    pub fn event(self) -> Event {
        let Self { task, outcome, phase } = self;
        Event { task, outcome, phase }
    }
}

impl<'de> Deserialize<'de> for Outcome {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        named(from, Self::from_name)
    }
}

impl<'de> Deserialize<'de> for Phase {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        named(from, Self::from_name)
    }
}

impl OwnFields for IrisFields {
    type Key = u32;

    const RECORD: &'static Shape = &RECORD;

    fn field<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        match key {
            "task" => self.task = map.next_value::<Option<_>>()?.unwrap_or_default(),
            "phase" => self.phase = map.next_value::<Option<_>>()?.unwrap_or_default(),
            "outcome" => {
                let outcome = map.next_value::<Option<_>>()?;
                self.outcome = outcome.ok_or_else(|| A::Error::missing_field("outcome"))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn fault(&self) -> Option<(&'static str, String)> {
        None
    }

    fn stray(&self, tasks: u32) -> Option<(&'static str, String)> {
        let message = || {
            format!(
                "there is no task {}: the profile's `replicas` is {tasks}, and tasks count from 0",
                self.task
            )
        };
        (self.task >= tasks).then(|| ("task", message()))
    }

    fn key(&self) -> u32 {
        self.task
    }

    fn is_of(&self, task: &u32) -> bool {
        self.task == *task
    }

    fn succeeded(&self) -> bool {
        self.outcome == Outcome::Succeeded
    }

    fn goes_on(&self) -> bool {
        false
    }

    fn is_attempt(&self) -> bool {
        self.outcome.ends_attempt()
    }

    fn is_of_unit(&self) -> bool {
        self.outcome == Outcome::CancelJob
    }
}
