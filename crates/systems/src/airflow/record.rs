//! The field table of the run records of tries.

use super::engine::delay::TaskInstance;
use super::engine::eligibility::InstanceState;
use super::engine::failed_try::FailedTry;
use super::manifest::exceptions::{canonical, complete};
use super::manifest::python_time::{LogicalDate, TimeDelta};
use compact_str::CompactString;
use document::diag::Code;
use document::units::{Time, TimeError};
use document::{FieldValue, Kind, choices, optional, required};
use replay::disruption::Evidence;
use replay::history::run_fields;
use replay::history::{Field, FieldFault, RecordFields, ValueReader};

choices! {
    /// How a try ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum TryOutcome = "outcome" {
        /// The task did its work, or skipped it.
        Succeeded = "Succeeded",
        /// It failed, timed out, was killed, or was cleared as it ran.
        #[default]
        Failed = "Failed",
        /// A user marked it as failed, or deleted its run.
        Cancelled = "Cancelled",
    }
}

/// The fields of a try's record beyond those of all records.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TryFields {
    /// How the try ended.
    pub outcome: TryOutcome,
    /// `dag_id`; empty if absent.
    pub dag_id: CompactString,
    /// `task_id`; if absent, the unit's id replaces it.
    pub task_id: Option<CompactString>,
    /// `logical_date`, which Airflow keeps in UTC.
    pub logical_date: Option<Time>,
    /// The failure, if the try failed.
    pub failed: FailedTry,
    /// Why the value of `logicalDate` is not a date.
    pub date_error: Option<Box<TimeError>>,
}

impl TryFields {
    /// Returns whether the record has both ids that are hashed. An absent date means that the run has none.
    pub(super) fn has_hashed_ids(&self) -> bool {
        !self.dag_id.is_empty() && self.task_id.is_some()
    }

    /// Returns the hashed fields of the task instance; `unit` is its id.
    pub fn task<'t>(&'t self, unit: &'t str) -> TaskInstance<'t> {
        TaskInstance {
            dag_id: &self.dag_id,
            task_id: self.task_id.as_deref().unwrap_or(unit),
            logical_date: self.logical_date.map(LogicalDate::utc).unwrap_or_default(),
        }
    }
}

impl Evidence for TryFields {
    fn has(&self, name: &str, value: &str) -> bool {
        match name {
            "workerDied" => self.failed.worker_died && value == "true",
            "exceptions" => self.failed.exceptions.iter().any(|class| class == value),
            _ => false,
        }
    }
}

impl RecordFields for TryFields {
    /// A task instance is the only member of its unit.
    type Key = ();
    type Unit = ();
    type Limits = ();

    const DOC: &'static str = "One try of a task instance, as one line of a JSON Lines history.";

