//! The commands that need no input, and command lines that make no sense.
//!
//! Holds cli.md Commands, Global flags.

use super::sandbox::{Run, Sandbox, snapshot};

fn run(line: &str) -> Run {
    Sandbox::new().run(line)
}

#[test]
fn version() {
    snapshot!("version", run("version").exits(0));
    snapshot!("version_json", run("version -o json").exits(0));
    assert_eq!(run("--version").exits(0).stdout, run("version").stdout);
}

#[test]
fn help() {
    snapshot!("help_exit_codes", run("help exit-codes").exits(0));
    snapshot!("help", run("--help").exits(0));
    snapshot!("help_global", run("help global").exits(0));
    snapshot!("help_delete", run("delete --help").exits(0));
    snapshot!("help_delete_short", run("delete -h").exits(0));
    assert_eq!(run("help").exits(0).stdout, run("--help").stdout);
    assert_eq!(run("help simulate").exits(0).stdout, run("simulate --help").stdout);
    assert_eq!(run("help explain decision").exits(0).stdout, run("explain decision --help").stdout);
    snapshot!("help_unknown", run("help simulat").exits(2));
}

#[test]
fn help_has_the_texts_of_the_arguments_and_fits_a_narrow_terminal() {
    for (command, part) in [
        ("get", "Examples:\n  # List all policies"),
        ("explain", "armadactl explain decision -f"),
        ("simulate", "Each failed run of the history"),
        ("validate", "3  a document has an error"),
        ("attach", "attach retrypolicy infra ml-training --queue ml"),
        ("completion", "Files:\n"),
        ("man", "man -l -"),
        ("config", "armadactl-defaults.yaml"),
        ("", "an environment variable"),
    ] {
        let page = run(&format!("{command} --help")).exits(0).stdout;
        assert!(page.contains(part), "{command}: {page}");
        let narrow = Sandbox::new()
            .run_with(&format!("{command} --help"), |c| _ = c.env("COLUMNS", "60"))
            .exits(0)
            .stdout;
        let is_usage = |line: &str| line.starts_with("Usage:") || line.contains(" armadactl ");
        for line in narrow.lines().filter(|line| !is_usage(line)) {
            let is_one_word = !line.trim().contains(' ');
            assert!(line.chars().count() <= 60 || is_one_word, "{command}: {line}");
        }
    }
}

#[test]
fn every_shell_gets_a_completion_script() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&format!("completion {shell}")).exits(0);
        for word in ["simulate", "queue-policies", "on-bad-record"] {
            assert!(script.stdout.contains(word), "{shell} knows {word}");
        }
        assert_eq!(script.stderr, "");
    }
    snapshot!("completion_unknown", run("completion tcsh").exits(2));
}

#[test]
fn every_command_has_a_page() {
    for words in ["", "simulate", "validate", "explain", "explain decision", "help", "man"] {
        let page = run(&format!("man {words}")).exits(0);
        let title = format!("armadactl {words}").trim().replace(' ', "-").to_uppercase();
        assert!(
            page.stdout.contains(&format!(".TH {title} 1")),
            "{words}: {}",
            &page.stdout[..200]
        );
        assert!(page.stdout.contains(".SH SYNOPSIS"));
    }
    snapshot!("man_unknown", run("man nothing").exits(2));
}

#[test]
fn pages_have_their_sections_in_order() {
    let sections = |words: &str| -> Vec<String> {
        let page = run(&format!("man {words}")).exits(0).stdout;
        page.lines().filter_map(|line| line.strip_prefix(".SH ").map(str::to_owned)).collect()
    };
    let start = ["NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES"];
    let end = ["OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"];
    for words in ["cordon", "create queue", "get", "serve"] {
        assert_eq!(sections(words), [&start[..], &end].concat(), "{words}");
    }
    for words in ["", "create", "config"] {
        assert_eq!(sections(words), [&start[..], &["COMMANDS"], &end].concat(), "{words}");
    }
    snapshot!("man_cordon", run("man cordon").exits(0));
    snapshot!("man_global", run("man global").exits(0));
}

#[test]
fn global_options_are_on_one_page() {
    let global = run("help global").exits(0).stdout;
    for flag in ["--output", "--color", "--context", "--armada-rest-url", "--verbose"] {
        assert!(global.contains(&format!("{flag} ")) || global.contains(&format!("{flag}\n")));
        for line in ["--help", "-h", "get --help", "get -h", "delete queue --help", "man get"] {
            let page = run(line).exits(0).stdout;
            let listed = |line: &str| line.trim_start().contains(&format!("{flag} <"));
            assert!(!page.lines().any(listed), "{line}: {page}");
        }
    }
    for line in ["--help", "-h", "get --help", "get -h", "delete queue --help"] {
        let page = run(line).exits(0).stdout;
        assert!(page.contains("`armadactl help global`"), "{line}: {page}");
    }
}

#[test]
fn unknown_commands() {
    snapshot!("unknown_command", run("simulte -f x").exits(2));
    snapshot!("no_command", run("").exits(2));
}

#[test]
fn commands_of_armada_s_own_tool() {
    snapshot!("armadas_own", run("submit job.yaml").exits(2));
    for word in ["cancel", "preempt", "reprioritize", "scheduling-report", "queue-report"] {
        let refused = run(word).exits(2);
        assert!(refused.stderr.contains("Armada's own armadactl"), "{refused}");
        assert_eq!(refused.stdout, "");
    }
}

#[test]
fn bad_flags() {
    snapshot!("bad_flag", run("simulate --histroy h.yaml").exits(2));
    snapshot!("missing_flags", run("simulate").exits(2));
    snapshot!("bad_value", run("simulate -f p --history h --assume maybe").exits(2));
    snapshot!("bad_number", run("simulate -f p --history h --threads 0").exits(2));
    snapshot!("output_html", run("validate -f p -o html").exits(2));
    let by_environment = Sandbox::new()
        .run_with("version", |command| _ = command.env("ARMADACTL_OUTPUT", "html"))
        .exits(2);
    assert!(by_environment.stderr.contains("table, json, yaml"), "{by_environment}");
    snapshot!("output_name", run("simulate -f p --history h -o name").exits(2));
}
