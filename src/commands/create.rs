//! `create`.

use super::Context;
use super::dry_run::DryRunArgs;
use super::resources::{DifferenceArgs, FORMS, FileArgs, Mode, QueueFlags, from_files, from_flags};
use crate::cli::Exit;
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
    what: Option<CreateWhat>,
}

#[derive(Debug, Subcommand)]
enum CreateWhat {
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

/// Creates it.
pub fn run(context: &mut Context<'_>, args: &CreateArgs) -> Result<Exit> {
    let output = context.globals.output("create", &FORMS)?;
    let how = (Mode::Create, output, args.dry_run.dry_run);
    args.files.not_before(args.what.is_some(), "create")?;
    match &args.what {
        None => from_files(context, &args.files, args.differences.accept(), how, None),
        Some(CreateWhat::RetryPolicy { files, differences }) => {
            from_files(context, files, differences.accept(), how, None)
        }
        Some(CreateWhat::Queue(flags)) => from_flags(context, flags, Some(1.0), how),
    }
}
