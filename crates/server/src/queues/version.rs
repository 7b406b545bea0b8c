//! Versions of queues (`ETag`), and conditional writes (`If-Match`). Armada has neither.

use crate::wire::{Code, Status};
use document::diag::go_quote;
use siphasher::sip128::{Hasher128, SipHasher13};
use std::hash::Hasher;

/// The version of a queue: a digest of it, so that equal queues have equal versions.
pub fn version(queue: &str) -> String {
    let mut hasher = SipHasher13::new();
    hasher.write(queue.as_bytes());
    format!("\"{:032x}\"", hasher.finish128().as_u128())
}

/// The condition of a write: the versions that it may replace; every version if there is none.
#[derive(Debug, Clone, Default)]
pub struct Condition(Option<String>);

impl Condition {
    /// The condition of a header `If-Match`.
    pub fn new(header: Option<&str>) -> Self {
        Self(header.map(str::to_owned))
    }

    /// Refuses the write unless the queue meets the condition.
    pub(super) fn check(&self, name: &str, current: Option<&str>) -> Result<(), Status> {
        let Some(versions) = &self.0 else { return Ok(()) };
        let current = current.map(version);
        let is_met = current.is_some_and(|current| {
            // A list of tags, any of which may match; `*` is any present queue (RFC 9110, 13.1.1).
            versions.split(',').map(str::trim).any(|one| one == "*" || one == current)
        });
        if is_met {
            return Ok(());
        }
        let message = format!("queue {} does not match the request's If-Match", go_quote(name));
        Err(Status::new(Code::FailedPrecondition, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_met_by_its_versions_only() {
        let current = version("{}");
        let is_met =
            |versions: &str, queue| Condition::new(Some(versions)).check("q", queue).is_ok();
        assert!(is_met(&current, Some("{}")));
        assert!(is_met(&format!("\"x\", {current}"), Some("{}")));
        assert!(is_met("*", Some("{}")));
        assert!(!is_met("*", None));
        assert!(!is_met(&current, Some("{ }")));
        assert!(!is_met(&format!("W/{current}"), Some("{}")));
        assert!(Condition::new(None).check("q", None).is_ok());
    }
}
