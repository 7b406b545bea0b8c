//! Histories in another shape than the usual one: YAML of pods, lists of JSON, and outputs that are
//! not read, each with a way out.
//!
//! Holds semantics.md 10.

use super::sandbox::{Run, Sandbox, root, snapshot};
use serde_json::Value;

const POLICIES: &str = "simulate -f policies --queue-policies infra,ml-training";

fn fixture(file: &str) -> String {
    std::fs::read_to_string(root().join("testdata/sources").join(file)).expect("a fixture")
}

fn simulate(text: impl AsRef<[u8]>, flags: &str) -> Run {
    let sandbox = Sandbox::with_examples();
    sandbox.file("history", text);
    sandbox.run(&format!("{POLICIES} --history history {flags}"))
}

fn report(text: impl AsRef<[u8]>) -> Value {
    simulate(text, "--timelines all -o json").exits(0).json()
}

#[test]
fn pods_in_yaml_are_pods() {
    let list = report(fixture("pods/list.json"));
    assert_eq!(report(fixture("pods/list.yaml")), list, "a list");
    assert_eq!(report(fixture("pods/stream.yaml")), list, "documents");
    let bad = "kind: List\napiVersion: v1\nitems:\n- kind: Pod\n  metadata: {name: a}\n  \
               status: {phase: Failed, startTime: noon}\n- kind: Pod\n  metadata: {name: [b]}\n";
    snapshot!("bad_pods_yaml", simulate(bad, "--error-format short"));
    for text in ["kind: Pod\nmetadata: [\n", "items:\n- 7\n", "items: []\n---\n- 1\n"] {
        assert!(simulate(text, "--format pods").exits(3).stderr.contains("history:"), "{text}");
    }
}

#[test]
fn pods_in_yaml_are_runs_of_jobs() {
    let sandbox = Sandbox::new();
    let pods = |text: &str| {
        sandbox.file("pods", text);
        sandbox.file(
            "job.yaml",
            "apiVersion: batch/v1\nkind: Job\nmetadata: {name: etl, namespace: ml}\nspec: {template: \
             {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}\n",
        );
        let line =
            "simulate -f job.yaml --history pods --on-bad-record skip --timelines all -o json";
        sandbox.run(line).exits(0).json()
    };
    assert_eq!(pods(&fixture("pods/list.yaml")), pods(&fixture("pods/list.json")));
}

/// The values of JSON Lines as one list, on one line or indented.
fn listed(lines: &str) -> [String; 3] {
    let values: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let indented: Vec<String> = values.iter().map(|value| format!("{value:#}")).collect();
    let list = Value::Array(values);
    [list.to_string(), format!("{list:#}"), indented.join("\n")]
}

#[test]
fn lists_of_json_are_read_as_their_elements() {
    let run = |job: &str, at: u32| {
        format!(
            "{{\"jobId\":\"{job}\",\"finishedAt\":\"2026-10-01T10:0{at}:00Z\",\"outcome\":\"Failed\"}}\n"
        )
    };
    let lines = run("a", 1) + &run("b", 2) + &run("a", 3);
    for lines in [lines, fixture("armada-events/gateway.jsonl")] {
        let plain = report(&lines);
        for text in listed(&lines) {
            assert_eq!(report(&text), plain, "{text}");
        }
    }
    let pods: Value = serde_json::from_str(&fixture("pods/list.json")).expect("JSON");
    assert_eq!(report(pods["items"].to_string()), report(pods.to_string()));
    let jobs: Value =
        serde_json::from_str(fixture("lookout/pages.json").lines().next().expect("a line"))
            .expect("JSON");
    assert_eq!(report(jobs["jobs"].to_string()), report(jobs.to_string()));
    let bad = "[\n  {\"jobId\": \"a\", \"outcome\": \"Failed\"},\n  {\"jobId\": \"b\",\n   \"outcome\": 7}\n]\n";
    snapshot!("bad_list", simulate(bad, "--error-format short"));
}

#[test]
fn records_of_other_systems_may_be_in_a_list() {
    let sandbox = Sandbox::new();
    sandbox.file(
        "job.yaml",
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: etl}\nspec: {backoffLimit: 1, template: \
         {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}\n",
    );
    let run = |at: u32| {
        format!(
            "{{\"jobId\":\"etl\",\"finishedAt\":\"2026-10-01T10:0{at}:00Z\",\"outcome\":\"Failed\",\"podName\":\"etl-{at}\"}}\n"
        )
    };
    let lines = run(1) + &run(2);
    let report = |text: &str| {
        sandbox.file("history", text);
        sandbox.run("simulate -f job.yaml --history history --timelines all -o json")
    };
    let plain = report(&lines).exits(0).json();
    for text in listed(&lines) {
        assert_eq!(report(&text).exits(0).json(), plain, "{text}");
    }
    let bad = report("[{\"jobId\": \"etl\",\n \"outcome\": 7}]").exits(3);
    assert!(bad.stderr.contains("history:2:13"), "{bad}");
}

