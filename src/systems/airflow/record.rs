//! What a run record of a try says beyond what all records say.

use super::decide::FailedTry;
use super::eligible::InstanceState;
use super::fields::RECORD;
use super::jitter::TaskInstance;
use super::logical_date::LogicalDate;
use super::timedelta::TimeDelta;
use crate::document::Shape;
use crate::history::{OwnFields, named};
use crate::units::{Time, TimeError};
use compact_str::CompactString;
use serde::de::{Error, MapAccess};
use serde::{Deserialize, Deserializer};
use std::hash::Hasher;

/// How a try ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TryOutcome {
    /// The task did its work, or skipped it.
    Succeeded,
    /// It failed.
    #[default]
    Failed,
    /// Somebody ended it for good.
    Cancelled,
}

impl TryOutcome {
    /// The outcome of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "Succeeded" => Some(Self::Succeeded),
            "Failed" => Some(Self::Failed),
            "Cancelled" => Some(Self::Cancelled),
            _ => None,
        }
    }
}

/// The fields of a try's record.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TryFields {
    /// How it ended.
    pub outcome: TryOutcome,
    /// `dag_id`; empty if it is not said.
    pub dag_id: CompactString,
    /// `task_id`; if it is not said, the unit's id stands for it.
    pub task_id: Option<CompactString>,
    /// `logical_date`, which Airflow keeps in UTC.
    pub logical_date: Option<Time>,
    /// What retries hang on if it failed.
    pub failed: FailedTry,
    /// Why what stands for a date is none.
    pub no_date: Option<Box<TimeError>>,
}

impl TryFields {
    /// Whether it gives both ids that are hashed. That a run has no date is what its absence says.
    pub(super) fn says_task(&self) -> bool {
        !self.dag_id.is_empty() && self.task_id.is_some()
    }

    /// What of the task instance is hashed, `unit` being its id.
    pub fn task<'t>(&'t self, unit: &'t str) -> TaskInstance<'t> {
        TaskInstance {
            dag_id: &self.dag_id,
            task_id: self.task_id.as_deref().unwrap_or(unit),
            logical_date: self.logical_date.map(LogicalDate::utc).unwrap_or_default(),
        }
    }
}

impl<'de> Deserialize<'de> for TryOutcome {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        named(from, Self::from_name)
    }
}

impl<'de> Deserialize<'de> for InstanceState {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        named(from, Self::from_name)
    }
}

/// A logical date as a record writes it, or why it is none.
struct Dated(Result<Option<Time>, TimeError>);

impl<'de> Deserialize<'de> for Dated {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        named(from, |text| Some(Self(dated(text))))
    }
}

fn dated(text: &str) -> Result<Option<Time>, TimeError> {
    // Python's `str` of a run without a date.
    if matches!(text, "" | "None") {
        return Ok(None);
    }
    match Time::parse(text) {
        Ok(at) => Ok(Some(at)),
        Err(_) => match LogicalDate::parse(text)? {
            LogicalDate::At { at, .. } => Ok(Some(at)),
            LogicalDate::Absent => Ok(None),
        },
    }
}

/// A number of tries, which is no negative one.
fn tries<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<i32>, A::Error> {
    let number: Option<u32> = map.next_value()?;
    number.map(i32::try_from).transpose().map_err(A::Error::custom)
}

/// A number of seconds, which is no negative one.
fn seconds<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<TimeDelta>, A::Error> {
    match map.next_value::<Option<f64>>()? {
        Some(seconds) if !seconds.is_finite() || seconds < 0.0 => {
            Err(A::Error::custom("no number of seconds"))
        }
        seconds => Ok(seconds.map(TimeDelta::from_seconds)),
    }
}

impl OwnFields for TryFields {
    /// A task instance has no members but itself.
    type Key = ();

    const RECORD: &'static Shape = &RECORD;

    fn field<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        match key {
            "outcome" => {
                let outcome = map.next_value::<Option<_>>()?;
                self.outcome = outcome.ok_or_else(|| A::Error::missing_field("outcome"))?;
            }
            "dagId" => self.dag_id = map.next_value::<Option<_>>()?.unwrap_or_default(),
            "taskId" => {
                let task_id: Option<CompactString> = map.next_value()?;
                self.task_id = task_id.filter(|text| !text.is_empty());
            }
            "logicalDate" => match map.next_value::<Option<Dated>>()?.map(|dated| dated.0) {
                Some(Err(error)) => self.no_date = Some(Box::new(error)),
                date => self.logical_date = date.and_then(Result::ok).flatten(),
            },
            "tryNumber" => self.failed.try_number = tries(map)?,
            "maxTries" => self.failed.max_tries = tries(map)?,
            "state" => self.failed.state = map.next_value::<Option<_>>()?.unwrap_or_default(),
            "forceFail" => {
                self.failed.force_fail = map.next_value::<Option<_>>()?.unwrap_or_default();
            }
            "retryDelayOverride" => self.failed.retry_delay_override = seconds(map)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn fault(&self) -> Option<(&'static str, String)> {
        let error = self.no_date.as_ref()?;
        Some(("logicalDate", format!("`logicalDate`: {error}")))
    }

    fn way_out(&self) -> Option<String> {
        self.no_date.as_ref().map(|error| error.help())
    }

    fn key(&self) {}

    fn tell_key(&self, _: &mut impl Hasher) {}

    fn succeeded(&self) -> bool {
        self.outcome == TryOutcome::Succeeded
    }

    fn goes_on(&self) -> bool {
        false
    }
}
