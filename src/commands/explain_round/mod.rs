//! `explain round`: one scheduling round by itself, and why a job waits.

mod inputs;

use super::{Context, load};
use crate::cli::{Exit, Output, Refusal};
use crate::cluster::job::JobIndex;
use crate::cluster::round::run_traced;
use crate::cluster::state::PoolState;
use crate::diag::nearest;
use crate::report::{self, RoundExplanation};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  explain round --state state.yaml                        every job of the round
  explain round --state state.yaml --job train-7          why this job waits
  explain round --state jobs.yaml --cluster cluster.yaml  nodes of a cluster file";

/// Run one scheduling round and say what happens to every job, and why
///
/// The state has the queues of a pool and its jobs, queued and running; its nodes and the
/// scheduler's configuration too, or they come from --cluster and --scheduler-config. The round
/// is that of Armada's scheduler: which jobs start and where, which are preempted and by which,
/// and for each that waits its queue's share at that moment and the nodes that were tried.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct RoundArgs {
    /// The pool before the round: queues, jobs, nodes, configuration; `-` is standard input
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    /// The cluster file with the nodes, where the state has none
    #[arg(long, value_name = "FILE")]
    cluster: Option<PathBuf>,
    /// The scheduler's configuration, where the state has no `config`
    #[arg(long, value_name = "FILE")]
    scheduler_config: Option<PathBuf>,
    /// Explain only this job, step by step; repeatable
    #[arg(long = "job", value_name = "ID")]
    jobs: Vec<String>,
}

/// Runs the round and prints the explanation.
pub fn run(context: &mut Context<'_>, args: &RoundArgs) -> Result<Exit> {
    use Output::{Json, Table, Wide, Yaml};
    let output = context.globals.output("explain round", &[Table, Wide, Json, Yaml])?;
    load::one_stdin([&args.state].into_iter().chain(&args.cluster).chain(&args.scheduler_config))?;
    let mut state = inputs::state(context.ui, args)?;
    let named = named_jobs(&state, &args.jobs)?;
    let (outcome, trace) = run_traced(state.input());
    let named = (!named.is_empty()).then_some(named);
    let round = RoundExplanation::new(&state, &outcome, &trace, named.as_deref());
    let text = match output {
        Json => report::json(&round),
        Yaml => report::yaml(&round)?,
        _ => report::round::table(&round, &context.layout(output == Wide)),
    };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}

/// The positions of the jobs of these ids, each once.
fn named_jobs(state: &PoolState, ids: &[String]) -> Result<Vec<JobIndex>> {
    let mut jobs = Vec::new();
    for id in ids {
        let Ok(position) = state.job_ids.binary_search(id) else {
            let refusal = Refusal::input(format!("the state has no job `{id}`"));
            let near = nearest(id, state.job_ids.iter().map(String::as_str), 3);
            let near: Vec<String> = near.iter().map(|id| format!("`{id}`")).collect();
            return Err(match near.as_slice() {
                [] => refusal.help("job ids are those of `jobs` in the state"),
                near => refusal.help(format!("did you mean {}?", near.join(" or "))),
            }
            .into());
        };
        jobs.extend(JobIndex::try_from(position));
    }
    jobs.sort_unstable();
    jobs.dedup();
    Ok(jobs)
}
