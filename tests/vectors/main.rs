//! The vectors of `testdata/vectors`: cases whose answers come from the systems' own tests. Each is a test with a name
//! of its own, such as `k8s-job/..`.
//!
//! `VECTORS_DIR` names another folder, which may hold any part of these files, and others: a file
//! without cases that a module answers is ignored, and is a failure in our own folder.
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

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

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

/// Of the cases of each kind that were run: how many passed, and how many there are.
static TALLIES: Mutex<BTreeMap<String, (usize, usize)>> = Mutex::new(BTreeMap::new());

fn main() -> ExitCode {
    let folder = other_folder()
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/vectors"));
    let mut trials: Vec<Trial> = files(&folder).iter().flat_map(|file| documents(file)).collect();
    let scheduler = scheduler::KINDS.map(|kind| ("scheduler", kind));
    let classifier = classifier::KINDS.map(|kind| ("classifier", kind));
    let answer: (_, (_, _, Runner)) = ("answer", ("cases", "", answer::run));
    for (group, (file, name, run)) in scheduler.into_iter().chain(classifier).chain([answer]) {
        let kind = format!("{group}/{name}");
        let kind = kind.trim_end_matches('/');
        match lines::cases(&folder.join(group), file) {
            Some(cases) => trials.extend(cases.into_iter().map(|named| line(kind, named, run))),
            None => trials.push(skipped(kind, format!("no {file}.jsonl or {file}.jsonl.gz"))),
        }
    }
    if trials.iter().all(|trial| trial.kind() == SKIPPED) {
        trials.push(Trial::test("cases", || Err("there are no vectors".into())));
    }
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    let mut out = std::io::stdout().lock();
    for (kind, (passed, total)) in &*TALLIES.lock().unwrap_or_else(PoisonError::into_inner) {
        writeln!(out, "{kind}: {passed} of {total} passed").expect("stdout");
    }
    conclusion.exit_code()
}

fn other_folder() -> Option<PathBuf> {
    std::env::var_os("VECTORS_DIR").map(PathBuf::from)
}

fn trial(
    kind: &str,
    name: &Value,
    run: impl FnOnce() -> Result<(), String> + Send + 'static,
) -> Trial {
    let name = name.as_str().map_or_else(|| name.to_string(), str::to_owned);
    let kind = kind.to_owned();
    Trial::test(format!("{kind}/{name}"), move || {
        let count = |passed: usize, total: usize| {
            let mut tallies = TALLIES.lock().unwrap_or_else(PoisonError::into_inner);
            let tally = tallies.entry(kind.clone()).or_default();
            *tally = (tally.0 + passed, tally.1 + total);
        };
        count(0, 1);
        run().map_err(Failed::from)?;
        count(1, 0);
        Ok(())
    })
}

/// A case of JSON Lines.
fn line(kind: &str, (name, case): lines::Named, run: Runner) -> Trial {
    trial(kind, &name, move || case.and_then(|case| run(&case)))
}

/// The kind of [`skipped`].
const SKIPPED: &str = "skipped";

/// A file without cases: a failure, unless it is of another folder.
fn skipped(name: &str, why: String) -> Trial {
    let run = move || match other_folder() {
        Some(_) => Ok(Completion::ignored_with(why)),
        None => Err(why.into()),
    };
    Trial::ignorable_test(name, run).with_kind(SKIPPED)
}

/// The cases of a file that is a list of them.
fn documents(file: &Path) -> Vec<Trial> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let cases = match cases(file, &stem) {
        Ok(cases) => cases,
        Err(why) => return vec![skipped(&stem, why)],
    };
    let trial = |case: Value| {
        let (stem, kind) = (stem.clone(), kind(&stem, &case));
        let name = case.get("id").unwrap_or(&case["name"]).clone();
        trial(&kind, &name, move || run(&stem, &case))
    };
    cases.into_iter().map(trial).collect()
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
