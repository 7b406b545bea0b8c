//! What must hold of any text that is taken for a line: where the scanner reads one, `serde_json`
//! reads the same.

use armadactl::history::both_ways;

/// Reads the text with the scanner, and what it reads with `serde_json` too; says whether it did.
pub fn line(text: &str) -> bool {
    let [scanned, parsed] = both_ways(text);
    if scanned.is_some() {
        assert_eq!(scanned, parsed);
    }
    scanned.is_some()
}
