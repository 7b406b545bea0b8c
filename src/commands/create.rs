//! `create`: creates policies and queues.

use super::resources::{
    DifferenceArgs, FORMS, FileArgs, QueueFlags, WriteMode, WriteOptions, write_files, write_queue,
};
use crate::cli::{Context, DryRunArgs, Exit};
use anyhow::Result;
use clap::{Args, Subcommand};

/// What is created.
#[derive(Debug, Args)]
#[command(subcommand_negates_reqs = true)]
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

#[derive(Debug, Subcommand)]
enum CreateObject {
    /// Create a queue
    #[command(alias = "queues")]
    Queue(QueueFlags),
    /// Create retry policies from files
    #[command(name = "retrypolicy", visible_alias = "retry-policy")]
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
        None => write_files(context, &args.files, args.differences.accept(), options, None),
        Some(CreateObject::RetryPolicy { files, differences }) => {
            write_files(context, files, differences.accept(), options, None)
        }
        Some(CreateObject::Queue(flags)) => write_queue(context, flags, Some(1.0), options),
    }
}
