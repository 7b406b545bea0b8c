//! The README's commands are run, and print what it says they print.

use super::consoles::sessions;
use std::path::Path;

#[test]
fn no_line_of_output_is_shown_twice() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("README.md")).expect("a README");
    let mut seen = std::collections::HashSet::new();
    for (command, output) in
        sessions(&text).iter().filter(|(command, _)| !command.starts_with("cat "))
    {
        // Column names come with every table.
        for line in output.lines().filter(|line| line.len() > 30 && !line.starts_with("RUN ")) {
            assert!(seen.insert(line.to_owned()), "$ {command} prints again: {line}");
        }
    }
}

#[test]
fn the_first_screen_installs_and_shows_the_deployed_form() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("README.md")).expect("a README");
    let first: Vec<&str> = text.lines().take(48).collect();
    let at = |part: &str| first.iter().position(|line| line.contains(part)).expect(part);
    assert!(at("cargo install --locked --path .") < at("$ cat examples/first/policy.yaml"));
    assert!(at("armadaproject.io/v1beta1") < at("{\"jobId\": "));
    assert!(at("{\"jobId\": ") < at("$ armadactl simulate -f examples/first/policy.yaml"));
}

#[test]
fn the_readme_begins_with_the_two_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("README.md")).expect("a README");
    let lines: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("    ")).take(2).collect();
    assert_eq!(
        lines,
        [
            "cargo run -- simulate -f examples/policies --queue-policies infra,ml-training --history examples/ml-training.yaml",
            "cargo test",
        ]
    );
}
