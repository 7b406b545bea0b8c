//! RetryProfiles of the BEP-1053 draft.
//!
//! Holds cli.md The other systems.

use super::sandbox::{Run, Sandbox, root, snapshot};
use super::systems::only_unit;
use serde_json::json;

/// A sandbox with the draft's examples.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let profiles = ["backendai/training.yaml", "backendai/persistent.yaml"];
    sandbox.examples(&profiles).examples(&["backendai/training.jsonl"]);
    sandbox
}

fn run(line: &str) -> Run {
    sandbox().run(line)
}

const TRAINING: &str = "simulate -f backendai/training.yaml --history backendai/training.jsonl";

#[test]
fn the_example_tells_its_story() {
    snapshot!("training", run(&format!("{TRAINING} --timelines all")).exits(0));
    snapshot!("training_json", run(&format!("{TRAINING} -o json")).exits(0));
    let unit = "--job 886313e1-3b8a-5372-9b90-0c9aee199e5d";
    let report = run(&format!("{TRAINING} {unit} --timelines all -o json")).exits(0);
    let chain = only_unit(&report);
    assert_eq!((&chain["outcome"], &chain["systemOutcome"]), (&json!("Failed"), &json!("ERROR")));
    assert_eq!(chain["notReached"], 1);
    let decisions = chain["decisions"].as_array().unwrap();
    let events: Vec<_> = decisions.iter().map(|one| one["event"].clone()).collect();
    assert_eq!(events, ["session.retry_scheduled", "session.retry_exhausted"]);
    assert_eq!((&decisions[1]["attempt"], &decisions[1]["maxAttempts"]), (&json!(2), &json!(2)));
    let (base, delay) = (&decisions[0]["baseSeconds"], decisions[0]["delaySeconds"].as_f64());
    assert_eq!(base, &json!(120.0));
    assert!(delay.is_some_and(|delay| (120.0..150.0).contains(&delay)), "{delay:?}");
}

#[test]
fn what_chance_adds_is_drawn_by_the_seed() {
    let drawn = |flags: &str| {
        let line = TRAINING.replace("training.yaml", "persistent.yaml");
        let report = run(&format!("{line} --timelines all -o json {flags}")).exits(0).json();
        report["jobs"][0]["decisions"][0]["delaySeconds"].as_f64().unwrap()
    };
    let first = drawn("");
    assert!((60.0..90.0).contains(&first), "{first}");
    assert_eq!(drawn("--seed 0 --threads 3").to_bits(), first.to_bits());
    assert_ne!(drawn("--seed 1").to_bits(), first.to_bits());
}

/// Ids that are not on record are told of once, however the history is read; and a failure that is
/// told twice is not charged twice.
#[test]
fn what_waits_hang_on_is_told_where_it_is_not_on_record() {
    let sandbox = sandbox();
    let mut lines = String::new();
    for (hour, session) in
        [(1, ""), (2, ""), (3, "\"sessionId\":\"b\","), (4, "\"sessionId\":\"b\",")]
    {
        lines += &format!(
            "{{\"jobId\":\"a\",{session}\"finishedAt\":\"2026-05-04T0{hour}:00:00Z\",\"outcome\":\"Failed\"}}\n"
        );
    }
    sandbox.file("h.jsonl", &lines);
    let policy = |jitter: &str| {
        format!(
            "apiVersion: armadaproject.io/v1\nkind: RetryProfile\nmetadata: {{name: a}}\nspec: \
             {{system: backendai, layers: {{session: {{max_retries: 9, jitter: {jitter}}}}}}}\n"
        )
    };
    sandbox.file("a.yaml", policy("deterministic"));
    sandbox.file("none.yaml", policy("none"));
    snapshot!("guessed", sandbox.run("simulate -f a.yaml --history h.jsonl").exits(0));
    let line = "simulate -f none.yaml --history h.jsonl";
    assert!(!sandbox.run(line).exits(0).stdout.contains("note:"));
    let note = sandbox.run(&format!("{line} --variant a=a.yaml -o json")).exits(0);
    assert_eq!(
        note.stdout.matches("1 wait is an example: records have no `sessionId`").count(),
        1,
        "{note}"
    );
    let report = note.json();
    assert_eq!(report["summary"].get("guessedWaits"), None);
    assert_eq!(report["variants"][1]["summary"]["guessedWaits"], 1);
}

