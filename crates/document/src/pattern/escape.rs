//! Escapes: the text after a backslash.

use super::ast::{Assertion, ClassItem, Group, Rune};
use super::error::{PatternError, PatternErrorKind as Kind};
use super::names::Property;
use super::parse::Parser;

impl Parser<'_> {
    /// The next byte, without consuming it.
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Consumes the next character.
    pub(super) fn take_char(&mut self) -> Option<char> {
        let next = self.text[self.at..].chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// An error from `start` to the current position.
    pub(super) fn error_since(&self, start: usize, kind: Kind) -> PatternError {
        PatternError::new(kind, start..self.at)
    }

    /// Reads an escape outside a class.
    pub(super) fn backslash(&mut self) -> Result<(), PatternError> {
        let start = self.at;
        let assertion = match self.text.as_bytes().get(start + 1) {
            Some(b'A') => Assertion::TextStart,
            Some(b'z') => Assertion::TextEnd,
            Some(b'b') => Assertion::WordBoundary,
            Some(b'B') => Assertion::NotWordBoundary,
            Some(b'Q') => return self.quoted_literal(),
            _ => {
                let items = self.ast.items.len();
                if let Some(item) = self.class_escape()? {
                    self.ast.items.push(item);
                    return self.push_class(items, false);
                }
                let rune = self.escape()?;
                return self.literal(rune);
            }
        };
        self.at += 2;
        self.assertion(assertion)
    }

    /// Reads `\Q...\E`, or `\Q...` up to the end.
    fn quoted_literal(&mut self) -> Result<(), PatternError> {
        self.at += 2;
        let rest = &self.text[self.at..];
        let (quoted_literal, after) = match rest.find("\\E") {
            Some(end) => (&rest[..end], end + 2),
            None => (rest, rest.len()),
        };
        for literal in quoted_literal.chars() {
            self.literal(literal.into())?;
        }
        self.at += after;
        Ok(())
    }

    /// Reads an escape of a class, such as `\d` or `\pL`, inside or outside brackets. Consumes nothing if the
    /// text is anything else.
    pub(super) fn class_escape(&mut self) -> Result<Option<ClassItem>, PatternError> {
        let [b'\\', letter, ..] = self.text.as_bytes()[self.at..] else {
            return Ok(None);
        };
        if letter.eq_ignore_ascii_case(&b'p') {
            return self.property(letter == b'P').map(Some);
        }
        let item = Group::perl(letter.to_ascii_lowercase())
            .map(|group| ClassItem::Group { group, negated: letter.is_ascii_uppercase() });
        if item.is_some() {
            self.at += 2;
        }
        Ok(item)
    }

    /// Reads `\pL`, `\p{Greek}`, `\P{^Greek}`.
    fn property(&mut self, negated: bool) -> Result<ClassItem, PatternError> {
        let start = self.at;
        self.at += 2;
        let name_start = self.at;
        let name = if self.take_char() == Some('{') {
            let Some(length) = self.text[self.at..].find('}') else {
                return Err(self.error_since(start, Kind::UnclosedProperty));
            };
            let name = &self.text[self.at..self.at + length];
            self.at += length + 1;
            name
        } else {
            &self.text[name_start..self.at]
        };
        let (name, inverted) = match name.strip_prefix('^') {
            Some(name) => (name, true),
            None => (name, false),
        };
        match Property::by_name(name) {
            // `\P{^Greek}` is the same as `\p{Greek}`.
            Some(property) => Ok(ClassItem::Property { property, negated: negated != inverted }),
            None => Err(self.error_since(start, Kind::UnknownProperty)),
        }
    }

    /// Reads an escape of one character.
    pub(super) fn escape(&mut self) -> Result<Rune, PatternError> {
        let start = self.at;
        self.at += 1;
        let Some(escaped) = self.take_char() else {
            return Err(self.error_since(start, Kind::TrailingBackslash));
        };
        let rune = match escaped {
            '0' => self.octal(0),
            // A single digit other than 0 would be a back reference, which Go does not have.
            '1'..='7' if matches!(self.peek(), Some(b'0'..=b'7')) => {
                self.octal(u32::from(escaped) - u32::from('0'))
            }
            'x' => return self.hexadecimal(start),
            'a' => 0x07,
            'f' => 0x0c,
            'n' => 0x0a,
            'r' => 0x0d,
            't' => 0x09,
            'v' => 0x0b,
            // Any other ASCII character that is not a letter or digit represents itself.
            '\0'..='\x7f' if !escaped.is_ascii_alphanumeric() => escaped.into(),
            _ => return Err(self.error_since(start, refusal_kind(escaped))),
        };
        Ok(rune)
    }

    /// Reads up to two more octal digits.
    fn octal(&mut self, first: Rune) -> Rune {
        let mut rune = first;
        for _ in 0..2 {
            let Some(digit @ b'0'..=b'7') = self.peek() else {
                break;
            };
            rune = rune * 8 + u32::from(digit - b'0');
            self.at += 1;
        }
        rune
    }

    /// Reads the text after `\x`: two digits, or any number of digits in braces.
    fn hexadecimal(&mut self, start: usize) -> Result<Rune, PatternError> {
        let braced = self.peek() == Some(b'{');
        self.at += usize::from(braced);
        let first = self.at;
        let mut rune = 0;
        while let Some(next) = self.take_char() {
            // Braces without a digit are refused.
            if braced && next == '}' && self.at > first + 1 {
                return Ok(rune);
            }
            let Some(digit) = next.to_digit(16) else {
                break;
            };
            rune = rune * 16 + digit;
            // No character is larger, and more digits would overflow.
            if rune > char::MAX.into() {
                break;
            }
            if !braced && self.at == first + 2 {
                return Ok(rune);
            }
        }
        Err(self.error_since(start, Kind::HexEscape))
    }
}

