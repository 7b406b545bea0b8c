//! The selection of files in directories, and of documents in them.

use super::files;
use super::misplaced::refuse_histories;
use crate::input::{Exclusion, Exclusions};
use armada_retry::policy::OtherKinds;
use clap::Args;
use document::diag::{Findings, Source};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files that a directory does not stand for.
#[derive(Debug, Clone, Default, Args)]
pub struct ExcludeArgs {
    /// Leave out matching files of directories and patterns (repeatable)
    ///
    /// GLOB is compared with the names of files and directories at any depth, or, if it has a slash
    /// before its end, with their paths from the working directory. `*`, `?` and `[a-z]` match within a
    /// name, `**` any number of directories; a slash at the end matches directories only; `!` before
    /// the pattern includes again what an earlier one excludes. A file that -f names is read in any
    /// case. Files and directories whose names begin with a dot are always left out.
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<Exclusion>,
}

/// The files and documents that are read.
#[derive(Debug, Default, Args)]
pub struct FileSelectionArgs {
    #[command(flatten)]
    exclude: ExcludeArgs,
    /// Skip documents of other kinds in named files too
    ///
    /// In directories they are always skipped. Without this flag, a document of another kind or without
    /// one is an error in a file that -f names, unless it is next to manifests. A misspelt kind, and a
    /// document without one that has fields of a policy or queue, remain errors.
    #[arg(long)]
    ignore_other_kinds: bool,
}

impl ExcludeArgs {
    /// The patterns.
    pub fn exclusions(&self) -> Exclusions {
        Exclusions::new(&self.exclude)
    }
}

impl FileSelectionArgs {
    /// Skips documents of other kinds in all files.
    pub fn skipping_other_kinds(exclude: &ExcludeArgs) -> Self {
        Self { exclude: exclude.clone(), ignore_other_kinds: true }
    }

    /// The same with patterns of a configuration, before those of the flags: these may include again.
    #[must_use]
    pub fn with_exclusions(&self, mut first: Vec<Exclusion>) -> Self {
        first.extend(self.exclude.exclude.iter().cloned());
        let exclude = ExcludeArgs { exclude: first };
        Self { exclude, ignore_other_kinds: self.ignore_other_kinds }
    }

    /// The texts of the files that paths stand for.
    pub fn texts(&self, paths: &[PathBuf], findings: &mut Findings) -> Vec<Arc<Source>> {
        files::texts(paths, &self.exclude.exclusions(), findings)
    }

    /// The texts without the named histories, which are errors unless other kinds are skipped.
    pub fn without_histories(
        &self,
        sources: Vec<Arc<Source>>,
        findings: &mut Findings,
    ) -> Vec<Arc<Source>> {
        if self.ignore_other_kinds { sources } else { refuse_histories(sources, findings) }
    }

    /// How to handle documents of other kinds in named files.
    pub fn other_kinds(&self) -> OtherKinds {
        if self.ignore_other_kinds { OtherKinds::Skip } else { OtherKinds::Refuse }
    }

    /// Whether a run with these paths reads a file, or would read it if it existed.
    pub fn reads(&self, paths: &[PathBuf], file: &Path) -> bool {
        files::reads(paths, &self.exclude.exclusions(), file)
    }
}
