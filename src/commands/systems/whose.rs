//! Whose policies the files hold.

use crate::commands::load;
use crate::diag::{Code, Diagnostic, Findings, Place};
use crate::document::Shape;
use crate::history::{self, OwnFields};
use crate::policy::{self, Documents};
use crate::simulate::Units;
use crate::systems::{MANIFESTS, System, job::JobEngine, jobset::JobSetEngine};
use std::path::PathBuf;

/// The system whose policies are evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum Whose {
    /// Armada's: RetryPolicy documents.
    Armada,
    /// Kubernetes' Job controller's.
    Job,
    /// JobSet's.
    JobSet,
}

impl Whose {
    /// All of them, those first whose records hold less of their own.
    pub(in crate::commands) const ALL: [Self; 3] = [Self::Armada, Self::Job, Self::JobSet];

    /// What run records hold of the system's histories.
    pub(in crate::commands) fn record(self) -> &'static Shape {
        match self {
            Self::Armada => &history::RECORD,
            Self::Job => <JobEngine as Units>::Own::RECORD,
            Self::JobSet => <JobSetEngine as Units>::Own::RECORD,
        }
    }

    /// Whose, before a noun.
    pub(in crate::commands) fn possessive(self) -> &'static str {
        match self {
            Self::Armada => "Armada's",
            Self::Job => "a Job's",
            Self::JobSet => "a JobSet's",
        }
    }

    /// What holds its policies.
    pub(in crate::commands) fn manifest(self) -> &'static str {
        match self {
            Self::Armada => "RetryPolicy",
            Self::Job => JobEngine::KIND,
            Self::JobSet => JobSetEngine::KIND,
        }
    }

    /// Whose manifests are of a kind.
    pub(in crate::commands) fn of_kind(kind: &str) -> Option<Self> {
        match kind {
            JobEngine::KIND => Some(Self::Job),
            JobSetEngine::KIND => Some(Self::JobSet),
            _ => None,
        }
    }
}

/// What files hold.
pub(in crate::commands) struct Given {
    /// The documents.
    pub(in crate::commands) documents: Documents,
    /// Whose policies they are.
    pub(in crate::commands) whose: Whose,
    /// Everything that is wrong so far.
    pub(in crate::commands) findings: Findings,
}

/// Reads files of one system's policies; those of several are an error.
pub(in crate::commands) fn given(paths: &[PathBuf]) -> Given {
    let mut findings = Findings::new();
    let sources = load::sources(paths, &mut findings);
    let (documents, more) = policy::read_among(&sources, MANIFESTS);
    findings.extend(more);
    let whose = whose(&documents, &mut findings);
    Given { documents, whose, findings }
}

fn whose(documents: &Documents, findings: &mut Findings) -> Whose {
    let armadas = documents.policies.first().map(|found| {
        let place = found.document.place(found.document.root.span);
        (Whose::Armada, "RetryPolicy", place)
    });
    let others = documents.others.iter().filter_map(|other| {
        let place = other.document.place(other.document.root.span);
        Some((Whose::of_kind(other.kind)?, other.kind, place))
    });
    let mut all = armadas.into_iter().chain(others);
    let Some((whose, kind, place)) = all.next() else { return Whose::Armada };
    if let Some((_, other, at)) = all.find(|(other, ..)| *other != whose) {
        findings.push(mixed((kind, place), (other, at)));
    }
    whose
}

fn mixed((kind, place): (&str, Place), (other, at): (&str, Place)) -> Diagnostic {
    let message = format!("no engine evaluates a {kind} and a {other} together");
    Diagnostic::error(Code::MixedForms, at, message)
        .labelled(format!("a {other}"))
        .also(place, format!("a {kind}"))
        .help(format!("give policies of one system: a {kind} in one run, a {other} in another"))
}