#[test]
fn a_variant_of_another_system_is_named() {
    let sandbox = sandbox();
    let fixed = std::fs::read(root().join("examples/airflow/fixed.yaml")).unwrap();
    sandbox.file("fixed.yaml", fixed);
    sandbox.file("empty.yaml", "");
    let variant = |file: &str| sandbox.run(&format!("{TRAINING} --variant b={file}")).exits(3);
    snapshot!("variant_of_another", variant("fixed.yaml"));
    snapshot!("variant_of_none", variant("empty.yaml"));
}

#[test]
fn layers_are_compared_by_variant() {
    let line = format!("{TRAINING} --variant persistent=backendai/persistent.yaml --seed 7");
    snapshot!("variants", run(&line).exits(0));
}

#[test]
fn one_example_is_warned_of() {
    let good = run("validate -f backendai/training.yaml").exits(0);
    assert!(good.stderr.is_empty() && good.stdout.contains("0 errors, 0 warnings"), "{good}");
    snapshot!("warned", run("validate -f backendai/persistent.yaml").exits(0));
}

#[test]
fn a_bad_profile_is_refused_where_it_is_bad() {
    let sandbox = sandbox();
    sandbox.file(
        "bad.yaml",
        "apiVersion: armadaproject.io/v1\nkind: RetryProfile\nmetadata: {name: a}\nspec:\n  system: \
         backendai\n  profile: main\n  policy: {max_retries: 1}\n  layers:\n    cluster: \
         {retry_delay: 0, retries: 3}\n    session: {max_retry: 2, backoff: linear, jitter_ratio: 2, \
         eligible_causes: [user_cancelled]}\n  options: {hash: sha256}\n",
    );
    snapshot!("bad", sandbox.run("validate -f bad.yaml").exits(3));
}

#[test]
fn a_decision_is_explained_check_by_check() {
    let explain =
        |flags: &str| run(&format!("explain decision -f backendai/training.yaml {flags}"));
    let session = "--failure sessionId=7c9e6679-7425-40de-944b-e07fc1f90ae7";
    snapshot!("explained", explain(&format!("{session} --failure cause=agent_transient")).exits(0));
    snapshot!("explained_json", explain(&format!("{session} -o json")).exits(0));
    snapshot!("explained_spent", explain("--failure cause=oom_killed --retries-used 1").exits(0));
    snapshot!("explained_never", explain("--failure cause=quota_exceeded").exits(0));
    snapshot!("explained_not_batch", explain("--failure sessionType=inference").exits(0));
    snapshot!("explained_guess", explain("--failure cause=agent_transient").exits(0));
    let key = explain("--failure exitCode=1").exits(2);
    assert!(key.stderr.contains("its keys are") && key.stderr.contains("sessionId"), "{key}");
    let cause = explain("--failure cause=oom").exits(3);
    assert!(cause.stderr.contains("unknown cause `oom`"), "{cause}");
}

#[test]
fn a_field_of_a_layer_is_explained() {
    snapshot!("layer", run("explain RetryProfile.spec.layers.session").exits(0));
    snapshot!("field", run("explain RetryProfile.spec.layers.project.max_retry_delay").exits(0));
    snapshot!("choice", run("explain RetryProfile.options.reduce").exits(0));
    // The fields where the path ends for the one system that has `layers`.
    let missing = run("explain RetryProfile.spec.layers.retry").exits(3);
    assert!(missing.stderr.contains("its fields are cluster, project, session"), "{missing}");
    // What stands in another place, perhaps of another system.
    for (path, place) in [
        ("spec.policy.max_retries", "spec.layers.session.max_retries"),
        ("spec.policy.eligible_causes", "spec.layers.session.eligible_causes"),
        ("spec.layers.max_retries", "spec.layers.session.max_retries"),
        ("layers.session.retry_delay_seconds", "spec.policy.retry_delay_seconds"),
    ] {
        let missing = run(&format!("explain RetryProfile.{path}")).exits(3);
        let help = format!("did you mean `RetryProfile.{place}`?");
        assert!(missing.stderr.contains(&help), "{missing}");
    }
}
