//! The options that a cluster's operator sets outside of manifests.

use crate::release::Releases;
use document::diag::did_you_mean;
use document::units::GoDuration;
use std::str::FromStr;

/// Options for all manifests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// JobSet's gate of its alpha actions `RestartJob` and `RestartJobAndIgnoreMaxRestarts`.
    pub restart_job: bool,
    /// JobSet's gate of its alpha strategy `InPlaceRestart`.
    pub in_place_restart: bool,
    /// The maximum delay before a failed pod of a Job is replaced.
    pub pod_backoff_cap: GoDuration,
    /// The releases that policies are read under.
    pub releases: Releases,
}

impl Default for Options {
    /// Returns the defaults of clusters: alpha gates are off, and pods wait at most ten minutes (the Job
    /// controller's constant; its documentation has six).
    fn default() -> Self {
        let pod_backoff_cap = GoDuration::from_secs(600);
        let releases = Releases::default();
        Self { restart_job: false, in_place_restart: false, pod_backoff_cap, releases }
    }
}

/// A feature gate and whether it is on: `RestartJob=true`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeatureGate {
    gate: &'static str,
    on: bool,
}

/// The gates of JobSet's controller (`pkg/features/features.go`); decisions depend on the first
/// two.
const GATES: [&str; 4] = ["RestartJob", "InPlaceRestart", "ElasticJobSet", "TLSOptions"];

impl FromStr for FeatureGate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let name = name.trim();
        let Some(gate) = GATES.into_iter().find(|gate| *gate == name) else {
            let help = match did_you_mean(name, GATES) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "those that affect failures are RestartJob and InPlaceRestart".to_owned(),
            };
            return Err(format!("JobSet has no feature gate `{name}`; {help}"));
        };
        let on =
            boolean(value.trim()).ok_or_else(|| format!("write {gate}=true or {gate}=false"))?;
        Ok(Self { gate, on })
    }
}

/// Reads the values of Go's `strconv.ParseBool`, which Kubernetes uses for flags.
fn boolean(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

impl Options {
    /// Turns some gates on or off; the last value of each is used.
    #[must_use]
    pub fn with_gates(mut self, gates: &[FeatureGate]) -> Self {
        for gate in gates {
            match gate.gate {
                "RestartJob" => self.restart_job = gate.on,
                "InPlaceRestart" => self.in_place_restart = gate.on,
                _ => {}
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_on_a_gate_counts() {
        let gates = ["RestartJob=true", " InPlaceRestart = T", "RestartJob=false", "TLSOptions=1"];
        let gates: Vec<FeatureGate> = gates.iter().map(|gate| gate.parse().unwrap()).collect();
        let options = Options::default().with_gates(&gates);
        assert!(!options.restart_job && options.in_place_restart);
    }

    #[test]
    fn what_is_no_gate_is_said() {
        let error = "RestartJobs=true".parse::<FeatureGate>().unwrap_err();
        assert!(error.ends_with("did you mean `RestartJob`?"), "{error}");
        let error = "RestartJob=yes".parse::<FeatureGate>().unwrap_err();
        assert_eq!(error, "write RestartJob=true or RestartJob=false");
        assert!("RestartJob".parse::<FeatureGate>().is_err());
    }
}
