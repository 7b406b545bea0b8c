//! Commands that write from files, with the real binary against `serve`.
//!
//! Holds cli.md Commands.

use super::http::Serving;
use super::sandbox::{Run, Sandbox};
use serde_json::{Value, json};

pub const POLICIES: &str = "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: gpu\nretryLimit: 3\ndefaultAction: Fail\nrules:\n- {action: Retry, onCategory: gpu}\n---\napiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: infra\ndefaultAction: Fail\nrules:\n- {action: Retry, onCategory: infra}\n";
pub const QUEUE: &str = "apiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: ml\npriorityFactor: 1\nuserOwners: [alice]\nlabels: {team: ml}\nretryPolicies: [gpu]\n";

/// A server, and command lines that ask it.
pub struct Bench {
    pub sandbox: Sandbox,
    pub server: Serving,
}

impl Bench {
    pub fn new(flags: &str) -> Self {
        let sandbox = Sandbox::new();
        sandbox.file("policies.yaml", POLICIES).file("queue.yaml", QUEUE);
        let server = Serving::start(&sandbox, flags);
        Self { sandbox, server }
    }

    pub fn run(&self, line: &str) -> Run {
        self.sandbox.run(&format!("{line} --armada-rest-url http://{}", self.server.address))
    }

    /// Runs a line that prints an `ApplyReport`, which has to fit its schema: its items, short.
    pub fn report(&self, line: &str, code: i32) -> Vec<String> {
        items(&self.run(&format!("{line} -o json")).exits(code))
    }

    pub fn held(&self, path: &str) -> Value {
        self.server.get(path).json()
    }
}

/// What a report says: `kind/name action fields`.
pub fn items(run: &Run) -> Vec<String> {
    let report = run.json();
    fits(&report, "apply-report.json");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let items = report["items"].as_array().unwrap().iter();
    items
        .map(|item| {
            let fields: Vec<String> = item["fields"].as_array().unwrap().iter().map(text).collect();
            let (kind, name) = (text(&item["kind"]), text(&item["name"]));
            format!("{kind}/{name} {} {}", text(&item["action"]), fields.join(","))
                .trim_end()
                .to_owned()
        })
        .collect()
}

