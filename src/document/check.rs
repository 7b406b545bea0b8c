//! Holds a tree against a shape and reports everything that does not fit: which fields a mapping
//! has, lacks or should not have. What a single value must be is `value`'s.

use super::constraint::constraints;
use super::fault::mapping_help;
use super::misplaced::{has_field, path_through_lists, path_to, stands_elsewhere};
use super::node::MERGE_KEY;
use super::shape::listed;
use super::{Entry, Extra, KeyCase, Kind, Limits, Need, Node, NodeKind, Shape, too_many_findings};
use crate::diag::{Code, Diagnostic, Findings, Place, Source, Span, did_you_mean};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

/// Checks `node` against `shape`. What it reports is all that the shape can say; afterwards a
/// value that is there and of the right type can be taken at its word.
pub fn check(
    source: &Arc<Source>,
    node: &Node,
    shape: &'static Shape,
    keys: KeyCase,
    findings: &mut Findings,
) {
    let mut checker = Checker { source, keys, findings, count: 0, around: Vec::new() };
    checker.object(node, shape, shape.name, node.span);
}

pub(super) struct Checker<'a> {
    source: &'a Arc<Source>,
    keys: KeyCase,
    findings: &'a mut Findings,
    /// How many findings there have been.
    count: usize,
    /// The mappings around the present one, outermost first.
    around: Vec<Around>,
}

/// A mapping that is being looked into.
struct Around {
    shape: &'static Shape,
    /// What it is called in messages.
    name: String,
    /// Its keys that the shape does not have.
    strange: Vec<String>,
}

