//! Help texts for refused patterns, and Go's names of the errors.
//!
//! Owns the help texts; each is understandable without the message, and shows what to type.

use super::error::{PatternError, PatternErrorKind};

impl PatternErrorKind {
    /// The correction to try.
    pub fn help(self) -> &'static str {
        use PatternErrorKind as K;
        match self {
            K::MissingBracket => "close the class with `]`, or write `\\[` for a bracket",
            K::MissingParen => "close the group with `)`, or write `\\(` for a parenthesis",
            K::UnexpectedParen => "write `\\)` for a parenthesis",
            K::TrailingBackslash => "write `\\\\` for a backslash",
            K::MissingRepeatArgument => {
                "put what is to be repeated before it, or escape it (`\\*`, `\\{`) to match it literally"
            }
            K::NestedRepeat => "keep one of the two, or group the inner one: `(?:a*)*`",
            K::PossessiveRepeat => {
                "remove the second `+`: matching never backtracks here, so it would change nothing"
            }
            K::RepeatCountTooLarge => "use a count of at most 1000, or no upper bound: `{1000,}`",
            K::RepeatBoundsReversed => "write the smaller bound first: `{1,2}`",
            K::RepeatProductTooLarge => {
                "lower the counts until their product is at most 1000, or use `*` or `+` for one"
            }
            K::ClassRangeReversed => {
                "write the lower character first, or put `-` first or last to match it literally"
            }
            K::UnknownPosixClass => {
                "use one of alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit"
            }
            K::UnknownProperty => {
                "use a category (`\\pL`, `\\p{Lu}`) or a script of one word (`\\p{Greek}`); Go finds no script of several words"
            }
            K::UnclosedProperty => "close the name with `}`: `\\p{Greek}`",
            K::BackReference => {
                "repeat the group's pattern instead; for a character by its octal code, write `\\01`"
            }
            K::NamedBackReference => "repeat the group's pattern instead",
            K::UnicodeEscape(_) => "write the code point as `\\x{41}`",
            K::HexEscape => "write two digits, `\\x41`, or braces up to `\\x{10FFFF}`",
            K::AnyByte => "use `(?s:.)` for any character",
            K::EndBeforeNewline => {
                "use `\\z` for the end of the text, or `\\n?\\z` to allow a last newline"
            }
            K::AnchorInClass('b') => {
                "write `\\x08` for a backspace; `\\b` is valid only outside a class"
            }
            K::AnchorInClass(_) => "move it out of the class",
            K::ClassAsRangeEnd(_) => "put `-` first or last in the class to match it literally",
            K::UnknownEscape(_) => "remove the backslash to match the character literally",
            K::LookAhead | K::LookBehind => {
                "match the surrounding text as well, or use several rules: the first that matches decides"
            }
            K::AtomicGroup => "use `(?:...)`: matching never backtracks here",
            K::Comment => "put the comment in the policy's YAML",
            K::UnknownFlag('x') => {
                "write the pattern without spaces and comments; the flags are `imsU`"
            }
            K::UnknownFlag('u') => {
                "remove it: text is always Unicode; `\\d \\w \\s \\b` are ASCII, and `\\p{L}` or `\\p{Nd}` \
                 are not"
            }
            K::UnknownFlag(_) => "the flags are `imsU`: `(?i)`, `(?s-m:...)`",
            K::FlagNegation => "write `(?i-s)` or `(?-s)`",
            K::UnknownGroup => "use `(...)`, `(?:...)`, `(?P<name>...)`, or flags such as `(?i)`",
            K::UnfinishedGroup => {
                "finish it: `(?:...)` or `(?i)`, or write `\\(` for a parenthesis"
            }
            K::GroupName => "use letters, digits and `_`: `(?P<name>...)`",
            K::UnclosedGroupName => "write `(?P<name>...)`",
            K::NestsTooDeep => "use fewer groups within groups",
            K::TooLarge => "split the pattern over several rules, or lower its repeat counts",
        }
    }

    /// Go's message for this kind of error, without its `error parsing regexp: `.
    pub fn go_message(self) -> &'static str {
        use PatternErrorKind as K;
        match self {
            K::MissingBracket => "missing closing ]",
            K::MissingParen => "missing closing )",
            K::UnexpectedParen => "unexpected )",
            K::TrailingBackslash => "trailing backslash at end of expression",
            K::MissingRepeatArgument => "missing argument to repetition operator",
            K::NestedRepeat | K::PossessiveRepeat => "invalid nested repetition operator",
            K::RepeatCountTooLarge | K::RepeatBoundsReversed | K::RepeatProductTooLarge => {
                "invalid repeat count"
            }
            K::ClassRangeReversed
            | K::UnknownPosixClass
            | K::UnknownProperty
            | K::UnclosedProperty => "invalid character class range",
            K::BackReference
            | K::NamedBackReference
            | K::UnicodeEscape(_)
            | K::HexEscape
            | K::AnyByte
            | K::EndBeforeNewline
            | K::AnchorInClass(_)
            | K::ClassAsRangeEnd(_)
            | K::UnknownEscape(_) => "invalid escape sequence",
            K::LookAhead
            | K::AtomicGroup
            | K::Comment
            | K::UnknownFlag(_)
            | K::FlagNegation
            | K::UnknownGroup
            | K::UnfinishedGroup => "invalid or unsupported Perl syntax",
            K::LookBehind | K::GroupName | K::UnclosedGroupName => "invalid named capture",
            K::NestsTooDeep => "expression nests too deeply",
            K::TooLarge => "expression too large",
        }
    }
}

impl PatternError {
    /// Go's whole message about `pattern`, as `regexp.Compile` returns it.
    pub fn go_text(&self, pattern: &str) -> String {
        format!("error parsing regexp: {}: `{}`", self.kind.go_message(), self.go_excerpt(pattern))
    }

    /// The part of the pattern that Go quotes: mostly the wrong bytes, but all of a pattern or the rest of it if a
    /// bracket is missing.
    fn go_excerpt<'p>(&self, pattern: &'p str) -> &'p str {
        use PatternErrorKind as K;
        let rest = || pattern.get(self.span.start..).unwrap_or_default();
        match self.kind {
            K::TrailingBackslash => "",
            K::MissingParen | K::UnexpectedParen | K::NestsTooDeep | K::TooLarge => pattern,
            K::MissingBracket | K::UnclosedProperty | K::UnclosedGroupName => rest(),
            K::LookBehind => rest().find('>').map_or(rest(), |end| &rest()[..=end]),
            _ => pattern.get(self.span.clone()).unwrap_or_default(),
        }
    }
}
