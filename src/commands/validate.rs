//! `validate`: the findings of documents.

use super::check::Checked;
use super::executor_config::ExecutorFiles;
use super::load;
use super::systems::SystemArgs;
use crate::cli::{Context, Exit, Output};
use crate::diag::{Diagnostic, DiagnosticCounts, DiagnosticItem, Findings};
use crate::document::join_templates;
use crate::report::{self, ValidateReport, ValidateSummary};
use crate::ui::{ErrorFormat, Ui};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  # Check a file
  armadactl validate -f policy.yaml

  # Check all files of a directory, and annotate a pull request
  armadactl validate -f policies/ --error-format github

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
pub struct ValidateArgs {
    /// Check these files or directories (`-` for stdin)
    #[arg(short = 'f', long = "filename", num_args = 1.., value_name = "FILE")]
    #[arg(required_unless_present = "executor_config")]
    files: Vec<PathBuf>,
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
    systems: SystemArgs,
}

/// Checks the files and prints the findings.
pub fn run(context: &mut Context<'_>, args: &ValidateArgs) -> Result<Exit> {
    let output =
        context.globals.output("validate", &[Output::Table, Output::Json, Output::Yaml])?;
    let mut findings = Findings::new();
    let checked = Checked::read(&args.files, &args.executor_config, &args.systems, &mut findings)?;
    load::note_ignored_documents(context.ui, &checked.documents)?;
    let items = join_templates(findings).sorted();
    let counts = DiagnosticCounts::of(&items);
    let summary = ValidateSummary {
        files: checked.files,
        documents: checked.document_count(),
        in_part: checked.in_part,
        errors: counts.errors,
        warnings: counts.warnings,
    };
    let in_part = summary.in_part;
    print(context, output, &items, summary)?;
    note_limits(context.ui, in_part)?;
    Ok(if counts.errors > 0 { Exit::Input } else { Exit::Done })
}

/// Prints the findings and the summary.
fn print(
    context: &mut Context<'_>,
    output: Output,
    items: &[Diagnostic],
    summary: ValidateSummary,
) -> Result<()> {
    match output {
        Output::Json | Output::Yaml => {
            let report =
                ValidateReport::new(items.iter().map(DiagnosticItem::from).collect(), summary);
            let text =
                if output == Output::Json { report::json(&report) } else { report::yaml(&report)? };
            context.ui.data(&text)?;
        }
        Output::Table | Output::Wide | Output::Name => {
            context.ui.findings(items)?;
            // The summary line is not JSON.
            let json = context.globals.error_format == Some(ErrorFormat::Json);
            if !context.globals.quiet && !json {
                context.ui.data(&format!("{summary}\n"))?;
            }
        }
    }
    Ok(())
}

/// Notes at the end which fields of Jobs and JobSets are not checked.
pub(super) fn note_limits(ui: &mut Ui, in_part: usize) -> Result<()> {
    if in_part > 0 {
        ui.flush()?;
        ui.note(
            "note: of Jobs and JobSets, only the fields that affect failures are checked; the API server may \
             refuse others",
        )?;
    }
    Ok(())
}