    const FIELDS: &'static [Field<Self>] = &[
        Field::id("The task instance: any name that is its own."),
        Field::queue(run_fields::QUEUE),
        Field::run_index(run_fields::RUN_INDEX),
        Field::started_at(run_fields::STARTED),
        Field::finished_at(run_fields::FINISHED),
        Field::node(run_fields::NODE),
        Field::cluster(run_fields::CLUSTER),
        Field::own(required("outcome", TryOutcome::KIND, "How the try ended."), |run, value| {
            run.outcome = value.text(TryOutcome::from_name)??;
            Some(())
        }),
        Field::own(
            optional(
                "dagId",
                Kind::Text,
                "dag_id, which the jitter's hash begins with; absent means an empty one.",
            ),
            |run, value| value.some_text(|text| run.dag_id.push_str(text)),
        ),
        Field::own(
            optional(
                "taskId",
                Kind::Text,
                "task_id, with its groups before it, which is hashed too; absent means the jobId.",
            ),
            |run, value| value.some_text(|text| run.task_id = Some(text.into())),
        ),
        Field::own(
            optional(
                "logicalDate",
                Kind::Text,
                "logical_date, up to 2.x execution_date, which is hashed too, in UTC.\nRFC 3339 or as Python prints it, without a zone in UTC. Absent or `None` means that the run has none.",
            ),
            |run, value| value.unless_null(|value| read_date(run, value)),
        ),
        Field::own(
            optional(
                "tryNumber",
                TRIES,
                "try_number of the try that ended, from 1; absent means one more than the try before.",
            ),
            |run, value| {
                run.failed.try_number = value.optional(read_tries)?;
                Some(())
            },
        ),
        Field::own(
            optional(
                "maxTries",
                TRIES,
                "max_tries from this try on, where clearing the task instance has changed it.\nAbsent means that of the try before, at first the policy's `retries`.",
            ),
            |run, value| {
                run.failed.max_tries = value.optional(read_tries)?;
                Some(())
            },
        ),
        Field::own(
            optional(
                "state",
                Kind::OneOf(&STATES),
                "The state that the try failed in; absent means running.",
            ),
            |run, value| {
                value.unless_null(|value| {
                    run.failed.state = value.text(InstanceState::from_name)??;
                    Some(())
                })
            },
        ),
        Field::own(
            optional(
                "forceFail",
                Kind::Boolean,
                "Whether it requested no further try; absent means false.\n\
                 By AirflowFailException, a sensor's timeout, or from 3.3 on a retry policy that ends it. A profile with a `retry_policy` decides by\n\
                 `exceptions` instead, where they are on record.",
            ),
            |run, value| {
                run.failed.force_fail = value.optional(ValueReader::boolean)?.unwrap_or_default();
                Some(())
            },
        ),
        Field::own(
            optional(
                "retryDelayOverride",
                Kind::Number { min: 0.0, above: false, code: Code::OutOfRange },
                "The delay in seconds that a retry policy (3.3) set: neither cap nor ceiling applies to it.\n\
                 A profile with a `retry_policy` decides by `exceptions` instead, where they are on record.",
            ),
            |run, value| {
                let seconds = value.optional(|value| value.f64().filter(|it| *it >= 0.0))?;
                run.failed.retry_delay_override = seconds.map(TimeDelta::from_seconds);
                Some(())
            },
        ),
        Field::own(
            optional(
                "exceptions",
                Kind::List { item: &Kind::SomeText, min: 0 },
                "The classes of the exception by their qualified names, the most derived first: `__mro__`.\n\
                 A retry policy (3.3) compares them. Bases of Python's own exceptions may be left out, and so\n\
                 may `builtins.`.",
            ),
            |run, value| value.unless_null(|value| read_exceptions(run, value)),
        ),
        Field::own(
            optional(
                "workerDied",
                Kind::Boolean,
                "Whether the process or its worker died, by an OOM kill, a preemption or a drain.\n\
                 No exception is raised then, and no retry policy (3.3) is consulted; absent means false.\n\
                 The scheduler decides, unless `processExit` is present.",
            ),
            |run, value| {
                run.failed.worker_died = value.optional(ValueReader::boolean)?.unwrap_or_default();
                Some(())
            },
        ),
        Field::own(
            optional(
                "processExit",
                Kind::Whole { min: -64, max: 255, code: Code::OutOfRange },
                "The exit code of a process that ended without an outcome while its worker was alive: -9 is SIGKILL.\n\
                 Such a try has no exceptions. 3.0.0 to 3.1.1 fail the task; absent means that the worker died too,\n\
                 or that the task raised an exception.",
            ),
            |run, value| {
                run.failed.process_exit = value.optional(read_exit)?;
                Some(())
            },
        ),
        Field::own(
            optional(
                "rescheduleCount",
                Kind::Whole { min: 0, max: u32::MAX as i128, code: Code::OutOfRange },
                "task_reschedule_count of the try before it failed (3.4), a sensor's pokes included.\n\
                 Absent means those of the replayed retry policy.",
            ),
            |run, value| {
                run.failed.reschedules = value.optional(ValueReader::u32)?;
                Some(())
            },
        ),
    ];

    fn fault(&self) -> Option<FieldFault> {
        // Airflow asks the retry policy about an exception only if the process reported one, and a dead process did
        // not.
        if self.failed.has_died() && !self.failed.exceptions.is_empty() {
            let (field, value) = if self.failed.worker_died {
                ("workerDied", "true")
            } else {
                ("processExit", "given")
            };
            let message =
                format!("`{field}` is {value}, but a process that died raised no exception");
            let help = format!("leave out one of `{field}` and `exceptions`");
            return Some(FieldFault { help: Some(help), ..FieldFault::new(field, message) });
        }
        if self.failed.process_exit == Some(0) && self.outcome == TryOutcome::Failed {
            let message = "`processExit` is 0, which is a success";
            let help = "leave it out, or write the exit code: -9 for SIGKILL".to_owned();
            return Some(FieldFault {
                help: Some(help),
                ..FieldFault::new("processExit", message)
            });
        }
        let error = self.date_error.as_ref()?;
        let fault = FieldFault::new("logicalDate", format!("`logicalDate`: {error}"));
        Some(FieldFault { help: Some(error.help()), ..fault })
    }

    fn key(&self) {}
}

