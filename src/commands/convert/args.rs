//! The command line of `convert`.

use super::route::Destination;
use crate::commands::input_files::{ARGUMENTS, InputFiles};
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  # Convert a policy to the form of today's Armada servers
  armadactl convert -f policy.yaml --to v1beta1

  # Exit 1 if something is lost
  armadactl convert -f policy.yaml --to v1beta1 --strict

  # Convert a Kubernetes Job to a policy
  armadactl convert -f job.yaml --to v1

  # Convert the failedPodChecks of an executor to categories
  armadactl convert -f executor.yaml --to error-categories";

const EXITS: &str = "\
Exit codes:
  0  success
  1  something is lost or approximated (with --strict)
  2  invalid command line
  3  invalid input
  6  refused: an unsupported pair of forms, a policy without
     rules or retries, or checks that become no category";

/// Convert policies to another form, and report what is lost
///
/// Each field that is lost, approximated or kept as an annotation is reported on stderr with its
/// place. The result is printed as YAML, or with `-o json` as JSON.
///
/// `--to error-categories` reads the configuration of one executor of Armada: its files, separated by
/// commas, merged in order. It prints the sections that change, to lay over those files: categories in
/// place of `kubernetes.failedPodChecks`, and, as a comment, a policy that retries them.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
#[command(mut_arg(ARGUMENTS, |arg| {
    arg.help("Read policies or manifests from these files or directories (`-` for stdin)")
}))]
pub struct ConvertArgs {
    #[command(flatten)]
    pub(super) files: InputFiles,
    /// Convert the policies to this form
    #[arg(long, value_enum, value_name = "FORM")]
    pub(super) to: Destination,
    /// Exit 1 if something is lost or approximated
    #[arg(long)]
    pub(super) strict: bool,
    /// Print also policies left without rules or retries
    ///
    /// Without this flag such a policy is refused (exit 6), and nothing is printed.
    #[arg(long)]
    pub(super) accept_no_retries: bool,
}
