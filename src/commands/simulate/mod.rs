//! `simulate`: the main job.

mod armada;
mod cluster;
mod inputs;
mod manifests;
mod notes;
mod replay;
mod variants;

use super::policy_set::PolicySetArgs;
use super::systems::{PolicyFiles, SystemArgs};
use super::{Context, load};
use crate::cli::{Exit, Output, Refusal};
use crate::history::{self, OnBadRecord, PROGRAMS};
use crate::report::{self, simulation};
use crate::simulate::{
    self, Assume, Engine, Names, NoteKind, NoteReport, SimulationReport, VariantReport,
};
use crate::systems::with_system;
use anyhow::Result;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use cluster::ClusterArgs;
use notes::WithoutRuns;
use replay::Outcome;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::LazyLock;
use variants::{Sweep, VariantArg};

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
    #[arg(long, value_enum, default_value_t = Format::AUTO, value_name = "FORMAT", conflicts_with = "cluster")]
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

/// The value of `--format`: its number among [`FORMATS`]. A number, so that `Command` stays small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Format(u8);

/// The values of `--format`: its name, its help, and the format, or `None` if the first bytes decide.
type FormatValue = (&'static str, &'static str, Option<history::Format>);

/// The first is the default; the programs are ordered by name.
static FORMATS: LazyLock<Vec<FormatValue>> = LazyLock::new(|| {
    use history::Format::{Document, Lines, Of};
    let mut programs: Vec<FormatValue> =
        PROGRAMS.iter().map(|program| (program.name, program.title, Some(Of(program)))).collect();
    programs.sort_by_key(|(name, ..)| *name);
    let mut all = vec![
        ("auto", "By the first bytes", None),
        ("yaml", "`kind: FailureHistory` documents, YAML or JSON", Some(Document)),
        ("jsonl", "JSON Lines, a run a line", Some(Lines)),
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
    const AUTO: Self = Self(0);

    /// The format; `None` if the first bytes decide.
    fn selected(self) -> Option<history::Format> {
        FORMATS.get(usize::from(self.0)).and_then(|(.., format)| *format)
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

/// Replays the histories and prints the report.
pub fn run(context: &mut Context<'_>, args: &SimulateArgs) -> Result<Exit> {
    use Output::{Json, Table, Wide, Yaml};
    let output = context.globals.output("simulate", &[Table, Wide, Json, Yaml])?;
    if args.simulated.cluster.is_some() {
        return cluster::run(context, args, output);
    }
    let variants = args.variant.iter().flat_map(|variant| &variant.files);
    let stdin = args.policies.files.iter().chain(variants).chain(&args.history);
    load::one_stdin(stdin.chain(&args.policies.scheduler_config))?;
    let given = PolicyFiles::read(&args.policies.files);
    let report = with_system!(
        given.system,
        Armada => armada::replay(context, args, given)?,
        S => manifests::replay::<S>(context, args, given)?,
    );
    let text = match output {
        Json => report::json(&report),
        Yaml => report::yaml(&report)?,
        Table | Output::Name => simulation::table(&report, &context.layout(false)),
        Wide => simulation::table(&report, &context.layout(true)),
    };
    context.ui.data(&text)?;
    Ok(exit(args, &report))
}

/// The report on the first engine's replay, and a column for each if there are several.
fn reported<E: Engine>(
    args: &SimulateArgs,
    variants: &[&str],
    engines: &[E],
    names: &Names,
    outcome: Outcome,
) -> Result<SimulationReport> {
    let Outcome { replayed, options, mut notes, without_runs } = outcome;
    notes.sort_by_key(|note| note.kind);
    let mut reports: Vec<SimulationReport> = engines
        .iter()
        .zip(replayed)
        .map(|(engine, replayed)| simulate::report(engine, names, replayed, options))
        .collect();
    if reports.first().is_some_and(|report| report.summary.jobs == 0) {
        notes.insert(0, empty(args, without_runs)?);
    }
    if reports.len() == 1 {
        return Ok(SimulationReport { notes, ..reports.swap_remove(0) });
    }
    let all = variants.iter().zip(&reports).map(|(name, report)| VariantReport {
        name: (*name).to_owned(),
        engine: report.engine.clone(),
        summary: report.summary.clone(),
    });
    let all = all.collect();
    Ok(SimulationReport { notes, variants: Some(all), ..reports.swap_remove(0) })
}

/// The note of a history without runs, or the refusal of it. A history of nothing but runs that have
/// not ended and jobs that never ran is no mistake.
fn empty(args: &SimulateArgs, without_runs: WithoutRuns) -> Result<NoteReport> {
    let WithoutRuns { message, is_of_jobs } = without_runs;
    if !is_of_jobs && !args.allow_empty {
        return Err(Refusal::input(message).help("--allow-empty accepts it").into());
    }
    Ok(NoteReport::new(NoteKind::EmptyHistory, message))
}

fn exit(args: &SimulateArgs, report: &SimulationReport) -> Exit {
    let failed = report.summary.outcomes.get("Failed").is_some_and(|jobs| *jobs > 0);
    if args.exit_code && failed { Exit::No } else { Exit::Done }
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

    fn threads(&self) -> NonZeroUsize {
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.threads.unwrap_or(cores)
    }
}
