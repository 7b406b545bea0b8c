//! Random rounds, in the form of the golden ones.

use crate::draw::Draw;
use serde_json::{Map, Value, json};

const GPU: &str = "nvidia.com/gpu";
const FLOATING: [&str; 2] = ["licences", "connections"];
const LABELS: [&str; 3] = ["zone", "rack", "cluster"];

/// The round of a seed.
pub fn round(seed: u64) -> Value {
    let mut draw = Draw::new(seed);
    let size = draw.pick(&[4, 10, 25, 60]);
    let per_node = draw.pick(&[1, 3, 5]);
    let config = config(&mut draw);
    let nodes = nodes(&mut draw, size);
    let names: Vec<String> = (0..=draw.below(6)).map(|at| format!("q{at}")).collect();
    let queues: Vec<Value> = names.iter().map(|name| queue(&mut draw, &config, name)).collect();
    let jobs = Jobs::new(&config, &nodes, &names, &mut draw).draw_all(&mut draw, size * per_node);
    let mut round = json!({
        "pool": "pool", "config": config, "nodes": draw.shuffled(nodes), "queues": queues,
        "jobs": draw.shuffled(jobs),
    });
    if !round["config"]["maximumSchedulingBurst"].is_null() && draw.chance(50) {
        round["tokens"] = json!(draw.below(6));
    }
    round
}

fn config(draw: &mut Draw) -> Value {
    let resolutions = draw.pick(&[
        json!([["cpu", "1"], ["memory", "128Mi"], [GPU, "1"]]),
        json!([[GPU, "1"], ["cpu", "100m"], ["memory", "100Mi"]]),
        json!([["memory", "1Mi"], ["cpu", "1"]]),
        json!([["cpu", "4"], ["memory", "16Gi"], [GPU, "2"]]),
        json!([["cpu", "5"], ["memory", "7Gi"]]),
        json!([["cpu", "1"]]),
    ]);
    let named = |pairs: Value| -> Value {
        let pairs = pairs.as_array().into_iter().flatten();
        pairs.map(|pair| json!({"name": pair[0], "resolution": pair[1]})).collect()
    };
    let node_type = |name: &str, key: &str, value: &str| json!({"name": name, "taints": [{"key": key, "value": value, "effect": "NoSchedule"}]});
    let mut config = json!({
        "priorityClasses": classes(draw),
        "defaultPriorityClassName": "c0",
        "protectedFractionOfFairShare": draw.pick(&[0.0, 0.25, 0.5, 1.0, 1.5]),
        "enablePreferLargeJobOrdering": draw.chance(50),
        "supportedResourceTypes":
            named(json!([["memory", "1"], ["cpu", "1m"], [GPU, draw.pick(&["1", "1m"])]])),
        "indexedResources": named(resolutions),
        "indexedTaints": draw.some(&["gpu", "big"], 60),
        "indexedNodeLabels": draw.some(&["zone", "rack", "cluster", "absent"], 85),
        "wellKnownNodeTypes": [node_type("gpu", "gpu", "true"), node_type("big", "big", "*")],
        "pools": [pool(draw)],
    });
    if draw.chance(50) {
        config["dominantResourceFairnessResourcesToConsider"] = json!(["cpu", "memory", GPU]);
    } else {
        config["experimentalDominantResourceFairnessResourcesToConsider"] = json!([
            {"name": "cpu", "multiplier": 1}, {"name": "memory", "multiplier": draw.pick(&[1.0, 0.5])},
            {"name": GPU, "multiplier": draw.pick(&[1.0, 2.0])},
        ]);
    }
    limits(draw, &mut config);
    floating(draw, &mut config);
    config
}

