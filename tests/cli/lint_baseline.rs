//! `lint --baseline`: only new findings are reported, wherever old ones move.
//!
//! Holds cli.md Commands.

use crate::sandbox::Sandbox;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::fs;

const WRITE: &str = "lint -f . --baseline .armadactl-baseline.yaml --write-baseline";
const LINT: &str = "lint -f . --baseline .armadactl-baseline.yaml";

/// The header of a policy, to which rules are added.
fn header(name: &str) -> String {
    format!(
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: {name}}}\nspec:\n  retryLimit: 3\n  rules:\n"
    )
}

/// A rule with one finding, if it is not the first of its condition.
const REPEATED: &str = "  - action: Retry\n    onConditions: [DeadlineExceeded]\n";

/// A repository with a policy a file, each with some findings.
fn repository(policies: usize, findings: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path().join(".git")).unwrap();
    for number in 0..policies {
        let text = header(&format!("p{number}")) + &REPEATED.repeat(findings + 1);
        sandbox.file(&format!("p{number}.yaml"), text);
    }
    sandbox
}

#[test]
fn of_an_old_repository_only_a_new_finding_fails() {
    let sandbox = repository(100, 4);
    let before = sandbox.run("lint -f . -o json").exits(1).json();
    assert_eq!(before["summary"]["warnings"], 400);
    let written = sandbox.run(WRITE).exits(0);
    assert_eq!(written.stdout, "");
    assert_eq!(written.stderr, "note: 400 findings written to `.armadactl-baseline.yaml`\n");
    let clean = sandbox.run(LINT).exits(0);
    assert_eq!(
        clean.stdout,
        "100 documents in 100 files: 0 errors, 0 warnings, 0 infos, 400 in the baseline\n"
    );
    sandbox.file("p7.yaml", header("p7") + &REPEATED.repeat(6));
    let report = sandbox.run(&format!("{LINT} -o json")).exits(1).json();
    assert_eq!(report["summary"]["inBaseline"], 400);
    assert_eq!(report["items"].as_array().unwrap().len(), 1);
    assert_eq!(report["items"][0]["id"], "RP101");
    assert_eq!(report["items"][0]["file"], "./p7.yaml");
    // Written again, it has the new one too.
    assert!(sandbox.run(WRITE).exits(0).stderr.contains("401 findings"));
    sandbox.run(LINT).exits(0);
}

#[test]
fn lines_that_move_are_no_new_findings() {
    let sandbox = repository(4, 3);
    let many = header("q") + &REPEATED.repeat(3) + "---\n" + &header("r") + &REPEATED.repeat(3);
    sandbox.file("sub/q.yaml", &many);
    sandbox.run(WRITE).exits(0);
    let config = Config { cases: 30, ..Config::default() };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let line = prop_oneof![Just(""), Just("# a comment"), Just("  # name: other")];
    let inserted = prop::collection::vec((any::<Index>(), line), 1..12);
    TestRunner::new_with_rng(config, random)
        .run(&inserted, |inserted| {
            let mut lines: Vec<&str> = many.lines().collect();
            for (at, line) in inserted {
                lines.insert(at.index(lines.len() + 1), line);
            }
            sandbox.file("sub/q.yaml", lines.join("\n") + "\n");
            let found = sandbox.run(LINT);
            prop_assert_eq!(found.code, 0, "{}", found.stdout);
            prop_assert!(found.stdout.contains("16 in the baseline"), "{}", found.stdout);
            Ok(())
        })
        .unwrap();
}

#[test]
fn the_directory_of_the_command_does_not_matter() {
    let sandbox = repository(2, 2);
    sandbox.file("sub/q.yaml", header("q") + &REPEATED.repeat(3));
    sandbox.run(WRITE).exits(0);
    let below = sandbox.path().join("sub");
    let found = sandbox.run_with("lint -f .. --baseline ../.armadactl-baseline.yaml", |command| {
        command.current_dir(&below);
    });
    assert!(found.exits(0).stdout.ends_with("6 in the baseline\n"));
}

#[test]
fn findings_that_are_gone_are_noted_if_they_were_looked_for() {
    let sandbox = repository(2, 1);
    sandbox.run(WRITE).exits(0);
    sandbox.file("p0.yaml", header("p0") + REPEATED);
    let note = "note: of the baseline, 1 finding not found: corrected, or in need of other inputs \
                (--write-baseline leaves them out)\n";
    assert_eq!(sandbox.run(LINT).exits(0).stderr, note);
    for other in ["--ignore RP101", "--select RP102"] {
        assert_eq!(sandbox.run(&format!("{LINT} {other}")).exits(0).stderr, "", "{other}");
    }
    let one = "lint -f p1.yaml --baseline .armadactl-baseline.yaml";
    assert_eq!(sandbox.run(one).exits(0).stderr, "");
}

#[test]
fn the_settings_of_a_repository_name_its_baseline() {
    let sandbox = repository(1, 2);
    sandbox.file(".armadactl-lint.yaml", "baseline: ci/old.yaml\n");
    fs::create_dir(sandbox.path().join("ci")).unwrap();
    let absent = sandbox.run("lint -f p0.yaml").exits(3);
    assert_eq!(
        absent.stderr,
        "error: the baseline `ci/old.yaml` does not exist\n  help: --write-baseline makes it from the findings of today\n"
    );
    sandbox.run("lint -f p0.yaml --write-baseline").exits(0);
    sandbox.run("lint -f p0.yaml").exits(0);
    let text = fs::read_to_string(sandbox.path().join("ci/old.yaml")).unwrap();
    assert!(text.contains("\n- file: p0.yaml\n  id: RP101\n"), "{text}");
}

