//! Repetitions: `*`, `+`, `?`, `{2}`, `{2,}`, `{2,4}`, each lazy with a `?`.

use super::ast::Node;
use super::error::{PatternError, PatternErrorKind as Kind};
use super::limits::MAX_REPEAT;
use super::parse::{Entry, Parser};

/// The counts in braces, of any size.
struct Bounds {
    min: u32,
    /// `None` without a maximum.
    max: Option<u32>,
    /// The position after the braces.
    end: usize,
}

impl Parser<'_> {
    /// Reads `*`, `+` or `?`.
    pub(super) fn operator(
        &mut self,
        operator: u8,
        previous: Option<usize>,
    ) -> Result<(), PatternError> {
        let start = self.at;
        self.at += 1;
        let (min, max) = match operator {
            b'*' => (0, None),
            b'+' => (1, None),
            _ => (0, Some(1)),
        };
        self.repeat(start, previous, min, max)
    }

    /// Reads `{`: a repeat if the text has the form of one, otherwise a character.
    pub(super) fn brace(&mut self, previous: Option<usize>) -> Result<(), PatternError> {
        let start = self.at;
        let Some(Bounds { min, max, end }) = bounds(self.text, start) else {
            self.at += 1;
            return self.literal('{'.into());
        };
        self.at = end;
        let refuse = |kind| Err(PatternError::new(kind, start..end));
        if min > MAX_REPEAT || max.is_some_and(|max| max > MAX_REPEAT) {
            return refuse(Kind::RepeatCountTooLarge);
        }
        if max.is_some_and(|max| min > max) {
            return refuse(Kind::RepeatBoundsReversed);
        }
        self.repeat(start, previous, min, max)
    }

    fn repeat(
        &mut self,
        start: usize,
        previous: Option<usize>,
        min: u32,
        max: Option<u32>,
    ) -> Result<(), PatternError> {
        let possessive = self.text.as_bytes()[start] == b'+';
        if self.peek() == Some(b'?') {
            self.at += 1;
        }
        if let Some(previous) = previous {
            let kind = if possessive { Kind::PossessiveRepeat } else { Kind::NestedRepeat };
            return Err(PatternError::new(kind, previous..self.at));
        }
        let Some(Entry::Node(child)) = self.stack.last().copied() else {
            return Err(PatternError::new(Kind::MissingRepeatArgument, start..self.at));
        };
        self.limits.allocate();
        let measure = self.limits.measure(child).repeat(min, max);
        let id = self.add(Node::Repeat { child, min, max }, measure);
        self.stack.pop();
        self.stack.push(Entry::Node(id));
        self.check(id)?;
        // As in Go, which checks products only at a count of 2 or more: others do not multiply.
        if max.unwrap_or(min).max(min) >= 2 && measure.product > MAX_REPEAT {
            return Err(PatternError::new(Kind::RepeatProductTooLarge, start..self.at));
        }
        self.last_repeat = Some(start);
        Ok(())
    }
}

/// Reads `{n}`, `{n,}` or `{n,m}`; `None` for any other text.
fn bounds(text: &str, start: usize) -> Option<Bounds> {
    let bytes = text.as_bytes();
    let (min, mut end) = number(bytes, start + 1)?;
    let mut max = Some(min);
    if bytes.get(end) == Some(&b',') {
        end += 1;
        max = None;
        if bytes.get(end) != Some(&b'}') {
            let (bound, after) = number(bytes, end)?;
            (max, end) = (Some(bound), after);
        }
    }
    (bytes.get(end) == Some(&b'}')).then_some(Bounds { min, max, end: end + 1 })
}

/// Reads decimal digits without a leading zero; returns the number and the end of the digits.
fn number(bytes: &[u8], start: usize) -> Option<(u32, usize)> {
    let digits = bytes[start..].iter().take_while(|b| b.is_ascii_digit()).count();
    let digits = &bytes[start..start + digits];
    // In Go `{01}` is text, not a repeat.
    if digits.is_empty() || digits.len() > 1 && digits[0] == b'0' {
        return None;
    }
    let value = digits.iter().fold(0_u32, |value, digit| {
        // Saturated: any number above the limit is refused.
        value.saturating_mul(10).saturating_add(u32::from(digit - b'0'))
    });
    Some((value, start + digits.len()))
}

#[cfg(test)]
mod tests {
    use crate::pattern::Pattern;
    use crate::pattern::hir::tests::matches;

    #[test]
    fn braces_that_are_no_repeat_are_characters() {
        for text in ["{", "{}", "{,2}", "{a}", "{01}", "{1,02}", "{2", "{2,", "{ 2}", "a{,5}*"] {
            assert!(Pattern::parse(text).is_ok(), "{text}");
        }
        assert!(matches("^x{,2}$", "x{,2}") && matches("^{x{y$", "{x{y"));
        assert!(matches("^a{2,3}$", "aaa") && !matches("^a{2,3}$", "aaaa"));
        assert!(matches("^(ab){2}$", "abab") && matches("^a{0}$", ""));
    }

    #[test]
    fn only_adjacent_operators_clash() {
        for text in ["a*?", "a{2}?", "(?:a*)*", "a*(?i)*", "a*\\Q\\E*", "^*", "(?:)+", "\\b?"] {
            assert!(Pattern::parse(text).is_ok(), "{text}");
        }
        for text in ["a*??", "a***", "(*)", "(|*)", "(?i)*", "\\Q\\E*", "{2}", "a{2}{3}", "a+?+"] {
            assert!(Pattern::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn nested_counts_multiply() {
        for text in ["(a{10}){100}", "(a{1000}){0,1}", "((a{100}){0}){1000}", "((a{2,}){2})*"] {
            assert!(Pattern::parse(text).is_ok(), "{text}");
        }
        for text in ["(a{31}){33}", "((a{31})*){33}", "(a{2,}b){501}", "a{0,1001}"] {
            assert!(Pattern::parse(text).is_err(), "{text}");
        }
    }
}
