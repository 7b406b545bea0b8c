//! The policies in files: documents of one system.

use crate::commands::{load, misplaced};
use armada_retry::policy::{self, Documents};
use document::diag::{Code, Diagnostic, Findings, Place, Source};
use std::path::PathBuf;
use std::sync::Arc;
use systems::{SystemName, foreign_kinds, profile, refuse_unknown_profile};

/// The documents of some files, and the system whose policies they hold.
pub(in crate::commands) struct PolicyFiles {
    /// The documents.
    pub(in crate::commands) documents: Documents,
    /// The system; Armada if there are no policies.
    pub(in crate::commands) system: SystemName,
    /// All errors and warnings so far.
    pub(in crate::commands) findings: Findings,
}

impl PolicyFiles {
    /// Reads files with the policies of one system; those of several are an error.
    pub(in crate::commands) fn read(paths: &[PathBuf]) -> Self {
        let mut findings = Findings::new();
        let sources = load::sources(paths, &mut findings);
        Self::of_sources(&sources, findings)
    }

    /// Reads texts, after these findings about their files.
    pub(in crate::commands) fn of_sources(sources: &[Arc<Source>], mut findings: Findings) -> Self {
        let (documents, more) = policy::read_with_foreign(sources, foreign_kinds());
        findings.extend(more);
        load::find_templates(&documents, &mut findings);
        refuse_unknown_profiles(&documents, &mut findings);
        misplaced::refuse_history_documents(&documents, &mut findings);
        let system = system_of(&documents, &mut findings);
        Self { documents, system, findings }
    }
}

/// Reports the errors of profiles of no known system.
pub(in crate::commands) fn refuse_unknown_profiles(documents: &Documents, findings: &mut Findings) {
    for other in documents.others.iter().filter(|other| other.kind == profile::KIND) {
        refuse_unknown_profile(&other.document, findings);
    }
}

/// The system of the first policy.
fn system_of(documents: &Documents, findings: &mut Findings) -> SystemName {
    let armadas = documents.policies.first().map(|found| {
        let place = found.document.place(found.document.root.span);
        (SystemName::Armada, place)
    });
    let others = documents.others.iter().filter_map(|other| {
        let place = other.document.place(other.document.root.span);
        Some((SystemName::of_document(other)?, place))
    });
    let mut all = armadas.into_iter().chain(others);
    let Some((system, place)) = all.next() else { return SystemName::Armada };
    if let Some((other, at)) = all.find(|(other, _)| *other != system) {
        let kinds = [system, other].map(|system| system.description().manifest);
        findings.push(mixed_systems_error((kinds[0], place), (kinds[1], at)));
    }
    system
}

fn mixed_systems_error((kind, place): (&str, Place), (other, at): (&str, Place)) -> Diagnostic {
    let message = format!("no engine evaluates a {kind} and a {other} together");
    Diagnostic::error(Code::MixedForms, at, message)
        .labelled(format!("a {other}"))
        .also(place, format!("a {kind}"))
        .help(format!("give policies of one system: a {kind} in one run, a {other} in another"))
}
