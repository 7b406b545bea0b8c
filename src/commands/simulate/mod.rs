//! `simulate`: replays histories through policies, or runs a workload on a simulated cluster.
//!
//! This file has the arguments, and `run_replay.rs` the flow; the files of the folder use the arguments.

mod advice;
mod armada;
mod assertion;
mod base;
mod changes;
mod cluster;
mod columns;
mod complete;
mod disruption_notes;
mod explain;
mod facts;
mod figure_path;
mod figures;
mod follow;
mod follow_args;
mod in_memory;
pub(super) mod inputs;
mod listed_names;
mod live_notes;
mod manifests;
mod missing_parts;
mod notes;
pub(super) mod other_system;
mod partial;
mod pass;
mod policies;
mod provenance;
mod replay;
mod report;
mod run_replay;
mod screen;
mod shards;
mod show;
mod sweep;
mod variant_args;
mod variants;
mod without_policies;

pub(super) use in_memory::read_in_memory;
pub(super) use run_replay::read_histories;
pub use run_replay::{HistoryFiles, PoliciesOfHistories, replay_histories, run};

use super::disruptions::DisruptionArgs;
use super::flag_values::whole_number;
use super::policy_set::PolicySetArgs;
use super::report_files::SimulationReportArgs;
use super::system_args::SystemArgs;
use crate::input::is_read_by;
use crate::project::ExecutorFiles;
use ::replay::history::{self, OnBadRecord, PROGRAMS};
use ::replay::simulate::{AnswerOptions, Assume, CostUnit, HistoryShard};
use assertion::Assertion;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{ArgGroup, Args, ValueEnum};
use cluster::ClusterArgs;
use follow_args::FollowArgs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use sweep::{Sweep, Sweeps};
pub(super) use sweep::{paths_of_all_systems, paths_of_documents};
use variant_args::{FIRST_VARIANT, VariantArg};

/// The forms of the command.
const USAGE: &str = "armadactl simulate [-f <FILE>...] --history <FILE>... [OPTIONS]
       armadactl simulate --live [-f <FILE>...] --history <FILE>... [OPTIONS]
       armadactl simulate --cluster <FILE> --workload <FILE> [-f <FILE>...] [OPTIONS]";

const EXAMPLES: &str = "\
Examples:
  # Report what happened: which retries were wasted
  armadactl simulate --history failures.jsonl

  # Replay recorded failures through the policies of a file
  armadactl simulate -f policy.yaml --history failures.jsonl

  # Compare two sets of policies on the same failures
  armadactl simulate -f policy.yaml --history failures.jsonl \\
      --variant new=new-policy.yaml

  # Compare the policies of a pull request with those of the server
  armadactl simulate --live --variant new=policies/ --history failures.jsonl

  # Compare the policies here with those of another checkout, as Markdown
  armadactl simulate --base ../main --report markdown=comment.md

  # Rehearse policies on the events of a job set as they come
  armadactl watch ml nightly -o json |
      armadactl simulate -f policies --follow --history -

  # Simulate a workload on a cluster with Armada's scheduler
  armadactl simulate --cluster cluster.yaml --workload workload.yaml

  # Compare the policies of a file with no retries on a cluster that fails
  armadactl simulate --cluster cluster.yaml --workload workload.yaml \\
      -f policy.yaml --variant no-retries --seeds 8";

const EXITS: &str = "\
Exit codes:
    0  success, whatever the policies decide
    1  a job failed (with --exit-code; on record without policies), or an
       --assert is false
    2  invalid command line
    3  invalid input or configuration, or a name that does not exist
    4  not authenticated, or not permitted (with --live)
    7  server unreachable or too slow, or an invalid answer (with --live)
  130  interrupted";