/// Floating resources; in a tenth of the rounds that have one, the pool has none of it.
fn floating(draw: &mut Draw, config: &mut Value) {
    if !draw.chance(25) {
        return;
    }
    let resource = |draw: &mut Draw, name: &str| {
        let pool = if draw.chance(10) { "other" } else { "pool" };
        let quantity = draw.pick(&["3", "8", "20", "100"]);
        json!({
            "name": name, "resolution": draw.pick(&["1", "1m"]),
            "pools": [{"name": pool, "quantity": quantity}],
        })
    };
    let names = draw.some(&FLOATING, 70);
    config["floatingResources"] = names.into_iter().map(|name| resource(draw, name)).collect();
    if draw.chance(30) && !config["dominantResourceFairnessResourcesToConsider"].is_null() {
        config["dominantResourceFairnessResourcesToConsider"] = json!(["cpu", GPU, FLOATING[0]]);
    }
}

fn pool(draw: &mut Draw) -> Value {
    let mut pool = json!({"name": "pool"});
    if draw.chance(15) {
        pool["protectedFractionOfFairShare"] = json!(draw.pick(&[0.0, 0.75, 1.0]));
    }
    if draw.chance(15) {
        pool["experimentalProtectUncappedAdjustedFairShare"] = json!(true);
    }
    pool
}

fn limits(draw: &mut Draw, config: &mut Value) {
    if draw.chance(20) {
        config["maxQueueLookback"] = json!(1 + draw.below(30));
    }
    if draw.chance(15) {
        config["maximumResourceFractionToSchedule"] = fractions(draw);
    }
    if draw.chance(20) {
        config["maximumSchedulingBurst"] = json!(1 + draw.below(20));
        config["maximumSchedulingRate"] = json!(100);
    }
    if draw.chance(20) {
        config["maximumPerQueueSchedulingBurst"] = json!(1 + draw.below(8));
        config["maximumPerQueueSchedulingRate"] = json!(50);
    }
}

fn fractions(draw: &mut Draw) -> Value {
    let some = draw.some(&["cpu", "memory", GPU], 60);
    some.into_iter().map(|name| (name, draw.pick(&[0.05, 0.1, 0.33, 0.7, 1.0]))).collect()
}

fn classes(draw: &mut Draw) -> Value {
    let mut classes = Map::new();
    for at in 0..=draw.below(5) {
        let priority = draw.below(4);
        let mut class = json!({"priority": priority, "preemptible": draw.chance(65)});
        if draw.chance(60) {
            let count = 1 + draw.below(2);
            class["awayNodeTypes"] = (0..count).map(|_| away(draw, priority)).collect();
        }
        if draw.chance(15) {
            class["maximumResourceFractionPerQueue"] = fractions(draw);
        }
        classes.insert(format!("c{at}"), class);
    }
    Value::Object(classes)
}

fn away(draw: &mut Draw, priority: usize) -> Value {
    let mut away = json!({"priority": draw.below(priority + 1)});
    if draw.chance(70) {
        away["wellKnownNodeTypeName"] = json!(draw.pick(&["gpu", "big"]));
    }
    if draw.chance(40) {
        let bounds = [("cpu", "2"), ("memory", "4Gi"), (GPU, "0"), ("cpu", "1500m")];
        let (resource, value) = draw.pick(&bounds);
        let condition = json!({
            "resource": resource, "operator": draw.pick(&[">", "<", "=="]), "value": value,
        });
        let conditions: Vec<Value> = draw.maybe(80, |_| condition).into_iter().collect();
        away["nodeTypes"] = json!([{"name": draw.pick(&["gpu", "big"]), "conditions": conditions}]);
    }
    away
}

fn nodes(draw: &mut Draw, size: usize) -> Vec<Value> {
    let kinds: Vec<(Value, Value)> = (0..=draw.below(3)).map(|_| node_kind(draw)).collect();
    let node = |at: usize| {
        let (resources, taints) = draw.pick(&kinds);
        let mut labels = json!({"cluster": format!("c{}", draw.below(3))});
        if draw.chance(85) {
            labels["zone"] = json!(draw.pick(&["a", "b", "c"]));
        }
        if draw.chance(70) {
            labels["rack"] = json!(draw.pick(&["1", "2", "3", "10"]));
        }
        let mut node = json!({
            "id": format!("n{at:02}"), "resources": resources, "taints": taints, "labels": labels,
        });
        if draw.chance(4) {
            node["unschedulable"] = json!(true);
        }
        node
    };
    let count = 1 + size / 2;
    (0..count + size % count).map(node).collect()
}

