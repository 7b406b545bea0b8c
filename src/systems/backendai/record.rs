//! What a run record of a session says beyond what all records say.

use super::cause::Cause;
use super::fields::RECORD;
use super::session::SessionId;
use crate::document::Shape;
use crate::history::{OwnFields, named};
use serde::de::{Error, MapAccess};
use serde::{Deserialize, Deserializer};

/// How a session came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SessionOutcome {
    /// It did its work.
    Succeeded,
    /// It failed.
    #[default]
    Failed,
    /// Somebody cancelled it.
    Cancelled,
}

impl SessionOutcome {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Succeeded, Self::Failed, Self::Cancelled];

    /// The name as records write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::Cancelled => "Cancelled",
        }
    }

    /// The outcome of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == name)
    }
}

/// What a session is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SessionType {
    /// To run a program to its end.
    #[default]
    Batch,
    /// For somebody to work in.
    Interactive,
    /// To serve a model.
    Inference,
    /// To serve the cluster.
    System,
}

impl SessionType {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Batch, Self::Interactive, Self::Inference, Self::System];

    /// The name as records write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::Interactive => "interactive",
            Self::Inference => "inference",
            Self::System => "system",
        }
    }

    /// The type of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

impl<'de> Deserialize<'de> for SessionOutcome {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        named(from, Self::from_name)
    }
}

impl<'de> Deserialize<'de> for SessionType {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        named(from, Self::from_name)
    }
}

impl<'de> Deserialize<'de> for Cause {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        named(from, Self::from_name)
    }
}

/// An id, or an empty text, which says nothing.
struct Said(Option<SessionId>);

impl<'de> Deserialize<'de> for Said {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        named(from, |text| Some(Self((!text.is_empty()).then(|| SessionId::new(text)))))
    }
}

/// The fields of a session's record.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionFields {
    /// How it came to its end.
    pub outcome: SessionOutcome,
    /// Its own id, if that is told.
    pub id: Option<SessionId>,
    /// What it is for.
    pub session_type: SessionType,
    /// Its `retry_count`, if that is told.
    pub retry_count: Option<u32>,
    /// Why it failed, if it did.
    pub cause: Cause,
}

impl OwnFields for SessionFields {
    /// A chain's sessions run one after the other.
    type Key = ();

    const RECORD: &'static Shape = &RECORD;

    fn field<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
        match key {
            "outcome" => {
                let outcome = map.next_value::<Option<_>>()?;
                self.outcome = outcome.ok_or_else(|| A::Error::missing_field("outcome"))?;
            }
            "sessionId" => self.id = map.next_value::<Option<Said>>()?.and_then(|said| said.0),
            "sessionType" => self.session_type = map.next_value::<Option<_>>()?.unwrap_or_default(),
            "retryCount" => self.retry_count = map.next_value()?,
            "cause" => self.cause = map.next_value::<Option<_>>()?.unwrap_or_default(),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn fault(&self) -> Option<(&'static str, String)> {
        None
    }

    fn key(&self) {}

    fn succeeded(&self) -> bool {
        self.outcome == SessionOutcome::Succeeded
    }

    fn goes_on(&self) -> bool {
        false
    }
}
