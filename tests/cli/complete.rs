//! Completion of names that a server or a file holds: right, in time, and silent.
//!
//! Holds cli.md Commands.

use super::get::{on, serving};
use super::quirks::{Fake, Piece, answer, chunked};
use super::sandbox::{Run, Sandbox};
use std::time::{Duration, Instant};

/// What a word may become.
fn offered(run: &Run) -> Vec<&str> {
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run}");
    run.stdout.lines().collect()
}

#[test]
fn names_are_those_of_the_server() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    let ask = |line: &str| on(&sandbox, &server, &format!("__complete -- {line}"));
    for (line, names) in [
        ("get rp m", &["ml-training"][..]),
        ("get queue/w", &["queue/web"]),
        ("attach rp infra --queue m", &["ml"]),
        ("cordon queue ml t", &["test"]),
        ("attach rp infra inf", &[]),
        ("get q", &["queue"]),
        ("explain retrypolicy.rules.onE", &["retrypolicy.rules.onExitCodes"]),
        (
            "explain RP00",
            &["RP001", "RP002", "RP003", "RP004", "RP005", "RP006", "RP007", "RP008", "RP009"],
        ),
        ("explain d", &["decision", "disruptions", "disruptiontable"]),
        ("simulate x", &[]),
        ("create q", &["queue"]),
        ("help s", &["simulate", "serve"]),
        ("man exp", &["explain"]),
        ("help ex", &["explain", "exit-codes"]),
        ("help explain d", &["decision", "disruptions"]),
        ("man config use", &["use-context"]),
        ("help l", &["lint", "login", "logout"]),
        ("help gl", &["global"]),
        ("man gl", &["global"]),
        ("completion z", &["zsh"]),
    ] {
        assert_eq!(offered(&ask(line)), names, "{line}");
    }
    let explained = sandbox.run_with("__complete -- explain", |command| {
        command.arg("");
    });
    assert!(offered(&explained).starts_with(&["budget", "category"]), "{explained}");
    let url = format!("http://{}", server.address);
    let flagged = sandbox.run(&format!("__complete -- get --armada-rest-url {url} queue w"));
    assert_eq!(offered(&flagged), ["web"]);
}

#[test]
fn contexts_are_those_of_the_file() {
    let sandbox = Sandbox::new();
    sandbox.file(".armadactl.yaml", "contexts: {dev: {}, prod: {}}\n");
    assert_eq!(offered(&sandbox.run("__complete -- config use-context p")), ["prod"]);
    assert_eq!(offered(&sandbox.run("__complete -- get rp -c d")), ["dev"]);
    sandbox.file(".armadactl.yaml", "{ this is no config");
    assert!(offered(&sandbox.run("__complete -- get rp -c d")).is_empty());
    assert!(offered(&sandbox.run("__complete -- get rp d")).is_empty());
}

#[test]
fn a_slow_server_or_none_is_not_waited_for() {
    let slow = Fake::new(vec![vec![Piece::Silence(20_000)]]);
    let busy = Fake::new(vec![answer(503, &["Retry-After: 1"], "")]);
    for url in
        [slow.url(), busy.url(), "http://127.0.0.1:1".to_owned(), "http://192.0.2.1".to_owned()]
    {
        // Other tests want the processor too: the best of some is what it can do.
        let best = (0..5).map(|_| {
            let begun = Instant::now();
            let run =
                Sandbox::new().run(&format!("__complete -- get --armada-rest-url {url} queue x"));
            assert!(offered(&run).is_empty(), "{run}");
            begun.elapsed()
        });
        let best = best.min().unwrap();
        assert!(best < Duration::from_millis(300), "{url}: {best:?}");
    }
}

#[test]
fn what_came_in_time_is_offered_unless_a_shell_could_run_it() {
    let line = |name: &str| {
        format!("{{\"result\":{{\"Event\":{{\"queue\":{{\"name\":\"{name}\"}}}}}}}}\n")
    };
    let lines: Vec<String> =
        ["good", "$(reboot)", "a b", "x;y", "-rf", "\\u001b[2J", "`id`"].map(line).into();
    let chunks: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut script = chunked(&chunks, false);
    script.push(Piece::Silence(20_000));
    let fake = Fake::new(vec![script]);
    let line = format!("__complete -- get --armada-rest-url {} queue ", fake.url());
    let run = Sandbox::new().run_with("", |command| {
        command.args(line.split(' '));
    });
    assert_eq!(offered(&run), ["good"]);
}

