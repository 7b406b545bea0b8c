//! The debug JSON that Armada's executor stores for a run: what is read of it, and what failures are classified as by it.
//!
//! [`render`] is a second implementation of `internal/executor/reporter/debug.go`. The cases of `debug.jsonl`, which
//! Armada's own code rendered, hold it to that; the cases of `classify.jsonl` are then rendered by it, limits and all.

use armada_retry::engine::Outcome;
use replay::history::{ArmadaRun, LineReader, RunRecord};
use serde_json::{Map, Value, json};
use systems::armada::classifier::config::ExecutorConfig;
use systems::armada::classifier::{Executor, Executors, FailedPod};

/// The most containers, and events, of each kind.
const LONGEST_LIST: usize = 10;

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A text within 256 bytes.
fn cut(text: &str) -> String {
    if text.len() <= 256 {
        return text.to_owned();
    }
    let end = (0..=256).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    format!("{}...[truncated]", &text[..end])
}

/// An object without its empty texts, lists and objects, and without nulls.
fn without_empty(fields: &[(&str, Value)]) -> Value {
    let is_empty = |value: &Value| {
        value.is_null()
            || value == &json!("")
            || value.as_array().is_some_and(Vec::is_empty)
            || value.as_object().is_some_and(Map::is_empty)
    };
    let fields = fields.iter().filter(|(_, value)| !is_empty(value));
    fields.map(|(key, value)| ((*key).to_owned(), value.clone())).collect::<Map<_, _>>().into()
}

/// Whole seconds between two times of a day in January 2026, which all times of the cases are.
fn seconds_between(start: &str, end: &str) -> Option<i64> {
    let seconds = |time: &str| -> Option<i64> {
        let (date, clock) = time.strip_suffix('Z')?.split_once('T')?;
        let day: i64 = date.rsplit('-').next()?.parse().ok()?;
        let mut parts = clock.split(':').map(|part| part.parse::<i64>().ok());
        let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
        Some(((day * 24 + hours) * 60 + minutes) * 60 + seconds)
    };
    Some(seconds(end)? - seconds(start)?)
}

fn container(status: &Value) -> Value {
    let state = &status["state"];
    let kind =
        ["running", "terminated", "waiting"].into_iter().find(|kind| state[kind].is_object());
    let ended = &state["terminated"];
    without_empty(&[
        ("name", json!(cut(text(&status["name"])))),
        ("state", json!(kind.unwrap_or("unknown"))),
        (
            "exitCode",
            if ended.is_object() {
                json!(ended["exitCode"].as_i64().unwrap_or(0))
            } else {
                Value::Null
            },
        ),
        ("reason", json!(cut(text(&state[kind.unwrap_or_default()]["reason"])))),
        (
            "runSeconds",
            json!(seconds_between(text(&ended["startedAt"]), text(&ended["finishedAt"]))),
        ),
    ])
}

fn containers(statuses: &Value) -> Value {
    list(statuses).iter().take(LONGEST_LIST).map(container).collect::<Vec<_>>().into()
}

fn events(events: &Value) -> Value {
    let mut events: Vec<&Value> = list(events).iter().collect();
    events.sort_by_key(|event| text(&event["lastTimestamp"]).to_owned());
    let newest = &events[events.len().saturating_sub(LONGEST_LIST)..];
    let event = |event: &&Value| {
        without_empty(&[
            ("type", event["type"].clone()),
            ("reason", json!(cut(text(&event["reason"])))),
            ("from", event["source"]["component"].clone()),
            ("message", json!(cut(text(&event["message"]).trim()))),
            ("timestamp", event["lastTimestamp"].clone()),
        ])
    };
    newest.iter().map(event).collect::<Vec<_>>().into()
}

/// The debug JSON of a pod without its node, as far as it is read.
pub fn render(pod: &Value, pod_events: &Value, trigger: &str) -> Value {
    let status = &pod["status"];
    json!({
        "schemaVersion": 1,
        "trigger": trigger,
        "pod": without_empty(&[
            ("phase", status["phase"].clone()),
            ("reason", json!(cut(text(&status["reason"])))),
            ("initContainers", containers(&status["initContainerStatuses"])),
            ("containers", containers(&status["containerStatuses"])),
            ("events", events(pod_events)),
        ]),
    })
}

/// The run of a record with this debug JSON and this error.
fn run_of(debug: &str, error: &Value) -> Result<ArmadaRun, String> {
    let line = json!({"jobId": "a", "outcome": "Failed", "debug": debug, "error": error});
    let mut reader = LineReader::<ArmadaRun>::default();
    let line = line.to_string();
    let read = reader.read(&line).ok_or("the record cannot be read")?;
    Ok(read.1.own.clone())
}

