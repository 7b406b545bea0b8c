//! `lint` as a command: its settings, its exit codes, and files beside the policies.
//!
//! Holds cli.md Commands.

use crate::sandbox::Sandbox;

const SHADOWED: &str = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec:\n  retryLimit: 3\n  rules:\n  - {action: Retry, onFailureCategory: [gpu]}\n  - {action: Fail, onFailureCategory: [gpu], onFailureSubcategory: [xid]}\n";
const QUEUE: &str = "apiVersion: armadaproject.io/v1\nkind: Queue\nmetadata: {name: ml}\nspec: {priorityFactor: 1, retryPolicies: [infra, p]}\n";
/// It fails jobs whose pod was evicted, unless a policy before it takes them.
const KILLED: &str = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec:\n  retryLimit: 3\n  rules:\n  - {action: Fail, onExitCodes: {operator: In, values: [137]}}\n  - {action: Retry, onExitCodes: {operator: In, values: [137, 3]}}\n";

#[test]
fn the_exit_code_depends_on_the_level() {
    let sandbox = Sandbox::new();
    sandbox.file("p.yaml", SHADOWED);
    sandbox.run("lint -f p.yaml").exits(1);
    sandbox.run("lint -f p.yaml --fail-on error").exits(0);
    sandbox.run("lint -f p.yaml --ignore RP101").exits(0);
    sandbox.run("lint -f p.yaml --select RP102,RP11").exits(0);
    sandbox.run("lint -f p.yaml --select RP1").exits(1);
    let refused = sandbox.run("lint -f p.yaml --select RP999").exits(2);
    assert!(refused.stderr.contains("no finding has an id that begins with `RP999`"), "{refused}");
    assert!(!refused.stderr.contains("did you mean"), "{refused}");
    let refused = sandbox.run("lint -f p.yaml --select PR101").exits(2);
    assert!(refused.stderr.contains("did you mean `RP101`?"), "{refused}");
    // An error of a document stays, whatever is selected.
    sandbox.file("bad.yaml", SHADOWED.replace("retryLimit", "retryLimits"));
    for flags in ["--ignore RP0", "--select RP102", "--fail-on error", "--diff", "--fix"] {
        let run = sandbox.run(&format!("lint -f bad.yaml {flags}")).exits(3);
        assert!((run.stdout.clone() + &run.stderr).contains("RP005"), "{flags}: {run}");
    }
    sandbox.run("lint -f p.yaml --diff -o json").exits(2);
    sandbox.run("lint -f p.yaml --diff --fix").exits(2);
    sandbox.run("lint -f p.yaml --diff --report json=x.json").exits(2);
}

#[test]
fn flags_without_effect_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.file("p.yaml", SHADOWED);
    let run = sandbox.run("lint -f p.yaml --disruptions missing.yaml").exits(2);
    assert!(run.stderr.contains("--against"), "{run}");
    let run = sandbox.run("lint -f p.yaml --diff --disruptions missing.yaml").exits(2);
    assert!(run.stderr.contains("cannot be used with"), "{run}");
}

#[test]
fn names_of_policies_are_checked_with_and_without_a_history() {
    let sandbox = Sandbox::with_examples();
    let line = "lint policies --queue-policies infa,nosuch";
    let run = sandbox.run(line).exits(3);
    for told in [
        "error[RP028]: the policy `infa` does not exist",
        "did you mean `infra`?",
        "error[RP028]: the policy `nosuch` does not exist",
        "the policies are `infra`, `ml-training`\n",
    ] {
        assert!((run.stdout.clone() + &run.stderr).contains(told), "{run}");
    }
    let replayed = sandbox.run(&format!("{line} --against fleet.jsonl")).exits(3);
    assert_eq!((run.stdout, run.stderr), (replayed.stdout, replayed.stderr));
    sandbox.run("lint policies --queue-policies ml-training,infra").exits(0);
    // A document with an error is the only finding about its policy.
    sandbox.file("bad.yaml", SHADOWED.replace("retryLimit", "retryLimits"));
    let run = sandbox.run("lint bad.yaml --queue-policies p").exits(3);
    assert!(!(run.stdout.clone() + &run.stderr).contains("RP028"), "{run}");
}