#[cfg(unix)]
#[test]
fn no_interactive_program_is_run() {
    let fake = Fake::new(vec![answer(200, &[], "{}")]);
    let sandbox = Sandbox::new();
    let url = fake.url();
    let config = |interactive: &str| {
        format!(
            "armadaRestUrl: {url}\nexecAuth: {{cmd: sh, args: [-c, 'echo run >> runs; echo t'], interactive: {interactive}}}\n"
        )
    };
    sandbox.file(".armadactl.yaml", config("true"));
    assert!(offered(&sandbox.run("__complete -- get rp x")).is_empty());
    assert!(!sandbox.path().join("runs").exists());
    assert!(fake.requests().is_empty());
}

#[test]
fn fish_takes_a_flag_that_waits_for_its_value() {
    let script = Sandbox::new().run("completion fish").exits(0).stdout;
    // clap's script gives up on `armadactl --color <TAB>`, whose last flag has no value.
    let parse = "argparse -s (__fish_armadactl_global_optspecs) -- $cmd 2>/dev/null\n";
    let again =
        "    or argparse -s (__fish_armadactl_global_optspecs) -- $cmd[1..-2] 2>/dev/null\n";
    assert!(script.contains(&format!("{parse}{again}    or return\n")), "{script}");
    for values in ["-l output ", "-l color ", "-l to "] {
        let mut lines = script.lines();
        assert!(lines.any(|line| line.contains(values) && line.contains(" -r -f -a ")), "{values}");
    }
}

#[cfg(unix)]
#[test]
fn bash_completes_them() {
    let sandbox = Sandbox::new();
    let server = serving(&sandbox);
    sandbox.file("script", sandbox.run("completion bash").exits(0).stdout);
    let binary = assert_cmd::cargo::cargo_bin!("armadactl");
    let complete = |words: &str| {
        let text = format!(
            "source ./script; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n\
             _armadactl \"$0\" \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let mut bash = std::process::Command::new("bash");
        bash.args(["-c", &text]).arg(binary).current_dir(sandbox.path());
        bash.env("ARMADACTL_ARMADA_REST_URL", format!("http://{}", server.address));
        let output = bash.output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(complete("\"$0\" get queue ''"), "ml\ntest\nweb\n");
    assert_eq!(complete("\"$0\" get queue --sel"), "--selector\n");
    assert_eq!(complete("\"$0\" unc"), "uncordon\n");
    assert_eq!(complete("\"$0\" help val"), "validate\n");
    assert_eq!(complete("\"$0\" man config v"), "view\n");
    assert_eq!(complete("\"$0\" get -o y"), "yaml\n");
}

/// A limit of `--sweep` is one of the policies on the line, each item of their lists included.
#[test]
fn limits_of_a_sweep_are_those_of_the_files() {
    let sandbox = Sandbox::with_examples();
    sandbox.examples(&["job/per-index.yaml", "jobset/restart-jobset.yaml"]);
    let limits = |line: &str| {
        let run = sandbox.run(&format!("__complete -- simulate {line}"));
        offered(&run).into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(limits("-f job/per-index.yaml --sweep max"), ["maxFailedIndexes="]);
    let set = "-f jobset/restart-jobset.yaml --sweep";
    assert_eq!(limits(&format!("{set} max")), ["maxRestarts=", "maxFailedIndexes="]);
    assert!(
        limits(&format!("{set} rep")).contains(&"replicatedJobs[workers].backoffLimit=".to_owned())
    );
    let rules = limits("-f policies --sweep infra.");
    assert!(rules.contains(&"infra.rules[0].retryLimit=".to_owned()), "{rules:?}");
    assert!(rules.contains(&"infra.retryLimit=".to_owned()), "{rules:?}");
    // Without files, those of all systems.
    assert_eq!(limits("--sweep globalM"), ["globalMaxRetries="]);
    assert_eq!(limits("--sweep max_retries_f"), ["max_retries_failure="]);
    assert!(limits("-f job/per-index.yaml --sweep backoffLimit=").is_empty());
}
