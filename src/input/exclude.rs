//! Patterns of files and directories that a search leaves out, in the manner of `.gitignore`.

use glob::{MatchOptions, Pattern};
use std::path::{Component, Path, PathBuf};

/// A pattern of `--exclude`.
#[derive(Debug, Clone)]
pub struct Exclusion {
    pattern: Pattern,
    /// Whether it is compared with the path instead of the name.
    is_path: bool,
    /// Whether it matches directories only.
    is_directory: bool,
    /// Whether it includes again what an earlier pattern excludes.
    is_negated: bool,
    /// The directory that paths are relative to; `None` for the working directory.
    directory: Option<PathBuf>,
}

/// Patterns, of which the last one that matches decides.
#[derive(Debug, Clone, Default)]
pub struct Exclusions {
    patterns: Vec<Exclusion>,
    /// The directory that paths are relative to.
    directory: PathBuf,
}

impl std::str::FromStr for Exclusion {
    type Err = String;

    /// Reads a pattern:
    ///
    /// - without a slash, it is compared with the name of each file and directory
    /// - with a slash at the beginning or inside, with the path from the working directory
    /// - a slash at the end matches directories only
    /// - `*`, `?` and `[a-z]` match within a name, `**` any number of directories
    /// - `!` before it includes again what an earlier pattern excludes
    fn from_str(text: &str) -> Result<Self, String> {
        let (is_negated, rest) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (is_directory, rest) = match rest.strip_suffix('/') {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let is_path = rest.contains('/');
        let rest = rest.strip_prefix("./").unwrap_or(rest);
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        if rest.is_empty() {
            return Err("it is empty".to_owned());
        }
        let pattern = Pattern::new(rest).map_err(|error| error.msg.to_owned())?;
        Ok(Self { pattern, is_path, is_directory, is_negated, directory: None })
    }
}

impl Exclusion {
    /// The pattern with paths that are relative to another directory, which is absolute.
    #[must_use]
    pub fn in_directory(self, directory: PathBuf) -> Self {
        Self { directory: Some(directory), ..self }
    }
}

impl Exclusions {
    /// Patterns whose paths are relative to the working directory.
    pub fn new(patterns: &[Exclusion]) -> Self {
        let directory = std::env::current_dir().unwrap_or_default();
        Self { patterns: patterns.to_vec(), directory }
    }

    /// Whether there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether a file or directory that a walk has reached is left out.
    pub(super) fn excludes(&self, path: &Path, is_directory: bool) -> bool {
        if self.is_empty() {
            return false;
        }
        let path = self.absolute(path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let options = MatchOptions { require_literal_separator: true, ..MatchOptions::default() };
        let matches = |one: &&Exclusion| {
            let directory = one.directory.as_ref().unwrap_or(&self.directory);
            let relative = || path.strip_prefix(directory).unwrap_or(&path).to_string_lossy();
            let text = if one.is_path { relative() } else { name.clone() };
            (is_directory || !one.is_directory) && one.pattern.matches_with(&text, options)
        };
        self.patterns.iter().rfind(matches).is_some_and(|one| !one.is_negated)
    }

    /// Whether a file is left out, or one of the directories above it.
    pub fn excludes_file(&self, path: &Path) -> bool {
        let above = path.ancestors().skip(1).filter(|above| above.file_name().is_some());
        self.excludes(path, false) || above.into_iter().any(|above| self.excludes(above, true))
    }

    /// The absolute path, without `.` and `..`.
    fn absolute(&self, path: &Path) -> PathBuf {
        let mut absolute = PathBuf::new();
        for component in self.directory.join(path).components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => _ = absolute.pop(),
                component => absolute.push(component),
            }
        }
        absolute
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excluded(patterns: &[&str], paths: &[&str]) -> Vec<String> {
        let patterns = patterns.iter().map(|text| text.parse().unwrap()).collect();
        let exclusions = Exclusions { patterns, directory: "/srv".into() };
        let is_excluded = |path: &&&str| exclusions.excludes_file(Path::new(path));
        paths.iter().filter(is_excluded).map(|path| (*path).to_owned()).collect()
    }

    const PATHS: [&str; 7] = [
        "a.yaml",
        "./old/b.yaml",
        "p/old/c.yaml",
        "p/q/../old.yaml",
        "/srv/p/d.yaml",
        "../other/old/e.yaml",
        "p/q/r/f.json",
    ];

    #[test]
    fn a_name_is_excluded_at_every_depth() {
        assert_eq!(excluded(&["old"], &PATHS), [PATHS[1], PATHS[2], PATHS[5]]);
        assert_eq!(excluded(&["old*"], &PATHS), [PATHS[1], PATHS[2], PATHS[3], PATHS[5]]);
        assert_eq!(excluded(&["*.json"], &PATHS), [PATHS[6]]);
        assert_eq!(excluded(&["old.yaml/"], &PATHS), [""; 0]);
    }

    #[test]
    fn a_path_is_excluded_below_the_working_directory() {
        assert_eq!(excluded(&["/old"], &PATHS), [PATHS[1]]);
        assert_eq!(excluded(&["p/old/"], &PATHS), [PATHS[2]]);
        assert_eq!(excluded(&["p/*.yaml"], &PATHS), [PATHS[3], PATHS[4]]);
        assert_eq!(excluded(&["p/**/*.json"], &PATHS), [PATHS[6]]);
        assert_eq!(excluded(&["**/old"], &PATHS), [PATHS[1], PATHS[2], PATHS[5]]);
        assert_eq!(excluded(&["./p/**"], &PATHS), [PATHS[2], PATHS[3], PATHS[4], PATHS[6]]);
    }

    #[test]
    fn the_last_pattern_that_matches_decides() {
        assert_eq!(
            excluded(&["*.yaml", "!a.yaml", "!d*"], &PATHS[..5]),
            [PATHS[1], PATHS[2], PATHS[3]]
        );
        assert_eq!(excluded(&["!a.yaml", "*.yaml"], &PATHS[..1]), [PATHS[0]]);
        // As in git, a file in an excluded directory is not included again.
        assert_eq!(excluded(&["old", "!b.yaml"], &PATHS[..2]), [PATHS[1]]);
        for text in ["", "!", "/", "[", "a**"] {
            assert!(text.parse::<Exclusion>().is_err(), "{text}");
        }
    }
}
