//! Manifests of one system, and the engine over them.

use crate::cli::Refusal;
use anyhow::Result;
use armada_retry::policy::{Documents, OtherDocument};
use document::diag::{Code, Diagnostic, Findings, Place, Severity};
use document::{Document, Node};
use replay::simulate::SweptValue;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use systems::{Bounds, CoverageTarget, Identity, Limit, LimitPath, ManifestSystem, Options};

/// The manifests of a system.
pub struct Manifests<S: ManifestSystem> {
    items: Vec<S::Manifest>,
    /// The numbers of their documents among [`Documents::others`].
    numbers: Vec<usize>,
    /// These documents, which a sweep sets limits in.
    documents: Arc<Vec<Document>>,
    options: Options,
}

/// The reason why a limit cannot be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnsetLimit {
    /// No manifest has an item with the limit of this number.
    Absent(usize),
    /// A manifest is invalid with it.
    Invalid {
        /// The name of the manifest.
        name: String,
        /// The first error.
        message: String,
    },
}

// A derived one would need an engine that can be cloned.
impl<S: ManifestSystem> Clone for Manifests<S> {
    fn clone(&self) -> Self {
        Self {
            items: self.items.clone(),
            numbers: self.numbers.clone(),
            documents: Arc::clone(&self.documents),
            options: self.options,
        }
    }
}

fn place<S: ManifestSystem>(other: &OtherDocument) -> Place {
    let document = &other.document;
    let name = S::DESCRIPTION.name_node(document);
    document.place(name.map_or(document.root.span.first_line(document.source.text()), |n| n.span))
}

fn duplicate_error(kind: &str, name: &str, place: Place, first: Place) -> Diagnostic {
    let message = format!("{kind} `{name}` is defined again");
    Diagnostic::error(Code::DuplicateDocument, place, message)
        .labelled("again")
        .also(first, "first")
        .help("rename or remove one of them")
}

impl<S: ManifestSystem> Manifests<S> {
    /// Reads the manifests among some documents.
    pub fn read(documents: &Documents, options: &Options, findings: &mut Findings) -> Self {
        let (mut manifests, mut numbers, mut own) = (Vec::new(), Vec::new(), Vec::new());
        let mut first_places: HashMap<[String; 3], Place> = HashMap::new();
        let others = documents.others.iter().enumerate();
        let others = others.filter(|(_, other)| S::DESCRIPTION.has_document(other));
        let all: Vec<&Document> = others.clone().map(|(_, other)| &other.document).collect();
        findings.extend(S::absent_documents(&all));
        for (number, other) in others {
            let Some(manifest) = S::read(&other.document, options, findings) else { continue };
            let name = S::DESCRIPTION.name_node(&other.document).and_then(Node::text);
            let (name, place) = (name.unwrap_or_default(), place::<S>(other));
            let unit = S::unit(&manifest);
            // Those that apply to all units differ by their names alone. Objects of two kinds may have one name.
            let distinction = if S::DESCRIPTION.applies_to_all_units() { name } else { other.kind };
            match first_places.entry([unit.namespace, unit.name, distinction].map(str::to_owned)) {
                Entry::Vacant(entry) => _ = entry.insert(place),
                Entry::Occupied(entry) => {
                    let name = if unit.name.is_empty() { name } else { unit.name };
                    findings.push(duplicate_error(other.kind, name, place, entry.get().clone()));
                }
            }
            manifests.push(manifest);
            numbers.push(number);
            own.push(other.document.clone());
        }
        Self { items: manifests, numbers, documents: Arc::new(own), options: *options }
    }

    /// The manifests.
    pub fn items(&self) -> impl Iterator<Item = &S::Manifest> {
        self.items.iter()
    }

    /// The engine.
    pub fn engine(&self) -> S {
        S::engine(self.items.clone(), &self.options)
    }

    /// The lints' findings about all manifests.
    pub fn lint(&self, documents: &Documents, bounds: &Bounds) -> Findings {
        let mut findings = Findings::new();
        for (manifest, &number) in self.items.iter().zip(&self.numbers) {
            if let Some(other) = documents.others.get(number) {
                findings.extend(S::lint(&other.document, manifest, bounds));
            }
        }
        findings
    }

    /// The rules, defaults and limits of all manifests.
    pub fn targets(&self) -> Vec<CoverageTarget> {
        let all = self.documents.iter().zip(&self.items);
        all.flat_map(|(document, manifest)| S::targets(document, manifest)).collect()
    }

    /// The names of the manifests.
    pub fn names(&self) -> Vec<&str> {
        (0..self.items.len()).map(|number| self.name(number)).collect()
    }

    /// The name of a manifest: that of its unit, or that of its document if it applies to all units.
    fn name(&self, number: usize) -> &str {
        let unit = S::unit(&self.items[number]).name;
        let of_document = || S::DESCRIPTION.name_node(&self.documents[number])?.text();
        if unit.is_empty() { of_document().unwrap_or_default() } else { unit }
    }

