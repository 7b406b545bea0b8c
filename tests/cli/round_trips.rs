//! What goes to a server and back: quantities as they are written, lists as they are printed.
//!
//! Holds cli.md Output.

use super::resources::{Bench, items};
use serde_json::json;

/// A quantity is compared by meaning, and sent and converted as it is written.
#[test]
fn quantities_go_as_they_are_written() {
    let bench = Bench::new("");
    for amount in ["1024Mi", "1Gi", "1073741824", "1.50Gi", "1e9", "0.5Ti", "+2Gi"] {
        let rule = format!(
            "{{action: Retry, onCategory: gpu, mutate: {{resources: {{memory: {{static: '{amount}'}}}}}}}}"
        );
        let policy = format!(
            "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: p\nretryLimit: 1\ndefaultAction: Fail\nrules:\n- {rule}\n"
        );
        bench.sandbox.file("p.yaml", &policy);
        bench.run("delete rp p --ignore-not-found").exits(0);
        bench.run("apply -f p.yaml").exits(0);
        let held = bench.held("/v1/retry-policy/p");
        assert_eq!(held["rules"][0]["mutate"]["resources"]["memory"]["static"], amount);
        let converted = bench.sandbox.run("convert -f p.yaml --to v1 -o json").exits(0).json();
        let rule = &converted["spec"]["rules"][0];
        assert_eq!(rule["mutate"]["resources"]["memory"]["static"], amount);
    }
    bench.sandbox.file(
        "p.yaml",
        std::fs::read_to_string(bench.sandbox.path().join("p.yaml"))
            .unwrap()
            .replace("+2Gi", "2048Mi"),
    );
    assert_eq!(bench.report("apply -f p.yaml", 0), ["RetryPolicy/p unchanged"]);
    bench.run("diff -f p.yaml").exits(0);
}

/// What `get` prints, in any form and number, goes back unchanged; so does what Armada's own tool
/// prints of all policies.
#[test]
fn what_get_prints_is_applied_back() {
    let bench = Bench::new("");
    bench.run("apply -f .").exits(0);
    let url = format!("http://{}", bench.server.address);
    for (line, count) in [
        ("get retrypolicy -o json", 2),
        ("get retrypolicy gpu -o json", 1),
        ("get retrypolicy gpu infra -o json", 2),
        ("get retrypolicy -o yaml", 2),
        ("get queue -o json", 1),
        ("get queue ml -o json", 1),
    ] {
        let printed = bench.run(line).exits(0).stdout;
        for command in ["apply -f - -o json", "diff -f - -o json"] {
            let run = bench.sandbox.run_on(&format!("{command} --armada-rest-url {url}"), &printed);
            let report = run.exits(0).json();
            let items = report["items"].as_array().unwrap();
            assert_eq!(items.len(), count, "{line}");
            assert!(items.iter().all(|item| item["action"] == "unchanged"), "{report}");
        }
    }
    let policies = bench.held("/v1/retry-policies")["retryPolicies"].clone();
    let list = json!({"apiVersion": "armadaproject.io/v1beta1", "kind": "RetryPolicy", "retryPolicies": policies});
    let yaml = serde_yaml::to_string(&list).unwrap();
    let run = bench.sandbox.run_on(&format!("apply -f - -o json --armada-rest-url {url}"), &yaml);
    assert_eq!(items(&run.exits(0)), ["RetryPolicy/gpu unchanged", "RetryPolicy/infra unchanged"]);
    // Armada's own `create -f` refuses the same list: `validate` warns of it.
    let run = bench.sandbox.run_on("validate -f -", &yaml).exits(0);
    assert!(run.stdout.contains("its `create -f` refuses it"), "{run}");
}
