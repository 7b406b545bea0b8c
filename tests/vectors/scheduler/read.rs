//! A round of a case, in the types of the scheduler.

use cluster::read::{Scheduling, StateFile};
use cluster::requirements::Taint;
use cluster::resources::ResourceTypes;
use cluster::settings::{
    AwayCondition, AwayEntry, AwayNodeType, Floating, IndexedResource, PriorityClass, Profile,
    SeedSettings, Settings,
};
use cluster::state::PoolState;
use document::diag::Source;
use document::units::Quantity;
use serde_json::Value;
use std::cmp::Ordering;

pub fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn entries(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), value))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn quantity(value: &Value) -> Quantity {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Quantity::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn fractions(resources: &ResourceTypes, value: &Value, absent: f64) -> Vec<f64> {
    let of = |name: &String| value[name].as_f64().unwrap_or(absent);
    resources.names().iter().map(of).collect()
}

fn taint(value: &Value) -> Taint {
    Taint { key: text(&value["key"]), value: text(&value["value"]), effect: text(&value["effect"]) }
}

pub fn settings(pool: &str, config: &Value) -> Settings {
    let types = items(&config["supportedResourceTypes"]);
    let resource = |one: &'_ Value| (text(&one["name"]), quantity(&one["resolution"]));
    let supported: Vec<(String, Quantity)> = types.iter().map(resource).collect();
    let mut resources = ResourceTypes::new(supported.iter().map(|(name, it)| (&**name, *it)));
    for one in items(&config["floatingResources"]) {
        let resolution = &one["resolution"];
        let resolution =
            if resolution.is_null() { Quantity::default() } else { quantity(resolution) };
        resources.add_floating(one["name"].as_str().expect("a name"), resolution);
    }
    let own = items(&config["pools"]).iter().find(|one| one["name"] == pool);
    let own = |key: &str| own.map_or(&Value::Null, |own| &own[key]);
    let (classes, default_class) = classes(config, &resources);
    let names = |key: &str| items(&config[key]).iter().map(text).collect();
    let by_pool = &config["maximumResourceFractionToScheduleByPool"][pool];
    let round =
        if by_pool.is_null() { &config["maximumResourceFractionToSchedule"] } else { by_pool };
    let count =
        |key: &str| config[key].as_u64().map(|count| u32::try_from(count).expect("a count"));
    let protected = own("protectedFractionOfFairShare").as_f64();
    Settings {
        multipliers: multipliers(config, &resources),
        classes,
        default_class,
        indexed_resources: indexed_resources(config, &resources),
        indexed_taints: names("indexedTaints"),
        indexed_labels: names("indexedNodeLabels"),
        protected_fraction: protected
            .or(config["protectedFractionOfFairShare"].as_f64())
            .unwrap_or(0.0),
        is_uncapped_share_protected: own("experimentalProtectUncappedAdjustedFairShare") == true,
        are_large_jobs_first: config["enablePreferLargeJobOrdering"] == true,
        queue_lookback: count("maxQueueLookback").unwrap_or(0) as usize,
        round_fractions: fractions(&resources, round, f64::INFINITY),
        burst: count("maximumSchedulingBurst"),
        queue_burst: count("maximumPerQueueSchedulingBurst"),
        floating: floating(pool, config, &resources),
        profile: if config["profile"] == "seed" { Profile::Seed } else { Profile::Landed },
        seed: SeedSettings {
            eviction_probability: config["nodeEvictionProbability"].as_f64().unwrap_or(1.0),
            ..SeedSettings::default()
        },
        resources,
    }
}

/// What the pool has of floating resources.
fn floating(pool: &str, config: &Value, resources: &ResourceTypes) -> Option<Floating> {
    let all = items(&config["floatingResources"]);
    let here = all.iter().filter_map(|one| {
        let here = items(&one["pools"]).iter().find(|at| at["name"] == pool)?;
        Some((one["name"].as_str()?, quantity(&here["quantity"])))
    });
    let available = resources.of_pool(here);
    (!all.is_empty()).then(|| Floating { pool: pool.to_owned(), available })
}

/// The classes by name, and the position of the default one.
fn classes(config: &Value, resources: &ResourceTypes) -> (Vec<PriorityClass>, usize) {
    let mut classes: Vec<PriorityClass> =
        entries(&config["priorityClasses"]).map(|one| class(config, resources, one)).collect();
    classes.sort_by(|a, b| a.name.cmp(&b.name));
    let default = text(&config["defaultPriorityClassName"]);
    let position = classes.iter().position(|class| class.name == default);
    (classes, position.unwrap_or(0))
}

fn indexed_resources(config: &Value, resources: &ResourceTypes) -> Vec<IndexedResource> {
    let indexed = items(&config["indexedResources"]).iter().map(|one| {
        let name = one["name"].as_str().expect("a name");
        let position = resources.position(name).expect("a supported resource");
        let resolution = resources.scaled(position, quantity(&one["resolution"])).max(1);
        IndexedResource { position, resolution }
    });
    indexed.collect()
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

/// The pool of a round, with the settings that its `config` has where absent keys are Go's zero values.
pub fn state(input: &Value) -> PoolState {
    let pool = input["pool"].as_str().expect("a valid case");
    let scheduling = Scheduling::from(settings(pool, &input["config"]));
    let mut input = input.clone();
    input.as_object_mut().expect("a valid case").remove("config");
    let (file, findings) = StateFile::parse(&Source::new("state", input.to_string()));
    let file = file.unwrap_or_else(|| panic!("{:?}", findings.sorted()));
    let (state, findings) = file.read(&scheduling, None);
    state.unwrap_or_else(|| panic!("{:?}", findings.sorted()))
}
