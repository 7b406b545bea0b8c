//! Splits an expression into tokens.

/// Why an expression is not one that can be evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpressionError {
    /// The reason, with the part that cannot be evaluated.
    pub message: String,
    /// The offset of it in the text, in bytes.
    pub offset: usize,
}

/// A token and its offset in the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    /// Its kind, with its contents.
    pub kind: TokenKind,
    /// Its offset, in bytes.
    pub offset: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    /// A name, with its members: `lastRetry.exitCode`.
    Name(String),
    /// A text, without quotes and escapes.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Float(f64),
    /// An operator or a bracket.
    Symbol(&'static str),
}

/// The operators and brackets, the longer ones first.
const SYMBOLS: [&str; 24] = [
    "&&", "||", "==", "!=", "<=", ">=", "..", "??", "?.", "**", "!", "<", ">", "(", ")", "[", "]",
    ",", "-", "+", "*", "/", "?", ":",
];

/// Returns the tokens of a text.
///
/// # Errors
///
/// If a part of it is no token that is read here.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, ExpressionError> {
    let mut tokens = Vec::new();
    let mut offset = 0;
    while let Some(first) = text[offset..].chars().next() {
        let rest = &text[offset..];
        if first.is_whitespace() {
            offset += first.len_utf8();
            continue;
        }
        let (kind, length) = if is_name(first) {
            name(rest)
        } else if first.is_ascii_digit() {
            number(rest).ok_or_else(|| error(offset, rest, "the number"))?
        } else if matches!(first, '"' | '\'' | '`') {
            quoted(rest, first).ok_or_else(|| error(offset, rest, "the text"))?
        } else {
            let symbol = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol));
            let symbol = symbol.ok_or_else(|| error(offset, &rest[..first.len_utf8()], ""))?;
            (TokenKind::Symbol(symbol), symbol.len())
        };
        tokens.push(Token { kind, offset });
        offset += length;
    }
    Ok(tokens)
}

fn error(offset: usize, part: &str, what: &str) -> ExpressionError {
    let space = if what.is_empty() { "" } else { " " };
    ExpressionError { message: format!("{what}{space}`{part}` cannot be evaluated here"), offset }
}

fn is_name(first: char) -> bool {
    first.is_alphabetic() || first == '_' || first == '$'
}

/// Returns a name with its members, and the length.
fn name(text: &str) -> (TokenKind, usize) {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let length = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    // A range such as `a..b` is no member.
    let length = text[..length].find("..").unwrap_or(length);
    (TokenKind::Name(text[..length].to_owned()), length)
}

/// Returns a decimal number and its length; `None` for all other notations.
fn number(text: &str) -> Option<(TokenKind, usize)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let length = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    let length = text[..length].find("..").unwrap_or(length);
    let digits = &text[..length];
    let is_decimal = digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    if !is_decimal || digits.ends_with('.') || digits.len() > 1 && digits.starts_with("00") {
        return None;
    }
    let kind = if digits.contains('.') {
        TokenKind::Float(digits.parse().ok()?)
    } else {
        TokenKind::Integer(digits.parse().ok()?)
    };
    Some((kind, length))
}

/// Returns a quoted text and its length with the quotes; `None` if it does not end, or has an escape other than a quote, a
/// backslash, `\n`, `\r` and `\t`.
fn quoted(text: &str, quote: char) -> Option<(TokenKind, usize)> {
    let mut content = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' if quote != '`' => content.push(match characters.next()?.1 {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                escaped @ ('\\' | '"' | '\'') => escaped,
                _ => return None,
            }),
            // Only a text in backticks may go over lines.
            '\n' if quote != '`' => return None,
            _ if character == quote => {
                // A doubled backtick is an escaped one, which is not read.
                let is_doubled = quote == '`' && text[at + 1..].starts_with('`');
                return (!is_doubled).then_some((TokenKind::Text(content), at + 1));
            }
            _ => content.push(character),
        }
    }
    None
}
