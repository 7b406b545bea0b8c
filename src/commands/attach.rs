//! `attach`: policies onto queues.

use super::Context;
use super::connect::Connected;
use super::dry_run::{DryRun, DryRunArgs};
use super::known;
use super::policy_list::{Among, PolicyList};
use super::queue_change::{OUTPUTS, change, unasked};
use super::target::{Kind, Targets};
use crate::cli::Exit;
use crate::client::Form;
use anyhow::Result;
use clap::Args;

/// Put retry policies on queues
///
/// attach retrypolicy infra ml-training --queue ml
/// attach retrypolicy infra --queue ml --queue web --first
///
/// Policies that a queue has already stay where they are. Everything else of the queue stays as it
/// is, byte for byte; nothing is written unless all policies and queues are there. Of the policies
/// of a queue, Armada's servers evaluate the first only.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct AttachArgs {
    /// `retrypolicy`, and the names of policies; or retrypolicy/NAME..
    #[arg(value_name = "retrypolicy NAME", required = true)]
    words: Vec<String>,
    /// The queue; may be given several times
    #[arg(long = "queue", value_name = "QUEUE", required = true)]
    queues: Vec<String>,
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
    let queues = Kind::Queue.names(&args.queues)?;
    let among = match (args.first, args.replace) {
        (true, _) => Among::First,
        (_, true) => Among::Alone,
        _ => Among::Last,
    };
    let attach = PolicyList::attach(policies.clone(), among);
    let dry_run = args.dry_run.dry_run;
    if dry_run == DryRun::Client {
        return unasked(context, queues, &attach, output);
    }
    let server = Connected::for_writing(context)?;
    known::all(&server, Kind::Policy, &policies)?;
    let live = known::all(&server, Kind::Queue, &queues)?;
    let live: Vec<_> = queues.into_iter().zip(live).collect();
    let exit = change(context, &server, &live, dry_run, &attach, output)?;
    if exit == Exit::Done && attach.longest() > 1 {
        only_the_first(context, &server)?;
    }
    Ok(exit)
}

/// Says that the others are not evaluated, where that is so.
fn only_the_first(context: &mut Context<'_>, server: &Connected) -> Result<()> {
    // It is only said by the way: a server that does not describe itself has done what it should.
    if server.wait(server.client.form()).is_ok_and(|form| form == Form::Deployed) {
        context
            .ui
            .note("note: of the policies of a queue, this server evaluates the first only")?;
    }
    Ok(())
}