/// Replay a failure history through retry policies
///
/// Each failed run of the history is decided as the scheduler would decide it: by which rule, with
/// which count against its limit, after which backoff and without which node. Runs that were recorded
/// after the policy decides Fail would not have happened: they are counted, and not replayed. The
/// report begins with what really happened, beside what would happen under the policies; without
/// policies it is about the record alone.
///
/// With --cluster and --workload a workload is simulated on a cluster with Armada's scheduler; jobs
/// and nodes fail as the files describe, and the policies decide which jobs run again. The report has
/// waiting times, wasted work, retries, preemptions and the shares of the queues.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
#[command(override_usage = USAGE)]
#[command(mut_arg("disruptions", |file| file.conflicts_with("cluster")))]
#[command(mut_arg("files", |files| files.required(false)))]
#[command(group = ArgGroup::new("several").args(["variant", "sweep"]).multiple(true))]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
pub struct SimulateArgs {
    #[command(flatten)]
    policies: PolicySetArgs,
    #[command(flatten)]
    systems: SystemArgs,
    /// Replay these histories: files, directories, patterns or `-` for stdin
    ///
    /// Files may be compressed with gzip or zstd.
    #[arg(help_heading = "History options")]
    #[arg(long, required_unless_present_any = ["cluster", "base"], num_args = 1.., value_name = "FILE")]
    history: Vec<PathBuf>,
    /// Classify failures by the configuration of Armada's executors (repeatable)
    ///
    /// One value for each cluster: its files, merged in order as the executor merges them, with the
    /// name of the cluster before them if there are several. Failures without a category get the one
    /// that the executor reports; those that have one keep it.
    #[arg(help_heading = "History options")]
    #[arg(long, value_name = "[CLUSTER=]FILE[,FILE..]", conflicts_with = "cluster")]
    executor_config: Vec<ExecutorFiles>,
    #[command(flatten)]
    disruptions: DisruptionArgs,
    /// Read histories of this format
    #[arg(help_heading = "History options")]
    #[arg(long, value_enum, default_value_t = Format::AUTO, value_name = "FORMAT", conflicts_with = "cluster")]
    format: Format,
    /// Assume this outcome of retries that the history does not record
    ///
    /// The report labels such outcomes as assumptions.
    #[arg(help_heading = "History options")]
    #[arg(long, value_enum, value_name = "HOW", conflicts_with = "cluster")]
    assume: Option<AssumeName>,
    /// Report or skip invalid records
    #[arg(help_heading = "History options")]
    #[arg(long, value_enum, default_value_t = BadRecord::Error, value_name = "HOW", conflicts_with = "cluster")]
    on_bad_record: BadRecord,
    /// Refuse records with unknown keys or conditions
    ///
    /// Without this flag they are counted and named in a note of the report.
    #[arg(help_heading = "History options")]
    #[arg(long, conflicts_with = "cluster")]
    strict_records: bool,
    /// Accept a history without records
    #[arg(help_heading = "History options")]
    #[arg(long, conflicts_with = "cluster")]
    allow_empty: bool,
    /// Replay only the units of shard I of N, such as 0/16
    ///
    /// The history has to be JSON Lines. The shard of a unit is the number of the first four bytes of
    /// SHA-256 of its id, modulo N: of the job's id, or of the queue, job set and id of its gang. Records of
    /// other shards are skipped and counted.
    #[arg(help_heading = "Scale options")]
    #[arg(long, value_name = "I/N", value_parser = shard, requires = "partial")]
    shard: Option<HistoryShard>,
    /// Write the figures to this file in place of a report (`-` for stdout)
    ///
    /// Give such files with --history and the same policies and flags to report on all of them, or to
    /// merge them with a further --partial.
    #[arg(help_heading = "Scale options")]
    #[arg(long, value_name = "FILE")]
    #[arg(conflicts_with_all = ["cluster", "live", "base", "job", "changes", "assertions", "exit_code"])]
    partial: Option<PathBuf>,
    /// Report on partial summaries although shards are missing
    #[arg(help_heading = "Scale options")]
    #[arg(long, conflicts_with_all = ["cluster", "partial"])]
    allow_missing_shards: bool,
    /// Print the timelines of these jobs
    #[arg(help_heading = "History options")]
    #[arg(long, value_enum, default_value_t = TimelinesName::Auto, value_name = "WHICH", conflicts_with = "cluster")]
    timelines: TimelinesName,
    /// Report on this job only
    ///
    /// A namespace before the last slash of the ID may be left out if one job alone has the rest.
    #[arg(help_heading = "History options")]
    #[arg(long, value_name = "ID", conflicts_with = "cluster")]
    job: Option<String>,
    /// Replay first through the policies and queues of the server, in the column `live`
    ///
    /// Column `given` follows with -f, then the variants. In these columns a policy that the files do not
    /// define is the server's. The policies of a queue are those of --queue-policies, else of its Queue
    /// document, else of the history, else of the server. Settings are still read from --scheduler-config.
    #[arg(help_heading = "Server options")]
    #[arg(long, conflicts_with = "cluster")]
    live: bool,
    /// Replay also through these policies, in a column of their own (repeatable)
    ///
    /// FILES are files or directories, separated by commas. The first column is that of -f.
    /// `no-retries` without FILES is a column without retries: a job ends with its first run that does
    /// not succeed. A release such as `jobset-0.9` is a column of the policies of -f under that
    /// release. With --cluster FILES may also be one scheduler configuration.
    #[arg(long, value_name = "NAME=FILES")]
    variant: Vec<VariantArg>,
    /// Compare the policies of another checkout, such as the base's, with those here
    ///
    /// The repository names its policies and a history by `simulate` in `.armadactl-lint.yaml`. The first
    /// column is `base`, that of the policies in this directory, and the second `pr`.
    #[arg(help_heading = "History options")]
    #[arg(long, value_name = "DIRECTORY", conflicts_with_all = ["cluster", "live", "files"])]
    base: Option<PathBuf>,
    /// Replay also with each value of a limit, such as globalMaxRetries=0..10
    ///
    /// Values are ranges, both ends included, and numbers: `0..2,4,8`, `0..12:3`; of times `1m,5m,30m`.
    /// Other limits are `retryLimit` (of every policy), `NAME.retryLimit`, `NAME.rules[1].retryLimit`,
    /// `backoff.initialDelay`; `backoffLimit` of Jobs, `maxRestarts` of JobSets, `retries` of Airflow, and
    /// every other limit by its path. Given twice, each pair of values has a column. The first column is
    /// that of -f unchanged; with --live alone, that of the server.
    #[arg(long, value_name = "WHAT=VALUES")]
    sweep: Vec<Sweep>,
    /// Report costs in this unit
    ///
    /// One unit holds for the whole report.
    #[arg(long, value_enum, default_value_t = UnitName::Auto, value_name = "UNIT", conflicts_with = "cluster")]
    unit: UnitName,
    /// Report differences from the record, also with several sets of policies
    #[arg(long, conflicts_with = "cluster")]
    against_record: bool,
    /// Show these tables too, separated by commas, or `all`
    ///
    /// With --cluster: figures, comparison, queues, templates, waits, failures, rules, retries, fairness,
    /// nodes, refusals and findings; without it: record, rules, decisions, kinds, retries, nodes, queues,
    /// categories, days, hours, disruptions, changes and contradictions. Without policies record, kinds,
    /// retries, nodes, queues, categories and days are about the retries on record.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', hide_possible_values = true)]
    #[arg(value_parser = PossibleValuesParser::new(show::values()))]
    show: Vec<String>,
    /// Write what differs from the first column to this file, as JSON Lines
    ///
    /// A line for each decision and each job whose outcome differs under --variant or --sweep.
    #[arg(long, value_name = "FILE", requires = "several", conflicts_with = "cluster")]
    changes: Option<PathBuf>,
    /// Show this many jobs of each kind of difference [default: 3]
    ///
    /// The samples are the same for any number of threads. 0 leaves them out, and without --changes the
    /// comparison.
    #[arg(long, value_name = "N", requires = "several", conflicts_with = "cluster")]
    #[arg(value_parser = whole_number(0..=u8::MAX), allow_negative_numbers = true)]
    samples: Option<u8>,
    /// Exit 1 unless this holds for the report, such as outcomes.Failed<10 (repeatable)
    ///
    /// EXPR is `[VARIANT:]PATH OP VALUE`. PATH is a path in the JSON report on the variant, of the first one if none is
    /// named. It begins with `verdict`, `summary` or `changes`, otherwise `summary` is meant; with --cluster it begins
    /// with `queue.NAME`, `template.ID`, `cause.NAME`, `rule.NAME` or `pool.NAME`, otherwise `total` is meant. VALUE is
    /// a number, a duration, a share such as 10%, or BASE*1.01: the figure of the first variant times a number.
    #[arg(long = "assert", value_name = "EXPR")]
    assertions: Vec<Assertion>,
    /// Propose changes of the policies, or not
    ///
    /// Changes that the record supports are replayed in one further pass over the files, at most 5, and
    /// reported with what they would change. They are proposed for one set of Armada's policies.
    #[arg(help_heading = "History options")]
    #[arg(long, value_enum, default_value_t = AdviceName::Auto, value_name = "WHICH", conflicts_with = "cluster")]
    advice: AdviceName,
    /// Seed random values of a policy, such as jitter, with this number
    ///
    /// The same seed gives the same report for any number of threads. Default: 0; with --cluster the
    /// workload's randomSeed, or 1.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = whole_number(0..=u64::MAX))]
    seed: Option<u64>,
    /// Use this many threads [default: one per core]
    #[arg(long, value_name = "N", env = "ARMADACTL_THREADS", allow_negative_numbers = true)]
    #[arg(value_parser = whole_number(NonZeroUsize::MIN..=NonZeroUsize::MAX))]
    threads: Option<NonZeroUsize>,
    /// Exit 1 if a job failed
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    follow: FollowArgs,
    #[command(flatten)]
    reports: SimulationReportArgs,
    #[command(flatten)]
    simulated: ClusterArgs,
}

