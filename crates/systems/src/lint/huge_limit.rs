//! The finding that a limit is too large to end anything.

use document::diag::{Code, Diagnostic, Place};

/// The limit of retries from which it ends nothing in practice: a unit that fails every minute reaches it after 16 hours.
pub const HUGE_LIMIT: u64 = 1000;

/// Returns the finding that a limit of retries ends nothing. `end` is what ends the unit instead, or when the limit
/// would.
pub fn huge_limit(place: Place, limit: u64, end: &str) -> Diagnostic {
    let message = format!("a limit of {limit} retries limits nothing: {end}");
    Diagnostic::warning(Code::HugeLimit, place, message)
        .help("write the number of retries that may succeed")
}
