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
fn every_row_is_among_those_of_its_source() {
    for row in Disruptions::default().rows() {
        let same = |id: &RowId| Disruptions::default().row(*id) == row;
        assert_eq!(Disruptions::source_rows(row.source).filter(same).count(), 1, "{row:?}");
    }
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

/// A record with several signs.
struct Signs([Sign; 2]);

impl Evidence for Signs {
    fn pod_condition(&self, kind: &str) -> Option<&str> {
        self.0.iter().find_map(|sign| match sign {
            Sign::PodCondition { kind: other, reason } if *other == kind => {
                Some(reason.unwrap_or("another reason"))
            }
            _ => None,
        })
    }

    fn pod_reason(&self) -> Option<&str> {
        self.0.iter().find_map(|sign| match sign {
            Sign::PodReason(reason) => Some(*reason),
            _ => None,
        })
    }

    fn exit_code(&self) -> Option<i64> {
        self.0.iter().find_map(|sign| match sign {
            Sign::ExitCode(code) => Some(i64::from(*code)),
            _ => None,
        })
    }

    fn has(&self, name: &str, value: &str) -> bool {
        self.0.contains(&Sign::Field { name: leak(name), value: leak(value) })
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find_map(|sign| match sign {
            Sign::Text { name: other, begins } if *other == name => Some(*begins),
            _ => None,
        })
    }
}

/// A text for as long as the test runs.
fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

/// Signs of one part of a record exclude each other.
fn have_one_part(first: Sign, second: Sign) -> bool {
    match (first, second) {
        (Sign::PodCondition { kind, .. }, Sign::PodCondition { kind: other, .. }) => kind == other,
        (Sign::Text { name, .. }, Sign::Text { name: other, .. }) => name == other,
        (first, second) => std::mem::discriminant(&first) == std::mem::discriminant(&second),
    }
}

#[test]
fn the_first_row_that_counts_of_two_signs_decides() {
    let table = Disruptions::default();
    let rows: Vec<&Row> = table.rows().collect();
    let mut pairs = 0;
    for (at, first) in rows.iter().enumerate() {
        for second in rows[at + 1..].iter().filter(|row| row.source == first.source) {
            if have_one_part(first.sign, second.sign) {
                continue;
            }
            pairs += 1;
            let expected = if first.enabled || !second.enabled { first } else { second };
            for signs in [[first.sign, second.sign], [second.sign, first.sign]] {
                let found = table.find(first.source, &Signs(signs)).map(|id| table.row(id));
                assert_eq!(found, Some(*expected), "{signs:?}");
            }
        }
    }
    assert!(pairs > 300, "{pairs}");
}
