//! Policies, queues, manifests and configurations of commands: files are read into typed documents with findings.
//!
//! A command names paths; [`Project`] has the policies and queues in them, [`Manifests`] those of a system.
//! `validate`, `lint` and `fmt`, which take inputs of simulations and configurations too, read [`CheckFiles`] first.
//! Histories, test documents and the files of simulated clusters are read by their commands.

mod check_files;
mod errors;
mod executors;
mod files;
mod manifests;
mod misplaced;
mod repository;
mod scheduler;
mod selection;
mod skipped;
mod templates;

pub use check_files::{CheckFiles, CheckInputs};
pub use errors::refuse_errors;
pub use executors::{ExecutorFiles, read_executor, read_executors};
pub use files::{policy_files, refuse_second_stdin};
pub use manifests::{Manifests, UnsetLimit};
pub use misplaced::{other_kind_of_input, read_input};
pub use repository::{RepositoryConfig, read_repository_config};
pub use scheduler::scheduler_settings;
pub use selection::{ExcludeArgs, FileSelectionArgs};
pub use skipped::{note_ignored_documents, note_other_documents, other_documents};
pub use templates::name_templates;

use crate::input::Exclusions;
use crate::ui::Ui;
use anyhow::Result;
use armada_retry::policy::{self, Documents, OtherKinds};
use document::Document;
use document::diag::{Code, Diagnostic, Findings, Place, Source};
use std::path::PathBuf;
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
        Self::of_sources(&sources, scope, findings)
    }

    /// Reads texts, after these findings about their files.
    pub fn of_sources(sources: &[Arc<Source>], scope: PolicyScope, mut findings: Findings) -> Self {
        let (foreign, other_kinds) = match scope {
            PolicyScope::Armada => (&[][..], OtherKinds::Refuse),
            PolicyScope::OneSystem => (foreign_kinds(), OtherKinds::Refuse),
            PolicyScope::AllSystems(other_kinds) => (foreign_kinds(), other_kinds),
        };
        let (documents, more) = policy::read_selected(sources, foreign, other_kinds);
        findings.extend(more);
        templates::find_templates(&documents, &mut findings);
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
        others.filter_map(move |it| Some((SystemName::of_document(it)?, place(&it.document))));
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
