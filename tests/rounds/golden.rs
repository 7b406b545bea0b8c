//! The naive round against the answers of Armada's own code.
//!
//! Holds cluster.md 4.

use crate::compare::{differences, expected};
use crate::oracle::round;
use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

fn cases(name: &str) -> impl Iterator<Item = Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/vectors/scheduler");
    let file = File::open(folder.join(format!("{name}.jsonl.gz"))).expect("the golden rounds");
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    lines.map(|line| serde_json::from_str(&line.expect("a line")).expect("a case"))
}

#[test]
fn the_naive_round_agrees_with_the_golden_rounds() {
    let mut count = 0;
    let mut failures = Vec::new();
    for case in cases("rounds") {
        count += 1;
        let outcome = round::run(&case["in"]);
        if let Some(difference) = differences(&outcome, &expected(&case["out"])) {
            failures.push(format!("{}: {difference}", case["name"]));
        }
    }
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
    assert!(count > 1900, "only {count} rounds");
}

#[test]
fn the_naive_round_agrees_with_the_golden_rounds_of_floating_resources_and_away_nodes() {
    for (name, expected_count) in [("rounds_floating", 100), ("rounds_away", 88)] {
        let mut count = 0;
        for case in cases(name) {
            count += 1;
            let outcome = round::run(&case["in"]);
            assert_eq!(differences(&outcome, &expected(&case["out"])), None, "{}", case["name"]);
        }
        assert_eq!(count, expected_count, "{name}");
    }
}

#[test]
fn the_naive_round_gives_an_answer_of_each_golden_round_with_several() {
    for case in cases("rounds_any") {
        let outcome = round::run(&case["in"]);
        let answers = case["outAny"].as_array().expect("answers");
        let all: Option<Vec<String>> =
            answers.iter().map(|answer| differences(&outcome, &expected(answer))).collect();
        assert_eq!(all, None, "{}", case["name"]);
    }
}
