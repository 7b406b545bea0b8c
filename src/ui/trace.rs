//! The lines of `-v`, on stderr as they happen.

use crate::diag::printable;
use std::io::{self, Write};

/// Prints a line of `-v`.
pub fn trace(line: &str) {
    // A trace line that cannot be printed changes no result.
    let _ = writeln!(io::stderr(), "{}", printable(line));
}
