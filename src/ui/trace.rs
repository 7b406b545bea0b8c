//! What `-v` shows, on stderr as it happens.

use crate::diag::printable;
use std::io::{self, Write};

/// Prints a line about what is going on.
pub fn trace(line: &str) {
    // It is only said by the way: whether anybody can hear it changes nothing.
    let _ = writeln!(io::stderr(), "{}", printable(line));
}
