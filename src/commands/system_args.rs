//! Settings of other systems that are not in manifests: flags of their operators.

use crate::cli::Refusal;
use anyhow::Result;
use clap::Args;
use document::diag::Findings;
use document::units::GoDuration;
use systems::release::{Program, Release, Releases, has_releases_of};
use systems::{FeatureGate, ManifestSystem, Options};

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
    /// Read the policies as this release does, such as kubernetes-1.34 (repeatable)
    ///
    /// The programs are `kubernetes`, `jobset` and `airflow`. What the release drops is left out, with a warning, and what
    /// it refuses is an error. Default: Kubernetes 1.37, JobSet 0.12, and Airflow 3.3 unless a profile names a
    /// release. `explain releases` lists what differs.
    #[arg(long, value_name = "PROGRAM-VERSION", value_delimiter = ',', value_parser = release)]
    release: Vec<Release>,
}

/// Reads a release of a program whose documents do not name one by their form.
fn release(text: &str) -> Result<Release, String> {
    let name = text.split_once('-').map_or(text, |(name, _)| name);
    if Program::from_name(name) == Some(Program::Armada) {
        let message = "the form of a policy names it: v1beta1 is what Armada has, v1 is the design";
        return Err(message.to_owned());
    }
    Release::parse(text, &Program::OF_FLAGS)
}

fn duration(text: &str) -> Result<GoDuration, String> {
    let duration = GoDuration::parse(text).map_err(|error| error.to_string())?;
    if duration.is_negative() { Err("write 0s or more".to_owned()) } else { Ok(duration) }
}

impl SystemArgs {
    /// The options of all manifests; an error if a program has two releases.
    pub(super) fn options(&self) -> Result<Options> {
        let default = Options::default();
        let cap = self.pod_backoff_cap.unwrap_or(default.pod_backoff_cap);
        let releases = Releases::default().with_all(&self.release).map_err(|message| {
            let help = "name one; `simulate --variant` compares releases";
            Refusal::usage(format!("--release: {message}")).help(help)
        })?;
        let options = Options { pod_backoff_cap: cap, releases, ..default };
        Ok(options.with_gates(&self.feature_gates))
    }

    /// Refuses releases of programs that no policy of the files depends on, and these flags for systems without manifests
    /// of Kubernetes.
    pub(super) fn refuse_for<S: ManifestSystem>(&self, findings: &Findings) -> Result<()> {
        if S::DESCRIPTION.applies_to_all_units() {
            self.refuse_gates(findings)?;
        }
        let manifest = S::DESCRIPTION.manifest;
        match self.release.iter().find(|one| !has_releases_of::<S>(one.program)) {
            Some(release) if !findings.has_errors() => {
                let message = format!(
                    "`--release` is {release}, but the files contain a {manifest}, which does not depend on it"
                );
                Err(Refusal::usage(message).help("leave it out").into())
            }
            _ => Ok(()),
        }
    }

    /// Refuses these flags for Armada's policies, unless the files have errors: a file that cannot be read may
    /// be a manifest.
    pub(super) fn refuse(&self, findings: &Findings) -> Result<()> {
        self.refuse_gates(findings)?;
        if findings.has_errors() || self.release.is_empty() {
            return Ok(());
        }
        let message =
            "`--release` applies to Jobs, JobSets and Airflow, but the files contain none";
        Err(Refusal::usage(message).into())
    }

    fn refuse_gates(&self, findings: &Findings) -> Result<()> {
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
