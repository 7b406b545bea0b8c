//! The fuzz targets' corpora, through the targets' own code: whatever was found once stays found,
//! without a fuzzer at hand.

use std::path::Path;

#[path = "../../fuzz/bodies.rs"]
mod bodies;
#[path = "../../fuzz/bodies/cluster.rs"]
pub(crate) mod cluster;
#[path = "../../fuzz/bodies/disruptions.rs"]
mod disruptions;
#[path = "../../fuzz/bodies/executor.rs"]
mod executor;
#[path = "../../fuzz/bodies/findings.rs"]
mod findings;
#[path = "../../fuzz/bodies/line.rs"]
mod line;
#[path = "../../fuzz/bodies/lint.rs"]
mod lint;
#[path = "../../fuzz/bodies/partial.rs"]
mod partial;
#[path = "../../fuzz/bodies/unit_test.rs"]
mod unit_test;

/// Runs a body over each file of a target's corpus, and says how many there were.
fn replay(target: &str, mut body: impl FnMut(&str)) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let entries = std::fs::read_dir(&folder).expect("the corpus can be listed");
    let mut count = 0;
    for path in entries.map(|entry| entry.unwrap().path()) {
        let bytes = std::fs::read(&path).unwrap();
        // A target that takes text is not given anything else.
        if let Ok(text) = std::str::from_utf8(&bytes) {
            body(text);
            count += 1;
        }
    }
    count
}

#[test]
fn no_pattern_of_the_corpus_panics() {
    assert!(replay("pattern", bodies::pattern) >= 40);
}

#[test]
fn no_policy_of_the_corpus_panics_or_reads_otherwise_once_printed() {
    assert!(replay("policy", bodies::policy) >= 160);
}

#[test]
fn no_inputs_of_a_simulation_in_the_corpus_panic_or_run_on() {
    let mut simulated = 0;
    let count = replay("cluster", |text| simulated += usize::from(cluster::cluster(text)));
    assert!(count >= 20 && simulated >= 10, "{simulated} of {count}");
}

/// The files of the corpus, and copies with a few changed bytes each: `PARTIAL_ROUNDS` of them, or 40.
#[test]
fn no_partial_summary_of_the_corpus_panics_or_is_read_otherwise() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/partial");
    let entries = std::fs::read_dir(folder).expect("the corpus can be listed");
    let inputs = entries.map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
    let rounds = std::env::var("PARTIAL_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    let (mut count, mut random) = (0, 1_u64);
    for input in inputs {
        partial::partial(&input);
        count += 1;
        for _ in 0..rounds.unwrap_or(40) {
            let mut changed = input.clone();
            for _ in 0..random % 4 {
                // An xorshift generator.
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let place = usize::try_from(random >> 16).unwrap() % changed.len().max(1);
                if let Some(byte) = changed.get_mut(place) {
                    *byte = [0, 1, 0xff, random.to_le_bytes()[0]][place % 4];
                }
            }
            random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
            partial::partial(&changed);
        }
    }
    assert!(count >= 8);
}

#[test]
fn no_state_of_the_corpus_panics_or_loses_a_job() {
    let mut explained = 0;
    let count = replay("state", |text| explained += usize::from(cluster::state(text)));
    assert!(count >= 18 && explained >= 12, "{explained} of {count}");
}

#[test]
fn both_paths_read_the_lines_of_the_corpus_alike() {
    let mut records = 0;
    let count = replay("line", |text| records += usize::from(line::line(text)));
    assert!(count >= 40 && records >= 10, "{records} of {count}");
}

#[test]
fn no_executor_configuration_of_the_corpus_panics() {
    let mut started = 0;
    let count = replay("executor", |text| started += usize::from(executor::executor(text)));
    assert!(count >= 20 && started >= 10, "{started} of {count}");
}

#[test]
fn no_tests_of_policies_in_the_corpus_panic() {
    let mut tests = 0;
    let count = replay("unit_test", |text| tests += unit_test::unit_test(text));
    assert!(count >= 20 && tests >= 30, "{tests} in {count}");
}

#[test]
fn no_linted_texts_of_the_corpus_panic_or_lose_a_finding() {
    let mut findings = 0;
    let count = replay("lint", |text| findings += lint::lint_texts(text));
    assert!(count >= 60 && findings >= 60, "{findings} in {count}");
}

#[test]
fn no_table_of_disruptions_of_the_corpus_panics() {
    let mut valid = 0;
    let count = replay("disruptions", |text| valid += usize::from(disruptions::disruptions(text)));
    assert!(count >= 25 && valid >= 8, "{valid} of {count}");
}
