//! Versions of queues (`ETag`), and writes that want one (`If-Match`). Armada has neither.

use crate::server::wire::{Code, Status, quote};
use siphasher::sip128::{Hasher128, SipHasher13};
use std::hash::Hasher;

/// The version of a queue: a digest of it, so that equal queues have equal versions.
pub fn version(queue: &str) -> String {
    let mut hasher = SipHasher13::new();
    hasher.write(queue.as_bytes());
    format!("\"{:032x}\"", hasher.finish128().as_u128())
}

/// Which versions a write may replace.
#[derive(Debug, Clone, Default)]
pub struct Condition(Option<String>);

impl Condition {
    /// What the header `If-Match` asks for.
    pub fn new(header: Option<&str>) -> Self {
        Self(header.map(str::to_owned))
    }

    /// Refuses the write unless the queue is as the condition wants it.
    pub(super) fn met_by(&self, name: &str, current: Option<&str>) -> Result<(), Status> {
        let Some(wanted) = &self.0 else { return Ok(()) };
        let current = current.map(version);
        let met = current.is_some_and(|current| {
            wanted.split(',').map(str::trim).any(|one| one == "*" || one == current)
        });
        if met {
            return Ok(());
        }
        let message = format!("queue {} is not as the request's If-Match wants it", quote(name));
        Err(Status::new(Code::FailedPrecondition, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_met_by_its_versions_only() {
        let current = version("{}");
        let met = |wanted: &str, queue| Condition::new(Some(wanted)).met_by("q", queue).is_ok();
        assert!(met(&current, Some("{}")));
        assert!(met(&format!("\"x\", {current}"), Some("{}")));
        assert!(met("*", Some("{}")));
        assert!(!met("*", None));
        assert!(!met(&current, Some("{ }")));
        assert!(!met(&format!("W/{current}"), Some("{}")));
        assert!(Condition::new(None).met_by("q", None).is_ok());
    }
}
