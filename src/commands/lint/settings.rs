//! The settings of a run: flags, and `.armadactl-lint.yaml` for what no flag sets.

use super::args::{FailOn, LintArgs};
use super::filter::Filter;
use crate::cli::{Context, Refusal};
use crate::input::{Exclusion, resolve_path};
use crate::project::{self, ExecutorFiles, FileSelectionArgs, RepositoryConfig};
use anyhow::Result;
use document::diag::Severity;
use std::path::PathBuf;
use systems::Bounds;

/// The settings of a run.
pub(super) struct Settings {
    /// The configuration file, if there is one.
    pub(super) path: Option<PathBuf>,
    pub(super) files: Vec<PathBuf>,
    /// Those of them that only the configuration names: other policies of these queues may be in files that are not
    /// linted.
    pub(super) queues: Vec<PathBuf>,
    /// Whether a flag names the scheduler's configuration.
    pub(super) has_own_scheduler: bool,
    pub(super) selection: FileSelectionArgs,
    pub(super) executors: Vec<ExecutorFiles>,
    pub(super) scheduler: Option<PathBuf>,
    /// The file with the findings that are not reported.
    pub(super) baseline: Option<PathBuf>,
    pub(super) filter: Filter,
    pub(super) fail_on: Severity,
    pub(super) bounds: Bounds,
}

impl Settings {
    /// Joins the flags with the configuration file, which is found from the working directory upwards unless
    /// `--lint-config` names it.
    pub(super) fn read(context: &mut Context<'_>, args: &LintArgs) -> Result<Self> {
        let found = project::read_repository_config(context.ui, args.lint_config.as_deref())?;
        let flag = |list: &[_]| (!list.is_empty()).then(|| list.to_vec());
        let fail_on = args.fail_on.map(FailOn::severity);
        let mut settings = Self {
            path: None,
            files: args.files.to_vec(),
            queues: Vec::new(),
            has_own_scheduler: true,
            selection: args.selection.with_exclusions(Vec::new()),
            executors: args.executor_config.clone(),
            scheduler: args.scheduler_config.clone(),
            baseline: args.baseline.clone(),
            filter: Filter {
                select: flag(&args.select),
                ignore: args.ignore.clone(),
                severity: Vec::new(),
            },
            fail_on: fail_on.unwrap_or(Severity::Warning),
            bounds: Bounds::default(),
        };
        let Some(found) = found else { return Ok(settings) };
        let config = &found.config;
        settings.selection = args.selection.with_exclusions(exclusions(&found)?);
        // A file that a flag stands for is read once.
        let queues = found.queues().into_iter();
        settings.queues = queues
            .filter(|path| !settings.selection.reads(&args.files, &resolve_path(path)))
            .collect();
        settings.files.extend(settings.queues.iter().cloned());
        settings.has_own_scheduler = settings.scheduler.is_some();
        if settings.executors.is_empty() {
            settings.executors = found.executor_config()?;
        }
        settings.scheduler = settings.scheduler.or_else(|| found.scheduler_config());
        settings.baseline = settings.baseline.or_else(|| found.baseline());
        settings.filter.select = settings.filter.select.or_else(|| config.select.clone());
        settings.filter.ignore.extend(config.ignore.iter().cloned());
        settings.filter.severity.clone_from(&config.severity.0);
        settings.fail_on = fail_on.or(config.fail_on).unwrap_or(settings.fail_on);
        let (default, bounds) = (Bounds::default(), config.bounds);
        settings.bounds = Bounds {
            attempts: bounds.attempts.unwrap_or(default.attempts),
            wait: bounds.wait.unwrap_or(default.wait),
            memory_factor: bounds.memory_factor.unwrap_or(default.memory_factor),
            outage: bounds.outage.unwrap_or(default.outage),
        };
        settings.path = Some(found.path);
        Ok(settings)
    }
}

/// The patterns of the configuration, whose paths are relative to its directory.
fn exclusions(found: &RepositoryConfig) -> Result<Vec<Exclusion>> {
    let directory = resolve_path(&found.relative("."));
    let read = |text: &String| {
        let exclusion: Result<Exclusion, String> = text.parse();
        let message = |error| format!("`exclude` in `{}`: `{text}`: {error}", found.path.display());
        let exclusion = exclusion.map_err(|error| Refusal::input(message(error)))?;
        Ok(exclusion.in_directory(directory.clone()))
    };
    found.config.exclude.iter().map(read).collect()
}
