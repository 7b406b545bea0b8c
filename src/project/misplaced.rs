//! Files that belong to another flag than the one that names them: histories among policies, and inputs of simulations.

use crate::input;
use armada_retry::policy::{Documents, OtherDocument};
use cluster::read::InputKind;
use document::diag::{Code, Diagnostic, Findings, Place, Source, Span};
use document::{Document, Limits, Node, other_kind_error, parse};
use replay::history::{self, Format};
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;
use systems::foreign_kinds;

/// Keys of documents and of their fields. An object with one of them is not a run.
const OF_DOCUMENTS: [&str; 8] = [
    "kind",
    "apiVersion",
    "rules",
    "retryLimit",
    "defaultAction",
    "retryPolicies",
    "priorityFactor",
    "clusters",
];
/// Keys of runs, one of which every history in JSON Lines has.
const OF_RUNS: [&str; 4] = ["jobId", "outcome", "sessionId", "runIndex"];

/// Takes the histories out of the texts of files that the command line names, each with a finding in place of those
/// about its lines. Files of directories may be anything, and stay.
pub fn refuse_histories(sources: Vec<Arc<Source>>, findings: &mut Findings) -> Vec<Arc<Source>> {
    let mut policies = Vec::with_capacity(sources.len());
    for source in sources {
        let title = if source.is_in_walk() { None } else { title(&source) };
        match title {
            Some(title) => findings.push(finding(&source, title)),
            None => policies.push(source),
        }
    }
    policies
}

/// Refuses documents of which all are histories, where policies are expected.
pub fn refuse_history_documents(documents: &Documents, findings: &mut Findings) {
    let is_history = |other: &OtherDocument| other.kind == "FailureHistory";
    let has_policies = !documents.policies.is_empty() || !documents.queues.is_empty();
    if has_policies || findings.has_errors() || !documents.others.iter().all(is_history) {
        return;
    }
    findings.extend(documents.others.iter().map(|other| {
        let document = &other.document;
        let kind = document.root.get("kind").map_or(document.root.span, |kind| kind.span);
        finding_at(document.place(kind), "a FailureHistory")
    }));
}

/// The error for a file that is a document with a `kind`, a history, or an input of another kind than `own`, where
/// `expected` is, which has `content`.
pub fn other_input(
    source: &Arc<Source>,
    own: Option<InputKind>,
    expected: &str,
    content: &str,
) -> Option<Diagnostic> {
    let first = first_document(source)?;
    let history = || {
        let name = format!("a history ({})", title(source)?);
        Some(wrong_flag(&first, &name, "--history", expected, content))
    };
    other_kind_error(&first, None, expected, content)
        .or_else(|| input_error(&first, own, expected, content))
        .or_else(history)
}

/// The error for a file that is an input of a simulation.
pub fn other_kind_of_input(
    source: &Arc<Source>,
    expected: &str,
    content: &str,
) -> Option<Diagnostic> {
    input_error(&first_document(source)?, None, expected, content)
}

fn first_document(source: &Arc<Source>) -> Option<Document> {
    parse(source, Limits::POLICY).0.into_iter().next()
}

fn input_error(
    document: &Document,
    own: Option<InputKind>,
    expected: &str,
    content: &str,
) -> Option<Diagnostic> {
    let other = InputKind::certainly_of(&document.root).filter(|kind| own != Some(*kind))?;
    Some(wrong_flag(document, other.title(), other.flag(), expected, content))
}

fn wrong_flag(
    document: &Document,
    name: &str,
    flag: &str,
    expected: &str,
    content: &str,
) -> Diagnostic {
    let place = document.place(document.root.span.first_line(document.source.text()));
    let message = format!("this is {name}, not {expected}");
    let help = format!("give it with {flag}; {expected} has `{content}`");
    Diagnostic::error(Code::UnknownDocument, place, message).help(help)
}

/// Takes the inputs of simulations out of the texts of policies that the command line names, each with an error.
pub fn refuse_inputs(sources: Vec<Arc<Source>>, findings: &mut Findings) -> Vec<Arc<Source>> {
    let mut is_policy = |source: &Arc<Source>| {
        let other = (!source.is_in_walk())
            .then(|| other_kind_of_input(source, "a policy", "kind: RetryPolicy"))
            .flatten();
        let is_policy = other.is_none();
        findings.extend(other);
        is_policy
    };
    sources.into_iter().filter(|source| is_policy(source)).collect()
}

