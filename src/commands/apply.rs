//! `apply`: makes the server hold the policies and queues of files.

use super::resources::{
    ArgumentFileArgs, Confirmation, Detach, DifferenceArgs, FORMS, Prune, WriteMode, WriteOptions,
    parse_pattern, write_files,
};
use crate::cli::{Context, DryRunArgs, Exit, Refusal};
use crate::commands::help_page::WRITE_EXITS;
use anyhow::Result;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  # Write the policies and queues of a directory
  armadactl apply -f policies/

  # Print what would change
  armadactl apply -f policies/ --dry-run server

  # Delete the policies `team-*` that are not in the files
  armadactl apply -f policies/ --prune 'team-*' --yes";

/// Create or change retry policies and queues to match files
///
/// Armada's servers of today take policies of the form `v1beta1` alone. A `v1` policy is converted, and
/// refused (exit 6) if a field would be lost; `convert --to v1beta1` prints the policy in that form.
///
/// All files are checked before the first request; policies are written before queues. Objects are
/// compared by meaning: `90s` equals `1m30s`, and an equal object is not written. Of a queue only
/// the fields in the file change.
///
/// After an error the remaining objects are written, except after exit 4 or 7. The exit code is
/// that of the first error. A second run writes what is missing.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = WRITE_EXITS)]
pub struct ApplyArgs {
    #[command(flatten)]
    files: ArgumentFileArgs,
    #[command(flatten)]
    differences: DifferenceArgs,
    /// Delete policies on the server whose names match and that are not in the files
    ///
    /// Policies that a file refers to are kept. Without --yes the policies are listed only. Queues are
    /// never deleted.
    #[arg(long, value_name = "GLOB")]
    prune: Option<String>,
    /// Delete the policies that --prune lists
    #[arg(long, requires = "prune")]
    yes: bool,
    /// Detach pruned policies from the queues that use them
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
    write_files(context, args.files.selected(), args.differences.accept(), options, prune.as_ref())
}

fn prune(args: &ApplyArgs, word: &str) -> Result<Prune, Refusal> {
    Ok(Prune {
        pattern: parse_pattern(word)?,
        confirmation: if args.yes { Confirmation::Yes } else { Confirmation::No },
        detach: if args.detach { Detach::Yes } else { Detach::No },
    })
}
