//! `simulate`: replays histories through policies, or runs a workload on a simulated cluster.
//!
//! This file has the arguments, and [`run`] the flow; the files of the folder use the arguments.

mod armada;
mod cluster;
mod flow;
mod inputs;
mod manifests;
mod notes;
mod replay;
mod report;
mod variant_args;
mod variants;

pub use flow::run;

use super::policy_set::PolicySetArgs;
use super::systems::SystemArgs;
use crate::history::{self, OnBadRecord, Program};
use crate::simulate::Assume;
use clap::{Args, ValueEnum};
use cluster::ClusterArgs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use variant_args::{Sweep, VariantArg};

/// The two forms of the command.
const USAGE: &str = "armadactl simulate -f <FILE>... --history <FILE>... [OPTIONS]
       armadactl simulate --cluster <FILE> --workload <FILE> [OPTIONS]";

/// Replay a failure history through retry policies
///
/// Every failed run of the history is decided as the scheduler would decide it: which rule, the
/// count against its limit, how long the next run waits and which node it avoids. Runs recorded
/// after a policy says Fail did not happen under it; they are counted, never replayed.
///
/// Exits 0 whatever the policies say; with --exit-code 1 if a job failed.
///
/// With --cluster and --workload a workload is simulated instead, on a cluster with Armada's scheduler:
/// who waits, who is preempted, and how fairly queues share.
#[derive(Debug, Args)]
#[command(override_usage = USAGE)]
#[command(mut_arg("files", |files| files.required(false).required_unless_present("cluster")))]
pub struct SimulateArgs {
    #[command(flatten)]
    policies: PolicySetArgs,
    #[command(flatten)]
    systems: SystemArgs,
    /// Replay these histories: files, directories, patterns, `-` for stdin; gzip and zstd too
    #[arg(long, required_unless_present = "cluster", num_args = 1.., value_name = "FILE")]
    history: Vec<PathBuf>,
    /// What the histories are
    #[arg(long, value_enum, default_value_t = Format::Auto, value_name = "FORMAT", conflicts_with = "cluster")]
    format: Format,
    /// Settle retries that are not on record; always labelled as an assumption
    #[arg(long, value_enum, value_name = "HOW", conflicts_with = "cluster")]
    assume: Option<AssumeName>,
    /// What becomes of a record that cannot be
    #[arg(long, value_enum, default_value_t = BadRecord::Error, value_name = "HOW", conflicts_with = "cluster")]
    on_bad_record: BadRecord,
    /// Refuse records with keys or conditions that nothing reads
    ///
    /// Without it they are counted, and a note of the report names them.
    #[arg(long, conflicts_with = "cluster")]
    strict_records: bool,
    /// Accept a history without records
    #[arg(long, conflicts_with = "cluster")]
    allow_empty: bool,
    /// Print timelines; `auto` prints those of documents and of single jobs
    #[arg(long, value_enum, default_value_t = TimelinesName::Auto, value_name = "WHICH", conflicts_with = "cluster")]
    timelines: TimelinesName,
    /// Report on this job only
    #[arg(long, value_name = "ID", conflicts_with = "cluster")]
    job: Option<String>,
    /// Replay through these policies as well, in the same pass: a column each
    ///
    /// FILES are files or directories, separated by commas. The first column is that of -f. With
    /// --cluster it is one scheduler configuration, and the first column that of --scheduler-config.
    #[arg(long, value_name = "NAME=FILES")]
    variant: Vec<VariantArg>,
    /// Replay with each value of a limit as well, in the same pass: globalMaxRetries=0..10
    ///
    /// Also `retryLimit=..` (that of every policy) and `NAME.rules[1].retryLimit=..`; both ends are
    /// included. The first column is that of -f as it is.
    #[arg(long, value_name = "WHAT=FROM..TO")]
    sweep: Option<Sweep>,
    /// Draw by this seed what a policy leaves to chance, such as a random jitter
    ///
    /// The same seed gives the same report, on however many threads and however the history is read.
    /// Default: 0; with --cluster the workload's randomSeed, or 1.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Work on so many threads [default: one a core]
    #[arg(long, value_name = "N", env = "ARMADACTL_THREADS")]
    threads: Option<NonZeroUsize>,
    /// Exit 1 if a job failed
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    simulated: ClusterArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// By the first bytes
    Auto,
    /// `kind: FailureHistory` documents, YAML or JSON
    Yaml,
    /// JSON Lines, a run a line
    Jsonl,
    /// Armada's events: POST /v1/job-set/QUEUE/JOBSET, or armadactl watch --raw
    ArmadaEvents,
    /// Lookout's jobs: POST /api/v1/jobs
    Lookout,
    /// kubectl get pods -o json, or -o yaml
    Pods,
    /// sacct --allocations --duplicates --parsable2
    Sacct,
}

impl Format {
    /// The format of this name; `None` for `auto`, which depends on the bytes.
    fn selected(self) -> Option<history::Format> {
        Some(match self {
            Self::Auto => return None,
            Self::Yaml => history::Format::Document,
            Self::Jsonl => history::Format::Lines,
            Self::ArmadaEvents => history::Format::Of(Program::ArmadaEvents),
            Self::Lookout => history::Format::Of(Program::Lookout),
            Self::Pods => history::Format::Of(Program::Pods),
            Self::Sacct => history::Format::Of(Program::Sacct),
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AssumeName {
    /// All of them succeed
    Succeed,
    /// All of them fail
    Fail,
    /// As often as recorded retries after the same rule succeeded
    Observed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BadRecord {
    /// It is an error; after 20 reading stops
    Error,
    /// It is left out, and the report says how many were
    Skip,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TimelinesName {
    /// Those of documents and of single jobs
    Auto,
    /// All
    All,
    /// None
    None,
}

impl SimulateArgs {
    fn assume(&self) -> Option<Assume> {
        self.assume.map(|name| match name {
            AssumeName::Succeed => Assume::Succeed,
            AssumeName::Fail => Assume::Fail,
            AssumeName::Observed => Assume::Observed,
        })
    }

    fn on_bad(&self) -> OnBadRecord {
        match self.on_bad_record {
            BadRecord::Error => OnBadRecord::Error,
            BadRecord::Skip => OnBadRecord::Skip,
        }
    }

    /// The number of threads: one for each core unless `--threads` sets it.
    fn threads(&self) -> NonZeroUsize {
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.threads.unwrap_or(cores)
    }
}
