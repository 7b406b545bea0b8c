//! `lint`: the findings of `validate`, and findings about policies that are valid and probably not what was intended.

mod filter;

use super::check::{Checked, Inputs, print_findings};
use super::executor_config::ExecutorFiles;
use super::file_selection::FileSelectionArgs;
use super::policy_set::{MissingName, PolicySetArgs};
use super::reports::ReportArgs;
use super::systems::SystemArgs;
use super::{load, simulate, validate};
use crate::analysis::lint::{Bounds, LintInput, SchedulerConfig, lint};
use crate::cli::{Context, Exit, Output, Refusal};
use crate::diag::{Diagnostic, DiagnosticCounts, DiagnosticItem, Findings, Severity};
use crate::document::{Document, Limits, parse};
use crate::input;
use crate::policy::{self, SchedulerSettings};
use crate::report::{self, LintReport, LintSummary, Reported};
use crate::simulate::SimulationReport;
use anyhow::Result;
use clap::{Args, ValueEnum};
use filter::{CodeFilter, Filter};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  # Lint the policies and queues of a directory
  armadactl lint -f policies/

  # Compare them with the scheduler's limits and the executor's categories too
  armadactl lint -f policies/ --scheduler-config scheduler.yaml --executor-config executor.yaml

  # Find rules that a month of failures never matched, and retries that never helped
  armadactl lint -f policies/ --against failures.jsonl

  # Explain a finding
  armadactl explain RP101";

const EXITS: &str = "\
Exit codes:
  0  no finding at or above --fail-on
  1  a finding at or above --fail-on
  2  invalid command line
  3  a document has an error";

/// Report policies that are valid but probably wrong
///
/// Reported are all findings of `validate`, and those of the lints: rules that never decide, limits that are
/// never reached, retries of failures that no retry helps. Each finding has an id; `armadactl explain ID`
/// prints what it means, why it matters and what to write instead.
///
/// Some lints compare several files: policies with the Queue documents that use them, with the
/// scheduler's configuration, with the executor's categories, or with recorded failures.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
pub struct LintArgs {
    /// Lint these files or directories (`-` for stdin)
    #[arg(short = 'f', long = "filename", required = true, num_args = 1.., value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Compare limits and defaults with this scheduler configuration file
    #[arg(long, value_name = "FILE")]
    scheduler_config: Option<PathBuf>,
    /// Compare categories with the configuration files of Armada's executors (repeatable)
    ///
    /// One value for each cluster: its files, merged in order as the executor merges them, with the
    /// name of the cluster before them if there are several.
    #[arg(long, value_name = "[CLUSTER=]FILE[,FILE..]")]
    executor_config: Vec<ExecutorFiles>,
    /// Evaluate these policies together, in order, for every queue
    ///
    /// Default: the lists of the Queue documents.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    queue_policies: Option<Vec<String>>,
    /// Replay these histories, and report rules without failures and retries without success
    ///
    /// Files, directories, patterns or `-` for stdin, as `simulate --history` takes them.
    #[arg(long, num_args = 1.., value_name = "HISTORY")]
    against: Vec<PathBuf>,
    /// Exit 1 if there is a finding of this severity or a worse one [default: warning]
    #[arg(long, value_enum, value_name = "SEVERITY")]
    fail_on: Option<FailOn>,
    /// Report only these findings: ids or their beginnings, such as RP101,RP11
    ///
    /// Errors of documents are always reported.
    #[arg(long, value_delimiter = ',', value_name = "IDS")]
    select: Vec<CodeFilter>,
    /// Leave these findings out: ids or their beginnings
    #[arg(long, value_delimiter = ',', value_name = "IDS")]
    ignore: Vec<CodeFilter>,
    #[command(flatten)]
    selection: FileSelectionArgs,
    #[command(flatten)]
    systems: SystemArgs,
    #[command(flatten)]
    reports: ReportArgs,
}

/// The severity from which findings make the exit code 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Errors only
    Error,
    /// Warnings and errors
    Warning,
    /// All findings
    Info,
}

impl FailOn {
    fn severity(self) -> Severity {
        match self {
            Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Info => Severity::Info,
        }
    }
}

