//! The shape of Armada's events, as Go's `encoding/json` writes them: zero values are absent, times
//! are `{"seconds","nanos"}`, enums are integers. Keys that nothing is read of are passed over.
//!
//! It says nothing of what events mean together; `attempt` does.

use super::kube::{PodSpec, Requirements, Texts};
use crate::units::{GoDuration, Time};
use serde::Deserialize;

/// A line of the gateway: `{"result": {"id", "message"}}`, or an error that ends the stream. The
/// result may stand alone, as `jq .result` leaves it.
#[derive(Debug, Deserialize)]
pub(super) struct GatewayLine {
    pub(super) result: Option<Delivered>,
    pub(super) message: Option<Message>,
    pub(super) error: Option<serde_json::Value>,
}

/// What the gateway delivers.
#[derive(Debug, Deserialize)]
pub(super) struct Delivered {
    pub(super) message: Option<Message>,
}

macro_rules! events {
    ($($field:ident $kind:ident $name:literal,)+) => {
        /// The events that say something of a job or a run.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Kind {
            $($kind,)+
        }

        /// An event in its envelope: one of these, or one that says nothing of runs.
        #[derive(Debug, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub(super) struct Message {
            $($field: Option<Box<Event>>,)+
        }

        impl Message {
            /// The event, and which it is.
            pub(super) fn event(self) -> Option<(Kind, Box<Event>)> {
                $(if let Some(event) = self.$field {
                    return Some((Kind::$kind, event));
                })+
                None
            }
        }

        impl Kind {
            /// The kind that Go's name of the type says, such as `JobFailedEvent`.
            pub(super) fn of_type(name: &str) -> Option<Self> {
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

/// The fields of all events together; each has those that its kind knows.
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
    /// 0 an error, 1 evicted, 2 out of memory, 3 past its deadline, 4 rejected.
    pub(super) cause: Option<i64>,
    pub(super) failure_category: Option<String>,
    pub(super) failure_subcategory: Option<String>,
    /// Set if the scheduler grants another run.
    pub(super) retryable: Option<bool>,
    pub(super) job: Option<SubmittedJob>,
}

/// A `google.protobuf.Timestamp`.
#[derive(Debug, Deserialize)]
struct Created {
    #[serde(default)]
    seconds: i64,
    #[serde(default)]
    nanos: i32,
}

impl Event {
    /// When it was created.
    pub(super) fn created(&self) -> Option<Time> {
        let Created { seconds, nanos } = self.created.as_ref()?;
        let since = i128::from(*seconds) * 1_000_000_000 + i128::from(*nanos);
        let since = i64::try_from(since).ok()?;
        Some(Time::EPOCH.plus(GoDuration::from_nanos(since)))
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
    fn zero_values_are_absent() {
        let line =
            r#"{"result":{"id":"1","message":{"failed":{"jobId":"a","created":{"nanos":5}}}}}"#;
        let line: GatewayLine = serde_json::from_str(line).unwrap();
        let (kind, event) = line.result.unwrap().message.unwrap().event().unwrap();
        assert_eq!((kind, event.retryable), (Kind::Failed, None));
        assert_eq!(event.created().unwrap().to_string(), "1970-01-01T00:00:00.000000005Z");
        assert_eq!(Kind::of_type("JobUtilisationEvent"), None);
    }
}
