//! The history: what section 10 calls a bad record.

use serde_json::Value;

use super::super::Input;
use super::super::history::{self, Job, Run, RunOutcome};
use super::super::json::{list, text};
use super::super::settings::Settings;
use super::super::time::{instant, is_date};

/// What is wrong with the history.
pub fn problems(input: &Input) -> Vec<String> {
    let spec = &input.history["spec"];
    let named =
        input.history["kind"] == "FailureHistory" && input.history["apiVersion"].is_string();
    if !named || !list(spec, "jobs").iter().all(is_whole) {
        return vec!["a history that lacks something".to_owned()];
    }
    let mut found: Vec<String> = bad_times(spec).into_iter().map(str::to_owned).collect();
    if !found.is_empty() {
        return found;
    }
    let settings = Settings::read(input, history::start(&input.history));
    let jobs = history::jobs(&input.history);
    for (index, job) in jobs.iter().enumerate() {
        let known = jobs[..index].iter().any(|other| other.id == job.id);
        let bad = bad_job(job, &settings).or(known.then_some("jobId twice"));
        found.extend(bad.map(|bad| format!("{}: {bad}", job.id)));
    }
    if list(spec, "queues")
        .iter()
        .any(|queue| text(queue, "name").is_none() || !queue["retryPolicies"].is_array())
    {
        found.push("a queue".to_owned());
    }
    found
}

/// A job with an id, a queue and at least one run, each with an outcome and named containers.
fn is_whole(job: &Value) -> bool {
    let runs = list(job, "runs");
    let named = |run: &Value| {
        list(run, "containers").iter().all(|container| text(container, "name").is_some())
    };
    let queue = text(job, "queue").or_else(|| text(runs.first()?, "queue"));
    let whole = |run: &Value| text(run, "outcome").is_some() && named(run) && !is_half_a_gang(run);
    text(job, "jobId").is_some()
        && queue.is_some()
        && !runs.is_empty()
        && runs.iter().all(whole)
        && !is_half_a_gang(job)
}

/// An id without a cardinality, or the other way round.
fn is_half_a_gang(owner: &Value) -> bool {
    let (field, annotations) = (&owner["gang"], &owner["annotations"]);
    let halved = field.is_object() && !(field["id"].is_string() && field["cardinality"].is_u64());
    let noted = |key: &str| text(annotations, &format!("armadaproject.io/{key}")).is_some();
    halved || noted("gangId") != noted("gangCardinality")
}

/// Every time can be read, and "dates mixed with offsets need an explicit start".
fn bad_times(spec: &Value) -> Option<&'static str> {
    let events = list(spec, "events");
    if events.iter().any(|event| text(event, "at").is_none() || !event["reload"].is_object()) {
        return Some("an event");
    }
    if events.iter().any(|event| event["reload"].as_object().is_none_or(serde_json::Map::is_empty))
    {
        return Some("a reload of nothing");
    }
    let runs = list(spec, "jobs").iter().flat_map(|job| list(job, "runs"));
    let keys = ["startedAt", "finishedAt", "terminationConfirmedAt"];
    let of_runs = runs.flat_map(|run| keys.iter().filter_map(|key| text(run, key)));
    let all: Vec<&str> =
        of_runs.chain(events.iter().filter_map(|event| text(event, "at"))).collect();
    if all.iter().any(|time| instant(time, 0).is_none()) {
        return Some("a time");
    }
    let mixed = all.iter().any(|time| is_date(time)) && all.iter().any(|time| !is_date(time));
    (mixed && text(spec, "start").is_none()).then_some("dates and offsets without a start")
}

fn bad_job(job: &Job, settings: &Settings) -> Option<&'static str> {
    let times: Vec<_> = job.runs.iter().filter_map(Run::time).collect();
    let indexes: Vec<_> = job.runs.iter().map(|run| run.index).collect();
    let stopped = job.runs.iter().any(|run| run.outcome == RunOutcome::Stopped);
    if !times.is_sorted() {
        return Some("going backwards");
    }
    if !indexes.windows(2).all(|pair| pair[0] < pair[1]) {
        return Some("a runIndex that does not grow");
    }
    if stopped && job.gang.is_none() {
        return Some("Stopped outside a gang");
    }
    job.runs.iter().find_map(|run| bad_run(run, settings))
}

fn bad_run(run: &Run, settings: &Settings) -> Option<&'static str> {
    if run.started.zip(run.finished).is_some_and(|(started, finished)| finished < started) {
        return Some("finishing before starting");
    }
    let over = settings.maximum_grace.is_some_and(|maximum| run.grace > maximum);
    if over || (run.grace > 0 && run.grace < settings.minimum_grace) {
        return Some("a grace period that Armada refuses");
    }
    let names: Vec<_> = run.containers.iter().map(|container| &container.name).collect();
    let repeated = (0..names.len()).any(|index| names[..index].contains(&names[index]));
    repeated.then_some("duplicate container names")
}
