//! The finding that no limit ends restarts.

use document::diag::{Code, Diagnostic, Place};

/// Returns the finding that no limit ends restarts. `restarted` is what is restarted after which failures: `a pod that
/// ends with exit code 42 is replaced`; `times` is the time between two: `, with waits of at most 10m0s`.
pub(crate) fn unlimited_retries(place: Place, restarted: &str, times: &str) -> Diagnostic {
    let message = format!("{restarted} without a limit{times}");
    Diagnostic::warning(Code::UnlimitedRetries, place, message)
}
