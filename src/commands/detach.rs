//! `detach`: policies from queues.

use super::Context;
use super::connect::Connected;
use super::dry_run::{DryRun, DryRunArgs};
use super::known::{self, name_of};
use super::policy_list::{PolicyList, held};
use super::queue_change::{OUTPUTS, change, unasked};
use super::target::{Kind, Targets};
use crate::cli::{Exit, Refusal};
use crate::client::Live;
use anyhow::Result;
use clap::Args;

/// Take retry policies from queues
///
/// detach retrypolicy infra --queue ml
/// detach retrypolicy infra --all-queues
///
/// Everything else of a queue stays as it is, byte for byte. Nothing is written unless all policies
/// and queues are there.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct DetachArgs {
    /// `retrypolicy`, and the names of policies; or retrypolicy/NAME..
    #[arg(value_name = "retrypolicy NAME", required = true)]
    words: Vec<String>,
    /// The queue; may be given several times
    #[arg(long = "queue", value_name = "QUEUE", required_unless_present = "all_queues")]
    queues: Vec<String>,
    /// From every queue that has one of them
    #[arg(long, conflicts_with = "queues")]
    all_queues: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Detaches.
pub fn run(context: &mut Context<'_>, args: &DetachArgs) -> Result<Exit> {
    let output = context.globals.output("detach", &OUTPUTS)?;
    let policies = Targets::named("detach", &args.words, &[Kind::Policy])?.names;
    let queues = Kind::Queue.names(&args.queues)?;
    let dry_run = args.dry_run.dry_run;
    let detach = PolicyList::detach(policies.clone());
    if dry_run == DryRun::Client {
        if args.all_queues {
            let refusal = Refusal::usage("which queues they are only the server knows");
            return Err(refusal.help("use `--dry-run server`, or name them with `--queue`").into());
        }
        return unasked(context, queues, &detach, output);
    }
    let server = Connected::for_writing(context)?;
    let live: Vec<(String, Live)> = if args.all_queues {
        users(&server, &policies)?
    } else {
        let live = known::all(&server, Kind::Queue, &queues)?;
        queues.into_iter().zip(live).collect()
    };
    // What a queue has can be taken from it, whether or not there is a policy of this name.
    let on_a_queue =
        |policy: &String| live.iter().any(|(_, live)| held(&live.fields).contains(policy));
    let others: Vec<String> = policies.iter().filter(|name| !on_a_queue(name)).cloned().collect();
    known::all(&server, Kind::Policy, &others)?;
    change(context, &server, &live, dry_run, &detach, output)
}

/// The queues that have one of these policies.
fn users(server: &Connected, policies: &[String]) -> Result<Vec<(String, Live)>> {
    server.wait(async {
        let mut users = Vec::new();
        let mut queues = server.client.queues().await?;
        while let Some(fields) = queues.next().await? {
            let has_one = held(&fields).iter().any(|name| policies.contains(name));
            if let (true, Some(name)) = (has_one, name_of(&fields)) {
                users.push((name, Live { fields, etag: None }));
            }
        }
        Ok(users)
    })
}
