//! Settings of other systems that are not in manifests: flags of their operators.

use crate::cli::Refusal;
use anyhow::Result;
use clap::Args;
use document::diag::Findings;
use document::units::GoDuration;
use systems::{FeatureGate, Options};

/// Settings of other systems.
#[derive(Debug, Clone, Default, Args)]
pub struct SystemArgs {
    /// Turn features of JobSet's controller on or off, such as RestartJob=true
    ///
    /// The gates are `RestartJob` and `InPlaceRestart`. Both are alpha, and off by default.
    #[arg(long, value_delimiter = ',', value_name = "GATE=BOOL")]
    feature_gates: Vec<FeatureGate>,
    /// Limit the delay before a failed pod of a Job is replaced [default: 10m]
    ///
    /// Kubernetes' Job controller waits at most 10 minutes; its documentation states 6.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pod_backoff_cap: Option<GoDuration>,
}

fn duration(text: &str) -> Result<GoDuration, String> {
    let duration = GoDuration::parse(text).map_err(|error| error.to_string())?;
    if duration.is_negative() { Err("write 0s or more".to_owned()) } else { Ok(duration) }
}

impl SystemArgs {
    /// The options of all manifests.
    pub(super) fn options(&self) -> Options {
        let default = Options::default();
        let cap = self.pod_backoff_cap.unwrap_or(default.pod_backoff_cap);
        Options { pod_backoff_cap: cap, ..default }.with_gates(&self.feature_gates)
    }

    /// Refuses these flags for Armada's policies, unless the files have errors: a file that cannot be read may
    /// be a manifest.
    pub(super) fn refuse(&self, findings: &Findings) -> Result<()> {
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
