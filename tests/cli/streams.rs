//! What scripts and terminals rely on: which stream, which form, no surprises.
//!
//! Holds cli.md Output.

use super::sandbox::{Run, Sandbox, root, snapshot};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

const SIMULATE: &str = "simulate -f policies --queue-policies infra,ml-training";

fn simulate(flags: &str) -> Run {
    Sandbox::with_examples().run(&format!("{SIMULATE} {flags}"))
}

/// A history with a warning: the second record of `a` names another queue.
const WARNED: &str = r#"{"jobId":"a","queue":"ml","outcome":"Preempted"}
{"jobId":"a","queue":"batch","outcome":"Succeeded"}
"#;

#[test]
fn json_is_json_whatever_the_exit_code() {
    for (code, line) in [
        (2, "simulate -f policies --history ml-training.yaml -o json"),
        (2, "simulate --nonsense -o json"),
        (2, "simulate -ojson"),
        (2, "simulate --output=json"),
        (2, "submit -o json"),
        (2, "explain queue rules -o json"),
        (3, "simulate -f policies --queue-policies nope --history ml-training.yaml -o json"),
        (3, "simulate -f policies --queue-policies infra --history nowhere -o json"),
        (3, "simulate -f nowhere --history ml-training.yaml -o json"),
        (
            3,
            "simulate -f policies --queue-policies infra --history ml-training.yaml --job x -o json",
        ),
        (3, "explain decision -f nowhere -o json"),
    ] {
        let run = Sandbox::with_examples().run(line).exits(code);
        let report = run.json();
        assert_eq!(report["kind"], "ErrorReport", "{run}");
        assert_eq!(report["exitCode"], code, "{run}");
        assert!(report["message"].as_str().is_some_and(|text| !text.is_empty()), "{run}");
        assert!(!run.stderr.is_empty(), "{run}");
    }
    let by_environment = Sandbox::with_examples().run_with("simulate --nonsense", |command| {
        command.env("ARMADACTL_OUTPUT", "json");
    });
    assert_eq!(by_environment.exits(2).json()["exitCode"], 2);
    let flag_wins = Sandbox::with_examples().run_with("simulate --nonsense -o table", |command| {
        command.env("ARMADACTL_OUTPUT", "json");
    });
    assert_eq!(flag_wins.exits(2).stdout, "");
}

#[test]
fn findings_of_a_refused_input_are_in_the_json() {
    let sandbox = Sandbox::with_examples();
    sandbox.file(
        "h.yaml",
        "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec: {jobs: [{}]}\n",
    );
    let line = format!("{SIMULATE} --history h.yaml -o json");
    snapshot!("error_report", sandbox.run(&line).exits(3));
}

#[test]
fn data_goes_to_stdout_and_the_rest_to_stderr() {
    let sandbox = Sandbox::with_examples();
    sandbox.file("h.jsonl", WARNED);
    let run = sandbox.run(&format!("{SIMULATE} --history h.jsonl -o json")).exits(0);
    assert_eq!(run.json()["summary"]["jobs"], 1);
    assert!(run.stderr.contains("warning[RP030]"), "{run}");
    let quiet = sandbox.run(&format!("{SIMULATE} --history h.jsonl -o json --quiet")).exits(0);
    assert_eq!((quiet.stdout, quiet.stderr.as_str()), (run.stdout, ""));
    let refused = sandbox.run("simulate -f policies --history h.jsonl").exits(2);
    assert_eq!(refused.stdout, "");
    let validated = sandbox.run("validate -f nowhere.yaml").exits(3);
    assert_eq!(validated.stderr, "", "on validate the findings are the data");
}