impl Checker<'_> {
    /// An error at a span, of which the first line is shown: a mapping may fill a whole file.
    pub(super) fn error(&self, code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.place(span), message)
    }

    pub(super) fn warning(&self, code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::warning(code, self.place(span), message)
    }

    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        self.count += 1;
        match (self.count.cmp(&(Limits::FINDINGS + 1)), diagnostic.place.clone()) {
            (Ordering::Equal, Some(place)) => self.findings.push(too_many_findings(place)),
            (Ordering::Less, _) => self.findings.push(diagnostic),
            _ => {}
        }
    }

    /// Whether nothing more would be reported.
    pub(super) fn is_full(&self) -> bool {
        self.count > Limits::FINDINGS
    }

    fn place(&self, span: Span) -> Place {
        Place::new(self.source, span.first_line(self.source.text()))
    }

    /// The entry that says a field.
    pub(super) fn written<'n>(&self, node: &'n Node, field: &str) -> Option<&'n Entry> {
        match self.keys {
            KeyCase::Exact => node.entry(field),
            KeyCase::Folded => node.entry_in_any_case(field),
        }
    }

    /// Whether nothing stands where a field is looked for. An alias without an anchor has been
    /// reported as such; what it was to bring is not missing too.
    pub(super) fn is_absent(&self, node: &Node, field: &str) -> bool {
        self.written(node, field)
            .is_none_or(|e| e.value.is_null() && !self.is_broken_alias(&e.value))
            && !node.entry(MERGE_KEY).is_some_and(|e| self.is_broken_alias(&e.value))
    }

    /// Whether an alias without an anchor stands here.
    pub(super) fn is_broken_alias(&self, node: &Node) -> bool {
        node.is_broken_alias(self.source.text())
    }

    /// `name` is what the mapping is called in messages, `head` where a finding about it as a
    /// whole points.
    pub(super) fn object(&mut self, node: &Node, shape: &'static Shape, name: &str, head: Span) {
        let NodeKind::Map(entries) = &node.kind else {
            let help = mapping_help(node, shape);
            self.wrong_type(node, name, &Kind::Object(shape).expected(), help);
            return;
        };
        self.duplicates(entries);
        let strange = entries.iter().filter(|entry| shape.field(&entry.key).is_none());
        let strange = strange.map(|entry| entry.key.clone()).collect();
        self.around.push(Around { shape, name: name.to_owned(), strange });
        let mut meant = Vec::new();
        for entry in entries {
            if !self.is_full() {
                meant.extend(self.entry(entry, node, shape, name));
            }
        }
        self.around.pop();
        self.missing(node, shape, (name, head), &meant);
        constraints(self, node, shape, head);
    }

    /// Reports required fields that are not there, unless another finding has spoken of them:
    /// those that a misspelt key was `meant` to be, and those that stand a level off.
    fn missing(
        &mut self,
        node: &Node,
        shape: &'static Shape,
        (name, head): (&str, Span),
        meant: &[&str],
    ) {
        for field in shape.fields.iter().filter(|field| field.need == Need::Required) {
            let written = self.written(node, field.name);
            let outside = || self.around.iter().flat_map(|outer| &outer.strange);
            if !self.is_absent(node, field.name)
                || meant.contains(&field.name)
                || written.is_none() && stands_elsewhere(field, node, shape)
                || written.is_none() && outside().any(|key| key == field.name)
            {
                continue;
            }
            let expected = field.kind.expected();
            let (span, message, help) = match written {
                Some(entry) => (
                    entry.key_span,
                    format!("`{}` has no value", entry.key),
                    format!("give it {expected}"),
                ),
                None => (
                    head,
                    format!("{} has no `{}`", called("the", shape, name), field.name),
                    format!("add `{}`: {expected}", field.name),
                ),
            };
            self.push(self.error(Code::MissingField, span, message).help(help));
        }
    }

    pub(super) fn duplicates(&mut self, entries: &[Entry]) {
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
                format!("`{}` stands here again", entry.key)
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

    /// Checks an entry. Gives the field that its key was probably meant to be, if it is none.
    fn entry(
        &mut self,
        entry: &Entry,
        node: &Node,
        shape: &'static Shape,
        name: &str,
    ) -> Option<&'static str> {
        if let Some(field) = shape.field(&entry.key) {
            self.field(entry, &field.kind);
            return None;
        }
        let other_case = shape.fields.iter().find(|f| f.name.eq_ignore_ascii_case(&entry.key));
        if let (KeyCase::Folded, Some(field)) = (self.keys, other_case) {
            let same = |other: &&Entry| other.key.eq_ignore_ascii_case(field.name);
            // Beside another spelling of it, it is a key that stands twice.
            if node.entries().iter().filter(same).nth(1).is_none() {
                let message = format!("`{}` is an odd spelling of `{}`", entry.key, field.name);
                let help = "Armada takes any case of a key, other tools may not";
                let finding = self.warning(Code::OddSpelling, entry.key_span, message);
                self.push(finding.help(format!("write `{}`: {help}", field.name)));
            }
            self.field(entry, &field.kind);
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
            Extra::Tolerated if let Some((_, owner)) = elsewhere => {
                let message = no_field(shape, name, &entry.key);
                self.push(self.error(Code::UnknownField, entry.key_span, message).help(*owner));
                None
            }
            Extra::Tolerated => {
                self.slip(entry, node, shape, name);
                None
            }
        }
    }

    /// Whether a key that `shape` does not have is a field of another mapping of the document.
    fn is_misplaced(&self, key: &str, shape: &'static Shape) -> bool {
        let outermost = self.around.first().map_or(shape, |outer| outer.shape);
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
        let mut outer = self.around.iter().rev().skip(1);
        let outer = outer.find(|outer| outer.shape.field(&entry.key).is_some());
        let near = did_you_mean(&entry.key, names());
        let help = match (path_to(shape, &entry.key), outer, near) {
            (Some(path), ..) => format!("it stands under `{path}`"),
            (None, Some(outer), _) => {
                format!("it belongs to {}; check the indentation", self.owner(outer))
            }
            (None, None, _) if shape.extra == Extra::Tolerated => {
                let outermost = self.around.first().map_or(shape, |outer| outer.shape);
                let inside = path_through_lists(shape, &entry.key);
                let path = inside.or_else(|| path_through_lists(outermost, &entry.key));
                format!("it stands under `{}`", path.unwrap_or_default())
            }
            (None, None, Some(name)) => format!("did you mean `{name}`?"),
            (None, None, None) if shape.fields.is_empty() => "it is empty here".to_owned(),
            (None, None, None) if shape.fields.len() == 1 => {
                format!("its only field is {}", listed(names()))
            }
            (None, None, None) => {
                format!("its fields are {}", listed(names()).replace(" or ", " and "))
            }
        };
        let message = no_field(shape, name, &entry.key);
        self.push(self.error(Code::UnknownField, entry.key_span, message).help(help));
        near
    }

    /// What a mapping around the present one is called: "the Job's `spec`".
    fn owner(&self, mapping: &Around) -> String {
        if let Some((unit, key)) = mapping.shape.name.split_once("'s ") {
            return format!("the {unit}'s `{key}`");
        }
        match self.around.first() {
            Some(outermost) if !std::ptr::eq(outermost, mapping) => {
                format!("the {}'s `{}`", outermost.shape.name, mapping.name)
            }
            _ => format!("the {}", mapping.shape.name),
        }
    }

    fn field(&mut self, entry: &Entry, kind: &'static Kind) {
        if !entry.value.is_null() {
            self.value(&entry.value, kind, &entry.key, entry.key_span);
        }
    }

    /// A mapping with free keys.
    pub(super) fn free_map(&mut self, node: &Node, value: &'static Kind, name: &str) {
        let NodeKind::Map(entries) = &node.kind else {
            return self.wrong_type(node, name, "a mapping", None);
        };
        self.duplicates(entries);
        for entry in entries {
            if !entry.value.is_null() {
                self.value(&entry.value, value, &entry.key, entry.key_span);
            } else if !value.may_be_null() && !self.is_broken_alias(&entry.value) {
                let message = format!("`{}` has no value", entry.key);
                let help = format!("give it {}, or remove it", value.expected());
                self.push(self.error(Code::MissingField, entry.key_span, message).help(help));
            }
        }
    }
}

/// "a rule has no field `x`".
pub(super) fn no_field(shape: &Shape, name: &str, key: &str) -> String {
    format!("{} has no field `{key}`", called("a", shape, name))
}

/// "a rule", "the RetryPolicy"; what is called like the key it stands under needs no article.
fn called(article: &str, shape: &Shape, name: &str) -> String {
    if shape.name == name && name.starts_with(|c: char| c.is_ascii_lowercase()) {
        return format!("`{name}`");
    }
    format!("{article} {}", shape.name)
}
