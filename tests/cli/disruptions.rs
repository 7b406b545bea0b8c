//! The table of disruptions: a case for every row of every source, made of what `explain disruptions` prints; files that
//! replace rows; what Slurm's cancels come to.
//!
//! Holds cli.md simulate.

use super::sandbox::{Run, Sandbox};
use serde_json::{Value, json};

const POLICY: &str = "
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: p}
spec:
  defaultAction: Fail
  rules:
  - {action: Retry, onConditions: [Preempted], retryLimit: 5}
  - {action: Retry, onConditions: [Evicted], retryLimit: 5}
";

const JOB: &str = "
apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec:
  backoffLimit: 3
  podFailurePolicy:
    rules:
    - {action: Ignore, onPodConditions: [{type: DisruptionTarget}]}
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: i}]
";

const START: &str = "2026-05-04T10:00:00Z";
const END: &str = "2026-05-04T10:05:00Z";

/// The rows of the table.
fn rows() -> Vec<Value> {
    let table = Sandbox::new().run("explain disruptions -o json").exits(0).json();
    table["items"].as_array().expect("rows").clone()
}

fn text<'r>(row: &'r Value, key: &str) -> &'r str {
    row[key].as_str().unwrap_or_default()
}

/// The parts of a sign as it is printed.
enum Sign<'s> {
    PodCondition(&'s str, &'s str),
    PodReason(&'s str),
    ExitCode(i64),
    Field(&'s str, &'s str),
}

fn sign(row: &Value) -> Sign<'_> {
    let sign = text(row, "sign");
    if let Some(rest) = sign.strip_prefix("condition ") {
        let (kind, reason) = rest.split_once(", reason ").unwrap_or((rest, "SomethingElse"));
        return Sign::PodCondition(kind, reason);
    }
    if let Some(reason) = sign.strip_prefix("status.reason ") {
        return Sign::PodReason(reason);
    }
    if let Some(code) = sign.strip_prefix("exit code ") {
        return Sign::ExitCode(code.parse().expect("a code"));
    }
    let (name, value) = sign.split_once(' ').expect("a field and its value");
    Sign::Field(name, value.trim_matches('"'))
}

/// A pod that failed.
fn pod(row: &Value) -> Value {
    let mut status = json!({"phase": "Failed", "startTime": START});
    let mut code = 1;
    match sign(row) {
        Sign::PodCondition(kind, reason) => {
            status["conditions"] = json!([{"type": kind, "status": "True", "reason": reason}]);
        }
        Sign::PodReason(reason) => status["reason"] = reason.into(),
        Sign::ExitCode(other) => code = other,
        Sign::Field(..) => panic!("no case for {row}"),
    }
    let ended = json!({"exitCode": code, "reason": "Error", "startedAt": START, "finishedAt": END});
    status["containerStatuses"] = json!([{"name": "main", "state": {"terminated": ended}}]);
    json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "j-x", "creationTimestamp": START, "labels": {"job-name": "j"}},
        "spec": {"containers": [{"name": "main"}]}, "status": status})
}

/// sacct's attempts of a job.
fn sacct(row: &Value) -> String {
    let (state, code) = match sign(row) {
        Sign::Field("State", state) => (state, "0:0".to_owned()),
        Sign::ExitCode(code) => ("FAILED", format!("0:{}", code - 128)),
        _ => panic!("no case for {row}"),
    };
    let header = "JobID|State|ExitCode|Start|End|NodeList";
    let word = state.split([',']).next().unwrap_or_default();
    let end = if state.contains("Elapsed 00:00:00") { START } else { END };
    let mut lines = format!("{header}\nj|{word}|{code}|{START}|{end}|n1\n");
    if state.contains("and another attempt") {
        lines += "j|COMPLETED|0:0|2026-05-04T11:00:00Z|2026-05-04T12:00:00Z|n2\n";
    }
    lines
}

fn event(key: &str, fields: &Value) -> String {
    let mut event = json!({"jobId": "j", "jobSetId": "s", "queue": "q", "created": END});
    let more = fields.as_object().expect("fields").clone();
    event.as_object_mut().expect("an event").extend(more);
    json!({"result": {"id": "1", "message": {key: event}}}).to_string() + "\n"
}

