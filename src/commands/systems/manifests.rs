//! Manifests of one system, and the engine over them.

use crate::cli::Refusal;
use crate::diag::{Code, Diagnostic, Findings, Place};
use crate::policy::{Documents, Other};
use crate::systems::{Options, System, without_namespace};
use anyhow::Result;
use std::collections::BTreeSet;

/// The manifests of a system.
pub(in crate::commands) struct Manifests<S: System> {
    manifests: Vec<S::Manifest>,
    options: Options,
}

/// Reads the manifests among some documents.
pub(in crate::commands) fn read<S: System>(
    documents: &Documents,
    options: &Options,
    findings: &mut Findings,
) -> Manifests<S> {
    let mut manifests = Vec::new();
    let mut places: Vec<(String, Place)> = Vec::new();
    for other in documents.others.iter().filter(|other| other.kind == S::KIND) {
        let Some(manifest) = S::read(&other.document, options, findings) else { continue };
        let (name, place) = (S::unit(&manifest).to_owned(), place(other));
        match places.iter().find(|(known, _)| *known == name) {
            Some((_, first)) => findings.push(again::<S>(&name, place, first.clone())),
            None => places.push((name, place)),
        }
        manifests.push(manifest);
    }
    Manifests { manifests, options: *options }
}

fn place(other: &Other) -> Place {
    let document = &other.document;
    let name = document.root.at(&["metadata", "name"]);
    document.place(name.map_or(document.root.span.first_line(document.source.text()), |n| n.span))
}

fn again<S: System>(name: &str, place: Place, first: Place) -> Diagnostic {
    let message = format!("{} `{name}` is defined again", S::KIND);
    Diagnostic::error(Code::DuplicateDocument, place, message)
        .labelled("again")
        .also(first, "first")
        .help("rename or remove one of them")
}

impl<S: System> Manifests<S> {
    /// The engine.
    pub(in crate::commands) fn engine(&self) -> S {
        S::over(self.manifests.clone(), &self.options)
    }

    /// The name of the only manifest, or nothing if there are several.
    pub(in crate::commands) fn only(&self) -> Option<&str> {
        match self.manifests.as_slice() {
            [only] => Some(S::unit(only)),
            _ => None,
        }
    }

    /// Refuses to evaluate nothing.
    pub(in crate::commands) fn refuse_none(&self) -> Result<()> {
        if self.manifests.is_empty() {
            return Err(Refusal::input(format!("the files hold no {}", S::KIND)).into());
        }
        Ok(())
    }

    /// Whether a unit is not called as the manifest is that judges it, or none judges it.
    pub(in crate::commands) fn is_strange(&self, unit: &str) -> bool {
        match self.only() {
            Some(name) => without_namespace(unit) != name,
            None => self.govern([unit]).is_err(),
        }
    }

    /// Refuses units of which nothing says by which manifest they are judged.
    pub(in crate::commands) fn govern<'u>(
        &self,
        units: impl IntoIterator<Item = &'u str>,
    ) -> Result<()> {
        if self.manifests.len() < 2 {
            return Ok(());
        }
        let known: BTreeSet<&str> = self.manifests.iter().map(|one| S::unit(one)).collect();
        let Some(stranger) =
            units.into_iter().find(|unit| !known.contains(without_namespace(unit)))
        else {
            return Ok(());
        };
        let count = self.manifests.len();
        let message = format!("there are {count} {}s, and none is named `{stranger}`", S::KIND);
        let help = "give the manifest of that name, or one manifest for all";
        Err(Refusal::usage(message).help(help).into())
    }
}
