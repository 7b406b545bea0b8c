//! A round as a case gives it, in the types of the scheduler.

use armadactl::cluster::job::{Gang, Job, JobIndex, Run, Shape};
use armadactl::cluster::nodes::{NodeSpec, Nodes};
use armadactl::cluster::requirements::{
    Expression, Labels, Operator, Requirements, Taint, Toleration,
};
use armadactl::cluster::resources::{Amounts, ResourceTypes};
use armadactl::cluster::round::{QueueInput, RoundInput, job_order};
use armadactl::cluster::settings::{
    AwayCondition, AwayEntry, AwayNodeType, IndexedResource, PriorityClass, Profile, SeedSettings,
    Settings,
};
use armadactl::units::Quantity;
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

/// A round's input, with the names that its positions stand for.
pub struct State {
    pub settings: Settings,
    pub jobs: Vec<Job>,
    pub shapes: Vec<Shape>,
    pub gangs: Vec<Gang>,
    pub nodes: Nodes,
    pub total: Amounts,
    pub queues: Vec<QueueInput>,
    pub tokens: Option<f64>,
    pub seed: u64,
    pub priorities: HashMap<JobIndex, i32>,
    pub job_ids: Vec<String>,
    pub queue_names: Vec<String>,
}

impl State {
    pub fn input(&mut self) -> RoundInput<'_> {
        RoundInput {
            settings: &self.settings,
            total: self.total.clone(),
            jobs: &self.jobs,
            shapes: &self.shapes,
            gangs: &self.gangs,
            nodes: &mut self.nodes,
            queues: self.queues.clone(),
            tokens: self.tokens,
            seed: self.seed,
            number: 0,
            priorities: &mut self.priorities,
        }
    }
}

