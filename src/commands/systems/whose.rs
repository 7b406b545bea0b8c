//! Whose policies the files hold.

use crate::commands::load;
use crate::diag::{Code, Diagnostic, Findings, Place};
use crate::document::Shape;
use crate::history::{self, OwnFields};
use crate::policy::{self, Documents, Other};
use crate::simulate::Units;
use crate::systems::{MANIFESTS, System, Words, profile};
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
    /// Iris's.
    Iris,
    /// The BEP-1053 draft's, for Backend.AI.
    BackendAi,
    /// Airflow's.
    Airflow,
}

/// Does one thing for Armada's policies, and another with the engine of any other system, which it
/// gives a name: the one place where systems become types.
macro_rules! by_system {
    ($whose:expr, Armada => $of_armada:expr, $engine:ident => $of_system:expr $(,)?) => {
        match $whose {
            $crate::commands::systems::Whose::Armada => $of_armada,
            $crate::commands::systems::Whose::Job => {
                type $engine = $crate::systems::job::JobEngine;
                $of_system
            }
            $crate::commands::systems::Whose::JobSet => {
                type $engine = $crate::systems::jobset::JobSetEngine;
                $of_system
            }
            $crate::commands::systems::Whose::Iris => {
                type $engine = $crate::systems::iris::IrisEngine;
                $of_system
            }
            $crate::commands::systems::Whose::BackendAi => {
                type $engine = $crate::systems::backendai::BackendAiEngine;
                $of_system
            }
            $crate::commands::systems::Whose::Airflow => {
                type $engine = $crate::systems::airflow::AirflowEngine;
                $of_system
            }
        }
    };
}
pub(in crate::commands) use by_system;

impl Whose {
    /// All of them, those first whose records hold less of their own.
    pub(in crate::commands) const ALL: [Self; 6] =
        [Self::Armada, Self::Job, Self::JobSet, Self::Iris, Self::BackendAi, Self::Airflow];

    /// What run records hold of the system's histories.
    pub(in crate::commands) fn record(self) -> &'static Shape {
        by_system!(self, Armada => &history::RECORD, S => <S as Units>::Own::RECORD)
    }

    /// What people call its things.
    pub(in crate::commands) fn words(self) -> Words {
        let armadas =
            Words { manifest: "RetryPolicy", whose: "Armada's", unit: "job", members: "jobs" };
        by_system!(self, Armada => armadas, S => S::WORDS)
    }

    /// Whose manifest a document is.
    pub(in crate::commands) fn of(other: &Other) -> Option<Self> {
        let holds = |whose: &Self| by_system!(*whose, Armada => false, S => S::holds(other));
        Self::ALL.into_iter().find(holds)
    }

    /// Whether its policies are manifests of Kubernetes', for whose controllers there are flags.
    pub(in crate::commands) fn is_of_kubernetes(self) -> bool {
        by_system!(self, Armada => false, S => S::PROFILE.is_none())
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
    refuse_nobodys(&documents, &mut findings);
    let whose = whose(&documents, &mut findings);
    Given { documents, whose, findings }
}

/// Says what is wrong with profiles that are of no system.
pub(in crate::commands) fn refuse_nobodys(documents: &Documents, findings: &mut Findings) {
    for other in documents.others.iter().filter(|other| other.kind == profile::KIND) {
        profile::refuse_unknown(&other.document, findings);
    }
}

fn whose(documents: &Documents, findings: &mut Findings) -> Whose {
    let armadas = documents.policies.first().map(|found| {
        let place = found.document.place(found.document.root.span);
        (Whose::Armada, place)
    });
    let others = documents.others.iter().filter_map(|other| {
        let place = other.document.place(other.document.root.span);
        Some((Whose::of(other)?, place))
    });
    let mut all = armadas.into_iter().chain(others);
    let Some((whose, place)) = all.next() else { return Whose::Armada };
    if let Some((other, at)) = all.find(|(other, _)| *other != whose) {
        findings.push(mixed((whose.words().manifest, place), (other.words().manifest, at)));
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