fn events(row: &Value) -> String {
    let leased = event("leased", &json!({"created": START}));
    let end = match sign(row) {
        Sign::Field("preempted.reason", reason) => {
            event("preempted", &json!({"reason": format!("{reason} - and more")}))
        }
        Sign::Field("event", kind) => event(kind, &json!({})),
        Sign::Field("failed.cause", cause) => event("failed", &json!({"cause": cause})),
        Sign::ExitCode(code) => {
            event("failed", &json!({"containerStatuses": [{"name": "main", "exitCode": code}]}))
        }
        _ => panic!("no case for {row}"),
    };
    leased + &end
}

fn lookout(row: &Value) -> String {
    let mut run =
        json!({"runId": "r", "jobRunState": "RUN_FAILED", "started": START, "finished": END});
    match sign(row) {
        Sign::Field("error", begin) => {
            run["jobRunState"] = "RUN_PREEMPTED".into();
            run["error"] = format!("{begin} x").into();
        }
        Sign::Field("jobRunState", state) => run["jobRunState"] = state.into(),
        Sign::PodReason(reason) => {
            run["debug"] = json!({"schemaVersion": 1, "trigger": "podFailed",
                "pod": {"phase": "Failed", "reason": reason}});
        }
        Sign::ExitCode(code) => run["exitCode"] = code.into(),
        _ => panic!("no case for {row}"),
    }
    json!({"jobs": [{"jobId": "j", "queue": "q", "jobSet": "s", "runs": [run]}]}).to_string()
}

/// A record of a run, which failed unless the sign is its outcome.
fn record(row: &Value) -> String {
    let is_upper = ["iris", "awsbatch"].contains(&text(row, "system"));
    let outcome = if is_upper { "FAILED" } else { "Failed" };
    let mut record =
        json!({"jobId": "j", "startedAt": START, "finishedAt": END, "outcome": outcome});
    match sign(row) {
        Sign::Field("conditions", name) => record["conditions"] = json!([name]),
        Sign::Field("exceptions", name) => record["exceptions"] = json!([name]),
        Sign::Field("workerDied", "true") => record["workerDied"] = true.into(),
        Sign::Field("error", begin) => {
            record["outcome"] = "Preempted".into();
            record["error"] = begin.into();
        }
        Sign::Field(name @ ("outcome" | "cause" | "statusReason"), value) => {
            record[name] = value.into();
        }
        Sign::ExitCode(code) => {
            record["containers"] = json!([{"name": "main", "exitCode": code}]);
        }
        _ => panic!("no case for {row}"),
    }
    record.to_string() + "\n"
}

/// A policy and a history with the sign of a row alone. A row without a case panics.
fn case(sandbox: &Sandbox, row: &Value) -> String {
    let (system, source) = (text(row, "system"), text(row, "source"));
    let (name, history) = match source {
        "pods" => ("h.json", json!({"kind": "List", "items": [pod(row)]}).to_string()),
        "sacct" => ("h.txt", sacct(row)),
        "armada-events" => ("h.jsonl", events(row)),
        "lookout" => ("h.json", lookout(row)),
        "records" => ("h.jsonl", record(row)),
        _ => panic!("no case for {row}"),
    };
    let policy = match (system, source) {
        ("iris" | "airflow" | "backendai", "records") => {
            let spec = match system {
                "iris" => "{system: iris, policy: {}}",
                "airflow" => "{system: airflow, policy: {retries: 2}}",
                _ => "{system: backendai, layers: {session: {max_retries: 2}}}",
            };
            format!(
                "apiVersion: armadaproject.io/v1\nkind: RetryProfile\nmetadata: {{name: p}}\nspec: {spec}\n"
            )
        }
        ("awsbatch", "records") => {
            "jobDefinitionName: p\nretryStrategy: {attempts: 3}\n".to_owned()
        }
        _ => POLICY.to_owned(),
    };
    sandbox.file("policy.yaml", policy).file(name, history);
    format!("simulate -f policy.yaml --history {name} --timelines all -o json")
}

/// A file with a row that is changed.
fn changed(sandbox: &Sandbox, row: &Value, key: &str, value: Value) {
    let mut row = row.clone();
    row[key] = value;
    sandbox.file("d.yaml", json!({"items": [row]}).to_string());
}

/// The rows that a report counts.
fn counted(report: &Value) -> Vec<String> {
    let rows = report["summary"]["disruptions"].as_array().cloned().unwrap_or_default();
    let on = rows.iter().filter(|row| row["enabled"] == true);
    on.map(|row| text(row, "sign").to_owned()).collect()
}

/// The number of the rule that decided the first failure; the default is null.
fn rule(report: &Value) -> &Value {
    &report["jobs"][0]["decisions"][0]["ruleIndex"]
}

