//! What the files hold that could be converted.

use super::pair::{Pair, Target};
use crate::cli::Refusal;
use crate::commands::load;
use crate::commands::systems::{Whose, refuse_nobodys};
use crate::diag::{Code, Diagnostic, Findings, Source};
use crate::document::Document;
use crate::policy::{self, Documents, Form};
use crate::systems::airflow::{AirflowEngine, AirflowManifest};
use crate::systems::backendai::{self, BackendAiEngine};
use crate::systems::iris::{IrisEngine, IrisProfile};
use crate::systems::job::{JobEngine, JobManifest};
use crate::systems::jobset::{JobSet, JobSetEngine};
use crate::systems::{MANIFESTS, Options, System};
use crate::ui::Ui;
use crate::units::GoDuration;
use anyhow::Result;
use serde_json::Value;
use std::path::PathBuf;

/// Alpha features may be used: which of them the reader's cluster has turned on is `validate`'s.
const OPTIONS: Options = Options {
    restart_job: true,
    in_place_restart: true,
    pod_backoff_cap: GoDuration::from_secs(600),
};

/// What files hold.
pub(super) struct Given {
    /// All documents.
    pub(super) documents: Documents,
    /// The manifests among them.
    pub(super) manifests: Vec<Manifest>,
}

/// A manifest of another system, and what it means.
pub(super) enum Manifest {
    /// A Job.
    Job(Document, JobManifest),
    /// A set of Jobs.
    JobSet(Document, JobSet),
    /// A profile of Iris's.
    Iris(Document, IrisProfile),
    /// A profile of the BEP-1053 draft.
    BackendAi(Document, backendai::Profile),
    /// A profile of Airflow's.
    Airflow(Document, AirflowManifest),
}

impl Given {
    /// Reads files; everything that is wrong with any of them stops the command.
    pub(super) fn read(ui: &mut Ui, paths: &[PathBuf]) -> Result<Self> {
        let mut findings = Findings::new();
        let sources = load::sources(paths, &mut findings);
        let (documents, more) = policy::read_among(&sources, MANIFESTS);
        findings.extend(more);
        refuse_nobodys(&documents, &mut findings);
        let mut manifests = Vec::new();
        for other in &documents.others {
            let manifest = Whose::of(other)
                .and_then(|whose| Manifest::read(whose, &other.document, &mut findings));
            if let Some(manifest) = manifest {
                unnamable(&other.document, &mut findings);
                manifests.push(manifest);
            }
        }
        load::refuse_errors(ui, findings)
            .map_err(|error| Refusal::count_in(error, "nothing was written"))?;
        for other in documents.others.iter().filter(|other| Whose::of(other).is_none()) {
            let place = other.document.place(other.document.root.span);
            ui.note_at(&place, "passed over", &format!("a {}", other.kind))?;
        }
        Ok(Self { documents, manifests })
    }

    /// From what to what each document is to be converted.
    pub(super) fn pairs(&self, to: Target) -> impl Iterator<Item = Pair> {
        let policies = self.documents.policies.iter().map(|document| match document.policy.form {
            Form::V1 => "v1",
            Form::V1beta1 => "v1beta1",
        });
        let others = self.documents.others.iter().filter_map(Whose::of).map(named);
        policies.chain(others).map(move |from| Pair { from, to })
    }
}

/// What a system's policies are called among pairs.
fn named(whose: Whose) -> &'static str {
    match whose {
        Whose::Armada => "v1",
        Whose::Job => "Job",
        Whose::JobSet => "JobSet",
        Whose::Iris => "Iris",
        Whose::BackendAi => "the BEP-1053 draft",
        Whose::Airflow => "Airflow",
    }
}

impl Manifest {
    /// Whether it grants a retry of any failure.
    pub(super) fn can_retry(&self) -> bool {
        match self {
            Self::Job(_, job) => job.policy.can_retry(),
            Self::JobSet(_, set) => set.can_retry(),
            Self::Iris(_, profile) => profile.rules.policy.can_retry(),
            Self::BackendAi(_, profile) => profile.policy.can_retry(),
            Self::Airflow(_, task) => task.policy.retries > 0,
        }
    }

    /// The document that it is read from.
    pub(super) fn document(&self) -> &Document {
        match self {
            Self::Job(document, _)
            | Self::JobSet(document, _)
            | Self::Iris(document, _)
            | Self::BackendAi(document, _)
            | Self::Airflow(document, _) => document,
        }
    }

    /// Reads the output of a conversion again; `None` if it is not a valid manifest.
    pub(super) fn of_value(value: &Value) -> Option<Self> {
        let source = Source::new("converted", value.to_string());
        let (documents, mut findings) = policy::read_among(&[source], MANIFESTS);
        let other = documents.others.first()?;
        Self::read(Whose::of(other)?, &other.document, &mut findings)
    }

    /// Reads a manifest of a system; nothing if it has errors.
    fn read(whose: Whose, document: &Document, findings: &mut Findings) -> Option<Self> {
        let own = || document.clone();
        match whose {
            Whose::Armada => None,
            Whose::Job => {
                JobEngine::read(document, &OPTIONS, findings).map(|job| Self::Job(own(), job))
            }
            Whose::JobSet => {
                JobSetEngine::read(document, &OPTIONS, findings).map(|set| Self::JobSet(own(), set))
            }
            Whose::Iris => {
                IrisEngine::read(document, &OPTIONS, findings).map(|read| Self::Iris(own(), read))
            }
            Whose::BackendAi => BackendAiEngine::read(document, &OPTIONS, findings)
                .map(|read| Self::BackendAi(own(), read)),
            Whose::Airflow => AirflowEngine::read(document, &OPTIONS, findings)
                .map(|read| Self::Airflow(own(), read)),
        }
    }
}

/// Reports a manifest of whose name no policy's can be made.
fn unnamable(document: &Document, findings: &mut Findings) {
    let metadata = document.root.get("metadata");
    let name = metadata.and_then(|metadata| metadata.get("name").or(metadata.get("generateName")));
    let Some(node) = name else { return };
    if node.text().is_some_and(|name| name.contains(|c: char| c.is_ascii_alphanumeric())) {
        return;
    }
    let message = "no policy can have this name";
    let finding = Diagnostic::error(Code::BadName, document.place(node.span), message);
    findings.push(finding.help("names are of a-z, 0-9 and `-`"));
}
