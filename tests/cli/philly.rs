//! Retry budgets on the attempts of the Philly trace: a small example in the trace's form, whose
//! figures were counted by hand. `benches/philly2017/run` replays the trace itself.

use super::sandbox::{Sandbox, root};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Every failure is retried; the sweep sets the limit.
const POLICY: &str = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\n\
                      metadata: {name: budget}\nspec: {defaultAction: Retry}\n";

/// What the budgets from 0 to 4 come to on one history.
struct Counted {
    history: &'static str,
    /// Jobs that failed on a limit although they passed on record; only where all jobs passed.
    lost: Option<[u64; 5]>,
    /// GPU-hours of the attempts that are not reached.
    hours: [f64; 5],
}

const COUNTED: [Counted; 6] = [
    counted("attempts-pass-small", Some([1, 0, 0, 0, 0]), [0.25, 0.0, 0.0, 0.0, 0.0]),
    counted("attempts-pass-large", Some([1, 1, 0, 0, 0]), [40.0, 24.0, 0.0, 0.0, 0.0]),
    counted("attempts-failed-small", None, [40.0, 36.0, 30.0, 22.0, 12.0]),
    counted("attempts-failed-large", None, [80.0, 0.0, 0.0, 0.0, 0.0]),
    counted("attempts-killed-large", None, [4.0, 0.0, 0.0, 0.0, 0.0]),
    counted("jobs-pass-large", Some([3, 2, 1, 1, 0]), [100.0, 72.0, 36.0, 20.0, 0.0]),
];

const fn counted(history: &'static str, lost: Option<[u64; 5]>, hours: [f64; 5]) -> Counted {
    Counted { history, lost, hours }
}

fn fixture(name: &str) -> PathBuf {
    root().join("testdata/philly2017").join(name)
}

/// Runs the script of the benchmark over the example, or returns `None` without a Python 3.
#[expect(clippy::print_stderr, reason = "a test that was skipped is reported")]
fn script(expected: &str, histories: &str) -> Option<Output> {
    let mut command = Command::new("python3");
    command.arg(root().join("benches/philly2017/run"));
    command.args([fixture("attempts.csv"), fixture("jobs.json")]);
    command.args(["--expected", expected, "--histories", histories, "--binary"]);
    match command.arg(assert_cmd::cargo::cargo_bin!("armadactl")).output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("python3 is not installed: the script of the benchmark is not tested");
            None
        }
        output => Some(output.expect("python3 runs")),
    }
}

#[test]
fn budgets_come_to_the_figures_of_a_hand_count() {
    let sandbox = Sandbox::new();
    sandbox.file("budget.yaml", POLICY);
    for Counted { history: name, lost, hours } in COUNTED {
        let history = std::fs::read(fixture("histories").join(format!("{name}.jsonl")));
        sandbox.file("history.jsonl", history.expect("a history"));
        let line = "simulate -f budget.yaml --history history.jsonl --sweep retryLimit=0..4 \
                    --timelines none -o json";
        let report = sandbox.run(line).exits(0).json();
        let summaries: Vec<&Value> =
            report["variants"].as_array().unwrap().iter().map(|one| &one["summary"]).collect();
        assert_eq!(summaries.len(), 6);
        assert_eq!(summaries[0]["notReached"], 0, "{name} without a limit");
        for (budget, summary) in summaries[1..].iter().enumerate() {
            let found = summary["notReachedRuns"]["gpuHours"].as_f64().unwrap_or_default();
            assert!((found - hours[budget]).abs() < 1e-9, "{name}, {budget} retries: {found}");
            if let Some(lost) = lost {
                let failed = summary["outcomes"]["Failed"].as_u64().unwrap_or_default();
                assert_eq!(failed, lost[budget], "{name}, {budget} retries");
            }
        }
    }
}

#[test]
fn the_script_writes_these_histories_and_finds_a_wrong_figure() {
    let sandbox = Sandbox::new();
    let histories = sandbox.path().join("histories");
    let expected = std::fs::read_to_string(fixture("expected.json")).expect("the figures");
    sandbox.file("wrong.json", expected.replace("\"saved\": 36", "\"saved\": 37"));
    let text = |path: PathBuf| path.to_str().expect("a path in UTF-8").to_owned();

    let run = |expected| script(&text(expected), &text(histories.clone()));
    let Some(output) = run(fixture("expected.json")) else { return };
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{error}");
    let shown = String::from_utf8(output.stdout).expect("UTF-8");
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!("philly", shown) });
    for Counted { history: name, .. } in COUNTED {
        let read = |folder: PathBuf| std::fs::read_to_string(folder.join(format!("{name}.jsonl")));
        assert_eq!(read(histories.clone()).unwrap(), read(fixture("histories")).unwrap(), "{name}");
    }

    let output = run(sandbox.path().join("wrong.json")).expect("python3 ran before");
    let shown = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(1), "{shown}");
    assert!(shown.ends_with("All jobs, budget 1, saved: 37 expected, 36 counted\n"), "{shown}");
}