/// Lints the files, writes the reports and prints the findings.
pub fn run(context: &mut Context<'_>, args: &LintArgs) -> Result<Exit> {
    let output = context.globals.output("lint", &[Output::Table, Output::Json, Output::Yaml])?;
    let others: Vec<PathBuf> = args.against.iter().chain(&args.scheduler_config).cloned().collect();
    let inputs = Inputs {
        files: &args.files,
        executors: &args.executor_config,
        selection: &args.selection,
        systems: &args.systems,
        others: &others,
    };
    inputs.refuse_second_stdin()?;
    let reports = args.reports.begin(|file| inputs.reads(file))?;
    let mut findings = Findings::new();
    let scheduler = args.scheduler_config.as_deref();
    let scheduler = scheduler.and_then(|path| read_scheduler(path, &mut findings));
    let checked = inputs.check(&mut findings)?;
    let replayed = replay(context, args, &checked, findings.has_errors())?;
    let filter = Filter::new(&args.select, &args.ignore);
    let input = LintInput {
        documents: &checked.documents,
        scheduler: scheduler
            .as_ref()
            .map(|(settings, document)| SchedulerConfig { settings, document }),
        has_executors: !args.executor_config.is_empty(),
        queue_policies: args.queue_policies.as_deref(),
        history: replayed.as_ref().map(|report| &report.summary),
        bounds: Bounds::default(),
    };
    findings.extend(lint(&input, |code| filter.is_active(code)));
    findings.extend(checked.lint_manifests(&args.systems.options()));
    load::note_ignored_documents(context.ui, &checked.documents)?;
    let items = filter.apply(load::name_templates(findings).sorted());
    let counts = DiagnosticCounts::of(&items);
    let mut files = checked.files.clone();
    files.extend(args.scheduler_config.iter().map(|path| path.display().to_string()));
    let mut summary = checked.summary(counts);
    summary.files = files.len();
    summary.documents += usize::from(scheduler.is_some());
    let summary = LintSummary { checked: summary, infos: counts.infos };
    let report = LintReport::new(items.iter().map(DiagnosticItem::from).collect(), summary);
    let fail_on = args.fail_on.map_or(Severity::Warning, FailOn::severity);
    let reported = Reported {
        command: "lint",
        findings: &items,
        tests: &[],
        files: &files,
        json: report::json(&report),
        fail_on,
    };
    print_findings(context, output, &reports, (&reported, &report, &summary))?;
    validate::note_limits(context.ui, checked.manifests)?;
    Ok(exit(fail_on, &items))
}

/// The exit code: 3 if a document has an error, 1 if there is a finding at or above the level.
fn exit(fail_on: Severity, items: &[Diagnostic]) -> Exit {
    if items.iter().any(|item| item.severity == Severity::Error && item.code.is_about_documents()) {
        Exit::Input
    } else if items.iter().any(|item| item.severity <= fail_on) {
        Exit::No
    } else {
        Exit::Done
    }
}

/// The settings of a scheduler configuration and its document; `None` if it has errors, which are added.
fn read_scheduler(path: &Path, findings: &mut Findings) -> Option<(SchedulerSettings, Document)> {
    let source = input::read_text(path, Limits::POLICY, findings)?;
    let (settings, more) = policy::read_scheduler_config(&source);
    findings.extend(more);
    // The first reading has reported what is wrong.
    let (mut documents, _) = parse(&source, Limits::POLICY);
    let document = documents.drain(..).next()?;
    Some((settings?, document))
}

/// The replay of `--against`; `None` without the flag, or if documents have errors.
fn replay(
    context: &mut Context<'_>,
    args: &LintArgs,
    checked: &Checked,
    has_errors: bool,
) -> Result<Option<SimulationReport>> {
    if args.against.is_empty() || has_errors {
        return Ok(None);
    }
    if checked.documents.policies.is_empty() {
        let message = "`--against` applies to Armada's policies, but the files contain none";
        return Err(Refusal::usage(message).into());
    }
    let policies = PolicySetArgs {
        files: args.files.clone(),
        queue_policies: args.queue_policies.clone(),
        scheduler_config: args.scheduler_config.clone(),
        engine: None,
        missing_policy: MissingName::Error,
    };
    let (executors, history) = (args.executor_config.clone(), args.against.clone());
    let documents = checked.documents.clone();
    simulate::replay_histories(context, policies, executors, history, documents).map(Some)
}
