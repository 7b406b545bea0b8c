//! What a cluster's operator may set beside the manifests.

use crate::diag::did_you_mean;
use crate::units::GoDuration;
use std::str::FromStr;

/// What holds for all manifests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// JobSet's gate of its alpha actions `RestartJob` and `RestartJobAndIgnoreMaxRestarts`.
    pub restart_job: bool,
    /// JobSet's gate of its alpha strategy `InPlaceRestart`.
    pub in_place_restart: bool,
    /// The longest time before a failed pod of a Job is replaced.
    pub pod_backoff_cap: GoDuration,
}

impl Default for Options {
    /// What clusters do unless somebody changes it: alpha gates are off, and pods wait ten minutes
    /// at most (the Job controller's constant; its documentation says six).
    fn default() -> Self {
        let pod_backoff_cap = GoDuration::from_secs(600);
        Self { restart_job: false, in_place_restart: false, pod_backoff_cap }
    }
}

/// A feature gate and whether it is on: `RestartJob=true`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeatureGate {
    gate: &'static str,
    on: bool,
}

/// The gates that change what a failure policy may say.
const GATES: [&str; 2] = ["RestartJob", "InPlaceRestart"];

impl FromStr for FeatureGate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = || "write GATE=true or GATE=false, such as `RestartJob=true`".to_owned();
        let (name, value) = text.trim().split_once('=').ok_or_else(form)?;
        let on = value.parse().map_err(|_| form())?;
        let Some(gate) = GATES.into_iter().find(|gate| *gate == name) else {
            let help = match did_you_mean(name, GATES) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("those that matter here are {}", GATES.join(" and ")),
            };
            return Err(format!("unknown feature gate `{name}`; {help}"));
        };
        Ok(Self { gate, on })
    }
}

impl Options {
    /// The same with some gates turned on or off, the last word on each counting.
    #[must_use]
    pub fn with_gates(mut self, gates: &[FeatureGate]) -> Self {
        for gate in gates {
            match gate.gate {
                "RestartJob" => self.restart_job = gate.on,
                _ => self.in_place_restart = gate.on,
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
        let gates = ["RestartJob=true", "InPlaceRestart=true", "RestartJob=false"];
        let gates: Vec<FeatureGate> = gates.iter().map(|gate| gate.parse().unwrap()).collect();
        let options = Options::default().with_gates(&gates);
        assert!(!options.restart_job && options.in_place_restart);
    }

    #[test]
    fn what_is_no_gate_is_said() {
        let error = "RestartJobs=true".parse::<FeatureGate>().unwrap_err();
        assert!(error.ends_with("did you mean `RestartJob`?"), "{error}");
        assert!("RestartJob=on".parse::<FeatureGate>().is_err());
        assert!("RestartJob".parse::<FeatureGate>().is_err());
    }
}
