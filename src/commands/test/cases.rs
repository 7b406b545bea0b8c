//! The runs of the cases of a document, read from the document or from histories.

use super::relative_path::resolve_relative;
use super::session::Session;
use crate::analysis::unit_test::{
    Case, CaseRuns, Names, Recorded, TargetIndex, TestShape, attempts_of_history, check_attempts,
    check_names, read_cases, read_failures, run_case,
};
use crate::commands::simulate::inputs::Inputs;
use document::diag::{Code, Diagnostic, Findings, Place};
use document::{Document, KeyCase, Node, check};
use replay::history::{Failure, History, OnBadRecord, RecordFields, UnreadKind, UnreadWords};
use replay::simulate::{Batch, Engine, Units, read_history};
use std::sync::Arc;
use systems::{CoverageTarget, System};

/// The bounds on records of a system.
type LimitsOf<S> = <<S as Units>::Fields as RecordFields>::Limits;

/// A case with its runs and its engine.
pub(super) struct PreparedCase<'d, S: Engine> {
    pub(super) case: Case<'d>,
    pub(super) recorded: Recorded<S::Fields>,
    pub(super) engine: Arc<S>,
}

/// Checks a document by its shape, and reads its cases.
pub(super) fn checked_cases<'d, S: System>(
    document: &'d Document,
    findings: &mut Findings,
) -> Option<Vec<Case<'d>>> {
    let shape = TestShape::<S::Fields>::DOCUMENT;
    let mut found = Findings::new();
    check(&document.source, &document.root, shape, KeyCase::Exact, &mut found);
    let is_sound = !found.has_errors();
    findings.extend(found);
    is_sound.then(|| read_cases(document, findings))
}

/// Adds values that a failure lacks, by the fields that it has.
///
/// # Errors
///
/// A finding about the missing values.
pub(super) type Defaults<'d> = dyn Fn(&Node) -> Result<Vec<(String, String)>, Box<Diagnostic>> + 'd;

/// Reads the runs of a case; `None` if something is wrong with them.
pub(super) fn record<S: System>(
    engine: &S,
    (document, case): (&Document, &Case<'_>),
    limits: Option<LimitsOf<S>>,
    defaults: &Defaults<'_>,
    session: &mut Session,
) -> Option<Recorded<S::Fields>> {
    let mut findings = Findings::new();
    let recorded = match &case.runs {
        CaseRuns::Failures(nodes) => {
            record_failures::<S>(document, case, nodes, limits, defaults, &mut findings)
        }
        CaseRuns::History { file, .. } => {
            let history = history::<S>(document, file, limits, session, &mut findings);
            match attempts_of_history(document, case, history, |member| engine.unit_key(member)) {
                Ok(recorded) => Some(recorded),
                Err(finding) => {
                    if !findings.has_errors() {
                        findings.push(*finding);
                    }
                    None
                }
            }
        }
    };
    let is_sound = !findings.has_errors();
    session.findings.extend(findings);
    let recorded = recorded.filter(|_| is_sound)?;
    let mut findings = Findings::new();
    let about_members = S::check_members(&recorded.history.members);
    findings.extend(about_members.into_iter().map(|finding| at_place(finding, &case.place)));
    check_attempts::<S>(case, &recorded, &mut findings);
    let is_sound = !findings.has_errors();
    session.findings.extend(findings);
    is_sound.then_some(recorded)
}

/// Reads the failures of a case.
pub(super) fn record_failures<S: System>(
    document: &Document,
    case: &Case<'_>,
    nodes: &[&Node],
    limits: Option<LimitsOf<S>>,
    defaults: &Defaults<'_>,
    findings: &mut Findings,
) -> Option<Recorded<S::Fields>> {
    let mut failures = Vec::new();
    for &node in nodes {
        match defaults(node) {
            Ok(defaults) => failures.push(Failure { node, defaults }),
            Err(finding) => findings.push(*finding),
        }
    }
    if findings.has_errors() {
        return None;
    }
    let recorded = read_failures::<S>(document, case, &failures, limits, findings);
    refuse_unread(&recorded.history.unread, findings);
    Some(recorded)
}

/// Refuses conditions that no rule can match: a misspelt one would make a failure another one than is meant.
fn refuse_unread(words: &UnreadWords, findings: &mut Findings) {
    for word in words.words() {
        let what = match word.kind {
            UnreadKind::Key => "key",
            UnreadKind::Condition | UnreadKind::PodCondition => "condition",
            UnreadKind::Reason => "reason",
        };
        let message = format!("unknown {what} `{}`", word.text);
        let finding = Diagnostic::error(Code::NotAChoice, word.first.clone(), message);
        findings.push(finding.maybe_help(word.hint()));
    }
}

/// Reads a history that a case names.
fn history<S: System>(
    document: &Document,
    file: &Node,
    limits: Option<LimitsOf<S>>,
    session: &mut Session,
    findings: &mut Findings,
) -> History<S::Fields> {
    let path = resolve_relative(document, file.text().unwrap_or_default());
    session.inputs.insert(path.clone());
    let mut found = Findings::new();
    let mut inputs =
        Inputs::open_paths(std::slice::from_ref(&path), None, OnBadRecord::Error, &mut found);
    let mut unreadable = None;
    let (history, more) = read_history::<S>(limits, OnBadRecord::Error, |stream| {
        while inputs.read_next(stream, &mut found) {}
        let mut lines = inputs.lines();
        let mut read = |piece: &mut _| {
            let next = lines.read(piece);
            next.unwrap_or_else(|error| {
                unreadable = Some(error);
                false
            })
        };
        while stream.batch(&mut read) == Batch::Full {}
    });
    found.extend(more);
    if let Some(error) = unreadable {
        found.push(crate::input::unreadable_name(&path.display().to_string(), &error));
    }
    let at = document.place(file.span);
    findings.extend(found.into_iter().map(|finding| at_place(finding, &at)));
    history
}

/// The finding, at a place if it has none.
fn at_place(finding: Diagnostic, place: &Place) -> Diagnostic {
    Diagnostic { place: finding.place.or_else(|| Some(place.clone())), ..finding }
}

/// Reports names in the expectations of the cases that do not exist.
pub(super) fn check_all_names<S: System>(cases: &[Case<'_>], engine: &S, session: &mut Session) {
    let rules = engine.rules();
    let names = Names { words: &S::DESCRIPTION.words, rules: &rules };
    for case in cases {
        check_names(case, &names, &mut session.findings);
    }
}

/// Runs the cases that are selected, unless something is wrong with the files.
pub(super) fn run<S: System>(
    prepared: &[PreparedCase<'_, S>],
    targets: &[CoverageTarget],
    seed: u64,
    session: &mut Session,
) {
    let rules = prepared.first().map(|it| it.engine.rules()).unwrap_or_default();
    if session.is_check || session.findings.has_errors() {
        return;
    }
    session.coverage.add_targets(targets);
    let targets = TargetIndex::new(targets, &rules);
    for PreparedCase { case, recorded, engine } in prepared {
        let test = case.test.get("name").and_then(Node::text).unwrap_or_default();
        if !session.selects(&case.name) && !session.selects(test) {
            session.not_selected += 1;
            continue;
        }
        let outcome = run_case(&**engine, targets.has_several_policies, recorded, case, seed);
        session.add(case, outcome, S::DESCRIPTION, &targets);
    }
}
