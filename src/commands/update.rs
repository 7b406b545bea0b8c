//! `update`: changes policies and queues that exist.

use super::resources::{
    DifferenceArgs, FORMS, FileArgs, QueueFlags, WriteMode, WriteOptions, write_files, write_queue,
};
use crate::cli::{Context, DryRunArgs, Exit};
use anyhow::Result;
use clap::{Args, Subcommand};

/// What is updated.
#[derive(Debug, Args)]
#[command(subcommand_negates_reqs = true)]
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

#[derive(Debug, Subcommand)]
enum UpdateObject {
    /// Change a queue: only what the flags say
    ///
    /// Everything else of the queue stays as it is, fields that this tool does not know included.
    /// Armada has no version of a queue: a second look 200 to 800 ms after the write narrows the
    /// window in which another writer overwrites the change, and cannot close it.
    #[command(alias = "queues")]
    Queue(QueueFlags),
    /// Replace retry policies by those of files
    #[command(name = "retrypolicy", visible_alias = "retry-policy")]
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
        None => write_files(context, &args.files, args.differences.accept(), options, None),
        Some(UpdateObject::RetryPolicy { files, differences }) => {
            write_files(context, files, differences.accept(), options, None)
        }
        Some(UpdateObject::Queue(flags)) => write_queue(context, flags, None, options),
    }
}
