//! A history is read alike as a document and as lines.
//!
//! Holds semantics.md 10.

use super::oracle;
use armada_retry::policy::{self, SchedulerSettings};
use document::diag::Source;
use replay::history::{GraceBounds, Job, OnBadRecord};
use replay::simulate::{Stream, read_history};
use serde_json::{Map, Value};
use systems::armada::{Armada, incomplete_gangs};

fn read(
    settings: &SchedulerSettings,
    feed: impl FnOnce(&mut Stream<'_, Armada>),
) -> (Vec<Job>, Vec<String>) {
    let bounds = Some(GraceBounds::from(settings));
    let (history, mut findings) = read_history(bounds, OnBadRecord::Error, feed);
    let jobs = history.members;
    findings.extend(incomplete_gangs(&jobs));
    (jobs, findings.sorted().iter().map(|finding| finding.message.clone()).collect())
}

/// The history's runs as one record each, a job's fields on its first or on all of them.
pub fn lines(history: &Value, repeated: bool) -> Vec<Map<String, Value>> {
    let mut lines = Vec::new();
    for job in history["spec"]["jobs"].as_array().into_iter().flatten() {
        for (position, run) in job["runs"].as_array().into_iter().flatten().enumerate() {
            let mut line = run.as_object().expect("a run").clone();
            for (key, value) in job.as_object().expect("a job") {
                let wanted = key == "jobId" || position == 0 || repeated;
                // What the job says counts, whatever its run says.
                if key != "runs" && wanted && !value.is_null() {
                    line.insert(key.clone(), value.clone());
                }
            }
            lines.push(line);
        }
    }
    lines
}

/// Lines of one job stay in order; those of different jobs are shuffled among each other.
pub fn shuffled(lines: Vec<Map<String, Value>>, mut seed: u64) -> Vec<Map<String, Value>> {
    let mut queues: Vec<std::collections::VecDeque<Map<String, Value>>> = Vec::new();
    for line in lines {
        match queues.iter_mut().find(|queue| queue[0]["jobId"] == line["jobId"]) {
            Some(queue) => queue.push_back(line),
            None => queues.push([line].into()),
        }
    }
    let mut all = Vec::new();
    while !queues.is_empty() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pick = usize::try_from(seed >> 33).unwrap_or(0) % queues.len();
        all.extend(queues[pick].pop_front());
        queues.retain(|queue| !queue.is_empty());
    }
    all
}

pub fn settings(input: &oracle::Input) -> SchedulerSettings {
    input.scheduler.as_ref().map_or_else(SchedulerSettings::default, |config| {
        let source = Source::new("config.json", config.to_string());
        policy::read_scheduler_config(&source).0.expect("a valid configuration")
    })
}

/// What lines can say: they have no events, and no start, so that offsets count from the epoch.
pub fn as_lines_have_it(history: &Value) -> Value {
    let mut history = history.clone();
    let spec = history["spec"].as_object_mut().expect("a spec");
    spec.remove("start");
    spec.remove("events");
    history
}

/// Whether dates stand beside offsets, which needs a start and so a document.
pub fn mixes_notations(history: &Value) -> bool {
    let (mut dates, mut offsets) = (false, false);
    for line in lines(history, false) {
        for key in ["startedAt", "finishedAt", "terminationConfirmedAt"] {
            match line.get(key).and_then(Value::as_str) {
                Some(time) if time.contains('T') || time.contains('t') => dates = true,
                Some(time) if !time.is_empty() => offsets = true,
                _ => {}
            }
        }
    }
    dates && offsets
}

fn json_line(line: &Map<String, Value>) -> String {
    serde_json::to_string(line).expect("JSON") + "\n"
}

#[test]
fn documents_and_lines_are_read_alike() {
    let mut compared = 0;
    for seed in 0..1_500 {
        let input = oracle::case(seed);
        if mixes_notations(&input.history) {
            continue;
        }
        compared += 1;
        let settings = settings(&input);
        let history = as_lines_have_it(&input.history);
        let yaml = serde_yaml::to_string(&history).expect("YAML");
        let by_json = read(&settings, |stream| stream.text(&Source::new("h", history.to_string())));
        let by_yaml = read(&settings, |stream| stream.text(&Source::new("h", yaml.as_str())));
        assert_eq!(by_yaml, by_json, "seed {seed}:\n{yaml}");
        for repeated in [false, true] {
            let lines = shuffled(lines(&history, repeated), seed);
            let text: String = lines.iter().map(json_line).collect();
            let mut by_lines = read(&settings, |stream| stream.whole_lines("h", &text));
            // Jobs come in the order of their first lines.
            let order = |job: &Job| by_json.0.iter().position(|other| other.unit == job.unit);
            by_lines.0.sort_by_key(order);
            by_lines.1.sort();
            let mut wanted = by_json.clone();
            wanted.1.sort();
            assert_eq!(by_lines, wanted, "seed {seed}, repeated {repeated}:\n{history:#}");
        }
    }
    assert!(compared > 500, "only {compared} histories could be written both ways");
}
