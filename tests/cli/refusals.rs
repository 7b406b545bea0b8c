//! Refusals of whole commands: everything that is wrong in one message, with its count and what was
//! not sent.
//!
//! Holds cli.md Exit codes.

use super::resources::{Bench, POLICIES, QUEUE, items};
use super::sandbox::Sandbox;

/// A server with the policies `gpu` and `infra` and the queue `ml`, which has `gpu`.
fn filled() -> Bench {
    let bench = Bench::new("");
    bench.run("apply -f policies.yaml -f queue.yaml").exits(0);
    bench
}

#[test]
fn all_names_that_are_missing_are_in_one_message() {
    let bench = filled();
    for (line, message) in [
        ("cordon queue ml zz", "the server has no queue `zz`; nothing was sent\n"),
        ("uncordon queue zz", "the server has no queue `zz`; nothing was sent\n"),
        (
            "attach rp infra --queue ml --queue zz",
            "the server has no queue `zz`; nothing was sent\n",
        ),
        ("detach rp infra --queue zz", "the server has no queue `zz`; nothing was sent\n"),
        ("detach rp nope --queue ml", "the server has no retry policy `nope`; nothing was sent\n"),
        (
            "attach rp nope1 infra nope2 --queue zz1",
            "the server has no retry policies `nope1`, `nope2` and no queue `zz1`: 3 names in all; nothing was sent\n",
        ),
        ("cordon -l team=none", "the labels `team=none`; nothing was sent\n"),
    ] {
        let before = bench.held("/v1/queue/ml");
        let run = bench.run(line).exits(5);
        assert!(run.stderr.contains(message), "{run}");
        assert_eq!(bench.held("/v1/queue/ml"), before);
        let json = bench.run(&format!("{line} -o json")).exits(5).json();
        let text = json["message"].as_str().unwrap();
        assert!(
            message.trim_end().ends_with("nothing was sent") && text.ends_with("sent"),
            "{json}"
        );
    }
    let run = bench.run("attach rp nope --queue zzzzz").exits(5);
    let help = "`armadactl get retrypolicy` and `armadactl get queue` list those there are";
    assert!(run.stderr.contains(help), "{run}");
    let run = bench.run("attach rp infar --queue mk").exits(5);
    assert!(run.stderr.contains("did you mean `infra`, `ml`?"), "{run}");
}

#[test]
fn a_report_of_nothing_that_was_written_says_so() {
    let bench = filled();
    for (line, code, count) in [
        ("delete rp gpu", 6, "1 failed; nothing was sent"),
        ("delete rp nope", 5, "1 failed; nothing was sent"),
        ("create -f policies.yaml -f queue.yaml", 6, "3 failed; nothing was sent"),
    ] {
        let run = bench.run(line).exits(code);
        assert!(run.stderr.contains(&format!("{count}\n")), "{run}");
    }
    // A dry run sends nothing anyway, and its count line has words for that.
    for (line, code) in
        [("delete rp gpu --dry-run server", 6), ("delete rp gpu infra", 6), ("apply -f .", 0)]
    {
        let run = bench.run(line).exits(code);
        assert!(!run.stderr.contains("nothing was sent"), "{run}");
    }
}

#[test]
fn a_conversion_of_files_with_errors_ends_with_their_count() {
    let bench = Bench::new("");
    bench.sandbox.file("bad.yaml", POLICIES.replace("Retry,", "Rerun,"));
    let run = bench.sandbox.run("convert -f bad.yaml --to v1").exits(3);
    assert!(run.stderr.ends_with("error: 2 errors found; nothing was written\n"), "{run}");
}

#[test]
fn a_comparison_speaks_of_comparing() {
    let bench = Bench::new("");
    let part = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: part}\nspec:\n  retryLimit: 3\n  rules:\n  - {action: Retry, onFailureCategory: [gpu]}\n  - {action: Fail, onExitCodes: {operator: In, values: [1]}}\n";
    bench.sandbox.file("part.yaml", part);
    let run = bench.run("diff -f part.yaml").exits(6);
    assert!(run.stderr.contains("1 error found; nothing was compared"), "{run}");
    assert!(run.stderr.contains("`--accept-differences` to compare what has"), "{run}");
    bench.sandbox.file("bad.yaml", POLICIES.replace("Retry,", "Rerun,"));
    let bad = bench.run("diff -f bad.yaml").exits(3);
    assert!(bad.stderr.contains("2 errors found; nothing was compared"), "{bad}");
    let help = bench.sandbox.run("diff --help").exits(0);
    for run in [run, bad, help] {
        let text = run.to_string().replace("Send credentials", "");
        assert!(
            !text.contains(" sent") && !text.contains("Send") && !text.contains("sends"),
            "{run}"
        );
    }
}

/// The form that servers take is in the help of the commands that send policies.
#[test]
fn the_form_of_servers_is_in_the_help() {
    let sandbox = Sandbox::new();
    for command in ["create", "apply", "update"] {
        let help = sandbox.run(&format!("{command} --help")).exits(0).stdout;
        let words: Vec<&str> = help.split_whitespace().collect();
        let sentence = "Armada's servers of today take policies of the form `v1beta1` alone.";
        assert!(words.join(" ").contains(sentence), "{help}");
    }
}

