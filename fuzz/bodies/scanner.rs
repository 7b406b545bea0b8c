//! What must hold of any text that is taken for a line: where the scanner reads one, `serde_json`
//! reads the same.

// The library keeps both to itself.
#[path = "../../src/history/line.rs"]
mod line;
#[path = "../../src/history/scan/mod.rs"]
mod scan;

/// Reads the text with the scanner, and what it reads with `serde_json` too; says whether it did.
pub fn line(text: &str) -> bool {
    let Some(scanned) = scan::scan(text) else { return false };
    let read: line::Line<'_> = serde_json::from_str(text).expect("serde_json reads it too");
    assert_eq!(scanned, read);
    true
}
