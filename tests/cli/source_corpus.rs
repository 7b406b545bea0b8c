//! The seeds of the fuzz target `source`, on the stable compiler, and the fixtures cut off anywhere.

#[path = "../../fuzz/bodies/source.rs"]
mod source;

use super::sandbox::root;
use std::path::PathBuf;

fn files(folder: PathBuf) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

#[test]
fn no_seed_panics() {
    let seeds = files(root().join("fuzz/corpus/source"));
    assert!(seeds.len() >= 35, "{}", seeds.len());
    for seed in seeds {
        source::source(&std::fs::read(seed).expect("a seed"));
    }
}

#[test]
fn no_fixture_that_is_cut_off_panics() {
    for folder in files(root().join("testdata/sources")) {
        for fixture in files(folder) {
            let whole = std::fs::read(fixture).expect("a fixture");
            let step = whole.len() / 40 + 1;
            for end in (0..=whole.len()).step_by(step) {
                source::source(&whole[..end]);
            }
        }
    }
}
