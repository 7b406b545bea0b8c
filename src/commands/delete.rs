//! `delete`: deletes policies and queues.

use super::connection::ServerConnection;
use super::resource_args::ResourceKind;
use super::resources::{
    DeleteOptions, Detach, Executor, FORMS, FileArgs, POLICY, PolicyDeletion, Purpose, QUEUE,
    delete_queues, document_names, read, report, report_offline,
};
use crate::cli::{Context, DryRun, DryRunArgs, Exit};
use crate::commands::help_page::WRITE_EXITS;
use crate::report::Action;
use anyhow::Result;
use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  # Delete a policy, and detach it from its queues first
  armadactl delete retrypolicy infra --detach

  # Delete the policies and queues of a file, if they exist
  armadactl delete -f policy.yaml --ignore-not-found";

/// Delete retry policies and queues, by name or from files
///
/// A policy that a queue uses is not deleted (exit 6), unless `--detach` detaches it first. A
/// server removes a deleted policy from its queues, including one that it was attached to after
/// the check. Queues are therefore read again during the deletion and 200 to 800 ms later, and
/// those that lost the policy are reported (exit 6). An attachment between two of these reads is
/// not detected.
#[derive(Debug, Args)]
#[command(subcommand_negates_reqs = true)]
#[command(before_long_help = EXAMPLES, after_long_help = WRITE_EXITS)]
pub struct DeleteArgs {
    #[command(flatten)]
    files: FileArgs,
    /// Detach the policies from the queues that use them first
    #[arg(long, global = true)]
    detach: bool,
    /// Exit 0 also if a policy or queue does not exist
    #[arg(long, global = true)]
    ignore_not_found: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
    #[command(subcommand)]
    object: Option<DeleteObject>,
}

const QUEUE_EXAMPLES: &str = "\
Examples:
  # Delete a queue
  armadactl delete queue ml

  # Print what would be deleted
  armadactl delete queue ml web --dry-run server";

const POLICY_EXAMPLES: &str = "\
Examples:
  # Delete policies that no queue uses
  armadactl delete retrypolicy infra ml-training

  # Detach a policy from its queues and delete it
  armadactl delete retrypolicy infra --detach";

#[derive(Debug, Subcommand)]
enum DeleteObject {
    /// Delete retry policies
    #[command(name = "retrypolicy", before_long_help = POLICY_EXAMPLES)]
    #[command(visible_aliases = ["retry-policy", "retrypolicies", "retry-policies", "rp"])]
    RetryPolicy {
        /// The names of the policies
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
    /// Delete queues
    #[command(visible_alias = "queues", before_long_help = QUEUE_EXAMPLES)]
    Queue {
        /// The names of the queues
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
}

/// Deletes the objects.
pub fn run(context: &mut Context<'_>, args: &DeleteArgs) -> Result<Exit> {
    let output = context.globals.output("delete", &FORMS)?;
    args.files.refuse_with_name(args.object.is_some(), "delete")?;
    let objects = objects(context, args)?;
    let dry_run = args.dry_run.dry_run;
    if dry_run == DryRun::Client {
        return report_offline(context, output, objects, Action::WouldDelete);
    }
    let of = |kind| objects.iter().filter(move |object| object.0 == kind).map(|t| t.1.as_str());
    let (queues, policies): (Vec<&str>, Vec<&str>) = (of(QUEUE).collect(), of(POLICY).collect());
    let server = ServerConnection::for_writing(context)?;
    let mut executor = Executor::new(&server, dry_run, context.ui.progress(None));
    let options = args.options();
    let deleted_queues = delete_queues(&mut executor, &server, &queues, options)?;
    let deletion = PolicyDeletion {
        server: &server,
        names: &policies,
        ignored_queues: &deleted_queues,
        options,
    };
    deletion
        .delete(&mut executor)
        .or_else(|error| executor.record_read_error(error, POLICY, &policies))?;
    report(context, output, executor, dry_run)
}

impl DeleteArgs {
    fn options(&self) -> DeleteOptions {
        DeleteOptions {
            detach: if self.detach { Detach::Yes } else { Detach::No },
            missing: if self.ignore_not_found { Action::Unchanged } else { Action::NotDone },
        }
    }
}

/// The named objects, each once; a name that no path can carry stops the command.
fn objects(context: &mut Context<'_>, args: &DeleteArgs) -> Result<Vec<(&'static str, String)>> {
    let (kind, names) = match &args.object {
        None => {
            let documents =
                read(context, args.files.selected(), Purpose::Send(args.dry_run.dry_run))?;
            return Ok(document_names(&documents));
        }
        Some(DeleteObject::RetryPolicy { names }) => (ResourceKind::Policy, names),
        Some(DeleteObject::Queue { names }) => (ResourceKind::Queue, names),
    };
    let names = kind.check_names(names)?;
    Ok(names.into_iter().map(|name| (kind.document_kind(), name)).collect())
}
