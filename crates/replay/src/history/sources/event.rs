//! The shape of Armada's events in two encodings. Go's `encoding/json`, which the gateway uses, leaves
//! zero values out, times are `{"seconds","nanos"}`, enums are integers. The JSON of Protocol Buffers,
//! which clients of gRPC such as `grpcurl` print, has RFC 3339 times, names of enums, and texts for
//! integers of 64 bits. Other keys are skipped.
//!
//! `attempt` joins events into runs.

use super::kube::{PodSpec, Requirements, Texts};
use document::units::{GoDuration, Time};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// A line of the gateway: `{"result": {"id", "message"}}`, or an error that ends the stream. The
/// result may come alone, as `jq .result` prints it.
#[derive(Debug, Deserialize)]
pub(super) struct GatewayLine {
    pub(super) result: Option<Delivered>,
    pub(super) message: Option<Message>,
    pub(super) error: Option<serde_json::Value>,
}

/// A message of the gateway.
#[derive(Debug, Deserialize)]
pub(super) struct Delivered {
    pub(super) message: Option<Message>,
}

macro_rules! events {
    ($($field:ident $kind:ident $name:literal,)+) => {
        /// The events that concern a job or a run.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Kind {
            $($kind,)+
        }

        /// An event in its envelope: one of these, or one that concerns no run.
        #[derive(Debug, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub(super) struct Message {
            $($field: Option<Box<Event>>,)+
        }

        impl Message {
            /// The event and its kind.
            pub(super) fn event(self) -> Option<(Kind, Box<Event>)> {
                $(if let Some(event) = self.$field {
                    return Some((Kind::$kind, event));
                })+
                None
            }
        }

        impl Kind {
            /// The kind of a type's name in Go, such as `JobFailedEvent`.
            pub(super) fn from_type(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$kind),)+
                    _ => None,
                }
            }
        }
    };
}

events! {
    submitted Submitted "JobSubmittedEvent",
    queued Queued "JobQueuedEvent",
    leased Leased "JobLeasedEvent",
    pending Pending "JobPendingEvent",
    running Running "JobRunningEvent",
    failed Failed "JobFailedEvent",
    succeeded Succeeded "JobSucceededEvent",
    cancelled Cancelled "JobCancelledEvent",
    preempted Preempted "JobPreemptedEvent",
    lease_returned LeaseReturned "JobLeaseReturnedEvent",
    lease_expired LeaseExpired "JobLeaseExpiredEvent",
}

/// The fields of all events together; each kind has some of them.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Event {
    pub(super) job_id: Option<String>,
    pub(super) job_set_id: Option<String>,
    pub(super) queue: Option<String>,
    created: Option<Created>,
    pub(super) cluster_id: Option<String>,
    pub(super) node_name: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) container_statuses: Option<Vec<ContainerStatus>>,
    pub(super) cause: Option<Cause>,
    pub(super) failure_category: Option<String>,
    pub(super) failure_subcategory: Option<String>,
    /// Set if the scheduler grants another run.
    pub(super) retryable: Option<bool>,
    pub(super) job: Option<SubmittedJob>,
}

/// A `google.protobuf.Timestamp`.
#[derive(Debug, Clone, Copy)]
struct Created(Option<Time>);

impl Created {
    fn from_parts(seconds: i64, nanos: i32) -> Self {
        let since = i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        let since = i64::try_from(since).ok();
        Self(since.map(|since| Time::EPOCH.plus(GoDuration::from_nanos(since))))
    }
}

impl<'de> Deserialize<'de> for Created {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(CreatedVisitor)
    }
}

struct CreatedVisitor;

impl<'de> Visitor<'de> for CreatedVisitor {
    type Value = Created;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time: RFC 3339, or `seconds` and `nanos`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Created, E> {
        let time = Time::parse(text).map_err(E::custom)?;
        Ok(Created(Some(time)))
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Created, A::Error> {
        let (mut seconds, mut nanos) = (0, 0);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "seconds" => seconds = map.next_value()?,
                "nanos" => nanos = map.next_value()?,
                _ => _ = map.next_value::<serde::de::IgnoredAny>()?,
            }
        }
        Ok(Created::from_parts(seconds, nanos))
    }
}

/// Why a run failed, as its executor has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    Evicted,
    OutOfMemory,
    DeadlineExceeded,
    Rejected,
    /// An error of no kind of its own, or a cause that is newer than this.
    Other,
}

impl<'de> Deserialize<'de> for Cause {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(CauseVisitor)
    }
}

struct CauseVisitor;

impl Visitor<'_> for CauseVisitor {
    type Value = Cause;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a cause: its number, or Error, Evicted, OOM, DeadlineExceeded or Rejected")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Cause, E> {
        Ok(match number {
            1 => Cause::Evicted,
            2 => Cause::OutOfMemory,
            3 => Cause::DeadlineExceeded,
            4 => Cause::Rejected,
            _ => Cause::Other,
        })
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Cause, E> {
        self.visit_i64(i64::try_from(number).unwrap_or(i64::MAX))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Cause, E> {
        Ok(match name {
            "Error" => Cause::Other,
            "Evicted" => Cause::Evicted,
            "OOM" => Cause::OutOfMemory,
            "DeadlineExceeded" => Cause::DeadlineExceeded,
            "Rejected" => Cause::Rejected,
            _ => return Err(E::invalid_value(Unexpected::Str(name), &self)),
        })
    }
}

impl Event {
    pub(super) fn created(&self) -> Option<Time> {
        self.created.and_then(|created| created.0)
    }
}

/// A container of a `failed` event.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContainerStatus {
    pub(super) name: Option<String>,
    pub(super) exit_code: Option<i64>,
    pub(super) reason: Option<String>,
    pub(super) message: Option<String>,
}

/// The job of a `submitted` event.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SubmittedJob {
    pub(super) annotations: Option<Texts>,
    pub(super) pod_spec: Option<PodSpec>,
    pub(super) pod_specs: Option<Vec<PodSpec>>,
    pub(super) scheduling_resource_requirements: Option<Requirements>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_encodings_of_times_and_causes_are_read() {
        for (created, cause) in [
            (r#"{"seconds":5,"nanos":7}"#, "2"),
            (r#""1970-01-01T00:00:05.000000007Z""#, r#""OOM""#),
        ] {
            let event = format!(r#"{{"created":{created},"cause":{cause}}}"#);
            let event: Event = serde_json::from_str(&event).unwrap();
            assert_eq!(event.created().unwrap().to_string(), "1970-01-01T00:00:05.000000007Z");
            assert_eq!(event.cause, Some(Cause::OutOfMemory));
        }
        for wrong in [r#"{"created":"noon"}"#, r#"{"created":5}"#, r#"{"cause":"oom"}"#] {
            assert!(serde_json::from_str::<Event>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn zero_values_are_absent() {
        let line =
            r#"{"result":{"id":"1","message":{"failed":{"jobId":"a","created":{"nanos":5}}}}}"#;
        let line: GatewayLine = serde_json::from_str(line).unwrap();
        let (kind, event) = line.result.unwrap().message.unwrap().event().unwrap();
        assert_eq!((kind, event.retryable), (Kind::Failed, None));
        assert_eq!(event.created().unwrap().to_string(), "1970-01-01T00:00:00.000000005Z");
        assert_eq!(Kind::from_type("JobUtilisationEvent"), None);
    }
}
