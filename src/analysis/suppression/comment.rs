//! The syntax of suppression comments.

use document::diag::{Code, Span, did_you_mean};
use jiff::civil::Date;

/// Codes of findings about suppressions themselves, which a comment cannot suppress.
const ABOUT_SUPPRESSIONS: [Code; 3] =
    [Code::UnusedSuppression, Code::ExpiredSuppression, Code::InvalidSuppression];

/// The beginning of every comment for this program.
const PREFIX: &str = "armadactl:";

/// The comment applies to what is on its line or below.
const IGNORE: &str = "ignore";
/// The comment applies to its file.
const IGNORE_FILE: &str = "ignore-file";

/// A valid suppression comment.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Suppression {
    /// The comment, from its `#`.
    pub(super) comment: Span,
    /// Whether it applies to the whole file.
    pub(super) is_for_file: bool,
    /// The suppressed codes and their places, at least one.
    pub(super) codes: Vec<(Code, Span)>,
    /// The last day on which it applies, and the place of `until=`.
    pub(super) until: Option<(Date, Span)>,
    /// The reason, not empty.
    pub(super) reason: String,
}

/// Why a comment is not a valid suppression.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Invalid {
    pub(super) span: Span,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

/// Whether a text may contain suppression comments.
pub(super) fn may_have_suppressions(text: &str) -> bool {
    text.contains(PREFIX)
}

fn invalid<T>(
    span: Span,
    message: impl Into<String>,
    help: impl Into<Option<String>>,
) -> Result<T, Invalid> {
    Err(Invalid { span, message: message.into(), help: help.into() })
}

/// Reads a comment; `None` if it is an ordinary one.
pub(super) fn parse(text: &str, comment: Span) -> Option<Result<Suppression, Invalid>> {
    let content = text.get(comment.range())?.trim_start_matches('#');
    let rest = content.trim_start_matches([' ', '\t']).strip_prefix(PREFIX)?;
    let mut words = words(rest, comment.end - rest.len()).into_iter().peekable();
    let first = words.next()?;
    let is_spaced = rest.starts_with([' ', '\t']);
    if is_spaced && !matches!(first.text, IGNORE | IGNORE_FILE) {
        // `# armadactl: how to check this file` is prose.
        return None;
    }
    let directives = [IGNORE, IGNORE_FILE];
    if is_spaced || !directives.contains(&first.text) {
        let message = if is_spaced {
            format!("a blank after `{PREFIX}`: the comment suppresses nothing")
        } else {
            format!("unknown comment `{PREFIX}{}`", first.text)
        };
        let near = did_you_mean(first.text, directives).unwrap_or(IGNORE);
        let help = format!("write `# {PREFIX}{near} CODE -- REASON`");
        return Some(invalid(first.span, message, help));
    }
    Some(suppression(comment, first.text == IGNORE_FILE, words))
}

/// A word of a comment.
struct Word<'a> {
    text: &'a str,
    span: Span,
}

/// Splits a text at blanks, and the part before ` -- ` at commas too.
fn words(text: &str, offset: usize) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut is_reason = false;
    let mut start = 0;
    for (end, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if !(c == ' ' || c == '\t' || c == ',' && !is_reason) {
            continue;
        }
        if end > start {
            let span = Span::new(offset + start, offset + end);
            words.push(Word { text: &text[start..end], span });
            is_reason |= &text[start..end] == "--";
        }
        start = end + 1;
    }
    words
}

fn suppression<'a>(
    comment: Span,
    is_for_file: bool,
    words: impl Iterator<Item = Word<'a>>,
) -> Result<Suppression, Invalid> {
    let (mut codes, mut until, mut reason) = (Vec::new(), None, Vec::new());
    let mut is_reason = false;
    for word in words {
        if is_reason {
            reason.push(word.text);
        } else if word.text == "--" {
            is_reason = true;
        } else if let Some(date) = word.text.strip_prefix("until=") {
            if until.is_some() {
                return invalid(word.span, "`until` is given twice", "keep one of them".to_owned());
            }
            until = Some((read_date(date, word.span)?, word.span));
        } else if until.is_some() {
            let help = "put it before `until`, or after ` -- ` if it belongs to the reason";
            return invalid(word.span, format!("unexpected `{}`", word.text), help.to_owned());
        } else {
            codes.push((read_code(&word)?, word.span));
        }
    }
    let help = "write `# armadactl:ignore CODE -- REASON`".to_owned();
    if codes.is_empty() {
        return invalid(comment, "the suppression names no finding", help);
    }
    if reason.is_empty() {
        return invalid(comment, "the suppression has no reason", help);
    }
    let reason = reason.join(" ");
    Ok(Suppression { comment, is_for_file, codes, until, reason })
}

fn read_code(word: &Word<'_>) -> Result<Code, Invalid> {
    let Some(code) = Code::from_id(word.text) else {
        let message = format!("no finding has the id `{}`", word.text);
        let is_id = word.text.starts_with(|c: char| c.eq_ignore_ascii_case(&'r'));
        let near = did_you_mean(word.text, Code::ALL.iter().map(|code| code.id()));
        let help = match near.filter(|_| is_id) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                "name the ids of findings, such as `RP101`; the reason is after ` -- `".to_owned()
            }
        };
        return invalid(word.span, message, help);
    };
    if ABOUT_SUPPRESSIONS.contains(&code) {
        let message = format!("`{}` cannot be suppressed by a comment", code.id());
        let help = "it is about such comments; exclude it with `--ignore`";
        return invalid(word.span, message, help.to_owned());
    }
    Ok(code)
}

fn read_date(text: &str, span: Span) -> Result<Date, Invalid> {
    let is_date = text.len() == "2027-01-01".len();
    if let Some(date) = text.parse().ok().filter(|_| is_date) {
        return Ok(date);
    }
    let message = format!("`{text}` is not a date");
    invalid(span, message, "write it as `until=2027-01-01`".to_owned())
}