/// Compares what is read of a text that Armada's code rendered with the pod and its events.
pub fn run(case: &Value) -> Result<(), String> {
    let (pod, debug) = (&case["pod"], text(&case["debug"]));
    let parsed: Value = serde_json::from_str(debug).map_err(|error| error.to_string())?;
    let rendered = render(pod, &case["events"], text(&case["trigger"]));
    for key in ["phase", "reason", "initContainers", "containers", "events"] {
        super::meet(key, &rendered["pod"][key], &parsed["pod"][key])?;
    }
    super::meet("trigger", &rendered["trigger"], &parsed["trigger"])?;
    node(case, &parsed["node"])?;
    let run = run_of(debug, &Value::Null)?;
    let answer = json!({"errorString": debug}).to_string();
    if run_of(&answer, &Value::Null)? != run {
        return Err("the text and Lookout's answer are not read alike".to_owned());
    }
    let described = super::classifier::pod(case)?;
    let whole = FailedPod::new(&described.pod, &described.events);
    let read = FailedPod::from_run(&run);
    let failed = |pod: &FailedPod<'_>| {
        let of = pod.containers.iter().map(|it| json!([it.name, it.exit_code, cut(it.reason)]));
        of.take(LONGEST_LIST).collect::<Vec<_>>()
    };
    super::meet("failed containers", &json!(failed(&read)), &json!(failed(&whole)))?;
    super::meet("reason", &json!(read.reason), &json!(cut(whole.reason)))?;
    if read.has_started && !whole.has_started {
        return Err("no container has started".to_owned());
    }
    let words =
        |message: &str, reason: &str, kind: &str| json!([kind, cut(reason), cut(message.trim())]);
    let events = read.events.iter().map(|it| words(&it.message, &it.reason, &it.event_type));
    let mut events: Vec<String> = events.map(|event| event.to_string()).collect();
    let all = whole.events.iter().map(|it| words(&it.message, &it.reason, &it.event_type));
    let mut all: Vec<String> = all.map(|event| event.to_string()).collect();
    events.sort();
    all.sort();
    if whole.events.len() <= LONGEST_LIST {
        super::meet("events", &json!(events), &json!(all))?;
    }
    Ok(())
}

/// Compares what is read of the node.
fn node(case: &Value, parsed: &Value) -> Result<(), String> {
    use replay::history::RunDebug;
    let debug = RunDebug::read(text(&case["debug"]))?.ok_or("it is not read")?;
    let Some(node) = debug.node else {
        return super::meet("node", &Value::Null, parsed);
    };
    super::meet("node", &json!(node.name), &case["pod"]["spec"]["nodeName"])?;
    super::meet("exists", &json!(node.exists), &json!(!case["node"].is_null()))?;
    let conditions = list(&case["node"]["status"]["conditions"]);
    let ready = conditions.iter().find(|condition| condition["type"] == "Ready");
    let of_ready = |key: &str| json!(ready.map_or("", |ready| text(&ready[key])));
    super::meet("ready", &json!(node.ready), &of_ready("status"))?;
    super::meet("ready reason", &json!(node.ready_reason), &of_ready("reason"))?;
    super::meet(
        "node events",
        &json!(node.events.len()),
        &json!(list(&events(&case["nodeEvents"])).len()),
    )
}

/// Classifies the failure of a case by its debug JSON, with the error that the executor reports and without: it has the
/// category of the whole pod, or is counted as one that may have another.
pub fn classify(case: &Value, config: &ExecutorConfig, emitted: &Value) -> Result<(), String> {
    let trigger = match (text(&emitted["category"]), text(&emitted["subcategory"])) {
        ("internal", "externally-deleted") => "externallyDeleted",
        ("internal", "stuck-terminating") => "stuckTerminating",
        ("internal", "active-deadline") => "activeDeadlineExceeded",
        _ => "podFailed",
    };
    let is_returned = emitted["reason"] == "PodLeaseReturned";
    if emitted.is_null() || is_returned && case["pod"]["status"]["phase"] != "Failed" {
        return Ok(());
    }
    for (what, debug) in crowded(case, trigger) {
        let own = run_of(&debug.to_string(), &Value::Null)?;
        check(config, own, emitted).map_err(|why| format!("by debug JSON {what}: {why}"))?;
    }
    let debug = render(&case["pod"], &case["events"], trigger);
    for error in [Value::Null, emitted["message"].clone()] {
        let own = run_of(&debug.to_string(), &error)?;
        check(config, own, emitted).map_err(|why| format!("by debug JSON and {error}: {why}"))?;
    }
    Ok(())
}

/// The debug JSON of the same failure with so many containers or events that no rule reads that others are left out.
fn crowded(case: &Value, trigger: &str) -> [(&'static str, Value); 2] {
    let event = json!({"type": "Other", "message": "x", "lastTimestamp": "2027-01-01T00:00:00Z"});
    let newer = std::iter::repeat_n(event, LONGEST_LIST);
    let events: Vec<Value> = list(&case["events"]).iter().cloned().chain(newer).collect();
    let waiting = |number| json!({"name": format!("w{number}"), "state": {"waiting": {}}});
    let mut pod = case["pod"].clone();
    let others = list(&pod["status"]["containerStatuses"]).to_vec();
    let statuses: Vec<Value> = (0..LONGEST_LIST).map(waiting).chain(others).collect();
    pod["status"]["containerStatuses"] = json!(statuses);
    [
        ("without its events", render(&case["pod"], &json!(events), trigger)),
        ("without its containers", render(&pod, &case["events"], trigger)),
    ]
}

fn check(config: &ExecutorConfig, own: ArmadaRun, emitted: &Value) -> Result<(), String> {
    let executors = Executors::new(vec![(None, Executor::new(config))]);
    let mut run = RunRecord { own, ..RunRecord::default() };
    if !executors.amend(&mut run) {
        return Err("it is no run".to_owned());
    }
    if executors.counts().unsure > 0 {
        return Ok(());
    }
    super::meet("category", &json!(run.own.category.as_str()), &emitted["category"])?;
    super::meet("subcategory", &json!(run.own.subcategory.as_str()), &emitted["subcategory"])?;
    let is_returned = run.own.outcome == Outcome::LeaseReturned;
    super::meet("returned", &json!(is_returned), &json!(emitted["reason"] == "PodLeaseReturned"))
}
