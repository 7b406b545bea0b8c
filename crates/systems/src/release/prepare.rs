//! A document as a release reads it: without the fields that it drops, and with an error for what it refuses.

use super::difference::{Difference, Effect, EffectAction, Owner};
use super::releases::Releases;
use super::table::differences;
use document::diag::{Code, Diagnostic, Findings, Place, Severity};
use document::{Document, Entry, Node, NodeKind};
use std::borrow::Cow;

/// Returns the document as the API server of these releases stores it, and reports what it drops or refuses. `is_set` is
/// whether it is a JobSet, otherwise it is a Job.
///
/// A field that a custom resource definition does not have is removed without an error (structural schemas, no
/// `x-kubernetes-preserve-unknown-fields` in any release of JobSet), and so is one whose feature gate is off
/// (`PrepareForCreate` of `pkg/registry/batch/job/strategy.go`).
pub fn prepare<'d>(
    document: &'d Document,
    is_set: bool,
    releases: &Releases,
    findings: &mut Findings,
) -> Cow<'d, Document> {
    let mut prepared = Cow::Borrowed(document);
    for row in differences().filter(|row| releases.is_before(row)) {
        for effect in row.effects {
            let Some(path) = full_path(effect, is_set) else { continue };
            let mut found = Found { row, releases, document, effect, findings };
            if has_path(&document.root, &path) {
                found.apply(&mut prepared.to_mut().root, &path, "");
            }
        }
    }
    prepared
}

/// Returns the steps to a field from the top of a document; `None` if the document has no such field.
fn full_path(effect: &Effect, is_set: bool) -> Option<Vec<&'static str>> {
    let prefix: &[&str] = match (effect.of, is_set) {
        (Owner::JobSpec, false) | (Owner::SetSpec, true) => &["spec"],
        (Owner::JobSpec | Owner::JobSpecOfSet, true) => {
            &["spec", "replicatedJobs", "[]", "template", "spec"]
        }
        (Owner::Document, _) => &[],
        (Owner::JobSpecOfSet | Owner::SetSpec, false) => return None,
    };
    let own = effect.path.split('.').flat_map(|step| match step.strip_suffix("[]") {
        Some(list) => vec![list, "[]"],
        None => vec![step],
    });
    Some(prefix.iter().copied().chain(own).collect())
}

/// Returns whether a document has a field at all.
fn has_path(node: &Node, path: &[&str]) -> bool {
    match path {
        [] => true,
        ["[]", rest @ ..] => node.items().iter().any(|item| has_path(item, rest)),
        [key, rest @ ..] => node.get(key).is_some_and(|value| has_path(value, rest)),
    }
}

struct Found<'a> {
    row: &'static Difference,
    releases: &'a Releases,
    document: &'a Document,
    effect: &'a Effect,
    findings: &'a mut Findings,
}

impl Found<'_> {
    /// Applies the effect to every field at a path; `at` is the path of the node.
    fn apply(&mut self, node: &mut Node, path: &[&str], at: &str) {
        match (path, &mut node.kind) {
            (["[]", rest @ ..], NodeKind::List(items)) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.apply(item, rest, &format!("{at}[{index}]"));
                }
                if rest.is_empty() {
                    self.check_items(items, at);
                }
            }
            ([key], NodeKind::Map(entries)) => self.apply_to_field(entries, key, at),
            ([key, rest @ ..], NodeKind::Map(entries)) => {
                for entry in entries.iter_mut().filter(|entry| entry.key == *key) {
                    self.apply(&mut entry.value, rest, &join(at, key));
                }
            }
            _ => {}
        }
    }

    fn apply_to_field(&mut self, entries: &mut Vec<Entry>, key: &str, at: &str) {
        let Some(entry) = entries.iter().find(|it| it.key == key && !it.value.is_null()) else {
            return;
        };
        let (path, span) = (join(at, key), entry.key_span);
        match self.effect.action {
            EffectAction::Prune => {
                let message = format!("`{path}`: {} drops it without an error", self.release());
                let help = format!(
                    "leave it out, or use {} {} or later",
                    self.row.program.title(),
                    self.row.from
                );
                let place = self.document.place(span);
                // An older release refuses what this row's drops.
                if !self.is_refused(&place) {
                    self.findings
                        .push(Diagnostic::warning(Code::Misleading, place, message).help(help));
                }
                entries.retain(|entry| entry.key != key);
            }
            EffectAction::Refuse(values) => {
                let text = entry.value.text().unwrap_or_default();
                if values.is_empty() {
                    self.refuse(span, &format!("`{path}`: {} refuses it", self.release()));
                } else if values.contains(&text) {
                    let message = format!("`{path}`: {} refuses `{text}`", self.release());
                    self.refuse(span, &message);
                }
            }
            EffectAction::Require(_) => {}
        }
    }

    /// Reports items of a list that lack a key.
    fn check_items(&mut self, items: &[Node], at: &str) {
        let EffectAction::Require(key) = self.effect.action else { return };
        for (index, item) in items.iter().enumerate().filter(|(_, item)| item.get(key).is_none()) {
            let release = self.release();
            let message = format!("`{at}[{index}]` has no `{key}`, which {release} requires");
            self.refuse(item.span, &message);
        }
    }

    /// Returns whether an error is reported at a place.
    fn is_refused(&self, place: &Place) -> bool {
        let mut errors = self.findings.iter().filter(|it| it.severity == Severity::Error);
        errors.any(|error| error.place.as_ref().is_some_and(|it| it.start() == place.start()))
    }

    fn refuse(&mut self, span: document::diag::Span, message: &str) {
        let help = match self.effect.action {
            EffectAction::Require(key) => format!("add `{key}`"),
            _ => format!("use {} {} or later", self.row.program.title(), self.row.from),
        };
        let place = self.document.place(span.first_line(self.document.source.text()));
        self.findings.push(Diagnostic::error(Code::ProfileLacks, place, message).help(help));
    }

    fn release(&self) -> String {
        let program = self.row.program;
        format!("{} {}", program.title(), self.releases.version(program))
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
