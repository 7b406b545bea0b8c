//! `validate`: the findings of documents.

use super::check::{self, print_findings};
use super::input_files::{ARGUMENTS, InputFiles};
use super::report_files::{ReportArgs, Reports};
use super::system_args::SystemArgs;
use crate::cli::{Context, Exit, Output};
use crate::findings::{DiagnosticCounts, DiagnosticItem};
use crate::project::{self, CheckInputs, ExecutorFiles, FileSelectionArgs};
use crate::report::{self, CiReport, ValidateReport};
use crate::ui::Ui;
use ::systems::Bounds;
use anyhow::Result;
use clap::Args;
use document::diag::{Findings, Severity};

const EXAMPLES: &str = "\
Examples:
  # Check a file
  armadactl validate -f policy.yaml

  # Check all files of a directory, and annotate a pull request
  armadactl validate -f policies/ --error-format github

  # Check a repository, with reports for GitHub's code scanning and for Jenkins
  armadactl validate -f . --exclude charts/ \\
    --report sarif=armadactl.sarif --report junit=junit.xml

  # Check policies against the categories of Armada's executor
  armadactl validate -f policies/ --executor-config executor.yaml

  # Check a cluster and its workload with the scheduler's configuration
  armadactl validate -f cluster.yaml workload.yaml scheduler.yaml";

const EXITS: &str = "\
Exit codes:
  0  no errors; there may be warnings
  2  invalid command line
  3  a document has an error";

/// Check documents and report every mistake with its place
///
/// All mistakes of all files are reported in one run, without a server. Checked are:
///
/// RetryPolicy, Queue and `FailureHistory` documents: every `v1beta1` document that Armada's server
/// refuses is an error.
///
/// Jobs and JobSets: the fields that concern failures, as their API servers check them, and the
/// histories in the same files.
///
/// `RetryPolicyTest` documents: as `test` reads them with the policies that they name, without running them.
///
/// RetryProfiles: as their systems read them, with a warning for fields whose effect differs from
/// their name.
///
/// Configurations of Armada's executors: what stops them at startup, in their words.
///
/// Cluster files, workload files and scheduler configurations of Armada's simulator, by their
/// top-level keys `clusters`, `queues` and `scheduling`. With one configuration, the priority classes,
/// resources and labels of the other two are looked up in it.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
#[command(mut_arg(ARGUMENTS, |arg| {
    let arg = arg.help("Check these files or directories (`-` for stdin)");
    arg.required_unless_present("executor_config")
}))]
pub struct ValidateArgs {
    #[command(flatten)]
    files: InputFiles,
    /// Check the configuration files of Armada's executors (repeatable)
    ///
    /// One value for each cluster: its files, merged in order as the executor merges them, with the
    /// name of the cluster before them if there are several. Reported is what the executor refuses at
    /// startup, and what it accepts without the effect that its author probably meant. With policies
    /// also: categories that no executor reports, reported ones that no rule handles, and retries of
    /// pods that are not deleted.
    #[arg(long, value_name = "[CLUSTER=]FILE[,FILE..]")]
    executor_config: Vec<ExecutorFiles>,
    #[command(flatten)]
    selection: FileSelectionArgs,
    #[command(flatten)]
    systems: SystemArgs,
    #[command(flatten)]
    reports: ReportArgs,
}

/// Checks the files, writes the reports and prints the findings.
pub fn run(context: &mut Context<'_>, args: &ValidateArgs) -> Result<Exit> {
    args.reports.begin("validate").run(context, |context, reports| check(context, args, reports))
}

fn check(context: &mut Context<'_>, args: &ValidateArgs, reports: &Reports) -> Result<Exit> {
    let output =
        context.globals.output("validate", &[Output::Table, Output::Json, Output::Yaml])?;
    let inputs = CheckInputs {
        files: &args.files,
        executors: &args.executor_config,
        scheduler: None,
        selection: &args.selection,
        others: Vec::new(),
    };
    inputs.refuse_second_stdin()?;
    reports.refuse_inputs(|file| inputs.reads(file))?;
    let mut findings = Findings::new();
    let texts = inputs.read(&mut findings)?;
    let checked =
        check::check(&inputs, &texts, (&args.systems, &Bounds::default()), &mut findings)?;
    project::note_ignored_documents(context.ui, &checked.documents.unread)?;
    let items = project::name_templates(findings).sorted();
    let counts = DiagnosticCounts::of(&items);
    let summary = checked.summary(counts);
    let report = ValidateReport::new(items.iter().map(DiagnosticItem::from).collect(), summary);
    let reported = CiReport {
        command: "validate",
        findings: &items,
        tests: &[],
        covered: &[],
        coverage: None,
        comparison: None,
        files: &texts.names,
        json: report::json(&report),
        fail_on: Severity::Error,
    };
    print_findings(
        context,
        output,
        reports,
        (&reported, &report, &summary),
        (reported.findings, ""),
    )?;
    note_limits(context.ui, summary.in_part)?;
    Ok(if counts.errors > 0 { Exit::Input } else { Exit::Done })
}

/// Notes at the end which fields of manifests of Kubernetes are not checked.
pub(super) fn note_limits(ui: &mut Ui, in_part: usize) -> Result<()> {
    if in_part > 0 {
        // On a terminal the note on stderr is then below the report on stdout.
        ui.flush()?;
        ui.note(
            "note: of manifests of Kubernetes, only the fields that affect failures are checked; the API server may \
             refuse others",
        )?;
    }
    Ok(())
}
