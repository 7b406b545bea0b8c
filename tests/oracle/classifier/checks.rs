//! `failedPodChecks`: the failures whose pods are deleted and whose leases are returned.

use super::model::{Checks, Pod};

/// The text that a check matches, which may be empty. "Any container ever started: only
/// containerStatuses checks. None started: events, then podStatuses."
pub fn matched_text(checks: &Checks, pod: &Pod) -> Option<String> {
    if pod.containers.iter().any(|container| container.has_started) {
        return of_containers(checks, pod);
    }
    of_events(checks, pod).or_else(|| of_status(checks, pod))
}

fn of_containers(checks: &Checks, pod: &Pod) -> Option<String> {
    for check in &checks.containers {
        for (name, end) in pod.failed() {
            if check.name.is_match(name) && check.message.is_match(&end.message) {
                return Some(end.message.clone());
            }
        }
    }
    None
}

fn of_events(checks: &Checks, pod: &Pod) -> Option<String> {
    for check in &checks.events {
        for event in &pod.events {
            if check.is_about(event) && check.regexp.is_match(&event.message) {
                return Some(event.message.clone());
            }
        }
    }
    None
}

fn of_status(checks: &Checks, pod: &Pod) -> Option<String> {
    let mut checks = checks.statuses.iter();
    let matches = checks.any(|check| {
        let is_reason = check.reason.is_empty() || check.reason == pod.reason;
        is_reason && check.regexp.is_match(&pod.message)
    });
    matches.then(|| pod.message.clone())
}
