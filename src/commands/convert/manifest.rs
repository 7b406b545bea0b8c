//! The policies and manifests that are converted.

use super::route::{Route, Target};
use crate::cli::Refusal;
use crate::project::{self, PolicyScope, Project};
use crate::ui::Ui;
use anyhow::Result;
use armada_retry::policy::{Documents, Form, OtherKinds, RetryPolicy};
use document::diag::{Code, Diagnostic, Findings, Source};
use document::units::GoDuration;
use document::{Document, Node};
use serde_json::Value;
use std::path::PathBuf;
use systems::convert::Conversion;
use systems::release::Releases;
use systems::{ManifestSystem, Options, SystemName, with_system};

/// Alpha features are accepted: only `validate` checks which ones a cluster has turned on.
const OPTIONS: Options = Options {
    restart_job: true,
    in_place_restart: true,
    // The controller's constant; the documentation of Kubernetes has six minutes (docs/systems.md).
    pod_backoff_cap: GoDuration::from_secs(600),
    releases: Releases::DEFAULT,
};

/// The contents of the files.
pub(super) struct Inputs {
    pub(super) documents: Documents,
    /// The manifests among them.
    pub(super) manifests: Vec<Manifest>,
}

/// A manifest of another system than Armada.
pub(super) struct Manifest {
    /// The document that it is read from.
    pub(super) document: Document,
    /// Its name, if it has one.
    pub(super) name: String,
    /// Whether it grants a retry of any failure.
    pub(super) can_retry: bool,
    /// The same in policies of Armada; `None` if no policy can have its name.
    pub(super) policies: Option<Conversion<Vec<RetryPolicy>>>,
}

impl Inputs {
    /// Reads files; everything that is wrong with any of them stops the command.
    pub(super) fn read(ui: &mut Ui, paths: &[PathBuf]) -> Result<Self> {
        let scope = PolicyScope::AllSystems(OtherKinds::Refuse);
        let Project { documents, mut findings, .. } = Project::read(paths, scope);
        let mut manifests = Vec::new();
        for other in &documents.others {
            let Some(system) = SystemName::from_document(other) else { continue };
            if let Some(manifest) = Manifest::read(system, &other.document, &mut findings) {
                report_unusable_name(system, &other.document, &mut findings);
                manifests.push(manifest);
            }
        }
        project::refuse_errors(ui, findings)
            .map_err(|error| Refusal::add_count_to(error, "nothing was written"))?;
        for other in
            documents.others.iter().filter(|other| SystemName::from_document(other).is_none())
        {
            let place = other.document.place(other.document.root.span);
            ui.note_at(&place, "skipped", &format!("a {}", other.kind))?;
        }
        Ok(Self { documents, manifests })
    }

    /// The conversion of each document.
    pub(super) fn routes(&self, to: Target) -> impl Iterator<Item = Route> {
        let policies = self.documents.policies.iter().map(|document| match document.policy.form {
            Form::V1 => Target::V1,
            Form::V1beta1 => Target::V1beta1,
        });
        let others = self.documents.others.iter().filter_map(SystemName::from_document);
        let others = others.map(Target::System);
        policies.chain(others).map(move |from| Route { from, to })
    }
}

impl Manifest {
    /// Reads a manifest of a system; nothing if it has errors.
    fn read(system: SystemName, document: &Document, findings: &mut Findings) -> Option<Self> {
        with_system!(system, Armada => None, S => Self::read_of::<S>(document, findings))
    }

    fn read_of<S: ManifestSystem>(document: &Document, findings: &mut Findings) -> Option<Self> {
        let manifest = S::read(document, &OPTIONS, findings)?;
        let (can_retry, policies) = (S::can_retry(&manifest), S::to_v1(document, &manifest));
        let name = S::DESCRIPTION.name_node(document).and_then(Node::text).unwrap_or_default();
        Some(Self { document: document.clone(), name: name.to_owned(), can_retry, policies })
    }

    /// Reads the output of a conversion again; `None` if it is not a valid manifest.
    pub(super) fn from_value(value: &Value) -> Option<Self> {
        let source = Source::new("converted", value.to_string());
        let scope = PolicyScope::AllSystems(OtherKinds::Refuse);
        let Project { documents, mut findings, .. } =
            Project::from_sources(&[source], scope, Findings::new());
        let other = documents.others.first()?;
        Self::read(SystemName::from_document(other)?, &other.document, &mut findings)
    }
}

/// Reports a manifest whose name cannot be the name of a policy.
fn report_unusable_name(system: SystemName, document: &Document, findings: &mut Findings) {
    let Some(node) = system.description().name_node(document) else { return };
    if node.text().is_some_and(|name| name.contains(|c: char| c.is_ascii_alphanumeric())) {
        return;
    }
    let message = "the name cannot be the name of a policy";
    let finding = Diagnostic::error(Code::BadName, document.place(node.span), message);
    findings.push(finding.help("write a name of a-z, 0-9 and `-`"));
}
