//! Texts that a pattern matches, for analyses that construct failures.

use super::Pattern;
use super::hir::with_deep_stack;
use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind};

/// The length in bytes after which no longer example is built.
const MAX_EXAMPLE: usize = 4096;

/// Which texts a pattern matches, where this can be told without a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Matched {
    /// Every text.
    All,
    /// The texts that contain this literal.
    Containing(String),
    /// The texts that an automaton finds.
    Search,
}

impl Pattern {
    /// Which texts the pattern matches.
    pub fn matched(&self) -> Matched {
        let hir = self.to_hir();
        // A match of the empty text that does not depend on its surroundings is found in every text.
        if hir.properties().minimum_len() == Some(0) && hir.properties().look_set().is_empty() {
            return Matched::All;
        }
        let literal = match hir.kind() {
            HirKind::Literal(literal) => String::from_utf8(literal.0.to_vec()).ok(),
            _ => None,
        };
        literal.map_or(Matched::Search, Matched::Containing)
    }

    /// A short text that the pattern matches; `None` if none was found. Assertions are not solved: the first text
    /// without them is taken if it matches.
    pub fn example(&self) -> Option<String> {
        let hir = self.to_hir();
        let text = with_deep_stack(self.ast.height, || {
            let mut text = String::new();
            append_example(&mut text, &hir).map(|()| text)
        });
        let text = text.flatten()?;
        self.regex().ok()?.is_match(&text).then_some(text)
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
        for text in ["", ".*", "x*", "(?:)", "a?b?", "(a|)"] {
            assert_eq!(matched(text), Matched::All, "{text}");
        }
        for (text, literal) in [("OOM", "OOM"), (r"a\.b", "a.b"), ("(ab)", "ab"), (r"\Qa*\E", "a*")]
        {
            assert_eq!(matched(text), Matched::Containing(literal.to_owned()), "{text}");
        }
        // An empty text has no beginning of a word, and a text without a line break has one end.
        for text in ["^", r"\b", r"\B", "(?i)oom", "a|b", "a+", "^a"] {
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
        ] {
            let found = example(text);
            let lower = found.map(|text| text.to_lowercase());
            assert_eq!(lower.as_deref(), expected.map(str::to_lowercase).as_deref(), "{text}");
        }
    }
}
