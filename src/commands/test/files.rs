//! The test documents of files and directories, and the policies that they name.

use super::relative_path::resolve_relative;
use super::session::Session;
use super::{armada, manifests};
use crate::analysis::unit_test::{KIND, TestShape};
use crate::input::{self, Endings};
use crate::project::{PolicyScope, Project};
use armada_retry::policy::{Documents, OtherDocument};
use document::diag::{Code, Diagnostic, Findings, Place, did_you_mean};
use document::{Document, KeyCase, Limits, Node, OmittedFindings, check, parse};
use replay::history::ArmadaRun;
use std::collections::BTreeSet;
use std::path::PathBuf;
use systems::with_system;
#[cfg(feature = "internals")]
use {crate::report::CoverageReport, document::diag::Source, std::sync::Arc};

/// The endings of the files of a directory that are read.
const ENDINGS: Endings = Endings::Plain(&["yaml", "yml", "json"]);

/// Reads the test documents of files and directories. In directories, other documents are ignored.
pub(super) fn test_documents(paths: &[PathBuf], session: &mut Session) -> Vec<Document> {
    let mut documents = Vec::new();
    let mut omitted = OmittedFindings::default();
    let files = input::expand(paths, ENDINGS, &mut session.findings);
    session.inputs.extend(paths.iter().cloned());
    for file in files {
        session.inputs.insert(file.clone());
        let is_named = paths.contains(&file);
        let mut findings = Findings::new();
        let Some(source) = input::read_text(&file, Limits::POLICY, &mut findings) else {
            omitted.keep_or_count(findings, &mut session.findings);
            continue;
        };
        let (all, found) = parse(&source, Limits::POLICY);
        findings.extend(found);
        let before = documents.len();
        let mut others = Vec::new();
        for document in all {
            match document.root.get("kind").and_then(Node::text) {
                Some(KIND) => documents.push(document),
                kind => others.push((kind.map(str::to_owned), document)),
            }
        }
        let has_tests = documents.len() > before;
        // A file of a directory that cannot be read may be unrelated, unless it has the word.
        if is_named || has_tests || findings.has_errors() && source.text().contains(KIND) {
            omitted.keep_or_count(findings, &mut session.findings);
        }
        for (kind, document) in others {
            let finding = other_kind(kind.as_deref(), &document, is_named && !has_tests);
            let findings = finding.map(Findings::of).unwrap_or_default();
            omitted.keep_or_count(findings, &mut session.findings);
        }
        if is_named && !has_tests && !session.findings.has_errors() {
            let place = Place::new(&source, document::diag::Span::default());
            let finding = Diagnostic::error(Code::NoDocument, place, "the file has no tests");
            session.findings.push(finding.help(format!("write a `kind: {KIND}` document")));
        }
    }
    session.findings.extend(omitted.take());
    documents
}

/// The finding about a document of another kind: in a directory only if its kind is misspelt.
fn other_kind(kind: Option<&str>, document: &Document, is_named: bool) -> Option<Diagnostic> {
    let node = document.root.get("kind");
    let place = document.place(node.map_or(document.root.span, |node| node.span));
    let place = Place::new(&place.source, place.span.first_line(place.source.text()));
    let is_near =
        kind.is_some_and(|kind| did_you_mean(kind, [KIND]).is_some() && kind != "RetryPolicy");
    if is_near {
        let message = format!("unknown kind `{}`", kind.unwrap_or_default());
        let finding = Diagnostic::error(Code::UnknownDocument, place, message);
        return Some(finding.help(format!("did you mean `{KIND}`?")));
    }
    let message = match kind {
        Some(kind) => format!("a {kind} has no tests"),
        None => "the document has no `kind`".to_owned(),
    };
    let finding = Diagnostic::error(Code::UnknownDocument, place, message);
    is_named.then(|| {
        finding.help(format!(
            "give files with `kind: {KIND}` documents; `test --init -f POLICY` writes one"
        ))
    })
}

/// Checks or runs the tests of a document.
pub(super) fn run_document(document: &Document, session: &mut Session) {
    let name = document.source.name().to_owned();
    session.files.insert(name);
    let paths = policy_paths(document, session);
    if paths.is_empty() {
        return check_frame(document, &mut session.findings);
    }
    run_with(document, Project::read(&paths, PolicyScope::OneSystem), session);
}

