//! Random executors and failed pods, over alphabets so small that most rules match some pod.

use crate::oracle::Draw;
use serde_json::{Value, json};

/// An executor's configuration with a few failed pods and their events.
pub struct Case {
    pub executor: Value,
    /// Each a pod and a list of its events.
    pub pods: Vec<(Value, Value)>,
}

/// Names of containers, one a part of another; the last is of none.
const NAMES: [&str; 4] = ["main", "main2", "init", "none"];
/// 2 is a code that no rule lists.
const CODES: [i64; 6] = [0, 1, 2, 3, 137, -1];
const REASONS: [&str; 5] = ["OOMKilled", "Error", "Evicted", "DeadlineExceeded", ""];
const MESSAGES: [&str; 10] =
    ["", "a", "b", "ab", "a\nb", " ", "gpu lost", "gpu", "Container", "exit code 1"];
/// The same in Go and here: literals, anchors, alternatives, classes; two match every text.
const REGEXPS: [&str; 14] = [
    "",
    ".*",
    "a",
    "^a",
    "b$",
    "^ab?$",
    "gpu",
    "gpu (lost|gone)",
    "(a|gpu lost)",
    "(?i)GPU LOST",
    "code (1|137) because (Error|OOM)",
    "exit code -?[0-9]+",
    "Container main2? failed",
    "zzz",
];
const EVENT_REASONS: [&str; 3] = ["", "Failed", "BackOff"];
const TYPES: [&str; 2] = ["Normal", "Warning"];

/// The case of a seed.
pub fn case(seed: u64) -> Case {
    let draw = &mut Draw::new(seed);
    let executor = executor(draw);
    let pods = (0..4).map(|_| (pod(draw), events(draw))).collect();
    Case { executor, pods }
}

fn executor(draw: &mut Draw) -> Value {
    let most = draw.pick(&[1, 3, 6]);
    let categories: Vec<Value> =
        (0..draw.below(most + 1)).map(|index| category(draw, index)).collect();
    let mut block = json!({"enabled": !draw.chance(5), "categories": categories});
    put(&mut block, "defaultCategory", draw.maybe(70, |_| "other"));
    put(&mut block, "defaultSubcategory", draw.maybe(40, |_| "unknown"));
    let mut config = json!({"application": {"errorCategories": block}});
    if draw.chance(30) {
        config["kubernetes"] = json!({"failedPodChecks": checks(draw)});
    }
    config
}

fn category(draw: &mut Draw, index: usize) -> Value {
    let rules: Vec<Value> = (0..=draw.below(4)).map(|_| rule(draw)).collect();
    let mut category = json!({"name": format!("c{index}"), "rules": rules});
    put(
        &mut category,
        "action",
        draw.pick(&[None, Some("Retain"), Some("Delete"), Some("Delete")]),
    );
    category
}

fn rule(draw: &mut Draw) -> Value {
    let mut rule = match draw.below(5) {
        0 => {
            let mut names = draw.some(&["OOMKilled", "Evicted", "DeadlineExceeded"], 50);
            if names.is_empty() {
                names.push("OOMKilled");
            }
            json!({"onConditions": draw.shuffled(names)})
        }
        1 => json!({"onExitCodes": exit_codes(draw)}),
        2 => json!({"onTerminationMessage": {"pattern": draw.pick(&REGEXPS)}}),
        3 => json!({"onPodError": {"pattern": draw.pick(&REGEXPS)}}),
        _ => json!({"onPodEvents": event_pattern(draw)}),
    };
    put(&mut rule, "containerName", draw.maybe(30, |draw| draw.pick(&NAMES)));
    put(&mut rule, "subcategory", draw.maybe(60, |draw| draw.pick(&["s", "t", ""])));
    put(
        &mut rule,
        "hint",
        draw.maybe(40, |draw| draw.pick(&["ask for memory", "two\nlines", " ", ""])),
    );
    rule
}

fn exit_codes(draw: &mut Draw) -> Value {
    let listed = CODES.into_iter().filter(|code| *code != 2).collect::<Vec<_>>();
    let mut values = draw.some(&listed, 35);
    if values.is_empty() {
        values.push(draw.pick(&listed));
    }
    json!({"operator": draw.pick(&["In", "In", "NotIn"]), "values": draw.shuffled(values)})
}