fn node_kind(draw: &mut Draw) -> (Value, Value) {
    let mut resources = json!({
        "cpu": draw.pick(&["4", "7", "8", "16", "32"]),
        "memory": draw.pick(&["16Gi", "32Gi", "50Gi", "64Gi"]),
    });
    if draw.chance(40) {
        resources[GPU] = json!(draw.pick(&["2", "4", "8"]));
    }
    let taint = |key: &str| json!({"key": key, "value": "true", "effect": "NoSchedule"});
    let taints = draw.some(&["gpu", "big", "big", "other"], 20);
    (resources, taints.into_iter().map(taint).collect())
}

fn queue(draw: &mut Draw, config: &Value, name: &str) -> Value {
    let mut queue =
        json!({"name": name, "weight": draw.pick(&[1.0, 1.0, 2.0, 0.5, 0.3, 10.0, 0.001])});
    if draw.chance(5) {
        queue["cordoned"] = json!(true);
    }
    if !config["maximumPerQueueSchedulingBurst"].is_null() && draw.chance(50) {
        queue["tokens"] = json!(draw.below(5));
    }
    if draw.chance(15) {
        let class = format!("c{}", draw.below(3));
        queue["limits"] = json!({class: fractions(draw)});
    }
    queue
}

/// The jobs of a round.
struct Jobs<'a> {
    config: &'a Value,
    nodes: &'a [Value],
    queues: &'a [String],
    /// Requests and requirements, few enough for many jobs to have equal ones.
    shapes: Vec<Value>,
    /// By node: thousandths of cores, mebibytes and devices that running jobs leave.
    free: Vec<[i64; 3]>,
    overcommit: usize,
    all: Vec<Value>,
}

impl<'a> Jobs<'a> {
    fn new(config: &'a Value, nodes: &'a [Value], queues: &'a [String], draw: &mut Draw) -> Self {
        let shapes = (0..3 + draw.below(12)).map(|_| shape(draw)).collect();
        let overcommit = draw.pick(&[0, 0, 0, 10, 50]);
        let free = nodes.iter().map(|node| amounts(&node["resources"])).collect();
        Jobs { config, nodes, queues, shapes, free, overcommit, all: Vec::new() }
    }

    fn draw_all(mut self, draw: &mut Draw, count: usize) -> Vec<Value> {
        let running = draw.pick(&[0, 30, 60, 80]);
        let gangs = draw.pick(&[0, 5, 20, 50]);
        while self.all.len() < count {
            let is_running = draw.chance(running);
            if draw.chance(gangs) {
                self.gang(draw, is_running);
            } else {
                let job = self.job(draw);
                self.push(draw, job, is_running);
            }
        }
        self.all
    }

    fn job(&self, draw: &mut Draw) -> Value {
        let mut job = draw.pick(&self.shapes);
        let classes = self.config["priorityClasses"].as_object().expect("classes");
        job["pc"] = json!(format!("c{}", draw.below(classes.len())));
        // A queue that is not listed, rarely.
        let queue = if draw.chance(1) { "unlisted".to_owned() } else { draw.pick(self.queues) };
        job["queue"] = json!(queue);
        // The order of tolerations is no part of a shape.
        if draw.chance(50)
            && let Some(tolerations) = job["tolerations"].as_array_mut()
        {
            tolerations.reverse();
        }
        job
    }

    fn push(&mut self, draw: &mut Draw, mut job: Value, is_running: bool) {
        job["id"] = json!(format!("j{:03}", self.all.len()));
        job["submit"] = json!(draw.below(50));
        job["prio"] = json!(draw.pick(&[0, 0, 0, 1, 5]));
        if is_running && let Some(node) = self.node(draw, &job) {
            job["node"] = self.nodes[node]["id"].clone();
            job["started"] = json!(draw.below(40));
            let class = &self.config["priorityClasses"][job["pc"].as_str().expect("a class")];
            let away = class["awayNodeTypes"].as_array().filter(|_| draw.chance(30));
            let away = away.map(|away| draw.pick(away)["priority"].clone());
            job["at"] = away.unwrap_or_else(|| class["priority"].clone());
            if draw.chance(1) {
                job["unbound"] = json!(true);
            }
        }
        self.all.push(job);
    }

