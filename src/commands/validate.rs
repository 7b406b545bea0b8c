//! `validate`: is it a policy?

use super::systems::{self, SystemArgs, Whose};
use super::{Context, load};
use crate::cli::{Exit, Output};
use crate::cluster::read::{InputKind, check_inputs};
use crate::diag::{DiagnosticItem, Findings, Source, Tally};
use crate::document::{Node, join_templates};
use crate::history::{GraceBounds, MemberReader, OnBadRecord, Reader};
use crate::policy::{self, Documents, Other, SchedulerSettings};
use crate::report::{self, ValidateReport, ValidateSummary};
use crate::systems::{MANIFESTS, System};
use crate::ui::{ErrorFormat, Ui};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;

/// Check documents and report every mistake with its place
///
/// RetryPolicy, Queue and `FailureHistory` documents are checked, offline, all mistakes of all files
/// in one run. For `v1beta1` it refuses everything that Armada's server refuses. Of JobSets and Jobs
/// only the fields that concern failures are checked, for which it refuses what their API servers
/// refuse; histories beside them are checked as theirs. A RetryProfile is checked as its system reads it, with a
/// warning where a field does something else than it seems to say. Cluster and workload files of
/// Armada's simulator and scheduler configurations are known by their top-level keys `clusters`,
/// `queues` and `scheduling`. If there is one configuration, the classes, resources and labels of
/// the other two are looked up in it.
///
/// Exits 3 if a document has an error; warnings alone exit 0.
#[derive(Debug, Args)]
pub struct ValidateArgs {
    /// Check these files or directories (`-` for stdin)
    #[arg(short = 'f', long = "filename", required = true, num_args = 1.., value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    systems: SystemArgs,
}

/// Checks the files and prints the findings.
pub fn run(context: &mut Context<'_>, args: &ValidateArgs) -> Result<Exit> {
    let output =
        context.globals.output("validate", &[Output::Table, Output::Json, Output::Yaml])?;
    let mut findings = Findings::new();
    let sources = load::sources(&args.files, &mut findings);
    let (inputs, others) = split_inputs(&sources, &mut findings);
    // Without any other file there is nothing left in which a policy could be missing.
    let (documents, more) = match others.as_slice() {
        [] if inputs > 0 => Default::default(),
        _ => policy::read_among(&others, MANIFESTS),
    };
    findings.extend(more);
    systems::refuse_nobodys(&documents, &mut findings);
    let held = || documents.others.iter().filter_map(Whose::of);
    if !held().any(Whose::is_of_kubernetes) {
        args.systems.refuse(&findings)?;
    }
    let options = args.systems.options();
    for whose in Whose::ALL {
        systems::by_system!(whose, Armada => {}, S => {
            systems::read::<S>(&documents, &options, &mut findings);
        });
    }
    policy::refuse_lists(&documents, &mut findings);
    policy::warn_of_absent_limits(&documents, &mut findings);
    policy::warn_of_second_policies(&documents, &mut findings);
    for other in documents.others.iter().filter(|other| other.kind == "FailureHistory") {
        findings.extend(history(&documents, other));
    }
    load::passed_over(context.ui, &documents)?;
    let items = join_templates(findings).sorted();
    let tally = Tally::of(&items);
    let summary = ValidateSummary {
        files: sources.len(),
        documents: documents.seen + inputs - found_beside(&documents),
        in_part: held().filter(|whose| whose.is_of_kubernetes()).count(),
        errors: tally.errors,
        warnings: tally.warnings,
    };
    match output {
        Output::Json | Output::Yaml => {
            let report =
                ValidateReport::new(items.iter().map(DiagnosticItem::from).collect(), summary);
            let text =
                if output == Output::Json { report::json(&report) } else { report::yaml(&report)? };
            context.ui.data(&text)?;
        }
        Output::Table | Output::Wide | Output::Name => {
            context.ui.findings(&items)?;
            // A line of words would not be JSON.
            let json = context.globals.error_format == Some(ErrorFormat::Json);
            if !context.globals.quiet && !json {
                context.ui.data(&format!("{summary}\n"))?;
            }
        }
    }
    note_limits(context.ui, summary.in_part)?;
    Ok(if tally.errors > 0 { Exit::Input } else { Exit::Done })
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
fn found_beside(documents: &Documents) -> usize {
    documents.passed_over.iter().filter(|(_, place)| place.source.is_in_walk()).count()
}

/// Notes, after everything else, what of Jobs and JobSets is not checked.
fn note_limits(ui: &mut Ui, in_part: usize) -> Result<()> {
    if in_part > 0 {
        ui.flush()?;
        ui.note(
            "note: of Jobs and JobSets only the fields that concern failures are checked; \
             the API server may refuse others",
        )?;
    }
    Ok(())
}

/// What is wrong with a history: one of the only system whose policies stand beside it, else of the
/// system whose fields it has.
fn history(documents: &Documents, other: &Other) -> Findings {
    let mut whose: Vec<Whose> = documents.others.iter().filter_map(Whose::of).collect();
    whose.dedup();
    let whose = match whose.as_slice() {
        [one] if documents.policies.is_empty() => *one,
        _ => told_by(&other.document.root),
    };
    systems::by_system!(whose, Armada => armadas(other), S => members::<S>(other))
}

fn armadas(other: &Other) -> Findings {
    let bounds = GraceBounds::from(&SchedulerSettings::default());
    let mut reader = Reader::new(bounds, OnBadRecord::ErrorToTheEnd);
    reader.document(&other.document);
    reader.finish().1
}

/// Whose fields the runs of a history have, where no policy says whose history it is.
fn told_by(root: &Node) -> Whose {
    let jobs = root.at(&["spec", "jobs"]).map(Node::items).unwrap_or_default();
    let has = |key: &str| {
        jobs.iter().any(|job| {
            let runs = job.get("runs").map(Node::items).unwrap_or_default();
            job.get(key).is_some() || runs.iter().any(|run| run.get(key).is_some())
        })
    };
    if has("jobName") {
        return Whose::JobSet;
    }
    if ["podIndex", "podConditions", "podName", "restarts"].into_iter().any(has) {
        return Whose::Job;
    }
    if ["task", "phase"].into_iter().any(has) {
        return Whose::Iris;
    }
    if ["sessionId", "retryCount", "cause"].into_iter().any(has) {
        return Whose::BackendAi;
    }
    if ["dagId", "taskId", "logicalDate", "tryNumber"].into_iter().any(has) {
        return Whose::Airflow;
    }
    Whose::Armada
}

fn members<S: System>(other: &Other) -> Findings {
    let mut reader = MemberReader::<S::Own>::new(OnBadRecord::ErrorToTheEnd);
    reader.document(&other.document);
    reader.finish().1
}
