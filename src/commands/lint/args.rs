//! The command line of `lint`.

use super::filter;
use crate::analysis::lint_config::CodePrefix;
use crate::commands::disruptions::DisruptionArgs;
use crate::commands::input_files::{ARGUMENTS, InputFiles};
use crate::commands::report_files::ReportArgs;
use crate::commands::system_args::SystemArgs;
use crate::project::{ExecutorFiles, FileSelectionArgs};
use clap::{ArgGroup, Args, ValueEnum};
use document::diag::Severity;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  # Lint the policies and queues of a directory
  armadactl lint -f policies/

  # Compare them with the scheduler's limits and the executor's categories too
  armadactl lint -f policies/ --scheduler-config scheduler.yaml \\
    --executor-config executor.yaml

  # Find rules and retries that recorded failures show to be useless
  armadactl lint -f policies/ --against failures.jsonl

  # Begin in an old repository: report only what is new from today on
  armadactl lint -f . --baseline .armadactl-baseline.yaml --write-baseline
  armadactl lint -f . --baseline .armadactl-baseline.yaml

  # Explain a finding
  armadactl explain RP101";

const EXITS: &str = "\
Exit codes:
  0  no finding at or above --fail-on
  1  a finding at or above --fail-on
  2  invalid command line
  3  a document has an error";

/// Report policies that are valid but probably wrong
///
/// Reported are all findings of `validate`, and those of the lints: rules that never decide, limits that are
/// never reached, retries of failures that no retry helps. Each finding has an id; `armadactl explain ID`
/// prints what it means, why it matters and what to write instead.
///
/// Infos are counted, a line for each id; `--select ID` prints them, and other formats have all.
///
/// Some lints compare several files: policies with the Queue documents that use them, with the
/// scheduler's configuration, with the executor's categories, or with recorded failures.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
#[command(group = ArgGroup::new("of_histories").arg("disruptions").requires("against"))]
#[command(mut_arg(ARGUMENTS, |arg| arg.help("Lint these files or directories (`-` for stdin)")))]
pub struct LintArgs {
    #[command(flatten)]
    pub(super) files: InputFiles,
    /// Compare limits and defaults with this scheduler configuration file
    #[arg(long, value_name = "FILE")]
    pub(super) scheduler_config: Option<PathBuf>,
    /// Compare categories with the files of Armada's executors (repeatable)
    ///
    /// One value for each cluster: its files, merged in order as the executor merges them, with the
    /// name of the cluster before them if there are several.
    #[arg(long, value_name = "[CLUSTER=]FILE[,FILE..]")]
    pub(super) executor_config: Vec<ExecutorFiles>,
    /// Evaluate these policies together, in order, for every queue
    ///
    /// Default: the lists of the Queue documents.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(super) queue_policies: Option<Vec<String>>,
    /// Report rules without failures, and retries without success, in these histories
    ///
    /// Files, directories, patterns or `-` for stdin, as `simulate --history` takes them.
    #[arg(long, num_args = 1.., value_name = "HISTORY")]
    pub(super) against: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) disruptions: DisruptionArgs,
    /// Exit 1 if there is a finding of this severity or a worse one [default: warning]
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub(super) fail_on: Option<FailOn>,
    /// Report only these findings: ids or their beginnings, such as RP101,RP11
    ///
    /// Errors of documents are always reported.
    #[arg(long, value_delimiter = ',', value_name = "IDS", value_parser = filter::prefix)]
    pub(super) select: Vec<CodePrefix>,
    /// Leave these findings out: ids or their beginnings
    #[arg(long, value_delimiter = ',', value_name = "IDS", value_parser = filter::prefix)]
    pub(super) ignore: Vec<CodePrefix>,
    /// Read settings from this file [default: .armadactl-lint.yaml, here or above]
    ///
    /// Flags override its settings. The search ends at the root of the repository. Paths in the file are
    /// relative to its directory.
    #[arg(long, value_name = "FILE")]
    pub(super) lint_config: Option<PathBuf>,
    /// Report only findings that are not in this file
    ///
    /// It has the findings of the day on which --write-baseline wrote it, so that an old repository can begin with
    /// lints. A finding is recognized by its id, its file, the document and the rule that it is about; lines, comments
    /// and style do not matter. Errors of documents are always reported.
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// Write all findings to the file of --baseline, and report none
    ///
    /// Its findings of files that are not read, and of ids that are not selected, stay.
    #[arg(long, conflicts_with_all = ["fix", "diff", "report"])]
    pub(super) write_baseline: bool,
    /// Correct the files where that is mechanical
    ///
    /// Removed are fields and values without effect. What the policies decide stays the same. A correction that
    /// would remove a comment is left to you.
    #[arg(long)]
    pub(super) fix: bool,
    /// Print the changes that --fix would make, and write nothing
    ///
    /// The exit code is 1 if there are any. Findings are not printed, except for errors of documents.
    #[arg(long, conflicts_with_all = ["fix", "against", "disruptions", "report"])]
    pub(super) diff: bool,
    #[command(flatten)]
    pub(super) selection: FileSelectionArgs,
    #[command(flatten)]
    pub(super) systems: SystemArgs,
    #[command(flatten)]
    pub(super) reports: ReportArgs,
}

/// The severity from which findings make the exit code 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Errors only
    Error,
    /// Warnings and errors
    Warning,
    /// All findings
    Info,
}

impl FailOn {
    pub(super) fn severity(self) -> Severity {
        match self {
            Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Info => Severity::Info,
        }
    }
}
