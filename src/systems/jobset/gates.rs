//! The controller's feature gates that failures depend on.

/// Which alpha features the controller has switched on. None is by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FeatureGates {
    /// The actions `RestartJob` and `RestartJobAndIgnoreMaxRestarts`, and the budget that counts
    /// their restarts too.
    pub restart_job: bool,
    /// The strategy `InPlaceRestart`.
    pub in_place_restart: bool,
}

#[cfg(test)]
impl FeatureGates {
    /// Those on that a text names.
    pub(super) fn named(text: &str) -> Self {
        let restart_job = text.contains("RestartJob");
        Self { restart_job, in_place_restart: text.contains("InPlaceRestart") }
    }
}