#[test]
fn every_row_is_recognised_in_its_source_and_not_if_it_is_off() {
    for row in rows() {
        let sandbox = Sandbox::new();
        let line = case(&sandbox, &row);
        changed(&sandbox, &row, "enabled", true.into());
        let with = format!("{line} --disruptions d.yaml");
        let run = sandbox.run(&with).exits(0);
        let report = run.json();
        if text(&row, "kind") == "leaseReturn" {
            let failure = &report["jobs"][0]["decisions"][0]["failure"];
            assert_eq!(failure, "LeaseReturned", "{row}\n{run}");
            continue;
        }
        assert_eq!(counted(&report), [text(&row, "sign")], "{row}\n{run}");
        let is_of_armada = text(&row, "source") != "records" || text(&row, "system") == "armada";
        let of_condition = match row["condition"].as_str().filter(|_| is_of_armada) {
            Some("Preempted") => json!(0),
            Some("Evicted") => json!(1),
            _ => Value::Null,
        };
        assert_eq!(rule(&report), &of_condition, "{row}\n{run}");
        changed(&sandbox, &row, "enabled", false.into());
        let off = sandbox.run(&with).exits(0).json();
        assert!(!counted(&off).contains(&text(&row, "sign").to_owned()), "{row}\n{off:#}");
        // The table as it is has the row on or off.
        let plain = sandbox.run(&line).exits(0).json();
        let is_counted = counted(&plain) == [text(&row, "sign")];
        assert_eq!(is_counted, row["enabled"] == true, "{row}");
    }
}

#[test]
fn a_row_of_pods_or_sacct_gives_runs_the_condition_of_a_file() {
    for row in rows() {
        let source = text(&row, "source");
        let is_returned = text(&row, "kind") == "leaseReturn";
        if !["pods", "sacct"].contains(&source) || is_returned {
            continue;
        }
        let sandbox = Sandbox::new();
        let line = case(&sandbox, &row);
        for (condition, number) in [("Preempted", 0), ("Evicted", 1)] {
            let mut row = row.clone();
            row["enabled"] = true.into();
            changed(&sandbox, &row, "condition", condition.into());
            let run = sandbox.run(&format!("{line} --disruptions d.yaml")).exits(0);
            assert_eq!(rule(&run.json()), &json!(number), "{row} {condition}\n{run}");
        }
    }
}

/// The engines of Job and JobSet count the same signs, and decide as Kubernetes does.
#[test]
fn a_job_decides_by_the_conditions_of_its_pods_alone() {
    let of_pods = rows().into_iter().filter(|row| row["source"] == "pods");
    for row in of_pods {
        let sandbox = Sandbox::new();
        case(&sandbox, &row);
        sandbox.file("job.yaml", JOB);
        let run = sandbox.run("simulate -f job.yaml --history h.json --timelines all -o json");
        let report = run.exits(0).json();
        let sign = text(&row, "sign");
        let expected = if row["enabled"] == true { vec![sign.to_owned()] } else { Vec::new() };
        assert_eq!(counted(&report), expected, "{row}");
        let is_ignored = sign.starts_with("condition DisruptionTarget");
        assert_eq!(rule(&report) == &json!(0), is_ignored, "{row}");
        let kinds: Vec<&str> =
            report["notes"].as_array().unwrap().iter().map(|note| text(note, "kind")).collect();
        let is_noted = row["system"] == "kueue" && row["enabled"] == true;
        assert_eq!(kinds.contains(&"disruptions"), is_noted, "{row}: {kinds:?}");
    }
}

fn refused(file: &str) -> Run {
    let sandbox = Sandbox::new();
    sandbox.file("d.yaml", file);
    sandbox.run("explain disruptions --disruptions d.yaml").exits(3)
}

#[test]
fn a_file_with_unknown_rows_keys_or_values_is_refused_at_its_place() {
    let row = |more: &str| {
        format!("items:\n- {{system: slurm, source: sacct, sign: State NODE_FAIL{more}}}\n")
    };
    for (file, place, help) in [
        (row("").replace("NODE_FAIL", "NODE_FIAL"), "d.yaml:2:40", "did you mean `State NODE_FAIL`?"),
        (row("").replace("sacct", "pods"), "d.yaml:2:27", "it has signs in sacct"),
        (row(", on: true"), "d.yaml:2:", "write `enabled`"),
        (row(", kind: nodeLost"), "d.yaml:2:", "nodeLoss"),
        (row(", condition: OOMKilled"), "d.yaml:2:", "was not disrupted"),
        (row(", enabled: maybe"), "d.yaml:2:", ""),
        (row("") + &row("").replace("items:\n", ""), "d.yaml:3:3", "keep one"),
        ("rows: []\n".to_owned(), "d.yaml:1:1", ""),
        (
            "items:\n- {system: armada, source: lookout, sign: jobRunState RUN_PREEMPTED, condition: Evicted}\n"
                .to_owned(),
            "d.yaml:2:",
            "leave `condition` out",
        ),
    ] {
        let run = refused(&file);
        assert!(run.stderr.contains(place) && run.stderr.contains(help), "{file}\n{run}");
    }
}