/// Checks or runs the tests of a document of these policies. If they have errors, only its frame is checked.
fn run_with(document: &Document, mut project: Project, session: &mut Session) {
    let found = std::mem::take(&mut project.findings);
    let has_errors = found.has_errors();
    session.findings.extend(found);
    if has_errors {
        return check_frame(document, &mut session.findings);
    }
    with_system!(
        project.system,
        Armada => armada::run(document, project.documents, session),
        S => manifests::run::<S>(document, &project.documents, session),
    );
}

/// Runs the tests of a text with the policies of another, whatever files it names; returns all findings and the number
/// of tests that ran.
#[cfg(feature = "internals")]
pub fn run_texts(tests: &Arc<Source>, policies: &Arc<Source>) -> (Findings, usize) {
    let mut session = Session::default();
    let (documents, findings) = parse(tests, Limits::POLICY);
    session.findings.extend(findings);
    let is_test = |document: &&Document| {
        document.root.get("kind").and_then(Node::text).is_some_and(|kind| kind == KIND)
    };
    for document in documents.iter().filter(is_test) {
        let project =
            Project::from_sources(&[Arc::clone(policies)], PolicyScope::OneSystem, Findings::new());
        run_with(document, project, &mut session);
    }
    let coverage = CoverageReport::new(&session.coverage, None);
    let mut findings = session.findings.clone();
    findings.extend(session.as_findings(&coverage));
    (findings, session.results.len())
}

/// Checks a document of which the system is not known, since its policies cannot be read.
fn check_frame(document: &Document, findings: &mut Findings) {
    let shape = TestShape::<ArmadaRun>::DOCUMENT;
    let mut found = Findings::new();
    check(&document.source, &document.root, shape, KeyCase::Exact, &mut found);
    // Failures have other fields in other systems.
    let tests = document.root.at(&["spec", "tests"]).map(|tests| tests.span.start);
    findings.extend(found.into_iter().filter(|finding| {
        let start = finding.place.as_ref().map(|place| place.span.start);
        tests.is_none_or(|tests| start.is_some_and(|start| start <= tests))
    }));
}

/// The files, directories and patterns with a document's policies.
fn policy_paths(document: &Document, session: &mut Session) -> Vec<PathBuf> {
    let nodes = document.root.at(&["spec", "policies"]).map(Node::items).unwrap_or_default();
    let mut paths = Vec::new();
    for node in nodes {
        let Some(text) = node.some_text() else { continue };
        let path = resolve_relative(document, text);
        let mut findings = Findings::new();
        let files = input::expand(std::slice::from_ref(&path), ENDINGS, &mut findings);
        session.inputs.extend(files);
        session.inputs.insert(path.clone());
        let missing = !findings.has_errors() && !is_pattern(text) && !path.exists();
        if missing {
            let message = format!("there is no file `{}`", path.display());
            session.findings.push(Diagnostic::error(
                Code::Unreadable,
                document.place(node.span),
                message,
            ));
        } else if findings.has_errors() {
            let at = document.place(node.span);
            session.findings.extend(findings.into_iter().map(|finding| Diagnostic {
                place: finding.place.or_else(|| Some(at.clone())),
                ..finding
            }));
        } else {
            paths.push(path);
        }
    }
    paths
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// The findings of the test documents among some documents, whose tests are not run.
pub(in crate::commands) fn validate_documents(documents: &Documents) -> Findings {
    let mut session = Session { is_check: true, ..Session::default() };
    let is_test = |other: &&OtherDocument| other.kind == KIND;
    for other in documents.others.iter().filter(is_test) {
        run_document(&other.document, &mut session);
    }
    // The policies of the tests may be among the files, and are reported there.
    let tests: BTreeSet<&str> =
        documents.others.iter().filter(is_test).map(|other| other.document.source.name()).collect();
    let mut findings = Findings::new();
    findings.extend(session.findings.into_iter().filter(|finding| {
        finding.place.as_ref().is_none_or(|place| tests.contains(place.source.name()))
    }));
    findings
}
