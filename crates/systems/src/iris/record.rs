//! The field table of the run records of Iris jobs. A record is an attempt of a task, or a cancel of
//! its job.

use super::engine::decision::Event;
use super::engine::outcome::{Outcome, Phase};
use document::{self, Kind, choices, optional, required};
use replay::disruption::Evidence;
use replay::history::run_fields::{self, COUNT};
use replay::history::{Field, FieldFault, RecordFields, ValueReader};

/// The fields of a record beyond those of all records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IrisFields {
    /// The task, from 0.
    pub task: u32,
    /// How the attempt ended, or what happened to the task.
    pub outcome: Outcome,
    /// The phase of the task at the event.
    pub phase: Phase,
}

impl IrisFields {
    /// Returns the event of the record.
    pub fn event(self) -> Event {
        let Self { task, outcome, phase } = self;
        Event { task, outcome, phase }
    }
}

impl Evidence for IrisFields {
    fn has(&self, name: &str, value: &str) -> bool {
        name == "outcome" && self.outcome.as_str() == value
    }
}

impl RecordFields for IrisFields {
    /// The number of the task.
    type Key = u32;
    type Unit = ();
    /// The number of tasks, if it is known.
    type Limits = Option<u32>;

    const DOC: &'static str =
        "One attempt of a task of an Iris job, as one line of a JSON Lines history.";

    const FIELDS: &'static [Field<Self>] = &[
        Field::id("The job that the attempt belongs to."),
        Field::queue(run_fields::QUEUE),
        Field::own(optional("task", COUNT, "The task, from 0; absent means 0."), |run, value| {
            run.task = value.optional(ValueReader::u32)?.unwrap_or_default();
            Some(())
        }),
        Field::run_index(run_fields::RUN_INDEX),
        Field::started_at(STARTED),
        Field::finished_at(FINISHED),
        Field::node(run_fields::NODE),
        Field::cluster(run_fields::CLUSTER),
        Field::own(
            required("outcome", Kind::OneOf(&OUTCOMES), "How the attempt ended."),
            |run, value| {
                run.outcome = value.text(Outcome::from_name)??;
                Some(())
            },
        ),
        Field::own(
            optional(
                "phase",
                Kind::OneOf(&PHASES),
                "What the task was doing when it ended; absent means RUNNING.",
            ),
            |run, value| {
                value.unless_null(|value| {
                    run.phase = value.text(Phase::from_name)??;
                    Some(())
                })
            },
        ),
    ];

    fn fault(&self) -> Option<FieldFault> {
        None
    }

    fn unknown_member(&self, tasks: &Option<u32>) -> Option<FieldFault> {
        let tasks = tasks.filter(|tasks| self.task >= *tasks)?;
        let message = format!(
            "there is no task {}: the profile's `replicas` is {tasks}, and tasks count from 0",
            self.task
        );
        Some(FieldFault::new("task", message))
    }

    fn key(&self) -> u32 {
        self.task
    }

    fn is_attempt(&self) -> bool {
        self.outcome.ends_attempt()
    }

    fn is_unit_event(&self) -> bool {
        self.outcome == Outcome::CancelJob
    }
}

const STARTED: document::Field = document::Field {
    doc: "When the attempt began: RFC 3339.\n\
          In a gang it determines which attempts another task's end cut off: those that began before it.",
    ..run_fields::STARTED
};
const FINISHED: document::Field = document::Field {
    doc: "When the attempt ended: RFC 3339. Ends are evaluated one by one, in time order.",
    ..run_fields::FINISHED
};

choices! {
    static OUTCOMES = "outcome" (elsewhere: &[
        ("COSCHED_FAILED", "leave the record out: it follows from the end of another task"),
        (
            "KILLED",
            "write `CANCEL_JOB` or `WORKER_REPORTED_KILLED`; leave the record out if the end of the job killed it",
        ),
    ]) {
        /// Its command ended with code 0.
        "SUCCEEDED",
        /// Its command, or its build, failed; charged to max_retries_failure.
        "FAILED",
        /// Its worker was lost; charged to max_retries_preemption.
        "WORKER_FAILED",
        /// A task of higher priority took its place; charged likewise.
        "PREEMPTED",
        /// Its worker reported that something outside of Iris stopped it; final in the seed, with upstream charged to max_retries_preemption.
        "WORKER_REPORTED_KILLED",
        /// The user cancelled the job, whichever task the record names.
        "CANCEL_JOB",
        /// It ran for longer than it may; final.
        "TIMEOUT",
        /// No worker was found in time; there was no attempt, and it is final.
        "UNSCHEDULABLE",
    }

    static PHASES = "phase" {
        /// It had a worker that had not begun with it. Preemptions are free then, with upstream all lost attempts; the seed charges a lost worker.
        "ASSIGNED",
        /// Its worker fetched and built what it needs.
        "BUILDING",
        /// Its command ran.
        "RUNNING",
    }
}
