//! The time that a budget of retries lasts, and the finding that an outage lasts longer.

use super::{Bounds, time_text};
use document::diag::{Code, Diagnostic, Place, plural};
use std::fmt;

/// The number of waits that a text lists; the next ones are counted.
const LISTED: usize = 6;

/// The number of retries whose waits are summed; more outlast any outage.
const MAX_RETRIES: u64 = 10_000;

/// The waits before the retries of a budget, if each attempt fails at once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BudgetWaits {
    /// The shortest and the longest wait before each retry, in seconds.
    pub waits: Vec<(f64, f64)>,
}

impl BudgetWaits {
    /// The shortest and the longest time in all, in seconds.
    pub fn sum(&self) -> (f64, f64) {
        let sums = |(least, most), (shortest, longest)| (least + shortest, most + longest);
        self.waits.iter().copied().fold((0.0, 0.0), sums)
    }

    fn is_one(&self) -> bool {
        self.waits.len() == 1
    }
}

/// Writes the predicate of a sentence on the retries: `last 70s in all (10s, 20s, 40s) if each fails at once`.
impl fmt::Display for BudgetWaits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.sum().1 <= 0.0 {
            return f.write_str(if self.is_one() { "has no wait" } else { "have no wait" });
        }
        let sum = range(self.sum());
        match self.waits.as_slice() {
            [_] => write!(f, "lasts {sum} if it fails at once"),
            [first, rest @ ..] if rest.iter().all(|it| it == first) => {
                write!(f, "last {sum} in all ({} each) if each fails at once", range(*first))
            }
            waits => {
                let listed: Vec<String> = waits.iter().take(LISTED).map(|it| range(*it)).collect();
                let more = match waits.len().saturating_sub(LISTED) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                let listed = listed.join(", ");
                write!(f, "last {sum} in all ({listed}{more}) if each fails at once")
            }
        }
    }
}

/// A time, or a range of times.
fn range((least, most): (f64, f64)) -> String {
    let (least, most) = (time_text(least), time_text(most));
    if least == most { least } else { format!("{least} to {most}") }
}

/// Retries that a disruption uses.
pub struct Budget<'b> {
    /// Their number.
    pub retries: u64,
    /// The shortest and the longest wait before a retry, by its number from 1, in seconds; also of retries that the
    /// budget does not have.
    pub wait: &'b dyn Fn(u32) -> (f64, f64),
    /// The part of the message after `the 3 retries`, with a space before it: `` of `p[0]` ``.
    pub scope: &'b str,
    /// The end of the message, such as an assumption; may be empty.
    pub assumption: &'b str,
    /// The remedy beside more retries: ``set a longer `backoff.initialDelay` ``.
    pub remedy: &'b str,
    /// The text of a limit of some retries, at the start of a sentence: `5 retries`; `None` if the limit cannot be that, or
    /// would have a finding of its own.
    pub limit: &'b dyn Fn(u32) -> Option<String>,
}

/// Returns the usual text of a limit.
pub fn retries_text(retries: u32) -> Option<String> {
    Some(format!("{retries} retries"))
}

/// Returns the finding that the retries of a budget are used up before an outage ends, if each attempt fails at once.
/// There is none for a budget without retries, and for one beyond the bound of attempts, which [`WorstCase`](super::WorstCase)
/// reports: so many attempts do not all fail at once.
pub fn short_budget(place: Place, budget: &Budget<'_>, bounds: &Bounds) -> Option<Diagnostic> {
    let retries = u32::try_from(budget.retries).ok()?;
    let most = bounds.attempts.saturating_sub(1).min(MAX_RETRIES);
    let most = u32::try_from(most).unwrap_or(u32::MAX);
    if retries == 0 || retries > most {
        return None;
    }
    let waits = BudgetWaits { waits: (1..=retries).map(budget.wait).collect() };
    let outage = bounds.outage.as_secs_f64();
    if waits.sum().1 >= outage {
        return None;
    }
    let noun = plural(retries, "retry", "retries");
    let message = format!(
        "the {noun}{} {waits}, and an outage takes {}{}",
        budget.scope,
        time_text(outage),
        budget.assumption
    );
    let enough = enough(budget, (retries, most), outage);
    let remedy = match enough.and_then(|(number, time)| Some(((budget.limit)(number)?, time))) {
        Some((limit, time)) => {
            format!("{limit} would last {}; or {}", time_text(time), budget.remedy)
        }
        None => budget.remedy.to_owned(),
    };
    Some(Diagnostic::info(Code::ShortBudget, place, message).help(remedy))
}

/// The fewest retries within the bound that last as long as the outage, with the time that they last at least.
fn enough(budget: &Budget<'_>, (retries, most): (u32, u32), outage: f64) -> Option<(u32, f64)> {
    let mut sum = 0.0;
    (1..=most).find_map(|number| {
        sum += (budget.wait)(number).0;
        (number > retries && sum >= outage).then_some((number, sum))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::diag::{Source, Span};
    use proptest::prelude::*;

    fn find(retries: u64, wait: impl Fn(u32) -> (f64, f64)) -> Option<Diagnostic> {
        let place = Place { source: Source::new("p.yaml", ""), span: Span::default() };
        let budget = Budget {
            retries,
            wait: &wait,
            scope: " of `p`",
            assumption: "",
            remedy: "wait",
            limit: &retries_text,
        };
        short_budget(place, &budget, &Bounds::default())
    }

    #[test]
    fn a_budget_is_named_with_its_waits_and_the_number_that_suffices() {
        let doubled = |n: u32| (10.0 * f64::from(1 << (n - 1)), 10.0 * f64::from(1 << (n - 1)));
        let found = find(3, doubled).unwrap();
        assert_eq!(
            found.message,
            "the 3 retries of `p` last 70s in all (10s, 20s, 40s) if each fails at once, and an outage takes 5m"
        );
        assert_eq!(found.help.unwrap(), "5 retries would last 5m10s; or wait");
        let found = find(1, |_| (0.0, 0.0)).unwrap();
        assert_eq!(found.message, "the 1 retry of `p` has no wait, and an outage takes 5m");
        assert_eq!(found.help.unwrap(), "wait");
    }

    proptest! {
        /// Compares with the definition: the longest sum of the waits is less than the outage.
        #[test]
        fn found_if_the_longest_sum_is_short(
            retries in 0..60_u64,
            first in 0.0..200.0_f64,
            jitter in 0.0..1.0_f64,
        ) {
            let wait = |_: u32| (first, first * (1.0 + jitter));
            let mut longest = 0.0;
            for number in 0..retries {
                longest += wait(u32::try_from(number).unwrap()).1;
            }
            let is_short = (1..50).contains(&retries) && longest < 300.0;
            prop_assert_eq!(find(retries, wait).is_some(), is_short);
        }
    }
}
