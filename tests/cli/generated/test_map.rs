//! `tests/README.md`: which test holds which section of which specification. It is made of the comments of the test
//! files: a line `Holds DOCUMENT SECTION, SECTION; DOCUMENT ..` at the end of `//!` names the sections that a file tests.

use super::held;
use crate::sandbox::root;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::read_to_string;
use std::path::Path;

/// The documents beside `docs/semantics.md`, with their sections. They are the contract of the command line, of reports
/// and of simulated clusters, and no files of this repository.
const CONTRACTS: [(&str, &[&str]); 3] = [
    (
        "cli.md",
        &[
            "Commands",
            "Global flags",
            "Output",
            "Exit codes",
            "Diagnostics",
            "simulate",
            "test",
            "The other systems",
        ],
    ),
    (
        "answer.md",
        &[
            "1. The record is always there",
            "2. Columns and rows",
            "3. Reasons",
            "4. Advice",
            "5. Order and length, in the terminal",
            "6. JSON",
            "7. Writers",
        ],
    ),
    (
        "cluster.md",
        &[
            "1. The command",
            "2. Inputs",
            "3. Time and order",
            "4. One round",
            "5. What fails",
            "6. What a retry does",
            "7. The answer",
        ],
    ),
];

/// A file of tests.
struct TestFile {
    /// Its path in the repository.
    path: String,
    /// The first sentence of its comment.
    title: String,
    /// The documents and sections that it holds.
    holds: Vec<(String, String)>,
}

fn test_file(path: &Path) -> Option<TestFile> {
    let text = read_to_string(path).unwrap();
    let lines: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//!")).collect();
    let comment: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    let first: Vec<&str> = comment.iter().take_while(|line| !line.is_empty()).copied().collect();
    let sentence = first.join(" ");
    let title = sentence.split_once(". ").map_or(sentence.trim_end_matches('.'), |(one, _)| one);
    let mut holds = Vec::new();
    let line = comment.iter().find_map(|line| line.strip_prefix("Holds "));
    for part in line.into_iter().flat_map(|line| line.trim_end_matches('.').split("; ")) {
        let (document, sections) = part.split_once(' ').expect("a document and its sections");
        let pairs = sections.split(", ").map(|section| (document.to_owned(), section.to_owned()));
        holds.extend(pairs);
    }
    let is_in_tests = path.starts_with(root().join("tests"));
    let has_tests = ["#[test]", "Trial::", "Result<(), String>"].iter().any(|it| text.contains(it));
    (!holds.is_empty() || is_in_tests && has_tests).then(|| TestFile {
        path: path.strip_prefix(root()).unwrap().display().to_string(),
        title: title.replace('|', "\\|"),
        holds,
    })
}

fn test_files() -> Vec<TestFile> {
    let folders = ["tests/*/**/*.rs", "crates/*/src/**/*.rs", "src/**/*.rs"];
    let paths = folders.iter().flat_map(|folder| {
        glob::glob(root().join(folder).to_str().unwrap()).unwrap().map(Result::unwrap)
    });
    paths.filter_map(|path| test_file(&path)).collect()
}

/// The number of a section, or its title if it has none.
fn key(section: &str) -> &str {
    section.split_once(". ").map_or(section, |(number, _)| number)
}

/// The documents and their sections, in order.
fn documents() -> Vec<(&'static str, Vec<String>)> {
    let semantics = read_to_string(root().join("docs/semantics.md")).unwrap();
    let sections = semantics.lines().filter_map(|line| line.strip_prefix("## "));
    let semantics = ("semantics.md", sections.map(str::to_owned).collect());
    let contracts = CONTRACTS.map(|(name, sections)| {
        (name, sections.iter().map(|section| (*section).to_owned()).collect())
    });
    [semantics].into_iter().chain(contracts).collect()
}

#[test]
fn the_map_of_tests_is_that_of_their_comments() {
    let files = test_files();
    let mut holders: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for file in &files {
        let name = file.path.strip_prefix("tests/").unwrap_or(&file.path);
        let prefix = if name.len() < file.path.len() { "" } else { "../" };
        for holds in &file.holds {
            let link = format!("[{name}]({prefix}{name})");
            holders.entry(holds.clone()).or_default().push(link);
        }
    }
    let (mut tables, mut untested) = (String::new(), String::new());
    for (document, sections) in documents() {
        let _ = write!(tables, "\n## {document}\n\n| section | files |\n|---|---|\n");
        for section in sections {
            match holders.remove(&(document.to_owned(), key(&section).to_owned())) {
                Some(links) => _ = writeln!(tables, "| {section} | {} |", links.join(", ")),
                None => _ = writeln!(untested, "- {document}, {section}"),
            }
        }
    }
    assert!(holders.is_empty(), "unknown sections: {holders:?}");
    let mut text = HEAD.to_owned() + &tables;
    let _ = write!(text, "\n## Sections that no file names\n\n{untested}");
    text += "\n## Files\n\n| file | tests |\n|---|---|\n";
    for file in files.iter().filter(|file| file.path.starts_with("tests/")) {
        let name = &file.path["tests/".len()..];
        let _ = writeln!(text, "| [{name}]({name}) | {} |", file.title);
    }
    held("tests/README.md", &text);
}

/// How the tests are divided.
const HEAD: &str = "\
# Tests

Which test holds which section of which specification. [semantics.md](../docs/semantics.md) is in this repository; cli.md, answer.md and
cluster.md are the contracts of the command line, of reports and of simulated clusters. This page is made of the comments of the test files
(`UPDATE_GENERATED=1 cargo test --test cli generated`): a line `Holds DOCUMENT SECTION, ..` at the end of a file's `//!` names the sections
that it tests. Unit tests are beside the code; of those, the map has the files with such a line.

| folder | tests |
|---|---|
| `cli` | the program as people and scripts use it: whole outputs, in snapshots |
| `fixtures` | files of `testdata`, `examples` and `docs`: each case is a test with a name, which runs the program |
| `vectors` | cases from other projects' tests: each is a test with a name |
| `properties` | random inputs against independent second opinions |
| `oracle` | the naive evaluator that `properties` compares with, and its own tests |
| `rounds` | rounds of Armada's scheduler against a naive second implementation |

    cargo test -- --list                                      # all names
    cargo test --test fixtures lints/RP110/                   # the cases of a folder
    cargo test --test vectors -- --exact k8s-job/job-001      # one case
";
