//! Finds and reads `.armadactl-lint.yaml`.

use super::executors::ExecutorFiles;
use super::refuse_errors;
use crate::analysis::lint_config::{LINT_CONFIG_NAME, LintConfig, read_lint_config};
use crate::cli::Refusal;
use crate::input;
use crate::ui::Ui;
use anyhow::Result;
use document::Limits;
use document::diag::Findings;
use std::path::{Path, PathBuf};

/// The settings of a repository, and their file.
pub struct RepositoryConfig {
    /// The file.
    pub path: PathBuf,
    /// The settings.
    pub config: LintConfig,
}

/// The lint configuration of a directory: that in it, or in the nearest directory above. The search ends at a
/// directory with `.git`, which is the root of a repository.
fn find(directory: &Path) -> Option<PathBuf> {
    for directory in directory.ancestors() {
        let path = directory.join(LINT_CONFIG_NAME);
        if path.is_file() {
            return Some(path);
        }
        if directory.join(".git").exists() {
            return None;
        }
    }
    None
}

/// The settings in a file, or in the file that is found from the working directory. Errors in it stop the command,
/// warnings are printed.
pub fn read_repository_config(
    ui: &mut Ui,
    path: Option<&Path>,
) -> Result<Option<RepositoryConfig>> {
    let found = match path {
        Some(path) => Some(path.to_owned()),
        None => std::env::current_dir().ok().and_then(|directory| relative_path(&directory)),
    };
    let Some(path) = found else { return Ok(None) };
    let mut findings = Findings::new();
    let source = input::read_text(&path, Limits::POLICY, &mut findings);
    let config = source.and_then(|source| {
        let (config, more) = read_lint_config(&source);
        findings.extend(more);
        config
    });
    refuse_errors(ui, findings)?;
    Ok(config.map(|config| RepositoryConfig { path, config }))
}

/// The path of the lint configuration from a directory, so that messages have short names of files.
fn relative_path(directory: &Path) -> Option<PathBuf> {
    let found = find(directory)?;
    let below = directory.strip_prefix(found.parent()?).ok()?;
    let up: PathBuf = below.components().map(|_| "..").collect();
    Some(up.join(LINT_CONFIG_NAME))
}

impl RepositoryConfig {
    /// A path of the file, from the directory that the file is in.
    pub fn relative(&self, path: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }

    /// The paths of Queue documents.
    pub fn queues(&self) -> Vec<PathBuf> {
        self.config.queues.iter().map(|path| self.relative(path)).collect()
    }

    /// The configuration file of the scheduler.
    pub fn scheduler_config(&self) -> Option<PathBuf> {
        self.config.scheduler_config.as_ref().map(|path| self.relative(path))
    }

    /// The baseline of `lint`.
    pub fn baseline(&self) -> Option<PathBuf> {
        self.config.baseline.as_ref().map(|path| self.relative(path))
    }

    /// The configuration files of executors.
    pub fn executor_config(&self) -> Result<Vec<ExecutorFiles>> {
        let read = |text: &String| {
            let files: ExecutorFiles = text.parse().map_err(|help| {
                let message =
                    format!("`executorConfig` in `{}`: invalid `{text}`", self.path.display());
                Refusal::input(message).help(help)
            })?;
            let relative = |path: &PathBuf| self.path.parent().unwrap_or(Path::new("")).join(path);
            Ok(ExecutorFiles { files: files.files.iter().map(relative).collect(), ..files })
        };
        self.config.executor_config.iter().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_nearest_file_up_to_the_repository_is_found() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        fs::create_dir_all(path("repo/policies/ml")).unwrap();
        fs::write(path(LINT_CONFIG_NAME), "").unwrap();
        assert_eq!(find(&path("repo/policies/ml")), Some(path(LINT_CONFIG_NAME)));
        fs::create_dir(path("repo/.git")).unwrap();
        assert_eq!(find(&path("repo/policies/ml")), None);
        let inside = path("repo").join(LINT_CONFIG_NAME);
        fs::write(&inside, "").unwrap();
        assert_eq!(find(&path("repo/policies/ml")), Some(inside.clone()));
        assert_eq!(find(&path("repo")), Some(inside));
    }

    #[test]
    fn paths_are_relative_to_the_file() {
        let config = LintConfig {
            queues: vec!["q/".to_owned(), "/q".to_owned()],
            executor_config: vec!["a=x.yaml,y.yaml".to_owned()],
            ..LintConfig::default()
        };
        let found = RepositoryConfig { path: "repo/.armadactl-lint.yaml".into(), config };
        assert_eq!(found.queues(), [PathBuf::from("repo/q/"), PathBuf::from("/q")]);
        let executors = found.executor_config().unwrap();
        assert_eq!(executors[0].files, ["repo/x.yaml", "repo/y.yaml"].map(PathBuf::from));
        let wrong = LintConfig { executor_config: vec!["a=".to_owned()], ..LintConfig::default() };
        assert!(RepositoryConfig { config: wrong, ..found }.executor_config().is_err());
    }
}
