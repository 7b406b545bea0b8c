//! The shape of run records: a try of a task instance.

use crate::diag::Code;
use crate::document::{Choices, Extra, Field, Kind, Shape, choice, optional, required};
use crate::systems::run_fields;

/// What Airflow's columns of numbers hold, as far as tries go.
const TRIES: Kind = Kind::Whole { min: 0, max: i32::MAX as i128, code: Code::OutOfRange };

/// A record of a try. Unknown fields are ignored.
pub static RECORD: Shape = Shape {
    name: "record",
    doc: "One try of a task instance, as one line of a JSON Lines history.",
    fields: &[
        required("jobId", Kind::SomeText, "The task instance: any name that is its own."),
        run_fields::QUEUE,
        run_fields::RUN_INDEX,
        run_fields::STARTED,
        run_fields::FINISHED,
        run_fields::NODE,
        run_fields::CLUSTER,
        required("outcome", Kind::OneOf(&OUTCOMES), "How the try ended."),
        optional(
            "dagId",
            Kind::Text,
            "dag_id, which the jitter's hash begins with; absent means an empty one.",
        ),
        optional(
            "taskId",
            Kind::Text,
            "task_id, with its groups before it, which is hashed too; absent means the jobId.",
        ),
        optional(
            "logicalDate",
            Kind::Text,
            "logical_date, up to 2.x execution_date, which is hashed too, in UTC: RFC 3339 or as Python\nprints it, without a zone in UTC. Absent or `None` means that the run has none.",
        ),
        optional(
            "tryNumber",
            TRIES,
            "try_number of the try that ended, from 1; absent means one more than the try before.",
        ),
        MAX_TRIES,
        optional(
            "state",
            Kind::OneOf(&STATES),
            "The state that the try failed in; absent means running.",
        ),
        optional(
            "forceFail",
            Kind::Boolean,
            "Whether it asked for no other try: AirflowFailException, a sensor's timeout, or from 3.3 on a\nretry policy that says so; absent means false.",
        ),
        optional(
            "retryDelayOverride",
            Kind::Number { min: 0.0, above: false, code: Code::OutOfRange },
            "What a retry policy (3.3) set the delay to, in seconds: neither cap nor ceiling holds for it.",
        ),
    ],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

const MAX_TRIES: Field = optional(
    "maxTries",
    TRIES,
    "max_tries from this try on, where clearing the task instance has changed it; absent means that\nof the try before, at first the policy's `retries`.",
);

static OUTCOMES: Choices = Choices {
    name: "outcome",
    values: &[
        choice("Succeeded", "The task did its work, or skipped it."),
        choice("Failed", "It failed, timed out, was killed, or was cleared as it ran."),
        choice("Cancelled", "Somebody marked it as failed, or deleted its run."),
    ],
    any_case: false,
    elsewhere: &[],
};

static STATES: Choices = Choices {
    name: "state of a task instance",
    values: &[
        choice("running", "The task failed by itself."),
        choice("restarting", "It was cleared while it ran: it is tried again whatever the limit."),
        choice("queued", "It was found dead before it began. 2.x has a try less for such."),
        choice("scheduled", "As queued."),
        choice("deferred", "As queued: its trigger failed."),
        choice("awaiting_input", "As queued."),
        choice("up_for_reschedule", "As queued: a sensor between its looks."),
        choice("up_for_retry", "As queued."),
        choice("upstream_failed", "As queued."),
        choice("failed", "As queued."),
        choice("success", "As queued."),
        choice("skipped", "As queued."),
        choice("removed", "As queued."),
    ],
    any_case: false,
    elsewhere: &[],
};

#[cfg(test)]
mod tests {
    use super::super::InstanceState;
    use super::*;

    #[test]
    fn every_state_is_known() {
        for choice in STATES.values {
            let state = InstanceState::from_name(choice.value);
            let own = matches!(choice.value, "running" | "restarting");
            assert_eq!(state == Some(InstanceState::Other), !own, "{}", choice.value);
        }
        assert_eq!(STATES.values.len(), 2 + InstanceState::OTHERS.len());
    }
}