#[test]
fn diagnostics_take_every_form() {
    let sandbox = Sandbox::with_examples();
    sandbox.file("h.jsonl", WARNED);
    let line = format!("{SIMULATE} --history h.jsonl --timelines none --no-headers");
    snapshot!("warning_human", sandbox.run(&line));
    for form in ["short", "json", "github"] {
        let run = sandbox.run(&format!("{line} --error-format {form}")).exits(0);
        let by_environment = sandbox.run_with(&line, |command| {
            command.env("ARMADACTL_ERROR_FORMAT", form);
        });
        assert_eq!(run.stderr, by_environment.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{run}");
        if form == "json" {
            let finding: Value = serde_json::from_str(&run.stderr).expect("JSON");
            assert_eq!((&finding["id"], &finding["line"]), (&"RP030".into(), &2.into()));
        }
    }
    for form in ["short", "json", "github"] {
        let run = sandbox
            .run(&format!("{SIMULATE} --history ml-training.yaml --job 01 --error-format {form}"));
        assert_eq!(run.exits(3).stderr.lines().count(), 1);
    }
}

#[test]
fn a_closed_pipe_is_nobody_s_fault() {
    for line in [
        format!("{SIMULATE} --history -"),
        format!("{SIMULATE} --history - -o json"),
        "validate -f -".to_owned(),
    ] {
        let sandbox = Sandbox::with_examples();
        let mut command = sandbox.command();
        let mut child = command
            .args(line.split_whitespace())
            .stdin(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        // The reader is gone before anything is written.
        drop(child.stdout.take());
        let history = std::fs::read(root().join("examples/ml-training.yaml")).expect("a history");
        child.stdin.take().expect("stdin").write_all(&history).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{line}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
    }
}

/// An escape sequence, a C1 control, a bell, and a mark that turns text around.
const NASTY: &str = "a\u{1b}[31m\u{9b}2J\u{7}\u{202e}z";

fn harmless(text: &str) -> bool {
    text.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}')
}

#[test]
fn nothing_from_a_file_steers_the_terminal() {
    let sandbox = Sandbox::with_examples();
    let record = |extra: Value| {
        let mut record = serde_json::json!({"jobId": NASTY, "queue": NASTY, "node": NASTY,
            "cluster": NASTY, "category": NASTY, "conditions": [NASTY], "outcome": "Failed",
            "containers": [{"name": NASTY, "exitCode": 1, "reason": NASTY, "message": NASTY}]});
        let more = extra.as_object().expect("an object").clone();
        record.as_object_mut().expect("an object").extend(more);
        record.to_string() + "\n"
    };
    let name = format!("{NASTY}.jsonl");
    sandbox.file(&name, record(serde_json::json!({})) + &record(serde_json::json!({"queue": "b"})));
    let policies = ["simulate", "-f", "policies", "--queue-policies", "infra"];
    let nasty = |words: &[&str]| {
        let output = sandbox.command().args(words).output().expect("the binary runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (text(output.stdout), text(output.stderr), output.status.code())
    };
    for form in ["table", "wide", "yaml", "json"] {
        let words = [&policies[..], &["--history", &name, "-o", form]].concat();
        let (stdout, stderr, code) = nasty(&words);
        assert_eq!(code, Some(0), "{stderr}");
        assert!(harmless(&stderr), "{form}: {stderr:?}");
        if matches!(form, "table" | "wide") {
            assert!(harmless(&stdout), "{form}: {stdout:?}");
            assert!(stdout.contains("\\u{1b}[31m"), "the text is still told: {stdout}");
        }
        assert!(!stdout.contains('\u{1b}') && !stdout.contains('\u{7}'), "{form}: {stdout:?}");
    }
    sandbox.file(&format!("{NASTY}.yaml"), format!("kind: {NASTY}\n"));
    for words in [
        vec!["validate", "-f", "p\u{1b}[31m.yaml"],
        vec!["validate", "-f", "a\u{1b}[31m\u{9b}2J\u{7}\u{202e}z.yaml"],
        vec!["validate", "-f", "a\u{1b}[31m\u{9b}2J\u{7}\u{202e}z.yaml", "--error-format", "short"],
        vec![
            "validate",
            "-f",
            "a\u{1b}[31m\u{9b}2J\u{7}\u{202e}z.yaml",
            "--error-format",
            "github",
        ],
        vec!["explain", NASTY],
        vec!["help", NASTY],
        vec![NASTY],
        vec!["simulate", "--assume", NASTY],
        vec!["simulate", NASTY],
        vec!["explain", "decision", "-f", "policies", "--failure", NASTY],
        vec!["explain", "decision", "-f", "policies", "--queue-policies", NASTY],
        vec!["simulate", "-f", "policies", "--queue-policies", NASTY, "--history", &name],
        vec![
            "simulate",
            "-f",
            "policies",
            "--queue-policies",
            "infra",
            "--history",
            &name,
            "--job",
            NASTY,
            "--scheduler-config",
            NASTY,
        ],
    ] {
        let (stdout, stderr, _) = nasty(&words);
        assert!(harmless(&stdout), "{words:?}: {stdout:?}");
        assert!(harmless(&stderr), "{words:?}: {stderr:?}");
    }
}

#[test]
fn colour_is_for_terminals_and_for_those_who_ask() {
    let coloured = |flags: &str, variables: &[(&str, &str)]| {
        let sandbox = Sandbox::with_examples();
        let run = sandbox.run_with(
            &format!("{SIMULATE} --history ml-training.yaml {flags}"),
            |command| {
                command.envs(variables.iter().copied());
            },
        );
        run.exits(0).stdout.contains("\u{1b}[")
    };
    assert!(!coloured("", &[]), "no terminal, no colour");
    assert!(coloured("--color always", &[]));
    assert!(coloured("", &[("ARMADACTL_COLOR", "always")]));
    assert!(!coloured("--color never", &[("ARMADACTL_COLOR", "always")]), "the flag wins");
    assert!(!coloured("", &[("NO_COLOR", "1")]));
    assert!(coloured("--color always", &[("NO_COLOR", "1"), ("TERM", "dumb")]), "who asks gets it");
    let plain = simulate("--history ml-training.yaml").stdout;
    let painted = simulate("--history ml-training.yaml --color always").stdout;
    let escapes = regex::Regex::new("\u{1b}\\[[0-9;]*m").expect("a pattern");
    assert_eq!(escapes.replace_all(&painted, ""), plain);
}

#[test]
fn colour_of_findings() {
    let sandbox = Sandbox::with_examples();
    sandbox.file("bad.yaml", "kind: RetryPolicy\n");
    let escaped = |line: &str| sandbox.run(line).exits(3).stdout.contains('\u{1b}');
    assert!(!escaped("validate -f bad.yaml"));
    assert!(escaped("validate -f bad.yaml --color always"));
}
