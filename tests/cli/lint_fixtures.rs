//! Every way in which a lint's finding can arise: `testdata/lints/RPnnn/<case>` holds `bad.yaml`, which has findings of
//! its folder's id only, and `fixed.yaml`, which has none. `scheduler.yaml`, `executor.yaml` and `history.jsonl` beside
//! them are given too; where they are the mistake, the fixed ones end with `-fixed`. A line `# also: RPnnn` admits to
//! another finding. Information on the time that a budget lasts is left out except in its own folder: a case about another
//! finding has no backoff.

use crate::pages::fences;
use crate::sandbox::Sandbox;
use armadactl::internals::findings::page;
use document::diag::Code;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/lints")
}

fn folders(of: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        std::fs::read_dir(of).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

/// All cases.
pub(crate) fn cases() -> Vec<PathBuf> {
    folders(&root()).iter().flat_map(|folder| folders(folder)).collect()
}

/// The arguments for one of the files of a case.
pub(crate) fn arguments(case: &Path, file: &str) -> String {
    let of = |name: &str, ending: &str| {
        let fixed = case.join(format!("{name}-fixed.{ending}"));
        let plain = case.join(format!("{name}.{ending}"));
        let path = if file == "fixed.yaml" && fixed.exists() { fixed } else { plain };
        path.exists().then(|| path.display().to_string())
    };
    let mut line = format!("-f {}", case.join(file).display());
    if let Some(path) = of("scheduler", "yaml") {
        let _ = write!(line, " --scheduler-config {path}");
    }
    if let Some(path) = of("executor", "yaml") {
        let _ = write!(line, " --executor-config {path}");
    }
    if let Some(path) = of("history", "jsonl") {
        let _ = write!(line, " --against {path}");
    }
    line
}

fn lint(sandbox: &Sandbox, case: &Path, file: &str) -> Vec<Value> {
    let line = format!("lint -o json --fail-on info {}", arguments(case, file));
    let output = sandbox.run(&line);
    let report = output.json();
    let items = report["items"].as_array().cloned();
    let mut items = items.unwrap_or_else(|| panic!("{line}: {report:#}"));
    let is_own = case.parent().is_some_and(|folder| folder.ends_with(BUDGET_TIME));
    items.retain(|item| is_own || item["id"] != BUDGET_TIME);
    items
}

/// The id of the information on the time that a budget lasts.
const BUDGET_TIME: &str = "RP130";

fn ids(items: &[Value]) -> BTreeSet<String> {
    items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

/// The ids of other findings that a file admits to.
fn admitted(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.trim().strip_prefix("# also: "))
}

#[test]
fn every_bad_file_has_the_finding_with_place_and_correction() {
    let sandbox = Sandbox::new();
    let mut wrong = String::new();
    for case in cases() {
        let name = case.strip_prefix(root()).unwrap().display().to_string();
        let id = name.split('/').next().unwrap();
        let items = lint(&sandbox, &case, "bad.yaml");
        let text = std::fs::read_to_string(case.join("bad.yaml")).unwrap();
        let mut wanted: BTreeSet<String> = admitted(&text).map(str::to_owned).collect();
        wanted.insert(id.to_owned());
        if ids(&items) != wanted {
            let _ = writeln!(wrong, "{name}: {:?}, not {wanted:?}", ids(&items));
        }
        for item in &items {
            assert!(item["line"].is_u64() && item["column"].is_u64(), "{name}: {item:#}");
            assert!(item["help"].is_string(), "{name}: {item:#}");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn every_fixed_file_has_no_finding() {
    let sandbox = Sandbox::new();
    let mut wrong = String::new();
    for case in cases() {
        let mut items = lint(&sandbox, &case, "fixed.yaml");
        let text = std::fs::read_to_string(case.join("fixed.yaml")).unwrap();
        items.retain(|item| !admitted(&text).any(|id| item["id"] == id));
        if !items.is_empty() {
            let _ = writeln!(wrong, "{}: {items:#?}", case.display());
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Ids of lints that have their fixtures elsewhere, and where.
const ELSEWHERE: &[(&str, &str)] = &[
    ("RP190", "about comments: src/analysis/suppression/tests.rs"),
    ("RP191", "about comments: src/analysis/suppression/tests.rs"),
    ("RP192", "about comments: src/analysis/suppression/tests.rs"),
];

/// Ids whose pages show policies that are wrong only beside another file.
const BESIDE_OTHERS: [&str; 8] =
    ["RP106", "RP112", "RP121", "RP122", "RP123", "RP124", "RP125", "RP126"];

#[test]
fn documents_on_the_pages_are_what_the_pages_say() {
    let sandbox = Sandbox::new();
    let codes = Code::ALL.iter().filter(|code| !code.is_about_documents()).copied();
    // Those about comments depend on the date.
    for code in codes.filter(|code| ELSEWHERE.iter().all(|(id, _)| *id != code.id())) {
        let (id, page) = (code.id(), page(code));
        let lint = |text: &str| {
            let run = sandbox.run_on("lint -o json --fail-on info -f -", text);
            let mut found = ids(run.json()["items"].as_array().expect("items"));
            if id != BUDGET_TIME {
                found.remove(BUDGET_TIME);
            }
            found
        };
        for fence in documents(page, "Instead\n") {
            assert_eq!(lint(&fence), BTreeSet::new(), "{id}:\n{fence}");
        }
        if BESIDE_OTHERS.contains(&id) {
            continue;
        }
        for fence in documents(page, "Example\n") {
            let found = lint(&fence);
            assert!(found.contains(id), "{id}: {found:?}\n{fence}");
        }
    }
}

/// The documents under a heading of a page.
fn documents(page: &str, heading: &str) -> Vec<String> {
    let mut all = fences(page, heading);
    all.retain(|fence| fence.contains("apiVersion:"));
    all
}

#[test]
fn every_lint_has_a_fixture() {
    let has =
        |id: &str| root().join(id).is_dir() || ELSEWHERE.iter().any(|(other, _)| *other == id);
    let missing: Vec<&str> = Code::ALL
        .iter()
        .filter(|code| !code.is_about_documents())
        .map(|code| code.id())
        .filter(|id| !has(id))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn messages_are_what_people_should_read() {
    let sandbox = Sandbox::new();
    let mut text = String::new();
    for case in cases() {
        let name = case.strip_prefix(root()).unwrap().display().to_string();
        let _ = writeln!(text, "== {name}");
        for item in lint(&sandbox, &case, "bad.yaml") {
            let of = |key: &str| item[key].to_string().trim_matches('"').to_owned();
            let (severity, id, message, help) =
                (of("severity"), of("id"), of("message"), of("help"));
            let _ = writeln!(
                text,
                "{}:{} {severity}[{id}] {message}\n  help: {help}",
                of("line"),
                of("column")
            );
            for other in item["related"].as_array().into_iter().flatten() {
                let message = other["message"].as_str().unwrap();
                let _ = writeln!(text, "  {}:{} {message}", other["line"], other["column"]);
            }
        }
    }
    insta::assert_snapshot!("lint_fixtures", text);
}