#[test]
fn what_is_printed_can_be_given_back() {
    let sandbox = Sandbox::new();
    for form in ["yaml", "json"] {
        let printed = sandbox.run(&format!("explain disruptions -o {form}")).exits(0).stdout;
        sandbox.file("d.yaml", &printed);
        let again = sandbox.run(&format!("explain disruptions --disruptions d.yaml -o {form}"));
        assert_eq!(again.exits(0).stdout, printed);
    }
}

const SACCT: &str = "JobID|State|ExitCode|Start|End|Elapsed|NodeList";

fn sacct_of(lines: &str, flags: &str) -> Run {
    let sandbox = Sandbox::new();
    sandbox.file("policy.yaml", POLICY).file("h.txt", format!("{SACCT}\n{lines}"));
    changed(
        &sandbox,
        &json!({"system": "slurm", "source": "sacct", "sign": "State CANCELLED by 0, Elapsed 00:00:00"}),
        "enabled",
        true.into(),
    );
    sandbox.run(&format!("simulate -f policy.yaml --history h.txt --timelines all {flags}"))
}

/// As in czbiohub-sf/biahub#333: jobs that were preempted before their first line.
#[test]
fn jobs_that_were_cancelled_before_they_began_are_noted_and_counted_on_request() {
    let lines = "71|CANCELLED by 0|0:0|1777860000|1777860000|00:00:00|n1\n\
                 72|CANCELLED by 0|0:0|1777860000|1777860000|00:00:00|n1\n\
                 73|CANCELLED by 1523|0:0|1777860000|1777861320|00:22:00|n1\n\
                 74|CANCELLED by 0|0:0|1777860000|1777861320|00:22:00|n1\n";
    let run = sacct_of(lines, "").exits(0);
    let note = "warning: 2 jobs were cancelled by uid 0 before they began, which is what Slurm does to --no-requeue \
                jobs that it preempts; count them as preempted with --disruptions";
    let unwrapped = run.stdout.replace('\n', " ");
    assert!(unwrapped.contains(note), "{run}");
    assert_eq!(run.stdout.matches("Cancelled: ").count(), 4, "{run}");
    let run = sacct_of(lines, "--disruptions d.yaml -o wide").exits(0);
    assert!(!run.stdout.contains("uid 0"), "{run}");
    assert_eq!(run.stdout.matches("Cancelled: ").count(), 2, "{run}");
    assert!(run.stdout.contains("2 failures disrupted: 2 preempted"), "{run}");
}

/// As in the same report, and in snakemake/snakemake-executor-plugin-slurm#109: a requeued job keeps its id.
#[test]
fn a_cancelled_attempt_before_another_is_not_the_end_of_its_job() {
    for (first, second) in [
        ("CANCELLED by 0|0:0|1777860000|1777860000|00:00:00", "COMPLETED"),
        ("CANCELLED by 1523|0:15|1777860000|1777860100|00:01:40", "COMPLETED"),
        ("CANCELLED|0:0|1777860000|1777860100|00:01:40", "FAILED"),
    ] {
        // sacct has no order of time.
        let lines = [
            format!("84|{second}|0:0|1777860200|1777861000|00:13:20|n1\n"),
            format!("84|{first}|n1\n"),
        ];
        let run = sacct_of(&lines.concat(), "-o json").exits(0);
        let outcome = if second == "COMPLETED" { "Succeeded" } else { "Failed" };
        assert_eq!(run.json()["jobs"][0]["outcome"], outcome, "{run}");
    }
    let ongoing = "84|CANCELLED by 0|0:0|1777860000|1777860000|00:00:00|n1\n84|PENDING|0:0|Unknown|Unknown|00:00:00|\n";
    let run = sacct_of(ongoing, "-o json").exits(0);
    assert_eq!(run.json()["jobs"][0]["outcome"], "Unresolved", "{run}");
}