/// Whoever has two files and no server finds the command that compares them.
#[test]
fn the_help_of_diff_compares_two_files_without_a_server() {
    let sandbox = Sandbox::new();
    sandbox.examples(&["first/policy.yaml", "first/history.jsonl"]);
    let first = sandbox.path().join("first");
    for name in ["old.yaml", "new.yaml"] {
        std::fs::copy(first.join("policy.yaml"), sandbox.path().join(name)).expect("a copy");
    }
    std::fs::copy(first.join("history.jsonl"), sandbox.path().join("failures.jsonl"))
        .expect("a copy");
    let help = sandbox.run("diff --help").exits(0).stdout.replace("\\\n", " ");
    assert!(
        help.contains("All files are compared with the server, and none with another file."),
        "{help}"
    );
    let line = help.lines().find_map(|line| line.trim().strip_prefix("armadactl simulate"));
    let line = format!("simulate{}", line.expect("an example"));
    assert!(sandbox.run(&line).exits(0).stdout.contains("`new` and `given`"), "{line}");
}

/// A policy that needs both flags names both, and losses are listed in the order of their places.
#[test]
fn both_flags_are_named_where_both_are_needed() {
    let bench = Bench::new("");
    let codes = |name: &str| {
        format!(
            "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: {name}}}\nspec:\n  retryLimit: 3\n  rules:\n  - {{action: Retry, onExitCodes: {{operator: In, values: [137]}}}}\n"
        )
    };
    bench.sandbox.file("codes.yaml", [codes("one"), codes("two")].join("---\n"));
    let run = bench.run("apply -f codes.yaml").exits(6);
    let both = run.stderr.contains("--accept-differences") && run.stderr.contains("-no-retries");
    assert!(both, "{run}");
    let form = "help: this server takes policies of the form `v1beta1` alone, as all of Armada's do today; `convert --to \
                v1beta1` prints";
    assert!(run.stderr.contains(form), "{run}");
    let converted = bench.sandbox.run("convert -f codes.yaml --to v1beta1").exits(6);
    for run in [&run, &converted] {
        let lines = run.stderr.lines().filter_map(|line| line.trim_start().strip_prefix("--> "));
        let places = lines.map(|place| {
            let line = place.split(':').nth(1).expect("a line");
            line.parse().expect("a number")
        });
        let places: Vec<u32> = places.collect();
        assert_eq!(places, [1, 7, 9, 15], "{run}");
    }
}

#[test]
fn queues_are_selected_without_a_kind() {
    let bench = filled();
    let cordoned = || bench.held("/v1/queue/ml").get("cordoned").is_some();
    for (line, expected) in [
        ("cordon -l team=ml", true),
        ("uncordon -l team", false),
        ("cordon --all-queues", true),
        ("uncordon --all-queues", false),
    ] {
        assert_eq!(bench.report(line, 0), ["Queue/ml configured cordoned"]);
        assert_eq!(cordoned(), expected, "{line}");
    }
    for (line, words) in [
        (
            "cordon queue ml --all-queues",
            "give either the names of queues or `--all-queues`, not both",
        ),
        ("cordon queue ml -l team=ml", "give either the names of queues or `-l`, not both"),
        ("attach rp infra", "give `--queue NAME`, `-l LABELS` or `--all-queues`"),
        ("detach rp infra", "give `--queue NAME`, `-l LABELS` or `--all-queues`"),
    ] {
        let run = bench.run(line).exits(2);
        assert!(run.stderr.contains(words), "{run}");
    }
    for command in ["cordon", "uncordon"] {
        bench.run(command).exits(2);
        let help = bench.sandbox.run(&format!("{command} --help")).exits(0);
        assert!(help.stdout.contains(&format!("  armadactl {command} --all-queues\n")), "{help}");
    }
}

/// What flags cannot set is not advised to those who use flags.
#[test]
fn notes_on_rights_fit_what_describes_the_queue() {
    let bench = filled();
    let run = bench.run("update queue ml --priority-factor 3").exits(0);
    assert!(!run.stderr.contains("note: rights"), "{run}");
    let run = bench.run("create queue w").exits(0);
    assert!(run.stderr.contains("--owners") && !run.stderr.contains("`permissions`"), "{run}");
    bench.sandbox.file("bare.yaml", QUEUE.replace("userOwners: [alice]\n", ""));
    let run = bench.run("update -f bare.yaml").exits(0);
    assert!(run.stderr.contains("note: rights on the queue `ml`"), "{run}");
}

#[test]
fn a_policy_without_a_limit_is_warned_of_when_it_is_sent() {
    let bench = Bench::new("");
    let warning = "nothing is retried: `retryLimit` is absent";
    assert!(bench.sandbox.run("validate -f policies.yaml").exits(0).to_string().contains(warning));
    for line in [
        "create -f policies.yaml --dry-run client",
        "create -f policies.yaml",
        "apply -f policies.yaml --dry-run server",
        "apply -f policies.yaml",
        "update -f policies.yaml",
    ] {
        let run = bench.run(line).exits(0);
        assert!(run.stderr.contains(&format!("warning[RP040]: {warning}")), "{run}");
    }
    assert_eq!(items(&bench.run("delete -f policies.yaml -o json").exits(0)).len(), 2);
}

#[test]
fn a_second_policy_of_a_queue_is_warned_of() {
    let bench = Bench::new("");
    for (list, words) in [
        ("[gpu]", None),
        ("[gpu, gpu]", None),
        ("[]", None),
        ("[gpu, infra]", Some("`infra` has no effect")),
        ("[gpu, a, b, a]", Some("`a`, `b` have no effect")),
    ] {
        bench.sandbox.file("queue.yaml", QUEUE.replace("[gpu]", list));
        let run = bench.sandbox.run("validate -f queue.yaml").exits(0);
        assert_eq!(run.to_string().contains("RP040"), words.is_some(), "{list}: {run}");
        assert!(words.is_none_or(|words| run.to_string().contains(words)), "{run}");
    }
}
