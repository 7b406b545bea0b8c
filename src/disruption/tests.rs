//! The table itself: that its rows can be told apart, and that each can decide.

use super::*;
use std::collections::HashSet;

#[test]
fn no_two_rows_of_a_system_and_a_source_have_one_sign() {
    let table = Disruptions::default();
    let keys =
        table.rows().map(|row| (row.system.as_str(), row.source.as_str(), row.sign.to_string()));
    let mut seen = HashSet::new();
    for key in keys {
        assert!(seen.insert(key.clone()), "{key:?}");
    }
    assert!(table.rows().len() < usize::from(u8::MAX));
}

#[test]
fn only_preemptions_and_evictions_are_conditions() {
    for row in Disruptions::default().rows() {
        let is_known = row.condition.is_none_or(|it| DISRUPTION_CONDITIONS.contains(&it));
        assert!(is_known, "{row:?}");
    }
    assert_eq!(conditions_of_pod("DisruptionTarget"), [Condition::Preempted, Condition::Evicted]);
    assert_eq!(conditions_of_pod("TerminationTarget"), [Condition::Preempted]);
    assert_eq!(conditions_of_pod("Ready"), []);
    assert_eq!(exit_codes().collect::<Vec<_>>(), [137, 143]);
}

/// A record with a condition of a pod.
struct Pod(&'static str, &'static str);

impl Evidence for Pod {
    fn pod_condition(&self, kind: &str) -> Option<&str> {
        (self.0 == kind).then_some(self.1)
    }
}

#[test]
fn the_row_of_other_reasons_does_not_cover_a_reason_that_is_off() {
    let table = Disruptions::default();
    let found = |reason| {
        table.find(Source::Pods, &Pod("TerminationTarget", reason)).map(|id| table.row(id).enabled)
    };
    assert_eq!(found("WorkloadEvictedDueToPreempted"), Some(true));
    assert_eq!(found("WorkloadDeleted"), Some(false));
    assert_eq!(found("SomethingNew"), Some(true));
    assert_eq!(found(""), Some(true));
    assert!(table.find(Source::Sacct, &Pod("TerminationTarget", "")).is_none());
}