/// The value of `--format`: its number among [`FORMATS`]. A number, so that `Command` stays small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format(u8);

/// The values of `--format`: its name, its help, and the format, or `None` if the first bytes decide.
type FormatValue = (&'static str, &'static str, Option<history::Format>);

/// The first is the default; the programs are ordered by name.
static FORMATS: LazyLock<Vec<FormatValue>> = LazyLock::new(|| {
    use history::Format::{Document, Lines, Of};
    let mut programs: Vec<FormatValue> =
        PROGRAMS.iter().map(|program| (program.name, program.title, Some(Of(program)))).collect();
    programs.sort_by_key(|(name, ..)| *name);
    let mut all = vec![
        ("auto", "Detect the format by the first bytes", None),
        ("yaml", "`kind: FailureHistory` documents, YAML or JSON", Some(Document)),
        ("jsonl", "JSON Lines, one run per line", Some(Lines)),
    ];
    all.extend(programs);
    all
});

static FORMAT_NUMBERS: LazyLock<Vec<Format>> =
    LazyLock::new(|| (0..).map(Format).take(FORMATS.len()).collect());

impl ValueEnum for Format {
    fn value_variants<'v>() -> &'v [Self] {
        &FORMAT_NUMBERS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help, _) = FORMATS.get(usize::from(self.0))?;
        Some(PossibleValue::new(*name).help(*help))
    }
}

