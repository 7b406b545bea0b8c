//! `validate`: the findings of documents.

use super::executor_config::{self, ExecutorFiles};
use super::load;
use super::systems::{self, SystemArgs};
use super::test;
use crate::cli::{Context, Exit, Output};
use crate::cluster::read::{InputKind, check_inputs};
use crate::diag::{Diagnostic, DiagnosticCounts, DiagnosticItem, Findings, Source};
use crate::document::{Node, join_templates};
use crate::history::OnBadRecord;
use crate::policy::{self, Documents, OtherDocument};
use crate::report::{self, ValidateReport, ValidateSummary};
use crate::simulate::read_history;
use crate::systems::armada::classifier::audit;
use crate::systems::{System, SystemName, foreign_kinds, with_system};
use crate::ui::{ErrorFormat, Ui};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;

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
    executor_config::refuse_repeated(&args.executor_config)?;
    load::refuse_second_stdin(
        args.files.iter().chain(args.executor_config.iter().flat_map(|files| &files.files)),
    )?;
    let mut findings = Findings::new();
    let sources = load::sources(&args.files, &mut findings);
    let (inputs, others) = split_inputs(&sources, &mut findings);
    let clusters = executor_config::read_clusters(&args.executor_config, &mut findings);
    let configs = args.executor_config.iter().map(|files| files.files.len()).sum::<usize>();
    // Inputs of simulations and configurations need no policy beside them.
    let (documents, more) = match others.as_slice() {
        [] if inputs > 0 || args.files.is_empty() => Default::default(),
        _ => policy::read_with_foreign(&others, foreign_kinds()),
    };
    findings.extend(more);
    systems::refuse_unknown_profiles(&documents, &mut findings);
    let systems_of_manifests = || documents.others.iter().filter_map(SystemName::of_document);
    let manifests =
        systems_of_manifests().filter(|system| system.description().is_of_kubernetes()).count();
    if manifests == 0 {
        args.systems.refuse(&findings)?;
    }
    let options = args.systems.options();
    for system in SystemName::all() {
        with_system!(system, Armada => {}, S => {
            systems::read::<S>(&documents, &options, &mut findings);
        });
    }
    // A configuration with which the executor would not start may assign any category.
    if clusters.len() == args.executor_config.len() {
        findings.extend(audit(&clusters, &documents.policies));
    }
    policy::refuse_lists(&documents, &mut findings);
    policy::warn_of_absent_limits(&documents, &mut findings);
    policy::warn_of_second_policies(&documents, &mut findings);
    for other in documents.others.iter().filter(|other| other.kind == "FailureHistory") {
        findings.extend(history(&documents, other));
    }
    findings.extend(test::validate_documents(&documents));
    load::note_ignored_documents(context.ui, &documents)?;
    let items = join_templates(findings).sorted();
    let counts = DiagnosticCounts::of(&items);
    let summary = ValidateSummary {
        files: sources.len() + configs,
        documents: documents.document_count + inputs + configs
            - count_ignored_in_directories(&documents),
        in_part: manifests,
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

/// Checks the inputs of simulations; returns their number, and the other sources.
fn split_inputs(sources: &[Arc<Source>], findings: &mut Findings) -> (usize, Vec<Arc<Source>>) {
    let (mut inputs, mut others) = (Vec::new(), Vec::new());
    for source in sources {
        match InputKind::of_source(source) {
            Some(kind) => inputs.push((kind, Arc::clone(source))),
            None => others.push(Arc::clone(source)),
        }
    }
    findings.extend(check_inputs(&inputs));
    (inputs.len(), others)
}

/// How many documents of other kinds a directory holds beside those that are checked.
fn count_ignored_in_directories(documents: &Documents) -> usize {
    documents.unread.iter().filter(|(_, place)| place.source.is_in_walk()).count()
}

/// Notes at the end which fields of Jobs and JobSets are not checked.
fn note_limits(ui: &mut Ui, in_part: usize) -> Result<()> {
    if in_part > 0 {
        ui.flush()?;
        ui.note(
            "note: of Jobs and JobSets, only the fields that affect failures are checked; the API server may \
             refuse others",
        )?;
    }
    Ok(())
}

/// The findings of a history. Its system is that of the policies in the same files, if there is exactly
/// one, else the one whose fields it has.
fn history(documents: &Documents, other: &OtherDocument) -> Findings {
    let mut systems: Vec<SystemName> =
        documents.others.iter().filter_map(SystemName::of_document).collect();
    systems.dedup();
    let system = match systems.as_slice() {
        [one] if documents.policies.is_empty() => *one,
        _ => system_by_fields(&other.document.root),
    };
    with_system!(system, S => history_of::<S>(other))
}

fn history_of<S: System>(other: &OtherDocument) -> Findings {
    let (history, mut findings) =
        read_history::<S>(S::default_limits(), OnBadRecord::ErrorToTheEnd, |stream| {
            stream.document(&other.document);
        });
    findings.extend(S::check_members(&history.members));
    findings
}

/// The system whose fields the runs of a history have.
fn system_by_fields(root: &Node) -> SystemName {
    let jobs = root.at(&["spec", "jobs"]).map(Node::items).unwrap_or_default();
    let has = |key: &&str| {
        jobs.iter().any(|job| {
            let runs = job.get("runs").map(Node::items).unwrap_or_default();
            job.get(key).is_some() || runs.iter().any(|run| run.get(key).is_some())
        })
    };
    // Records of later systems may have the fields of earlier ones too.
    let found =
        SystemName::all().rev().find(|system| system.description().history_fields.iter().any(has));
    found.unwrap_or(SystemName::Armada)
}
