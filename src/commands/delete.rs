//! `delete`.

use super::Context;
use super::connect::Connected;
use super::dry_run::{DryRun, DryRunArgs};
use super::resources::{
    Carrying, Deletion, Detach, FORMS, FileArgs, POLICY, Policies, Purpose, QUEUE, delete_queues,
    finish, names, offline, read,
};
use crate::cli::{Exit, Refusal};
use crate::client::checked_name;
use anyhow::Result;
use clap::{Args, Subcommand};

/// What else happens in a race, for the help.
const RACE: &str = "\
A policy that a queue uses is not deleted. A server takes a deleted policy from its queues, also
from one that it was attached to after the check: the queues are read again while it is deleted
and 200 to 800 ms later, and those that lost it are named (exit 6). An attach between two of
these reads is not seen.";

/// What is deleted.
#[derive(Debug, Args)]
#[command(subcommand_negates_reqs = true, after_help = RACE)]
pub struct DeleteArgs {
    #[command(flatten)]
    files: FileArgs,
    /// Take policies from the queues that use them first
    #[arg(long, global = true)]
    detach: bool,
    /// Take what does not exist for deleted
    #[arg(long, global = true)]
    ignore_not_found: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
    #[command(subcommand)]
    what: Option<DeleteWhat>,
}

#[derive(Debug, Subcommand)]
enum DeleteWhat {
    /// Delete retry policies
    #[command(name = "retrypolicy")]
    #[command(visible_aliases = ["retry-policy", "retrypolicies", "retry-policies", "rp"])]
    RetryPolicy {
        /// The policies
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
    /// Delete queues
    #[command(visible_alias = "queues")]
    Queue {
        /// The queues
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
    },
}

/// Deletes it.
pub fn run(context: &mut Context<'_>, args: &DeleteArgs) -> Result<Exit> {
    let output = context.globals.output("delete", &FORMS)?;
    args.files.not_before(args.what.is_some(), "delete")?;
    let things = things(context, args)?;
    let dry_run = args.dry_run.dry_run;
    if dry_run == DryRun::Client {
        return offline(context, output, things);
    }
    let of = |kind| things.iter().filter(move |thing| thing.0 == kind).map(|t| t.1.as_str());
    let (queues, policies): (Vec<&str>, Vec<&str>) = (of(QUEUE).collect(), of(POLICY).collect());
    let server = Connected::for_writing(context)?;
    let mut carrying = Carrying::new(&server, dry_run, context.ui.progress(None));
    let how = args.how();
    let gone = delete_queues(&mut carrying, &server, &queues, how)?;
    let deletion = Policies { server: &server, names: &policies, gone: &gone, how };
    deletion.delete(&mut carrying).or_else(|error| carrying.gave_up(error, POLICY, &policies))?;
    finish(context, output, carrying, dry_run)
}

impl DeleteArgs {
    fn how(&self) -> Deletion {
        use crate::report::Action::{NotDone, Unchanged};
        Deletion {
            detach: if self.detach { Detach::Yes } else { Detach::No },
            missing: if self.ignore_not_found { Unchanged } else { NotDone },
        }
    }
}

/// What is named, each thing once; names that no path can carry stop the command.
fn things(context: &mut Context<'_>, args: &DeleteArgs) -> Result<Vec<(&'static str, String)>> {
    let (kind, noun, given) = match &args.what {
        None => {
            let documents = read(context, &args.files, Purpose::Send(args.dry_run.dry_run))?;
            return Ok(names(&documents));
        }
        Some(DeleteWhat::RetryPolicy { names }) => (POLICY, "retry policy", names),
        Some(DeleteWhat::Queue { names }) => (QUEUE, "queue", names),
    };
    let mut things: Vec<(&'static str, String)> = Vec::new();
    for name in given {
        checked_name(noun, name).map_err(|error| Refusal::from(&error))?;
        if !things.iter().any(|(_, known)| known == name) {
            things.push((kind, name.clone()));
        }
    }
    Ok(things)
}
