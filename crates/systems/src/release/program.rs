//! The programs whose releases decide otherwise, and their releases.

use super::version::Version;
use document::diag::did_you_mean;
use document::names;
use std::fmt;
use std::str::FromStr;

names! {
    /// A program that decides about failures.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Program {
        /// Kubernetes: the API server and the Job controller.
        Kubernetes = "kubernetes",
        /// JobSet's controller and custom resource definition.
        JobSet = "jobset",
        /// Apache Airflow with its task-sdk.
        Airflow = "airflow",
        /// Armada's scheduler and server.
        Armada = "armada",
    }
}

const KUBERNETES: &[Version] = &[
    Version::newest(1, 30),
    Version::newest(1, 31),
    Version::newest(1, 32),
    Version::newest(1, 33),
    Version::newest(1, 34),
    Version::newest(1, 35),
    Version::newest(1, 36),
    Version::newest(1, 37),
];

const JOBSET: &[Version] = &[
    Version::newest(0, 5),
    Version::newest(0, 6),
    Version::newest(0, 7),
    Version::newest(0, 8),
    Version::newest(0, 9),
    Version::newest(0, 10),
    Version::newest(0, 11),
    Version::newest(0, 12),
];

const AIRFLOW: &[Version] = &[
    Version::newest(2, 6),
    Version::newest(2, 7),
    Version::newest(2, 8),
    Version::newest(2, 9),
    Version::newest(2, 10),
    Version::newest(2, 11),
    Version::patch(3, 0, 0),
    Version::newest(3, 0),
    Version::patch(3, 1, 1),
    Version::newest(3, 1),
    Version::newest(3, 2),
    Version::newest(3, 3),
    Version::newest(3, 4),
];

const ARMADA: &[Version] = &[
    Version::patch(0, 22, 3),
    Version::patch(0, 22, 4),
    Version::patch(0, 22, 5),
    Version::patch(0, 22, 6),
    Version::patch(0, 22, 7),
    Version::DESIGN,
];

/// The newest patches that were read, of each minor version.
const KUBERNETES_PATCHES: &[&str] =
    &["1.30.14", "1.31.14", "1.32.13", "1.33.13", "1.34.4", "1.35.4", "1.36.3", "1.37.2"];
const JOBSET_PATCHES: &[&str] =
    &["0.5.2", "0.6.0", "0.7.3", "0.8.2", "0.9.1", "0.10.1", "0.11.1", "0.12.0"];
const AIRFLOW_PATCHES: &[&str] = &[
    "2.6.3", "2.7.3", "2.8.4", "2.9.3", "2.10.5", "2.11.2", "3.0.6", "3.1.8", "3.2.2", "3.3.2",
    "3.4.0b2",
];
const ARMADA_PATCHES: &[&str] = &["0.22.7"];

impl Program {
    /// The programs whose release flags set, since no form of a document names it.
    pub const OF_FLAGS: [Self; 3] = [Self::Kubernetes, Self::JobSet, Self::Airflow];

    /// Returns the name in texts.
    pub fn title(self) -> &'static str {
        match self {
            Self::Kubernetes => "Kubernetes",
            Self::JobSet => "JobSet",
            Self::Airflow => "Airflow",
            Self::Armada => "Armada",
        }
    }

    /// Returns the releases that the table covers, the oldest first. Releases between which no decision differs are one.
    pub fn releases(self) -> &'static [Version] {
        match self {
            Self::Kubernetes => KUBERNETES,
            Self::JobSet => JOBSET,
            Self::Airflow => AIRFLOW,
            Self::Armada => ARMADA,
        }
    }

    /// Returns the newest patch of a minor version that was read: `3.1.8` for `3.1`.
    pub fn newest_patch(self, version: Version) -> Option<&'static str> {
        let patches = match self {
            Self::Kubernetes => KUBERNETES_PATCHES,
            Self::JobSet => JOBSET_PATCHES,
            Self::Airflow => AIRFLOW_PATCHES,
            Self::Armada => ARMADA_PATCHES,
        };
        let is_of_minor = |patch: &&str| {
            Version::parse(numbers_of(patch)).is_some_and(|it| it.has_minor_of(version))
        };
        patches.iter().copied().find(is_of_minor)
    }

    /// Returns the release that is assumed: the newest of the table that is no preview.
    pub const fn default_release(self) -> Version {
        match self {
            Self::Kubernetes => Version::newest(1, 37),
            Self::JobSet => Version::newest(0, 12),
            Self::Airflow => Version::newest(3, 3),
            Self::Armada => Version::patch(0, 22, 7),
        }
    }

    /// Returns the newest release of the table before a version.
    pub fn release_before(self, version: Version) -> Option<Version> {
        self.releases().iter().copied().rfind(|release| *release < version)
    }

    /// Returns the oldest release of the table that is not before a version.
    pub fn release_since(self, version: Version) -> Option<Version> {
        self.releases().iter().copied().find(|release| *release >= version)
    }
}