impl Format {
    /// The first bytes decide.
    pub const AUTO: Self = Self(0);

    /// The format; `None` if the first bytes decide.
    pub(super) fn selected(self) -> Option<history::Format> {
        FORMATS.get(usize::from(self.0)).and_then(|(.., format)| *format)
    }
}

/// Reads `I/N`.
fn shard(text: &str) -> Result<HistoryShard, String> {
    let numbers = text.split_once('/').and_then(|(number, count)| {
        Some(HistoryShard { number: number.parse().ok()?, count: count.parse().ok()? })
    });
    let shard = numbers.filter(|shard| shard.number < shard.count);
    shard.ok_or_else(|| "write I/N, with I from 0 to N - 1, such as 0/16".to_owned())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AssumeName {
    /// All of them succeed
    Succeed,
    /// All of them fail
    Fail,
    /// They succeed as often as recorded retries after the same rule
    Observed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AdviceName {
    /// Changes of policies that their replay shows to be worth more than they cost
    Auto,
    /// No changes, and no further pass over the files
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum UnitName {
    /// The first of GPU-hours, core-hours and hours that the record has, else retries
    Auto,
    /// GPU-hours
    Gpu,
    /// Core-hours
    Core,
    /// Hours of running
    Run,
    /// Retries: each costs 1
    Retries,
}

/// How to handle invalid records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BadRecord {
    /// Report an error, and stop after 20
    Error,
    /// Skip the record, and count it in the report
    Skip,
}

impl From<BadRecord> for OnBadRecord {
    fn from(how: BadRecord) -> Self {
        match how {
            BadRecord::Error => Self::Error,
            BadRecord::Skip => Self::Skip,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TimelinesName {
    /// Jobs of documents, and single jobs
    Auto,
    /// All jobs
    All,
    /// No jobs, and no pairs of them that differ under variants
    None,
}

impl SimulateArgs {
    /// The arguments of a replay of histories; every other flag has its default.
    fn from_histories(
        policies: PolicySetArgs,
        executor_config: Vec<ExecutorFiles>,
        disruptions: DisruptionArgs,
        history: Vec<PathBuf>,
    ) -> Self {
        Self {
            policies,
            systems: SystemArgs::default(),
            history,
            executor_config,
            disruptions,
            format: Format::AUTO,
            assume: None,
            on_bad_record: BadRecord::Error,
            strict_records: false,
            allow_empty: false,
            timelines: TimelinesName::None,
            shard: None,
            partial: None,
            allow_missing_shards: false,
            job: None,
            live: false,
            follow: FollowArgs::default(),
            variant: Vec::new(),
            sweep: Vec::new(),
            unit: UnitName::Auto,
            against_record: false,
            show: Vec::new(),
            changes: None,
            samples: None,
            assertions: Vec::new(),
            advice: AdviceName::None,
            seed: None,
            threads: None,
            exit_code: false,
            base: None,
            reports: SimulationReportArgs::default(),
            simulated: ClusterArgs::default(),
        }
    }

    /// Whether there are no variants, so that the report is about the record alone.
    fn is_of_record(&self) -> bool {
        !self.has_policies() && self.variant.is_empty()
    }

    /// Whether there are policies: `no-retries` has none.
    fn has_policies(&self) -> bool {
        let mut variants = self.variant.iter();
        self.live
            || !self.policies.files.is_empty()
            || variants.any(|variant| !variant.is_without_retries())
    }

    /// The first variant: its name and its files. Without -f and --live it is the first one of `--variant` that has
    /// policies, if one has.
    fn first_variant(&self) -> (&str, &[PathBuf]) {
        if self.live || !self.policies.files.is_empty() {
            return (FIRST_VARIANT, &self.policies.files);
        }
        let first = self.variant.iter().find(|variant| !variant.is_without_retries());
        match first.or(self.variant.first()) {
            Some(first) => (&first.name, &first.files),
            None => (FIRST_VARIANT, &[]),
        }
    }

    /// The variants after the first.
    fn other_variants(&self) -> impl Iterator<Item = &VariantArg> {
        let (first, _) = self.first_variant();
        self.variant.iter().filter(move |variant| variant.name != first)
    }

    /// The files of policies and configuration, as they are given.
    fn configuration(&self) -> impl Iterator<Item = &PathBuf> {
        let of_variants = self.variant.iter().flat_map(|variant| &variant.files);
        self.policies.files.iter().chain(of_variants).chain(self.settings())
    }

    /// The files of configuration, which all sets of policies have.
    fn settings(&self) -> impl Iterator<Item = &PathBuf> {
        let executors = self.executor_config.iter().flat_map(|files| &files.files);
        executors.chain(&self.policies.scheduler_config).chain(&self.disruptions.disruptions)
    }

    /// The sweeps.
    fn sweeps(&self) -> Sweeps<'_> {
        Sweeps::new(&self.sweep)
    }

    /// Whether a flag reads a file. Its path is resolved.
    fn reads(&self, file: &Path) -> bool {
        let all = self.configuration().chain(&self.history).chain(self.simulated.inputs());
        all.into_iter().any(|path| is_read_by(path, file))
    }

    fn assume(&self) -> Option<Assume> {
        self.assume.map(|name| match name {
            AssumeName::Succeed => Assume::Succeed,
            AssumeName::Fail => Assume::Fail,
            AssumeName::Observed => Assume::Observed,
        })
    }

    /// How the answer is computed.
    fn answer_options(&self) -> AnswerOptions {
        let unit = match self.unit {
            UnitName::Auto => None,
            UnitName::Gpu => Some(CostUnit::Gpu),
            UnitName::Core => Some(CostUnit::Core),
            UnitName::Run => Some(CostUnit::Run),
            UnitName::Retries => Some(CostUnit::Retries),
        };
        AnswerOptions { unit, is_against_record: self.against_record }
    }

    fn on_bad(&self) -> OnBadRecord {
        self.on_bad_record.into()
    }

    /// The number of threads: one for each core unless `--threads` sets it.
    fn threads(&self) -> NonZeroUsize {
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.threads.unwrap_or(cores)
    }
}
