//! The scheduler's settings over time: reloads change two of them while a history runs (semantics.md, section
//! 10).
//!
//! Holds semantics.md 10.

use super::profile::Profile;
use crate::policy::SchedulerSettings;
use document::units::Time;

/// The two settings that a reload may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches {
    /// Whether the retry engine is enabled.
    pub enabled: bool,
    /// The maximum number of retries of a job.
    pub global_max_retries: u32,
}

/// A change of the scheduler's settings while a history runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reload {
    /// When.
    pub at: Time,
    /// The new `globalMaxRetries`, if it changes.
    pub global_max_retries: Option<u32>,
    /// The new `enabled`, if it changes.
    pub enabled: Option<bool>,
}

/// The settings in force at each time.
#[derive(Debug, Clone)]
pub struct Settings {
    base: SchedulerSettings,
    first: Switches,
    reloads: Vec<(Time, Switches)>,
}

impl Settings {
    /// Completes the settings with the profile's defaults and sorts the reloads. Of two at one time, the
    /// later in the list wins.
    pub fn new(base: SchedulerSettings, profile: &Profile, reloads: &[Reload]) -> Self {
        let first = Switches {
            enabled: base.enabled,
            global_max_retries: base.global_max_retries.unwrap_or(profile.global_max_retries),
        };
        let mut ordered = reloads.to_vec();
        ordered.sort_by_key(|reload| reload.at);
        let mut now = first;
        let reloads = ordered
            .iter()
            .map(|reload| {
                now.enabled = reload.enabled.unwrap_or(now.enabled);
                now.global_max_retries =
                    reload.global_max_retries.unwrap_or(now.global_max_retries);
                (reload.at, now)
            })
            .collect();
        Self { base, first, reloads }
    }

    /// The switches in force at a time. A reload at that time has happened. Without a time, no reload has
    /// happened (semantics.md, section 11).
    pub fn at(&self, time: Option<Time>) -> Switches {
        let happened = time.map_or(0, |time| self.reloads.partition_point(|(at, _)| *at <= time));
        match happened.checked_sub(1) {
            Some(last) => self.reloads[last].1,
            None => self.first,
        }
    }

    /// The settings that no reload changes.
    pub fn base(&self) -> &SchedulerSettings {
        &self.base
    }
}

#[cfg(test)]
mod tests {
    use super::super::profile::V1;
    use super::*;

    #[test]
    fn a_reload_holds_from_its_instant_on() {
        let at = |text: &str| Time::parse(text).unwrap();
        let reload = |time: &str, global, enabled| Reload {
            at: at(time),
            global_max_retries: global,
            enabled,
        };
        let reloads = [
            reload("2026-01-02T00:00:00Z", None, Some(false)),
            reload("2026-01-01T00:00:00Z", Some(3), None),
        ];
        let settings = Settings::new(SchedulerSettings::default(), &V1, &reloads);
        let seen = |time| {
            let Switches { enabled, global_max_retries } = settings.at(time);
            (enabled, global_max_retries)
        };
        assert_eq!(seen(None), (true, 20));
        assert_eq!(seen(Some(at("2025-12-31T23:59:59.999Z"))), (true, 20));
        assert_eq!(seen(Some(at("2026-01-01T00:00:00Z"))), (true, 3));
        assert_eq!(seen(Some(at("2026-01-02T00:00:00Z"))), (false, 3));
    }
}