#[test]
fn an_error_of_a_document_is_never_in_a_baseline() {
    let sandbox = repository(1, 1);
    sandbox.file("bad.yaml", header("bad").replace("retryLimit: 3", "retryLimit: x") + REPEATED);
    let refused = sandbox.run(WRITE).exits(3);
    assert!(refused.stderr.contains("no baseline was written"), "{}", refused.stderr);
    assert!(!sandbox.path().join(".armadactl-baseline.yaml").exists());
}

#[test]
fn a_finding_of_another_rule_is_new_although_an_old_one_is_corrected() {
    let sandbox = Sandbox::new();
    let rule = |condition: &str| REPEATED.replace("DeadlineExceeded", condition);
    let policy = |conditions: &[&str]| {
        header("p") + &conditions.iter().map(|it| rule(it)).collect::<String>()
    };
    sandbox.file("p.yaml", policy(&["DeadlineExceeded", "DeadlineExceeded", "Unschedulable"]));
    sandbox.run(WRITE).exits(0);
    sandbox.file("p.yaml", policy(&["DeadlineExceeded", "Unschedulable", "Unschedulable"]));
    let found = sandbox.run(LINT).exits(1);
    assert!(found.stdout.contains("`p[2]` decides nothing"), "{found}");
    assert!(found.stderr.contains("1 finding not found"), "{found}");
    // The new one is above the old one.
    sandbox.file(
        "p.yaml",
        policy(&["Unschedulable", "Unschedulable", "DeadlineExceeded", "DeadlineExceeded"]),
    );
    let found = sandbox.run(LINT).exits(1);
    assert!(found.stdout.contains("`p[1]` decides nothing"), "{found}");
    assert!(!found.stdout.contains("`p[3]`"), "{found}");
}

#[test]
fn what_is_not_looked_for_stays_when_a_baseline_is_written_again() {
    let sandbox = repository(3, 1);
    sandbox.run(WRITE).exits(0);
    sandbox.file("p0.yaml", header("p0") + &REPEATED.repeat(3));
    let one = sandbox.run(&WRITE.replace("-f .", "-f p0.yaml")).exits(0);
    assert!(one.stderr.ends_with("; 2 of other files and ids stay\n"), "{one}");
    let other = sandbox.run(&format!("{WRITE} --select RP110")).exits(0);
    assert!(other.stderr.ends_with("; 4 of other files and ids stay\n"), "{other}");
    assert!(sandbox.run(LINT).exits(0).stdout.ends_with("4 in the baseline\n"));
    fs::remove_file(sandbox.path().join("p2.yaml")).unwrap();
    assert!(sandbox.run(LINT).exits(0).stderr.contains("1 finding not found"));
    assert!(sandbox.run(WRITE).exits(0).stderr.contains("3 findings written"));
}

#[test]
fn links_and_directories_outside_of_a_repository_do_not_matter() {
    let sandbox = Sandbox::new();
    sandbox.file("pol/p.yaml", header("p") + &REPEATED.repeat(2));
    fs::create_dir(sandbox.path().join("ci")).unwrap();
    sandbox.run("lint -f pol --baseline ci/old.yaml --write-baseline").exits(0);
    let text = fs::read_to_string(sandbox.path().join("ci/old.yaml")).unwrap();
    assert!(text.contains("- file: \"../pol/p.yaml\"\n"), "{text}");
    #[cfg(unix)]
    std::os::unix::fs::symlink(sandbox.path().join("pol"), sandbox.path().join("link")).unwrap();
    #[cfg(unix)]
    sandbox.run("lint -f link --baseline ci/old.yaml").exits(0);
}

#[test]
fn a_baseline_is_checked_and_overwrites_nothing_else() {
    let sandbox = repository(1, 1);
    for other in ["p0.yaml", "notes.md"] {
        let text = header("p0") + REPEATED;
        sandbox.file(other, &text);
        let refused =
            sandbox.run(&format!("lint -f . --baseline {other} --write-baseline")).exits(3);
        assert!(refused.stderr.contains("is not a baseline"), "{refused}");
        assert_eq!(fs::read_to_string(sandbox.path().join(other)).unwrap(), text);
    }
    sandbox.run("lint -f . --baseline - --write-baseline").exits(2);
    // Nothing would be printed in it.
    sandbox.run(&format!("{WRITE} -o json")).exits(2);
    let unnamed = sandbox.run("lint -f . --write-baseline").exits(2);
    assert!(unnamed.stderr.contains("--write-baseline needs --baseline"), "{unnamed}");
    // Nothing is corrected without the baseline.
    let text = header("p0")
        + &REPEATED.replace("[DeadlineExceeded]", "[DeadlineExceeded, DeadlineExceeded]");
    sandbox.file("p0.yaml", &text);
    sandbox.run("lint -f p0.yaml --fix --baseline absent.yaml").exits(3);
    assert_eq!(fs::read_to_string(sandbox.path().join("p0.yaml")).unwrap(), text);
    for (text, error) in [
        ("kind: LintBaseline\n", "the LintBaseline has no `apiVersion`"),
        ("kind: LintBaseline\n---\n{}\n", "a baseline is one document"),
        ("apiVersion: armadaproject.io/v1\nkind: RetryPolicy\n", "is not a baseline"),
    ] {
        sandbox.file(".armadactl-baseline.yaml", text);
        let found = sandbox.run(LINT).exits(3);
        assert!(found.stderr.contains(error), "{text}: {found}");
    }
}

#[test]
fn no_command_reads_a_baseline_as_a_document() {
    let sandbox = repository(1, 1);
    sandbox.run("lint -f . --baseline baseline.yaml --write-baseline").exits(0);
    for command in ["lint -f . --baseline baseline.yaml", "validate -f .", "fmt --check ."] {
        sandbox.run(command).exits(0);
    }
    sandbox.run("validate -f baseline.yaml").exits(0);
}