pub fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn entries(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), value))
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn quantity(value: &Value) -> Quantity {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Quantity::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

pub fn quantities(value: &Value) -> Vec<(&str, Quantity)> {
    entries(value).map(|(name, value)| (name, quantity(value))).collect()
}

fn fractions(resources: &ResourceTypes, value: &Value, absent: f64) -> Vec<f64> {
    let of = |name: &String| value[name].as_f64().unwrap_or(absent);
    resources.names().iter().map(of).collect()
}

pub fn taint(value: &Value) -> Taint {
    Taint { key: text(&value["key"]), value: text(&value["value"]), effect: text(&value["effect"]) }
}

pub fn labels(value: &Value) -> Labels {
    entries(value).map(|(key, value)| (key.to_owned(), text(value))).collect()
}

pub fn settings(pool: &str, config: &Value) -> Settings {
    let types = items(&config["supportedResourceTypes"]);
    let resources =
        ResourceTypes::new(types.iter().map(|one| {
            (one["name"].as_str().expect("a valid case"), quantity(&one["resolution"]))
        }));
    let own = items(&config["pools"]).iter().find(|one| one["name"] == pool);
    let own = |key: &str| own.map_or(&Value::Null, |own| &own[key]);
    let mut classes: Vec<PriorityClass> =
        entries(&config["priorityClasses"]).map(|one| class(config, &resources, one)).collect();
    classes.sort_by(|a, b| a.name.cmp(&b.name));
    let default = text(&config["defaultPriorityClassName"]);
    let default_class = classes.iter().position(|class| class.name == default);
    let indexed = items(&config["indexedResources"]).iter().map(|one| {
        let position =
            resources.position(one["name"].as_str().expect("a valid case")).expect("a valid case");
        IndexedResource {
            position,
            resolution: resources.scaled(position, quantity(&one["resolution"])).max(1),
        }
    });
    let indexed_resources = indexed.collect();
    let names = |key: &str| items(&config[key]).iter().map(text).collect();
    let by_pool = &config["maximumResourceFractionToScheduleByPool"][pool];
    let round =
        if by_pool.is_null() { &config["maximumResourceFractionToSchedule"] } else { by_pool };
    let count =
        |key: &str| config[key].as_u64().map(|count| u32::try_from(count).expect("a valid case"));
    Settings {
        multipliers: multipliers(config, &resources),
        classes,
        default_class: default_class.unwrap_or(0),
        indexed_resources,
        indexed_taints: names("indexedTaints"),
        indexed_labels: names("indexedNodeLabels"),
        protected_fraction: own("protectedFractionOfFairShare")
            .as_f64()
            .or(config["protectedFractionOfFairShare"].as_f64())
            .unwrap_or(0.0),
        is_uncapped_share_protected: own("experimentalProtectUncappedAdjustedFairShare") == true,
        are_large_jobs_first: config["enablePreferLargeJobOrdering"] == true,
        queue_lookback: count("maxQueueLookback").unwrap_or(0) as usize,
        round_fractions: fractions(&resources, round, f64::INFINITY),
        burst: count("maximumSchedulingBurst"),
        queue_burst: count("maximumPerQueueSchedulingBurst"),
        profile: if config["profile"] == "seed" { Profile::Seed } else { Profile::Landed },
        seed: SeedSettings {
            eviction_probability: config["nodeEvictionProbability"].as_f64().unwrap_or(1.0),
            ..SeedSettings::default()
        },
        resources,
    }
}

fn multipliers(config: &Value, resources: &ResourceTypes) -> Vec<f64> {
    let mut all = vec![0.0; resources.names().len()];
    for name in items(&config["dominantResourceFairnessResourcesToConsider"]) {
        if let Some(at) = resources.position(name.as_str().expect("a valid case")) {
            all[at] = 1.0;
        }
    }
    for one in items(&config["experimentalDominantResourceFairnessResourcesToConsider"]) {
        let multiplier = one["multiplier"].as_f64().unwrap_or(0.0);
        if let Some(at) = resources.position(one["name"].as_str().expect("a valid case")) {
            all[at] = if multiplier > 0.0 { multiplier } else { 1.0 };
        }
    }
    all
}

fn class(
    config: &Value,
    resources: &ResourceTypes,
    (name, class): (&str, &Value),
) -> PriorityClass {
    let away = items(&class["awayNodeTypes"]).iter().map(|away| {
        let known = |name: &str| {
            let types = items(&config["wellKnownNodeTypes"]);
            let known = types.iter().find(|one| one["name"] == name).unwrap_or(&Value::Null);
            items(&known["taints"]).iter().map(taint).collect::<Vec<_>>()
        };
        let first = away["wellKnownNodeTypeName"].as_str().filter(|name| !name.is_empty());
        let first = first.map(|name| AwayEntry { taints: known(name), condition: None });
        let more = items(&away["nodeTypes"]).iter().map(|entry| AwayEntry {
            taints: known(entry["name"].as_str().expect("a valid case")),
            condition: items(&entry["conditions"]).first().map(|one| AwayCondition {
                position: resources.position(one["resource"].as_str().expect("a valid case")),
                ordering: match one["operator"].as_str().expect("a valid case") {
                    ">" => Ordering::Greater,
                    "<" => Ordering::Less,
                    _ => Ordering::Equal,
                },
                value: i64::try_from(quantity(&one["value"]).ceil()).expect("a valid case"),
            }),
        });
        AwayNodeType {
            priority: i32::try_from(away["priority"].as_i64().expect("a valid case"))
                .expect("a valid case"),
            entries: first.into_iter().chain(more).collect(),
        }
    });
    PriorityClass {
        name: name.to_owned(),
        priority: i32::try_from(class["priority"].as_i64().unwrap_or(0)).expect("a valid case"),
        is_preemptible: class["preemptible"] == true,
        queue_fractions: fractions(
            resources,
            &class["maximumResourceFractionPerQueue"],
            f64::INFINITY,
        ),
        away: away.collect(),
    }
}

pub fn requirements(job: &Value, selector: &str) -> Requirements {
    let toleration = |one: &Value| Toleration {
        key: text(&one["key"]),
        value: (one["operator"] != "Exists").then(|| text(&one["value"])),
        effect: text(&one["effect"]),
    };
    let terms = &job["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        ["nodeSelectorTerms"];
    let expression = |one: &Value| Expression {
        key: text(&one["key"]),
        operator: one["operator"].as_str().and_then(Operator::from_name).expect("a valid case"),
        values: items(&one["values"]).iter().map(text).collect(),
    };
    let term = |term: &Value| items(&term["matchExpressions"]).iter().map(expression).collect();
    Requirements::new(
        labels(&job[selector]),
        items(&job["tolerations"]).iter().map(toleration).collect(),
        terms.as_array().map(|terms| terms.iter().map(term).collect()),
    )
}

pub fn state(input: &Value) -> State {
    let pool = input["pool"].as_str().expect("a valid case");
    let settings = settings(pool, &input["config"]);
    let resources = settings.resources.clone();
    let mut given: Vec<&Value> = items(&input["queues"]).iter().collect();
    given.sort_by_key(|queue| text(&queue["name"]));
    let queue_names: Vec<String> = given.iter().map(|queue| text(&queue["name"])).collect();
    let specs = items(&input["nodes"]).iter().map(|node| NodeSpec {
        id: text(&node["id"]),
        total: resources.of_node(quantities(&node["resources"])),
        labels: labels(&node["labels"]),
        taints: items(&node["taints"]).iter().map(taint).collect(),
        is_unschedulable: node["unschedulable"] == true,
    });
    let specs: Vec<NodeSpec> = specs.collect();
    let node_ids: HashMap<String, usize> =
        specs.iter().enumerate().map(|(at, node)| (node.id.clone(), at)).collect();
    let mut total = resources.zero();
    for node in &specs {
        total.add(&node.total);
    }
    let mut nodes = Nodes::new(&settings, specs);
    for (at, node) in items(&input["nodes"]).iter().enumerate() {
        for (priority, free) in entries(&node["allocatable"]) {
            let priority: i32 = priority.parse().expect("a valid case");
            nodes.set_free(at, priority, resources.of_node(quantities(free)));
        }
    }
    let mut values: Vec<&Value> = items(&input["jobs"]).iter().collect();
    values.sort_by_key(|job| text(&job["id"]));
    let (mut jobs, mut shapes, mut gangs) = (Vec::new(), Vec::new(), Vec::new());
    let (mut known, mut known_gangs) = (HashMap::new(), BTreeMap::new());
    for (index, value) in values.iter().enumerate() {
        let index = JobIndex::try_from(index).expect("a valid case");
        let shape = Shape {
            class: settings.class_position(value["pc"].as_str().unwrap_or_default()),
            request: resources.of_job(quantities(&value["req"])),
            requirements: requirements(value, "selector"),
        };
        let queue = text(&value["queue"]);
        let shape = *known.entry(shape.clone()).or_insert_with(|| {
            shapes.push(shape);
            shapes.len() - 1
        });
        let gang = value["gang"].as_object();
        let gang = gang.filter(|gang| gang["card"].as_u64() > Some(1)).map(|gang| {
            let key = (queue.clone(), text(&gang["id"]));
            let position = *known_gangs.entry(key).or_insert_with(|| {
                gangs.push(Gang {
                    cardinality: usize::try_from(gang["card"].as_u64().expect("a valid case"))
                        .expect("a valid case"),
                    uniformity_label: gang.get("label").map(text).filter(|label| !label.is_empty()),
                    members: Vec::new(),
                });
                gangs.len() - 1
            });
            gangs[position].members.push(index);
            position
        });
        jobs.push(Job {
            queue: queue_names.iter().position(|name| *name == queue),
            shape,
            priority: u32::try_from(value["prio"].as_u64().unwrap_or(0)).expect("a valid case"),
            submitted: value["submit"].as_i64().unwrap_or(0),
            gang,
            run: value["node"].as_str().map(|node| Run {
                node: node_ids[node],
                priority: i32::try_from(value["at"].as_i64().unwrap_or(0)).expect("a valid case"),
                started: value["started"].as_i64().unwrap_or(0),
                is_bound: value["unbound"] != true,
            }),
        });
    }
    bind(&settings, &jobs, &shapes, &mut nodes);
    let queues = given.iter().enumerate().map(|(at, queue)| {
        let queue = QueueReader {
            settings: &settings,
            pool,
            total: &total,
            jobs: &jobs,
            shapes: &shapes,
            queue,
        };
        queue.read(at)
    });
    State {
        queues: queues.collect(),
        tokens: input["tokens"].as_f64(),
        seed: 1,
        priorities: HashMap::new(),
        job_ids: values.iter().map(|job| text(&job["id"])).collect(),
        settings,
        jobs,
        shapes,
        gangs,
        nodes,
        total,
        queue_names,
    }
}

fn bind(settings: &Settings, jobs: &[Job], shapes: &[Shape], nodes: &mut Nodes) {
    for (index, job) in jobs.iter().enumerate() {
        let Some(run) = job.run.filter(|run| run.is_bound) else { continue };
        let shape = &shapes[job.shape];
        let cutoff = nodes.cutoff(settings, shape.class, run.priority);
        nodes.bind(
            run.node,
            JobIndex::try_from(index).expect("a valid case"),
            &shape.request,
            cutoff,
        );
    }
}

struct QueueReader<'a> {
    settings: &'a Settings,
    pool: &'a str,
    total: &'a Amounts,
    jobs: &'a [Job],
    shapes: &'a [Shape],
    queue: &'a Value,
}

impl QueueReader<'_> {
    fn read(&self, at: usize) -> QueueInput {
        let resources = &self.settings.resources;
        let zero = || vec![resources.zero(); self.settings.classes.len()];
        let (mut demands, mut allocated) = (zero(), zero());
        let mut queued = Vec::new();
        for (index, job) in self.jobs.iter().enumerate().filter(|(_, job)| job.queue == Some(at)) {
            let shape = &self.shapes[job.shape];
            demands[shape.class].add(&shape.request);
            match job.run {
                Some(_) => allocated[shape.class].add(&shape.request),
                None => queued.push(JobIndex::try_from(index).expect("a valid case")),
            }
        }
        queued.sort_by_key(|job| job_order(self.settings, self.jobs, self.shapes, *job));
        let limits: Vec<Amounts> =
            self.settings.classes.iter().map(|class| self.limit(class)).collect();
        let mut demand = resources.zero();
        for (of_class, limit) in demands.iter().zip(&limits) {
            demand.add(&of_class.min(limit));
        }
        if !self.queue["demand"].is_null() {
            demand = resources.of_job(quantities(&self.queue["demand"]));
        }
        if !self.queue["allocated"].is_null() {
            allocated = zero();
            for (class, amounts) in entries(&self.queue["allocated"]) {
                let class = self.settings.class_position(class);
                allocated[class].add(&resources.of_job(quantities(amounts)));
            }
        }
        QueueInput {
            weight: self.queue["weight"].as_f64().expect("a valid case"),
            is_active: true,
            is_cordoned: self.queue["cordoned"] == true,
            tokens: self.queue["tokens"].as_f64(),
            limits,
            allocated,
            demand,
            queued,
        }
    }

    fn limit(&self, class: &PriorityClass) -> Amounts {
        let resources = &self.settings.resources;
        let mut fractions = class.queue_fractions.clone();
        for (name, fraction) in entries(&self.queue["limits"][&class.name]) {
            if let Some(at) = resources.position(name) {
                fractions[at] = fraction.as_f64().expect("a valid case");
            }
        }
        let _ = self.pool;
        self.total.times(&fractions)
    }
}