pub fn fits(document: &Value, file: &str) {
    let schemas = armadactl::internals::report::schemas::all();
    let schema = &schemas.iter().find(|(name, _)| *name == file).unwrap().1;
    let validator = jsonschema::validator_for(schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(document).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{document:#}");
}

#[test]
fn applied_twice_is_unchanged_and_policies_go_first() {
    let bench = Bench::new("");
    let line = "apply -f queue.yaml -f policies.yaml";
    let created = ["RetryPolicy/gpu created", "RetryPolicy/infra created", "Queue/ml created"];
    assert_eq!(bench.report(line, 0), created);
    let posts: Vec<usize> = ["POST /v1/retry-policy", "PUT /v1/queue/ml"]
        .iter()
        .map(|call| bench.server.log().find(call).unwrap())
        .collect();
    assert!(posts[0] < posts[1], "{}", bench.server.log());
    let unchanged =
        ["RetryPolicy/gpu unchanged", "RetryPolicy/infra unchanged", "Queue/ml unchanged"];
    assert_eq!(bench.report(line, 0), unchanged);
    let again = bench.run(line).exits(0);
    assert!(again.stderr.contains("3 unchanged"), "{again}");
    bench.sandbox.file("policies.yaml", POLICIES.replace("onCategory: gpu", "onCategory: xid"));
    let changed = bench.report("apply -f policies.yaml", 0);
    assert_eq!(
        changed,
        ["RetryPolicy/gpu configured rules[0].onCategory", "RetryPolicy/infra unchanged"]
    );
    assert_eq!(bench.held("/v1/retry-policy/gpu")["rules"][0]["onCategory"], "xid");
    assert_eq!(
        bench.run("apply -f policies.yaml -o name").exits(0).stdout,
        "retrypolicy/gpu\nretrypolicy/infra\n"
    );
}

#[test]
fn create_refuses_what_is_there_and_update_what_is_not() {
    let bench = Bench::new("");
    let missing = bench.run("update -f policies.yaml").exits(5);
    assert!(missing.stderr.contains("the retry policy `gpu` does not exist"), "{missing}");
    assert!(missing.stderr.contains("2 failed"), "{missing}");
    bench.server.call("POST", "/v1/retry-policy", r#"{"name":"gpu","defaultAction":"Fail"}"#);
    let report = bench.report("create -f policies.yaml", 6);
    assert_eq!(report, ["RetryPolicy/gpu failed", "RetryPolicy/infra created"], "the rest goes on");
    assert_eq!(bench.held("/v1/retry-policy/gpu").get("rules"), None, "it is not overwritten");
    let update = bench.report("update retry-policy -f policies.yaml", 0);
    assert_eq!(
        update,
        ["RetryPolicy/gpu configured retryLimit,rules", "RetryPolicy/infra unchanged"]
    );
    bench.run("create retrypolicy -f policies.yaml").exits(6);
}

#[test]
fn files_are_checked_whole_before_anything_is_sent() {
    let bench = Bench::new("");
    bench.sandbox.file("bad.yaml", POLICIES.replace("onCategory: infra", "onKategory: infra"));
    for command in ["create", "update", "apply", "delete", "diff"] {
        let run = bench.run(&format!("{command} -f policies.yaml -f bad.yaml")).exits(3);
        assert!(run.stderr.contains("did you mean `onCategory`?"), "{run}");
    }
    bench.sandbox.file("name.yaml", QUEUE.replace("name: ml", "name: a/b"));
    let run = bench.run("apply -f name.yaml").exits(3);
    assert!(run.stderr.contains("name.yaml:3:7"), "{run}");
    let both = bench.run("apply -f name.yaml -f bad.yaml").exits(3);
    for error in ["name.yaml:3:7", "did you mean `onCategory`?"] {
        assert!(both.stderr.contains(error), "{both}");
    }
    bench.run("apply -f - -f -").exits(2);
    assert!(!bench.server.log().contains("/v1/"), "{}", bench.server.log());
}

#[test]
fn a_queue_that_names_a_stranger_is_refused_before_anything_is_sent() {
    let bench = Bench::new("");
    bench.sandbox.file("queue.yaml", QUEUE.replace("[gpu]", "[gpus]"));
    let run = bench.run("apply -f policies.yaml -f queue.yaml").exits(5);
    assert!(run.stderr.contains("queue.yaml:7:17"), "{run}");
    assert!(run.stderr.contains("did you mean `gpu`?"), "{run}");
    assert!(!bench.server.log().contains("POST"), "{}", bench.server.log());
    let run = bench.run("create queue q --retry-policy none").exits(5);
    assert!(run.stderr.contains("create it first"), "{run}");
}

#[test]
fn of_a_queue_only_what_is_named_changes() {
    let bench = Bench::new("");
    let held = r#"{"name":"ml","priorityFactor":2,"permissions":[{"subjects":[{"kind":"User","name":"bob"}],"verbs":["watch"]}],"resourceLimitsByPriorityClassName":{"high":{"maximumResourceFraction":{"cpu":0.5}}},"cordoned":true}"#;
    bench.server.call("PUT", "/v1/queue/ml", held).is(200, "{}");
    let line = "apply -f policies.yaml -f queue.yaml";
    let report = bench.report(line, 0);
    assert_eq!(
        report[2],
        "Queue/ml configured priorityFactor,labels,retryPolicies,permissions[0].subjects[0].name,permissions[0].verbs,permissions[1]"
    );
    let queue = bench.held("/v1/queue/ml");
    assert_eq!(queue["cordoned"], true);
    assert_eq!(queue["permissions"][0]["subjects"], json!([{"kind": "User", "name": "alice"}]));
    assert_eq!(queue["permissions"][1]["verbs"], json!(["watch"]));
    assert_eq!(
        queue["resourceLimitsByPriorityClassName"]["high"]["maximumResourceFraction"]["cpu"],
        0.5
    );
    assert_eq!(bench.report(line, 0)[2], "Queue/ml unchanged", "owners are what they become");
}

#[test]
fn a_queue_from_flags() {
    let bench = Bench::new("");
    bench.run("apply -f policies.yaml").exits(0);
    let line = "create queue q --owners a,b --group-owners g -l team=ml,site=x --cordon --retry-policies gpu,infra";
    bench.run(line).exits(0);
    let queue = bench.held("/v1/queue/q");
    assert_eq!(queue["priorityFactor"], 1);
    assert_eq!(queue["retryPolicies"], json!(["gpu", "infra"]));
    assert_eq!(queue["labels"], json!({"team": "ml", "site": "x"}));
    assert_eq!(
        (&queue["cordoned"], queue["permissions"][0]["subjects"].as_array().unwrap().len()),
        (&json!(true), 3)
    );
    bench.run("create queue q").exits(6);
    let report = bench.report("update queue q --cordon=false --retry-policy infra", 0);
    assert_eq!(report, ["Queue/q configured cordoned,retryPolicies"]);
    let patched = bench.held("/v1/queue/q");
    assert_eq!(patched.get("cordoned"), None);
    assert_eq!(patched["permissions"], queue["permissions"]);
    let report = bench.report("update queue q --owners c", 0);
    assert_eq!(
        report,
        [
            "Queue/q configured permissions[0].subjects[0].name,permissions[0].subjects[1].kind,permissions[0].subjects[1].name,permissions[0].subjects[2]"
        ]
    );
    bench.report("update queue q --retry-policy=", 0);
    assert_eq!(bench.held("/v1/queue/q").get("retryPolicies"), None);
    bench.run("update queue missing --cordon").exits(5);
    for (line, help) in [
        ("update queue qq --cordon", "did you mean `q`? If not, `create` or `apply` creates it"),
        (
            "delete queue qq",
            "did you mean `q`? If not, `--ignore-not-found` treats this as success",
        ),
        ("delete rp infr", "did you mean `infra`? If not, `--ignore-not-found`"),
        ("delete queue nothing", "`--ignore-not-found` treats this as success"),
        ("attach rp infra --queue q,r", "`q r`; with the flag, `--queue q --queue r`"),
        ("get queue q,r", "write several names with blanks, `q r`"),
    ] {
        let refused = bench.run(line).exits(5);
        assert!(refused.stderr.contains(help), "{refused}");
    }
    bench.run("create queue x --priority-factor 0.5").exits(2);
    bench.run("create queue a:b").exits(2);
    bench.run("create --filename=queue.yaml queue x").exits(2);
}

#[test]
fn what_is_used_is_not_deleted() {
    let bench = Bench::new("");
    bench.run("apply -f .").exits(0);
    let run = bench.run("delete retrypolicy gpu infra").exits(6);
    assert!(run.stderr.contains("`gpu` is used by the queue `ml`"), "{run}");
    assert_eq!(bench.server.get("/v1/retry-policy/gpu").status, 200);
    assert_eq!(bench.server.get("/v1/retry-policy/infra").status, 404, "the rest goes on");
    bench.run("delete rp infra").exits(5);
    assert_eq!(
        bench.report("delete rp infra --ignore-not-found", 0),
        ["RetryPolicy/infra unchanged"]
    );
    let report = bench.report("delete retrypolicy gpu --detach", 0);
    assert_eq!(report, ["Queue/ml configured retryPolicies", "RetryPolicy/gpu deleted"]);
    assert_eq!(bench.held("/v1/queue/ml").get("retryPolicies"), None);
    assert_eq!(bench.report("delete queue ml", 0), ["Queue/ml deleted"]);
    bench.run("delete queue ml").exits(5);
    bench.run("apply -f .").exits(0);
    let report = bench.report("delete -f .", 0);
    let gone = ["Queue/ml deleted", "RetryPolicy/gpu deleted", "RetryPolicy/infra deleted"];
    assert_eq!(report, gone, "queues first");
}

#[test]
fn pruning_shows_before_it_deletes() {
    let bench = Bench::new("");
    for name in ["ml-a", "ml-b", "other"] {
        let body = format!(r#"{{"name":"{name}","defaultAction":"Fail"}}"#);
        bench.server.call("POST", "/v1/retry-policy", &body).is(200, "{}");
    }
    let queue = r#"{"priorityFactor":1,"retryPolicies":["ml-b"]}"#;
    bench.server.call("PUT", "/v1/queue/q", queue).is(200, "{}");
    let shown = bench.run("apply -f policies.yaml --prune ml-*").exits(0);
    assert!(shown.stderr.contains("`--yes`"), "{shown}");
    let report = bench.report("apply -f policies.yaml --prune ml-*", 0);
    assert_eq!(report[2..], ["RetryPolicy/ml-a wouldDelete", "RetryPolicy/ml-b wouldDelete"]);
    assert_eq!(bench.server.get("/v1/retry-policy/ml-a").status, 200);
    let report = bench.report("apply -f policies.yaml --prune ml-* --yes", 6);
    assert_eq!(report[2..], ["RetryPolicy/ml-a deleted", "RetryPolicy/ml-b failed"]);
    let report = bench.report("apply -f policies.yaml --prune ml-* --yes --detach", 0);
    assert_eq!(report[2..], ["Queue/q configured retryPolicies", "RetryPolicy/ml-b deleted"]);
    assert_eq!(bench.server.get("/v1/retry-policy/other").status, 200);
    bench.run("apply -f policies.yaml --yes").exits(2);
    bench.run("apply -f policies.yaml --prune [").exits(2);
}

/// What a queue has by its file is what counts for pruning, dry run or not.
#[test]
fn a_dry_run_of_pruning_says_what_the_real_one_does() {
    let bench = Bench::new("");
    bench.run("apply -f policies.yaml -f queue.yaml").exits(0);
    bench.server.call("POST", "/v1/retry-policy", r#"{"name":"old","defaultAction":"Fail"}"#);
    let queue = r#"{"priorityFactor":1,"retryPolicies":["old"]}"#;
    bench.server.call("PUT", "/v1/queue/ml", queue).is(200, "{}");
    let line = "apply -f policies.yaml -f queue.yaml --prune old --yes";
    let told = bench.report(&format!("{line} --dry-run server"), 0);
    assert_eq!(told.last().unwrap(), "RetryPolicy/old deleted");
    assert_eq!(bench.server.get("/v1/retry-policy/old").status, 200);
    assert_eq!(bench.report(line, 0), told);
}

#[test]
fn names_are_those_of_what_is_done() {
    let bench = Bench::new("");
    bench.run("create queue a").exits(0);
    let run = bench.run("create -f queue.yaml -f policies.yaml -o name").exits(0);
    assert_eq!(run.stdout, "retrypolicy/gpu\nretrypolicy/infra\nqueue/ml\n");
    let again = bench.run("create -f queue.yaml -f policies.yaml -o name").exits(6);
    assert_eq!(again.stdout, "");
}

#[test]
fn tables_hold_no_codes_of_colours() {
    let bench = Bench::new("");
    let run = bench.run("create -f policies.yaml --color always").exits(0);
    assert!(run.stdout.contains("created") && !run.stdout.contains("1b["), "{run}");
}

#[test]
fn labels_can_be_taken_away() {
    let bench = Bench::new("");
    bench.run("create queue q --labels team=ml").exits(0);
    assert_eq!(bench.report("update queue q --labels=", 0), ["Queue/q configured labels"]);
    assert_eq!(bench.held("/v1/queue/q").get("labels"), None);
}

#[test]
fn differences_are_told_by_meaning() {
    let bench = Bench::new("");
    let absent = bench.run("diff -f .").exits(1);
    assert!(absent.stdout.contains("retryLimit"), "{absent}");
    bench.run("apply -f .").exits(0);
    assert_eq!(bench.run("diff -f .").exits(0).stdout, "");
    bench.sandbox.file("queue.yaml", QUEUE.replace("team: ml", "team: x"));
    let run = bench.run("diff -f . -o json").exits(1);
    fits(&run.json(), "diff-report.json");
    let expected = json!({"kind": "Queue", "name": "ml", "action": "configured",
        "fields": [{"path": "labels.team", "live": "ml", "file": "x"}]});
    assert_eq!(run.json()["items"][2], expected);
    let table = bench.run("diff -f queue.yaml").exits(1);
    assert!(table.stdout.contains("labels.team  ml    x"), "{table}");
    bench.run("diff").exits(2);
    bench.run("diff -f missing.yaml").exits(3);
}

#[test]
fn a_dry_run_writes_nothing() {
    let bench = Bench::new("");
    for line in [
        "create -f .",
        "apply -f .",
        "delete -f . --ignore-not-found",
        "create queue q",
        "--dry-run server",
    ] {
        let line = if line.starts_with("--") {
            "create --dry-run server queue q".into()
        } else {
            format!("{line} --dry-run server")
        };
        let run = bench.run(&line).exits(0);
        assert!(run.stderr.contains("permission to write"), "{run}");
    }
    let log = bench.server.log();
    assert!(!["POST", "PUT", "DELETE"].iter().any(|method| log.contains(method)), "{log}");
    let report = bench.run("apply -f . --dry-run server -o json").exits(0);
    assert_eq!((&report.json()["dryRun"], items(&report).len()), (&json!("server"), 3));
    let asked = bench.server.log().len();
    for line in ["apply -f .", "create queue q", "delete queue q", "delete -f ."] {
        let run = bench.run(&format!("{line} --dry-run client")).exits(0);
        assert!(run.stderr.contains("no server was contacted"), "{run}");
    }
    let offline = |line: &str| items(&bench.run(&format!("{line} --dry-run client -o json")));
    assert_eq!(offline("delete queue q r"), ["Queue/q wouldDelete", "Queue/r wouldDelete"]);
    assert!(offline("delete -f .").iter().all(|item| item.ends_with(" wouldDelete")));
    assert!(offline("apply -f .").iter().all(|item| item.ends_with(" valid")));
    assert_eq!(offline("create queue q"), ["Queue/q valid"]);
    assert_eq!(offline("attach retrypolicy infra --queue q"), ["Queue/q valid"]);
    let run = bench.run("delete rp infra --dry-run client").exits(0);
    assert!(run.stdout.contains("would delete") && !run.stdout.contains("not done"), "{run}");
    assert_eq!(bench.server.log().len(), asked, "nothing is asked");
}

const V1: &str = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: full}\nspec:\n  backoff: {initialDelay: 90s}\n  rules:\n  - {action: Retry, onExitCodes: {operator: In, values: [137]}, mutate: {resources: {memory: {static: 1024Mi}}}}\n";

#[test]
fn the_full_form_goes_where_it_is_taken() {
    let full = Bench::new("--full-api");
    full.sandbox.file("v1.yaml", V1);
    assert_eq!(full.report("apply -f v1.yaml", 0), ["RetryPolicy/full created"]);
    let held = full.held("/v1/retry-policy/full");
    assert_eq!(held["rules"][0]["mutate"]["resources"]["memory"]["static"], "1024Mi");
    full.sandbox.file("v1.yaml", V1.replace("90s", "1m30s").replace("1024Mi", "1Gi"));
    assert_eq!(full.report("apply -f v1.yaml", 0), ["RetryPolicy/full unchanged"]);
    full.sandbox.file("v1.yaml", V1.replace("137", "139"));
    let report = full.report("apply -f v1.yaml", 0);
    assert_eq!(report, ["RetryPolicy/full configured rules[0].onExitCodes.values"]);
    let today = Bench::new("");
    today.sandbox.file("v1.yaml", V1);
    let run = today.run("apply -f policies.yaml -f v1.yaml").exits(6);
    assert!(run.stderr.contains("v1.yaml:7"), "{run}");
    assert!(run.stderr.contains("--accept-differences"), "{run}");
    assert!(!today.server.log().contains("POST"), "{}", today.server.log());
}

#[test]
fn what_the_server_gives_is_unchanged_when_it_is_applied_back() {
    let bench = Bench::new("");
    bench.run("apply -f .").exits(0);
    bench.server.call("POST", "/v1/queue", &bench.server.get("/v1/queue/ml").body).is(200, "{}");
    for (kind, path) in [("RetryPolicy", "/v1/retry-policy/gpu"), ("Queue", "/v1/queue/ml")] {
        let mut document = bench.held(path);
        document["apiVersion"] = json!("armadaproject.io/v1beta1");
        document["kind"] = json!(kind);
        let yaml = serde_yaml::to_string(&document).unwrap();
        let line = format!("apply -f - -o json --armada-rest-url http://{}", bench.server.address);
        let run = bench.sandbox.run_on(&line, yaml).exits(0);
        assert!(items(&run)[0].ends_with(" unchanged"), "{run}");
    }
}

/// Numbers of 16 and 17 digits are read as they were written: what is applied is unchanged.
#[test]
fn long_numbers_are_what_was_written() {
    for factor in
        ["1.7976931348623157e308", "4503599627370497.5", "1.2345678901234567", "95029304420816.53"]
    {
        let bench = Bench::new("");
        let policy = POLICIES.replace(
            "onCategory: gpu}",
            &format!("onCategory: gpu, mutate: {{resources: {{memory: {{factor: {factor}}}}}}}}}"),
        );
        bench.sandbox.file("policies.yaml", policy);
        bench.sandbox.file(
            "queue.yaml",
            QUEUE.replace("priorityFactor: 1", &format!("priorityFactor: {factor}")),
        );
        bench.run("apply -f policies.yaml -f queue.yaml").exits(0);
        bench.run("diff -f policies.yaml -f queue.yaml").exits(0);
        let again = bench.run("apply -f policies.yaml -f queue.yaml").exits(0);
        assert!(again.stderr.contains("3 unchanged"), "{factor}: {again}");
        bench.run(&format!("create queue other --priority-factor {factor}")).exits(0);
        let held = bench.held("/v1/queue/other")["priorityFactor"].as_f64();
        assert_eq!(held.map(f64::to_bits), factor.parse().ok().map(f64::to_bits), "{factor}");
    }
}