/// The kind of error for an escape that Go refuses.
fn refusal_kind(escaped: char) -> Kind {
    match escaped {
        '1'..='9' => Kind::BackReference,
        'k' => Kind::NamedBackReference,
        'u' | 'U' => Kind::UnicodeEscape(escaped),
        'C' => Kind::AnyByte,
        'Z' => Kind::EndBeforeNewline,
        _ => Kind::UnknownEscape(escaped),
    }
}

#[cfg(test)]
mod tests {
    use crate::pattern::hir::tests::matches;

    #[test]
    fn escapes_stand_for_their_characters() {
        let cases = [
            ("\\a\\f\\n\\r\\t\\v", "\x07\x0c\n\r\t\x0b"),
            ("\\0\\01\\012\\101\\1234", "\0\x01\nAS4"),
            ("\\08", "\08"),
            ("\\x41\\x{42}\\x{0000000000043}\\x{10FFFF}", "ABC\u{10ffff}"),
            ("\\.\\_\\-\\]\\\"\\ ", "._-]\" "),
            ("\\Qa.b*\\n\\E+", "a.b*\\nnn"),
            ("\\Q(", "("),
        ];
        for (pattern, text) in cases {
            assert!(matches(&format!("^{pattern}"), text), "{pattern}");
        }
    }

    #[test]
    fn a_surrogate_is_in_no_text() {
        assert!(!matches("\\x{d800}", "\u{fffd}"));
        assert!(!matches("[\\x{d800}-\\x{dfff}]", "\u{d7ff}\u{e000}"));
        assert!(matches("(?:\\x{d800}|a)", "a") && matches("\\x{d800}*", ""));
    }

    #[test]
    fn text_ends_only_at_its_end() {
        assert!(matches("a\\z", "a") && !matches("a\\z", "a\n"));
        assert!(matches("a$", "a") && !matches("a$", "a\n"));
        assert!(matches("(?m)a$", "a\nb") && matches("(?m)^b", "a\nb"));
        assert!(!matches("(?m)\\Ab", "a\nb") && !matches("^b", "a\nb"));
    }
}