fn event_pattern(draw: &mut Draw) -> Value {
    let mut pattern = json!({"regexp": draw.pick(&REGEXPS), "type": draw.pick(&TYPES)});
    put(&mut pattern, "reason", draw.maybe(40, |draw| draw.pick(&EVENT_REASONS)));
    pattern
}

fn checks(draw: &mut Draw) -> Value {
    let events: Vec<Value> = (0..draw.below(3)).map(|_| event_pattern(draw)).collect();
    let statuses: Vec<Value> = (0..draw.below(3)).map(|_| status_check(draw)).collect();
    let containers: Vec<Value> = (0..draw.below(3)).map(|_| container_check(draw)).collect();
    json!({"events": events, "podStatuses": statuses, "containerStatuses": containers})
}

fn status_check(draw: &mut Draw) -> Value {
    let mut check = json!({"regexp": draw.pick(&REGEXPS)});
    put(&mut check, "reason", draw.maybe(50, |draw| draw.pick(&REASONS)));
    check
}

fn container_check(draw: &mut Draw) -> Value {
    let name = draw.pick(&["", "main", "^main$", "2$", "init|none"]);
    json!({"containerNameRegexp": name, "messageRegexp": draw.pick(&REGEXPS)})
}

fn pod(draw: &mut Draw) -> Value {
    let mut status = json!({"phase": "Failed"});
    put(&mut status, "reason", draw.maybe(40, |draw| draw.pick(&REASONS)));
    put(&mut status, "message", draw.maybe(40, |draw| draw.pick(&MESSAGES)));
    let never_started = draw.chance(25);
    let names = draw.some(&["main", "main2"], 70);
    status["containerStatuses"] = containers(draw, &names, never_started);
    if draw.chance(30) {
        status["initContainerStatuses"] = containers(draw, &["init"], never_started);
    }
    let labels = json!({"armada_job_id": "j", "armada_job_run_id": "r", "armada_queue_id": "q"});
    let metadata = json!({"name": "armada-j-0", "namespace": "default", "uid": "u",
        "creationTimestamp": "2026-01-05T08:00:00Z", "labels": labels});
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata,
        "spec": {"nodeName": "n"}, "status": status})
}

fn containers(draw: &mut Draw, names: &[&str], never_started: bool) -> Value {
    let statuses = names.iter().map(|name| {
        let state = match draw.below(10) {
            _ if never_started => json!({"waiting": {"reason": "PodInitializing"}}),
            0 => json!({"running": {"startedAt": "2026-01-05T08:01:00Z"}}),
            1 => json!({}),
            _ => json!({"terminated": end(draw)}),
        };
        let mut status = json!({"name": name, "state": state});
        put(&mut status, "lastState", draw.maybe(10, |draw| json!({"terminated": end(draw)})));
        status
    });
    statuses.collect()
}

fn end(draw: &mut Draw) -> Value {
    let mut end = json!({"exitCode": draw.pick(&CODES),
        "startedAt": "2026-01-05T08:01:00Z", "finishedAt": "2026-01-05T08:02:00Z"});
    put(&mut end, "reason", draw.maybe(80, |draw| draw.pick(&REASONS)));
    put(&mut end, "message", draw.maybe(70, |draw| draw.pick(&MESSAGES)));
    end
}

fn events(draw: &mut Draw) -> Value {
    let events = (0..draw.below(4)).map(|_| {
        let mut event = json!({"lastTimestamp": "2026-01-05T08:02:00Z"});
        put(
            &mut event,
            "type",
            draw.maybe(90, |draw| draw.pick(&["Normal", "Warning", "warning"])),
        );
        put(&mut event, "reason", draw.maybe(80, |draw| draw.pick(&EVENT_REASONS)));
        put(&mut event, "message", draw.maybe(90, |draw| draw.pick(&MESSAGES)));
        event
    });
    events.collect()
}

/// Sets a field that is there.
fn put(object: &mut Value, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        object[key] = value.into();
    }
}
