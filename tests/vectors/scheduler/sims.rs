//! Runs of Armada's simulator.
//!
//! Holds cluster.md 3, 4.

use super::read::{items, settings};
use cluster::events::{Event, EventKind, LoopOptions, Simulation};
use cluster::read::{Scheduling, read_cluster, read_workload};
use cluster::spec::{CLUSTER_LABEL, Nanoseconds};
use document::diag::{Findings, Source};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

const SECOND: i64 = 1_000_000_000;

/// Runs a simulation and compares its events, the gangs that were leased and its end.
pub fn run(case: &Value) -> Result<(), String> {
    let answer = simulate(&case["in"]);
    let differs = |expected: &Value| {
        let empty = json!([]);
        ["events", "gangs", "end"].into_iter().find_map(|key| {
            let wanted = if expected[key].is_null() { &empty } else { &expected[key] };
            (!is_equal(&answer[key], wanted)).then(|| difference(key, &answer[key], wanted))
        })
    };
    match case["outAny"].as_array() {
        Some(answers) => {
            let all: Option<Vec<String>> = answers.iter().map(differs).collect();
            all.map_or(Ok(()), |all| Err(all.join(" | or ")))
        }
        None => differs(&case["out"]).map_or(Ok(()), Err),
    }
}

/// Whether two values are equal, numbers by value.
fn is_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b))
        }
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        _ => a == b,
    }
}

fn difference(key: &str, ours: &Value, theirs: &Value) -> String {
    let pair = items(ours).iter().zip(items(theirs)).find(|(a, b)| !is_equal(a, b));
    let of_pair = |(ours, theirs)| format!("{key}: ours {ours}, theirs {theirs}");
    let lengths = || format!("{key}: {} and {} long", items(ours).len(), items(theirs).len());
    pair.map_or_else(lengths, of_pair)
}

/// What a reader makes of a part of a case, which is JSON and so YAML.
fn read<T>(
    name: &str,
    part: &Value,
    reader: impl Fn(&Arc<Source>, Option<&Scheduling>) -> (Option<T>, Findings),
    scheduling: &Scheduling,
) -> T {
    let source = Source::new(name, part.to_string());
    let (read, findings) = reader(&source, Some(scheduling));
    read.unwrap_or_else(|| panic!("{name}: {findings:?}"))
}

#[expect(clippy::cast_precision_loss, reason = "seconds")]
fn seconds(time: Nanoseconds) -> f64 {
    time as f64 / 1e9
}

fn simulate(input: &Value) -> Value {
    let pool = input["cluster"]["clusters"][0]["pool"].as_str().unwrap_or_default();
    let mut settings = settings(pool, &input["config"]);
    settings.indexed_labels.insert(CLUSTER_LABEL.to_owned());
    // Armada's simulator has no limits of rates and of queues.
    (settings.burst, settings.queue_burst) = (None, None);
    for class in &mut settings.classes {
        class.queue_fractions.fill(f64::INFINITY);
    }
    let mut scheduling = Scheduling::from(settings);
    scheduling.period = input["cycleSeconds"].as_i64().expect("a valid case") * SECOND;
    let clusters = read("cluster", &input["cluster"], read_cluster, &scheduling);
    let workload = read("workload", &input["workload"], read_workload, &scheduling);
    let options = LoopOptions {
        seed: 1,
        until: 366 * 24 * 3600 * SECOND,
        is_fast_forward: input["fastForward"] == true,
    };
    let mut simulation = Simulation::new(&scheduling, &clusters, &workload, options);
    let mut events = Vec::new();
    let end = simulation.run(&mut |event| events.push(event));
    let mut answer = Answer::default();
    for event in &events {
        let id = workload.templates[event.template].id.clone();
        let node = event.node.filter(|_| event.kind != EventKind::Submitted);
        let node = node.and_then(|(pool, node)| simulation.node_ids(pool).nth(node));
        let node = node.unwrap_or_default().to_owned();
        let gang = workload.templates[event.template].gang.as_ref();
        let gang = gang.map(|gang| (event.number as usize / gang.cardinality, event.attempt));
        answer.add(event, gang, id, node);
    }
    answer.into_value(end.time)
}

/// How many events are equal, by template and node.
type Counts = BTreeMap<(String, String), u32>;

/// The number of a gang in its template, and how often its members were submitted before.
type GangId = (usize, u32);

/// Events and gangs as a case has them.
#[derive(Default)]
struct Answer {
    /// Events that follow each other at one time and of one kind.
    events: Vec<(i64, EventKind, Counts)>,
    /// How many members of each gang were leased, by node; by time, template and gang.
    gangs: BTreeMap<(i64, String, GangId), BTreeMap<String, u32>>,
}

impl Answer {
    fn add(&mut self, event: &Event, gang: Option<GangId>, template: String, node: String) {
        if let (EventKind::Leased, Some(gang)) = (event.kind, gang) {
            let nodes = self.gangs.entry((event.time, template.clone(), gang)).or_default();
            *nodes.entry(node.clone()).or_default() += 1;
        }
        let is_last =
            |(time, kind, _): &(i64, EventKind, Counts)| (*time, *kind) == (event.time, event.kind);
        if !self.events.last().is_some_and(is_last) {
            self.events.push((event.time, event.kind, Counts::new()));
        }
        if let Some((_, _, counts)) = self.events.last_mut() {
            *counts.entry((template, node)).or_default() += 1;
        }
    }

    fn into_value(self, end: Nanoseconds) -> Value {
        let mut events = Vec::new();
        for (time, kind, counts) in &self.events {
            let of = |((template, node), count): (&(String, String), &u32)| {
                json!([seconds(*time), name(*kind), template, node, count])
            };
            events.extend(counts.iter().map(of));
        }
        let leased = self.gangs.into_iter().map(|((time, template, _), nodes)| {
            (time, template, nodes.into_iter().collect::<Vec<_>>())
        });
        let mut leased: Vec<_> = leased.collect();
        leased.sort();
        let leased = leased.iter().map(|(time, id, nodes)| json!([seconds(*time), id, nodes]));
        json!({"events": events, "gangs": leased.collect::<Vec<_>>(), "end": seconds(end)})
    }
}

fn name(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Submitted => "submit",
        EventKind::Leased => "lease",
        EventKind::Preempted => "preempt",
        EventKind::Succeeded => "succeed",
        EventKind::Failed | EventKind::Stopped | EventKind::Requeued => {
            unreachable!("the golden runs have no failures")
        }
    }
}
