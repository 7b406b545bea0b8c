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

impl Program {
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

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.program.title(), self.version)
    }
}

impl FromStr for Release {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = || {
            let names = Program::ALL.map(Program::as_str).join(", ");
            format!("write PROGRAM-VERSION, such as `kubernetes-1.34`; the programs are {names}")
        };
        let (name, version) = text.split_once('-').ok_or_else(form)?;
        let Some(program) = Program::from_name(name) else {
            let near = did_you_mean(name, Program::ALL.map(Program::as_str));
            let near = near.map(|near| format!("; did you mean `{near}`?"));
            return Err(near.map_or_else(form, |near| format!("no program `{name}`{near}")));
        };
        let design = (program == Program::Armada && version == "design").then_some(Version::DESIGN);
        let version = design.or_else(|| Version::parse(version)).ok_or_else(form)?;
        let (Some(oldest), Some(newest)) = (program.releases().first(), program.releases().last())
        else {
            return Err(form());
        };
        let is_covered = version >= *oldest && version <= *newest
            || version.has_minor_of(*oldest)
            || version.has_minor_of(*newest);
        if !is_covered {
            let title = program.title();
            return Err(format!(
                "{title} {version} is not in the table, which has {oldest} to {newest}"
            ));
        }
        Ok(Self { program, version })
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
    fn other_releases_are_refused() {
        for (text, part) in [
            ("kubernetes", "write PROGRAM-VERSION"),
            ("kubernetes-1.29", "Kubernetes 1.29 is not in the table, which has 1.30 to 1.37"),
            ("kubernetes-1.38", "1.30 to 1.37"),
            ("kubernets-1.34", "did you mean `kubernetes`?"),
            ("jobset-new", "write PROGRAM-VERSION"),
        ] {
            let error = text.parse::<Release>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
