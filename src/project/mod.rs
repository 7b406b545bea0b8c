//! Policies, queues, manifests and configurations of commands: files are read into typed documents with findings.
//!
//! A command names paths; [`Project`] has the policies and queues in them, [`Manifests`] those of a system.
//! `validate`, `lint` and `fmt`, which take inputs of simulations and configurations too, read [`CheckFiles`] first.
//! Histories, test documents and the files of simulated clusters are read by their commands.

mod check_files;
mod executors;
mod files;
mod manifests;
mod misplaced;
mod repository;
mod selection;
mod skipped;

pub use check_files::{CheckFiles, CheckInputs};
pub use executors::{ExecutorFiles, read_executor, read_executors, scheduler_settings};
pub use files::{policy_files, refuse_second_stdin};
pub use manifests::{Manifests, UnsetLimit};
pub use misplaced::{other_kind_of_input, read_input};
pub use repository::{RepositoryConfig, read_repository_config};
pub use selection::{ExcludeArgs, FileSelectionArgs};
pub use skipped::{note_ignored_documents, note_other_documents, other_documents};

use crate::cli::Refusal;
use crate::input::Exclusions;
use crate::ui::Ui;
use anyhow::Result;
use armada_retry::policy::{self, Documents, OtherKinds};
use document::diag::{Code, Diagnostic, Findings, Place, Source};
use document::{Document, join_templates, unrendered};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use systems::{SystemName, foreign_kinds, profile, refuse_unknown_profile};

/// The policies and queues of some files.
#[derive(Debug)]
pub struct Project {
    /// The documents.
    pub documents: Documents,
    /// The system of the first policy, for commands that take one system; Armada if there are none.
    pub system: SystemName,
    /// The errors and warnings of reading them.
    pub findings: Findings,
}

/// The policies that a command takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyScope {
    /// Those of Armada; manifests of other systems are unknown documents.
    Armada,
    /// Those of one system; a second system is an error, and so are histories without a policy.
    OneSystem,
    /// Those of all systems.
    AllSystems(OtherKinds),
}

impl Project {
    /// Reads files. Histories and inputs of simulations that are named are errors.
    pub fn read(paths: &[PathBuf], scope: PolicyScope) -> Self {
        Self::read_selected(paths, &Exclusions::default(), scope)
    }

    /// Reads files. `exclusions` leave out files of directories.
    pub fn read_selected(paths: &[PathBuf], exclusions: &Exclusions, scope: PolicyScope) -> Self {
        let mut findings = Findings::new();
        let sources = files::policy_texts(paths, exclusions, &mut findings);
        Self::from_sources(&sources, scope, findings)
    }

    /// Reads texts, after these findings about their files.
    pub fn from_sources(
        sources: &[Arc<Source>],
        scope: PolicyScope,
        mut findings: Findings,
    ) -> Self {
        let (foreign, other_kinds) = match scope {
            PolicyScope::Armada => (&[][..], OtherKinds::Refuse),
            PolicyScope::OneSystem => (foreign_kinds(), OtherKinds::Refuse),
            PolicyScope::AllSystems(other_kinds) => (foreign_kinds(), other_kinds),
        };
        let (documents, more) = policy::read_selected(sources, foreign, other_kinds);
        findings.extend(more);
        find_templates(&documents, &mut findings);
        for other in documents.others.iter().filter(|other| other.kind == profile::KIND) {
            refuse_unknown_profile(&other.document, &mut findings);
        }
        let first = policies(&documents).next();
        let system = first.as_ref().map_or(SystemName::Armada, |(system, _)| *system);
        if scope == PolicyScope::OneSystem {
            misplaced::refuse_history_documents(&documents, &mut findings);
            let second = policies(&documents).find(|(other, _)| *other != system);
            findings.extend(first.zip(second).map(|(first, second)| mixed_error(first, second)));
        }
        Self { documents, system, findings }
    }

    /// Returns the documents; prints warnings. Errors stop the command.
    pub fn into_documents(self, ui: &mut Ui) -> Result<Documents> {
        refuse_errors(ui, self.findings)?;
        Ok(self.documents)
    }
}

/// The system and the place of each policy, those of Armada first.
fn policies(documents: &Documents) -> impl Iterator<Item = (SystemName, Place)> {
    let place = |document: &Document| document.place(document.root.span);
    let armadas = documents.policies.iter();
    let armadas = armadas.map(move |found| (SystemName::Armada, place(&found.document)));
    let others = documents.others.iter();
    let others =
        others.filter_map(move |it| Some((SystemName::from_document(it)?, place(&it.document))));
    armadas.chain(others)
}

fn mixed_error(
    (first, place): (SystemName, Place),
    (second, at): (SystemName, Place),
) -> Diagnostic {
    let [kind, other] = [first, second].map(|system| system.description().manifest);
    let message = format!("no engine evaluates a {kind} and a {other} together");
    Diagnostic::error(Code::MixedForms, at, message)
        .labelled(format!("a {other}"))
        .also(place, format!("a {kind}"))
        .help(format!("give policies of one system: a {kind} in one run, a {other} in another"))
}

/// Reports documents with values that are templates. An evaluator embedded elsewhere takes such a value as a text.
pub fn find_templates(documents: &Documents, findings: &mut Findings) {
    let policies = documents.policies.iter().map(|policy| &policy.document);
    let queues = documents.queues.iter().map(|queue| &queue.document);
    let profiles = documents.others.iter().filter(|other| other.kind == profile::KIND);
    let profiles = profiles.map(|other| &other.document);
    findings.extend(policies.chain(queues).chain(profiles).flat_map(unrendered));
}

/// Joins the findings of each template that is not rendered, and names the command that renders it.
pub fn name_templates(findings: Findings) -> Findings {
    join_templates(findings, &|file| chart_of(Path::new(file)))
}

/// The directory of the Helm chart that has a file among its templates.
fn chart_of(file: &Path) -> Option<String> {
    let folders = file.ancestors().skip(1);
    let templates =
        folders.filter(|folder| folder.file_name().is_some_and(|name| name == "templates"));
    let charts = templates.into_iter().filter_map(Path::parent);
    let chart = charts.into_iter().find(|chart| chart.join("Chart.yaml").is_file())?;
    let name = chart.to_str()?;
    Some(if name.is_empty() { "." } else { name }.to_owned())
}

/// Prints warnings; stops the command if there are errors.
pub fn refuse_errors(ui: &mut Ui, findings: Findings) -> Result<()> {
    // A template is an error, also where the rest of its text has warnings alone.
    let findings = name_templates(findings);
    if findings.has_errors() {
        return Err(Refusal::findings(findings.sorted()).into());
    }
    Ok(ui.diagnostics(&findings.sorted())?)
}
