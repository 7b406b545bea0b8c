//! `apply`: makes the server hold the policies and queues of files.

use super::resources::{
    Confirmation, Detach, DifferenceArgs, FORMS, FileArgs, Prune, WriteMode, WriteOptions,
    parse_pattern, write_files,
};
use crate::cli::{Context, DryRunArgs, Exit, Refusal};
use anyhow::Result;
use clap::Args;

/// What is applied.
#[derive(Debug, Args)]
pub struct ApplyArgs {
    #[command(flatten)]
    files: FileArgs,
    #[command(flatten)]
    differences: DifferenceArgs,
    /// Delete policies on the server whose names match and that the files neither hold nor name
    ///
    /// They are listed; only `--yes` deletes them. Queues are never deleted.
    #[arg(long, value_name = "GLOB")]
    prune: Option<String>,
    /// Delete what `--prune` lists
    #[arg(long, requires = "prune")]
    yes: bool,
    /// Take policies that are pruned from the queues that use them
    #[arg(long, requires = "prune")]
    detach: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Applies the files.
pub fn run(context: &mut Context<'_>, args: &ApplyArgs) -> Result<Exit> {
    let output = context.globals.output("apply", &FORMS)?;
    let prune = args.prune.as_deref().map(|word| prune(args, word)).transpose()?;
    let options = WriteOptions { mode: WriteMode::Apply, output, dry_run: args.dry_run.dry_run };
    write_files(context, &args.files, args.differences.accept(), options, prune.as_ref())
}

fn prune(args: &ApplyArgs, word: &str) -> Result<Prune, Refusal> {
    Ok(Prune {
        pattern: parse_pattern(word)?,
        confirmation: if args.yes { Confirmation::Yes } else { Confirmation::No },
        detach: if args.detach { Detach::Yes } else { Detach::No },
    })
}
