//! `simulate --live`: the policies and queues of a server as the first column.
//!
//! Holds cli.md simulate.

use super::consoles::check_page;
use super::get::on;
use super::http::Serving;
use super::quirks::{Fake, Script, answer, chunked};
use super::resources::fits;
use super::sandbox::{Run, Sandbox, snapshot};
use serde_json::{Value, json};

/// The example of a pull request, and a server with its policies.
fn pull_request(flags: &str) -> (Sandbox, Serving) {
    let sandbox = Sandbox::new();
    sandbox.examples(&[
        "pull-request/server.yaml",
        "pull-request/policies/training.yaml",
        "pull-request/failures.jsonl",
    ]);
    let server = Serving::start(&sandbox, flags);
    on(&sandbox, &server, "apply -q -f pull-request/server.yaml").exits(0);
    (sandbox, server)
}

const HISTORY: &str = "--history pull-request/failures.jsonl";

/// The same run with a fixed port.
fn without_port(mut run: Run, server: &Serving) -> Run {
    run.stdout = run.stdout.replace(&server.address.port().to_string(), "PORT");
    run
}

/// `queue: policies source` of a list of queues.
fn sources(queues: &Value) -> Vec<String> {
    let row = |queue: &Value| {
        let policies: Vec<&str> = queue["policies"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect();
        let text = |field: &str| queue[field].as_str().unwrap().to_owned();
        format!("{}: {} {}", text("queue"), policies.join(","), text("source"))
    };
    queues.as_array().unwrap().iter().map(row).collect()
}

fn messages(report: &Value) -> Vec<&str> {
    report["notes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|note| note["message"].as_str().unwrap())
        .collect()
}

#[test]
fn a_pull_request_is_compared_with_the_server() {
    let (sandbox, server) = pull_request("");
    let line = format!("simulate --live --variant new=pull-request/policies/ {HISTORY}");
    let run = on(&sandbox, &server, &line).exits(0);
    snapshot!("live_pull_request", without_port(run, &server));
    let report = on(&sandbox, &server, &format!("{line} -o json")).exits(0).json();
    fits(&report, "simulation-report.json");
    assert_eq!(
        sources(&report["queues"]),
        ["etl: batch server", "ml: training server", "retired:  assumed", "web:  server"]
    );
    assert_eq!(report["variants"][0].get("queues"), None, "the report has them");
    assert_eq!(
        sources(&report["variants"][1]["queues"]),
        ["etl: batch server", "ml: training server", "retired:  assumed", "web: training file"]
    );
}

#[test]
fn a_queue_document_without_a_list_keeps_that_of_the_server() {
    let (sandbox, server) = pull_request("");
    let queue = |name: &str, rest: &str| {
        format!(
            "apiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: {name}\npriorityFactor: 2\n{rest}---\n"
        )
    };
    let queues = [queue("ml", ""), queue("etl", "retryPolicies: []\n"), queue("retired", "")];
    sandbox.file("queues.yaml", queues.concat());
    let line = format!("simulate --live -f queues.yaml {HISTORY} -o json");
    let report = on(&sandbox, &server, &line).exits(0).json();
    assert_eq!(
        sources(&report["variants"][1]["queues"]),
        ["etl:  file", "ml: training server", "retired:  file", "web:  server"]
    );
}

/// Both columns equal simulations without a server of the documents that the server holds before and after
/// `apply -f` of the pull request.
#[test]
fn columns_equal_those_of_the_servers_documents_before_and_after_apply() {
    let (sandbox, server) = pull_request("");
    let line = format!("simulate --live -f pull-request/policies/ {HISTORY} -o json");
    let report = on(&sandbox, &server, &line).exits(0).json();
    let names: Vec<&str> = report["variants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["live", "given"]);
    // Offline, a queue without policies needs a document.
    let retired =
        "apiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: retired\npriorityFactor: 1\n";
    sandbox.file("retired.yaml", retired);
    let held = |file: &str| {
        let policies = on(&sandbox, &server, "get retrypolicy -o yaml").exits(0).stdout;
        let queues = on(&sandbox, &server, "get queue -o yaml").exits(0).stdout;
        sandbox.file(file, format!("{policies}---\n{queues}"));
        let line = format!("simulate -f {file} -f retired.yaml {HISTORY} -o json");
        sandbox.run(&line).exits(0).json()["summary"].clone()
    };
    let before = held("before.yaml");
    on(&sandbox, &server, "apply -q -f pull-request/policies/").exits(0);
    let after = held("after.yaml");
    // The order of the rows is that of the policies, which is another in files.
    let sorted = |summary: &Value| {
        let mut summary = summary.clone();
        for field in ["byRule", "byPolicy", "neverMatched"] {
            let rows = summary[field].as_array_mut().unwrap();
            rows.sort_by_key(ToString::to_string);
        }
        summary
    };
    assert_ne!(sorted(&before), sorted(&after));
    assert_eq!(sorted(&report["variants"][0]["summary"]), sorted(&before));
    assert_eq!(sorted(&report["variants"][1]["summary"]), sorted(&after));
    assert_eq!(sorted(&report["summary"]), sorted(&before));
}

#[test]
fn a_list_is_that_of_the_flag_else_the_file_else_the_history_else_the_server() {
    let (sandbox, server) = pull_request("");
    let queue = |name: &str, policies: &str| {
        format!(
            "apiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: {name}\nretryPolicies: [{policies}]\n---\n"
        )
    };
    sandbox.file("files/queues.yaml", queue("ml", "batch"));
    sandbox.file(
        "h.yaml",
        "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec:\n  jobs: []\n  queues:\n  - {name: ml, retryPolicies: [training]}\n  - {name: web, retryPolicies: [training]}\n  - {name: etl}\n",
    );
    let json = |flags: &str| {
        let line = format!("simulate --live {HISTORY} h.yaml {flags} -o json");
        on(&sandbox, &server, &line).exits(0).json()
    };
    let report = json("--variant v=files/");
    assert_eq!(
        sources(&report["queues"]),
        ["etl:  history", "ml: training history", "retired:  assumed", "web: training history"]
    );
    assert_eq!(
        sources(&report["variants"][1]["queues"]),
        ["etl:  history", "ml: batch file", "retired:  assumed", "web: training history"]
    );
    let report = json("--variant v=files/ --queue-policies batch");
    assert_eq!(report["variants"][1].get("queues"), None);
    assert_eq!(
        sources(&report["queues"]),
        ["etl: batch flag", "ml: batch flag", "retired: batch flag", "web: batch flag"]
    );
    sandbox.file(
        "config.yaml",
        "scheduling: {retryPolicy: {enabled: true, globalMaxRetries: 7, defaultPolicyName: batch}}",
    );
    let report = json("--scheduler-config config.yaml");
    assert_eq!(
        sources(&report["queues"]),
        [
            "etl: batch default",
            "ml: training history",
            "retired: batch default",
            "web: training history"
        ]
    );
    assert!(!messages(&report).iter().any(|note| note.contains("the defaults are assumed")));
}

#[test]
fn without_a_server_lists_are_of_flags_files_and_the_history_or_assumed() {
    let sandbox = Sandbox::with_examples();
    let policy = "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: p\ndefaultAction: Retry\nretryLimit: 1\n";
    sandbox
        .file("p.yaml", policy)
        .file("h.jsonl", "{\"jobId\":\"j\",\"queue\":\"q\",\"outcome\":\"Failed\"}\n");
    let run = |flags: &str| {
        sandbox.run(&format!("simulate -f p.yaml --history h.jsonl {flags}")).exits(0)
    };
    let report = run("-o json").json();
    fits(&report, "simulation-report.json");
    assert_eq!(sources(&report["queues"]), ["q: p assumed"]);
    assert_eq!(sources(&run("-o json --queue-policies p").json()["queues"]), ["q: p flag"]);
    assert!(
        run("-o wide").stdout.ends_with("\nQUEUE  POLICIES  SOURCE\nq      p         assumed\n")
    );
    assert!(!run("").stdout.contains("SOURCE"));
}

#[test]
fn a_policy_that_the_server_lacks_is_an_error_with_its_queue() {
    let server = fake(GOOD, &[r#"{"name":"q","priorityFactor":1,"retryPolicies":["goood"]}"#]);
    snapshot!("live_missing_policy", ask(&server, "").exits(3));
    let report = ask(&server, "--missing-policy skip -o json").exits(0).json();
    let note =
        "the policy `goood` does not exist; it is skipped; the queue `q` of the server names it";
    assert!(messages(&report).contains(&note), "{report:#}");
    // It is no error if no job of the history is in the queue.
    let other = fake(
        GOOD,
        &[
            r#"{"name":"q","retryPolicies":["good"]}"#,
            r#"{"name":"other","retryPolicies":["goood"]}"#,
        ],
    );
    ask(&other, "").exits(0);
}

#[test]
fn policies_of_both_forms_are_evaluated_by_v1_with_a_note() {
    let (sandbox, server) = pull_request("");
    sandbox.file(
        "v1.yaml",
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: training}\nspec: {backoff: {initialDelay: 1s}, rules: [{action: Retry, onFailureCategory: [node-failure]}]}\n",
    );
    let line = format!("simulate --live --variant v1=v1.yaml {HISTORY} -o json");
    let report = on(&sandbox, &server, &line).exits(0).json();
    assert_eq!(
        (&report["engine"], &report["variants"][1]["engine"]),
        (&json!("v1beta1"), &json!("v1"))
    );
    assert!(messages(&report).contains(&"`v1` evaluates the policies of both forms"), "{report:#}");
    let run = on(&sandbox, &server, &format!("{line} --engine v1beta1")).exits(3);
    assert!(run.stderr.contains("the v1beta1 engine has no"), "{run}");
}

/// A server with these policies and queues as it sends them.
fn fake(policies: &str, queues: &'static [&str]) -> Fake {
    let policies = format!("{{\"retryPolicies\":[{policies}]}}");
    routed(move |_| answer(200, &[], &policies), queues)
}

/// A server with these queues, and these answers to other requests than for queues.
fn routed(other: impl Fn(&str) -> Script + Send + Sync + 'static, queues: &'static [&str]) -> Fake {
    Fake::routed(move |request| {
        if !request.contains("/v1/batched/queues") {
            return other(request);
        }
        let line = |queue: &&str| format!("{{\"result\":{{\"Event\":{{\"queue\":{queue}}}}}}}\n");
        let lines: String = queues.iter().map(line).collect();
        chunked(&[&lines, "{\"result\":{\"Event\":{\"end\":{}}}}\n"], true)
    })
}

/// A run of a history of the queue `q` against a server.
fn ask(fake: &Fake, flags: &str) -> Run {
    let sandbox = Sandbox::new();
    sandbox.file(
        "h.jsonl",
        "{\"jobId\":\"j\",\"queue\":\"q\",\"outcome\":\"Failed\",\"category\":\"c\"}\n",
    );
    sandbox.run_with(&format!("simulate --live --history h.jsonl {flags}"), |command| {
        command.env("ARMADACTL_ARMADA_REST_URL", fake.url());
    })
}

const GOOD: &str = r#"{"name":"good","retryLimit":2,"defaultAction":"Fail","rules":[{"action":"Retry","onCategory":"c"}]}"#;
const Q: &[&str] = &[r#"{"name":"q","priorityFactor":1,"retryPolicies":["good"]}"#];

#[test]
fn parts_of_policies_that_are_not_evaluated_are_warned_of() {
    let later = r#"{"name":"later","owner":"x","defaultAction":"Fail","rules":[{"action":"Retry","onCategory":"c","onMoonPhase":"full"}]}"#;
    let bad = r#"{"name":"bad","defaultAction":"Maybe"}"#;
    let server = fake(&[GOOD, later, bad].join(","), Q);
    let report = ask(&server, "-o json").exits(0).json();
    let notes = report["notes"].as_array().unwrap().iter();
    let warnings: Vec<&str> = notes
        .filter(|note| note["kind"] == "live" && note["severity"] == "warning")
        .map(|note| note["message"].as_str().unwrap())
        .collect();
    assert_eq!(warnings.len(), 2, "{report:#}");
    assert_eq!(
        warnings[0],
        "fields of the policy `later` of the server are not evaluated: `owner`, `rules[0].onMoonPhase`"
    );
    let left_out = "the policy `bad` of the server cannot be read and is left out: ";
    assert!(warnings[1].starts_with(left_out), "{}", warnings[1]);
    let server = fake(&[GOOD, bad].join(","), &[r#"{"name":"q","retryPolicies":["bad"]}"#]);
    let run = ask(&server, "").exits(3);
    assert!(run.stderr.contains("the policy `bad` of the server cannot be read: "), "{run}");
}

#[test]
fn a_list_that_is_too_large_is_read_policy_by_policy() {
    let server = routed(
        |request| {
            if request.contains("GET /v1/retry-policies ") {
                let body = r#"{"error":"grpc: received message larger than max (5 vs. 4)","code":8,"message":"x"}"#;
                answer(429, &[], body)
            } else {
                answer(200, &[], GOOD)
            }
        },
        Q,
    );
    let report = ask(&server, "-o json").exits(0).json();
    assert_eq!(sources(&report["queues"]), ["q: good server"]);
    assert_eq!(report["summary"]["retries"], 1);
    let note =
        "the list of policies is too large for the server: only those that queues name are read";
    assert!(messages(&report).contains(&note), "{report:#}");
    let asked = server.requests();
    assert!(asked.last().unwrap().starts_with("GET /v1/retry-policy/good "), "{asked:?}");
}

#[test]
fn a_server_without_policies_is_evaluated_by_its_form() {
    let sandbox = Sandbox::new();
    sandbox.file("h.jsonl", "{\"jobId\":\"j\",\"queue\":\"q\",\"outcome\":\"Failed\"}\n");
    for (flags, engine) in [("", "v1beta1"), ("--full-api", "v1")] {
        let server = Serving::start(&sandbox, flags);
        let line = "simulate --live --history h.jsonl -o json";
        let report = on(&sandbox, &server, line).exits(0).json();
        assert_eq!((&report["engine"], &report["summary"]["retries"]), (&json!(engine), &json!(0)));
    }
}

#[test]
fn second_policies_of_the_servers_queues_are_warned_of() {
    let server = fake(GOOD, &[r#"{"name":"q","retryPolicies":["good","other"]}"#]);
    let report = ask(&server, "-o json").exits(0).json();
    let note = "`v1beta1` evaluates only the first policy of queue `q`";
    assert!(messages(&report).contains(&note), "{report:#}");
}

#[test]
fn errors_of_the_server_have_their_exit_codes() {
    let run = |answers: Script| ask(&Fake::new(vec![answers]), "");
    run(answer(401, &[], "{}")).exits(4);
    run(answer(403, &[], r#"{"code":7,"message":"no","error":"no"}"#)).exits(4);
    run(answer(200, &[], "<html>")).exits(7);
    let broken = fake(GOOD, &[r#"{"name":"q","retryPolicies":"good"}"#]);
    let broken = ask(&broken, "").exits(7);
    assert!(broken.stderr.contains("`retryPolicies` of the queue `q` on the server"), "{broken}");
    let sandbox = Sandbox::new();
    sandbox.file("h.jsonl", "{\"jobId\":\"j\",\"outcome\":\"Failed\"}\n");
    let unreachable = "--history h.jsonl --armada-rest-url http://127.0.0.1:1";
    snapshot!("live_unreachable", sandbox.run(&format!("simulate --live {unreachable}")).exits(7));
}

#[test]
fn nothing_is_sent_without_the_flag_or_for_invalid_files() {
    let server = fake(GOOD, Q);
    for (flags, code) in [("--variant x=missing.yaml", 3), ("--variant live=x.yaml", 2)] {
        ask(&server, flags).exits(code);
    }
    let sandbox = Sandbox::with_examples();
    let line = "simulate -f policies/infra.yaml --history ml-training.yaml";
    let run = sandbox.run_with(line, |command| {
        command.env("ARMADACTL_ARMADA_REST_URL", server.url());
    });
    run.exits(0);
    assert_eq!(server.requests(), Vec::<String>::new());
}

#[test]
fn it_is_for_histories_and_policies_of_armada() {
    let sandbox = Sandbox::new();
    sandbox.examples(&["jobset/fail-jobset.yaml", "jobset/fail-jobset.history.yaml"]);
    let jobset = "-f jobset/fail-jobset.yaml --history jobset/fail-jobset.history.yaml";
    let run = sandbox.run(&format!("simulate --live {jobset}")).exits(2);
    assert!(run.stderr.contains("`--live` reads Armada's policies from a server"), "{run}");
    for line in ["--live --cluster c.yaml --workload w.yaml", "--live"] {
        sandbox.run(&format!("simulate {line}")).exits(2);
    }
}

#[test]
fn a_sweep_varies_the_files_else_the_server() {
    let (sandbox, server) = pull_request("");
    let retries = |flags: &str| {
        let line =
            format!("simulate --live {HISTORY} --sweep training.retryLimit=0..1 {flags} -o json");
        let report = on(&sandbox, &server, &line).exits(0).json();
        let variants = report["variants"].as_array().unwrap().iter();
        variants
            .map(|variant| variant["summary"]["byRule"].as_array().unwrap().len())
            .collect::<Vec<_>>()
    };
    // The server's policy has one rule, that of the files two; both have a default, and `batch` has one.
    assert_eq!(retries(""), [3, 3, 3]);
    assert_eq!(retries("-f pull-request/policies/"), [3, 4, 4, 4]);
}

#[test]
fn the_page_shows_what_is_printed() {
    let (sandbox, server) = pull_request("");
    check_page("docs/guides/pull-request.md", 1, |command| {
        let line = command.strip_prefix("armadactl ").unwrap().replace("examples/", "");
        let run = without_port(on(&sandbox, &server, &line).exits(0), &server);
        run.stdout.replace("127.0.0.1:PORT", "localhost:8080")
    });
}
