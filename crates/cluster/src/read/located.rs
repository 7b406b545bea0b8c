//! Reading of values of a checked document, and findings at their places.

use super::super::requirements::{Labels, Taint};
use super::super::spec::{Nanoseconds, ShiftedExponential};
use document::diag::{Code, Diagnostic, Findings, Place, Span, did_you_mean};
use document::units::{GoDuration, Quantity};
use document::{Document, Limits, Node, too_many_findings};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

pub(super) use super::super::failure::MAX_DURATION;
const SECOND: i64 = 1_000_000_000;

/// A document that is being read, and the findings about it.
pub(super) struct Reader<'d> {
    pub(super) document: &'d Document,
    pub(super) findings: Findings,
    count: usize,
}

impl<'d> Reader<'d> {
    pub(super) fn new(document: &'d Document, findings: Findings) -> Self {
        Self { document, findings, count: 0 }
    }

    /// Returns the place of a span. Only its first line is used, since it may be a long mapping.
    pub(super) fn place(&self, span: Span) -> Place {
        self.document.place(span.first_line(self.document.source.text()))
    }

    /// Reports an error.
    pub(super) fn error(&mut self, code: Code, span: Span, message: String, help: String) {
        self.push(Diagnostic::error(code, self.place(span), message).help(help));
    }

    /// Reports a warning.
    pub(super) fn warning(&mut self, code: Code, span: Span, message: String, help: String) {
        self.push(Diagnostic::warning(code, self.place(span), message).help(help));
    }

    /// Reports a finding, unless there are too many already.
    pub(super) fn push(&mut self, finding: Diagnostic) {
        self.count += 1;
        match (self.count.cmp(&(Limits::FINDINGS + 1)), finding.place.clone()) {
            (std::cmp::Ordering::Equal, Some(place)) => {
                self.findings.push(too_many_findings(place));
            }
            (std::cmp::Ordering::Less, _) => self.findings.push(finding),
            _ => {}
        }
    }

    /// Registers a name. Reports one that is already used, and returns `false`. `kind` is the kind
    /// of object.
    pub(super) fn register_name(
        &mut self,
        names: &mut HashMap<String, Place>,
        (kind, name): (&str, &str),
        span: Span,
    ) -> bool {
        let place = self.place(span);
        let first = match names.entry(name.to_owned()) {
            Entry::Vacant(entry) => {
                entry.insert(place);
                return true;
            }
            Entry::Occupied(first) => first.get().clone(),
        };
        let message = format!("the {kind} `{name}` is defined again");
        let finding = Diagnostic::error(Code::DuplicateDocument, place, message);
        let finding = finding.labelled("again").also(first, "first");
        self.push(finding.help("rename or remove one of them"));
        false
    }

    /// Returns the duration under a key; 0 if it is absent.
    pub(super) fn duration(&mut self, node: &Node, key: &str) -> Nanoseconds {
        node.get(key).map_or(0, |value| self.duration_of(value, key))
    }

    /// Returns the duration of a value; `key` is its name in messages.
    pub(super) fn duration_of(&mut self, value: &Node, key: &str) -> Nanoseconds {
        let Some(duration) = nanoseconds(value) else { return 0 };
        if duration <= i128::from(MAX_DURATION) {
            return i64::try_from(duration).unwrap_or(MAX_DURATION);
        }
        let message = format!("`{key}` is longer than 100 years");
        let help = format!("write at most `{}h`", MAX_DURATION / SECOND / 3600);
        self.error(Code::BadDuration, value.span, message, help);
        0
    }

    /// Returns the distribution under a key; 0 if it is absent.
    pub(super) fn distribution(&mut self, node: &Node, key: &str) -> ShiftedExponential {
        let Some(value) = node.get(key) else { return ShiftedExponential::default() };
        ShiftedExponential {
            minimum: self.duration(value, "minimum"),
            tail_mean: self.duration(value, "tailMean"),
        }
    }
}

/// Returns the duration of a node, if it has one.
pub(super) fn nanoseconds(node: &Node) -> Option<i128> {
    if let Some(scalar) = node.scalar() {
        let duration = GoDuration::parse(&scalar.text).ok()?.as_nanos();
        return Some(i128::from(duration)).filter(|duration| *duration >= 0);
    }
    let part = |key| node.get(key).map_or(Some(0), Node::integer);
    let seconds = part("seconds")?.checked_mul(i128::from(SECOND))?;
    seconds.checked_add(part("nanos")?).filter(|duration| *duration >= 0)
}

/// Returns the text under a key, empty if it is absent.
pub(super) fn text<'n>(node: &'n Node, key: &str) -> &'n str {
    node.get(key).and_then(Node::text).unwrap_or_default()
}

/// Returns the items under a key.
pub(super) fn items<'n>(node: &'n Node, key: &str) -> &'n [Node] {
    node.get(key).map(Node::items).unwrap_or_default()
}

/// Returns the texts of a list under a key, with their nodes.
pub(super) fn texts<'n>(node: &'n Node, key: &str) -> impl Iterator<Item = (&'n str, &'n Node)> {
    items(node, key).iter().filter_map(|item| Some((item.text()?, item)))
}

/// Returns the whole number under a key.
pub(super) fn whole(node: &Node, key: &str) -> Option<u32> {
    node.get(key)?.integer().and_then(|value| u32::try_from(value).ok())
}

/// Returns the quantity of a node.
pub(super) fn quantity(node: &Node) -> Option<Quantity> {
    Quantity::parse(&node.scalar()?.text).ok()
}

/// Returns the quantities of a mapping, by key.
pub(super) fn quantities(node: &Node) -> impl Iterator<Item = (&str, Quantity)> {
    node.entries().iter().filter_map(|entry| Some((entry.key.as_str(), quantity(&entry.value)?)))
}

/// Returns the supported resource that is most similar to an unsupported name: `nvidia.com/gpu` for `gpu`.
pub(super) fn near_resource<'n>(name: &str, known: &'n [String]) -> Option<&'n str> {
    let mut known_names = known.iter().map(String::as_str);
    let has_suffix = |known: &&str| known.rsplit_once('/').is_some_and(|(_, end)| end == name);
    known_names.find(has_suffix).or_else(|| did_you_mean(name, known.iter().map(String::as_str)))
}

/// Reads a mapping of texts. A key without a value has an empty text.
pub(super) fn labels(node: &Node, key: &str) -> Labels {
    let entries = node.get(key).map(Node::entries).unwrap_or_default();
    let value = |node: &Node| node.text().unwrap_or_default().to_owned();
    entries.iter().map(|entry| (entry.key.clone(), value(&entry.value))).collect()
}

/// Returns the taints under `taints`.
pub(super) fn taints(node: &Node) -> Vec<Taint> {
    let taint = |node: &Node| Taint {
        key: text(node, "key").to_owned(),
        value: text(node, "value").to_owned(),
        effect: text(node, "effect").to_owned(),
    };
    items(node, "taints").iter().map(taint).collect()
}
