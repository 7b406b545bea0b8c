//! How much memory a history takes.

use super::sandbox::Sandbox;
use std::fmt::Write;

/// A document of so many jobs, as YAML or as JSON on one line.
fn document(jobs: usize, json: bool) -> String {
    let yaml = "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec:\n  jobs:\n";
    let one_line = "{\"apiVersion\":\"armadaproject.io/v1\",\"kind\":\"FailureHistory\",\
                    \"spec\":{\"jobs\":[";
    let mut text = String::from(if json { one_line } else { yaml });
    for job in 0..jobs {
        let run = "{\"finishedAt\":\"1m\",\"outcome\":\"Failed\",\"category\":\"memory\",\
                   \"containers\":[{\"name\":\"main\",\"exitCode\":137,\"reason\":\"OOMKilled\"}]}";
        let (before, after) = match (json, job) {
            (true, 0) => ("", ""),
            (true, _) => (",", ""),
            (false, _) => ("  - ", "\n"),
        };
        write!(
            text,
            "{before}{{\"jobId\":\"job-{job}\",\"queue\":\"ml\",\"runs\":[{run},{run}]}}{after}"
        )
        .expect("memory");
    }
    if json { text + "]}}" } else { text }
}

#[cfg(target_os = "linux")]
#[test]
fn a_document_takes_at_most_fifteen_bytes_of_memory_a_byte() {
    for json in [true, false] {
        let sandbox = Sandbox::with_examples();
        let text = document(24_000, json);
        sandbox.file("history", &text);
        // The program itself, without anything to read, gets what it needs beside it.
        let own = 64 << 20;
        let most = (own + 15 * text.len()) >> 10;
        let mut shell = std::process::Command::new("sh");
        shell.current_dir(sandbox.path()).env_clear().env("MALLOC_ARENA_MAX", "1");
        shell.args(["-c", &format!("ulimit -v {most}; exec \"$0\" \"$@\"")]);
        shell.arg(sandbox.command().get_program());
        let line = "simulate -f policies --queue-policies infra --threads 1 --history history \
                    --timelines none -o json";
        let output = shell.args(line.split_whitespace()).output().expect("a shell");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{} bytes: {stderr}", text.len());
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(report["summary"]["jobs"], 24_000);
    }
}
