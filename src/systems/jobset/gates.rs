//! The controller's feature gates, as `--feature-gates` writes them.

use crate::diag::did_you_mean;

/// Which alpha features the controller has switched on. None is by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FeatureGates {
    /// The actions `RestartJob` and `RestartJobAndIgnoreMaxRestarts`, and the budget that counts
    /// their restarts too.
    pub restart_job: bool,
    /// The strategy `InPlaceRestart`.
    pub in_place_restart: bool,
}

/// What is wrong with a list of feature gates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GateError {
    /// There is no gate of this name.
    #[error("JobSet has no feature gate `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// The gate that was probably meant.
        near: Option<&'static str>,
    },
    /// It is not `Gate=true` or `Gate=false`.
    #[error("`{0}` does not say whether the gate is on")]
    NoBoolean(String),
}

impl GateError {
    /// The way out.
    pub fn help(&self) -> String {
        match self {
            Self::Unknown { near: Some(near), .. } => format!("did you mean `{near}`?"),
            Self::Unknown { near: None, .. } => {
                "those that failures depend on are `RestartJob` and `InPlaceRestart`".to_owned()
            }
            Self::NoBoolean(text) => {
                let name = text.split('=').next().unwrap_or_default();
                format!("write `{name}=true` or `{name}=false`")
            }
        }
    }
}

/// The gates of `pkg/features/features.go`; failures depend on the first two.
const GATES: [&str; 4] = ["RestartJob", "InPlaceRestart", "ElasticJobSet", "TLSOptions"];

impl FeatureGates {
    /// Reads `RestartJob=true,InPlaceRestart=false`. Of a gate that stands twice the last counts,
    /// as in Kubernetes' own flags.
    ///
    /// # Errors
    ///
    /// If a gate is not known, or what follows it is no boolean.
    pub fn parse(text: &str) -> Result<Self, GateError> {
        let mut gates = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, value) = part
                .split_once('=')
                .map_or((part, None), |(name, value)| (name.trim(), boolean(value.trim())));
            if !GATES.contains(&name) {
                let near = did_you_mean(name, GATES);
                return Err(GateError::Unknown { name: name.to_owned(), near });
            }
            let Some(value) = value else { return Err(GateError::NoBoolean(part.to_owned())) };
            match name {
                "RestartJob" => gates.restart_job = value,
                "InPlaceRestart" => gates.in_place_restart = value,
                // Nothing that is decided here depends on the others.
                _ => {}
            }
        }
        Ok(gates)
    }
}

/// What Go's `strconv.ParseBool` takes, since Kubernetes' flags do.
fn boolean(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_read_as_kubernetes_reads_them() {
        let both = FeatureGates { restart_job: true, in_place_restart: true };
        assert_eq!(FeatureGates::parse("RestartJob=true, InPlaceRestart=T"), Ok(both));
        assert_eq!(FeatureGates::parse(""), Ok(FeatureGates::default()));
        let off = FeatureGates::parse("RestartJob=true,RestartJob=false,ElasticJobSet=true");
        assert_eq!(off, Ok(FeatureGates::default()));
    }

    #[test]
    fn what_is_no_gate_is_refused_with_a_way_out() {
        let help = |text| FeatureGates::parse(text).unwrap_err().help();
        assert_eq!(help("RestartJobs=true"), "did you mean `RestartJob`?");
        assert_eq!(help("RestartJob"), "write `RestartJob=true` or `RestartJob=false`");
        assert_eq!(help("RestartJob=yes"), "write `RestartJob=true` or `RestartJob=false`");
        assert!(help("Fast=true").contains("`InPlaceRestart`"));
    }
}
