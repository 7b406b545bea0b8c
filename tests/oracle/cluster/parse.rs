//! A pool from the JSON of a case.

use super::model::{
    Amounts, Away, AwayEntry, Class, Condition, Expression, Gang, Job, Node, Pool, Queue, Resource,
    Run, Settings, Taint, Toleration, add,
};
use super::quantity;
use super::shares::float;
use serde_json::Value;
use std::collections::BTreeMap;

fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn integer(value: &Value) -> i32 {
    i32::try_from(value.as_i64().unwrap_or(0)).expect("a priority")
}

fn texts(value: &Value) -> Vec<String> {
    items(value).iter().map(text).collect()
}

fn string_map(value: &Value) -> BTreeMap<String, String> {
    entries(value).map(|(key, value)| (key.clone(), text(value))).collect()
}

fn taint(value: &Value) -> Taint {
    Taint { key: text(&value["key"]), value: text(&value["value"]), effect: text(&value["effect"]) }
}

fn toleration(value: &Value) -> Toleration {
    Toleration {
        key: text(&value["key"]),
        value: text(&value["value"]),
        operator: text(&value["operator"]),
        effect: text(&value["effect"]),
    }
}

impl Settings {
    fn amounts(&self, value: &Value, round: fn(i128, i32) -> i64) -> Amounts {
        let of = |resource: &Resource| match &value[&resource.name] {
            Value::Null => 0,
            value => round(quantity::nano(value), resource.scale),
        };
        self.resources.iter().map(of).collect()
    }

    fn node_amounts(&self, value: &Value) -> Amounts {
        self.without_floating(self.amounts(value, quantity::units_down))
    }

    fn without_floating(&self, mut amounts: Amounts) -> Amounts {
        for (at, _) in &self.floating {
            amounts[*at] = 0;
        }
        amounts
    }

    fn job_amounts(&self, value: &Value) -> Amounts {
        self.amounts(value, quantity::units_up)
    }

    /// The fractions of amounts; what has no fraction has no limit.
    fn limit(&self, total: &Amounts, fractions: &[&Value]) -> Amounts {
        let of = |(resource, total): (&Resource, &i64)| {
            let found = fractions.iter().find_map(|of| of[&resource.name].as_f64());
            match found {
                None => i64::MAX,
                Some(1.0) => *total,
                Some(fraction) => truncate(float(*total) * fraction),
            }
        };
        self.resources.iter().zip(total).map(of).collect()
    }

    fn class_name(&self, name: &str) -> String {
        if self.classes.contains_key(name) { name.to_owned() } else { self.default_class.clone() }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "Armada truncates too")]
fn truncate(number: f64) -> i64 {
    number as i64
}

pub fn pool(input: &Value) -> Pool {
    let config = &input["config"];
    let mut settings = settings(config, &input["pool"]);
    let mut nodes: Vec<Node> =
        items(&input["nodes"]).iter().map(|one| node(&settings, one)).collect();
    for node in &mut nodes {
        node.kind = node_type(&settings, node);
    }
    let mut total = settings.node_amounts(&Value::Null);
    for (at, available) in &settings.floating {
        total[*at] = *available;
    }
    for node in &nodes {
        add(&mut total, &node.total);
    }
    let by_pool = &config["maximumResourceFractionToScheduleByPool"][text(&input["pool"])];
    let fractions = &config["maximumResourceFractionToSchedule"];
    let fractions = if by_pool.is_null() { fractions } else { by_pool };
    settings.round_limit = settings.limit(&total, &[fractions]);
    let mut queues: Vec<&Value> = items(&input["queues"]).iter().collect();
    queues.sort_by_key(|queue| text(&queue["name"]));
    let mut jobs: Vec<Job> =
        items(&input["jobs"]).iter().map(|one| job(&settings, &nodes, &queues, one)).collect();
    jobs.sort_by(|a, b| a.id.cmp(&b.id));
    let queues = queues.iter().enumerate();
    let queues = queues.map(|(at, one)| queue(&settings, config, &total, &jobs, (at, one)));
    let queues = queues.collect();
    let name = text(&input["pool"]);
    Pool { name, settings, nodes, queues, jobs, total, tokens: input["tokens"].as_f64() }
}

