//! Every id of a finding has fixtures that show it: `testdata/diagnostics/RP0nn` holds pairs `<case>.bad.yaml` and
//! `<case>.fixed.yaml`. Each pair is a test of `tests/fixtures`; here are the places and the words of their findings.
//!
//! Holds cli.md Diagnostics.

use armada_retry::policy::{self, OtherDocument, shapes};
use armadactl::internals::findings::{Style, human};
use cluster::read::{InputKind, check_inputs};
use document::diag::{Code, Diagnostic, Findings, Source};
use document::{Kind, Limits, Shape, unrendered};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use systems::airflow::AirflowEngine;
use systems::backendai::BackendAiEngine;
use systems::iris::IrisEngine;
use systems::job::JobEngine;
use systems::jobset::JobSetEngine;
use systems::{ManifestSystem, Options, foreign_kinds, profile, refuse_unknown_profile};

/// Ids that no policy or queue can cause, and who does.
const ELSEWHERE: &[(Code, &str)] = &[
    (Code::NotUtf8, "bytes become text before a document is read"),
    (Code::BadTime, "no policy or queue holds a time; histories do"),
    (Code::UnknownName, "names are looked up where a history is evaluated"),
    (Code::BadRecord, "about records of a history"),
    (Code::DifferentRecord, "about records of a history"),
    (Code::SmallGang, "about records of a history"),
    (Code::ProfileLacks, "the profile is chosen where a history is evaluated"),
    (Code::MixedForms, "each document is evaluated by its own form until a history is evaluated"),
    (Code::Unreadable, "files are opened before a document is read"),
    (Code::UnschedulableJob, "a workload is good by itself until a cluster runs it"),
    (Code::NoCounterpart, "a policy is good in its own form until it is converted"),
    (Code::NeverReported, "about a policy beside an executor's configuration"),
    (Code::NotHandled, "about a policy beside an executor's configuration"),
    (Code::RetryOfKeptPod, "about a policy beside an executor's configuration"),
    (Code::InvalidTest, "about a test beside its policies"),
    (Code::FailedTest, "a test is good by itself until it is run"),
    (Code::Untested, "about a policy beside its tests"),
    (Code::DecidedOtherwise, "about two versions of a policy"),
    (Code::NotCompared, "about two versions of a policy"),
    (Code::OnlyInOneVersion, "about two versions of a policy"),
    (Code::Approximated, "a policy is good in its own form until it is converted"),
];

/// Ids of lints that have their fixtures elsewhere, and where.
const LINTS_ELSEWHERE: &[(&str, &str)] = &[
    ("RP190", "about comments: src/analysis/suppression/tests.rs"),
    ("RP191", "about comments: src/analysis/suppression/tests.rs"),
    ("RP192", "about comments: src/analysis/suppression/tests.rs"),
];

/// A bad file with its fixed twin.
struct Case {
    code: Code,
    name: String,
    bad: PathBuf,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/diagnostics")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder can be listed");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// All cases, in order of id and name. Every file belongs to one, or this fails.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for folder in files(&root()) {
        let id = folder.file_name().unwrap().to_str().unwrap();
        let code = Code::from_id(id).unwrap_or_else(|| panic!("{id} is no id"));
        for path in files(&folder) {
            let file = path.file_name().unwrap().to_str().unwrap();
            let parts: Vec<&str> = file.split('.').collect();
            let &[name, kind, extension] = parts.as_slice() else {
                panic!("{id}/{file}: its name")
            };
            let twin = match kind {
                "bad" => folder.join(format!("{name}.fixed.{extension}")),
                "fixed" => folder.join(format!("{name}.bad.{extension}")),
                _ => panic!("{id}/{file} is neither bad nor fixed"),
            };
            assert!(twin.exists(), "{id}/{file} has no twin");
            if kind == "bad" {
                cases.push(Case { code, name: name.to_owned(), bad: path });
            }
        }
    }
    cases
}

pub(crate) fn findings(name: &str, text: &str) -> Vec<Diagnostic> {
    let source = Source::new(name, text);
    if let Some(kind) = InputKind::of_source(&source) {
        return check_inputs(&[(kind, source)]).sorted();
    }
    let (documents, mut findings) = policy::read_with_foreign(&[source], foreign_kinds());
    policy::warn_of_absent_limits(&documents, &mut findings);
    let queues = documents.queues.iter().map(|queue| &queue.document);
    let policies = documents.policies.iter().map(|policy| &policy.document);
    findings.extend(policies.chain(queues).flat_map(unrendered));
    for other in &documents.others {
        read::<JobEngine>(other, &mut findings);
        read::<JobSetEngine>(other, &mut findings);
        read::<IrisEngine>(other, &mut findings);
        read::<AirflowEngine>(other, &mut findings);
        read::<BackendAiEngine>(other, &mut findings);
        if other.kind == profile::KIND {
            refuse_unknown_profile(&other.document, &mut findings);
        }
    }
    findings.sorted()
}

fn read<S: ManifestSystem>(other: &OtherDocument, findings: &mut Findings) {
    if S::DESCRIPTION.has_document(other) {
        S::read(&other.document, &Options::default(), findings);
    }
}

