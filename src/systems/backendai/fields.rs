//! The shape of run records: a session of a chain each.

use super::words::CAUSES;
use crate::document::{Choices, Extra, Kind, Shape, choice, optional, required};
use crate::systems::run_fields::{self, COUNT};

/// A record of a session. Unknown fields are ignored.
pub static RECORD: Shape = Shape {
    name: "record",
    doc: "One session of a chain of retries, as one line of a JSON Lines history.",
    fields: &[
        required(
            "jobId",
            Kind::SomeText,
            "The root session, to whose chain of retries the session belongs.",
        ),
        run_fields::QUEUE,
        run_fields::RUN_INDEX,
        run_fields::STARTED,
        run_fields::FINISHED,
        run_fields::NODE,
        run_fields::CLUSTER,
        required("outcome", Kind::OneOf(&OUTCOMES), "How the session ended."),
        optional(
            "sessionId",
            Kind::Text,
            "The session's own id, of which deterministic jitter is made: every retry has a new one.\nAbsent means jobId, also for a retry.",
        ),
        optional(
            "sessionType",
            Kind::OneOf(&SESSION_TYPES),
            "The session's type; absent means batch, the only one that is retried.",
        ),
        optional(
            "retryCount",
            COUNT,
            "Retries before the session: 0 for the root. Absent means one more than that of the run\nbefore, or the same if its sessionId is the same. One that is not above that of a session\nretried already tells of a failure that was told twice.",
        ),
        optional("cause", Kind::OneOf(&CAUSES), "Why it failed; absent means unknown."),
    ],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

static OUTCOMES: Choices = Choices {
    name: "outcome",
    values: &[
        choice("Succeeded", "It did its work."),
        choice("Failed", "It failed: its cause says why."),
        choice(
            "Cancelled",
            "Somebody cancelled it, and nobody asks for a retry. Failed with the cause user_cancelled\nis decided as the draft does it.",
        ),
    ],
    any_case: false,
    elsewhere: &[],
};

static SESSION_TYPES: Choices = Choices {
    name: "session type",
    values: &[
        choice("batch", "It runs a program to its end."),
        choice("interactive", "Somebody works in it."),
        choice("inference", "It serves a model."),
        choice("system", "It is a service of the cluster."),
    ],
    any_case: false,
    elsewhere: &[],
};
