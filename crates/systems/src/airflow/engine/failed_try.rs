//! A try that has failed, as its record has it.

use super::eligibility::InstanceState;
use crate::airflow::manifest::python_time::TimeDelta;
use compact_str::CompactString;

/// A try that has failed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FailedTry {
    /// `try_number`; if absent, the number of the previous try plus 1.
    pub try_number: Option<i32>,
    /// `max_tries` from now on, if it was changed: clearing a task instance raises it.
    pub max_tries: Option<i32>,
    /// The state that the task instance was in.
    pub state: InstanceState,
    /// `force_fail`: the task itself excluded another try.
    pub force_fail: bool,
    /// `retry_delay_override`: the delay that a retry policy set for this failure, since 3.3.
    pub retry_delay_override: Option<TimeDelta>,
    /// The classes of the exception, the most derived first, with all known bases.
    pub exceptions: Vec<CompactString>,
    /// Whether the process or its worker died, so that no exception was raised.
    pub worker_died: bool,
    /// The exit code of the process, negative for a signal, if it ended without an outcome while its worker was
    /// alive.
    pub process_exit: Option<i32>,
    /// `task_reschedule_count`: the reschedules of the try before this end, if they are on record.
    pub reschedules: Option<u32>,
}

impl FailedTry {
    /// Returns whether the process or its worker died, so that no exception was raised.
    pub fn has_died(&self) -> bool {
        self.worker_died || self.process_exit.is_some()
    }

    /// Returns whether the worker ended the try: the task ran, and its worker lives.
    pub(crate) fn ended_in_worker(&self) -> bool {
        self.state == InstanceState::Running && (!self.worker_died || self.process_exit.is_some())
    }
}
