//! The start of a group: `(`, `(?:`, `(?P<name>`, `(?i)`, `(?s-i:`.

use super::ast::Case;
use super::error::{PatternError, PatternErrorKind as Kind};
use super::parse::{Entry, Flags, Parser};

impl Parser<'_> {
    /// Reads the start of a group, or a group that only sets flags.
    pub(super) fn open(&mut self) -> Result<(), PatternError> {
        let start = self.at;
        let rest = &self.text[start..];
        if !rest.starts_with("(?") {
            self.at += 1;
            self.push_open(start, true);
            return Ok(());
        }
        // Go reads these as the start of a name only if text follows.
        let prefix = ["(?P<", "(?<"]
            .into_iter()
            .find(|prefix| rest.starts_with(prefix) && rest.len() > prefix.len());
        match prefix {
            Some(prefix) => self.group_name(start, prefix.len()),
            None => self.flags(start),
        }
    }

    fn push_open(&mut self, at: usize, captures: bool) {
        self.limits.allocate();
        self.merge_literals();
        let flags = self.flags;
        self.stack.push(Entry::Open { flags, captures, at });
    }

    /// Reads the name of a group. Duplicates are allowed: no syntax refers to names.
    fn group_name(&mut self, start: usize, prefix: usize) -> Result<(), PatternError> {
        self.at += prefix;
        let rest = &self.text[self.at..];
        let name = rest.find('>').map(|length| &rest[..length]);
        let word = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
        let kind = match name {
            Some(name) if !name.is_empty() && name.bytes().all(word) => {
                self.at += name.len() + 1;
                self.push_open(start, true);
                return Ok(());
            }
            // `(?<=` and `(?<!` would otherwise be reported as bad names.
            _ if rest.starts_with(['=', '!']) && prefix == "(?<".len() => {
                self.at += 1;
                return Err(self.error_since(start, Kind::LookBehind));
            }
            Some(_) => Kind::GroupName,
            None => Kind::UnclosedGroupName,
        };
        self.at += name.map_or(0, |name| name.len() + 1);
        Err(self.error_since(start, kind))
    }

    /// Reads flags, up to the `)` that ends them or the `:` that opens a group.
    fn flags(&mut self, start: usize) -> Result<(), PatternError> {
        self.at += 2;
        let mut flags = self.flags;
        let mut negated = false;
        let mut seen = false;
        loop {
            let Some(flag) = self.take_char() else {
                return Err(self.error_since(start, Kind::UnfinishedGroup));
            };
            match flag {
                '-' if !negated => {
                    negated = true;
                    seen = false;
                }
                // A `-` that no flag follows is an error in Go.
                ':' | ')' if seen || !negated => {
                    if flag == ':' {
                        self.push_open(start, false);
                    }
                    // They apply to the rest of the group around them, which sets them back at its end.
                    self.flags = flags;
                    return Ok(());
                }
                _ if set_flag(&mut flags, flag, !negated) => seen = true,
                _ => return Err(self.refuse_group(start, flag)),
            }
        }
    }

    /// The error for an invalid group that starts at `start` and ends in `last`.
    fn refuse_group(&self, start: usize, last: char) -> PatternError {
        let kind = match (last, self.at - start - 2) {
            ('-' | ':' | ')', _) => Kind::FlagNegation,
            ('=' | '!', 1) => Kind::LookAhead,
            ('>', 1) => Kind::AtomicGroup,
            ('#', 1) => Kind::Comment,
            ('P' | 'R' | '|' | '\'' | '&' | '<', 1) => Kind::UnknownGroup,
            _ if last.is_alphabetic() => Kind::UnknownFlag(last),
            _ => Kind::UnknownGroup,
        };
        self.error_since(start, kind)
    }
}

/// Sets or clears a flag. Returns `false` if the flag does not exist.
fn set_flag(flags: &mut Flags, flag: char, on: bool) -> bool {
    match flag {
        'i' => flags.case = if on { Case::Folded } else { Case::Sensitive },
        'm' => flags.multi_line = on,
        's' => flags.dot_newline = on,
        // Greediness has no effect on whether there is a match.
        'U' => {}
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::pattern::Pattern;
    use crate::pattern::hir::tests::matches;

    #[test]
    fn flags_hold_until_their_group_ends() {
        assert!(matches("^(?i)a(?-i)b$", "Ab") && !matches("^(?i)a(?-i)b$", "AB"));
        assert!(matches("^(?:(?i)a)b$", "Ab") && !matches("^(?:(?i)a)b$", "AB"));
        assert!(matches("^(?i:a)b$", "Ab") && !matches("^(?i:a)b$", "AB"));
        assert!(matches("^(?:(?i)x|a)$", "A") && matches("(?i)(?P<n>a)", "A"));
        assert!(
            !matches("^.$", "\n") && matches("^(?s).$", "\n") && !matches("^(?s)(?-s:.)$", "\n")
        );
    }

    #[test]
    fn what_go_lets_pass_as_a_group() {
        // A name may repeat, the list of flags may be empty, and `U` changes no result.
        for text in
            ["(?P<n>a)(?P<n>b)", "(?<n>a)", "(?P<1>a)", "(?)", "(?:)", "()", "(?ii-ss)", "(?U)a+?"]
        {
            assert!(Pattern::parse(text).is_ok(), "{text}");
        }
        for text in
            ["(?", "(?-)", "(?-:a)", "(?P<é>a)", "(?P<n", "(?P<", "(?<", "(?P>n)", "(?R)", "(?u)"]
        {
            assert!(Pattern::parse(text).is_err(), "{text}");
        }
    }
}
