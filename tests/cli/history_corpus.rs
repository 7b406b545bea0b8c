//! The seeds of the fuzz target `history`, on the stable compiler.
//!
//! Holds semantics.md 10.

#[path = "../../fuzz/bodies/history.rs"]
mod history;

use super::sandbox::root;

/// Everything in a folder whose name has this in it.
fn replay(folder: &str, part: &str) -> usize {
    let entries = std::fs::read_dir(root().join(folder)).expect("the folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let named = paths.filter(|path| path.to_string_lossy().contains(part));
    let inputs = named.map(|path| std::fs::read(path).expect("a file"));
    inputs.map(|input| history::history(&input)).count()
}

#[test]
fn no_seed_panics() {
    assert!(replay("fuzz/corpus/history", "") >= 40);
}

#[test]
fn no_fixture_panics() {
    assert!(replay("testdata/history", ".bad.") > 50);
    assert!(replay("testdata/history", ".fixed.") > 50);
}

/// Every prefix of a good history: where it is cut off must not matter.
#[test]
fn no_history_that_is_cut_off_panics() {
    for name in ["few.jsonl", "gangs.yaml"] {
        let whole = std::fs::read(root().join("testdata/cli").join(name)).expect("a history");
        (0..whole.len()).step_by(7).for_each(|end| history::history(&whole[..end]));
    }
}
