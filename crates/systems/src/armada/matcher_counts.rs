//! The failures of a history that each matcher of Armada's rules can match (semantics.md, section 4).

use super::parts::{self, FailurePart, each_part};
use armada_retry::engine::Outcome;
use armada_retry::policy::Condition;
use replay::history::RunRecord;
use replay::simulate::Part;
use std::collections::BTreeMap;

/// The values of a matcher that are counted apart: a record may give each failure another one.
const MAX_VALUES: usize = 10_000;

/// A matcher of rules, or another field of theirs that depends on records.
#[derive(Debug)]
pub struct MatcherRow {
    /// The field of a `v1` rule.
    pub matcher: &'static str,
    /// The condition, where each is a row.
    pub condition: Option<Condition>,
    /// The part of failures that it compares.
    pub part: &'static Part,
}

/// The rows: those of conditions are after the first, in the order of [`Condition::ALL`].
static ROWS: [MatcherRow; 6 + Condition::ALL.len()] = {
    const fn row(matcher: &'static str, part: &'static Part) -> MatcherRow {
        MatcherRow { matcher, condition: None, part }
    }
    const fn condition(number: usize) -> MatcherRow {
        let condition = Some(Condition::ALL[number]);
        MatcherRow { matcher: "onConditions", condition, part: &parts::CONDITION }
    }
    [
        row("onExitCodes", &parts::EXIT_CODE),
        condition(0),
        condition(1),
        condition(2),
        condition(3),
        condition(4),
        row("onTerminationMessage", &parts::MESSAGE),
        row("onFailureCategory", &parts::CATEGORY),
        row("onFailureSubcategory", &parts::SUBCATEGORY),
        row("containerName", &parts::CONTAINER),
        row("antiAffinity", &parts::NODE),
    ]
};

fn row_number(part: FailurePart<'_>) -> usize {
    let behind_conditions = Condition::ALL.len();
    match part {
        FailurePart::ExitCode(_) => 0,
        FailurePart::Condition(condition) => 1 + condition as usize,
        FailurePart::Message => 1 + behind_conditions,
        FailurePart::Category(_) => 2 + behind_conditions,
        FailurePart::Subcategory(_) => 3 + behind_conditions,
        FailurePart::Container(_) => 4 + behind_conditions,
        FailurePart::Node(_) => 5 + behind_conditions,
    }
}

/// The failures that have what a matcher compares.
#[derive(Debug, Clone, Default)]
pub struct MatcherCount {
    /// Their number.
    pub failures: u64,
    /// Their number by value, where values are names or codes. Values beyond 10,000 are not counted apart.
    pub values: BTreeMap<String, u64>,
}

/// The failures of a history by what rules can match.
#[derive(Debug, Clone, Default)]
pub struct MatcherCounts {
    /// The runs of which a policy decides: `Failed`, `Preempted` and `LeaseExpired` ones.
    pub failures: u64,
    counts: [MatcherCount; ROWS.len()],
}

impl MatcherCounts {
    /// Adds a run, if it failed.
    pub fn add(&mut self, run: &RunRecord) {
        use Outcome::{Failed, LeaseExpired, Preempted};
        if !matches!(run.own.outcome, Failed | LeaseExpired | Preempted) {
            return;
        }
        self.failures += 1;
        let mut all = Vec::new();
        each_part(run, |part| all.push(part));
        all.sort_unstable();
        all.dedup();
        for (at, part) in all.iter().enumerate() {
            let count = &mut self.counts[row_number(*part)];
            let is_first = at == 0 || row_number(all[at - 1]) != row_number(*part);
            count.failures += u64::from(is_first);
            if let Some(value) = value(*part) {
                let is_known = count.values.contains_key(&value);
                // Values that are known go on counting, so that only new ones are left out.
                if is_known || count.values.len() < MAX_VALUES {
                    *count.values.entry(value).or_default() += 1;
                }
            }
        }
    }

    /// The rows, each with its failures.
    pub fn rows(&self) -> impl Iterator<Item = (&'static MatcherRow, &MatcherCount)> {
        ROWS.iter().zip(&self.counts)
    }
}

/// The value of a part, where it is a name or a code.
fn value(part: FailurePart<'_>) -> Option<String> {
    match part {
        FailurePart::ExitCode(code) => Some(code.to_string()),
        FailurePart::Category(name)
        | FailurePart::Subcategory(name)
        | FailurePart::Container(name) => Some(name.to_owned()),
        FailurePart::Node(_) | FailurePart::Message | FailurePart::Condition(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_of_their_parts() {
        let part = |part| ROWS[row_number(part)].part;
        assert_eq!(part(FailurePart::ExitCode(1)), &parts::EXIT_CODE);
        assert_eq!(part(FailurePart::Message), &parts::MESSAGE);
        assert_eq!(part(FailurePart::Category("")), &parts::CATEGORY);
        assert_eq!(part(FailurePart::Subcategory("")), &parts::SUBCATEGORY);
        assert_eq!(part(FailurePart::Container("")), &parts::CONTAINER);
        assert_eq!(part(FailurePart::Node("")), &parts::NODE);
        for condition in Condition::ALL {
            let row = &ROWS[row_number(FailurePart::Condition(condition))];
            assert_eq!((row.condition, row.part), (Some(condition), &parts::CONDITION));
        }
    }
}