    /// The manifests with limits set, each in the manifest that its path names or in all.
    ///
    /// # Errors
    ///
    /// If no manifest has a limit, or one is invalid with it.
    pub fn with_limits(&self, limits: &[(LimitPath<'_>, SweptValue)]) -> Result<Self, UnsetLimit> {
        let mut all = self.clone();
        let mut set = vec![0; limits.len()];
        for (number, document) in self.documents.iter().enumerate() {
            let name = self.name(number);
            let mut document = document.clone();
            for ((path, value), set) in limits.iter().zip(&mut set) {
                if path.owner.is_none_or(|owner| owner == name) {
                    *set += path.set(&mut document.root, *value);
                }
            }
            let mut findings = Findings::new();
            let manifest = S::read(&document, &self.options, &mut findings);
            let mut errors = findings.iter().filter(|it| it.severity == Severity::Error);
            match (errors.next(), manifest) {
                (None, Some(manifest)) => all.items[number] = manifest,
                (error, _) => {
                    let message = error.map(|it| it.message.clone()).unwrap_or_default();
                    return Err(UnsetLimit::Invalid { name: name.to_owned(), message });
                }
            }
        }
        match set.iter().position(|set| *set == 0) {
            Some(absent) => Err(UnsetLimit::Absent(absent)),
            None => Ok(all),
        }
    }

    /// Whether two limits are one field in some manifest.
    pub fn have_overlap(&self, one: &LimitPath<'_>, other: &LimitPath<'_>) -> bool {
        self.documents.iter().enumerate().any(|(number, document)| {
            let name = self.name(number);
            let are_of_it =
                [one, other].iter().all(|path| path.owner.is_none_or(|owner| owner == name));
            are_of_it && one.overlaps(other, &one.limit.items(&document.root))
        })
    }

    /// The items of the list of a limit in all manifests: their names, or their numbers from 0.
    pub fn limit_items(&self, limit: &Limit) -> Vec<String> {
        self.documents.iter().flat_map(|document| limit.items(&document.root)).collect()
    }

    /// The identity of the only manifest; none if there are several.
    pub fn only(&self) -> Option<Identity<'_>> {
        match self.items.as_slice() {
            [only] => Some(S::unit(only)),
            _ => None,
        }
    }

    /// Refuses files without manifests.
    pub fn refuse_none(&self) -> Result<()> {
        if self.items.is_empty() {
            let message = format!("the files contain no {}", S::DESCRIPTION.manifest);
            return Err(Refusal::input(message).into());
        }
        Ok(())
    }

    /// Refuses several documents of which each would judge every unit.
    pub fn refuse_several(&self) -> Result<()> {
        let count = self.items.len();
        if !S::DESCRIPTION.applies_to_all_units() || count < 2 {
            return Ok(());
        }
        let message = format!(
            "the files contain {count} {}s, but only one can apply to all units",
            S::DESCRIPTION.kind()
        );
        let help = "give one with -f; --variant NAME=FILE beside it compares another with it";
        Err(Refusal::usage(message).help(help).into())
    }

    /// Whether a unit has another name than the manifest that judges it, or no manifest judges it.
    pub fn is_unmatched(&self, unit: &str) -> bool {
        match self.only() {
            Some(only) => !only.name.is_empty() && !S::identity_of_unit(unit).fits(only),
            None => self.refuse_undetermined([unit]).is_err(),
        }
    }

    /// Refuses units for which the manifest that judges them is not determined.
    pub fn refuse_undetermined<'u>(&self, units: impl IntoIterator<Item = &'u str>) -> Result<()> {
        if self.items.len() < 2 {
            return Ok(());
        }
        for unit in units {
            let identity = S::identity_of_unit(unit);
            let fitting = || self.items.iter().map(S::unit).filter(|known| identity.fits(*known));
            match fitting().count() {
                // One has exactly this name.
                _ if fitting().any(|known| known == identity) => {}
                0 => return Err(self.unknown_unit_error(unit).into()),
                2.. if identity.namespace.is_empty() => {
                    let namespaces: Vec<&str> = fitting().map(|known| known.namespace).collect();
                    return Err(ambiguous_unit_error::<S>(unit, &namespaces).into());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn unknown_unit_error(&self, unit: &str) -> Refusal {
        let count = self.items.len();
        let message =
            format!("there are {count} {}s, and none is named `{unit}`", S::DESCRIPTION.kind());
        Refusal::usage(message).help("give the manifest of that name, or one manifest for all")
    }
}

fn ambiguous_unit_error<S: ManifestSystem>(unit: &str, namespaces: &[&str]) -> Refusal {
    let named = namespaces.iter().filter(|namespace| !namespace.is_empty());
    let calls: Vec<String> = named.map(|namespace| format!("`{namespace}/{unit}`")).collect();
    let message = format!("{} {}s are named `{unit}`", namespaces.len(), S::DESCRIPTION.kind());
    let help = format!("write the jobId with its namespace, {}, or give one", calls.join(" or "));
    Refusal::usage(message).help(help)
}
