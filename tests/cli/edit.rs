//! `edit`, with editors that are scripts.
//!
//! Holds cli.md Commands.
#![cfg(unix)]

use super::resources::{Bench, items};
use super::sandbox::Run;

/// Edits the policy `gpu` with this script, which gets the file as `$1`.
fn edit(bench: &Bench, script: &str, more: &str) -> Run {
    bench.sandbox.file("editor.sh", script);
    let address = bench.server.address;
    let line = format!("edit retrypolicy gpu {more} --armada-rest-url http://{address}");
    bench.sandbox.run_with(&line, |command| {
        _ = command.env("EDITOR", "sh editor.sh").env("TMPDIR", bench.sandbox.path());
    })
}

fn drafts(bench: &Bench) -> Vec<String> {
    let names = std::fs::read_dir(bench.sandbox.path()).unwrap().flatten();
    let names = names.map(|entry| entry.file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("armadactl-edit-")).collect()
}

fn bench() -> Bench {
    let bench = Bench::new("");
    bench.run("apply -f policies.yaml").exits(0);
    bench
}

#[test]
fn what_is_edited_is_sent() {
    let bench = bench();
    let run = edit(&bench, "sed -i 's/retryLimit: 3/retryLimit: 7/' \"$1\"", "-o json").exits(0);
    assert_eq!(items(&run), ["RetryPolicy/gpu configured retryLimit"]);
    assert_eq!(bench.held("/v1/retry-policy/gpu")["retryLimit"], 7);
    let run = edit(&bench, "true", "").exits(0);
    assert!(run.stderr.contains("nothing was changed"), "{run}");
    let run = edit(&bench, "echo '# a word' >> \"$1\"", "-o json").exits(0);
    assert_eq!(items(&run), ["RetryPolicy/gpu unchanged"]);
    assert!(drafts(&bench).is_empty(), "{:?}", drafts(&bench));
    bench.run("edit retrypolicy missing").exits(5);
    edit(&bench, "sed -i 's/retryLimit: 7/retryLimit: 9/' \"$1\"", "--dry-run server").exits(0);
    edit(&bench, "true", "--dry-run client").exits(2);
    assert_eq!(bench.held("/v1/retry-policy/gpu")["retryLimit"], 7);
}

#[test]
fn what_is_not_valid_is_kept() {
    let bench = bench();
    let run = edit(&bench, "sed -i 's/Retry$/Rerun/' \"$1\"", "").exits(3);
    assert!(run.stderr.contains("Rerun"), "{run}");
    let kept = drafts(&bench);
    assert_eq!(kept.len(), 1);
    assert!(
        run.stderr.contains(&format!(
            "your text is kept in {}",
            bench.sandbox.path().join(&kept[0]).display()
        )),
        "{run}"
    );
    assert_eq!(bench.held("/v1/retry-policy/gpu")["rules"][0]["action"], "Retry");
    edit(&bench, "sed -i 's/name: gpu/name: cpu/' \"$1\"", "").exits(3);
    edit(&bench, "exit 1", "").exits(3);
}

#[test]
fn what_was_changed_meanwhile_is_not_overwritten() {
    let bench = bench();
    let (binary, address) = (env!("CARGO_BIN_EXE_armadactl"), bench.server.address);
    bench
        .sandbox
        .file("other.yaml", super::resources::POLICIES.replace("retryLimit: 3", "retryLimit: 4"));
    let script = format!(
        "{binary} apply -f other.yaml --armada-rest-url http://{address}\nsed -i 's/retryLimit: 3/retryLimit: 7/' \"$1\""
    );
    let run = edit(&bench, &script, "").exits(6);
    assert!(run.stderr.contains("was changed while it was edited"), "{run}");
    assert!(run.stderr.contains("your text is kept in"), "{run}");
    assert_eq!(bench.held("/v1/retry-policy/gpu")["retryLimit"], 4);
    assert_eq!(drafts(&bench).len(), 1);
}
