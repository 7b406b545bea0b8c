//! `simulate --cluster`: a workload on a simulated cluster.

mod assertion;
mod inputs;
mod output;
mod runs;

use super::{SimulateArgs, VariantArg};
use crate::cli::{Context, Exit, Output, Refusal};
use crate::cluster::read::Profile;
use crate::cluster::report::{ClusterReport, Runs, variants};
use crate::cluster::spec::Nanoseconds;
use crate::report::{self, cluster};
use crate::units::GoDuration;
use anyhow::Result;
use assertion::Assertion;
use clap::{Args, ValueEnum};
use inputs::Inputs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// A simulated cluster, and its scheduler.
#[derive(Debug, Args)]
#[command(next_help_heading = "Cluster options")]
pub struct ClusterArgs {
    /// Simulate this cluster, a cluster file of Armada's simulator (`-` for stdin)
    #[arg(long, value_name = "FILE", requires = "workload", conflicts_with = "history")]
    pub cluster: Option<PathBuf>,
    /// Run the jobs of this workload file of Armada's simulator (`-` for stdin)
    #[arg(long, value_name = "FILE", requires = "cluster")]
    pub workload: Option<PathBuf>,
    /// Use this version of the scheduler
    #[arg(long, value_enum, default_value_t = SchedulerName::Landed, value_name = "NAME", requires = "cluster")]
    scheduler: SchedulerName,
    /// End after this simulated time, such as 48h [default: 8784h]
    #[arg(long, value_name = "DURATION", value_parser = parse_time, requires = "cluster")]
    until: Option<Nanoseconds>,
    /// Run this many seeds from --seed on, and report means with 95 % intervals
    #[arg(long, value_name = "N", value_parser = parse_seeds, requires = "cluster")]
    seeds: Option<NonZeroU32>,
    /// Write every event of the run to this file, as JSON Lines
    #[arg(long, value_name = "FILE", requires = "cluster")]
    events: Option<PathBuf>,
    /// Write the shares of every queue over time to this file, as CSV
    #[arg(long, value_name = "FILE", requires = "cluster")]
    series: Option<PathBuf>,
    /// Exit 1 unless this holds for the report, such as queue.b.wait.p95<10m
    ///
    /// EXPR is `[VARIANT:]PATH OP VALUE`. PATH is a path in the JSON report; without `total`,
    /// `queues.NAME`, `templates.ID` or `pools.NAME` before it, `total` is meant. VALUE is a number, a
    /// duration, a share such as 10%, or BASE*1.01: the figure of the first variant times a number.
    #[arg(long = "assert", value_name = "EXPR", requires = "cluster")]
    assertions: Vec<Assertion>,
}

/// The name of a scheduler profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SchedulerName {
    /// Armada's scheduler of today
    Landed,
    /// The scheduler of the design
    Seed,
}

impl SchedulerName {
    fn profile(self) -> Profile {
        match self {
            Self::Landed => Profile::Landed,
            Self::Seed => Profile::Seed,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Landed => "landed",
            Self::Seed => "seed",
        }
    }
}

/// The longest simulated time, 100 years.
const MAX_TIME: i64 = 876_000 * 3600 * 1_000_000_000;
/// The longest simulated time without `--until`, 366 days.
const DEFAULT_TIME: Nanoseconds = 366 * 24 * 3600 * 1_000_000_000;

fn parse_time(text: &str) -> Result<Nanoseconds, String> {
    let duration = GoDuration::parse(text).map_err(|error| error.to_string())?.as_nanos();
    match duration {
        1..=MAX_TIME => Ok(duration),
        ..1 => Err("write more than 0s".to_owned()),
        _ => Err("write at most 876000h, which is 100 years".to_owned()),
    }
}

/// The most seeds of a report, which keeps the figures of every run until the end.
const MAX_SEEDS: u32 = 10_000;

fn parse_seeds(text: &str) -> Result<NonZeroU32, String> {
    let seeds = text.parse().ok().filter(|seeds| *seeds <= MAX_SEEDS).and_then(NonZeroU32::new);
    seeds.ok_or_else(|| format!("write a number from 1 to {MAX_SEEDS}"))
}

