//! What the files hold that could be converted.

use super::pair::{Pair, Target};
use crate::commands::load;
use crate::diag::{Code, Diagnostic, Findings};
use crate::document::Document;
use crate::policy::{self, Documents, Foreign, Form};
use crate::systems::job::{JobEngine, JobManifest};
use crate::systems::jobset::{JobSet, JobSetEngine};
use crate::systems::{Options, System};
use crate::ui::Ui;
use crate::units::GoDuration;
use anyhow::Result;
use std::path::PathBuf;

/// The kinds of other systems' documents.
const FOREIGN: &[Foreign] = &[
    Foreign { kind: JobSetEngine::KIND, versions: &["jobset.x-k8s.io/v1alpha2"] },
    Foreign { kind: JobEngine::KIND, versions: &["batch/v1"] },
    Foreign { kind: "RetryProfile", versions: &["armadaproject.io/v1"] },
];

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
}

impl Given {
    /// Reads files; everything that is wrong with any of them stops the command.
    pub(super) fn read(ui: &mut Ui, paths: &[PathBuf]) -> Result<Self> {
        let mut findings = Findings::new();
        let sources = load::sources(paths, &mut findings);
        let (documents, more) = policy::read_among(&sources, FOREIGN);
        findings.extend(more);
        let mut manifests = Vec::new();
        for other in &documents.others {
            let document = &other.document;
            let manifest = match other.kind {
                JobEngine::KIND => JobEngine::read(document, &OPTIONS, &mut findings)
                    .map(|job| Manifest::Job(document.clone(), job)),
                JobSetEngine::KIND => JobSetEngine::read(document, &OPTIONS, &mut findings)
                    .map(|set| Manifest::JobSet(document.clone(), set)),
                _ => None,
            };
            if let Some(manifest) = manifest {
                unnamable(document, &mut findings);
                manifests.push(manifest);
            }
        }
        load::refuse_errors(ui, findings)?;
        for other in documents.others.iter().filter(|other| !foreign(other.kind)) {
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
        let others = self.documents.others.iter().map(|other| other.kind);
        let all = policies.chain(others.filter(|kind| foreign(kind)));
        all.map(move |from| Pair { from, to })
    }
}

fn foreign(kind: &str) -> bool {
    FOREIGN.iter().any(|foreign| foreign.kind == kind)
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
