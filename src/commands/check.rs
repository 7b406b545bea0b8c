//! The checks that `validate` and `lint` share, and the output of their findings.

use super::report_files::Reports;
use super::system_args::SystemArgs;
use super::test;
use crate::cli::{Context, Output};
use crate::findings::DiagnosticCounts;
use crate::project::{CheckFiles, CheckInputs, Manifests, PolicyScope, Project};
use crate::report::{self, CiReport, ValidateSummary};
use crate::ui::ErrorFormat;
use ::systems::armada::classifier::audit;
use ::systems::{Bounds, System, SystemName, engines, with_system};
use anyhow::Result;
use armada_retry::policy::{self, Documents, OtherDocument};
use cluster::read::{InputKind, check_inputs};
use document::Node;
use document::diag::{Diagnostic, Findings, Source};
use replay::history::OnBadRecord;
use replay::simulate::read_history;
use serde::Serialize;
use std::fmt::Display;
use std::sync::Arc;

/// Documents that were checked.
pub(super) struct Checked {
    /// The documents of the files.
    pub(super) documents: Documents,
    /// The number of files, configurations and histories included.
    files: usize,
    /// The number of histories, which were refused.
    histories: usize,
    /// Inputs of simulations, and configurations.
    inputs: usize,
    /// Jobs and JobSets, of which only some fields are checked.
    pub(super) manifests: usize,
    /// The lints' findings about the policies of systems other than Armada, apart from those of reading.
    pub(super) manifest_lints: Findings,
}

/// Checks the texts of a command's files; adds the findings of `validate`.
///
/// # Errors
///
/// If the flags contradict the documents.
pub(super) fn check(
    inputs: &CheckInputs<'_>,
    texts: &CheckFiles,
    (systems, bounds): (&SystemArgs, &Bounds),
    findings: &mut Findings,
) -> Result<Checked> {
    let (simulation_inputs, policies) = split_inputs(&texts.sources, findings);
    // Inputs of simulations and configurations need no policy beside them.
    let documents = if policies.is_empty() && (simulation_inputs > 0 || inputs.files.is_empty()) {
        Documents::default()
    } else {
        let scope = PolicyScope::AllSystems(inputs.selection.other_kinds());
        let project = Project::from_sources(&policies, scope, Findings::new());
        findings.extend(project.findings);
        project.documents
    };
    let (manifests, manifest_lints) = check_manifests(&documents, (systems, bounds), findings)?;
    // A configuration with which the executor would not start may assign any category.
    if texts.clusters.len() == inputs.executors.len() {
        findings.extend(audit(&texts.clusters, &documents.policies));
    }
    policy::warn_of_lists(&documents, findings);
    policy::warn_of_absent_limits(&documents, findings);
    policy::warn_of_second_policies(&documents, findings);
    for other in documents.others.iter().filter(|other| other.kind == "FailureHistory") {
        findings.extend(history(&documents, other));
    }
    findings.extend(test::validate_documents(&documents));
    let (files, histories) = (texts.names.len(), texts.history_count);
    let configs = inputs.configs().count() + usize::from(texts.scheduler.is_some());
    Ok(Checked {
        documents,
        files,
        histories,
        inputs: simulation_inputs + configs,
        manifests,
        manifest_lints,
    })
}

impl Checked {
    /// How much was checked, with these counts of findings. Skipped documents do not count.
    pub(super) fn summary(&self, counts: DiagnosticCounts) -> ValidateSummary {
        let skipped = self.documents.unread.len();
        ValidateSummary {
            files: self.files,
            documents: self.documents.document_count + self.inputs - skipped,
            in_part: self.manifests,
            skipped,
            histories: self.histories,
            errors: counts.errors,
            warnings: counts.warnings,
        }
    }
}

/// Writes the reports, and prints the findings and the summary unless a report goes to standard output.
///
/// `printed` are the findings that are printed as text, and lines after them.
pub(super) fn print_findings(
    context: &mut Context<'_>,
    output: Output,
    reports: &Reports,
    (reported, report, summary): (&CiReport<'_>, &impl Serialize, &impl Display),
    (printed, lines): (&[Diagnostic], &str),
) -> Result<()> {
    let written = reports.write(context.ui, reported);
    match output {
        _ if reports.has_stdout() => context.ui.note(&format!("note: {summary}"))?,
        Output::Json => context.ui.data(&reported.json)?,
        Output::Yaml => context.ui.data(&report::yaml(report)?)?,
        Output::Table | Output::Wide | Output::Csv | Output::Name => {
            context.ui.findings(printed)?;
            context.ui.data(lines)?;
            // The summary line is not JSON.
            let is_json = context.globals.error_format == Some(ErrorFormat::Json);
            if !context.globals.quiet && !is_json {
                context.ui.data(&format!("{summary}\n"))?;
            }
        }
    }
    written
}

/// Checks the policies of systems other than Armada; returns the number of those of Kubernetes, and the findings of lints.
fn check_manifests(
    documents: &Documents,
    (args, bounds): (&SystemArgs, &Bounds),
    findings: &mut Findings,
) -> Result<(usize, Findings)> {
    let of_kubernetes = documents.others.iter().filter_map(SystemName::from_document);
    let count = of_kubernetes.filter(|system| system.description().is_of_kubernetes()).count();
    let is_airflow = |system: SystemName| system == SystemName::Airflow;
    let has_airflow = documents.others.iter().filter_map(SystemName::from_document).any(is_airflow);
    if count == 0 && has_airflow {
        args.refuse_for::<engines::Airflow>(findings)?;
    } else if count == 0 {
        args.refuse(findings)?;
    }
    let (options, mut lints) = (args.options()?, Findings::new());
    for system in SystemName::all() {
        with_system!(system, Armada => {}, S => {
            let manifests = Manifests::<S>::read(documents, &options, findings);
            lints.extend(manifests.lint(documents, bounds));
        });
    }
    Ok((count, lints))
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

/// The findings of a history. Its system is that of the policies in the same files, if there is exactly
/// one, else the one whose fields it has.
fn history(documents: &Documents, other: &OtherDocument) -> Findings {
    let mut systems: Vec<SystemName> =
        documents.others.iter().filter_map(SystemName::from_document).collect();
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
