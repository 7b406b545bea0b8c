//! `validate`: the findings of documents.

use super::executor_config::{self, ExecutorFiles};
use super::file_selection::FileSelectionArgs;
use super::load;
use super::output_file::resolve_path;
use super::reports::{ReportArgs, Reports};
use super::systems::{self, SystemArgs};
use crate::cli::{Context, Exit, Output};
use crate::cluster::read::{InputKind, check_inputs};
use crate::diag::{Diagnostic, DiagnosticCounts, DiagnosticItem, Findings, Severity, Source};
use crate::document::Node;
use crate::history::OnBadRecord;
use crate::policy::{self, Documents, OtherDocument};
use crate::report::{self, Reported, ValidateReport, ValidateSummary};
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
    selection: FileSelectionArgs,
    #[command(flatten)]
    systems: SystemArgs,
    #[command(flatten)]
    reports: ReportArgs,
}

/// Checks the files, writes the reports and prints the findings.
pub fn run(context: &mut Context<'_>, args: &ValidateArgs) -> Result<Exit> {
    let output =
        context.globals.output("validate", &[Output::Table, Output::Json, Output::Yaml])?;
    executor_config::refuse_repeated(&args.executor_config)?;
    let configs = || args.executor_config.iter().flat_map(|files| &files.files);
    load::refuse_second_stdin(args.files.iter().chain(configs()))?;
    let reports = args.reports.begin(|file| {
        args.selection.reads(&args.files, file)
            || configs().any(|config| resolve_path(config) == file)
    })?;
    let mut findings = Findings::new();
    let sources = args.selection.sources(&args.files, &mut findings);
    let checked = check(args, &sources, &mut findings)?;
    load::note_ignored_documents(context.ui, &checked.documents)?;
    let items = load::name_templates(findings).sorted();
    let counts = DiagnosticCounts::of(&items);
    let skipped = checked.documents.unread.len();
    let summary = ValidateSummary {
        files: sources.len() + configs().count(),
        documents: checked.documents.document_count + checked.inputs + configs().count() - skipped,
        in_part: checked.manifests,
        skipped,
        errors: counts.errors,
        warnings: counts.warnings,
    };
    let names = sources.iter().map(|source| source.name().to_owned());
    let names: Vec<String> =
        names.chain(configs().map(|path| path.display().to_string())).collect();
    print(context, output, &reports, &items, &names, summary)?;
    note_limits(context.ui, summary.in_part)?;
    Ok(if counts.errors > 0 { Exit::Input } else { Exit::Done })
}

/// What was checked.
struct Checked {
    documents: Documents,
    /// The number of inputs of simulations.
    inputs: usize,
    /// The number of Jobs and JobSets.
    manifests: usize,
}

/// Checks the texts and the configurations of executors, and adds the findings.
fn check(args: &ValidateArgs, sources: &[Arc<Source>], findings: &mut Findings) -> Result<Checked> {
    let (inputs, others) = split_inputs(sources, findings);
    let clusters = executor_config::read_clusters(&args.executor_config, findings);
    // Inputs of simulations and configurations need no policy beside them.
    let (documents, more) = match others.as_slice() {
        [] if inputs > 0 || args.files.is_empty() => Default::default(),
        _ => policy::read_selected(&others, foreign_kinds(), args.selection.other_kinds()),
    };
    findings.extend(more);
    load::find_templates(&documents, findings);
    systems::refuse_unknown_profiles(&documents, findings);
    let systems_of_manifests = || documents.others.iter().filter_map(SystemName::of_document);
    let manifests =
        systems_of_manifests().filter(|system| system.description().is_of_kubernetes()).count();
    if manifests == 0 {
        args.systems.refuse(findings)?;
    }
    let options = args.systems.options();
    for system in SystemName::all() {
        with_system!(system, Armada => {}, S => {
            systems::read::<S>(&documents, &options, findings);
        });
    }
    // A configuration with which the executor would not start may assign any category.
    if clusters.len() == args.executor_config.len() {
        findings.extend(audit(&clusters, &documents.policies));
    }
    policy::refuse_lists(&documents, findings);
    policy::warn_of_absent_limits(&documents, findings);
    policy::warn_of_second_policies(&documents, findings);
    for other in documents.others.iter().filter(|other| other.kind == "FailureHistory") {
        findings.extend(history(&documents, other));
    }
    Ok(Checked { documents, inputs, manifests })
}

/// Writes the reports, and prints the findings and the summary unless a report goes to standard output.
fn print(
    context: &mut Context<'_>,
    output: Output,
    reports: &Reports<'_>,
    items: &[Diagnostic],
    files: &[String],
    summary: ValidateSummary,
) -> Result<()> {
    let report = ValidateReport::new(items.iter().map(DiagnosticItem::from).collect(), summary);
    let json = report::json(&report);
    let written = reports.write(
        context.ui,
        &Reported {
            command: "validate",
            findings: items,
            tests: &[],
            files,
            json: json.clone(),
            fail_on: Severity::Error,
        },
    );
    match output {
        _ if reports.has_stdout() => context.ui.note(&format!("note: {summary}"))?,
        Output::Json => context.ui.data(&json)?,
        Output::Yaml => context.ui.data(&report::yaml(&report)?)?,
        Output::Table | Output::Wide | Output::Name => {
            context.ui.findings(items)?;
            // The summary line is not JSON.
            let is_json = context.globals.error_format == Some(ErrorFormat::Json);
            if !context.globals.quiet && !is_json {
                context.ui.data(&format!("{summary}\n"))?;
            }
        }
    }
    written
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
