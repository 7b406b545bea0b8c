//! Checks a tree against a shape: which fields a mapping has, lacks or must not have, and the
//! constraints between them. `value` checks single values.

use super::fault::mapping_help;
use super::key_mistakes::{
    has_field, is_present_elsewhere, misspelt_entry, path_through_lists, path_to,
};
use super::node::MERGE_KEY;
use super::shape::listed;
use super::{
    Constraint, Entry, Extra, KeyCase, Kind, Limits, Need, Node, NodeKind, Shape, too_many_findings,
};
use crate::diag::{Code, Diagnostic, Findings, Place, Source, Span, did_you_mean};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

/// Checks `node` against `shape` and reports every violation. If there is none, readers may rely on
/// the types and ranges of the values.
pub fn check(
    source: &Arc<Source>,
    node: &Node,
    shape: &'static Shape,
    keys: KeyCase,
    findings: &mut Findings,
) {
    let mut checker = Checker { source, keys, findings, count: 0, parents: Vec::new() };
    checker.check_object(node, shape, shape.name, node.span);
}

pub(super) struct Checker<'a> {
    source: &'a Arc<Source>,
    keys: KeyCase,
    findings: &'a mut Findings,
    /// The number of findings so far, for [`Limits::FINDINGS`].
    count: usize,
    /// The mappings that contain the current node, outermost first.
    parents: Vec<Parent>,
}

/// A mapping whose entries are being checked.
struct Parent {
    shape: &'static Shape,
    /// The name in messages.
    name: String,
    /// The keys that the shape lacks.
    unknown_keys: Vec<String>,
}

