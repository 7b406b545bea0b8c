//! The settings without a configuration.

use super::super::super::resources::{GPU, ResourceTypes};
use super::super::super::scheduling::DefaultDeadlines;
use super::super::super::settings::{
    IndexedResource, PriorityClass, Profile, SeedSettings, Settings,
};
use super::super::CLUSTER_LABEL;
use super::super::Scheduling;
use armada_retry::policy::SchedulerSettings;
use document::units::Quantity;
use replay::history::GraceBounds;
use std::collections::{BTreeMap, BTreeSet};

/// The class of jobs without a known class.
pub(super) const DEFAULT_CLASS: &str = "armada-default";
const PREEMPTIBLE_CLASS: &str = "armada-preemptible";
/// The supported resources and their resolutions.
const SUPPORTED: [(&str, &str); 4] =
    [("cpu", "1m"), ("memory", "1"), ("nvidia.com/gpu", "1"), ("ephemeral-storage", "1")];
/// The indexed resources and their resolutions, in order.
const INDEXED: [(&str, &str); 3] = [("nvidia.com/gpu", "1"), ("cpu", "1"), ("memory", "1Mi")];
/// The resources that contribute to the cost of a job.
const CONSIDERED: [&str; 3] = ["cpu", "memory", "nvidia.com/gpu"];
/// The default of `maxQueueLookback`.
const LOOKBACK: usize = 100_000;
/// The default period of rounds, in nanoseconds.
const PERIOD: i64 = 10 * 1_000_000_000;

impl Scheduling {
    /// Returns the settings without a configuration.
    pub fn of_profile(profile: Profile) -> Self {
        let types = SUPPORTED.map(|(name, resolution)| (name, constant(resolution)));
        let resources = ResourceTypes::new(types);
        // The priorities of the two classes (docs/scheduler.md, Absent keys of `config`).
        let (of_default, of_preemptible) = match profile {
            Profile::Landed => (1000, 1000),
            Profile::Seed => (30_000, 20_000),
        };
        let class = |name: &str, priority, is_preemptible| PriorityClass {
            name: name.to_owned(),
            priority,
            is_preemptible,
            // Infinite: a queue has no limit.
            queue_fractions: vec![f64::INFINITY; SUPPORTED.len()],
            away: Vec::new(),
        };
        let settings = Settings {
            classes: vec![
                class(DEFAULT_CLASS, of_default, false),
                class(PREEMPTIBLE_CLASS, of_preemptible, true),
            ],
            default_class: 0,
            indexed_resources: default_indexes(&resources),
            indexed_taints: BTreeSet::new(),
            indexed_labels: BTreeSet::from([CLUSTER_LABEL.to_owned()]),
            multipliers: default_multipliers(&resources),
            protected_fraction: 1.0,
            is_uncapped_share_protected: false,
            are_large_jobs_first: false,
            queue_lookback: LOOKBACK,
            round_fractions: vec![1.0; SUPPORTED.len()],
            burst: None,
            queue_burst: None,
            profile,
            seed: SeedSettings::default(),
            floating: None,
            resources,
        };
        let deadlines = default_deadlines(profile, &settings.resources);
        let grace = GraceBounds::from(&SchedulerSettings::default());
        let pools = BTreeMap::new();
        Self { settings, pools, period: PERIOD, deadlines, grace, rate: None, queue_rate: None }
    }
}

/// Returns the deadlines without a configuration: none but in the design, which has 3 days, and 14 with GPUs.
pub(super) fn default_deadlines(profile: Profile, resources: &ResourceTypes) -> DefaultDeadlines {
    const DAY: i64 = 24 * 3600 * 1_000_000_000;
    match profile {
        Profile::Landed => DefaultDeadlines::default(),
        Profile::Seed => DefaultDeadlines {
            of_all: 3 * DAY,
            by_resource: resources.position(GPU).map(|gpu| (gpu, 14 * DAY)).into_iter().collect(),
        },
    }
}

/// Returns the default indexes, of the resources that are supported.
pub(super) fn default_indexes(resources: &ResourceTypes) -> Vec<IndexedResource> {
    let indexed = INDEXED.into_iter().filter_map(|(name, resolution)| {
        let position = resources.position(name)?;
        // Amounts are divided by it, so that it is never 0.
        let resolution = resources.scaled(position, constant(resolution)).max(1);
        Some(IndexedResource { position, resolution })
    });
    indexed.collect()
}

/// Returns the default multipliers: 1 for each resource that contributes to the cost, else 0.
pub(super) fn default_multipliers(resources: &ResourceTypes) -> Vec<f64> {
    let multiplier = |name: &String| f64::from(u8::from(CONSIDERED.contains(&name.as_str())));
    resources.names().iter().map(multiplier).collect()
}

/// Parses a quantity that is a constant of this file.
fn constant(text: &str) -> Quantity {
    Quantity::parse(text).unwrap_or_default()
}