fn findings_in(path: &Path) -> Vec<Diagnostic> {
    let text = std::fs::read_to_string(path).expect("a fixture is text");
    findings(path.file_name().unwrap().to_str().unwrap(), &text)
}

fn ids(items: &[Diagnostic]) -> BTreeSet<&'static str> {
    items.iter().map(|item| item.code.id()).collect()
}

#[test]
fn every_finding_has_a_place_that_its_text_has() {
    for case in cases() {
        for item in findings_in(&case.bad) {
            let place = item.place.expect("a place");
            let text = place.source.text();
            assert!(text.get(place.span.range()).is_some(), "{}: {place}", case.name);
            assert!(!item.message.ends_with('.'), "{}", item.message);
        }
    }
}

#[test]
fn every_id_has_fixtures_or_a_reason_to_have_none() {
    let shown: BTreeSet<&str> = cases().iter().map(|case| case.code.id()).collect();
    for code in Code::ALL.iter().filter(|code| code.is_about_documents()) {
        let reason = ELSEWHERE.iter().find(|(other, _)| other == code);
        assert_eq!(shown.contains(code.id()), reason.is_none(), "{}", code.id());
    }
}

#[test]
fn every_lint_has_a_fixture() {
    let lints = Code::ALL.iter().filter(|code| !code.is_about_documents()).map(|code| code.id());
    let has_fixture = |id: &str| {
        crate::sandbox::root().join("testdata/lints").join(id).is_dir()
            || LINTS_ELSEWHERE.iter().any(|(other, _)| *other == id)
    };
    let missing: Vec<&str> = lints.filter(|id| !has_fixture(id)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The fields of other forms, by shape: what a reader of one form is told about the other.
fn elsewhere(shape: &'static Shape, known: &mut BTreeSet<String>) {
    for (_, instead) in shape.elsewhere {
        known.insert((*instead).to_owned());
    }
    for field in shape.fields {
        let mut kind = &field.kind;
        while let Kind::List { item, .. } | Kind::Map(item) = kind {
            kind = item;
        }
        if let Kind::Object(inner) = kind {
            elsewhere(inner, known);
        }
    }
}

#[test]
fn every_field_of_the_other_form_is_shown() {
    let mut known = BTreeSet::new();
    for shape in
        [&shapes::POLICY_V1, &shapes::POLICY_V1BETA1, &shapes::QUEUE_V1, &shapes::QUEUE_V1BETA1]
    {
        elsewhere(shape, &mut known);
    }
    for case in cases().iter().filter(|case| case.code == Code::OtherForm) {
        for help in findings_in(&case.bad).into_iter().filter_map(|item| item.help) {
            known.remove(&help);
        }
    }
    assert!(known.is_empty(), "no fixture shows {known:#?}");
}

#[test]
fn a_text_over_the_limit_is_refused_at_once() {
    let text = format!("# {}\n", "x".repeat(Limits::POLICY.bytes));
    assert_eq!(ids(&findings("large.yaml", &text)), BTreeSet::from(["RP002"]));
}

#[test]
fn one_name_in_two_files_shows_both() {
    let text =
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: a}\nspec: {}\n";
    let sources = ["one.yaml", "two.yaml"].map(|name| Source::new(name, text));
    let items = policy::read(&sources).1.sorted();
    assert_eq!(ids(&items), BTreeSet::from(["RP014"]));
    assert_eq!(items[0].place.as_ref().unwrap().to_string(), "two.yaml:3:18");
    assert_eq!(items[0].others[0].place.to_string(), "one.yaml:3:18");
    let shown = human(&items, Style::Plain, Some(100));
    assert!(shown.contains("one.yaml:3:18") && shown.contains("two.yaml:3:18"), "{shown}");
}

#[test]
fn what_an_alias_repeats_is_said_once() {
    let text = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: a}\nspec:\n  rules:\n  - &r {action: Rerun, onConditions: [Evicted]}\n  - *r\n  - *r\n";
    assert_eq!(findings("alias.yaml", text).len(), 1);
}

#[test]
fn findings_end_where_nobody_reads_on() {
    let head = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: a}\nspec:\n";
    for text in [
        format!("{head}  rules: [{}]\n", "x, ".repeat(5000)),
        format!("{head}  rules: [{}]\n", "*x, ".repeat(5000)),
        format!("{head}{}", "  rules: []\n".repeat(5000)),
        "---\na: [\n".repeat(5000),
        "---\na\n".repeat(5000),
    ] {
        let items = findings("many.yaml", &text);
        assert!((1000..1005).contains(&items.len()), "{}", items.len());
        let last = items.iter().filter(|item| item.code == Code::TooMuch);
        assert_eq!(last.count(), 1);
    }
}

#[test]
fn findings_read_as_they_should() {
    for code in Code::ALL {
        let mut shown = String::new();
        for case in cases().iter().filter(|case| case.code == *code) {
            shown += &human(&findings_in(&case.bad), Style::Plain, Some(100));
        }
        if !shown.is_empty() {
            insta::assert_snapshot!(code.id(), shown);
        }
    }
}
