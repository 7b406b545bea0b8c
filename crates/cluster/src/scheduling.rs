//! The configuration of a scheduler: settings of all pools, those of single pools, and rates.

use super::resources::Amounts;
use super::settings::{Floating, Settings};
use super::spec::Nanoseconds;
use replay::history::GraceBounds;
use std::collections::BTreeMap;

/// The configuration of a scheduler: the settings of all pools, and the differences of single pools.
#[derive(Debug, Clone)]
pub struct Scheduling {
    pub(super) settings: Settings,
    pub(super) pools: BTreeMap<String, PoolSettings>,
    /// `schedulePeriod`: the time from one round to the next.
    pub period: Nanoseconds,
    /// The deadlines of jobs that have none.
    pub deadlines: DefaultDeadlines,
    /// The grace periods that jobs may have.
    pub grace: GraceBounds,
    /// `maximumSchedulingRate`, in jobs per second; may be infinite. `None` means no limit.
    pub rate: Option<f64>,
    /// `maximumPerQueueSchedulingRate`, in jobs per second; may be infinite. `None` means no limit.
    pub queue_rate: Option<f64>,
}

/// The deadlines of jobs that have none.
///
/// Source: Armada, `defaultActiveDeadlineSeconds` in `internal/server/submit`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DefaultDeadlines {
    /// `submission.defaultActiveDeadline`; 0 means none.
    pub of_all: Nanoseconds,
    /// `submission.defaultActiveDeadlineByResourceRequest`, by the position of the resource.
    pub by_resource: Vec<(usize, Nanoseconds)>,
}

impl DefaultDeadlines {
    /// Returns the deadline of a job with this request: the longest of the resources that it requests, else that of
    /// all jobs, rounded up to whole seconds.
    pub fn of(&self, request: &Amounts) -> Option<Nanoseconds> {
        const SECOND: Nanoseconds = 1_000_000_000;
        let is_requested = |position: usize| request.as_slice().get(position) > Some(&0);
        let requested = self.by_resource.iter().filter(|(position, _)| is_requested(*position));
        let longest = requested.map(|(_, deadline)| *deadline).max().filter(|it| *it > 0);
        let deadline = longest.unwrap_or(self.of_all);
        (deadline > 0).then(|| deadline.saturating_add(SECOND - 1) / SECOND * SECOND)
    }
}

/// The settings that a pool overrides.
#[derive(Debug, Clone, Default)]
pub(super) struct PoolSettings {
    pub(super) protected_fraction: Option<f64>,
    pub(super) is_uncapped_share_protected: bool,
    pub(super) round_fractions: Option<Vec<f64>>,
    /// The fractions by the position of the class.
    pub(super) queue_fractions: BTreeMap<usize, Vec<f64>>,
    /// Its floating resources; `None` without one.
    pub(super) floating: Option<Amounts>,
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
        let own = self.pools.get(pool);
        if settings.resources.floating().next().is_some() {
            let own = own.and_then(|own| own.floating.clone());
            let of_all = || settings.floating.take().map(|floating| floating.available);
            let available = own.or_else(of_all).unwrap_or_else(|| settings.resources.zero());
            settings.floating = Some(Floating { pool: pool.to_owned(), available });
        }
        let Some(own) = own else { return settings };
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