fn settings(config: &Value, pool: &Value) -> Settings {
    let resource = |one: &Value| Resource {
        name: text(&one["name"]),
        scale: quantity::scale(quantity::nano(&one["resolution"])),
    };
    let mut resources: Vec<Resource> =
        items(&config["supportedResourceTypes"]).iter().map(resource).collect();
    let mut floating = Vec::new();
    for one in items(&config["floatingResources"]) {
        let resource = resource(one);
        let here = items(&one["pools"]).iter().find(|at| at["name"] == *pool);
        let quantity = here.map_or(0, |at| quantity::nano(&at["quantity"]));
        floating.push((resources.len(), quantity::units_down(quantity, resource.scale)));
        resources.push(resource);
    }
    let indexed = |one: &Value| {
        let at =
            resources.iter().position(|resource| one["name"] == resource.name).expect("supported");
        (at, quantity::units_up(quantity::nano(&one["resolution"]), resources[at].scale))
    };
    let own =
        items(&config["pools"]).iter().find(|one| one["name"] == *pool).unwrap_or(&Value::Null);
    let own_fraction = own["protectedFractionOfFairShare"].as_f64();
    let fraction = config["protectedFractionOfFairShare"].as_f64().unwrap_or(0.0);
    let lookback = config["maxQueueLookback"].as_u64().unwrap_or(0);
    Settings {
        classes: entries(&config["priorityClasses"])
            .map(|(name, one)| (name.clone(), class(config, one)))
            .collect(),
        default_class: text(&config["defaultPriorityClassName"]),
        indexed: items(&config["indexedResources"]).iter().map(indexed).collect(),
        indexed_taints: texts(&config["indexedTaints"]),
        indexed_labels: texts(&config["indexedNodeLabels"]),
        multipliers: multipliers(config, &resources),
        protected_fraction: own_fraction.unwrap_or(fraction),
        is_uncapped_share_protected: own["experimentalProtectUncappedAdjustedFairShare"] == true,
        are_large_jobs_first: config["enablePreferLargeJobOrdering"] == true,
        lookback: usize::try_from(lookback).expect("a count"),
        round_limit: Vec::new(),
        floating,
        burst: config["maximumSchedulingBurst"].as_f64(),
        queue_burst: config["maximumPerQueueSchedulingBurst"].as_f64(),
        resources,
    }
}

fn multipliers(config: &Value, resources: &[Resource]) -> Vec<f64> {
    let plain = texts(&config["dominantResourceFairnessResourcesToConsider"]);
    let weighted = items(&config["experimentalDominantResourceFairnessResourcesToConsider"]);
    let of = |resource: &Resource| {
        if plain.contains(&resource.name) {
            return 1.0;
        }
        let found = weighted.iter().rfind(|one| one["name"] == resource.name);
        let multiplier =
            |one: &Value| one["multiplier"].as_f64().filter(|it| *it > 0.0).unwrap_or(1.0);
        found.map_or(0.0, multiplier)
    };
    resources.iter().map(of).collect()
}

fn class(config: &Value, class: &Value) -> Class {
    let known = |name: &Value| {
        let all = items(&config["wellKnownNodeTypes"]);
        let found = all.iter().find(|one| one["name"] == *name).unwrap_or(&Value::Null);
        items(&found["taints"]).iter().map(taint).collect::<Vec<Taint>>()
    };
    let away = |one: &Value| {
        let mut all = Vec::new();
        if one["wellKnownNodeTypeName"].as_str().is_some_and(|name| !name.is_empty()) {
            all.push(AwayEntry { taints: known(&one["wellKnownNodeTypeName"]), condition: None });
        }
        for entry in items(&one["nodeTypes"]) {
            let condition = items(&entry["conditions"]).first().map(|one| Condition {
                resource: text(&one["resource"]),
                operator: text(&one["operator"]),
                value: quantity::units_up(quantity::nano(&one["value"]), 0).into(),
            });
            all.push(AwayEntry { taints: known(&entry["name"]), condition });
        }
        Away { priority: integer(&one["priority"]), entries: all }
    };
    Class {
        priority: integer(&class["priority"]),
        is_preemptible: class["preemptible"] == true,
        away: items(&class["awayNodeTypes"]).iter().map(away).collect(),
    }
}

fn node(settings: &Settings, node: &Value) -> Node {
    let mut labels = string_map(&node["labels"]);
    labels.insert("armadaproject.io/nodeId".to_owned(), text(&node["id"]));
    let mut taints: Vec<Taint> = items(&node["taints"]).iter().map(taint).collect();
    if node["unschedulable"] == true {
        taints.push(Taint {
            key: "node.kubernetes.io/unschedulable".to_owned(),
            value: String::new(),
            effect: "NoSchedule".to_owned(),
        });
    }
    let allocatable = entries(&node["allocatable"]);
    Node {
        id: text(&node["id"]),
        total: settings.node_amounts(&node["resources"]),
        allocatable: allocatable
            .map(|(at, free)| (at.parse().expect("a priority"), settings.node_amounts(free)))
            .collect(),
        labels,
        taints,
        kind: String::new(),
    }
}

fn node_type(settings: &Settings, node: &Node) -> String {
    let mut taints: Vec<&Taint> =
        node.taints.iter().filter(|taint| settings.indexed_taints.contains(&taint.key)).collect();
    taints.sort_by_key(|taint| &taint.key);
    let mut name = String::new();
    for taint in taints {
        name += &format!("{}={}:{}$", taint.key, taint.value, taint.effect);
    }
    for (label, value) in &node.labels {
        if settings.indexed_labels.contains(label) {
            name += &format!("&{label}={value}");
        }
    }
    name
}