/// Runs the simulation and prints its report.
pub(super) fn run(context: &mut Context<'_>, args: &SimulateArgs, output: Output) -> Result<Exit> {
    refuse_policies(args)?;
    VariantArg::distinct(&args.variant)?;
    refuse_streams(&args.simulated)?;
    let inputs = Inputs::read(context, args)?;
    let seeds = args.simulated.seeds.map_or(1, NonZeroU32::get);
    let files = [&args.simulated.events, &args.simulated.series];
    if files.into_iter().any(Option::is_some) && (seeds > 1 || inputs.variants.len() > 1) {
        let message = "--events and --series need exactly one variant and one seed";
        let help = "leave out --variant and --seeds, or run them one by one";
        return Err(Refusal::usage(message).help(help).into());
    }
    refuse_shared_files(args)?;
    let first = inputs.seed(args.seed);
    let until = args.simulated.until.unwrap_or(DEFAULT_TIME);
    assertion::check(&args.simulated.assertions, &inputs, until)?;
    let runs = runs::run(context, args, &inputs, &runs::Plan { first, seeds, until })?;
    let names = inputs.variants.iter().map(|variant| variant.name.clone());
    let all = names.zip(runs).map(|(name, runs)| Runs { name, runs }).collect();
    let mut report = ClusterReport {
        api_version: "armadaproject.io/v1",
        kind: "ClusterReport",
        seed: first,
        seeds,
        scheduler: args.simulated.scheduler.name().to_owned(),
        notes: inputs::notes(args),
        variants: variants(all),
        assertions: Vec::new(),
    };
    report.assertions = assertion::evaluate(&args.simulated.assertions, &report);
    let text = match output {
        Output::Json => report::json(&report),
        Output::Yaml => report::yaml(&report)?,
        Output::Wide => cluster::table(&report, &context.layout(true)),
        Output::Table | Output::Name => cluster::table(&report, &context.layout(false)),
    };
    context.ui.data(&text)?;
    let is_done = report.assertions.iter().all(|assertion| assertion.holds);
    Ok(if is_done { Exit::Done } else { Exit::No })
}

/// Refuses a file to write that is also read, or written twice.
fn refuse_shared_files(args: &SimulateArgs) -> Result<()> {
    let simulated = &args.simulated;
    let read = [&simulated.cluster, &simulated.workload, &args.policies.scheduler_config];
    let of_variants = args.variant.iter().flat_map(|variant| &variant.files);
    let mut used_paths: Vec<PathBuf> =
        read.into_iter().flatten().chain(of_variants).map(|path| resolve_path(path)).collect();
    for (flag, file) in [("--events", &simulated.events), ("--series", &simulated.series)] {
        let Some(file) = file else { continue };
        let path = resolve_path(file);
        if used_paths.contains(&path) {
            let message = format!("{flag}: `{}` is used by another flag", file.display());
            return Err(Refusal::usage(message).help("name another file").into());
        }
        used_paths.push(path);
    }
    Ok(())
}

/// The absolute path, without links if the file exists.
fn resolve_path(path: &Path) -> PathBuf {
    let absolute = || std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.canonicalize().unwrap_or_else(|_| absolute())
}

/// Refuses standard output, which has the report, as the file of events or of the series.
fn refuse_streams(args: &ClusterArgs) -> Result<()> {
    let files = [("--events", &args.events), ("--series", &args.series)];
    let is_stream = |path: &PathBuf| path.as_os_str() == "-";
    match files.into_iter().find(|(_, path)| path.as_ref().is_some_and(is_stream)) {
        Some((flag, _)) => {
            let refusal = Refusal::usage(format!("`{flag} -`: standard output has the report"));
            Err(refusal.help("name a file").into())
        }
        None => Ok(()),
    }
}

/// Refuses flags of policies, with which no simulated cluster can be run yet.
fn refuse_policies(args: &SimulateArgs) -> Result<()> {
    let policies = &args.policies;
    let flags = [
        (!policies.files.is_empty(), "-f"),
        (policies.queue_policies.is_some(), "--queue-policies"),
        (policies.engine.is_some(), "--engine"),
        (policies.missing_policy.is_skip(), "--missing-policy"),
        (args.sweep.is_some(), "--sweep"),
        (args.exit_code, "--exit-code"),
    ];
    let Some((_, flag)) = flags.into_iter().find(|(is_set, _)| *is_set) else {
        return args.systems.refuse(&crate::diag::Findings::new());
    };
    let message = format!("`{flag}` with --cluster is not available in this version");
    let help = "leave it out; without policies no job fails";
    Err(Refusal::usage(message).help(help).into())
}