impl Checker<'_> {
    /// An error at the first line of a span: a mapping may fill a whole file.
    pub(super) fn error(&self, code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.place(span), message)
    }

    pub(super) fn warning(&self, code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::warning(code, self.place(span), message)
    }

    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        self.count += 1;
        // One finding beyond the limit says that there are more; the others are only counted.
        match (self.count.cmp(&(Limits::FINDINGS + 1)), diagnostic.place.clone()) {
            (Ordering::Equal, Some(place)) => self.findings.push(too_many_findings(place)),
            (Ordering::Less, _) => self.findings.push(diagnostic),
            _ => {}
        }
    }

    /// Whether the limit of findings is reached.
    pub(super) fn is_full(&self) -> bool {
        self.count > Limits::FINDINGS
    }

    /// Whether a value is one of this kind.
    pub(super) fn fits(&self, node: &Node, kind: &'static Kind) -> bool {
        let mut findings = Findings::new();
        let parents = Vec::new();
        let (source, keys) = (self.source, self.keys);
        let mut checker = Checker { source, keys, findings: &mut findings, count: 0, parents };
        checker.check_value(node, kind, "", node.span);
        findings.is_empty()
    }

    fn place(&self, span: Span) -> Place {
        Place::new(self.source, span.first_line(self.source.text()))
    }

    /// The entry of a field, in any case if the document's keys may have any.
    pub(super) fn find_entry<'n>(&self, node: &'n Node, field: &str) -> Option<&'n Entry> {
        match self.keys {
            KeyCase::Exact => node.entry(field),
            KeyCase::Folded => node.entry_in_any_case(field),
        }
    }

    /// Whether a field is absent or null. An alias without an anchor counts as present: it has been
    /// reported, and a second finding about the field would be noise.
    pub(super) fn is_absent(&self, node: &Node, field: &str) -> bool {
        self.find_entry(node, field)
            .is_none_or(|e| e.value.is_null() && !self.is_broken_alias(&e.value))
            && !node.entry(MERGE_KEY).is_some_and(|e| self.is_broken_alias(&e.value))
    }

    /// Whether the node is an alias without an anchor.
    pub(super) fn is_broken_alias(&self, node: &Node) -> bool {
        node.is_broken_alias(self.source.text())
    }

    /// Checks a mapping. `name` is its name in messages; `head` is the span of findings about the
    /// whole mapping.
    pub(super) fn check_object(
        &mut self,
        node: &Node,
        shape: &'static Shape,
        name: &str,
        head: Span,
    ) {
        let NodeKind::Map(entries) = &node.kind else {
            let help = mapping_help(node, shape, |node, kind| self.fits(node, kind));
            self.wrong_type(node, name, &Kind::Object(shape).expected(), help);
            return;
        };
        self.report_duplicates(entries);
        let unknown_keys = entries.iter().filter(|entry| shape.field(&entry.key).is_none());
        let unknown_keys = unknown_keys.map(|entry| entry.key.clone()).collect();
        self.parents.push(Parent { shape, name: name.to_owned(), unknown_keys });
        let mut intended = Vec::new();
        for entry in entries {
            if !self.is_full() {
                intended.extend(self.check_entry(entry, node, shape, name));
            }
        }
        self.parents.pop();
        self.report_missing(node, shape, (name, head), &intended);
        check_constraints(self, node, shape, head);
    }

    /// Reports required fields that are absent, unless another finding is about them:
    /// those that a misspelt key was `intended` to be, and those that are on a wrong level.
    fn report_missing(
        &mut self,
        node: &Node,
        shape: &'static Shape,
        (name, head): (&str, Span),
        intended: &[&str],
    ) {
        for field in shape.fields.iter().filter(|field| field.need == Need::Required) {
            let entry = self.find_entry(node, field.name);
            let outside = || self.parents.iter().flat_map(|outer| &outer.unknown_keys);
            if !self.is_absent(node, field.name)
                || intended.contains(&field.name)
                || entry.is_none() && is_present_elsewhere(field, node, shape)
                || entry.is_none() && outside().any(|key| key == field.name)
            {
                continue;
            }
            let expected = field.kind.expected();
            let lacks = || format!("{} has no `{}`", with_article("the", shape, name), field.name);
            let misspelt = misspelt_entry(field.name, node, shape);
            let (span, message, help) = match (entry, misspelt) {
                (Some(entry), _) => (
                    entry.key_span,
                    format!("`{}` has no value", entry.key),
                    format!("give it {expected}"),
                ),
                (None, Some(entry)) => {
                    let help = format!("write `{}` in place of `{}`", field.name, entry.key);
                    (entry.key_span, lacks(), help)
                }
                (None, None) => (head, lacks(), format!("add `{}`: {expected}", field.name)),
            };
            self.push(self.error(Code::MissingField, span, message).help(help));
        }
    }

    pub(super) fn report_duplicates(&mut self, entries: &[Entry]) {
        let mut seen: HashMap<Cow<'_, str>, &Entry> = HashMap::with_capacity(entries.len());
        for entry in entries {
            let key = match self.keys {
                KeyCase::Exact => Cow::Borrowed(entry.key.as_str()),
                KeyCase::Folded => Cow::Owned(entry.key.to_ascii_lowercase()),
            };
            let Some(first) = seen.get(&key) else {
                seen.insert(key, entry);
                continue;
            };
            let message = if first.key == entry.key {
                format!("duplicate key `{}`", entry.key)
            } else {
                format!("`{}` and `{}` are the same key", entry.key, first.key)
            };
            let finding = self
                .error(Code::DuplicateKey, entry.key_span, message)
                .labelled("again")
                .also(self.place(first.key_span), "first")
                .help("keep one of them");
            self.push(finding);
        }
    }

    /// Checks an entry. If its key is unknown, returns the field that the author probably meant.
    fn check_entry(
        &mut self,
        entry: &Entry,
        node: &Node,
        shape: &'static Shape,
        name: &str,
    ) -> Option<&'static str> {
        if let Some(field) = shape.field(&entry.key) {
            self.check_field(entry, &field.kind);
            return None;
        }
        // The exact name comes first; only then is another case a spelling of it.
        let other_case = shape.fields.iter().find(|f| f.name.eq_ignore_ascii_case(&entry.key));
        if let (KeyCase::Folded, Some(field)) = (self.keys, other_case) {
            let same = |other: &&Entry| other.key.eq_ignore_ascii_case(field.name);
            // If the field is present in two spellings, `report_duplicates` has reported it.
            if node.entries().iter().filter(same).nth(1).is_none() {
                let message = format!("`{}` is an unusual spelling of `{}`", entry.key, field.name);
                let help = "Armada accepts keys in any case; other tools may not";
                let finding = self.warning(Code::OddSpelling, entry.key_span, message);
                self.push(finding.help(format!("write `{}`: {help}", field.name)));
            }
            self.check_field(entry, &field.kind);
            return None;
        }
        let elsewhere = shape.elsewhere.iter().find(|(name, _)| *name == entry.key);
        if let Some((_, instead)) = elsewhere.filter(|_| shape.extra != Extra::Tolerated) {
            let message = format!("{} in this form", no_field(shape, name, &entry.key));
            self.push(self.error(Code::OtherForm, entry.key_span, message).help(*instead));
            return None;
        }
        match shape.extra {
            Extra::Refused => self.unknown_field(entry, shape, name),
            Extra::Ignored => None,
            Extra::Tolerated if self.is_misplaced(&entry.key, shape) => {
                self.unknown_field(entry, shape, name)
            }
            Extra::Tolerated if let Some((_, describe_parent)) = elsewhere => {
                let message = no_field(shape, name, &entry.key);
                self.push(
                    self.error(Code::UnknownField, entry.key_span, message).help(*describe_parent),
                );
                None
            }
            Extra::Tolerated => {
                self.warn_of_misspelling(entry, node, shape, name);
                None
            }
        }
    }

    /// Whether a key that `shape` does not have is a field of another mapping of the document.
    fn is_misplaced(&self, key: &str, shape: &'static Shape) -> bool {
        let outermost = self.parents.first().map_or(shape, |outer| outer.shape);
        has_field(outermost, key)
    }

    fn unknown_field(
        &mut self,
        entry: &Entry,
        shape: &'static Shape,
        name: &str,
    ) -> Option<&'static str> {
        if entry.key == MERGE_KEY && self.is_broken_alias(&entry.value) {
            return None;
        }
        let names = || shape.fields.iter().map(|field| field.name);
        // Skips the mapping that is checked: its own fields have been compared.
        let mut outer = self.parents.iter().rev().skip(1);
        let outer = outer.find(|outer| outer.shape.field(&entry.key).is_some());
        let suggestion = did_you_mean(&entry.key, names());
        let help = match (path_to(shape, &entry.key), outer, suggestion) {
            (Some(path), ..) => format!("it belongs under `{path}`"),
            (None, Some(outer), _) => {
                format!("it belongs to {}; check the indentation", self.describe_parent(outer))
            }
            (None, None, _) if shape.extra == Extra::Tolerated => {
                let outermost = self.parents.first().map_or(shape, |outer| outer.shape);
                let inside = path_through_lists(shape, &entry.key);
                let path = inside.or_else(|| path_through_lists(outermost, &entry.key));
                format!("it belongs under `{}`", path.unwrap_or_default())
            }
            (None, None, Some(name)) => format!("did you mean `{name}`?"),
            (None, None, None) if shape.fields.is_empty() => "it has no fields".to_owned(),
            (None, None, None) if shape.fields.len() == 1 => {
                format!("its only field is {}", listed(names()))
            }
            (None, None, None) => {
                format!("its fields are {}", listed(names()).replace(" or ", " and "))
            }
        };
        let message = no_field(shape, name, &entry.key);
        self.push(self.error(Code::UnknownField, entry.key_span, message).help(help));
        suggestion
    }

    /// The name of a containing mapping in messages: "the Job's `spec`".
    fn describe_parent(&self, mapping: &Parent) -> String {
        if let Some((unit, key)) = mapping.shape.name.split_once("'s ") {
            return format!("the {unit}'s `{key}`");
        }
        match self.parents.first() {
            Some(outermost) if !std::ptr::eq(outermost, mapping) => {
                format!("the {}'s `{}`", outermost.shape.name, mapping.name)
            }
            _ => format!("the {}", mapping.shape.name),
        }
    }

    fn check_field(&mut self, entry: &Entry, kind: &'static Kind) {
        if !entry.value.is_null() {
            self.check_value(&entry.value, kind, &entry.key, entry.key_span);
        }
    }

    /// Checks a mapping with free keys.
    pub(super) fn check_free_map(&mut self, node: &Node, value: &'static Kind, name: &str) {
        let NodeKind::Map(entries) = &node.kind else {
            return self.wrong_type(node, name, "a mapping", None);
        };
        self.report_duplicates(entries);
        for entry in entries {
            if !entry.value.is_null() {
                self.check_value(&entry.value, value, &entry.key, entry.key_span);
            } else if !value.may_be_null() && !self.is_broken_alias(&entry.value) {
                let message = format!("`{}` has no value", entry.key);
                let help = format!("give it {}, or remove it", value.expected());
                self.push(self.error(Code::MissingField, entry.key_span, message).help(help));
            }
        }
    }
}

