//! `convert` between policies of Armada, Jobs and a JobSet.
//!
//! Holds cli.md Commands, The other systems.

use super::sandbox::{Run, Sandbox, snapshot};
use std::path::Path;

const JOB: &str = "apiVersion: batch/v1
kind: Job
metadata: {name: train.v2}
spec:
  backoffLimit: 30
  activeDeadlineSeconds: 3600
  podFailurePolicy:
    rules:
    - action: Count
      onExitCodes: {operator: In, values: [1]}
    - action: FailJob
      onExitCodes: {containerName: main, operator: In, values: [1, 42]}
    - action: Ignore
      onPodConditions:
      - {type: DisruptionTarget}
      - {type: PodScheduled, status: 'False'}
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main}, {name: log}]
";

const JOBSET: &str = "apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: nightly}
spec:
  successPolicy: {operator: Any}
  failurePolicy:
    maxRestarts: 3
    restartStrategy: BlockingRecreate
    rules:
    - action: FailJobSet
      onJobFailureReasons: [PodFailurePolicy]
      onJobFailureMessagePatterns: ['pod prod/']
    - action: RestartJobSetAndIgnoreMaxRestarts
      targetReplicatedJobs: [workers]
  replicatedJobs:
  - name: driver
    template:
      spec:
        backoffLimit: 0
        podFailurePolicy:
          rules:
          - action: FailJob
            onExitCodes: {operator: In, values: [3]}
        template: {spec: {restartPolicy: Never, containers: [{name: main}]}}
  - name: workers
    replicas: 4
    template: {spec: {parallelism: 2, completions: 2, template: {spec: {containers: [{name: main}]}}}}
";

const POLICY: &str = "apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: ml}
spec:
  retryLimit: 4
  antiAffinity: {mode: node}
  rules:
  - action: Fail
    onExitCodes: {operator: In, values: [42, 3]}
  - action: Retry
    retryLimit: 8
    onConditions: [OOMKilled, Preempted]
    mutate: {resources: {memory: {factor: 2}}}
  - action: Retry
    onFailureCategory: [gpu]
  - action: Retry
    onExitCodes: {operator: NotIn, values: [1]}
    containerName: main
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("job.yaml", JOB).file("set.yaml", JOBSET).file("policy.yaml", POLICY);
    sandbox
}

#[test]
fn what_is_kept_approximated_and_lost_is_said_of_each_field() {
    let sandbox = sandbox();
    snapshot!("job", sandbox.run("convert -f job.yaml --to v1").exits(0));
    snapshot!("jobset", sandbox.run("convert -f set.yaml --to v1").exits(0));
    snapshot!("to_job", sandbox.run("convert -f policy.yaml --to job").exits(0));
    snapshot!("to_jobset", sandbox.run("convert -f policy.yaml --to jobset").exits(0));
    for words in ["job.yaml --to v1", "set.yaml --to v1", "policy.yaml --to job"] {
        let strict =
            sandbox.run(&format!("convert --strict --error-format short -f {words}")).exits(1);
        assert!(
            strict.stderr.contains("RP039") && strict.stderr.contains("RP035"),
            "{}",
            strict.stderr
        );
    }
}

#[test]
fn what_is_told_is_json_where_that_is_asked_for() {
    let sandbox = sandbox();
    let text = sandbox.run("convert -f job.yaml --to v1").exits(0);
    let run = sandbox.run("convert -f job.yaml --to v1 --error-format json").exits(0);
    let told = run.stderr.lines().map(serde_json::from_str);
    let told: Vec<serde_json::Value> = told.collect::<Result<_, _>>().expect("JSON alone");
    let kept = told.iter().filter(|item| {
        item["message"].as_str().is_some_and(|message| message.starts_with("kept: "))
    });
    let places: Vec<String> = kept
        .map(|item| {
            format!("{}:{}:{}", item["file"].as_str().unwrap(), item["line"], item["column"])
        })
        .collect();
    let lines = text.stderr.lines().filter_map(|line| line.strip_prefix("note: kept: "));
    let written: Vec<String> =
        lines.map(|line| line.split(": ").next().unwrap_or_default().to_owned()).collect();
    assert!(!written.is_empty(), "{text}");
    assert_eq!(places, written);
}

