//! Flags of the commands that read files and write to a server.

use crate::cli::Refusal;
use crate::commands::input_files::{ARGUMENTS, InputFiles};
use crate::input::Exclusions;
use crate::project::{self, ExcludeArgs};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// Which documents, for commands whose arguments are names.
#[derive(Debug, Args)]
pub struct FileArgs {
    /// Read these files or directories (`-` for stdin)
    #[arg(short = 'f', long = "filename", required = true, num_args = 1.., value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    exclude: ExcludeArgs,
}

/// Which documents, for commands whose arguments are files.
#[derive(Debug, Args)]
#[command(mut_arg(ARGUMENTS, |arg| arg.help("Read these files or directories (`-` for stdin)")))]
pub struct ArgumentFileArgs {
    #[command(flatten)]
    files: InputFiles,
    #[command(flatten)]
    exclude: ExcludeArgs,
}

/// The files of either.
#[derive(Clone, Copy)]
pub(in crate::commands) struct SelectedFiles<'a> {
    files: &'a [PathBuf],
    exclude: &'a ExcludeArgs,
}

/// What of a `v1` policy may be left behind.
#[derive(Debug, Args)]
pub struct DifferenceArgs {
    /// Drop fields of `v1` policies that the server cannot hold, and list them
    #[arg(long)]
    accept_differences: bool,
    /// Send also policies left without rules or retries
    ///
    /// This implies --accept-differences. Without this flag such a policy is refused (exit 6).
    #[arg(long)]
    accept_no_retries: bool,
}

/// What of a `v1` policy may be left out of a comparison.
#[derive(Debug, Args)]
pub struct ComparisonArgs {
    /// Ignore fields of `v1` policies that the server cannot hold, and list them
    #[arg(long)]
    accept_differences: bool,
    /// Compare also policies left without rules or retries
    ///
    /// This implies --accept-differences. Without this flag such a policy is refused (exit 6).
    #[arg(long)]
    accept_no_retries: bool,
}

impl<'a> SelectedFiles<'a> {
    /// The paths, of which at most one is standard input.
    pub(in crate::commands) fn paths(&self) -> Result<&'a [PathBuf]> {
        project::refuse_second_stdin(self.files)?;
        Ok(self.files)
    }

    /// The files of directories that are left out.
    pub(in crate::commands) fn exclusions(&self) -> Exclusions {
        self.exclude.exclusions()
    }
}

impl ArgumentFileArgs {
    /// The files.
    pub(in crate::commands) fn selected(&self) -> SelectedFiles<'_> {
        SelectedFiles { files: &self.files, exclude: &self.exclude }
    }
}

impl FileArgs {
    /// The files.
    pub(in crate::commands) fn selected(&self) -> SelectedFiles<'_> {
        SelectedFiles { files: &self.files, exclude: &self.exclude }
    }

    /// Refuses files together with a name on the command line: one of them would be ignored.
    pub(in crate::commands) fn refuse_with_name(&self, named: bool, command: &str) -> Result<()> {
        if named && !self.files.is_empty() {
            let message = format!("`{command}` takes `-f` or the name of a resource, not both");
            return Err(Refusal::usage(message).into());
        }
        Ok(())
    }
}

impl DifferenceArgs {
    /// The losses that are accepted.
    pub(in crate::commands) fn accept(&self) -> Accept {
        Accept::from_flags(self.accept_differences, self.accept_no_retries)
    }
}

impl ComparisonArgs {
    /// The losses that are accepted.
    pub(in crate::commands) fn accept(&self) -> Accept {
        Accept::from_flags(self.accept_differences, self.accept_no_retries)
    }
}

/// The losses of a `v1` policy that are accepted on a server of the deployed form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::commands) enum Accept {
    /// Nothing: it is refused.
    None,
    /// What has no counterpart there; it is listed.
    Differences,
    /// That, and all rules or all retries.
    NoRetries,
}

impl Accept {
    fn from_flags(differences: bool, no_retries: bool) -> Self {
        match (no_retries, differences) {
            (true, _) => Self::NoRetries,
            (false, true) => Self::Differences,
            (false, false) => Self::None,
        }
    }
}