/// Reads `logicalDate`. The error of an invalid date is kept for [`fault`](RecordFields::fault).
fn read_date(run: &mut TryFields, value: &mut ValueReader<'_, '_>) -> Option<()> {
    match value.text(parse_date)? {
        Ok(date) => run.logical_date = date,
        Err(error) => run.date_error = Some(Box::new(error)),
    }
    Some(())
}

/// Reads `exceptions`, and adds the bases that they are known to have.
fn read_exceptions(run: &mut TryFields, value: &mut ValueReader<'_, '_>) -> Option<()> {
    let classes = &mut run.failed.exceptions;
    value.items(|item| {
        let class = item.text(|class| (!class.is_empty()).then(|| canonical(class)))??;
        classes.push(class);
        Some(())
    })?;
    complete(classes);
    Some(())
}

fn parse_date(text: &str) -> Result<Option<Time>, TimeError> {
    // Python's `str` of an absent date is `None`.
    if matches!(text, "" | "None") {
        return Ok(None);
    }
    match LogicalDate::parse(text)? {
        LogicalDate::At { at, .. } => Ok(Some(at)),
        LogicalDate::Absent => Ok(None),
    }
}

/// The range of Airflow's integer columns for tries.
const TRIES: Kind = Kind::Whole { min: 0, max: i32::MAX as i128, code: Code::OutOfRange };

/// Reads an exit code of a process.
fn read_exit(value: &mut ValueReader<'_, '_>) -> Option<i32> {
    // From -64, the highest signal of Linux as Python reports it, to the highest exit code.
    value.i32().filter(|code| (-64..=255).contains(code))
}

/// Reads a number in the range of [`TRIES`].
fn read_tries(value: &mut ValueReader<'_, '_>) -> Option<i32> {
    value.i32().filter(|number| *number >= 0)
}

choices! {
    static STATES = "state of a task instance" {
        /// The task failed by itself.
        "running",
        /// It was cleared while it ran: it is tried again regardless of the limit.
        "restarting",
        /// It was found dead before it began. 2.x counts one try more for it.
        "queued",
        /// As queued.
        "scheduled",
        /// As queued: its trigger failed.
        "deferred",
        /// As queued.
        "awaiting_input",
        /// As queued: a sensor between two pokes.
        "up_for_reschedule",
        /// As queued.
        "up_for_retry",
        /// As queued.
        "upstream_failed",
        /// As queued.
        "failed",
        /// As queued.
        "success",
        /// As queued.
        "skipped",
        /// As queued.
        "removed",
    }
}

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
