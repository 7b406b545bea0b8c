//! The releases that policies are read under.

use super::difference::Difference;
use super::program::{Program, Release};
use super::version::Version;

/// The releases that policies are read under: the defaults, unless options name others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Releases {
    /// The release of Kubernetes.
    pub kubernetes: Version,
    /// The release of JobSet.
    pub jobset: Version,
    /// The release of Airflow, if an option names one; otherwise the profile of a document does.
    pub airflow: Option<Version>,
    /// Whether the release of Airflow replaces the profile of a document, so that one document is compared under two.
    pub replaces_profiles: bool,
    /// The only row whose effects on fields apply, so that it is told apart from others of the same release.
    pub only: Option<&'static str>,
}

impl Default for Releases {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Releases {
    /// The newest releases of the table that are no previews.
    pub const DEFAULT: Self = Self {
        kubernetes: Program::Kubernetes.default_release(),
        jobset: Program::JobSet.default_release(),
        airflow: None,
        replaces_profiles: false,
        only: None,
    };

    /// Returns the releases with another one of a program. That of Armada is the form of its documents.
    #[must_use]
    pub fn with(mut self, release: Release) -> Self {
        match release.program {
            Program::Kubernetes => self.kubernetes = release.version,
            Program::JobSet => self.jobset = release.version,
            Program::Airflow => self.airflow = Some(release.version),
            Program::Armada => {}
        }
        self
    }

    /// Returns the version of a program.
    pub fn version(&self, program: Program) -> Version {
        match program {
            Program::Kubernetes => self.kubernetes,
            Program::JobSet => self.jobset,
            Program::Airflow => self.airflow.unwrap_or(program.default_release()),
            Program::Armada => program.default_release(),
        }
    }

    /// Returns whether the effects on fields of the versions before a row apply.
    pub(super) fn is_before(&self, row: &Difference) -> bool {
        !row.is_in(self.version(row.program)) && self.only.is_none_or(|only| only == row.id)
    }
}
