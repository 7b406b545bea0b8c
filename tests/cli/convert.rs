//! `convert`: a policy in another form, and what gets lost.

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
    snapshot!("lossy", sandbox.run("convert -f lossy.yaml --to v1beta1").exits(0));
    snapshot!(
        "lossy_strict",
        sandbox.run("convert -f lossy.yaml --to v1beta1 --strict -q").exits(1)
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
