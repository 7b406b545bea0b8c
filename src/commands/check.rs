//! The checks that `validate` and `lint` share: all documents of some files, with all findings about them.

use super::executor_config::{self, ExecutorFiles};
use super::load;
use super::systems::{self, SystemArgs};
use crate::cluster::read::{InputKind, check_inputs};
use crate::diag::{Findings, Source};
use crate::document::Node;
use crate::history::OnBadRecord;
use crate::policy::{self, Documents, OtherDocument};
use crate::simulate::read_history;
use crate::systems::armada::classifier::audit;
use crate::systems::{Options, System, SystemName, foreign_kinds, with_system};
use anyhow::Result;
use std::path::PathBuf;
use std::sync::Arc;

/// Documents that were checked.
pub(super) struct Checked {
    /// The documents of the files.
    pub(super) documents: Documents,
    /// The texts of the files.
    pub(super) sources: Vec<Arc<Source>>,
    /// The number of files.
    pub(super) files: usize,
    /// Inputs of simulations, and configurations of executors.
    inputs: usize,
    /// Jobs and JobSets, of which only some fields are checked.
    pub(super) in_part: usize,
}

impl Checked {
    /// Reads and checks all files.
    ///
    /// # Errors
    ///
    /// If the flags contradict each other or the documents.
    pub(super) fn read(
        files: &[PathBuf],
        executors: &[ExecutorFiles],
        systems: &SystemArgs,
        findings: &mut Findings,
    ) -> Result<Self> {
        executor_config::refuse_repeated(executors)?;
        load::refuse_second_stdin(
            files.iter().chain(executors.iter().flat_map(|files| &files.files)),
        )?;
        let sources = load::sources(files, findings);
        let (inputs, others) = split_inputs(&sources, findings);
        let clusters = executor_config::read_clusters(executors, findings);
        let configs = executors.iter().map(|files| files.files.len()).sum::<usize>();
        // Inputs of simulations and configurations need no policy beside them.
        let (documents, more) = match others.as_slice() {
            [] if inputs > 0 || files.is_empty() => Default::default(),
            _ => policy::read_with_foreign(&others, foreign_kinds()),
        };
        findings.extend(more);
        let in_part = check_manifests(&documents, systems, findings)?;
        // A configuration with which the executor would not start may assign any category.
        if clusters.len() == executors.len() {
            findings.extend(audit(&clusters, &documents.policies));
        }
        policy::refuse_lists(&documents, findings);
        policy::warn_of_absent_limits(&documents, findings);
        policy::warn_of_second_policies(&documents, findings);
        for other in documents.others.iter().filter(|other| other.kind == "FailureHistory") {
            findings.extend(history(&documents, other));
        }
        let files = sources.len() + configs;
        Ok(Self { documents, sources, files, inputs: inputs + configs, in_part })
    }

    /// The number of documents; those of other kinds in directories do not count.
    pub(super) fn document_count(&self) -> usize {
        let ignored = self.documents.unread.iter().filter(|(_, place)| place.source.is_in_walk());
        self.documents.document_count + self.inputs - ignored.count()
    }

    /// The lints' findings about the policies of systems other than Armada.
    pub(super) fn lint_manifests(&self, options: &Options) -> Findings {
        let mut findings = Findings::new();
        for system in SystemName::all() {
            with_system!(system, Armada => {}, S => {
                // The findings of reading have been reported.
                let manifests = systems::read::<S>(&self.documents, options, &mut Findings::new());
                findings.extend(manifests.lint(&self.documents));
            });
        }
        findings
    }
}

/// Checks the policies of systems other than Armada; returns the number of those of Kubernetes.
fn check_manifests(
    documents: &Documents,
    args: &SystemArgs,
    findings: &mut Findings,
) -> Result<usize> {
    systems::refuse_unknown_profiles(documents, findings);
    let of_kubernetes = documents.others.iter().filter_map(SystemName::of_document);
    let count = of_kubernetes.filter(|system| system.description().is_of_kubernetes()).count();
    if count == 0 {
        args.refuse(findings)?;
    }
    let options = args.options();
    for system in SystemName::all() {
        with_system!(system, Armada => {}, S => {
            systems::read::<S>(documents, &options, findings);
        });
    }
    Ok(count)
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
