//! The README's commands are run, and print what it says they print.

use std::path::Path;
use std::process::Command;

/// The commands of the `console` fences with what they print.
fn sessions(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) => match (line.strip_prefix("$ armadactl "), found.last_mut()) {
                (Some(command), _) => found.push((command.to_owned(), String::new())),
                (None, Some((_, output))) => *output += &format!("{line}\n"),
                (None, None) => panic!("output before a command: {line}"),
            },
            (false, _) => {}
        }
    }
    found
}

#[test]
fn every_command_in_the_readme_prints_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("README.md")).expect("a README");
    let sessions = sessions(&text);
    assert!(sessions.len() >= 4, "the README shows {} commands", sessions.len());
    for (command, expected) in sessions {
        let out = Command::new(assert_cmd::cargo::cargo_bin!("armadactl"))
            .args(command.split_whitespace())
            .current_dir(root)
            .output()
            .expect("the binary runs");
        let printed = String::from_utf8_lossy(&out.stdout);
        assert_eq!(printed.trim_end(), expected.trim_end(), "$ armadactl {command}");
    }
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
            "cargo run --release -- simulate -f examples/policies --queue-policies infra,ml-training --history examples/ml-training.yaml",
            "cargo test",
        ]
    );
}
