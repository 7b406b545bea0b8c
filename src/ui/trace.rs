//! The lines of `-v`, printed to stderr immediately.

use document::diag::printable;
use std::io::{self, Write};

/// Prints a line of `-v`.
pub fn trace(line: &str) {
    // An error is ignored: a trace line that cannot be printed changes no result.
    let _ = writeln!(io::stderr(), "{}", printable(line));
}