#[test]
fn outputs_that_are_not_read_have_a_way_out() {
    for (text, what, help) in [
        (
            "No resources found in default namespace.\n",
            "`kubectl` found nothing",
            "kubectl get pods -A -o json",
        ),
        ("1001|FAILED|1:0\n1002|COMPLETED|0:0\n", "there is no header", "without --noheader"),
        (
            "JobID    State\n------ ------\n1001  FAILED\n",
            "`--parsable2` is missing",
            "--parsable2 --format=JobID,State",
        ),
        ("JobID,State\n1001,FAILED\n", "not separated by `|`", "--parsable2 --format=JobID,State"),
        (
            r#"{"jobs":[{"account":"a","job_id":4001,"state":{"current":["FAILED"]}}],"meta":{}}"#,
            "`sacct --json`",
            "--parsable2 --format=JobID,State",
        ),
        ("job,outcome\na,Failed\n", "this is CSV", "JSON Lines"),
        (
            "JobID|ExitCode|Start\n1001|1:0|0\n",
            "does not have the column `State`",
            "--parsable2 --format=JobID,State",
        ),
        (
            "NAMESPACE   NAME    READY   STATUS   RESTARTS   AGE\nml          j-0-a   0/1     Error    0          5m\n",
            "this is the table that `kubectl` prints",
            "kubectl get pods -A -o json",
        ),
        (
            "Watching job set a\nOct 1 10:00:00 | Queued:   0, Leased:   0 | event: x\n",
            "without `--raw`",
            "watch QUEUE JOBSET --raw",
        ),
        (
            "TIME                  JOB  EVENT           DETAILS\n2026-10-14T17:49:18Z  j    queued\n",
            "`watch` prints for people",
            "watch QUEUE JOBSET --record FILE",
        ),
        (
            "Warning: v1 is old\n{\n  \"kind\": \"PodList\", \"items\": []\n}\n",
            "line 1 is not JSON",
            "2>warnings.txt",
        ),
        (
            "kind: JobList\nitems:\n- metadata: {name: a}\n",
            "this is a JobList",
            "kubectl get pods -A -o yaml",
        ),
        ("one\ntwo\n[]\n", "lines 1 to 2 are not JSON", "2>warnings.txt"),
    ] {
        let run = simulate(text, "").exits(3);
        assert!(run.stderr.contains(what) && run.stderr.contains(help), "{run}");
        assert_eq!(run.stderr.matches("error[").count(), 1, "{run}");
        assert!(run.stderr.contains("history:1:1"), "{run}");
    }
}

#[test]
fn mistakes_in_records_have_their_place_and_a_way_out() {
    for (text, what, help) in [
        (
            "JobID|State|ExitCode|Start|End\n1|FAILD|1:0|1790000000|1790000600\n",
            "unknown Slurm state `FAILD`",
            "did you mean `FAILED`?",
        ),
        (
            "{\"jobId\":\"a\",\"outcome\":\"Failed\",\"startedAt\":\"9s\",\"finishedAt\":\"5s\"}\n",
            "before it starts",
            "whether the two are swapped",
        ),
        ("{\"jobId\":\"a\",\"outcome\":\"Failed\",}\n", "a comma before `}`", "remove the comma"),
        (
            "[{\"jobId\":\"a\",\"outcome\":\"Failed\"},\n]\n",
            "a comma before `]`",
            "remove the comma",
        ),
        (
            "{\"jobId\":\"a\",\"outcome\":\"Failed\"}\n{\"jobId\":\"b\",\"outc",
            "the text ends in the middle of a value",
            "complete it",
        ),
        ("{\"jobId\": \"a\", 'outcome': 1}\n", "invalid JSON", "double quotes"),
        (
            "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[\n{\"ki",
            "the text ends in the middle of a value",
            "complete it",
        ),
        (
            "{\"jobid\":\"a\",\"outcome\":\"Failed\"}\n",
            "has no `jobId`",
            "write `jobId` in place of `jobid`",
        ),
        (
            "{\"jobId\":\"a\",\"outcom\":\"Failed\"}\n",
            "has no `outcome`",
            "write `outcome` in place of `outcom`",
        ),
        (
            "{\"jobId\":\"a\",\"outcome\":\"Failed\",\"containers\":[{\"name\":\"m\",\"exitCode\":3000000000}]}\n",
            "`exitCode` is 3000000000",
            "2147483647",
        ),
    ] {
        let run = simulate(text, "").exits(3);
        assert!(run.stderr.contains(what) && run.stderr.contains(help), "{run}");
        assert_eq!(run.stderr.matches("error[").count(), 1, "{run}");
    }
}
