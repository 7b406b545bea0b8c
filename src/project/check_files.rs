//! The files of `validate` and `lint`: policies, inputs of simulations, configurations of executors and of the scheduler.

use super::executors::{ExecutorFiles, read_clusters, read_scheduler_document, refuse_repeated};
use super::files::refuse_second_stdin;
use super::selection::FileSelectionArgs;
use crate::cli::Refusal;
use crate::input::{is_read_by, resolve_path};
use anyhow::Result;
use armada_retry::policy::SchedulerSettings;
use document::Document;
use document::diag::{Findings, Source};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use systems::armada::classifier::ClusterConfig;

/// The files to read, and how to read them.
pub struct CheckInputs<'a> {
    /// The files and directories of `-f`.
    pub files: &'a [PathBuf],
    /// The configurations of executors.
    pub executors: &'a [ExecutorFiles],
    /// The configuration of the scheduler.
    pub scheduler: Option<&'a PathBuf>,
    /// The selection of files in directories.
    pub selection: &'a FileSelectionArgs,
    /// Other inputs of the command, which it reads itself.
    pub others: Vec<&'a PathBuf>,
}

/// The files that were read.
pub struct CheckFiles {
    /// The texts of the files, without histories, which are refused.
    pub sources: Vec<Arc<Source>>,
    /// The number of histories.
    pub history_count: usize,
    /// The configurations of executors with which they start.
    pub clusters: Vec<ClusterConfig>,
    /// The texts of the configurations of executors.
    pub executor_sources: Vec<Arc<Source>>,
    /// The scheduler's settings, and their document.
    pub scheduler: Option<(SchedulerSettings, Document)>,
    /// The names of all files, configurations included.
    pub names: Vec<String>,
}

impl CheckInputs<'_> {
    /// The files of the configurations of executors.
    pub fn configs(&self) -> impl Iterator<Item = &PathBuf> {
        self.executors.iter().flat_map(|files| &files.files)
    }

    /// Refuses a second `-`.
    pub fn refuse_second_stdin(&self) -> Result<()> {
        let others = self.scheduler.iter().chain(&self.others).copied();
        refuse_second_stdin(self.files.iter().chain(self.configs()).chain(others))
    }

    /// Refuses a configuration on standard input, for a command that reads configurations twice.
    pub fn refuse_stdin_configuration(&self) -> Result<()> {
        if !self.configs().chain(self.scheduler).any(|path| path.as_os_str() == "-") {
            return Ok(());
        }
        let message =
            "--against reads configurations again, and standard input can be read only once";
        Err(Refusal::usage(message).help("write the configuration to a file").into())
    }

    /// Returns whether the command reads a file, whose path is resolved, or would if it existed.
    pub fn reads(&self, file: &Path) -> bool {
        self.selection.reads(self.files, file)
            || self.configs().any(|config| resolve_path(config) == file)
            || self.scheduler.iter().chain(&self.others).any(|other| is_read_by(other, file))
    }

    /// Reads all files.
    ///
    /// # Errors
    ///
    /// If several configurations are of one executor.
    pub fn read(&self, findings: &mut Findings) -> Result<CheckFiles> {
        refuse_repeated(self.executors)?;
        let scheduler = self.scheduler.and_then(|path| read_scheduler_document(path, findings));
        let sources = self.selection.texts(self.files, findings);
        let mut executor_sources = Vec::new();
        let clusters = read_clusters(self.executors, &mut executor_sources, findings);
        let mut names: Vec<String> =
            sources.iter().map(|source| source.name().to_owned()).collect();
        let configs = self.configs().chain(self.scheduler);
        names.extend(configs.map(|path| path.display().to_string()));
        let read = sources.len();
        let sources = self.selection.without_histories(sources, findings);
        let history_count = read - sources.len();
        Ok(CheckFiles { sources, history_count, clusters, executor_sources, scheduler, names })
    }
}
