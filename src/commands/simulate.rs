//! `simulate`: the main job.

use super::policy_set::{PolicySet, PolicySetArgs};
use super::{Context, load};
use crate::cli::{Exit, Output, Refusal};
use crate::diag::{Findings, nearest};
use crate::engine::Armada;
use crate::history::{self, GraceBounds, History, OnBadRecord, Program, Reader};
use crate::input::{self, Endings, Line, Stream};
use crate::report::{self, simulation};
use crate::simulate::{self, Assume, Options, SimulationReport, Timelines};
use anyhow::Result;
use clap::{Args, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Replay a failure history through retry policies
///
/// Every failed run of the history is decided as the scheduler would decide it: which rule, the
/// count against its limit, how long the next run waits and which node it avoids. Runs recorded
/// after a policy says Fail did not happen under it; they are counted, never replayed.
///
/// Exits 0 whatever the policies say; with --exit-code 1 if a job failed.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    #[command(flatten)]
    policies: PolicySetArgs,
    /// Replay these histories: files, directories, patterns, `-` for stdin; gzip and zstd too
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    history: Vec<PathBuf>,
    /// What the histories are
    #[arg(long, value_enum, default_value_t = Format::Auto, value_name = "FORMAT")]
    format: Format,
    /// Settle retries that are not on record; always labelled as an assumption
    #[arg(long, value_enum, value_name = "HOW")]
    assume: Option<AssumeName>,
    /// What becomes of a record that cannot be
    #[arg(long, value_enum, default_value_t = BadRecord::Error, value_name = "HOW")]
    on_bad_record: BadRecord,
    /// Print timelines; `auto` prints those of documents and of single jobs
    #[arg(long, value_enum, default_value_t = TimelinesName::Auto, value_name = "WHICH")]
    timelines: TimelinesName,
    /// Report on this job only
    #[arg(long, value_name = "ID")]
    job: Option<String>,
    /// Replay on so many threads [default: one a core]
    #[arg(long, value_name = "N", env = "ARMADACTL_THREADS")]
    threads: Option<NonZeroUsize>,
    /// Exit 1 if a job failed
    #[arg(long)]
    exit_code: bool,
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
    /// kubectl get pods -o json
    Pods,
    /// sacct --allocations --duplicates --parsable2
    Sacct,
}

