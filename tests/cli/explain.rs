//! `explain`: decisions, fields and ids.
//!
//! Holds semantics.md 4, 5; cli.md Commands, simulate.

use super::sandbox::{Run, Sandbox, snapshot};

/// A policy to begin with: that of each form is valid.
#[test]
fn the_page_of_a_policy_ends_with_one() {
    let report = explain("retrypolicy -o json").exits(0).json();
    let items = report["items"].as_array().expect("pages");
    let sandbox = Sandbox::new();
    for (page, form) in items.iter().zip(["v1", "v1beta1"]) {
        let example = page["example"].as_str().expect("an example");
        assert!(example.contains(&format!("apiVersion: armadaproject.io/{form}\n")), "{example}");
        sandbox.file("p.yaml", example);
        sandbox.run("validate -f p.yaml").exits(0);
    }
    assert_eq!(items.len(), 2);
    assert!(explain("retrypolicy").exits(0).stdout.contains("\nEXAMPLE:\n"));
}

fn explain(words: &str) -> Run {
    Sandbox::with_examples().run(&format!("explain {words}"))
}

fn decision(flags: &str) -> Run {
    explain(&format!("decision -f policies --queue-policies infra,ml-training {flags}"))
}

#[test]
fn a_retry() {
    snapshot!("retry", decision("--failure exitCode=137 --failure reason=OOMKilled"));
    snapshot!("retry_json", decision("--failure condition=Evicted --failure node=gpu-1 -o json"));
}

#[test]
fn used_up_limits() {
    let oom = "--failure exitCode=137 --failure reason=OOMKilled";
    let run = decision(&format!("{oom} --retries-used 3 --rule-retries 3"));
    snapshot!("rule_limit", run.exits(0));
    snapshot!("global_limit", decision(&format!("{oom} --retries-used 20")).exits(0));
    let report =
        decision(&format!("{oom} --retries-used 4 --rule-retries 2 -o json")).exits(0).json();
    assert_eq!(report["decision"]["totalRetries"], 5);
    assert_eq!(report["decision"]["count"], 3);
    assert!(report["decision"]["runIndex"].is_null() && report["decision"]["podName"].is_null());
}

#[test]
fn the_backoff_counts_the_retries_used() {
    let delay = |used: u32| {
        let flags = format!("--failure condition=Evicted --retries-used {used} -o json");
        decision(&flags).exits(0).json()["decision"]["delaySeconds"].clone()
    };
    assert_eq!([0, 1, 2, 9].map(delay), [30.0, 60.0, 120.0, 600.0]);
}

#[test]
fn annotations() {
    let flags = "--failure condition=Evicted --annotation armadaproject.io/failFast=true";
    snapshot!("fail_fast", decision(flags).exits(0));
    let report = decision(&format!("{flags} -o json")).exits(0).json();
    let trace = report["trace"].as_array().expect("a trace");
    assert!(trace.iter().all(|tried| tried["matched"] == false), "no rule decides: {report}");
    let run = explain("decision -f policies --annotation armadaproject.io/retry-policy=infra");
    snapshot!("annotated_policy", run.exits(0));
}

#[test]
fn several_containers() {
    let flags = "--failure container=setup --failure init=true --failure exitCode=0 \
        --failure container=main --failure exitCode=1 --failure message=TRANSIENT";
    snapshot!("containers", decision(flags).exits(0));
}

#[test]
fn the_engine_of_today() {
    let sandbox = Sandbox::new();
    let beta = std::fs::read(super::sandbox::root().join("testdata/cli/beta.yaml")).expect("it");
    sandbox.file("beta.yaml", beta);
    let line = "explain decision -f beta.yaml --failure category=oom";
    snapshot!("v1beta1", sandbox.run(&format!("{line} --retries-used 1")).exits(0));
    let report = sandbox.run(&format!("{line} --retries-used 2 -o json")).exits(0).json();
    assert_eq!(report["decision"]["decision"], "fail_policy_limit");
    assert_eq!(report["decision"]["count"], 2);
    for (flags, told) in [
        ("--rule-retries 2", "write --retries-used 2"),
        ("--rule-retries 2 --retries-used 3", "--retries-used is the only count"),
    ] {
        let run = sandbox.run(&format!("{line} {flags}")).exits(2);
        assert!(run.stderr.contains(told), "{run}");
    }
    // The engine of the design counts by rule for such a policy too.
    sandbox.run(&format!("{line} --rule-retries 2 --engine v1")).exits(0);
}

#[test]
fn failures_that_make_no_sense() {
    for (name, flags) in [
        ("bad_key", "--failure exitcode=1"),
        ("bad_outcome", "--failure outcome=Succeeded"),
        ("bad_exit_code", "--failure exitCode=many"),
        ("bad_init", "--failure init=maybe"),
        ("bad_pair", "--failure Evicted"),
        ("bad_number", "--retries-used -1"),
    ] {
        let run = decision(flags).exits(2);
        insta::with_settings!({omit_expression => true}, {
            insta::assert_snapshot!(name, run.to_string());
        });
    }
}

