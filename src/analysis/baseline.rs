//! Baselines: the findings that a repository has already, so that `lint` fails for new ones only.

use document::diag::{Code, Diagnostic, Findings, Source};
use document::{Extra, KeyCase, Kind, Limits, Node, Shape, check, optional, parse, required};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The kind of the documents.
pub const KIND: &str = "LintBaseline";

/// The shape of a baseline.
pub static LINT_BASELINE: Shape = Shape {
    name: KIND,
    doc: "The findings of a repository that `armadactl lint --baseline` does not report.\n\
          `armadactl lint --write-baseline` writes it.",
    fields: &[
        required(
            "apiVersion",
            Kind::Exactly("armadaproject.io/v1"),
            "The form: armadaproject.io/v1.",
        ),
        required("kind", Kind::Exactly(KIND), "The kind: LintBaseline."),
        required(
            "findings",
            Kind::List { item: &Kind::Object(&FINDING), min: 0 },
            "The findings, by file and id.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

static FINDING: Shape = Shape {
    name: "finding",
    doc: "A finding that is not reported.",
    fields: &[
        required("id", Kind::SomeText, "The id of the finding: RP101."),
        required(
            "file",
            Kind::SomeText,
            "The file, from the root of the repository that the baseline is in.",
        ),
        optional("message", Kind::Text, "The message when the baseline was written, for readers."),
        required(
            "fingerprint",
            Kind::SomeText,
            "A hash of the id, the file, the name of the document, the line and the lines that it is nested in.\n\
             Lines that are added or removed elsewhere do not change it.",
        ),
    ],
    constraints: &[],
    extra: Extra::Refused,
    elsewhere: &[],
};

/// The findings of a baseline, by fingerprint.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Baseline(HashMap<String, KnownFinding>);

/// A finding of a baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFinding {
    /// Its id.
    pub code: Code,
    /// The file, from the root of the repository.
    pub file: String,
}

impl Baseline {
    /// Returns whether the baseline has a finding, by its fingerprint.
    pub fn has(&self, fingerprint: &str) -> bool {
        self.0.contains_key(fingerprint)
    }

    /// Returns the findings of the baseline that are not among those of these fingerprints.
    pub fn missing(&self, found: &[String]) -> impl Iterator<Item = &KnownFinding> {
        let found: HashSet<&String> = found.iter().collect();
        let missing = self.0.iter().filter(move |(known, _)| !found.contains(known));
        missing.map(|(_, finding)| finding)
    }
}

/// Reads a baseline; `None` if it has errors.
pub fn read_baseline(source: &Arc<Source>) -> (Option<Baseline>, Findings) {
    let (documents, mut findings) = parse(source, Limits::HISTORY);
    let Some(document) = documents.first() else { return (Some(Baseline::default()), findings) };
    check(source, &document.root, &LINT_BASELINE, KeyCase::Exact, &mut findings);
    let mut known = HashMap::new();
    for node in document.root.get("findings").map(Node::items).unwrap_or_default() {
        let text = |key: &str| node.get(key).and_then(Node::text);
        let (Some(id), Some(file), Some(fingerprint)) =
            (text("id"), text("file"), text("fingerprint"))
        else {
            continue;
        };
        let Some(code) = Code::from_id(id) else {
            let place = document.place(node.get("id").map_or(node.span, |id| id.span));
            let message = format!("no finding has the id `{id}`");
            let finding = Diagnostic::warning(Code::NotAChoice, place, message);
            findings.push(finding.help("write the baseline again: --write-baseline"));
            continue;
        };
        known.insert(fingerprint.to_owned(), KnownFinding { code, file: file.to_owned() });
    }
    let is_valid = !findings.has_errors();
    (is_valid.then_some(Baseline(known)), findings)
}
