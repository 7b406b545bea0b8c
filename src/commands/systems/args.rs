//! What an operator of another system may have set beside its manifests.

use crate::cli::Refusal;
use crate::diag::Findings;
use crate::systems::{FeatureGate, Options};
use crate::units::GoDuration;
use anyhow::Result;
use clap::Args;

/// Settings of other systems.
#[derive(Debug, Clone, Default, Args)]
pub struct SystemArgs {
    /// Turn features of JobSet's controller on or off, such as RestartJob=true
    ///
    /// Known are `RestartJob` and `InPlaceRestart`. Both are alpha and off, as in a cluster that sets
    /// nothing.
    #[arg(long, value_delimiter = ',', value_name = "GATE=BOOL")]
    feature_gates: Vec<FeatureGate>,
    /// Replace a failed pod of a Job after so long at the most [default: 10m]
    ///
    /// Ten minutes is what Kubernetes' Job controller does; its documentation says six.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pod_backoff_cap: Option<GoDuration>,
}

fn duration(text: &str) -> Result<GoDuration, String> {
    let duration = GoDuration::parse(text).map_err(|error| error.to_string())?;
    if duration.is_negative() { Err("write 0s or more".to_owned()) } else { Ok(duration) }
}

impl SystemArgs {
    /// What holds for all manifests.
    pub(in crate::commands) fn options(&self) -> Options {
        let default = Options::default();
        let cap = self.pod_backoff_cap.unwrap_or(default.pod_backoff_cap);
        Options { pod_backoff_cap: cap, ..default }.with_gates(&self.feature_gates)
    }

    /// Refuses them where the policies are Armada's. What else is wrong with the files comes first:
    /// what could not be read may be a manifest.
    pub(in crate::commands) fn refuse(&self, findings: &Findings) -> Result<()> {
        if findings.has_errors() {
            return Ok(());
        }
        let flag = match (self.feature_gates.is_empty(), self.pod_backoff_cap) {
            (true, None) => return Ok(()),
            (false, _) => "--feature-gates",
            (true, Some(_)) => "--pod-backoff-cap",
        };
        let message = format!("`{flag}` applies to JobSets and Jobs, but the files contain none");
        Err(Refusal::usage(message).into())
    }
}