/// The text of an input of a simulation; none of a file that cannot be read, or that is another one.
pub fn read_input(
    path: &Path,
    limits: Limits,
    kind: InputKind,
    findings: &mut Findings,
) -> Option<Arc<Source>> {
    let source = input::read_text(path, limits, findings)?;
    let other = other_input(&source, Some(kind), kind.title(), kind.content());
    let is_other = other.is_some();
    findings.extend(other);
    (!is_other).then_some(source)
}

fn finding(source: &Arc<Source>, title: &str) -> Diagnostic {
    finding_at(Place::new(source, Span::default()), title)
}

fn finding_at(place: Place, title: &str) -> Diagnostic {
    let name = place.source.name();
    let message = format!("this is a history, not a policy: {title}");
    let help = format!(
        "write `simulate -f POLICY --history {name}`, or `lint POLICY --against {name}`; `-f` is for policies"
    );
    Diagnostic::error(Code::UnknownDocument, place, message).help(help)
}

/// The title of the history in a text; `None` if it is none.
fn title(source: &Arc<Source>) -> Option<&'static str> {
    let text = source.text();
    let format = history::detect(source.name(), &mut text.as_bytes(), &mut Vec::new()).ok()?;
    match format {
        Format::Document => None,
        Format::Partial => Some("a partial summary"),
        Format::Lines => first_object(text).is_some_and(|run| is_run(&run)).then_some("JSON Lines"),
        Format::Records => {
            let is_run = first_object(text).is_some_and(|run| is_run(&run));
            is_run.then_some("a list of runs")
        }
        Format::Of(program) if program.name == "pods" => are_pods(source).then_some(program.title),
        // Manifests of a system may have their status, which is a history where one is expected.
        Format::Of(_) if has_manifest(source) => None,
        // An error of a server has the form of an answer.
        Format::Of(program) => {
            let is_error = first_object(text).is_some_and(|answer| answer.contains_key("error"));
            (!is_error).then_some(program.title)
        }
        Format::Unsupported(format) => format.program_title(),
    }
}

/// The first object of a text in JSON, or of its list.
fn first_object(text: &str) -> Option<Map<String, Value>> {
    let text = text.trim_start_matches(document::diag::BYTE_ORDER_MARK);
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    match values.next()?.ok()? {
        Value::Object(object) => Some(object),
        Value::Array(items) => match items.into_iter().next()? {
            Value::Object(object) => Some(object),
            _ => None,
        },
        _ => None,
    }
}

fn is_run(object: &Map<String, Value>) -> bool {
    let has = |keys: &[&str]| keys.iter().any(|key| object.contains_key(*key));
    has(&OF_RUNS) && !has(&OF_DOCUMENTS)
}

/// Whether all objects of a text are pods, or events about them.
fn are_pods(source: &Arc<Source>) -> bool {
    let (documents, _) = parse(source, Limits::HISTORY);
    let mut kinds = documents.iter().flat_map(kinds_of).peekable();
    kinds.peek().is_some() && kinds.all(|kind| matches!(kind, Some("Pod" | "Event")))
}

/// Whether an object of a text has a kind of manifests of some system.
fn has_manifest(source: &Arc<Source>) -> bool {
    let (documents, _) = parse(source, Limits::POLICY);
    let is_manifest = |kind: &str| foreign_kinds().iter().any(|known| known.kind == kind);
    documents.iter().flat_map(kinds_of).flatten().any(is_manifest)
}

/// The kind of each object of a document: its own, or those of the items of a list or of the object of a watch event.
fn kinds_of(document: &Document) -> Vec<Option<&str>> {
    let root = &document.root;
    let nodes: Vec<&Node> = match (root.get("items"), root.get("object")) {
        (Some(items), _) => items.items().iter().collect(),
        (None, Some(object)) => vec![object],
        (None, None) if !root.items().is_empty() => root.items().iter().collect(),
        (None, None) => vec![root],
    };
    // The items of a `PodList` have no kind.
    let of_list = kind_of(root).and_then(|kind| kind.strip_suffix("List"));
    let of_list = of_list.filter(|kind| !kind.is_empty());
    nodes.into_iter().map(|node| kind_of(node).or(of_list)).collect()
}

fn kind_of(node: &Node) -> Option<&str> {
    node.get("kind").and_then(Node::text)
}
