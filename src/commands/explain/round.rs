//! `explain round`: one scheduling round by itself, and why a job waits.

use crate::cli::{Context, Exit, Output, Refusal};
use crate::project::{self, read_input};
use crate::report::{self, RoundExplanation};
use clap::Args;
use cluster::job::JobIndex;
use cluster::read::{InputKind, Profile, Scheduling, StateFile, read_cluster, read_scheduling};
use cluster::round::run_traced;
use cluster::spec::ClusterSpec;
use cluster::state::PoolState;
use document::diag::{Findings, Source, nearest};
use std::path::{Path, PathBuf};

use crate::ui::Ui;
use anyhow::Result;
use document::Limits;
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  # Print what happens to every job of the round
  armadactl explain round --state state.yaml

  # Explain one job step by step
  armadactl explain round --state state.yaml --job train-7

  # Read the nodes from a cluster file
  armadactl explain round --state jobs.yaml --cluster cluster.yaml";

/// Run one scheduling round and explain the result for every job
///
/// The state file has the queues of a pool and their queued and running jobs. Nodes and the
/// scheduler's configuration come from the state file too, or from --cluster and --scheduler-config.
/// The round is that of Armada's scheduler. For each job the report has its node, or the job that
/// preempted it, or the share of its queue at that moment and the nodes that were tried.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES)]
pub struct RoundArgs {
    /// Read the state of the pool from this file (`-` for stdin)
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    /// Read the nodes from this cluster file, if the state has none
    #[arg(long, value_name = "FILE")]
    cluster: Option<PathBuf>,
    /// Read the scheduler's configuration from this file, if the state has none
    #[arg(long, value_name = "FILE")]
    scheduler_config: Option<PathBuf>,
    /// Explain only this job, step by step (repeatable)
    #[arg(long = "job", value_name = "ID")]
    jobs: Vec<String>,
}

/// Runs the round and prints the explanation.
pub fn run(context: &mut Context<'_>, args: &RoundArgs) -> Result<Exit> {
    use Output::{Json, Table, Wide, Yaml};
    let output = context.globals.output("explain round", &[Table, Wide, Json, Yaml])?;
    project::refuse_second_stdin(
        [&args.state].into_iter().chain(&args.cluster).chain(&args.scheduler_config),
    )?;
    let mut state = read_state(context.ui, args)?;
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

/// Reads the state, and the files for what it lacks. Errors stop the command; warnings are printed.
fn read_state(ui: &mut Ui, args: &RoundArgs) -> Result<PoolState> {
    let file = read_file(ui, &args.state, InputKind::State, StateFile::parse)?;
    refuse_both(&file, args)?;
    let scheduling = read_round_scheduling(ui, &file, args)?;
    let clusters: Option<ClusterSpec> = match &args.cluster {
        None => None,
        Some(path) => Some(read_file(ui, path, InputKind::Cluster, |source| {
            read_cluster(source, Some(&scheduling))
        })?),
    };
    let (state, findings) = file.read(&scheduling, clusters.as_ref());
    project::refuse_errors(ui, findings)?;
    state.ok_or_else(|| unreadable(&args.state))
}

/// Refuses a flag for a part that the state has.
fn refuse_both(file: &StateFile, args: &RoundArgs) -> Result<()> {
    let state = args.state.display();
    let pairs = [
        (file.has_config(), "config", &args.scheduler_config, "--scheduler-config"),
        (file.has_nodes(), "nodes", &args.cluster, "--cluster"),
    ];
    for (is_in_state, key, path, flag) in pairs {
        if let (true, Some(path)) = (is_in_state, path) {
            let message = format!("`{state}` has `{key}`, and `{flag} {}` is set", path.display());
            let help = format!("remove `{key}` from the state, or leave out `{flag}`");
            return Err(Refusal::usage(message).help(help).into());
        }
    }
    Ok(())
}

fn read_round_scheduling(ui: &mut Ui, file: &StateFile, args: &RoundArgs) -> Result<Scheduling> {
    let profile = Profile::Landed;
    if let Some(path) = &args.scheduler_config {
        return read_file(ui, path, InputKind::Scheduler, |source| {
            read_scheduling(source, profile)
        });
    }
    let (scheduling, findings) = file.scheduling(profile);
    project::refuse_errors(ui, findings)?;
    scheduling.ok_or_else(|| unreadable(&args.state))
}

/// Reads a file of some kind.
fn read_file<T>(
    ui: &mut Ui,
    path: &Path,
    kind: InputKind,
    parse: impl Fn(&Arc<Source>) -> (Option<T>, Findings),
) -> Result<T> {
    let mut findings = Findings::new();
    let limits = if kind == InputKind::State { Limits::HISTORY } else { Limits::POLICY };
    let source = read_input(path, limits, kind, &mut findings);
    let parsed = source.and_then(|source| {
        let (parsed, more) = parse(&source);
        findings.extend(more);
        parsed
    });
    project::refuse_errors(ui, findings)?;
    parsed.ok_or_else(|| unreadable(path))
}

fn unreadable(path: &Path) -> anyhow::Error {
    Refusal::input(format!("cannot read `{}`", path.display())).into()
}
