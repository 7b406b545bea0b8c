//! The errors about patterns, with their places.
//!
//! Owns the kinds of mistake and their names, but decides nothing. Each mistake that an author can make has a
//! kind of its own, which is finer than Go's codes.

use std::ops::Range;

/// A pattern that Go's `regexp` refuses, and the place of the mistake.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct PatternError {
    /// The mistake.
    pub kind: PatternErrorKind,
    /// The wrong bytes of the pattern, on character boundaries.
    pub span: Range<usize>,
}

impl PatternError {
    pub(super) fn new(kind: PatternErrorKind, span: Range<usize>) -> Self {
        Self { kind, span }
    }
}

/// The mistakes for which Go refuses a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum PatternErrorKind {
    /// `[a`
    #[error("this class has no closing `]`")]
    MissingBracket,
    /// `(a`
    #[error("this group has no closing `)`")]
    MissingParen,
    /// `a)`
    #[error("this `)` closes no group")]
    UnexpectedParen,
    /// `a\`
    #[error("the pattern ends in a single backslash")]
    TrailingBackslash,
    /// `*a`, `a|+`
    #[error("there is nothing to repeat before this operator")]
    MissingRepeatArgument,
    /// `a**`
    #[error("a repetition cannot be repeated")]
    NestedRepeat,
    /// `a++`
    #[error("possessive repetition is not supported")]
    PossessiveRepeat,
    /// `a{1001}`
    #[error("repeat count is over 1000")]
    RepeatCountTooLarge,
    /// `a{2,1}`
    #[error("repeat bounds are in the wrong order")]
    RepeatBoundsReversed,
    /// `(a{50}){50}`
    #[error("nested repeat counts multiply to over 1000")]
    RepeatProductTooLarge,
    /// `[z-a]`
    #[error("class range is in the wrong order")]
    ClassRangeReversed,
    /// `[[:alhpa:]]`
    #[error("unknown class between `[:` and `:]`")]
    UnknownPosixClass,
    /// `\p{Klingon}`
    #[error("unknown Unicode category or script")]
    UnknownProperty,
    /// `\p{Greek`
    #[error("this `\\p{{` has no closing `}}`")]
    UnclosedProperty,
    /// `\1`
    #[error("back-references are not supported")]
    BackReference,
    /// `\k<name>`
    #[error("named back-references are not supported")]
    NamedBackReference,
    /// `\u0041`
    #[error("`\\{0}` is not an escape")]
    UnicodeEscape(char),
    /// `\x4`, `\x{zz}`, `\x{110000}`
    #[error("not a hexadecimal escape of a character")]
    HexEscape,
    /// `\C`
    #[error("`\\C` (any byte) is not supported")]
    AnyByte,
    /// `\Z`
    #[error("`\\Z` is not supported")]
    EndBeforeNewline,
    /// `[\b]`, `[\z]`
    #[error("`\\{0}` has no meaning inside a class")]
    AnchorInClass(char),
    /// `[a-\d]`
    #[error("a class such as `\\{0}` cannot end a range")]
    ClassAsRangeEnd(char),
    /// `\y`
    #[error("unknown escape `\\{0}`")]
    UnknownEscape(char),
    /// `(?=a)`, `(?!a)`
    #[error("look-ahead is not supported")]
    LookAhead,
    /// `(?<=a)`, `(?<!a)`
    #[error("look-behind is not supported")]
    LookBehind,
    /// `(?>a)`
    #[error("atomic groups are not supported")]
    AtomicGroup,
    /// `(?#a)`
    #[error("comments are not supported")]
    Comment,
    /// `(?x)`
    #[error("unknown flag `{0}`")]
    UnknownFlag(char),
    /// `(?i-)`, `(?--i)`
    #[error("`-` must occur once, before the flags that it clears")]
    FlagNegation,
    /// `(?P=name)`, `(?|a)`, `(?'name'a)`
    #[error("unknown kind of group")]
    UnknownGroup,
    /// `(?i`
    #[error("this group is not finished")]
    UnfinishedGroup,
    /// `(?P<a b>c)`, `(?P<>c)`
    #[error("invalid group name")]
    GroupName,
    /// `(?P<name`
    #[error("this group name has no closing `>`")]
    UnclosedGroupName,
    /// More than 1000 levels of nesting.
    #[error("the pattern nests over 1000 levels deep")]
    NestsTooDeep,
    /// More memory than Go allows for a pattern.
    #[error("the pattern is too large")]
    TooLarge,
}