    /// A node that has room for a job to run, or is overcommitted with it.
    fn node(&mut self, draw: &mut Draw, job: &Value) -> Option<usize> {
        let request = amounts(&job["req"]);
        let is_tight = !draw.chance(self.overcommit);
        for _ in 0..4 {
            let node = draw.below(self.nodes.len());
            let left: Vec<i64> = self.free[node].iter().zip(request).map(|(a, b)| a - b).collect();
            if !is_tight || left.iter().all(|left| *left >= 0) {
                self.free[node] = [left[0], left[1], left[2]];
                return Some(node);
            }
        }
        None
    }

    fn gang(&mut self, draw: &mut Draw, is_running: bool) {
        let cardinality = 2 + draw.below(5);
        let job = self.job(draw);
        let mut gang = json!({"id": format!("g{}", self.all.len()), "card": cardinality});
        if draw.chance(60) {
            gang["label"] = json!(draw.pick(&["zone", "rack", "cluster", "absent"]));
        }
        // Some members have ended, or are not submitted yet.
        let listed = if draw.chance(85) { cardinality } else { 1 + draw.below(cardinality) };
        let has_own_shapes = draw.chance(30);
        for _ in 0..listed {
            let mut member = if has_own_shapes { draw.pick(&self.shapes) } else { job.clone() };
            member["pc"] = job["pc"].clone();
            member["queue"] = job["queue"].clone();
            member["gang"] = gang.clone();
            self.push(draw, member, is_running);
        }
    }
}

fn amounts(resources: &Value) -> [i64; 3] {
    let cpu = match resources["cpu"].as_str().expect("cores") {
        "500m" => 500,
        cores => 1000 * cores.parse::<i64>().expect("cores"),
    };
    let memory = resources["memory"].as_str().unwrap_or("0Mi");
    let (number, unit) = memory.split_at(memory.len() - 2);
    let unit = if unit == "Gi" { 1024 } else { 1 };
    let devices = resources[GPU].as_str().unwrap_or("0");
    [cpu, unit * number.parse::<i64>().expect("memory"), devices.parse().expect("devices")]
}

fn shape(draw: &mut Draw) -> Value {
    let mut shape =
        json!({"req": {"cpu": draw.pick(&["500m", "1", "1", "2", "3", "4", "8", "16"])}});
    if draw.chance(90) {
        shape["req"]["memory"] = json!(draw.pick(&["100Mi", "1Gi", "4Gi", "7Gi", "16Gi", "32Gi"]));
    }
    if draw.chance(20) {
        shape["req"][GPU] = json!(draw.pick(&["1", "2", "3"]));
    }
    for name in draw.some(&FLOATING, 20) {
        shape["req"][name] = json!(draw.pick(&["1", "2", "5"]));
    }
    if draw.chance(10) {
        shape["selector"] = json!({draw.pick(&LABELS): draw.pick(&["a", "b", "1", "c1"])});
    }
    if draw.chance(30) {
        let tolerations = draw.some(&["gpu", "big", "other"], 40);
        let toleration = |key: &str| match draw.below(3) {
            0 => json!({"key": key, "operator": "Exists"}),
            1 => json!({"key": key, "operator": "Equal", "value": "true", "effect": "NoSchedule"}),
            _ => json!({"key": key, "value": "true"}),
        };
        shape["tolerations"] = tolerations.into_iter().map(toleration).collect();
    }
    if draw.chance(10) {
        let (operator, values) = draw.pick(&[
            ("In", json!(["1", "3"])),
            ("NotIn", json!(["2"])),
            ("Exists", json!([])),
            ("DoesNotExist", json!([])),
            ("Gt", json!(["2"])),
            ("Lt", json!(["3"])),
        ]);
        let term =
            json!({"matchExpressions": [{"key": "rack", "operator": operator, "values": values}]});
        shape["affinity"] = json!({"nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}
        }});
    }
    shape
}
