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
            (true, line) => match (line.strip_prefix("$ "), found.last_mut()) {
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
        assert_eq!(printed(root, &command).trim_end(), expected.trim_end(), "$ {command}");
    }
}

/// What a command of the README prints: `cat FILE`, or `armadactl ..` with or without `| tail -n N`.
fn printed(root: &Path, command: &str) -> String {
    if let Some(file) = command.strip_prefix("cat ") {
        return std::fs::read_to_string(root.join(file)).expect("a file of the repository");
    }
    let (command, lines) = match command.split_once(" | tail -n ") {
        Some((command, lines)) => (command, Some(lines.parse::<usize>().expect("a number"))),
        None => (command, None),
    };
    let words = command.strip_prefix("armadactl ").expect("a command of this program");
    let out = Command::new(assert_cmd::cargo::cargo_bin!("armadactl"))
        .args(words.split_whitespace())
        .current_dir(root)
        .output()
        .expect("the binary runs");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let Some(lines) = lines else { return text };
    let left_out = text.lines().count().saturating_sub(lines);
    text.lines().skip(left_out).map(|line| line.to_owned() + "\n").collect()
}

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
            "cargo run --release -- simulate -f examples/policies --queue-policies infra,ml-training --history examples/ml-training.yaml",
            "cargo test",
        ]
    );
}
