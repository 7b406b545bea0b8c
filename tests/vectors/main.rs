//! The vectors of `testdata/vectors`: cases whose answers come from the systems' own tests.
//!
//! `VECTORS_DIR` names another folder, which may hold any part of these files, and others: a file
//! without cases that a module answers is skipped with a line, and is a failure in our own folder.
//! So is an absent file of the scheduler's, the classifier's or the answer's.
//! Every system has a module that answers one case.

mod airflow;
mod answer;
mod argo;
mod armada;
mod awsbatch;
mod backendai;
mod classifier;
mod debug;
mod iris;
mod job;
mod jobset;
mod lines;
mod scheduler;

use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Evaluates one case; says what was expected and what came instead.
type Runner = fn(&Value) -> Result<(), String>;

/// The systems, as a case's `system` or else its file's name says.
const SYSTEMS: [(&str, Runner); 9] = [
    ("airflow", airflow::run),
    ("argo", argo::run),
    ("armada_v1beta1", armada::run),
    ("awsbatch", awsbatch::run),
    ("backendai", backendai::run),
    ("backendai_draft", backendai::run),
    ("iris", iris::run),
    ("jobset", jobset::run),
    ("k8s-job", job::run),
];

/// Compares what is asserted with what came.
fn meet(what: &str, actual: &Value, expected: &Value) -> Result<(), String> {
    let is_met = actual == expected;
    is_met.then_some(()).ok_or_else(|| format!("{what} is {actual}, not {expected}"))
}

/// What came of the cases of one kind.
#[derive(Default)]
struct Tally {
    passed: usize,
    total: usize,
}

fn main() -> ExitCode {
    let other_folder = std::env::var_os("VECTORS_DIR").map(PathBuf::from);
    let is_own = other_folder.is_none();
    let folder = other_folder.unwrap_or_else(own_folder);
    let mut skipped = Vec::new();
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut failures = Vec::new();
    let mut judge = |kind: String, name: &Value, result: Result<(), String>| {
        let tally = tallies.entry(kind.clone()).or_default();
        tally.total += 1;
        match result {
            Ok(()) => tally.passed += 1,
            Err(why) => failures.push(format!("{kind}: {name}: {why}")),
        }
    };
    for file in files(&folder) {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        match cases(&file, &stem) {
            Ok(cases) => {
                for case in cases {
                    judge(kind(&stem, &case), &case["name"], run(&stem, &case));
                }
            }
            Err(why) => skipped.push(format!("{}: {why}", file.display())),
        }
    }
    let of_scheduler = scheduler::KINDS.map(|kind| ("scheduler", kind));
    let of_classifier = classifier::KINDS.map(|kind| ("classifier", kind));
    let of_answer: (_, (_, _, Runner)) = ("answer", ("cases", "", answer::run));
    let groups = of_scheduler.into_iter().chain(of_classifier).chain([of_answer]);
    for (group, (file, name, run)) in groups {
        let kind = format!("{group}/{name}");
        let kind = kind.trim_end_matches('/');
        match lines::cases(&folder.join(group), file) {
            Some(cases) => {
                for (name, case) in cases {
                    judge(kind.to_owned(), &name, case.and_then(|case| lines::run(run, &case)));
                }
            }
            None => skipped.push(format!("{kind}: there is no {file}.jsonl or {file}.jsonl.gz")),
        }
    }
    let is_complete = skipped.is_empty() || !is_own;
    let good = failures.is_empty() && !tallies.is_empty() && is_complete;
    print(&tallies, &skipped, &failures).expect("stdout");
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn own_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/vectors")
}

/// The folder's JSON files, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a folder's entry").path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect();
    files.sort();
    files
}

/// The cases of a file, or why it is skipped.
fn cases(file: &Path, stem: &str) -> Result<Vec<Value>, String> {
    let text = std::fs::read_to_string(file).expect("a readable file");
    let cases: Vec<Value> = serde_json::from_str(&text)
        .map_err(|error| format!("it is not an array of cases: {error}"))?;
    if cases.iter().any(|case| runner(system(stem, case)).is_some()) {
        Ok(cases)
    } else {
        Err("no module answers its cases".to_owned())
    }
}

fn system<'a>(stem: &'a str, case: &'a Value) -> &'a str {
    case["system"].as_str().unwrap_or(stem)
}

/// What the case is counted under: its system, and its kind where the system has several.
fn kind(stem: &str, case: &Value) -> String {
    let system = system(stem, case);
    case["kind"].as_str().map_or_else(|| system.to_owned(), |kind| format!("{system}/{kind}"))
}

fn run(stem: &str, case: &Value) -> Result<(), String> {
    let system = system(stem, case);
    let run = runner(system).ok_or_else(|| format!("no module answers `{system}`"))?;
    run(case)
}

fn runner(system: &str) -> Option<Runner> {
    SYSTEMS.iter().find(|(name, _)| *name == system).map(|(_, run)| *run)
}

fn print(
    tallies: &BTreeMap<String, Tally>,
    skipped: &[String],
    failures: &[String],
) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for file in skipped {
        writeln!(out, "skipped {file}")?;
    }
    for failure in failures {
        writeln!(out, "FAILED {failure}")?;
    }
    for (kind, Tally { passed, total }) in tallies {
        writeln!(out, "{kind}: {passed} of {total} passed")?;
    }
    if tallies.is_empty() {
        writeln!(out, "there are no vectors")?;
    }
    Ok(())
}
