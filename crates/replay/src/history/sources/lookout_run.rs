//! A run as Lookout has it, with the debug JSON and the error that an operator has fetched for it.

use super::json::{into_non_empty, time};
use crate::history::armada::ArmadaRun;
use crate::history::job::RunRecord;
use crate::history::lookout::{DebugTrigger, ObservedPod, RunDebug, complete_run};
use armada_retry::engine::{Container, Outcome};
use document::diag::did_you_mean;
use document::units::Time;
use serde::Deserialize;
use serde_json::Value;

/// A run. `debug` and `error` are not of Lookout's pages: they are the answers of other requests.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LookoutRun {
    cluster: Option<String>,
    node: Option<String>,
    leased: Option<String>,
    pending: Option<String>,
    started: Option<String>,
    finished: Option<String>,
    job_run_state: Option<String>,
    exit_code: Option<i64>,
    failure_category: Option<String>,
    failure_subcategory: Option<String>,
    pub(super) debug: Option<Value>,
    error: Option<Value>,
}

/// The end of a run.
pub(super) enum RunEnd {
    Ended(Outcome),
    Ongoing,
    Unknown,
}

impl LookoutRun {
    /// A run of which only the debug JSON is known.
    pub(super) fn from_debug(debug: Value) -> Self {
        Self { debug: Some(debug), ..Self::default() }
    }

    /// How it ended: by its state, else by its debug JSON.
    ///
    /// # Errors
    ///
    /// The message, to be written after "job `..` has a run".
    pub(super) fn end(&self) -> Result<RunEnd, String> {
        // The state comes first: the debug JSON is of a failed pod, and a run may have ended otherwise.
        if let Some(state) = self.job_run_state.as_deref().filter(|state| !state.is_empty()) {
            return RunEnd::of(state).ok_or_else(|| {
                match did_you_mean(state, STATES.map(|(name, _)| name)) {
                    Some(near) => format!("of unknown state `{state}`; did you mean `{near}`?"),
                    None => format!("of unknown state `{state}`"),
                }
            });
        }
        let debug = self.debug.as_ref().map(text_of).unwrap_or_default();
        match RunDebug::read(&debug) {
            Ok(Some(debug)) => Ok(RunEnd::from_debug(&debug)),
            Ok(None) => Err("with neither `jobRunState` nor debug JSON".to_owned()),
            Err(message) => Err(format!("with invalid debug JSON: {message}")),
        }
    }

    /// The run of an outcome, and its first time.
    ///
    /// # Errors
    ///
    /// Which of its times is invalid.
    pub(super) fn record(self, outcome: Outcome) -> Result<(Option<Time>, RunRecord), String> {
        let started = time("started", self.started.as_ref())?;
        let finished = time("finished", self.finished.as_ref())?;
        let leased = time("leased", self.leased.as_ref())?;
        let pending = time("pending", self.pending.as_ref())?;
        let mut own = ArmadaRun {
            category: self.failure_category.unwrap_or_default().into(),
            subcategory: self.failure_subcategory.unwrap_or_default().into(),
            observed: observed(self.debug.as_ref(), self.error.as_ref()).map(Box::new),
            ..ArmadaRun::new(outcome)
        };
        let debug = own.observed.as_ref().and_then(|observed| observed.debug.as_ref());
        let node_of_debug = debug.and_then(|debug| debug.node.as_ref()).map(|it| it.name.clone());
        complete_run(&mut own);
        // The exit code is that of the first container that failed, whose name is not told.
        let code = self.exit_code.filter(|code| *code != 0);
        if let Some(code) = code.filter(|_| !own.containers.iter().any(Container::failed)) {
            // The container `main` takes the exit code, so that it is not listed twice.
            let others = own.containers.iter().filter(|container| container.name != "main");
            let others: Vec<Container> = others.cloned().collect();
            own.containers = others.into_iter().chain([main_container(Some(code))]).collect();
        }
        let node = into_non_empty(self.node).or_else(|| into_non_empty(node_of_debug));
        let record = RunRecord {
            started_at: started,
            finished_at: finished,
            node: node.map(Into::into),
            cluster: into_non_empty(self.cluster).map(Into::into),
            own,
            ..RunRecord::default()
        };
        // The first time orders the runs, and each may be absent.
        Ok((leased.or(pending).or(started).or(finished), record))
    }
}

fn observed(debug: Option<&Value>, error: Option<&Value>) -> Option<ObservedPod> {
    let mut observed = ObservedPod::default();
    if let Some(debug) = debug {
        observed.set_debug(&text_of(debug));
    }
    if let Some(error) = error {
        observed.set_error(&text_of(error));
    }
    (observed != ObservedPod::default()).then_some(observed)
}

/// A text, or the JSON of another value.
fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The states of runs in Lookout, and the end of each.
const STATES: [(&str, RunEnd); 12] = [
    ("RUN_SUCCEEDED", RunEnd::Ended(Outcome::Succeeded)),
    ("RUN_FAILED", RunEnd::Ended(Outcome::Failed)),
    ("RUN_PREEMPTED", RunEnd::Ended(Outcome::Preempted)),
    ("RUN_LEASE_EXPIRED", RunEnd::Ended(Outcome::LeaseExpired)),
    ("RUN_CANCELLED", RunEnd::Ended(Outcome::Cancelled)),
    // None of the next three is a failure to the engine: the pod did not run.
    ("RUN_LEASE_RETURNED", RunEnd::Ended(Outcome::LeaseReturned)),
    ("RUN_UNABLE_TO_SCHEDULE", RunEnd::Ended(Outcome::LeaseReturned)),
    ("RUN_MAX_RUNS_EXCEEDED", RunEnd::Ended(Outcome::LeaseReturned)),
    ("RUN_LEASED", RunEnd::Ongoing),
    ("RUN_PENDING", RunEnd::Ongoing),
    ("RUN_RUNNING", RunEnd::Ongoing),
    ("RUN_TERMINATED", RunEnd::Unknown),
];

impl RunEnd {
    fn of(state: &str) -> Option<Self> {
        STATES.into_iter().find(|(name, _)| *name == state).map(|(_, end)| end)
    }

    /// The end by why the executor stored the debug JSON. A pod that did not start may have failed or returned its
    /// lease; one that is stuck may be of a run that failed, was cancelled or was preempted.
    fn from_debug(debug: &RunDebug) -> Self {
        match debug.trigger {
            DebugTrigger::PodFailed if debug.pod.phase == "Failed" => Self::Ended(Outcome::Failed),
            DebugTrigger::Undeletable
            | DebugTrigger::ExternallyDeleted
            | DebugTrigger::ActiveDeadlineExceeded => Self::Ended(Outcome::Failed),
            DebugTrigger::Preempted => Self::Ended(Outcome::Preempted),
            DebugTrigger::CancelledNotStarted => Self::Ended(Outcome::Cancelled),
            DebugTrigger::PodFailed | DebugTrigger::StuckTerminating | DebugTrigger::Other => {
                Self::Unknown
            }
        }
    }
}

/// The container of an exit code for which a source has no name.
pub(super) fn main_container(exit_code: Option<i64>) -> Container {
    Container { name: "main".into(), exit_code, ..Container::default() }
}