#[test]
fn a_code_that_fails_a_set_is_no_retry() {
    let set = include_str!("../../examples/jobset/simulations-today.yaml");
    let sandbox = sandbox();
    sandbox.file("today.yaml", set);
    let policy = sandbox.run("convert -q -f today.yaml --to v1 -o json").exits(0).json();
    let rules = policy["spec"]["rules"].as_array().expect("rules");
    assert_eq!(rules.len(), 1, "{policy}");
    assert_eq!(rules[0]["action"], "Fail");
    assert_eq!(rules[0]["onExitCodes"]["values"], serde_json::json!([2]));
}

/// A limit of restarts is kept only where a failure restarts the set against it.
#[test]
fn a_limit_that_nothing_counts_against_is_not_needed() {
    let set = "apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: s}
spec:
  failurePolicy:
    maxRestarts: 5
    rules: [{action: FailJobSet}]
  replicatedJobs:
  - name: w
    template:
      spec:
        backoffLimit: 4
        completions: 1
        parallelism: 1
        podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}
        template: {spec: {restartPolicy: Never, containers: [{name: main}]}}
";
    let note = |set: &str| {
        let sandbox = Sandbox::new();
        sandbox.file("set.yaml", set);
        let run = sandbox.run("convert -f set.yaml --to v1");
        let is_kept = |line: &&str| line.contains("kept: ") && line.contains("`maxRestarts`");
        let mut notes = run.stderr.lines().filter(is_kept);
        notes.next().unwrap_or_default().to_owned()
    };
    assert!(note(set).ends_with("`maxRestarts`: not needed: no rule retries against it"));
    let restarting = set.replace("FailJobSet", "RestartJobSet");
    assert!(note(&restarting).ends_with("`maxRestarts`: as the limit 5"));
}

#[test]
fn what_comes_out_goes_in_again() {
    let sandbox = sandbox();
    for (file, to) in [("job", "v1"), ("set", "v1"), ("policy", "job"), ("policy", "jobset")] {
        let there = sandbox.run(&format!("convert -q -f {file}.yaml --to {to}")).exits(0);
        let back = if to == "v1" { "job" } else { "v1" };
        sandbox.run_on(&format!("convert -q -f - --to {back}"), &there.stdout).exits(0);
    }
    let both = sandbox.run("convert -q -f job.yaml set.yaml --to v1 -o json").exits(0).json();
    assert_eq!(
        (&both["kind"], both["items"].as_array().unwrap().len()),
        (&"RetryPolicyList".into(), 3)
    );
}

#[test]
fn a_pair_that_is_not_done_is_refused_with_the_reason() {
    let sandbox = sandbox();
    sandbox.file(
        "today.yaml",
        "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: p\ndefaultAction: Fail\n",
    );
    for words in [
        "job.yaml --to v1beta1",
        "job.yaml --to job",
        "job.yaml --to jobset",
        "set.yaml --to job",
        "set.yaml --to airflow",
        "today.yaml --to jobset",
        "today.yaml --to iris",
    ] {
        let Run { stdout, stderr, .. } = sandbox.run(&format!("convert -f {words}")).exits(6);
        assert!(stdout.is_empty() && stderr.contains("error: cannot convert "), "{stderr}");
        let twice = stderr.contains("help: convert in two steps");
        let help = !stderr.contains("into a JobSet unchanged")
            && !stderr.contains("already has this form");
        assert_eq!(twice, help, "{stderr}");
    }
    // One of several is enough, and then nothing is written.
    let mixed = sandbox.run("convert -f policy.yaml job.yaml --to job").exits(6);
    assert_eq!(mixed.stdout, "");
}

#[test]
fn what_the_api_server_refuses_is_not_converted() {
    let sandbox = sandbox();
    sandbox.file("bad.yaml", JOB.replace("restartPolicy: Never", "restartPolicy: OnFailure"));
    let bad = sandbox.run("convert -f bad.yaml --to v1").exits(3);
    assert!(bad.stderr.contains("error[RP036]"), "{}", bad.stderr);
}

/// A set of two Jobs, of which the one that fails restarts alone.
const ALONE: &str = "apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: p}
spec:
  failurePolicy: {maxRestarts: 2, rules: [{action: RestartJob}]}
  replicatedJobs:
  - name: w
    replicas: 2
    template:
      spec:
        backoffLimit: 0
        template: {spec: {restartPolicy: Never, containers: [{name: main}]}}
