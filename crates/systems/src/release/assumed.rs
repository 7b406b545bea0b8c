//! The releases that the documents of a system are read under, and where each comes from.

use super::program::{Program, Release};
use super::version::Version;
use crate::{ManifestSystem, Options};
use document::{Document, Node, names};

names! {
    /// The origin of the release that a document is read under.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ReleaseOrigin {
        /// The default.
        Default = "default",
        /// An option of the command line or of a test document.
        Option = "option",
        /// The profile that the document names.
        Profile = "profile",
    }
}

/// A release that a document is read under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AssumedRelease {
    /// The release.
    pub release: Release,
    /// Where it comes from.
    pub origin: ReleaseOrigin,
}

impl AssumedRelease {
    /// Returns the text of a report: `Kubernetes 1.37 (1.37.2, default)`.
    pub fn title(&self) -> String {
        let title = self.release.title();
        let origin = match self.origin {
            ReleaseOrigin::Default => "default",
            ReleaseOrigin::Profile => "profile",
            ReleaseOrigin::Option => return title,
        };
        match title.strip_suffix(')') {
            Some(title) => format!("{title}, {origin})"),
            None => format!("{title} ({origin})"),
        }
    }
}

/// Returns the programs whose releases a system's decisions depend on.
pub fn programs_of<S: ManifestSystem>() -> &'static [Program] {
    match S::DESCRIPTION.id {
        "job" => &[Program::Kubernetes],
        "jobset" => &[Program::Kubernetes, Program::JobSet],
        "airflow" => &[Program::Airflow],
        _ => &[],
    }
}

/// Returns whether a system's decisions depend on the releases of a program.
pub fn has_releases_of<S: ManifestSystem>(program: Program) -> bool {
    programs_of::<S>().contains(&program)
}

/// Returns the releases that commands read a document under.
pub fn assumed_releases<S: ManifestSystem>(
    document: &Document,
    options: &Options,
) -> Vec<AssumedRelease> {
    let programs = programs_of::<S>().iter();
    programs.map(|&program| assumed_release(program, document, options)).collect()
}

fn assumed_release(program: Program, document: &Document, options: &Options) -> AssumedRelease {
    let profile = document.root.at(&["spec", "profile"]).and_then(Node::scalar);
    let profile = profile.and_then(|profile| Version::parse(&profile.text));
    let profile = profile.filter(|_| program == Program::Airflow);
    let (version, origin) = match (options.releases.named(program), profile) {
        (Some(version), _) => (version, ReleaseOrigin::Option),
        (None, Some(profile)) => (profile, ReleaseOrigin::Profile),
        (None, None) => (program.default_release(), ReleaseOrigin::Default),
    };
    AssumedRelease { release: Release { program, version }, origin }
}
