//! `testdata/reports`: files after public bug reports and after faults, with the answers that are right.
//!
//! `REPORTS=DIR` takes the files from the folders of `DIR` in place of ours (`tools/reports/run`).

use super::sandbox::{Sandbox, root};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// `cases.yaml` of one folder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Report {
    /// The report, question or standard that it comes from.
    source: String,
    /// The right answer, in a sentence.
    right: String,
    runs: Vec<Expected>,
}

/// One command line and its answer. Runs of white space count as one space, since lines are wrapped.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    args: String,
    #[serde(default)]
    exit: i32,
    output: Vec<String>,
    #[serde(default)]
    without: Vec<String>,
}

#[test]
fn reported_files_get_the_right_answer() {
    let ours = root().join("testdata/reports");
    let files = std::env::var_os("REPORTS").map_or_else(|| ours.clone(), PathBuf::from);
    let mut wrong = Vec::new();
    for folder in folders(&ours) {
        let report = report(&ours.join(&folder));
        assert!(
            !report.source.is_empty() && !report.right.is_empty(),
            "{folder}: source and answer"
        );
        let inputs = files.join(&folder);
        if !inputs.is_dir() {
            println!("{folder}: not in {}", files.display());
            continue;
        }
        let differences: Vec<_> =
            report.runs.iter().filter_map(|run| difference(&inputs, run)).collect();
        println!(
            "{folder}: {} of {} right",
            report.runs.len() - differences.len(),
            report.runs.len()
        );
        wrong.extend(differences.into_iter().map(|difference| format!("{folder}: {difference}")));
    }
    for folder in folders(&files).difference(&folders(&ours)) {
        println!("{folder}: no expected answer in testdata/reports");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn folders(path: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(path).unwrap().map(Result::unwrap);
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

fn report(folder: &Path) -> Report {
    let text = fs::read_to_string(folder.join("cases.yaml")).unwrap();
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
}

/// How the answer to a command differs from the right one.
fn difference(inputs: &Path, expected: &Expected) -> Option<String> {
    let sandbox = Sandbox::new();
    for entry in fs::read_dir(inputs).unwrap().map(Result::unwrap) {
        sandbox.file(entry.file_name().to_str().unwrap(), fs::read(entry.path()).unwrap());
    }
    let run = sandbox.run(&expected.args);
    let output = format!("{}\n{}", run.stdout, run.stderr);
    let words = output.split_whitespace().collect::<Vec<_>>().join(" ");
    let missing = expected.output.iter().find(|text| !words.contains(text.as_str()));
    let unwanted = expected.without.iter().find(|text| words.contains(text.as_str()));
    let problem = match (missing, unwanted) {
        _ if run.code != expected.exit => format!("exit {}, not {}", run.code, expected.exit),
        (Some(text), _) => format!("lacks {text:?}"),
        (_, Some(text)) => format!("has {text:?}"),
        _ => return None,
    };
    Some(format!("armadactl {}: {problem}\n{output}", expected.args))
}
