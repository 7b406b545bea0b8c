//! The manifests of a system in both versions.

use super::manifest_groups::compare_versions;
use super::manifests::Manifest;
use super::side::pairs_by_name;
use crate::cli::Refusal;
use crate::report::{ComparedItem, ItemStatus};
use anyhow::Result;
use armada_retry::policy::Documents;
use document::diag::Findings;
use std::collections::HashSet;
use systems::ManifestSystem;

/// The manifests of a system, in pairs by kind and name.
pub(super) struct Pairs<S: ManifestSystem> {
    versions: [Vec<Manifest<S>>; 2],
    /// The numbers of the manifests of each version.
    pairs: Vec<[Option<usize>; 2]>,
}

impl<S: ManifestSystem> Pairs<S> {
    /// Reads the manifests of both versions.
    pub(super) fn read(versions: [&Documents; 2]) -> Result<Self> {
        let mut findings = Findings::new();
        let versions = versions.map(|documents| Manifest::<S>::read_all(documents, &mut findings));
        if findings.has_errors() {
            return Err(Refusal::findings(findings.sorted()).into());
        }
        let names: [Vec<&str>; 2] =
            versions.each_ref().map(|all| all.iter().map(|it| it.key.as_str()).collect());
        for all in &names {
            refuse_duplicates(S::DESCRIPTION.manifest, all)?;
        }
        let number = |side: usize, key: Option<&str>| {
            versions[side].iter().position(|it| Some(&*it.key) == key)
        };
        let pairs = pairs_by_name(names).into_iter();
        let pairs = pairs.map(|[old, new]| [number(0, old), number(1, new)]).collect();
        Ok(Self { versions, pairs })
    }

    fn all(&self) -> impl Iterator<Item = [Option<&Manifest<S>>; 2]> {
        let manifest = |side: usize, number: Option<usize>| self.versions[side].get(number?);
        self.pairs.iter().map(move |[old, new]| [manifest(0, *old), manifest(1, *new)])
    }

    /// The manifests that both versions have, each with the number of its pair.
    pub(super) fn both(&self) -> impl Iterator<Item = (usize, [&Manifest<S>; 2])> {
        self.all().enumerate().filter_map(|(number, [old, new])| Some((number, [old?, new?])))
    }

    /// Whether each version has one manifest, which then applies to all units.
    pub(super) fn is_only(&self) -> bool {
        self.versions.iter().all(|all| all.len() == 1)
    }

    /// The engines over all manifests of each version.
    pub(super) fn engines(&self) -> [S; 2] {
        self.versions.each_ref().map(|all| Manifest::engine_of_all(all))
    }

    /// The number of the pair of a recorded unit: that of its name, or the only one.
    pub(super) fn pair_of(&self, unit: &str) -> Option<usize> {
        if self.is_only() {
            return self.pairs.first().map(|_| 0);
        }
        let mut fitting =
            self.both().filter(|(_, pair)| pair.iter().all(|it| it.has_name_of(unit)));
        let first = fitting.next().map(|(number, _)| number);
        // A unit without a namespace may be of manifests of several.
        first.filter(|_| fitting.next().is_none())
    }

    /// Compares the manifests. The items are in the order of the pairs.
    pub(super) fn compare(&self) -> Result<Vec<ComparedItem>> {
        let kind = S::DESCRIPTION.manifest;
        let one_sided = |only: &Manifest<S>, status| {
            Ok(ComparedItem::one_sided(kind, only.name.clone(), status))
        };
        let items = self.all().filter_map(|pair| match pair {
            [Some(old), Some(new)] => Some(compare_versions([old, new])),
            [Some(removed), None] => Some(one_sided(removed, ItemStatus::Removed)),
            [None, Some(added)] => Some(one_sided(added, ItemStatus::Added)),
            [None, None] => None,
        });
        items.collect()
    }
}

/// Refuses two manifests of one version that have the same kind, namespace and name.
fn refuse_duplicates(kind: &str, keys: &[&str]) -> Result<()> {
    let mut seen = HashSet::new();
    let Some(again) = keys.iter().find(|key| !seen.insert(**key)) else { return Ok(()) };
    let name = again.split_once(' ').map_or(*again, |(_, name)| name);
    let message = format!("a version has two manifests `{name}` ({kind})");
    Err(Refusal::input(message).help("rename one of them").into())
}
