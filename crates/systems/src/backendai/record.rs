//! The field table of the run records of sessions. A record is a session of a chain.

use super::engine::session_id::SessionId;
use super::manifest::cause::Cause;
use document::{FieldValue, Kind, choices, optional, required};
use replay::disruption::Evidence;
use replay::history::run_fields::{self, COUNT};
use replay::history::{Field, FieldFault, RecordFields, ValueReader};

choices! {
    /// How a session ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum SessionOutcome = "outcome" {
        /// It did its work.
        Succeeded = "Succeeded",
        /// It failed: the cause has the reason.
        #[default]
        Failed = "Failed",
        /// It was cancelled, and no retry is made. Failed with the cause user_cancelled
        /// is decided as the draft does it.
        Cancelled = "Cancelled",
    }
}

choices! {
    /// The type of a session.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum SessionType = "session type" {
        /// It runs a program to its end.
        #[default]
        Batch = "batch",
        /// A user works in it.
        Interactive = "interactive",
        /// It serves a model.
        Inference = "inference",
        /// It is a service of the cluster.
        System = "system",
    }
}

/// The fields of a session's record beyond those of all records.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionFields {
    /// How the session ended.
    pub outcome: SessionOutcome,
    /// The session's own id, if recorded.
    pub id: Option<SessionId>,
    /// The type of the session.
    pub session_type: SessionType,
    /// The session's `retry_count`, if recorded.
    pub retry_count: Option<u32>,
    /// The cause of the failure, if the session failed.
    pub cause: Cause,
}

impl Evidence for SessionFields {
    fn has(&self, name: &str, value: &str) -> bool {
        name == "cause" && self.outcome == SessionOutcome::Failed && self.cause.as_str() == value
    }
}

impl RecordFields for SessionFields {
    /// The sessions of a chain run one after the other.
    type Key = ();
    type Unit = ();
    type Limits = ();

    const DOC: &'static str =
        "One session of a chain of retries, as one line of a JSON Lines history.";

    const FIELDS: &'static [Field<Self>] = &[
        Field::id("The root session, to whose chain of retries the session belongs."),
        Field::queue(run_fields::QUEUE),
        Field::run_index(run_fields::RUN_INDEX),
        Field::started_at(run_fields::STARTED),
        Field::finished_at(run_fields::FINISHED),
        Field::node(run_fields::NODE),
        Field::cluster(run_fields::CLUSTER),
        Field::own(
            required("outcome", SessionOutcome::KIND, "How the session ended."),
            |run, value| {
                run.outcome = value.text(SessionOutcome::from_name)??;
                Some(())
            },
        ),
        Field::own(
            optional(
                "sessionId",
                Kind::Text,
                "The session's own id, of which deterministic jitter is made: every retry has a new one.\nAbsent means jobId, also for a retry.",
            ),
            |run, value| value.some_text(|text| run.id = Some(SessionId::new(text))),
        ),
        Field::own(
            optional(
                "sessionType",
                SessionType::KIND,
                "The session's type; absent means batch, the only one that is retried.",
            ),
            |run, value| {
                value.unless_null(|value| {
                    run.session_type = value.text(SessionType::from_name)??;
                    Some(())
                })
            },
        ),
        Field::own(
            optional(
                "retryCount",
                COUNT,
                "Retries before the session: 0 for the root.\n\
                 Absent means one more than that of the run before, or the same if its sessionId is the same. One that is not above that of a session\n\
                 retried is a failure that was already reported.",
            ),
            |run, value| {
                run.retry_count = value.optional(ValueReader::u32)?;
                Some(())
            },
        ),
        Field::own(
            optional("cause", Cause::KIND, "Why it failed; absent means unknown."),
            |run, value| {
                value.unless_null(|value| {
                    run.cause = value.text(Cause::from_name)??;
                    Some(())
                })
            },
        ),
    ];

    fn fault(&self) -> Option<FieldFault> {
        None
    }

    fn key(&self) {}
}