/// A policy whose first rule has a pattern, and its second another.
fn patterns(first: &str) -> String {
    let first = serde_json::Value::from(first);
    format!(
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: p}}\nspec:\n  retryLimit: 3\n  \
         rules:\n  - {{action: Retry, onTerminationMessage: {{pattern: {first}}}}}\n  \
         - {{action: Fail, onTerminationMessage: {{pattern: quota}}}}\n"
    )
}

#[test]
fn a_pattern_that_matches_every_message_hides_the_patterns_below() {
    let sandbox = Sandbox::new();
    let ids = |pattern: &str| {
        sandbox.file("p.yaml", patterns(pattern));
        let run = sandbox.run("lint -f p.yaml --select RP101,RP105 -o json");
        let items = run.json()["items"].as_array().unwrap().clone();
        items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for pattern in [
        "^", "$", r"\A", r"\z", "(?m)^", "(?m)$", "(?s).", "(?s).*", "^.*", ".*", "(?s)^.*$",
        "(?s)^.+$", r"\b|\B", "x*", "()", "a|", ".{0,5}", r"[\s\S]", r".|\n", "[^x]|x", "(^)|y",
    ] {
        assert_eq!(ids(pattern), ["RP105", "RP101"], "{pattern}");
    }
    // A message of one line end has no `.`.
    for pattern in [".", ".+", r"\S", r"\b", "^.", "^$", "[^x]", r"^\S"] {
        assert!(!ids(pattern).contains(&"RP105".to_owned()), "{pattern}");
    }
    assert_eq!(ids("(?i)QUOTA|disk"), ["RP101"]);
}

#[test]
fn infos_are_counted_unless_they_are_selected() {
    let sandbox = Sandbox::new();
    for number in 0..3 {
        let text = format!(
            "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: p{number}}}\nspec:\n  rules:\n  \
             - {{action: Fail, onFailureCategory: [gpu]}}\n"
        );
        sandbox.file(&format!("p/{number}.yaml"), text);
    }
    let run = sandbox.run("lint -f p").exits(0);
    assert_eq!(
        run.stdout,
        "info[RP116] x3: a rule that changes no action (--select RP116 shows them)\n\n\
         3 documents in 3 files: 0 errors, 0 warnings, 3 infos\n",
        "{run}"
    );
    assert_eq!(sandbox.run("lint -f p -q").exits(0).stdout, "");
    assert_eq!(sandbox.run("lint -f p -q --error-format short").exits(0).stdout, "");
    for flags in
        ["--select RP116", "--fail-on info", "--error-format short", "--error-format github"]
    {
        let run = sandbox.run(&format!("lint -f p {flags}"));
        assert_eq!(run.stdout.matches("changes no action").count(), 3, "{flags}: {run}");
    }
    for flags in ["-o json", "-q -o json", "--report sarif=-"] {
        let run = sandbox.run(&format!("lint -f p {flags}"));
        assert_eq!(run.stdout.matches("changes no action: without").count(), 3, "{flags}: {run}");
    }
}

#[test]
fn a_correction_that_would_lose_a_comment_is_not_made() {
    let sandbox = Sandbox::new();
    let policy = |comment: &str| {
        format!(
            "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: p}}\nspec:\n  retryLimit: 3\n  \
             rules:\n  - action: Retry\n    onFailureCategory: [gpu]\n  - action: Fail\n    retryLimit: 2{comment}\n    \
             onFailureCategory: [net]\n"
        )
    };
    let fixed = |text: &str| {
        sandbox.file("p.yaml", text);
        sandbox.run("lint -f p.yaml --fix --fail-on error").exits(0);
        std::fs::read_to_string(sandbox.path().join("p.yaml")).unwrap()
    };
    let with_comment = policy(" # agreed with the network team");
    assert_eq!(fixed(&with_comment), with_comment);
    assert_eq!(fixed(&policy("")), policy("").replace("    retryLimit: 2\n", ""));
}

#[test]
fn settings_are_found_above_and_flags_override_them() {
    let sandbox = Sandbox::new();
    sandbox
        .file("p/p.yaml", SHADOWED)
        .file("p/old/q.yaml", SHADOWED.replace("name: p", "name: q"))
        .file(".armadactl-lint.yaml", "severity: {RP101: error}\nexclude: [p/old/]\n");
    let run = sandbox.run_with("lint -f . --error-format short", |command| {
        command.current_dir(sandbox.path().join("p"));
    });
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stdout.starts_with("./p.yaml:8:5: error[RP101]"), "{run}");
    assert!(run.stdout.ends_with("1 document in 1 file: 1 error, 0 warnings, 0 infos\n"), "{run}");
    assert_eq!(run.stderr, "note: settings of ../.armadactl-lint.yaml\n");
    sandbox.file(".armadactl-lint.yaml", "ignore: [RP101]\nfailOn: error\n");
    sandbox.run("lint -f p/p.yaml").exits(0);
    sandbox.file(".armadactl-lint.yaml", "failOn: error\n");
    sandbox.run("lint -f p/p.yaml --fail-on info").exits(1);
    sandbox.file(".armadactl-lint.yaml", "ignores: [RP101]\n");
    let run = sandbox.run("lint -f p/p.yaml").exits(3);
    assert!(run.stderr.contains("did you mean `ignore`?"), "{run}");
    // The search ends at the root of a repository.
    sandbox.file("p/.git/HEAD", "");
    let run = sandbox.run_with("lint -f p.yaml", |command| {
        command.current_dir(sandbox.path().join("p"));
    });
    assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{run}");
}