#[test]
fn fields() {
    snapshot!("field", explain("retrypolicy.rules.onExitCodes").exits(0));
    snapshot!("field_spec", explain("rp.spec.rules.onExitCodes.operator").exits(0));
    snapshot!("field_v1beta1", explain("retry-policy.rules.mutate --api v1beta1").exits(0));
    snapshot!("field_history", explain("history.spec.jobs.runs.outcome").exits(0));
    snapshot!("document", explain("queue").exits(0));
    snapshot!("field_cluster", explain("cluster.clusters.nodeTemplates").exits(0));
    snapshot!("field_workload", explain("workloadspec.queues.jobTemplates.repeat").exits(0));
    let field = explain("scheduling.priorityClasses.preemptible").exits(0).stdout;
    snapshot!("field_scheduling", explain("schedulerconfig.scheduling.pools").exits(0));
    let inside = explain("schedulerconfig.scheduling.priorityClasses.preemptible").exits(0).stdout;
    assert_eq!(
        field.split_once("DESCRIPTION").unwrap().1,
        inside.split_once("DESCRIPTION").unwrap().1
    );
}

#[test]
fn every_field_of_every_document_is_explained() {
    fn walk(topic: &str, depth: usize) -> usize {
        let page = explain(topic).exits(0).stdout;
        let Some((_, fields)) = page.split_once("\nFIELDS:\n") else { return 1 };
        let names =
            fields.lines().filter(|line| line.starts_with("    ") && !line.starts_with("     "));
        let names = names.filter_map(|line| line.split_whitespace().next());
        assert!(depth < 10, "{topic}");
        1 + names.map(|name| walk(&format!("{topic}.{name}"), depth + 1)).sum::<usize>()
    }
    for (topic, fewest) in
        [("scheduler", 60), ("scheduling", 45), ("cluster", 20), ("workload", 40)]
    {
        let count = walk(topic, 0);
        assert!(count >= fewest, "{topic}: {count}");
    }
}

#[test]
fn ids() {
    let run = explain("rp016").exits(0);
    assert!(run.stdout.starts_with("# RP016: "), "{run}");
    assert_eq!(run.stdout, explain("RP016").stdout);
    // A pipe gets the page as it is; colours that were asked for come with the page rendered.
    assert!(run.stdout.contains("\n```yaml\n"), "{run}");
    let coloured = explain("RP016 --color always").exits(0).stdout;
    assert!(coloured.starts_with("\u{1b}[1mRP016: "), "{coloured}");
    assert!(!coloured.contains("```") && !coloured.contains("\n#"), "{coloured}");
}

#[test]
fn unknown_topics() {
    snapshot!("unknown_id", explain("RP999").exits(3));
    snapshot!("unknown_kind", explain("retrypolcy.rules").exits(3));
    snapshot!("unknown_field", explain("retrypolicy.rules.onExitCode").exits(3));
    snapshot!(
        "unknown_field_of_the_other_form",
        explain("retrypolicy.retryLimits --api v1beta1").exits(3)
    );
    snapshot!("nothing", explain("").exits(2));
    snapshot!("several_topics", explain("retrypolicy rules").exits(2));
    snapshot!("kubernetes_topic", explain("job.spec").exits(3));
    snapshot!("unknown_form", explain("rp.rules.onCategory --api v1").exits(3));
}

#[test]
fn a_field_is_described_in_each_form_that_has_it() {
    let page = |topic: &str| explain(topic).exits(0).stdout;
    let (both, beta, v1) =
        (page("rp.rules.action"), page("rp.rules.onCategory"), page("rp.rules.onExitCodes"));
    assert!(both.contains("FORM:      v1\n") && both.contains("FORM:      v1beta1\n"), "{both}");
    assert!(beta.starts_with("FORM:      v1beta1 only\n"), "{beta}");
    assert!(v1.starts_with("FORM:      v1 only\n"), "{v1}");
    // `spec` of the other form does no harm.
    assert!(page("rp.spec.rules.onCategory").starts_with("FORM:      v1beta1 only\n"));
    assert!(!page("rp.rules.action --api v1").contains("FORM:"));
    // Fields of documents that have one form.
    assert!(!page("cluster.clusters").contains("FORM:"));
}

#[test]
fn explanations_are_json_too() {
    let (_, schema) = armadactl::internals::report::schemas::all()
        .into_iter()
        .find(|(name, _)| *name == "topic-explanation.json")
        .expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for topic in
        ["rp", "rp.rules.onCategory", "retryprofile.policy --recursive", "RP016", "test.tests"]
    {
        let report = explain(&format!("{topic} -o json")).exits(0).json();
        let errors: Vec<String> =
            validator.iter_errors(&report).map(|error| error.to_string()).collect();
        assert_eq!(errors, [""; 0], "{topic}");
    }
    let report = explain("rp.rules.onCategory -o json").exits(0).json();
    assert_eq!(report["items"][0]["variants"], serde_json::json!(["v1beta1"]));
    let recursive = explain("queue --recursive").exits(0).stdout;
    assert!(recursive.contains("\n      retryPolicies <"), "{recursive}");
}
