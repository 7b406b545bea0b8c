//! `convert`: a policy in another form, and what gets lost.
//!
//! Holds cli.md Commands, Exit codes.

use super::resources::Bench;
use super::sandbox::{Sandbox, snapshot};

const FITS: &str = "apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: infra}
spec:
  retryLimit: 5
  rules:
  - action: Fail
    onFailureCategory: [application]
    onFailureSubcategory: [bad-input, bad-config]
  - action: Retry
    onFailureCategory: [network, node]
    mutate: {resources: {memory: {factor: 1.5}}}
";

const LOSSY: &str = "apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: ml}
spec:
  backoff: {initialDelay: 30s}
  antiAffinity: {mode: node}
  rules:
  - action: Retry
    retryLimit: 3
    onConditions: [OOMKilled]
  - action: Retry
    onFailureCategory: [gpu]
    containerName: main
";

const TODAY: &str = "apiVersion: armadaproject.io/v1beta1
kind: RetryPolicy
name: today
defaultAction: Retry
rules:
- action: Retry
  onCategory: gpu
  mutate: {affinity: {avoidSameNode: true}}
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("fits.yaml", FITS).file("lossy.yaml", LOSSY).file("today.yaml", TODAY);
    sandbox
}

#[test]
fn what_fits_is_converted_without_a_word_about_it() {
    let sandbox = sandbox();
    snapshot!("fits", sandbox.run("convert -f fits.yaml --to v1beta1 --strict").exits(0));
}

#[test]
fn what_has_no_counterpart_is_named_with_its_place() {
    let sandbox = sandbox();
    snapshot!(
        "lossy",
        sandbox.run("convert -f lossy.yaml --to v1beta1 --accept-no-retries").exits(0)
    );
    snapshot!(
        "lossy_strict",
        sandbox.run("convert -f lossy.yaml --to v1beta1 --accept-no-retries --strict -q").exits(1)
    );
    snapshot!("today", sandbox.run("convert -f today.yaml --to v1").exits(0));
}

#[test]
fn a_form_that_a_policy_has_is_kept_and_several_are_several_documents() {
    let sandbox = sandbox();
    let all = sandbox.run("convert -f fits.yaml today.yaml --to v1beta1").exits(0);
    assert_eq!(all.stdout.matches("---\n").count(), 1, "{}", all.stdout);
    let again = sandbox.run_on("convert -f - --to v1beta1 --strict", &all.stdout).exits(0);
    assert_eq!((again.stdout.as_str(), again.stderr.as_str()), (all.stdout.as_str(), ""));
    let json = sandbox.run("convert -f fits.yaml today.yaml --to v1 -o json").exits(0);
    let list: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(list["items"][1]["spec"]["retryLimit"], 0);
}

#[test]
fn forms_it_cannot_print_are_refused() {
    let sandbox = sandbox();
    sandbox.run("convert -f fits.yaml --to v1 -o name").exits(2);
    sandbox.run("convert -f fits.yaml --to v2").exits(2);
    sandbox.run("convert -f missing.yaml --to v1").exits(3);
}

#[test]
fn a_server_of_the_deployed_form_gets_what_fits_and_nothing_else() {
    let bench = Bench::new("");
    bench.sandbox.file("fits.yaml", FITS).file("lossy.yaml", LOSSY);
    let sent = bench.run("apply -f fits.yaml").exits(0);
    assert_eq!(sent.stderr.matches("warning").count(), 1, "{}", sent.stderr);
    assert_eq!(bench.held("/v1/retry-policy/infra")["rules"][3]["onCategory"], "node");
    assert_eq!(bench.report("apply -f fits.yaml", 0), ["RetryPolicy/infra unchanged"]);

    let refused = bench.run("create -f lossy.yaml -f fits.yaml").exits(6);
    for field in ["backoff", "onConditions", "antiAffinity", "retryLimit"] {
        assert!(refused.stderr.contains(&format!("error[RP035]: `{field}`")), "{}", refused.stderr);
    }
    assert!(bench.held("/v1/retry-policy/ml")["error"].is_string());
    bench.run("create -f lossy.yaml --accept-no-retries").exits(0);
    let held = bench.held("/v1/retry-policy/ml");
    assert_eq!(held["rules"].as_array().unwrap().len(), 1);
    assert_eq!(held["rules"][0]["mutate"]["affinity"]["avoidSameNode"], true);
}

#[test]
fn a_server_of_the_full_form_gets_all_of_it() {
    let bench = Bench::new("--full-api");
    bench.sandbox.file("lossy.yaml", LOSSY).file("today.yaml", TODAY);
    let sent = bench.run("apply -f lossy.yaml -f today.yaml").exits(0);
    assert!(!sent.stderr.contains("RP035"), "{}", sent.stderr);
    assert_eq!(bench.held("/v1/retry-policy/ml")["backoff"]["initialDelay"], "30s");
    let unchanged = ["RetryPolicy/ml unchanged", "RetryPolicy/today unchanged"];
    assert_eq!(bench.report("apply -f lossy.yaml -f today.yaml", 0), unchanged);
    // What it gives goes back as it came, in either form.
    let all = bench.run("get retrypolicy -o yaml").exits(0);
    bench.sandbox.file("all.yaml", &all.stdout);
    assert_eq!(bench.report("apply -f all.yaml", 0), unchanged);
}

#[test]
fn a_policy_is_shown_in_the_form_that_is_asked_for() {
    let bench = Bench::new("");
    bench.sandbox.file("fits.yaml", FITS).file("today.yaml", TODAY);
    bench.run("apply -f fits.yaml -f today.yaml").exits(0);
    let v1 = bench.run("get retrypolicy today --api v1 -o json").exits(0);
    assert_eq!(v1.json()["spec"]["rules"][0]["antiAffinity"]["mode"], "node");
    assert!(v1.stderr.contains("policy `today`, rule 0, `mutate`"), "{}", v1.stderr);
    let list = bench.run("get rp --api v1beta1 -o json").exits(0).json();
    assert_eq!(list["items"][1]["apiVersion"], "armadaproject.io/v1beta1");
    bench.run("get rp --api v2").exits(2);
}

/// Limits above the lesser default of `globalMaxRetries` stop one engine earlier than the other.
#[test]
fn a_limit_that_only_one_engine_reaches_by_default_is_a_loss() {
    let sandbox = Sandbox::new();
    for limit in [0, 1, 5, 6, 10, 20, 25] {
        let v1beta1 = format!(
            "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: p\nretryLimit: {limit}\ndefaultAction: Fail\nrules: [{{action: Retry, onCategory: gpu}}]\n"
        );
        let v1 = format!(
            "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: p}}\nspec: {{retryLimit: {limit}, defaultAction: Fail, rules: [{{action: Retry, onFailureCategory: [gpu]}}]}}\n"
        );
        sandbox.file("v1beta1.yaml", v1beta1).file("v1.yaml", v1);
        for (from, to) in [("v1beta1", "v1"), ("v1", "v1beta1")] {
            let run = sandbox.run(&format!("convert -f {from}.yaml --to {to} --strict"));
            let is_loss = limit > 5;
            assert_eq!(run.stderr.contains("default of globalMaxRetries"), is_loss, "{run}");
            run.exits(i32::from(is_loss));
        }
    }
}
