//! `update`: changes policies and queues that exist.

use super::resources::{
    DifferenceArgs, FORMS, FileArgs, QueueFlags, WriteMode, WriteOptions, write_files, write_queue,
};
use crate::cli::{Context, DryRunArgs, Exit};
use crate::commands::help_page::WRITE_EXITS;
use anyhow::Result;
use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  # Change the policies and queues of a directory
  armadactl update -f policies/

  # Set the retry policies of a queue
  armadactl update queue ml --retry-policy infra,ml-training";

/// Change retry policies and queues that exist, from files or by name
///
/// Armada's servers of today take policies of the form `v1beta1` alone. A `v1` policy is converted, and
/// refused (exit 6) if a field would be lost; `convert --to v1beta1` prints the policy in that form.
///
/// All files are checked before the first request. A policy is replaced; of a queue only the fields
/// in the file or flags change. A name that does not exist is refused (exit 5).
///
/// After an error the remaining objects are changed, except after exit 4 or 7. The exit code is
/// that of the first error.
#[derive(Debug, Args)]
#[command(subcommand_negates_reqs = true)]
#[command(before_long_help = EXAMPLES, after_long_help = WRITE_EXITS)]
pub struct UpdateArgs {
    #[command(flatten)]
    files: FileArgs,
    #[command(flatten)]
    differences: DifferenceArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
    #[command(subcommand)]
    object: Option<UpdateObject>,
}

const QUEUE_EXAMPLES: &str = "\
Examples:
  # Change the weight of a queue
  armadactl update queue ml --priority-factor 2

  # Print what would change
  armadactl update queue ml --labels team=ml --dry-run server";

const POLICY_EXAMPLES: &str = "\
Examples:
  # Replace the policies of a file
  armadactl update retrypolicy -f policy.yaml";

#[derive(Debug, Subcommand)]
enum UpdateObject {
    /// Change the fields of a queue that the flags set
    ///
    /// All other fields of the queue are kept, including fields that are unknown to this tool. Armada
    /// keeps no version of a queue, so concurrent writers can overwrite each other. The queue is read
    /// again 200 to 800 ms after the write, and a lost change is repeated. A change that is lost later
    /// is not detected.
    #[command(alias = "queues", before_long_help = QUEUE_EXAMPLES)]
    Queue(QueueFlags),
    /// Replace retry policies with those of files
    #[command(name = "retrypolicy", visible_alias = "retry-policy")]
    #[command(before_long_help = POLICY_EXAMPLES)]
    #[command(aliases = ["retrypolicies", "retry-policies", "rp"])]
    RetryPolicy {
        #[command(flatten)]
        files: FileArgs,
        #[command(flatten)]
        differences: DifferenceArgs,
    },
}

/// Updates the objects.
pub fn run(context: &mut Context<'_>, args: &UpdateArgs) -> Result<Exit> {
    let output = context.globals.output("update", &FORMS)?;
    let options = WriteOptions { mode: WriteMode::Update, output, dry_run: args.dry_run.dry_run };
    args.files.refuse_with_name(args.object.is_some(), "update")?;
    match &args.object {
        None => {
            write_files(context, args.files.selected(), args.differences.accept(), options, None)
        }
        Some(UpdateObject::RetryPolicy { files, differences }) => {
            write_files(context, files.selected(), differences.accept(), options, None)
        }
        Some(UpdateObject::Queue(flags)) => write_queue(context, flags, None, options),
    }
}
