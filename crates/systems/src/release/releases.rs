//! The releases that policies are read under.

use super::difference::Difference;
use super::program::{Program, Release};
use super::version::Version;

/// The releases that policies are read under: the defaults, unless options name others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Releases {
    /// The release of Kubernetes, if an option names one.
    pub kubernetes: Option<Version>,
    /// The release of JobSet, if an option names one.
    pub jobset: Option<Version>,
    /// The release of Airflow, if an option names one; otherwise the profile of a document does.
    pub airflow: Option<Version>,
    /// Whether the release of Airflow replaces the profile of a document, so that one document is compared under two.
    pub replaces_profiles: bool,
    /// The row whose effects on fields are those of the other side of its boundary, so that its part in the difference between two
    /// releases is known.
    pub switched: Option<&'static str>,
}

impl Default for Releases {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Releases {
    /// The newest releases of the table that are no previews.
    pub const DEFAULT: Self = Self {
        kubernetes: None,
        jobset: None,
        airflow: None,
        replaces_profiles: false,
        switched: None,
    };

    /// Returns the releases with another one of a program. That of Armada is the form of its documents.
    #[must_use]
    pub fn with(mut self, release: Release) -> Self {
        match release.program {
            Program::Kubernetes => self.kubernetes = Some(release.version),
            Program::JobSet => self.jobset = Some(release.version),
            Program::Airflow => self.airflow = Some(release.version),
            Program::Armada => {}
        }
        self
    }

    /// Returns the releases with those that an option names; an error if it names two of one program.
    ///
    /// # Errors
    ///
    /// If two of them are of one program; the message names both.
    pub fn with_all(self, releases: &[Release]) -> Result<Self, String> {
        for (place, release) in releases.iter().enumerate() {
            let before = &releases[..place];
            if let Some(other) = before.iter().find(|other| other.program == release.program) {
                return Err(format!("{other} and {release} are releases of one program"));
            }
        }
        Ok(releases.iter().fold(self, |all, one| all.with(*one)))
    }

    /// Returns the version of a program that an option names.
    pub fn named(&self, program: Program) -> Option<Version> {
        match program {
            Program::Kubernetes => self.kubernetes,
            Program::JobSet => self.jobset,
            Program::Airflow => self.airflow,
            Program::Armada => None,
        }
    }

    /// Returns the version of a program: that of an option, or the default.
    pub fn version(&self, program: Program) -> Version {
        self.named(program).unwrap_or(program.default_release())
    }

    /// Returns whether the effects on fields of the versions before a row apply.
    pub(super) fn is_before(&self, row: &Difference) -> bool {
        row.is_in(self.version(row.program)) == (self.switched == Some(row.id))
    }
}
