//! `attach`: policies onto queues.

use super::Context;
use super::connect::Connected;
use super::dry_run::{DryRun, DryRunArgs};
use super::policy_list::{Among, PolicyList};
use super::queue_change::{OUTPUTS, change, unasked};
use super::selection::LabelArgs;
use super::target::{Kind, Targets};
use super::{first_only, known};
use crate::cli::Exit;
use anyhow::Result;
use clap::Args;

/// Put retry policies on queues
///
/// attach retrypolicy infra ml-training --queue ml
/// attach retrypolicy infra --queue ml --queue web --first
/// attach retrypolicy infra -l team=ml,tier!=test
///
/// Policies that a queue has already stay where they are. Everything else of the queue stays as it
/// is, byte for byte; nothing is written unless all policies and queues are there. Of the policies
/// of a queue, Armada's servers evaluate the first only: the others have no effect there. The report
/// has the queue's policies before and after.
///
/// Armada has no version of a queue: two writers at once can overwrite each other. The queue is
/// therefore read again after the write and once more after 200 to 800 ms, and a change that is gone
/// is made again. This narrows the window in which a change is lost; it cannot close it.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct AttachArgs {
    /// `retrypolicy`, and the names of policies; or retrypolicy/NAME..
    #[arg(value_name = "retrypolicy NAME", required = true)]
    words: Vec<String>,
    /// The queue; may be given several times
    #[arg(long = "queue", value_name = "QUEUE")]
    #[arg(required_unless_present_any = ["selector", "all_queues"])]
    #[arg(conflicts_with_all = ["selector", "all_queues"])]
    queues: Vec<String>,
    #[command(flatten)]
    labels: LabelArgs,
    /// Put them before the others, in this order
    #[arg(long, conflicts_with = "replace")]
    first: bool,
    /// Take away the others
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Attaches.
pub fn run(context: &mut Context<'_>, args: &AttachArgs) -> Result<Exit> {
    let output = context.globals.output("attach", &OUTPUTS)?;
    let policies = Targets::named("attach", &args.words, &[Kind::Policy])?.names;
    let selection = args.labels.selection(Kind::Queue.names(&args.queues)?)?;
    let among = match (args.first, args.replace) {
        (true, _) => Among::First,
        (_, true) => Among::Alone,
        _ => Among::Last,
    };
    let attach = PolicyList::attach(policies.clone(), among);
    let dry_run = args.dry_run.dry_run;
    if dry_run == DryRun::Client {
        return unasked(context, selection.offline()?, &attach, output);
    }
    let server = Connected::for_writing(context)?;
    known::all(&server, Kind::Policy, &policies)?;
    let live = selection.read(&server)?;
    let (exit, report) = change(context, &server, &live, dry_run, &attach, output)?;
    let lists = report.items.iter().filter(|item| item.error.is_none());
    let lists = lists.filter_map(|item| Some((item.name.as_str(), item.after.as_deref()?)));
    first_only::warn(context, &server, lists)?;
    Ok(exit)
}