impl Format {
    /// What it says; `None` if the bytes are to say it.
    fn given(self) -> Option<history::Format> {
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

/// Replays the histories and prints the report.
pub fn run(context: &mut Context<'_>, args: &SimulateArgs) -> Result<Exit> {
    use Output::{Json, Table, Wide, Yaml};
    let output = context.globals.output("simulate", &[Table, Wide, Json, Yaml])?;
    let stdin = args.policies.files.iter().chain(&args.history);
    load::one_stdin(stdin.chain(&args.policies.scheduler_config))?;
    let mut policies = PolicySet::load(context.ui, &args.policies)?;
    let bounds = GraceBounds::from(&policies.settings);
    let history = histories(context, args, bounds)?;
    policies.bind(
        history.queues.iter().map(|queue| (queue.name.clone(), queue.retry_policies.clone())),
    );
    let (evaluator, bindings) = policies.compile(context.ui, &history.reloads, &history.jobs)?;
    let engine = Armada::new(evaluator, bindings);
    let only = args.job.as_ref().map(|id| job_number(&history, id)).transpose()?;
    let report = simulate::simulate(&engine, &history.jobs, options(args, &history, only));
    let text = match output {
        Json => report::json(&report),
        Yaml => report::yaml(&report)?,
        Table | Output::Name => simulation::table(&report, &layout(context, false)),
        Wide => simulation::table(&report, &layout(context, true)),
    };
    context.ui.data(&text)?;
    Ok(exit(args, &report))
}

fn layout(context: &Context<'_>, wide: bool) -> report::Layout {
    report::Layout {
        wide,
        headers: !context.globals.no_headers,
        width: context.ui.width(),
        style: context.ui.style(),
    }
}

fn exit(args: &SimulateArgs, report: &SimulationReport) -> Exit {
    let failed = report.summary.outcomes.get("Failed").is_some_and(|jobs| *jobs > 0);
    if args.exit_code && failed { Exit::No } else { Exit::Done }
}

fn options(args: &SimulateArgs, history: &History, only: Option<usize>) -> Options {
    let one = history.has_document || history.jobs.len() == 1 || only.is_some();
    let timelines = match args.timelines {
        TimelinesName::All => Timelines::All,
        TimelinesName::Auto if one => Timelines::All,
        TimelinesName::None | TimelinesName::Auto => Timelines::None,
    };
    let assume = args.assume.map(|name| match name {
        AssumeName::Succeed => Assume::Succeed,
        AssumeName::Fail => Assume::Fail,
        AssumeName::Observed => Assume::Observed,
    });
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    Options {
        timelines,
        assume,
        only,
        threads: args.threads.unwrap_or(cores),
        skipped_records: history.skipped,
    }
}

fn job_number(history: &History, id: &str) -> Result<usize> {
    if let Some(number) = history.jobs.iter().position(|job| job.id == id) {
        return Ok(number);
    }
    let near = nearest(id, history.jobs.iter().map(|job| job.id.as_str()), 3);
    let refusal = Refusal::input(format!("the history has no job `{id}`"));
    Err(match near.as_slice() {
        [] => refusal,
        near => {
            let near: Vec<String> = near.iter().map(|id| format!("`{id}`")).collect();
            refusal.help(format!("did you mean {}?", near.join(" or ")))
        }
    }
    .into())
}

/// What a directory of histories is searched for.
const ENDINGS: Endings = Endings::OrCompressed(&["yaml", "yml", "json", "jsonl", "ndjson"]);

fn histories(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    bounds: GraceBounds,
) -> Result<History> {
    let on_bad = match args.on_bad_record {
        BadRecord::Error => OnBadRecord::Error,
        BadRecord::Skip => OnBadRecord::Skip,
    };
    let mut findings = Findings::new();
    let mut reader = Reader::new(bounds, on_bad);
    for path in input::expand(&args.history, ENDINGS, &mut findings) {
        if let Some(stream) = input::open(&path, &mut findings) {
            read(&mut reader, stream, args.format, &mut findings)?;
        }
        if reader.is_full() {
            break;
        }
    }
    let full = reader.is_full();
    let (history, more) = reader.finish();
    findings.extend(more);
    if full {
        let help = "reading stopped after 20 bad records; --on-bad-record skip leaves them out";
        return Err(Refusal::findings(findings.sorted()).help(help).into());
    }
    load::refuse_errors(context.ui, findings)?;
    notes(context, &history)?;
    Ok(history)
}

/// What the report does not say of what was read.
fn notes(context: &mut Context<'_>, history: &History) -> Result<()> {
    if history.skipped > 0 {
        let left_out = match history.skipped {
            1 => "1 bad record was".to_owned(),
            several => format!("{several} bad records were"),
        };
        context.ui.note(&format!("warning: {left_out} left out"))?;
    }
    for passed in &history.passed_over {
        let words = if passed.count == 1 { passed.one } else { passed.several };
        let note = format!("note: passed over {} {words} in {}", passed.count, passed.name);
        context.ui.note(&note)?;
    }
    Ok(())
}

/// Reads one history, whatever it is.
fn read(
    reader: &mut Reader,
    mut stream: Stream,
    format: Format,
    findings: &mut Findings,
) -> Result<()> {
    let mut head = Vec::new();
    let format = match format.given() {
        Some(format) => format,
        None => match history::detect(&stream.name, &mut stream.bytes, &mut head) {
            Ok(format) => format,
            Err(error) => {
                findings.push(input::unreadable(stream.name.as_ref(), &error));
                return Ok(());
            }
        },
    };
    let mut stream = stream.preceded_by(head);
    match format {
        history::Format::Document => {
            if let Some(source) = stream.document(findings) {
                reader.text(&source);
            }
            Ok(())
        }
        history::Format::Lines => {
            read_lines(reader, &mut input::Lines::new(stream.name, stream.bytes))
        }
        history::Format::Of(program) => {
            let read = reader.source(program, &stream.name, &mut stream.bytes);
            if let Err(error) = read {
                findings.push(input::unreadable(stream.name.as_ref(), &error));
            }
            Ok(())
        }
    }
}

fn read_lines(reader: &mut Reader, lines: &mut input::Lines) -> Result<()> {
    let name = lines.name.clone();
    reader.begin_lines();
    loop {
        let next = lines.number + 1;
        match lines.read() {
            Ok(Line::End) => return Ok(()),
            Ok(Line::Text(number, text)) => reader.line(&name, number, text),
            Ok(Line::NotUtf8(number, bad)) => reader.not_utf8(&name, number, &bad.text, bad.at),
            Err(error) => {
                return Err(Refusal::input(format!(
                    "cannot read `{name}` from line {next} on: {error}"
                ))
                .into());
            }
        }
        if reader.is_full() {
            return Ok(());
        }
    }
}