#[test]
fn bounds_of_the_settings_are_those_of_the_worst_case() {
    let sandbox = Sandbox::new();
    sandbox.file("p.yaml", SHADOWED.replace("  - {action: Fail", "  # {action: Fail"));
    sandbox.run("lint -f p.yaml").exits(0);
    sandbox.file(".armadactl-lint.yaml", "bounds: {attempts: 3}\n");
    let run = sandbox.run("lint -f p.yaml --error-format short").exits(1);
    assert!(run.stdout.contains("a job under `p` can run 4 times (bound 3)"), "{run}");
}

#[test]
fn what_other_files_may_hold_is_not_reported() {
    let sandbox = Sandbox::new();
    sandbox.file("p.yaml", KILLED).file("queues.yaml", QUEUE);
    let ids = |line: &str| {
        let report = sandbox.run(line).json();
        let items = report["items"].as_array().unwrap().iter();
        items.map(|item| item["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids("lint -o json -f p.yaml"), ["RP114"]);
    // `infra` stands before it, and may take evictions. The Queue document names it as missing.
    assert_eq!(ids("lint -o json -f p.yaml queues.yaml"), ["RP028"]);
    // The settings name the queue, so that a hook may lint one file of several.
    sandbox.file(".armadactl-lint.yaml", "queues: [queues.yaml]\n");
    assert!(ids("lint -o json -f p.yaml").is_empty());
    // A file that a flag and the settings name is read once.
    assert_eq!(ids("lint -o json -f ."), ["RP028"]);
}

#[test]
fn the_audit_of_categories_is_part_of_it() {
    let sandbox = Sandbox::new();
    sandbox.examples(&["classifier/policy.yaml", "classifier/executor.yaml"]);
    let ids = |command: &str| {
        let line = format!(
            "{command} -o json -f classifier/policy.yaml --executor-config classifier/executor.yaml"
        );
        let report = sandbox.run(&line).json();
        let items = report["items"].as_array().unwrap().iter();
        items.map(|item| item["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let audit: Vec<String> = ids("validate");
    assert!(!audit.is_empty());
    let linted = ids("lint");
    assert!(audit.iter().all(|id| linted.contains(id)), "{audit:?}, {linted:?}");
}

#[test]
fn comments_in_the_configuration_of_an_executor_count() {
    let sandbox = Sandbox::new();
    let case = |file: &str| {
        format!("{}/testdata/lints/RP125/not-tracked/{file}", env!("CARGO_MANIFEST_DIR"))
    };
    let config = std::fs::read_to_string(case("executor.yaml")).unwrap();
    let comment = " # armadactl:ignore RP125 -- one node a cluster\n";
    let commented = config.replacen(
        "trackedNodeLabels: [zone]\n",
        &format!("trackedNodeLabels: [zone]{comment}"),
        1,
    );
    assert_ne!(config, commented);
    sandbox.file("executor.yaml", commented);
    let line = format!("lint -f {} --executor-config executor.yaml -o json", case("bad.yaml"));
    let report = sandbox.run(&line).exits(0).json();
    assert_eq!(report["items"], serde_json::json!([]), "{report:#}");
    assert_eq!(report["summary"]["suppressed"], 1, "{report:#}");
    // A comment without effect is found there too.
    sandbox.file(
        "executor.yaml",
        config.replacen("[zone]\n", &format!("[kubernetes.io/hostname]{comment}"), 1),
    );
    let report = sandbox.run(&line).json();
    assert_eq!(report["items"][0]["id"], "RP190", "{report:#}");
}

#[test]
fn only_the_first_name_of_a_v1beta1_queue_counts() {
    let sandbox = Sandbox::new();
    let policy = "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: NAME\nretryLimit: 2\ndefaultAction: Fail\nrules: [{action: Retry, onCategory: gpu}]\n---\n";
    let queue =
        "apiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: ml\nretryPolicies: [gone, b]\n";
    sandbox.file("all.yaml", policy.replace("NAME", "b") + queue);
    let run = sandbox.run("lint -f all.yaml --error-format short").exits(1);
    assert!(run.stdout.contains("no queue uses `b`"), "{run}");
    assert!(run.stdout.contains("uses `gone`, which no policy here is called"), "{run}");
}

/// viper reads keys in any case.
#[test]
fn the_scheduler_configuration_has_keys_in_any_case() {
    let sandbox = Sandbox::new();
    sandbox.file("p.yaml", SHADOWED);
    sandbox.file(
        "scheduler.yaml",
        "Scheduling: {retryPolicy: {Enabled: true, globalmaxretries: 2}}\n",
    );
    let run =
        sandbox.run("lint -f p.yaml --select RP106 --scheduler-config scheduler.yaml -o json");
    let finding = &run.exits(1).json()["items"][0];
    assert_eq!(finding["related"][0]["file"], "scheduler.yaml", "{finding}");
}

#[test]
fn a_scheduler_configuration_is_a_file_and_a_document() {
    let sandbox = Sandbox::new();
    sandbox.file("p.yaml", KILLED).file("s.yaml", "retryPolicy: {enabled: true}\n");
    sandbox.file("broken.yaml", "retryPolicy: [\n");
    let counts = |line: &str| {
        let summary = &sandbox.run(line).json()["summary"];
        ["files", "documents"].map(|key| summary[key].as_u64().unwrap())
    };
    assert_eq!(counts("lint -f p.yaml -o json"), [1, 1]);
    assert_eq!(counts("lint -f p.yaml --scheduler-config s.yaml -o json"), [2, 2]);
    assert_eq!(counts("lint -f p.yaml --scheduler-config broken.yaml -o json"), [2, 1]);
    sandbox.run("lint -f - --scheduler-config -").exits(2);
    sandbox.file("h.jsonl", "");
    let again = sandbox.run("lint -f p.yaml --scheduler-config - --against h.jsonl").exits(2);
    assert!(again.stderr.contains("standard input can be read only once"), "{again}");
}
