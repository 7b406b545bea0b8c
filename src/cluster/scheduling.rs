//! The configuration of a scheduler: settings of all pools, those of single pools, and rates.

use super::settings::Settings;
use super::spec::Nanoseconds;
use std::collections::BTreeMap;

/// The configuration of a scheduler: the settings of all pools, and the differences of single pools.
#[derive(Debug, Clone)]
pub struct Scheduling {
    pub(super) settings: Settings,
    pub(super) pools: BTreeMap<String, PoolSettings>,
    /// `schedulePeriod`: the time from one round to the next.
    pub period: Nanoseconds,
    /// `maximumSchedulingRate`, in jobs per second; may be infinite. `None` means no limit.
    pub rate: Option<f64>,
    /// `maximumPerQueueSchedulingRate`, in jobs per second; may be infinite. `None` means no limit.
    pub queue_rate: Option<f64>,
}

/// The settings that a pool overrides.
#[derive(Debug, Clone, Default)]
pub(super) struct PoolSettings {
    pub(super) protected_fraction: Option<f64>,
    pub(super) is_uncapped_share_protected: bool,
    pub(super) round_fractions: Option<Vec<f64>>,
    /// The fractions by the position of the class.
    pub(super) queue_fractions: BTreeMap<usize, Vec<f64>>,
}

impl Scheduling {
    /// Returns the settings without those that pools override. Resources, classes and indexes are the same in
    /// all pools.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the settings of a pool.
    pub fn of_pool(&self, pool: &str) -> Settings {
        let mut settings = self.settings.clone();
        let Some(own) = self.pools.get(pool) else { return settings };
        settings.protected_fraction = own.protected_fraction.unwrap_or(settings.protected_fraction);
        settings.is_uncapped_share_protected = own.is_uncapped_share_protected;
        if let Some(fractions) = &own.round_fractions {
            settings.round_fractions.clone_from(fractions);
        }
        for (class, fractions) in &own.queue_fractions {
            settings.classes[*class].queue_fractions.clone_from(fractions);
        }
        settings
    }
}

/// Uses settings for all pools, with the default period and without rates.
impl From<Settings> for Scheduling {
    fn from(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }
}
