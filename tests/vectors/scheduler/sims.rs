//! Runs of Armada's simulator.

use super::read::{items, labels, quantities, requirements, settings, taint, text};
use armadactl::cluster::events::{Event, EventKind, LoopOptions, Simulation};
use armadactl::cluster::job::Shape;
use armadactl::cluster::settings::Settings;
use armadactl::cluster::spec::{
    Cluster, ClusterSpec, GangTemplate, JobTemplate, Nanoseconds, NodeTemplate, Queue,
    ShiftedExponential, Workload,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const SECOND: i64 = 1_000_000_000;
const CLUSTER_LABEL: &str = "armadaproject.io/clusterName";

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

fn duration(value: &Value) -> Nanoseconds {
    value["seconds"].as_i64().unwrap_or(0) * SECOND + value["nanos"].as_i64().unwrap_or(0)
}

fn distribution(value: &Value) -> ShiftedExponential {
    let (minimum, tail_mean) = (duration(&value["minimum"]), duration(&value["tailMean"]));
    ShiftedExponential { minimum, tail_mean }
}

fn clusters(settings: &Settings, cluster: &Value) -> ClusterSpec {
    let template = |template: &Value| NodeTemplate {
        number: u32::try_from(template["number"].as_u64().unwrap_or(0)).expect("a valid case"),
        total: settings.resources.of_node(quantities(&template["totalResources"]["resources"])),
        labels: labels(&template["labels"]),
        taints: items(&template["taints"]).iter().map(taint).collect(),
    };
    let clusters = items(&cluster["clusters"]).iter().map(|cluster| Cluster {
        name: text(&cluster["name"]),
        pool: text(&cluster["pool"]),
        node_templates: items(&cluster["nodeTemplates"]).iter().map(template).collect(),
    });
    ClusterSpec {
        clusters: clusters.collect(),
        pending_delay: distribution(&cluster["pendingDelayDistribution"]),
        resubmission_delay: distribution(&cluster["workflowManagerDelayDistribution"]),
    }
}

fn workload(settings: &Settings, workload: &Value) -> Workload {
    let mut names: Vec<String> =
        items(&workload["queues"]).iter().map(|queue| text(&queue["name"])).collect();
    names.sort();
    let weight = |name: &String| {
        let queue = items(&workload["queues"]).iter().find(|queue| queue["name"] == name.as_str());
        queue.expect("a valid case")["weight"].as_f64().unwrap_or(0.0)
    };
    let queues = names.iter().map(|name| Queue { name: name.clone(), weight: weight(name) });
    let (mut templates, mut dependencies) = (Vec::new(), Vec::new());
    for queue in items(&workload["queues"]) {
        let position = names.iter().position(|name| *name == queue["name"]).expect("a valid case");
        for (at, given) in items(&queue["jobTemplates"]).iter().enumerate() {
            let base = template(settings, queue, position, at, given);
            let copies = given["repeat"]["numTimes"].as_u64();
            let period = duration(&given["repeat"]["period"]);
            let names: Vec<String> = items(&given["dependencies"]).iter().map(text).collect();
            for copy in 0..copies.unwrap_or(1) {
                let mut template = base.clone();
                if copies.is_some() {
                    template.id = format!("{}-repeat-{copy}", base.id);
                    template.earliest_submission +=
                        i64::try_from(copy).expect("a valid case") * period;
                }
                templates.push(template);
                dependencies.push(names.clone());
            }
        }
    }
    let ids: Vec<String> =
        templates.iter().map(|template: &JobTemplate| template.id.clone()).collect();
    for (template, names) in templates.iter_mut().zip(dependencies) {
        let position = |name: &String| ids.iter().position(|id| id == name).expect("a valid case");
        template.dependencies = names.iter().map(position).collect();
    }
    Workload {
        seed: workload["randomSeed"].as_u64().unwrap_or(0),
        queues: queues.collect(),
        templates,
    }
}

fn template(
    settings: &Settings,
    queue: &Value,
    position: usize,
    at: usize,
    given: &Value,
) -> JobTemplate {
    let id = given["id"].as_str().filter(|id| !id.is_empty()).map(str::to_owned);
    let cardinality =
        usize::try_from(given["gangCardinality"].as_u64().unwrap_or(0)).expect("a valid case");
    let label = given["gangNodeUniformityLabel"].as_str().filter(|label| !label.is_empty());
    JobTemplate {
        id: id.unwrap_or_else(|| format!("{}-{at}", text(&queue["name"]))),
        queue: position,
        number: u32::try_from(given["number"].as_u64().unwrap_or(0)).expect("a valid case"),
        priority: u32::try_from(given["queuePriority"].as_u64().unwrap_or(0))
            .expect("a valid case"),
        shape: Shape {
            class: settings.class_position(given["priorityClassName"].as_str().unwrap_or_default()),
            request: settings
                .resources
                .of_job(quantities(&given["requirements"]["resourceRequirements"]["requests"])),
            requirements: requirements(&given["requirements"], "nodeSelector"),
        },
        dependencies: Vec::new(),
        earliest_submission: duration(&given["earliestSubmitTime"]),
        after_dependencies: duration(&given["earliestSubmitTimeFromDependencyCompletion"]),
        run_time: distribution(&given["runtimeDistribution"]),
        gang: (cardinality > 1).then(|| GangTemplate {
            cardinality,
            uniformity_label: label.unwrap_or(CLUSTER_LABEL).to_owned(),
        }),
    }
}

#[expect(clippy::cast_precision_loss, reason = "seconds")]
fn seconds(time: Nanoseconds) -> f64 {
    time as f64 / 1e9
}

fn simulate(input: &Value) -> Value {
    let pool = input["cluster"]["clusters"][0]["pool"].as_str().unwrap_or_default();
    let mut settings = settings(pool, &input["config"]);
    settings.indexed_labels.insert(CLUSTER_LABEL.to_owned());
    // Armada's simulator knows no limits of rates.
    (settings.burst, settings.queue_burst) = (None, None);
    let clusters = clusters(&settings, &input["cluster"]);
    let workload = workload(&settings, &input["workload"]);
    let options = LoopOptions {
        period: input["cycleSeconds"].as_i64().expect("a valid case") * SECOND,
        until: 366 * 24 * 3600 * SECOND,
        is_fast_forward: input["fastForward"] == true,
    };
    let mut simulation = Simulation::new(&settings, &clusters, &workload, options);
    let mut events = Vec::new();
    simulation.run(|event| events.push(event));
    let mut answer = Answer::default();
    for event in &events {
        let id = workload.templates[event.template].id.clone();
        let node = event.node.filter(|_| event.kind != EventKind::Submitted);
        let node = node.map_or_else(String::new, |node| simulation.node_id(node).to_owned());
        answer.add(event, simulation.gang(event.job), id, node);
    }
    answer.into_value(events.last().map_or(0, |event| event.time))
}

/// How many events are equal, by template and node.
type Counts = BTreeMap<(String, String), u32>;

/// Events and gangs as a case has them.
#[derive(Default)]
struct Answer {
    /// Events that follow each other at one time and of one kind.
    events: Vec<(i64, EventKind, Counts)>,
    /// How many members of each gang were leased, by node; by time, template and gang.
    gangs: BTreeMap<(i64, String, usize), BTreeMap<String, u32>>,
}

impl Answer {
    fn add(&mut self, event: &Event, gang: Option<usize>, template: String, node: String) {
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
    }
}
