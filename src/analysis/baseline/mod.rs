//! Baselines: the findings that a repository has already, so that `lint` fails for new ones only.

mod fingerprint;

pub use fingerprint::fingerprints;

use document::diag::{Code, Diagnostic, Findings, Place, Source, Span};
use document::{KeyCase, Kind, Limits, Node, check, parse, shapes};
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The kind of the documents.
pub const KIND: &str = "LintBaseline";

shapes! {
    /// The findings of a repository that `armadactl lint --baseline` does not report.
    /// `armadactl lint --write-baseline` writes it.
    pub static LINT_BASELINE = KIND {
        /// The form: armadaproject.io/v1.
        required apiVersion: Kind::Exactly("armadaproject.io/v1"),
        /// The kind: LintBaseline.
        required kind: Kind::Exactly(KIND),
        /// The findings, by file and id.
        required findings: Kind::List { item: &Kind::Object(&FINDING), min: 0 },
    }

    /// A finding that is not reported.
    static FINDING = "finding" {
        /// The id of the finding: RP101.
        required id: Kind::SomeText,
        /// The file, from the root of the repository that the baseline is in.
        required file: Kind::SomeText,
        /// The message when the baseline was written, for readers.
        optional message: Kind::Text,
        /// A hash of the id, the file, kind and name of the document, and the path to the finding.
        /// Of a list, it has the name or the content of the item. Lines, comments and style do not change it.
        required fingerprint: Kind::SomeText,
    }
}

/// The findings of a baseline, by fingerprint.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Baseline(HashMap<String, BaselineFinding>);

/// A finding of a baseline.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct BaselineFinding {
    /// The file, from the root of the repository that the baseline is in.
    pub file: String,
    /// The id.
    pub id: String,
    /// The message when the baseline was written.
    pub message: String,
    /// The fingerprint.
    pub fingerprint: String,
}

impl Baseline {
    /// Returns whether the baseline has a finding, by its fingerprint.
    pub fn has(&self, fingerprint: &str) -> bool {
        self.0.contains_key(fingerprint)
    }

    /// Returns the findings of the baseline that are not among those of these fingerprints.
    pub fn not_among<'b>(
        &'b self,
        fingerprints: &[String],
    ) -> impl Iterator<Item = &'b BaselineFinding> {
        let fingerprints: HashSet<&String> = fingerprints.iter().collect();
        self.0.values().filter(move |finding| !fingerprints.contains(&finding.fingerprint))
    }
}

/// Returns whether a text is a baseline, which no command reads as a document.
pub fn is_baseline(text: &str) -> bool {
    let is_kind = |line: &str| {
        let line = line.trim().trim_end_matches(',').replace(['"', '\'', ' '], "");
        line.strip_prefix("kind:") == Some(KIND)
    };
    text.lines().take(HEAD_LINES).any(is_kind)
}

/// The first lines of a document, in one of which a baseline has its kind.
const HEAD_LINES: usize = 10;

/// Reads a baseline; `None` if it has errors.
pub fn read_baseline(source: &Arc<Source>) -> (Option<Baseline>, Findings) {
    let (documents, mut findings) = parse(source, Limits::HISTORY);
    let [document] = documents.as_slice() else {
        let place = Place::new(source, Span::default());
        let finding = Diagnostic::error(Code::NoDocument, place, "a baseline is one document");
        findings.push(finding.help("write it again: `lint --write-baseline`"));
        return (None, findings);
    };
    check(source, &document.root, &LINT_BASELINE, KeyCase::Exact, &mut findings);
    let nodes = document.root.get("findings").map(Node::items).unwrap_or_default();
    let finding = |node: &Node| {
        let text = |key: &str| node.get(key).and_then(Node::text).unwrap_or_default().to_owned();
        let fingerprint = text("fingerprint");
        let finding = BaselineFinding {
            file: text("file"),
            id: text("id"),
            message: text("message"),
            fingerprint: fingerprint.clone(),
        };
        (fingerprint, finding)
    };
    let known = Baseline(nodes.iter().map(finding).collect());
    ((!findings.has_errors()).then_some(known), findings)
}
