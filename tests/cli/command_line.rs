//! Command lines that are refused, and what they suggest; the words for a kind of resource; the form
//! that the environment names.

use super::get::{on, serving};
use super::sandbox::{Run, Sandbox};

fn run(line: &str) -> Run {
    Sandbox::new().run(line)
}

/// The planned commands and flags of the contract.
const PLANNED: [&str; 3] =
    ["compare old new", "watch queue set", "simulate -f p --history h --report junit=x"];

#[test]
fn planned_commands_and_flags_are_not_available() {
    for line in PLANNED {
        let refused = run(line).exits(2);
        assert!(refused.stderr.contains(" is not available in this version\n"), "{refused}");
        assert!(!refused.stderr.contains("similar"), "{refused}");
        assert_eq!(refused.stdout, "");
    }
    for line in ["help compare", "man watch"] {
        let refused = run(line).exits(2);
        assert!(refused.stderr.contains(" is not available in this version\n"), "{refused}");
    }
    let report = run("-o json compare x y").exits(2).json();
    assert_eq!(report["message"], "`compare` is not available in this version");
}

#[test]
fn planned_commands_are_in_no_help_and_no_completion() {
    let help = run("--help").exits(0).stdout + &run("help simulate").exits(0).stdout;
    let commands: Vec<&str> =
        help.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    for word in ["compare", "watch"] {
        assert!(!commands.contains(&word), "{word}");
        for (shell, case) in [
            ("bash", format!("armadactl,{word})")),
            ("zsh", format!("({word})")),
            ("fish", format!("-a \"{word}\"")),
        ] {
            let script = run(&format!("completion {shell}")).exits(0).stdout;
            assert!(script.contains(&case.replace(word, "validate")), "{shell}");
            assert!(!script.contains(&case), "{shell} {word}");
        }
    }
}

#[test]
fn a_tip_names_what_is_a_few_letters_away() {
    for (line, tip) in [
        ("simulte -f x", "subcommand exists: 'simulate'"),
        ("create retrypolcy -f x", "subcommand exists: 'retrypolicy'"),
        ("simulate --histroy h", "argument exists: '--history'"),
        ("get rp --no-header", "argument exists: '--no-headers'"),
        ("--exit-code simulate -f x", "write `--exit-code` after `simulate`"),
        ("simulate -f p --history h --assume fial", "value exists: 'fail'"),
    ] {
        let refused = run(line).exits(2);
        assert!(refused.stderr.contains(tip), "{refused}");
    }
    for line in [
        "delete --all",
        "delete rp --all",
        "get rp --nme",
        "drop x",
        "simulate --file x",
        "validate --strict -f x",
        "completion tcsh",
    ] {
        let refused = run(line).exits(2);
        assert!(!refused.stderr.contains("tip:"), "{refused}");
        assert!(!refused.stderr.contains("--allow-insecure-auth"), "{refused}");
    }
}

#[test]
fn refused_lines_have_the_form_of_other_errors() {
    let json = run("--error-format json simulate --histroy x").exits(2);
    let value: serde_json::Value = serde_json::from_str(&json.stderr).unwrap();
    assert_eq!(value["message"], "unexpected argument '--histroy' found");
    assert_eq!(value["help"], "a similar argument exists: '--history'");
    let short = run("simulate --histroy x --error-format=short").exits(2);
    assert!(short.stderr.starts_with("error: unexpected argument"), "{short}");
    assert_eq!(short.stderr.lines().count(), 1);
    let hostile = Sandbox::new()
        .run_with("version", |command| _ = command.env("ARMADACTL_COLOR", "\u{1b}[2J\u{202e}"))
        .exits(2);
    assert!(hostile.stderr.contains("invalid value '\\u{1b}[2J\\u{202e}'"), "{hostile}");
    let hostile = Sandbox::new()
        .run_with("version", |command| _ = command.arg("--n\u{9b}2J\u{2066}"))
        .exits(2);
    assert!(hostile.stderr.contains("'--n\\u{9b}2J\\u{2066}' found"), "{hostile}");
}

#[test]
fn every_word_for_a_kind_works_with_every_command() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    sandbox.file(
        "p.yaml",
        "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: new\nretryLimit: 1\ndefaultAction: Fail\nrules: [{action: Retry, onCategory: a}]\n",
    );
    let on = |line: &str| on(&sandbox, &server, line).exits(0);
    for word in ["retrypolicy", "retry-policy", "retrypolicies", "retry-policies", "rp"] {
        on(&format!("create {word} -f p.yaml --dry-run client"));
        on(&format!("get {word} infra"));
        on(&format!("attach {word} infra --queue test --dry-run server"));
        on(&format!("detach {word} infra --queue ml --dry-run server"));
        on(&format!("delete {word} infra --detach --dry-run server"));
        on(&format!("create {word} -f p.yaml"));
        on(&format!("update {word} -f p.yaml"));
        on(&format!("delete {word} new"));
        let edit = sandbox.run(&format!("edit {word} infra --armada-rest-url http://127.0.0.1:1"));
        assert!(!edit.stderr.contains("kind of resource"), "{edit}");
    }
    for word in ["queue", "queues"] {
        on(&format!("create {word} new"));
        on(&format!("update {word} new --priority-factor 2"));
        on(&format!("get {word} new"));
        on(&format!("cordon {word} new"));
        on(&format!("delete {word} new"));
    }
}

#[test]
fn a_form_from_the_environment_is_a_wish_and_a_flag_is_an_order() {
    let sandbox = Sandbox::with_examples();
    let wishing = |form: &str, line: &str| {
        sandbox.run_with(line, |command| _ = command.env("ARMADACTL_OUTPUT", form))
    };
    let table = sandbox.run("explain queue").exits(0).stdout;
    assert_eq!(wishing("json", "explain queue").exits(0).stdout, table);
    let version = sandbox.run("version").exits(0).stdout;
    assert_eq!(wishing("wide", "version").exits(0).stdout, version);
    let script = sandbox.run("completion bash").exits(0).stdout;
    assert_eq!(wishing("yaml", "completion bash").exits(0).stdout, script);
    let policy = "convert -f policies/infra.yaml --to v1";
    let yaml = sandbox.run(policy).exits(0).stdout;
    assert_eq!(wishing("table", policy).exits(0).stdout, yaml);
    assert_eq!(wishing("json", "version").exits(0).json()["kind"], "Version");
    // Both set: the flag counts, and an impossible one is refused.
    for line in
        ["version -o wide", "explain queue -o json", "-o json completion bash", "man -oyaml"]
    {
        let refused = wishing("table", line).exits(2);
        assert!(refused.stderr.contains("cannot print"), "{refused}");
    }
    // A word that is no form of any command is a mistake, wherever it comes from.
    wishing("html", "version").exits(2);
}
