//! A `FailureHistory` as plain data (section 10): defaults filled in, times resolved. Decides nothing.

use std::collections::BTreeMap;

use serde_json::Value;

use super::json::{list, owned, text, texts};
use super::quantity::bytes;
use super::time::{Nanos, SECOND, instant};

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunOutcome {
    Succeeded,
    Failed,
    Preempted,
    LeaseReturned,
    LeaseExpired,
    Cancelled,
    Stopped,
}

/// One container's end.
#[derive(Clone)]
pub struct Container {
    pub name: String,
    pub init: bool,
    pub exit_code: Option<i64>,
    pub reason: Option<String>,
    pub message: Option<String>,
}

/// One recorded run.
pub struct Run {
    pub index: u64,
    pub started: Option<Nanos>,
    pub finished: Option<Nanos>,
    pub node: Option<String>,
    pub outcome: RunOutcome,
    pub conditions: Vec<String>,
    pub containers: Vec<Container>,
    pub category: Option<String>,
    pub subcategory: Option<String>,
    pub grace: Nanos,
    pub confirmed: Option<Nanos>,
}

/// A gang as a job names it.
#[derive(Clone)]
pub struct GangId {
    pub id: String,
    pub cardinality: u64,
}

/// One job with its runs.
pub struct Job {
    pub id: String,
    pub queue: String,
    pub set: Option<String>,
    pub annotations: BTreeMap<String, String>,
    pub memory: Option<i128>,
    /// Only a gang of two or more: "1 is no gang" (section 9).
    pub gang: Option<GangId>,
    pub runs: Vec<Run>,
}

impl Run {
    /// "A run's time is `finishedAt`, else `startedAt`, else none" (section 10).
    pub fn time(&self) -> Option<Nanos> {
        self.finished.or(self.started)
    }

    /// Preempted "by outcome or by name" (section 7).
    pub fn is_preempted(&self) -> bool {
        self.outcome == RunOutcome::Preempted || self.conditions.iter().any(|c| c == "Preempted")
    }

    /// Section 4: runs that have no container failure, whatever their record carries.
    pub fn is_bare(&self) -> bool {
        use RunOutcome::{LeaseExpired, LeaseReturned, Preempted};
        matches!(self.outcome, Preempted | LeaseReturned | LeaseExpired)
    }
}

impl Job {
    /// An annotation under Armada's prefix.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        let found = self.annotations.get(&format!("armadaproject.io/{key}"));
        found.map(String::as_str)
    }
}

/// `spec.start`, by default the epoch.
pub fn start(history: &Value) -> Nanos {
    let start = text(&history["spec"], "start").and_then(|start| instant(start, 0));
    start.unwrap_or(0)
}

/// All jobs, in file order.
pub fn jobs(history: &Value) -> Vec<Job> {
    let start = start(history);
    let jobs = list(&history["spec"], "jobs").iter();
    jobs.map(|job| read_job(job, start)).collect()
}

/// "Job-level fields may stand on the job": what it lacks, its first run gives.
fn read_job(job: &Value, start: Nanos) -> Job {
    let runs = list(job, "runs");
    let lent = |key: &str| {
        let own = &job[key];
        if own.is_null() { runs[0][key].clone() } else { own.clone() }
    };
    let annotations = strings(&lent("annotations"));
    let positions = runs.iter().enumerate();
    Job {
        id: owned(job, "jobId").expect("a job has an id"),
        queue: lent("queue").as_str().unwrap_or_default().to_owned(),
        set: lent("jobSet").as_str().filter(|set| !set.is_empty()).map(str::to_owned),
        memory: text(&lent("resources"), "memory").and_then(bytes),
        gang: gang(&lent("gang"), &annotations),
        annotations,
        runs: positions.map(|(position, run)| read_run(run, position, start)).collect(),
    }
}

fn strings(map: &Value) -> BTreeMap<String, String> {
    let entries = map.as_object().into_iter().flatten();
    entries.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}

/// Section 9: "`gang`, or the annotations `armadaproject.io/gangId` and `gangCardinality`; 1 is no gang".
fn gang(field: &Value, annotations: &BTreeMap<String, String>) -> Option<GangId> {
    let noted = |key: &str| annotations.get(&format!("armadaproject.io/{key}"));
    let id = owned(field, "id").or_else(|| noted("gangId").cloned())?;
    let from_field = field["cardinality"].as_u64();
    let cardinality = from_field.or_else(|| noted("gangCardinality")?.parse().ok())?;
    (cardinality >= 2).then_some(GangId { id, cardinality })
}

fn read_run(run: &Value, position: usize, start: Nanos) -> Run {
    let at = |key| text(run, key).map(|time| instant(time, start).expect("a time"));
    let outcome = outcome(text(run, "outcome").expect("a run has an outcome"));
    let (category, subcategory) = category(run, outcome);
    Run {
        index: run["runIndex"].as_u64().unwrap_or(position as u64),
        started: at("startedAt"),
        finished: at("finishedAt"),
        node: owned(run, "node"),
        outcome,
        conditions: texts(run, "conditions"),
        containers: list(run, "containers").iter().map(container).collect(),
        category,
        subcategory,
        grace: Nanos::from(run["terminationGracePeriodSeconds"].as_u64().unwrap_or(0)) * SECOND,
        confirmed: at("terminationConfirmedAt"),
    }
}

/// Section 8: an expired lease "without a category gets `internal`, `lease-expired`".
fn category(run: &Value, outcome: RunOutcome) -> (Option<String>, Option<String>) {
    let category = owned(run, "category");
    if outcome == RunOutcome::LeaseExpired && category.is_none() {
        return (Some("internal".into()), Some("lease-expired".into()));
    }
    (category, owned(run, "subcategory"))
}

fn container(container: &Value) -> Container {
    Container {
        name: owned(container, "name").unwrap_or_default(),
        init: container["init"].as_bool().unwrap_or(false),
        exit_code: container["exitCode"].as_i64(),
        reason: owned(container, "reason"),
        message: owned(container, "message"),
    }
}

fn outcome(name: &str) -> RunOutcome {
    match name {
        "Succeeded" => RunOutcome::Succeeded,
        "Failed" => RunOutcome::Failed,
        "Preempted" => RunOutcome::Preempted,
        "LeaseReturned" => RunOutcome::LeaseReturned,
        "LeaseExpired" => RunOutcome::LeaseExpired,
        "Cancelled" => RunOutcome::Cancelled,
        "Stopped" => RunOutcome::Stopped,
        other => panic!("no outcome of a run: {other}"),
    }
}
