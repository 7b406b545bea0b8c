//! The resource limits of queues: a file that would remove or zero one by mistake is refused.
//!
//! Holds cli.md Commands.

use super::resources::Bench;
use serde_json::json;

fn document(limits: &str) -> String {
    format!(
        "apiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: q\nresourceLimitsByPriorityClassName: {limits}\n"
    )
}

/// A server with a queue that has a limit.
fn limited() -> Bench {
    let bench = Bench::new("");
    let limits = json!({"c": {"maximumResourceFraction": {"cpu": 0.5}}});
    let body =
        json!({"name": "q", "priorityFactor": 1, "resourceLimitsByPriorityClassName": limits});
    bench.server.call("PUT", "/v1/queue/q", &body.to_string()).is(200, "{}");
    bench
}

#[test]
fn a_limit_without_a_number_is_refused() {
    let bench = limited();
    let live = bench.held("/v1/queue/q");
    for (value, words) in [
        ("nan", "`cpu`: expected a number, found the string `nan`"),
        (".nan", "`cpu` is .nan; it must be finite"),
        (".inf", "`cpu` is .inf; it must be finite"),
        ("1e400", "`cpu` is 1e400; it must be finite"),
        ("~", "`cpu` has no value"),
        ("\"\"", "`cpu`: expected a number, found an empty string"),
        ("\"0.5\"", "write 0.5 without quotes"),
        ("abc", "`cpu`: expected a number, found the string `abc`"),
        ("010", "`cpu`: expected a number, found the string `010`"),
        ("010", "write it without leading zeros"),
        ("1_000", "`cpu`: expected a number, found the string `1_000`"),
        ("true", "`cpu`: expected a number"),
        ("[0.5]", "`cpu`: expected a number, found a list"),
    ] {
        for limits in [
            format!("{{c: {{maximumResourceFraction: {{cpu: {value}}}}}}}"),
            format!(
                "{{c: {{maximumResourceFractionByPool: {{p: {{maximumResourceFraction: {{cpu: {value}}}}}}}}}}}"
            ),
        ] {
            bench.sandbox.file("q.yaml", document(&limits));
            let run = bench.sandbox.run("validate -f q.yaml").exits(3);
            assert!(run.stdout.contains(words) || run.stderr.contains(words), "{limits}{run}");
            bench.run("apply -f q.yaml").exits(3);
            assert_eq!(bench.held("/v1/queue/q"), live);
        }
    }
}

#[test]
fn a_class_or_pool_without_limits_is_refused() {
    let bench = limited();
    let live = bench.held("/v1/queue/q");
    for limits in [
        "{c: ~}",
        "{c: {}}",
        "{c: {maximumResourceFraction: ~}}",
        "{c: {maximumResourceFractionByPool: {p: {}}}}",
        "{c: {maximumResourceFractionByPool: {p: ~}}}",
        "{c: {maximumResourceFractionByPool: {p: {maximumResourceFraction: ~}}}}",
        "{c: {cpu: 0.5}}",
        "[]",
    ] {
        bench.sandbox.file("q.yaml", document(limits));
        bench.run("apply -f q.yaml").exits(3);
        assert_eq!(bench.held("/v1/queue/q"), live, "{limits}");
    }
}

#[test]
fn limits_are_set_and_removed_where_a_file_names_them() {
    let bench = limited();
    for limits in [
        r#"{"c":{"maximumResourceFraction":{"cpu":0,"memory":0.1}}}"#,
        r#"{"c":{"maximumResourceFractionByPool":{"p":{"maximumResourceFraction":{"cpu":1}}}}}"#,
    ] {
        bench.sandbox.file("q.yaml", document(limits));
        bench.run("apply -f q.yaml").exits(0);
        bench.run("diff -f q.yaml").exits(0);
    }
    for limits in ["{c: {maximumResourceFraction: {}}}", "{}"] {
        let bench = limited();
        bench.sandbox.file("q.yaml", document(limits));
        bench.run("apply -f q.yaml").exits(0);
        assert_eq!(bench.held("/v1/queue/q").get("resourceLimitsByPriorityClassName"), None);
    }
}

#[test]
fn a_label_without_a_value_is_refused() {
    let bench = Bench::new("");
    let text = "apiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: q\nlabels: {team: ~}\n";
    bench.sandbox.file("q.yaml", text);
    let run = bench.run("apply -f q.yaml").exits(3);
    assert!(run.stderr.contains("`team` has no value"), "{run}");
}