#[cfg(test)]
mod tests {
    use super::PatternErrorKind::*;
    use crate::pattern::Pattern;

    #[test]
    fn every_mistake_has_its_kind_and_place() {
        let cases = [
            ("[a", MissingBracket, 0..1),
            ("x[]", MissingBracket, 1..2),
            ("(a(b)", MissingParen, 0..1),
            ("((a", MissingParen, 1..2),
            ("é)", UnexpectedParen, 2..3),
            ("a\\", TrailingBackslash, 1..2),
            ("|*", MissingRepeatArgument, 1..2),
            ("a(?i)|{2}?", MissingRepeatArgument, 6..10),
            ("a**", NestedRepeat, 1..3),
            ("a{1}{2}", NestedRepeat, 1..7),
            ("a*+", PossessiveRepeat, 1..3),
            ("a{1001}", RepeatCountTooLarge, 1..7),
            ("a{99999999999999999999}", RepeatCountTooLarge, 1..23),
            ("a{2,1}", RepeatBoundsReversed, 1..6),
            ("(a{50}){50}", RepeatProductTooLarge, 7..11),
            ("[z-a]", ClassRangeReversed, 1..4),
            ("[[:alhpa:]]", UnknownPosixClass, 1..10),
            ("\\p{Klingon}", UnknownProperty, 0..11),
            ("\\pé", UnknownProperty, 0..4),
            ("\\p{Greek", UnclosedProperty, 0..3),
            ("(a)\\1", BackReference, 3..5),
            ("\\k<a>", NamedBackReference, 0..2),
            ("\\u0041", UnicodeEscape('u'), 0..2),
            ("\\x{110000}", HexEscape, 0..9),
            ("\\x4", HexEscape, 0..3),
            ("\\C", AnyByte, 0..2),
            ("a\\Z", EndBeforeNewline, 1..3),
            ("[\\b]", AnchorInClass('b'), 1..3),
            ("[\\Z]", AnchorInClass('Z'), 1..3),
            ("[a-\\d]", ClassAsRangeEnd('d'), 3..5),
            ("\\y", UnknownEscape('y'), 0..2),
            ("\\é", UnknownEscape('é'), 0..3),
            ("(?=a)", LookAhead, 0..3),
            ("(?!a)", LookAhead, 0..3),
            ("(?<=a)", LookBehind, 0..4),
            ("(?<!a>)", LookBehind, 0..4),
            ("(?>a)", AtomicGroup, 0..3),
            ("(?#a)", Comment, 0..3),
            ("(?ix)", UnknownFlag('x'), 0..4),
            ("(?i-)", FlagNegation, 0..5),
            ("(?--i)", FlagNegation, 0..4),
            ("(?P=a)", UnknownGroup, 0..3),
            ("(?'a'b)", UnknownGroup, 0..3),
            ("(?i", UnfinishedGroup, 0..3),
            ("(?P<a b>c)", GroupName, 0..8),
            ("(?<>c)", GroupName, 0..4),
            ("(?P<a", UnclosedGroupName, 0..4),
        ];
        for (text, kind, span) in cases {
            let error = Pattern::parse(text).expect_err(text);
            assert_eq!((error.kind, error.span), (kind, span), "{text}");
            assert!(!kind.help().is_empty() && !kind.go_message().is_empty());
        }
    }

    #[test]
    fn messages_read_as_sentences_begun_elsewhere() {
        let error = Pattern::parse("a(?x)b").expect_err("a flag of Perl's");
        assert_eq!(error.to_string(), "unknown flag `x`");
        assert_eq!(error.kind.go_message(), "invalid or unsupported Perl syntax");
        let error = Pattern::parse("\\p{Greek").expect_err("not closed");
        assert_eq!(error.to_string(), "this `\\p{` has no closing `}`");
    }
}
