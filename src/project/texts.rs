//! The files of `validate` and `lint`: policies, inputs of simulations, configurations of executors and of the scheduler.

use super::executors::{ExecutorFiles, read_clusters, refuse_repeated};
use super::files::refuse_second_stdin;
use super::scheduler::read_scheduler;
use super::selection::FileSelectionArgs;
use crate::input::{is_read_by, resolve_path};
use anyhow::Result;
use armada_retry::policy::SchedulerSettings;
use document::Document;
use document::diag::{Findings, Source};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use systems::armada::classifier::ClusterConfig;

/// The files to read, and how to read them.
pub struct Inputs<'a> {
    /// The files and directories of `-f`.
    pub files: &'a [PathBuf],
    /// The configurations of executors.
    pub executors: &'a [ExecutorFiles],
    /// The configuration of the scheduler.
    pub scheduler: Option<&'a PathBuf>,
    /// Which files of directories are read.
    pub selection: &'a FileSelectionArgs,
    /// Other inputs of the command, which it reads itself.
    pub others: Vec<&'a PathBuf>,
}

/// The files that were read.
pub struct Texts {
    /// The texts of the files, without `histories`.
    pub sources: Vec<Arc<Source>>,
    /// The number of files that are histories, which are refused.
    pub histories: usize,
    /// The configurations of executors with which they start.
    pub clusters: Vec<ClusterConfig>,
    /// The texts of the configurations of executors.
    pub executors: Vec<Arc<Source>>,
    /// The scheduler's settings, and their document.
    pub scheduler: Option<(SchedulerSettings, Document)>,
    /// The names of all files, configurations included.
    pub names: Vec<String>,
}

impl Inputs<'_> {
    /// The files of the configurations of executors.
    pub fn configs(&self) -> impl Iterator<Item = &PathBuf> {
        self.executors.iter().flat_map(|files| &files.files)
    }

    /// Refuses a second `-`.
    pub fn refuse_second_stdin(&self) -> Result<()> {
        let others = self.scheduler.iter().chain(&self.others).copied();
        refuse_second_stdin(self.files.iter().chain(self.configs()).chain(others))
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
    pub fn read(&self, findings: &mut Findings) -> Result<Texts> {
        let scheduler = self.scheduler.and_then(|path| {
            let (settings, document) = read_scheduler(path, findings);
            settings.zip(document)
        });
        refuse_repeated(self.executors)?;
        let sources = self.selection.texts(self.files, findings);
        let mut executors = Vec::new();
        let clusters = read_clusters(self.executors, &mut executors, findings);
        let mut names: Vec<String> =
            sources.iter().map(|source| source.name().to_owned()).collect();
        let configs = self.configs().chain(self.scheduler);
        names.extend(configs.map(|path| path.display().to_string()));
        let read = sources.len();
        let sources = self.selection.without_histories(sources, findings);
        let histories = read - sources.len();
        Ok(Texts { sources, histories, clusters, executors, scheduler, names })
    }
}
