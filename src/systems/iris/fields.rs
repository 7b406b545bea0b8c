//! The shape of run records: an attempt of a task, or what befell its job.

use crate::document::{Choices, Extra, Field, Kind, Shape, choice, optional, required};
use crate::systems::run_fields::{self, COUNT};

/// A record of an Iris job. Unknown fields are ignored.
pub static RECORD: Shape = Shape {
    name: "record",
    doc: "One attempt of a task of an Iris job, as one line of a JSON Lines history.",
    fields: &[
        required("jobId", Kind::SomeText, "The job that the attempt belongs to."),
        run_fields::QUEUE,
        optional("task", COUNT, "The task, from 0; absent means 0."),
        run_fields::RUN_INDEX,
        STARTED,
        FINISHED,
        run_fields::NODE,
        run_fields::CLUSTER,
        required("outcome", Kind::OneOf(&OUTCOMES), "How the attempt ended."),
        optional(
            "phase",
            Kind::OneOf(&PHASES),
            "What the task was doing when it ended; absent means RUNNING.",
        ),
    ],
    constraints: &[],
    extra: Extra::Ignored,
    elsewhere: &[],
};

const STARTED: Field = Field {
    doc: "When the attempt began: RFC 3339. In a gang it tells which attempts another task's end cut\noff: those that began before it.",
    ..run_fields::STARTED
};
const FINISHED: Field = Field {
    doc: "When the attempt ended: RFC 3339. Ends are judged one by one, in order of time.",
    ..run_fields::FINISHED
};

static OUTCOMES: Choices = Choices {
    name: "outcome",
    values: &[
        choice("SUCCEEDED", "Its command ended with code 0."),
        choice("FAILED", "Its command, or its build, failed; charged to max_retries_failure."),
        choice("WORKER_FAILED", "Its worker was lost; charged to max_retries_preemption."),
        choice("PREEMPTED", "A task of higher priority took its place; charged likewise."),
        choice(
            "WORKER_REPORTED_KILLED",
            "Its worker says that something outside of Iris stopped it; final in the seed, with upstream charged to max_retries_preemption.",
        ),
        choice("CANCEL_JOB", "The user cancelled the job, whichever task the record names."),
        choice("TIMEOUT", "It ran for longer than it may; final."),
        choice(
            "UNSCHEDULABLE",
            "No worker was found in time; there was no attempt, and it is final.",
        ),
    ],
    any_case: false,
    elsewhere: &[
        ("COSCHED_FAILED", "leave the record out: it follows from the end of another task"),
        (
            "KILLED",
            "write `CANCEL_JOB` or `WORKER_REPORTED_KILLED`; leave the record out if the end of the job killed it",
        ),
    ],
};

static PHASES: Choices = Choices {
    name: "phase",
    values: &[
        choice(
            "ASSIGNED",
            "It had a worker that had not begun with it. Preemptions are free then, with upstream whatever is lost; the seed charges a lost worker.",
        ),
        choice("BUILDING", "Its worker fetched and built what it needs."),
        choice("RUNNING", "Its command ran."),
    ],
    any_case: false,
    elsewhere: &[],
};
