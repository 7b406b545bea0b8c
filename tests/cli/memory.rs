//! How much memory a history takes.
//!
//! Holds cli.md simulate.

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

/// Runs a command that succeeds with so many bytes of memory beside those that the program itself needs.
#[cfg(target_os = "linux")]
fn run_within(sandbox: &Sandbox, bytes: usize, line: &str) -> std::process::Output {
    // Data, which the size of the program's code is no part of: a simulation of one node and one job takes 5.1 MiB.
    let own = 6 << 20;
    let most = (own + bytes) >> 10;
    let mut shell = std::process::Command::new("sh");
    shell.current_dir(sandbox.path()).env_clear().env("MALLOC_ARENA_MAX", "1");
    shell.args(["-c", &format!("ulimit -d {most}; exec \"$0\" \"$@\"")]);
    shell.arg(sandbox.command().get_program());
    let output = shell.args(line.split_whitespace()).output().expect("a shell");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{bytes} bytes: {stderr}");
    output
}

#[cfg(target_os = "linux")]
#[test]
fn a_document_takes_at_most_four_bytes_of_memory_a_byte() {
    for json in [true, false] {
        let sandbox = Sandbox::with_examples();
        let text = document(24_000, json);
        sandbox.file("history", &text);
        let line = "simulate -f policies --queue-policies infra --threads 1 --history history \
                    --timelines none -o json";
        let output = run_within(&sandbox, 4 * text.len(), line);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(report["summary"]["jobs"], 24_000);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_node_and_a_job_of_a_simulated_cluster_take_at_most_560_bytes_each() {
    // Idle nodes, nodes with a job each, and jobs in a queue.
    for (nodes, jobs) in [(60_000, 1), (30_000, 30_000), (1, 120_000)] {
        let sandbox = Sandbox::new();
        let resources = "{resources: {cpu: 32, memory: 64Gi}}";
        sandbox.file(
            "cluster.yaml",
            format!(
                "clusters: [{{name: c, pool: p, nodeTemplates: [{{number: {nodes}, totalResources: {resources}}}]}}]"
            ),
        );
        let requests = "{resourceRequirements: {requests: {cpu: 32, memory: 1Gi}}}";
        sandbox.file(
            "workload.yaml",
            format!(
                "queues: [{{name: a, weight: 1, jobTemplates: [{{number: {jobs}, requirements: {requests}, \
                 runtimeDistribution: {{minimum: 5m}}}}]}}]"
            ),
        );
        let line = "simulate --cluster cluster.yaml --workload workload.yaml --until 1m --threads 1 -o json";
        let output = run_within(&sandbox, (nodes + jobs) * 560, line);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let figures = &report["variants"][0]["total"]["jobs"];
        assert_eq!(figures["unfinished"], jobs, "{report}");
    }
}

#[test]
fn findings_about_any_number_of_foreign_documents_are_few_and_a_count() {
    let sandbox = Sandbox::with_examples();
    let documents = "a: 1\n---\n".repeat(3_000);
    sandbox.file("foreign/all.yaml", &documents);
    for number in 0..1_100 {
        sandbox.file(&format!("files/{number}.yaml"), "a: 1\n---\na: 1\n");
    }
    let simulate = "simulate -f policies --queue-policies infra --error-format json --history";
    for line in [
        &format!("{simulate} foreign"),
        &format!("{simulate} files"),
        "test foreign/all.yaml --error-format json",
    ] {
        let run = sandbox.run(line).exits(3);
        let findings: Vec<serde_json::Value> = run
            .stderr
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .filter(|finding: &serde_json::Value| finding["id"].is_string())
            .collect();
        assert!((1_000..1_010).contains(&findings.len()), "{line}: {}", findings.len());
        let message = |finding: &serde_json::Value| finding["message"].as_str().map(str::to_owned);
        let counts: Vec<String> = findings.iter().filter_map(message).collect();
        let counts = counts
            .iter()
            .filter_map(|it| it.strip_suffix(" more findings about documents are not reported"));
        let counts: Vec<&str> = counts.collect();
        assert_eq!(counts.len(), 1, "{line}");
    }
}