fn queue(
    settings: &Settings,
    config: &Value,
    total: &Amounts,
    jobs: &[Job],
    (at, value): (usize, &&Value),
) -> Queue {
    let zero = vec![0; settings.resources.len()];
    let mut queue = Queue {
        name: text(&value["name"]),
        weight: value["weight"].as_f64().expect("a weight"),
        is_cordoned: value["cordoned"] == true,
        tokens: value["tokens"].as_f64(),
        limits: BTreeMap::new(),
        allocated: BTreeMap::new(),
        demand: zero.clone(),
    };
    for name in settings.classes.keys() {
        let own = &value["limits"][name];
        let of_class = &config["priorityClasses"][name]["maximumResourceFractionPerQueue"];
        let limit = settings.limit(total, &[own, of_class]);
        let (mut demand, mut allocated) = (zero.clone(), zero.clone());
        for job in jobs.iter().filter(|job| job.queue == Some(at) && job.class == *name) {
            add(&mut demand, &job.request);
            if job.run.is_some() {
                add(&mut allocated, &job.request);
            }
        }
        let capped: Amounts = demand.iter().zip(&limit).map(|(a, b)| *a.min(b)).collect();
        add(&mut queue.demand, &capped);
        queue.allocated.insert(name.clone(), allocated);
        queue.limits.insert(name.clone(), limit);
    }
    if !value["demand"].is_null() {
        queue.demand = settings.job_amounts(&value["demand"]);
    }
    if !value["allocated"].is_null() {
        queue.allocated.values_mut().for_each(|amounts| amounts.fill(0));
        for (class, amounts) in entries(&value["allocated"]) {
            let of_class = queue.allocated.get_mut(&settings.class_name(class)).expect("a class");
            add(of_class, &settings.job_amounts(amounts));
        }
    }
    queue
}

fn job(settings: &Settings, nodes: &[Node], queues: &[&Value], job: &Value) -> Job {
    let queue = text(&job["queue"]);
    let gang = &job["gang"];
    let cardinality = usize::try_from(gang["card"].as_u64().unwrap_or(0)).expect("a count");
    let run = job["node"].as_str().map(|id| Run {
        node: nodes.iter().position(|node| node.id == id).expect("a node"),
        priority: integer(&job["at"]),
        started: job["started"].as_i64().unwrap_or(0),
        is_bound: job["unbound"] != true,
    });
    let terms = &job["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    let terms = terms["nodeSelectorTerms"].as_array();
    let expression = |one: &Value| Expression {
        key: text(&one["key"]),
        operator: text(&one["operator"]),
        values: texts(&one["values"]),
    };
    let term = |one: &Value| items(&one["matchExpressions"]).iter().map(expression).collect();
    let mut job = Job {
        id: text(&job["id"]),
        queue: queues.iter().position(|one| one["name"] == *queue),
        queue_name: queue,
        class: settings.class_name(job["pc"].as_str().unwrap_or_default()),
        request: settings.job_amounts(&job["req"]),
        on_node: settings.without_floating(settings.job_amounts(&job["req"])),
        rank: job["prio"].as_u64().unwrap_or(0),
        submitted: job["submit"].as_i64().unwrap_or(0),
        gang: (cardinality > 1).then(|| Gang {
            id: text(&gang["id"]),
            cardinality,
            label: gang["label"].as_str().filter(|label| !label.is_empty()).map(str::to_owned),
        }),
        selector: string_map(&job["selector"]),
        tolerations: items(&job["tolerations"]).iter().map(toleration).collect(),
        affinity: terms.map(|terms| terms.iter().map(term).collect()),
        run,
        away: Vec::new(),
        shape: String::new(),
    };
    job.away = away(settings, &job);
    job.shape = shape(&job);
    job
}

fn away(settings: &Settings, job: &Job) -> Vec<(i32, Vec<Toleration>)> {
    let mut all = Vec::new();
    for away in &settings.classes[&job.class].away {
        let mut tolerations = Vec::new();
        for entry in &away.entries {
            if entry.condition.as_ref().is_some_and(|one| !is_met(settings, job, one)) {
                continue;
            }
            tolerations.extend(entry.taints.iter().map(|taint| Toleration {
                key: taint.key.clone(),
                value: if taint.value == "*" { String::new() } else { taint.value.clone() },
                operator: if taint.value == "*" { "Exists" } else { "" }.to_owned(),
                effect: taint.effect.clone(),
            }));
        }
        // Without tolerations the job can use no other nodes than before.
        if !tolerations.is_empty() {
            all.push((away.priority, tolerations));
        }
    }
    all
}

fn is_met(settings: &Settings, job: &Job, condition: &Condition) -> bool {
    let found = settings.resources.iter().position(|one| one.name == condition.resource);
    let request = found.map_or(0, |at| {
        let unit =
            10_i128.pow(u32::try_from(settings.resources[at].scale + 9).expect("nano at least"));
        quantity::units_up(i128::from(job.request[at]) * unit, 0).into()
    });
    match condition.operator.as_str() {
        ">" => request > condition.value,
        "<" => request < condition.value,
        _ => request == condition.value,
    }
}

fn shape(job: &Job) -> String {
    let mut tolerations = job.tolerations.clone();
    tolerations.sort();
    format!("{:?} {:?} {tolerations:?} {:?} {}", job.selector, job.affinity, job.request, job.class)
}