/// A release of a program: `kubernetes-1.34`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Release {
    /// The program.
    pub program: Program,
    /// Its version.
    pub version: Version,
}

/// Returns a version without the mark of a preview: `3.4.0` of `3.4.0b2`.
fn numbers_of(version: &str) -> &str {
    version.split('b').next().unwrap_or(version)
}

impl Release {
    /// Returns the release with the newest patch that was read, if it names a minor version: `Airflow 3.1 (3.1.8)`.
    pub fn title(self) -> String {
        let patch = self.program.newest_patch(self.version);
        match patch.filter(|_| self.version.is_newest_patch()) {
            Some(patch) => format!("{self} ({patch})"),
            None => self.to_string(),
        }
    }

    /// Returns the error about a release that was not read.
    fn refusal(self) -> Option<String> {
        let Self { program, version } = self;
        let title = program.title();
        if version == Version::DESIGN {
            return None;
        }
        let Some(newest) = program.newest_patch(version) else {
            let releases = program.releases().iter().map(ToString::to_string);
            let releases = releases.collect::<Vec<_>>().join(", ");
            return Some(format!(
                "{title} {version} is not in the table; the releases are {releases}"
            ));
        };
        let is_beyond = !version.is_newest_patch()
            && Version::parse(numbers_of(newest)).is_some_and(|newest| version > newest);
        is_beyond.then(|| {
            let name = program.as_str();
            let minor = newest.rsplit_once('.').map_or(newest, |(minor, _)| minor);
            format!(
                "{title} {version} is not in the table; its newest patch of {minor} is {newest}, which is `{name}-{minor}`"
            )
        })
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.program.title(), self.version)
    }
}

impl FromStr for Release {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::parse(text, &Program::ALL)
    }
}

impl Release {
    /// Parses a release of one of some programs.
    ///
    /// # Errors
    ///
    /// If the text has another form, or names no release of the table.
    pub fn parse(text: &str, programs: &[Program]) -> Result<Self, String> {
        let names = || programs.iter().map(|program| program.as_str());
        let form = || {
            let names = names().collect::<Vec<_>>().join(", ");
            format!("write PROGRAM-VERSION, such as `kubernetes-1.34`; the programs are {names}")
        };
        let (name, version) = text.split_once('-').ok_or_else(form)?;
        let Some(program) = Program::from_name(name).filter(|it| programs.contains(it)) else {
            let near = did_you_mean(name, names());
            let near = near.map(|near| format!("; did you mean `{near}`?"));
            return Err(near.map_or_else(form, |near| format!("no program `{name}`{near}")));
        };
        let design = (program == Program::Armada && version == "design").then_some(Version::DESIGN);
        let version = design.or_else(|| Version::parse(version)).ok_or_else(form)?;
        let release = Self { program, version };
        release.refusal().map_or(Ok(release), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_ordered_and_read_as_they_are_written() {
        for program in Program::ALL {
            assert!(program.releases().is_sorted());
            assert!(program.releases().contains(&program.default_release()));
            for version in program.releases() {
                let text = format!("{}-{version}", program.as_str());
                assert_eq!(text.parse(), Ok(Release { program, version: *version }));
            }
        }
    }

    #[test]
    fn a_minor_version_is_printed_with_its_newest_patch() {
        for (text, title) in [
            ("airflow-3.1", "Airflow 3.1 (3.1.8)"),
            ("airflow-3.4", "Airflow 3.4 (3.4.0b2)"),
            ("airflow-3.1.8", "Airflow 3.1.8"),
            ("kubernetes-1.34", "Kubernetes 1.34 (1.34.4)"),
            ("armada-design", "Armada design"),
        ] {
            assert_eq!(text.parse::<Release>().map(Release::title), Ok(title.to_owned()));
        }
        // Each release of the table is a patch that was read, or has one.
        for program in Program::ALL {
            for version in program.releases().iter().filter(|it| **it != Version::DESIGN) {
                assert!(program.newest_patch(*version).is_some(), "{program:?} {version}");
            }
        }
    }

    #[test]
    fn other_releases_are_refused() {
        for (text, part) in [
            ("kubernetes", "write PROGRAM-VERSION"),
            (
                "kubernetes-1.29",
                "Kubernetes 1.29 is not in the table; the releases are 1.30, 1.31, ",
            ),
            ("kubernetes-1.38", "1.36, 1.37"),
            ("kubernetes-9.99", "1.36, 1.37"),
            ("airflow-9.9", "2.6, 2.7"),
            ("jobset-0.99", "0.11, 0.12"),
            ("kubernetes-1.34.5", "newest patch of 1.34 is 1.34.4, which is `kubernetes-1.34`"),
            ("airflow-3.4.1", "newest patch of 3.4 is 3.4.0b2"),
            ("armada-0.22.8", "newest patch of 0.22 is 0.22.7"),
            ("kubernets-1.34", "did you mean `kubernetes`?"),
            ("jobset-new", "write PROGRAM-VERSION"),
        ] {
            let error = text.parse::<Release>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
