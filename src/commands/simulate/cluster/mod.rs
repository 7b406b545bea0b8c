//! `simulate --cluster`: a workload on a simulated cluster.
//!
//! This file has the arguments, and `flow.rs` the flow.

mod figures;
mod inputs;
mod output;
mod record_output;
mod run_cluster;
mod runs;
mod variants;

pub(super) use run_cluster::run;

use crate::commands::flag_values::whole_number;
use crate::input::resolve_path;
use clap::{Args, ValueEnum};
use cluster::read::Profile;
use cluster::retry::Requeue;
use cluster::spec::Nanoseconds;
use document::units::GoDuration;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// A simulated cluster, and its scheduler.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Cluster options")]
pub struct ClusterArgs {
    /// Simulate this cluster, a cluster file of Armada's simulator (`-` for stdin)
    #[arg(long, value_name = "FILE", requires = "workload", conflicts_with = "history")]
    pub cluster: Option<PathBuf>,
    /// Run the jobs of this workload file of Armada's simulator (`-` for stdin)
    // Beside `history` clap would not require `cluster`, which conflicts with it.
    #[arg(long, value_name = "FILE", requires = "cluster", conflicts_with = "history")]
    pub workload: Option<PathBuf>,
    /// Use this version of the scheduler
    #[arg(long, value_enum, default_value_t = SchedulerName::Landed, value_name = "NAME", requires = "cluster", conflicts_with = "history")]
    scheduler: SchedulerName,
    /// Queue jobs that run again at this position
    ///
    /// Positions are among the jobs of the same priority. Default: original; with --scheduler seed front.
    #[arg(
        long,
        value_enum,
        value_name = "WHERE",
        requires = "cluster",
        conflicts_with = "history"
    )]
    requeue: Option<RequeueName>,
    /// End after this simulated time, such as 48h [default: 8784h]
    #[arg(long, value_name = "DURATION", value_parser = parse_time, requires = "cluster", conflicts_with = "history")]
    until: Option<Nanoseconds>,
    /// Run this many seeds from --seed on, and report means with 95 % intervals
    #[arg(
        long,
        value_name = "N",
        requires = "cluster",
        conflicts_with = "history",
        allow_negative_numbers = true
    )]
    #[arg(value_parser = whole_number(NonZeroU32::MIN..=MAX_SEEDS))]
    seeds: Option<NonZeroU32>,
    /// Write every event of the run to this file, as JSON Lines
    #[arg(long, value_name = "FILE", requires = "cluster", conflicts_with = "history")]
    events: Option<PathBuf>,
    /// Write the record of every ended run to this file, as a history
    ///
    /// JSON Lines; with reloads in the workload, a document of the kind `FailureHistory`.
    #[arg(long, value_name = "FILE", requires = "cluster", conflicts_with = "history")]
    record: Option<PathBuf>,
    /// Write the shares of every queue over time to this file, as CSV
    ///
    /// Rows name their variant and seed.
    #[arg(long, value_name = "FILE", requires = "cluster", conflicts_with = "history")]
    series: Option<PathBuf>,
}

impl ClusterArgs {
    /// The files of the cluster and the workload.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &PathBuf> {
        self.cluster.iter().chain(&self.workload)
    }

    /// The flags of files to write, and their files.
    fn files(&self) -> [(&'static str, &Option<PathBuf>); 3] {
        [("--events", &self.events), ("--record", &self.record), ("--series", &self.series)]
    }
}

/// The name of a scheduler profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum SchedulerName {
    /// Armada's scheduler of today
    #[default]
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

/// The name of a position in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RequeueName {
    /// By the time of its first submission, as Armada does today
    Original,
    /// Before all others of its priority
    Front,
    /// Behind all others of its priority
    Back,
}

impl RequeueName {
    fn position(self) -> Requeue {
        match self {
            Self::Original => Requeue::Original,
            Self::Front => Requeue::Front,
            Self::Back => Requeue::Back,
        }
    }
}

impl ClusterArgs {
    /// Whether a flag writes a file. Its path is resolved.
    fn writes(&self, file: &Path) -> bool {
        self.files()
            .into_iter()
            .any(|(_, own)| own.as_deref().map(resolve_path).as_deref() == Some(file))
    }

    /// The position at which jobs that run again are queued.
    fn requeue(&self) -> Requeue {
        let default = match self.scheduler {
            SchedulerName::Landed => RequeueName::Original,
            SchedulerName::Seed => RequeueName::Front,
        };
        self.requeue.unwrap_or(default).position()
    }
}

/// The longest simulated time, 100 years.
const MAX_TIME: i64 = 876_000 * 3600 * 1_000_000_000;
fn parse_time(text: &str) -> Result<Nanoseconds, String> {
    let duration = GoDuration::parse(text).map_err(|error| error.to_string())?.as_nanos();
    match duration {
        1..=MAX_TIME => Ok(duration),
        ..1 => Err("write more than 0s".to_owned()),
        _ => Err("write at most 876000h, which is 100 years".to_owned()),
    }
}

/// The most seeds of a report, which keeps the figures of every run until the end.
const MAX_SEEDS: NonZeroU32 = NonZeroU32::new(10_000).unwrap();
