//! `detach`: policies from queues.

use super::connection::ServerConnection;
use super::lookup::Missing;
use super::policy_list::{PolicyList, attached_policies};
use super::queue_change::{OUTPUTS, change, report_offline};
use super::resource_args::{ResourceArgs, ResourceKind};
use super::selection::{LabelArgs, Selection, filter_queues};
use crate::cli::{Context, DryRun, DryRunArgs, Exit};
use crate::commands::help_page::WRITE_EXITS;
use anyhow::Result;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  # Remove a policy from a queue
  armadactl detach retrypolicy infra --queue ml

  # Remove it from all queues with a label
  armadactl detach retrypolicy infra -l team=ml

  # Remove it from all queues
  armadactl detach retrypolicy infra --all-queues";

/// Remove retry policies from queues
///
/// All other fields of a queue are kept byte for byte. Nothing is written unless all policies and
/// queues exist. The report lists the policies of each queue before and after the change; with
/// --all-queues only queues that had one of the policies.
///
/// Armada keeps no version of a queue, so concurrent writers can overwrite each other. The queue
/// is read after the write and again after 200 to 800 ms, and a lost change is repeated. A change
/// that is lost later is not detected.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = WRITE_EXITS)]
pub struct DetachArgs {
    /// `retrypolicy` and the names of policies, or words such as retrypolicy/infra
    #[arg(value_name = "retrypolicy NAME", required = true)]
    words: Vec<String>,
    /// Change this queue (repeatable)
    #[arg(long = "queue", value_name = "QUEUE")]
    #[arg(conflicts_with_all = ["selector", "all_queues"])]
    queues: Vec<String>,
    #[command(flatten)]
    labels: LabelArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Detaches the policies.
pub fn run(context: &mut Context<'_>, args: &DetachArgs) -> Result<Exit> {
    let output = context.globals.output("detach", &OUTPUTS)?;
    let policies = ResourceArgs::parse_named("detach", &args.words, &[ResourceKind::Policy])?.names;
    let selection = args.labels.selection(ResourceKind::Queue.check_names(&args.queues)?)?;
    let dry_run = args.dry_run.dry_run;
    let detach = PolicyList::detach(policies.clone());
    if dry_run == DryRun::Client {
        return report_offline(context, selection.offline()?, &detach, output);
    }
    let server = ServerConnection::for_writing(context)?;
    let has_one = |name: &String| policies.contains(name);
    let mut missing = Missing::default();
    let live = match &selection {
        // Only queues with one of the policies: a report of all others would be noise.
        Selection::All => {
            filter_queues(&server, |queue| attached_policies(queue).iter().any(has_one))?
        }
        selection => selection.read(&server, &mut missing)?,
    };
    // A policy that a queue names can be detached, whether or not it exists.
    let on_a_queue = |policy: &String| {
        live.iter().any(|(_, live)| attached_policies(&live.fields).contains(policy))
    };
    let others: Vec<String> = policies.iter().filter(|name| !on_a_queue(name)).cloned().collect();
    missing.look_up(&server, ResourceKind::Policy, &others)?;
    missing.refuse(&server)?;
    Ok(change(context, &server, &live, dry_run, &detach, output)?.0)
}
