//! `attach`: policies onto queues.

use super::connection::ServerConnection;
use super::ineffective_policies::warn_of_ineffective;
use super::lookup::Missing;
use super::policy_list::{PolicyList, Position};
use super::queue_change::{OUTPUTS, change, report_offline};
use super::resource_args::{ResourceArgs, ResourceKind};
use super::selection::LabelArgs;
use crate::cli::{Context, DryRun, DryRunArgs, Exit};
use crate::commands::help_page::WRITE_EXITS;

use anyhow::Result;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  # Add policies at the end of a queue's list
  armadactl attach retrypolicy infra ml-training --queue ml

  # Add a policy at the start of the lists of two queues
  armadactl attach retrypolicy infra --queue ml --queue web --first

  # Add a policy to all queues with these labels
  armadactl attach retrypolicy infra -l team=ml,tier!=test";

/// Add retry policies to queues
///
/// Policies that a queue already has keep their position. All other fields of the queue are kept byte
/// for byte. Nothing is written unless all policies and queues exist. The report lists the policies of
/// each queue before and after the change. Armada's servers evaluate only the first policy of a queue.
///
/// Armada keeps no version of a queue, so concurrent writers can overwrite each other. The queue
/// is read after the write and again after 200 to 800 ms, and a lost change is repeated. A change
/// that is lost later is not detected.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = WRITE_EXITS)]
pub struct AttachArgs {
    /// `retrypolicy` and the names of policies, or words such as retrypolicy/infra
    #[arg(value_name = "retrypolicy NAME", required = true)]
    words: Vec<String>,
    /// Change this queue (repeatable)
    #[arg(long = "queue", value_name = "QUEUE")]
    #[arg(conflicts_with_all = ["selector", "all_queues"])]
    queues: Vec<String>,
    #[command(flatten)]
    labels: LabelArgs,
    /// Insert the policies before the others, in this order
    #[arg(long, conflicts_with = "replace")]
    first: bool,
    /// Remove all other policies from the queues
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Attaches the policies.
pub fn run(context: &mut Context<'_>, args: &AttachArgs) -> Result<Exit> {
    let output = context.globals.output("attach", &OUTPUTS)?;
    let policies = ResourceArgs::parse_named("attach", &args.words, &[ResourceKind::Policy])?.names;
    let selection = args.labels.selection(ResourceKind::Queue.check_names(&args.queues)?)?;
    let position = match (args.first, args.replace) {
        (true, _) => Position::First,
        (_, true) => Position::Only,
        _ => Position::Last,
    };
    let attach = PolicyList::attach(policies.clone(), position);
    let dry_run = args.dry_run.dry_run;
    if dry_run == DryRun::Client {
        return report_offline(context, selection.offline()?, &attach, output);
    }
    let server = ServerConnection::for_writing(context)?;
    let mut missing = Missing::default();
    missing.look_up(&server, ResourceKind::Policy, &policies)?;
    let live = selection.read(&server, &mut missing)?;
    missing.refuse(&server)?;
    let (exit, report) = change(context, &server, &live, dry_run, &attach, output)?;
    let lists = report.items.iter().filter(|item| item.error.is_none());
    let lists = lists.filter_map(|item| Some((item.name.as_str(), item.after.as_deref()?)));
    warn_of_ineffective(context, &server, lists)?;
    Ok(exit)
}
