//! The attempts that the patterns of a strategy distinguish: what lints and tests need to know which rules decide.

use super::manifest::RetryStrategy;
use armada_retry::policy::{Coverage, coverage};
use std::collections::BTreeSet;

/// A text that no pattern can contain, so that no pattern that goes on matches a text with it.
const OTHER: char = '~';

/// Texts of each part of an attempt, one for each way in which the patterns of a strategy distinguish texts. The
/// decision about any attempt is that about an attempt with one text of each part.
#[derive(Debug)]
pub(super) struct Cells([Vec<String>; 3]);

impl Cells {
    pub fn of(strategy: &RetryStrategy) -> Self {
        let mut cells: [BTreeSet<String>; 3] = Default::default();
        for (part, cells) in cells.iter_mut().enumerate() {
            let patterns = strategy.evaluate_on_exit.iter();
            let patterns = patterns.filter_map(|entry| entry.patterns()[part].1);
            // Every text begins with the empty pattern, so that the texts that no pattern matches are among these.
            let starts = patterns.map(|pattern| &*pattern.start).chain([""]);
            for start in starts {
                cells.extend(if part == 2 { codes(start) } else { texts(start) });
            }
        }
        Self(cells.map(|texts| texts.into_iter().collect()))
    }

    /// Whether earlier entries match every attempt that an entry matches.
    pub fn covered(&self, strategy: &RetryStrategy, number: usize) -> Coverage {
        let Some(entry) = strategy.evaluate_on_exit.get(number) else { return Coverage::Reached };
        let choices = entry.patterns().map(|(_, pattern)| pattern);
        let choices: Vec<Vec<&String>> = choices
            .iter()
            .zip(&self.0)
            .map(|(pattern, texts)| {
                texts.iter().filter(|text| pattern.is_none_or(|it| it.matches(text))).collect()
            })
            .collect();
        let sizes: Vec<usize> = choices.iter().map(Vec::len).collect();
        coverage(&sizes, (0..number).collect(), |earlier, part, choice| {
            strategy.evaluate_on_exit[earlier].patterns()[part]
                .1
                .is_none_or(|pattern| pattern.matches(choices[part][choice]))
        })
    }

    /// One attempt of each way in which entries distinguish attempts.
    pub fn attempts(&self) -> impl Iterator<Item = [&str; 3]> {
        let [status_reasons, reasons, codes] = &self.0;
        status_reasons.iter().flat_map(move |status_reason| {
            reasons.iter().flat_map(move |reason| {
                codes.iter().map(move |code| [&**status_reason, &**reason, &**code])
            })
        })
    }

    /// Whether an entry decides about some attempts, and all of them have the same action without it.
    pub fn is_redundant(&self, strategy: &RetryStrategy, number: usize) -> bool {
        let mut others = strategy.clone();
        others.evaluate_on_exit.remove(number);
        let mut own = self.attempts().filter(|it| strategy.first_match(*it) == Some(number));
        let mut decides = false;
        own.all(|attempt| {
            decides = true;
            others.action(attempt) == strategy.action(attempt)
        }) && decides
    }

    /// Whether some attempt is matched by no entry.
    pub fn has_unmatched(&self, strategy: &RetryStrategy) -> bool {
        self.attempts().any(|attempt| strategy.first_match(attempt).is_none())
    }
}

/// The start of a pattern as a whole text, and a continuation that no other pattern has.
fn texts(start: &str) -> Vec<String> {
    vec![start.to_owned(), format!("{start}{OTHER}")]
}

/// The same of exit codes. An empty text is an absent code. A pattern has at most four others beside it, so that one of
/// ten digits continues none of them.
fn codes(start: &str) -> Vec<String> {
    let continued = (0..10).map(|digit| format!("{start}{digit}"));
    let all = std::iter::once(start.to_owned()).chain(continued);
    all.filter(|text| {
        text.is_empty() || text.parse::<i32>().is_ok_and(|code| code.to_string() == *text)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::awsbatch::{EvaluateOnExit, Glob, RetryAction};
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;
    use proptest::sample::select;

    /// Patterns whose start has at most one character, so that texts of two characters tell all of them apart.
    const TEXTS: [&str; 5] = ["a", "b", "a*", "b*", "*"];
    const CODES: [&str; 7] = ["0", "1", "2", "0*", "1*", "2*", "*"];

    fn entry() -> impl Strategy<Value = EvaluateOnExit> {
        let glob = |of: &'static [&'static str]| option::of(select(of).prop_map(Glob::new));
        let action = select(vec![RetryAction::Retry, RetryAction::Exit]);
        (glob(&TEXTS), glob(&TEXTS), glob(&CODES), action).prop_map(
            |(on_status_reason, on_reason, on_exit_code, action)| EvaluateOnExit {
                on_status_reason,
                on_reason,
                on_exit_code,
                action,
            },
        )
    }

    /// All texts of up to two of three letters, with codes that begin as the patterns do and otherwise.
    fn attempts() -> Vec<[String; 3]> {
        let letters = ["a", "b", "c"];
        let mut texts = vec![String::new()];
        texts.extend(letters.map(str::to_owned));
        texts.extend(letters.iter().flat_map(|one| letters.map(|two| format!("{one}{two}"))));
        let codes = ["", "0", "1", "2", "3", "10", "11", "20", "21"].map(str::to_owned);
        let mut all = Vec::new();
        for status_reason in &texts {
            for reason in &texts {
                let one =
                    codes.iter().map(|code| [status_reason.clone(), reason.clone(), code.clone()]);
                all.extend(one);
            }
        }
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        /// The findings are those of all attempts of an alphabet, decided one by one.
        #[test]
        fn findings_are_those_of_all_attempts(entries in vec(entry(), 1..=5)) {
            let strategy = RetryStrategy { attempts: 3, evaluate_on_exit: entries };
            let cells = Cells::of(&strategy);
            let all = attempts();
            let count = strategy.evaluate_on_exit.len();
            let (mut decides, mut differs) = (vec![false; count], vec![false; count]);
            let mut unmatched = false;
            for attempt in &all {
                let texts = attempt.each_ref().map(String::as_str);
                let Some(number) = strategy.first_match(texts) else {
                    unmatched = true;
                    continue;
                };
                decides[number] = true;
                let later = strategy.evaluate_on_exit[number + 1..].iter();
                let without = later.clone().find(|it| it.matches(texts)).map(|it| it.action);
                let without = without.unwrap_or(RetryAction::Retry);
                differs[number] |= without != strategy.evaluate_on_exit[number].action;
            }
            for number in 0..count {
                let is_covered = cells.covered(&strategy, number).is_covered();
                prop_assert_eq!(is_covered, !decides[number], "{}: {:?}", number, &strategy);
                let is_redundant = cells.is_redundant(&strategy, number);
                prop_assert_eq!(is_redundant, decides[number] && !differs[number], "{}: {:?}", number, &strategy);
            }
            prop_assert_eq!(cells.has_unmatched(&strategy), unmatched, "{:?}", &strategy);
        }
    }
}