#[test]
fn a_lost_node_is_named_where_no_matcher_can() {
    let lines = "9|NODE_FAIL|0:0|1777860000|1777860100|00:01:40|n1\n\
                 10|BOOT_FAIL|1:0|1777860000|1777860100|00:01:40|n1\n";
    let run = sacct_of(lines, "-o json").exits(0);
    let report = run.json();
    let decision = |job: usize| &report["jobs"][job]["decisions"][0];
    assert_eq!(decision(0)["failure"], "NODE_FAIL", "{run}");
    assert_eq!(decision(1)["failure"], "BOOT_FAIL (1)", "{run}");
    let reason = decision(0)["reason"].as_str().unwrap();
    assert!(reason.ends_with("no matcher of v1 names NODE_FAIL"), "{reason}");
    let groups = report["summary"]["uncaught"]["groups"].as_array().unwrap();
    let kinds: Vec<&str> = groups.iter().map(|group| text(group, "condition")).collect();
    assert!(kinds.contains(&"NODE_FAIL") && kinds.contains(&"BOOT_FAIL"), "{kinds:?}");
    let notes = report["notes"].as_array().unwrap();
    let note = notes.iter().find(|note| note["kind"] == "disruptions").unwrap();
    let note = note["message"].as_str().unwrap();
    assert!(
        note.contains(
            "of the node (State NODE_FAIL, State BOOT_FAIL), which no matcher of v1 names"
        ),
        "{note}"
    );
}

/// A pod that the kubelet refused has a reason, and neither a container nor a condition.
#[test]
fn a_reason_that_no_matcher_names_is_the_failure() {
    let sandbox = Sandbox::new();
    let status =
        json!({"phase": "Failed", "startTime": START, "reason": "UnexpectedAdmissionError"});
    let pod = json!({"kind": "Pod", "metadata": {"name": "a"}, "spec": {}, "status": status});
    sandbox.file("policy.yaml", POLICY).file("h.json", pod.to_string());
    let run = sandbox.run("simulate -f policy.yaml --history h.json --timelines all -o json");
    let report = run.exits(0).json();
    let decision = &report["jobs"][0]["decisions"][0];
    assert_eq!(decision["failure"], "UnexpectedAdmissionError");
    let reason = text(decision, "reason");
    assert!(reason.ends_with("; no matcher of v1 names UnexpectedAdmissionError"), "{reason}");
    assert!(counted(&report).is_empty(), "{report:#}");
}

/// As in armadaproject/armada#4832: what users requested is no fault of the scheduler.
#[test]
fn preemptions_through_the_api_are_counted_apart() {
    let sandbox = Sandbox::new();
    let reasons = [
        "Preempted - preemption requested via API",
        "Preempted by scheduler using fair share preemption - x",
    ];
    let stream: String = reasons
        .iter()
        .enumerate()
        .flat_map(|(number, reason)| {
            let id = json!(format!("j{number}"));
            [
                event("leased", &json!({"created": START, "jobId": id})),
                event("preempted", &json!({"reason": reason, "jobId": id})),
            ]
        })
        .collect();
    sandbox.file("policy.yaml", POLICY).file("h.jsonl", stream);
    let line = "simulate -f policy.yaml --history h.jsonl --timelines none";
    let run = sandbox.run(&format!("{line} -o wide")).exits(0);
    let shown = "2 failures disrupted: 2 preempted (1 through the API, 1 for fair share)";
    assert!(run.stdout.contains(shown), "{run}");
    let report = sandbox.run(&format!("{line} -o json")).exits(0).json();
    let disruptions = &report["summary"]["byRule"][0]["disruptions"];
    assert_eq!(disruptions["preempted"], 2);
    assert_eq!(disruptions["preemptedByApi"], 1);
}

/// Conversions use the conditions of the table.
#[test]
fn conditions_of_pods_become_those_of_the_table() {
    for (patterns, expected) in [
        ("{type: DisruptionTarget}", json!(["Preempted", "Evicted"])),
        ("{type: TerminationTarget}", json!(["Preempted"])),
        ("{type: TerminationTarget}, {type: DisruptionTarget}", json!(["Preempted", "Evicted"])),
        ("{type: TerminationTarget, status: \"False\"}", Value::Null),
        ("{type: Ready}", Value::Null),
    ] {
        let job = JOB.replace("{type: DisruptionTarget}", patterns);
        let run = Sandbox::new().run_on("convert -f - --to v1 -o json", &job).exits(0);
        assert_eq!(run.json()["spec"]["rules"][0]["onConditions"], expected, "{run}");
    }
}
