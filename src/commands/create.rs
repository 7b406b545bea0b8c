//! `create`: creates policies and queues.

use super::resources::{
    DifferenceArgs, FORMS, FileArgs, QueueFlags, WriteMode, WriteOptions, write_files, write_queue,
};
use crate::cli::{Context, DryRunArgs, Exit};
use crate::commands::help_page::WRITE_EXITS;
use anyhow::Result;
use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  # Create the policies and queues of a directory
  armadactl create -f policies/

  # Print what would be created
  armadactl create -f policy.yaml --dry-run server

  # Create a queue with a retry policy
  armadactl create queue ml --retry-policy infra";

/// Create retry policies and queues, from files or by name
///
/// Armada's servers of today take policies of the form `v1beta1` alone. A `v1` policy is converted, and
/// refused (exit 6) if a field would be lost; `convert --to v1beta1` prints the policy in that form.
///
/// All files are checked before the first request; policies are created before queues. A name that
/// exists already is refused (exit 6). Armada's servers would overwrite it, so each name is looked
/// up first; an object that another writer creates between the look-up and the creation is
/// overwritten.
///
/// After an error the remaining objects are created, except after exit 4 or 7. The exit code is
/// that of the first error.
#[derive(Debug, Args)]
#[command(subcommand_negates_reqs = true)]
#[command(before_long_help = EXAMPLES, after_long_help = WRITE_EXITS)]
pub struct CreateArgs {
    #[command(flatten)]
    files: FileArgs,
    #[command(flatten)]
    differences: DifferenceArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
    #[command(subcommand)]
    object: Option<CreateObject>,
}

const QUEUE_EXAMPLES: &str = "\
Examples:
  # Create a queue with a weight of 2 and an owner
  armadactl create queue ml --priority-factor 2 --owners alice

  # Create a queue with labels and retry policies
  armadactl create queue ml --labels team=ml --retry-policy infra,ml-training";

const POLICY_EXAMPLES: &str = "\
Examples:
  # Create the policies of a file
  armadactl create retrypolicy -f policy.yaml";

#[derive(Debug, Subcommand)]
enum CreateObject {
    /// Create a queue
    #[command(alias = "queues", before_long_help = QUEUE_EXAMPLES)]
    Queue(QueueFlags),
    /// Create retry policies from files
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

/// Creates the objects.
pub fn run(context: &mut Context<'_>, args: &CreateArgs) -> Result<Exit> {
    let output = context.globals.output("create", &FORMS)?;
    let options = WriteOptions { mode: WriteMode::Create, output, dry_run: args.dry_run.dry_run };
    args.files.refuse_with_name(args.object.is_some(), "create")?;
    match &args.object {
        None => {
            write_files(context, args.files.selected(), args.differences.accept(), options, None)
        }
        Some(CreateObject::RetryPolicy { files, differences }) => {
            write_files(context, files.selected(), differences.accept(), options, None)
        }
        Some(CreateObject::Queue(flags)) => write_queue(context, flags, Some(1.0), options),
    }
}