/// The message about an unknown key: "a rule has no field `x`".
pub(super) fn no_field(shape: &Shape, name: &str, key: &str) -> String {
    format!("{} has no field `{key}`", with_article("a", shape, name))
}

/// The name with its article: "a rule", "the RetryPolicy". A mapping with the name of its key gets no
/// article.
fn with_article(article: &str, shape: &Shape, name: &str) -> String {
    if shape.name == name && name.starts_with(|c: char| c.is_ascii_lowercase()) {
        return format!("`{name}`");
    }
    format!("{article} {}", shape.name)
}

/// Reports the constraints of `shape` that `node` violates; `head` is the span of findings about the
/// whole mapping.
fn check_constraints(checker: &mut Checker<'_>, node: &Node, shape: &Shape, head: Span) {
    // A misspelt or misplaced field has been reported, so it is not reported as missing too.
    let has_unknown_keys = node
        .entries()
        .iter()
        .any(|entry| shape.fields.iter().all(|field| !field.name.eq_ignore_ascii_case(&entry.key)));
    for constraint in shape.constraints {
        match constraint {
            Constraint::AtLeastOne { fields, code, message, help } => {
                if !has_unknown_keys && fields.iter().all(|field| checker.is_absent(node, field)) {
                    let finding = checker.error(*code, head, *message).help(*help);
                    checker.push(finding);
                }
            }
            Constraint::ExactlyOne { fields, code, none, several, help } => {
                let present = fields.iter().filter(|field| !checker.is_absent(node, field));
                let message = match present.count() {
                    1 => continue,
                    0 if has_unknown_keys => continue,
                    0 => none,
                    _ => several,
                };
                let finding = checker.error(*code, head, *message).help(*help);
                checker.push(finding);
            }
            Constraint::Needs { field, needs, code, message, help } => {
                if !has_unknown_keys
                    && !checker.is_absent(node, field)
                    && checker.is_absent(node, needs)
                {
                    let span = checker.find_entry(node, field).map_or(head, |entry| entry.key_span);
                    let finding = checker.error(*code, span, *message).help(*help);
                    checker.push(finding);
                }
            }
        }
    }
}
