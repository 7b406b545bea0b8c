//! Texts that a pattern matches, for analyses that construct failures.

use super::Pattern;
use super::difference::{Difference, difference};
use super::hir::with_deep_stack;
use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind};

/// The length in bytes after which no longer example is built.
const MAX_EXAMPLE: usize = 4096;

/// Which texts a pattern matches, where a search in each text is not needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Matched {
    /// Every text.
    All,
    /// Every text that is not empty, and not the empty one: every message.
    NotEmpty,
    /// The texts that contain this literal.
    Containing(String),
    /// The texts that an automaton finds.
    Search,
}

impl Pattern {
    /// Which texts the pattern matches.
    pub fn matched(&self) -> Matched {
        let hir = self.to_hir();
        let shortest = hir.properties().minimum_len();
        // A match of the empty text that does not depend on its surroundings is found in every text.
        if shortest == Some(0) && hir.properties().look_set().is_empty() {
            return Matched::All;
        }
        if let HirKind::Literal(literal) = hir.kind() {
            let literal = String::from_utf8(literal.0.to_vec()).ok();
            return literal.map_or(Matched::Search, Matched::Containing);
        }
        // A pattern of two bytes or more is not found in all texts of one.
        let may_match_all = shortest.is_some_and(|shortest| shortest <= 1);
        if !may_match_all || difference(None, &[self]) != Difference::Empty {
            return Matched::Search;
        }
        let matches_empty = self.regex().is_ok_and(|regex| regex.is_match(""));
        if matches_empty { Matched::All } else { Matched::NotEmpty }
    }

    /// A short text that the pattern matches and that is not empty; `None` if none was found.
    pub fn example(&self) -> Option<String> {
        let hir = self.to_hir();
        let text = with_deep_stack(self.ast.height, || {
            let mut text = String::new();
            append_example(&mut text, &hir).map(|()| text)
        });
        let regex = self.regex().ok()?;
        let text = text.flatten().filter(|text| !text.is_empty() && regex.is_match(text));
        text.or_else(|| match difference(Some(self), &[]) {
            Difference::Text(text) => Some(text),
            Difference::Empty | Difference::Unknown => None,
        })
    }
}

/// Appends the first of the shortest texts of a tree; `None` if it has none.
fn append_example(text: &mut String, hir: &Hir) -> Option<()> {
    if text.len() > MAX_EXAMPLE {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => text.push(member(class)?),
        HirKind::Repetition(repetition) => {
            for _ in 0..repetition.min {
                append_example(text, &repetition.sub)?;
            }
        }
        HirKind::Capture(capture) => append_example(text, &capture.sub)?,
        HirKind::Concat(parts) => {
            for part in parts {
                append_example(text, part)?;
            }
        }
        HirKind::Alternation(branches) => {
            let before = text.len();
            branches.iter().find_map(|branch| {
                // A branch that failed may have appended a part.
                text.truncate(before);
                append_example(text, branch)
            })?;
        }
    }
    Some(())
}

/// A character of a class: a letter or digit if there is one, else its first that can be printed.
fn member(class: &Class) -> Option<char> {
    let Class::Unicode(class) = class else { return None };
    let has =
        |c: &char| class.ranges().iter().any(|range| (range.start()..=range.end()).contains(c));
    let usual = ('a'..='z').chain('0'..='9').chain('A'..='Z').chain(' '..='~');
    usual.into_iter().find(has).or_else(|| class.ranges().first().map(ClassUnicodeRange::start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_texts_match_is_told_of_simple_patterns() {
        let matched = |text: &str| Pattern::parse(text).expect(text).matched();
        for text in [
            "", ".*", "x*", "(?:)", "a?b?", "(a|)", "^", "$", r"\A", r"\z", "(?m)^", "(?m)$",
            "^.*", "(?s)^.*$", "(?s).*", r"^|x", r".*$", r"x|$", r"\b|\B", r"\B|x|\b",
        ] {
            assert_eq!(matched(text), Matched::All, "{text}");
        }
        for text in ["(?s).", "(?s)^.+$", r"[\s\S]", r".|\n", "[^x]|x", r"\D|\d"] {
            assert_eq!(matched(text), Matched::NotEmpty, "{text}");
        }
        for (text, literal) in [("OOM", "OOM"), (r"a\.b", "a.b"), ("(ab)", "ab"), (r"\Qa*\E", "a*")]
        {
            assert_eq!(matched(text), Matched::Containing(literal.to_owned()), "{text}");
        }
        // A message of one line end has no `.`, one of letters has no `\B` and one of spaces no `\b`.
        for text in [
            ".", ".+", "^.*$", r"\S", r"\b", r"\B", "(?i)oom", "a|b", "a+", "^a", r"^\b|\B$",
            "[^x]",
        ] {
            assert_eq!(matched(text), Matched::Search, "{text}");
        }
    }

    #[test]
    fn an_example_matches_its_pattern() {
        let example = |text: &str| Pattern::parse(text).expect(text).example();
        for (text, expected) in [
            ("Failed to pull image.* unpack image", Some("Failed to pull image unpack image")),
            (r"exit code: \d{3}", Some("exit code: 000")),
            ("(?i)nccl (error|timeout)", Some("nccl error")),
            (r"[^\x00-\x{10FFFF}]|x", Some("x")),
            (r"[^\x00-\x{10FFFF}]", None),
            (r"a\bb", None),
            ("^gone$", Some("gone")),
            ("x*", Some("a")),
            (r"a\b", Some("a")),
            (r"\B", Some(" ")),
        ] {
            let found = example(text);
            let lower = found.map(|text| text.to_lowercase());
            assert_eq!(lower.as_deref(), expected.map(str::to_lowercase).as_deref(), "{text}");
        }
    }
}