";

/// What two members went through, of which the first failed once, as records with these fields.
fn once_failed(first: &str, second: &str) -> String {
    let line = |of: &str, run: u32, end: u32, outcome: &str| {
        format!(
            "{{{of},\"queue\":\"q\",\"runIndex\":{run},\"finishedAt\":\"2026-10-01T0{end}:00:00Z\",\"outcome\":\"{outcome}\"}}\n"
        )
    };
    let lines = [(first, 0, 1, "Failed"), (first, 1, 3, "Succeeded"), (second, 0, 3, "Succeeded")];
    lines.map(|(of, run, end, outcome)| line(of, run, end, outcome)).concat()
}

/// Jobs in no gang do as a Job that restarts alone; a gang would rerun the other as well. The notes
/// say so.
#[test]
fn a_job_that_restarts_alone_is_a_job_in_no_gang() {
    let sandbox = Sandbox::new();
    sandbox.file("set.yaml", ALONE);
    let there = sandbox.run("convert -f set.yaml --to v1").exits(0);
    assert!(!there.stderr.contains("`action`: as"), "{there}");
    assert!(there.stderr.contains("help: submit the jobs without the annotations"), "{there}");
    sandbox.file("p.yaml", &there.stdout);
    let of_set = |job: &str| format!("\"jobId\":\"p\",\"jobName\":\"p-w-{job}\"");
    sandbox.file("set.jsonl", once_failed(&of_set("0"), &of_set("1")));
    let job = |job: &str| format!("\"jobId\":\"{job}\"");
    sandbox.file("jobs.jsonl", once_failed(&job("0"), &job("1")));
    let member = |job: &str| {
        let gang = "\"jobSet\":\"s\",\"gang\":{\"id\":\"g\",\"cardinality\":2}";
        format!("\"jobId\":\"{job}\",{gang}")
    };
    sandbox.file("gang.jsonl", once_failed(&member("0"), &member("1")));
    let set = "-f set.yaml --feature-gates RestartJob=true";
    for (policy, history, retries, all_succeed) in
        [(set, "set", 1, true), ("-f p.yaml", "jobs", 1, true), ("-f p.yaml", "gang", 1, false)]
    {
        let line = format!("simulate {policy} --history {history}.jsonl -o json");
        let summary = sandbox.run(&line).exits(0).json()["summary"].clone();
        assert_eq!(summary["retries"], retries, "{history}: {summary}");
        assert_eq!(
            summary["outcomes"]["Unresolved"].is_null(),
            all_succeed,
            "{history}: {summary}"
        );
    }
}

/// The examples of `docs/converting.md`: what is converted, to what, and what comes of it.
fn examples() -> Vec<(String, String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/converting.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let (_, section) = page.split_once("\n## Where nothing is lost\n").expect("the section");
    let fences: Vec<&str> = section
        .split("```yaml\n")
        .skip(1)
        .map(|fence| fence.split("```").next().unwrap_or_default())
        .collect();
    let flag =
        section.split("`--to ").skip(1).map(|rest| rest.split('`').next().unwrap_or_default());
    let pairs = fences.chunks(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned()));
    flag.zip(pairs).map(|(to, (from, into))| (to.to_owned(), from, into)).collect()
}

#[test]
fn the_examples_in_the_docs_lose_nothing_there_and_back() {
    let sandbox = Sandbox::new();
    let examples = examples();
    assert!(examples.len() >= 4, "{} examples", examples.len());
    for (to, from, into) in examples {
        let there = sandbox.run_on(&format!("convert --strict -f - --to {to}"), &from).exits(0);
        assert_eq!(there.stdout, into, "--to {to}");
        let back = if to != "v1" {
            "v1"
        } else if from.contains("kind: JobSet") {
            "jobset"
        } else {
            let systems = ["iris", "backendai", "airflow"];
            let named = |system: &&str| from.contains(&format!("system: {system}\n"));
            systems.into_iter().find(named).unwrap_or("job")
        };
        sandbox.run_on(&format!("convert --strict -f - --to {back}"), &into).exits(0);
    }
}
