//! Classes in brackets: `[^a-z\d[:punct:]]`.
//!
//! Unlike in Rust's dialect a `[` inside is a bracket, and `&&`, `--` and `~~`
//! are characters.

use super::ast::{ClassItem, Group, Rune};
use super::error::{PatternError, PatternErrorKind as Kind};
use super::parse::Parser;

impl Parser<'_> {
    /// Reads a class from its `[` to its `]`.
    pub(super) fn bracket(&mut self) -> Result<(), PatternError> {
        let open = self.at;
        let items = self.ast.items.len();
        self.at += 1;
        let negated = self.peek() == Some(b'^');
        self.at += usize::from(negated);
        // A `]` in the first position is a member.
        let first = self.at;
        while self.at == first || self.peek() != Some(b']') {
            let item = self.member(open)?;
            self.ast.items.push(item);
        }
        self.at += 1;
        self.push_class(items, negated)
    }

    fn member(&mut self, open: usize) -> Result<ClassItem, PatternError> {
        if let Some(item) = self.posix_class()? {
            return Ok(item);
        }
        if let Some(item) = self.class_escape()? {
            return Ok(item);
        }
        let start = self.at;
        let low = self.class_rune(open)?;
        let mut high = low;
        // A `-` in the last position is a member.
        if let [b'-', after, ..] = self.text.as_bytes()[self.at..]
            && after != b']'
        {
            self.at += 1;
            high = self.range_end(open)?;
        }
        if high < low {
            return Err(self.error_since(start, Kind::ClassRangeReversed));
        }
        Ok(ClassItem::Range { low, high })
    }

    /// Reads `[:alpha:]` or `[:^alpha:]`. If no `:]` follows, `[:` is two characters.
    fn posix_class(&mut self) -> Result<Option<ClassItem>, PatternError> {
        let start = self.at;
        let Some(rest) = self.text[start..].strip_prefix("[:") else {
            return Ok(None);
        };
        let Some(length) = rest.find(":]") else {
            return Ok(None);
        };
        let name = &rest[..length];
        self.at += length + 4;
        let (name, negated) = match name.strip_prefix('^') {
            Some(name) => (name, true),
            None => (name, false),
        };
        match Group::posix(name) {
            Some(group) => Ok(Some(ClassItem::Group { group, negated })),
            None => Err(self.error_since(start, Kind::UnknownPosixClass)),
        }
    }

    fn range_end(&mut self, open: usize) -> Result<Rune, PatternError> {
        self.class_rune(open).map_err(|error| match error.kind {
            Kind::UnknownEscape(class @ ('d' | 'D' | 's' | 'S' | 'w' | 'W' | 'p' | 'P')) => {
                PatternError::new(Kind::ClassAsRangeEnd(class), error.span)
            }
            _ => error,
        })
    }

    /// Reads a character, plain or escaped.
    fn class_rune(&mut self, open: usize) -> Result<Rune, PatternError> {
        if self.peek() == Some(b'\\') {
            return self.escape().map_err(|error| match error.kind {
                Kind::UnknownEscape(anchor @ ('b' | 'B' | 'A' | 'z')) => {
                    PatternError::new(Kind::AnchorInClass(anchor), error.span)
                }
                Kind::EndBeforeNewline => PatternError::new(Kind::AnchorInClass('Z'), error.span),
                _ => error,
            });
        }
        match self.take_char() {
            Some(literal) => Ok(literal.into()),
            None => Err(PatternError::new(Kind::MissingBracket, open..open + 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::pattern::hir::tests::{matches, members};

    #[test]
    fn brackets_and_dashes_may_be_members() {
        let cases = [
            ("[]a]", "]a"),
            ("[a-]", "-a"),
            ("[-a]", "-a"),
            ("[a\\-z]", "-az"),
            ("[[a]", "[a"),
            ("[a&&b]", "&ab"),
            ("[a~~b]", "ab~"),
            ("[+--]", "+,-"),
            ("[\\d-z]", "-0123456789z"),
            ("[[:digit:]_]", "0123456789_"),
            ("[[:foo]", ":[fo"),
            ("[\\x41-\\103]", "ABC"),
        ];
        for (class, wanted) in cases {
            let found = members(class);
            let mut wanted: Vec<char> = wanted.chars().collect();
            wanted.sort_unstable();
            assert_eq!(found, wanted, "{class}");
        }
    }

    #[test]
    fn negation_includes_newlines() {
        assert!(matches("[^a]", "\n") && matches("\\D", "\n") && matches("[^[:alpha:]]", "\n"));
        assert!(matches("[[:^alpha:]]", "é") && !matches("[^[:^alpha:]]", "é"));
        assert!(!matches("[^\\x00-\\x{10FFFF}]", "a"));
    }
}
