//! Cuts a stream of JSON into the elements of its lists, one at a time, however long the stream is.
//!
//! A list of half a gigabyte is never one tree: its elements come one by one, as bytes, with the
//! line they begin on. Only quotes and brackets are read here. Whether the bytes between them are JSON is checked
//! by the reader of the piece.

use super::cursor::Cursor;
use super::sink::Fault;
use super::unsupported::REDIRECT;
use document::diag::{Code, Diagnostic, Place, Source, Span, cut_off, not_json, trailing_comma};
use std::io::{self, BufRead};
use std::sync::Arc;

/// The longest value that is kept, in bytes: as long as the longest document.
// A job with thousands of runs takes a few MiB.
const LONGEST: usize = 64 << 20;

/// The name of a list that no object has: each object is a piece of its own.
pub(in crate::history) const NO_LIST: &str = "\0";

/// The position of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::history) enum Position {
    /// In the list that was looked for, or in a list at the top.
    InList,
    /// On its own, an object without such a list.
    Alone,
}

#[derive(Debug)]
pub(in crate::history) struct Piece<'e> {
    pub(in crate::history) text: &'e [u8],
    /// The line it begins on, from 1.
    pub(in crate::history) line: usize,
    pub(in crate::history) position: Position,
    indent: usize,
    name: &'e str,
}

/// The next part of the text.
#[derive(Debug)]
pub(in crate::history) enum Next<'e> {
    /// A value.
    Piece(Piece<'e>),
    /// The text breaks off or is no JSON; nothing comes after it.
    Broken(Fault),
    /// There is no more.
    End,
}

/// The values of a stream.
pub(in crate::history) struct Elements<'r> {
    name: &'r str,
    list: &'static str,
    cursor: Cursor<'r>,
    within: Within,
    kept: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    /// Between the values at the top.
    Top,
    /// In the list of an object.
    List(Entry),
    /// In a list at the top.
    TopList(Entry),
    /// In an object, after its list.
    Rest,
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    First,
    Later,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    Yes,
    No,
}

/// Why reading ends before the stream does.
enum Stop {
    Io(io::Error),
    Broken(Code, String, Option<String>),
    /// Text that is not JSON precedes or follows a value.
    NoValue,
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn broken(message: &str) -> Stop {
    syntax(not_json(message))
}

fn syntax((message, help): (String, String)) -> Stop {
    Stop::Broken(Code::Syntax, message, Some(help))
}

impl<'r> Elements<'r> {
    /// The elements of the lists called `list` of the objects of a stream, and the objects that
    /// have none. `name` is the stream's name in messages.
    pub(in crate::history) fn new(
        name: &'r str,
        list: &'static str,
        bytes: &'r mut dyn BufRead,
    ) -> Self {
        Self { name, list, cursor: Cursor::new(bytes), within: Within::Top, kept: Vec::new() }
    }

    pub(in crate::history) fn next(&mut self) -> io::Result<Next<'_>> {
        match self.cut() {
            Ok(Some((line, indent, position))) => {
                Ok(Next::Piece(Piece { text: &self.kept, line, position, indent, name: self.name }))
            }
            Ok(None) => Ok(Next::End),
            Err(Stop::Io(error)) => Err(error),
            Err(Stop::Broken(code, message, help)) => {
                Ok(Next::Broken(self.fault(code, message).maybe_help(help).into()))
            }
            Err(Stop::NoValue) => {
                let fault = self.fault(Code::Syntax, "invalid JSON: expected an object".to_owned());
                Ok(Next::Broken(fault.help(format!("remove this text, {REDIRECT}")).into()))
            }
        }
    }

    /// The finding that ends the stream.
    fn fault(&mut self, code: Code, message: String) -> Diagnostic {
        self.within = Within::End;
        let source = Source::excerpt(self.name, "", self.cursor.line);
        Diagnostic::error(code, Place::new(&source, Span::default()), message)
    }

    /// Keeps the next value; returns its line, indentation and position.
    fn cut(&mut self) -> Result<Option<(usize, usize, Position)>, Stop> {
        loop {
            let next = self.skip_blank(Keep::No)?;
            match (self.within, next) {
                (Within::End, _) | (Within::Top, None) => {
                    self.within = Within::End;
                    return Ok(None);
                }
                (_, None) => return Err(syntax(cut_off())),
                (Within::Top, Some(b'[')) => {
                    self.cursor.bump();
                    self.within = Within::TopList(Entry::First);
                }
                (Within::Top, Some(b'{')) => {
                    let begin = self.begin();
                    if self.object()? {
                        return Ok(Some((begin.0, begin.1, Position::Alone)));
                    }
                }
                (Within::Top, Some(_)) => return Err(Stop::NoValue),
                (Within::List(_), Some(b']')) => {
                    self.cursor.bump();
                    self.within = Within::Rest;
                }
                (Within::TopList(_), Some(b']')) => {
                    self.cursor.bump();
                    self.within = Within::Top;
                }
                (Within::List(entry) | Within::TopList(entry), Some(_)) => {
                    if entry == Entry::Later {
                        self.expect(b',', "expected `,` or `]`")?;
                        if let Some(end @ b']') = self.skip_blank(Keep::No)? {
                            return Err(syntax(trailing_comma(end)));
                        }
                    }
                    let begin = self.begin();
                    self.value(Keep::Yes)?;
                    self.within = match self.within {
                        Within::List(_) => Within::List(Entry::Later),
                        _ => Within::TopList(Entry::Later),
                    };
                    return Ok(Some((begin.0, begin.1, Position::InList)));
                }
                (Within::Rest, Some(_)) => self.rest()?,
            }
        }
    }

    /// The line of the value that begins here, and how far it is indented.
    fn begin(&mut self) -> (usize, usize) {
        self.kept.clear();
        (self.cursor.line, self.cursor.indent())
    }

    /// Keeps an object up to its list, if it has one, else to its end. Whether it is whole.
    fn object(&mut self) -> Result<bool, Stop> {
        self.keep(b'{')?;
        if self.skip_blank(Keep::Yes)? == Some(b'}') {
            self.keep(b'}')?;
            return Ok(true);
        }
        loop {
            if self.key(Keep::Yes)? {
                return Ok(false);
            }
            self.value(Keep::Yes)?;
            match self.skip_blank(Keep::Yes)? {
                Some(b'}') => {
                    self.keep(b'}')?;
                    return Ok(true);
                }
                _ => self.expect(b',', "expected `,` or `}`")?,
            }
            // Keys after the value may follow, so that the comma is part of the object.
            self.kept.push(b',');
        }
    }

    /// Skips the rest of an object after its list.
    fn rest(&mut self) -> Result<(), Stop> {
        if self.skip_blank(Keep::No)? == Some(b'}') {
            self.cursor.bump();
            self.within = Within::Top;
            return Ok(());
        }
        self.expect(b',', "expected `,` or `}`")?;
        if !self.key(Keep::No)? {
            self.value(Keep::No)?;
        }
        Ok(())
    }

    /// Reads a key and its colon; returns whether it is that of the list, whose bracket is then read too.
    fn key(&mut self, keep: Keep) -> Result<bool, Stop> {
        match self.skip_blank(keep)? {
            Some(b'"') => {}
            Some(end @ b'}') => return Err(syntax(trailing_comma(end))),
            _ => return Err(broken("expected a key")),
        }
        let start = self.kept.len();
        // A key is short: it is kept for the comparison, then dropped.
        self.value(Keep::Yes)?;
        let is_list =
            self.kept[start..].strip_prefix(b"\"").and_then(|key| key.strip_suffix(b"\""))
                == Some(self.list.as_bytes());
        self.skip_blank(keep)?;
        self.expect(b':', "expected `:`")?;
        match keep {
            Keep::Yes => self.kept.push(b':'),
            Keep::No => self.kept.truncate(start),
        }
        let found = is_list && self.skip_blank(keep)? == Some(b'[');
        if found {
            self.cursor.bump();
            // Only the items of the list are passed on; what came before it is not.
            self.kept.clear();
            self.within = Within::List(Entry::First);
        }
        Ok(found)
    }

    /// One value, whatever it is.
    fn value(&mut self, keep: Keep) -> Result<(), Stop> {
        // Brackets are counted and not matched: the reader of the piece finds a `]` that closes a `{`.
        let (mut depth, mut quoted) = (0_usize, false);
        self.skip_blank(keep)?;
        let mut empty = true;
        loop {
            let Some(byte) = self.cursor.peek()? else {
                return Err(syntax(cut_off()));
            };
            if quoted {
                quoted = byte != b'"';
                self.take(byte, keep)?;
                // An escaped quote does not end the text; the byte after a backslash is taken with it, whatever it is.
                if byte == b'\\'
                    && let Some(escaped) = self.cursor.peek()?
                {
                    self.take(escaped, keep)?;
                }
                if !quoted && depth == 0 {
                    return Ok(());
                }
                continue;
            }
            match byte {
                b',' | b'}' | b']' | b':' if depth == 0 => {
                    return if empty { Err(broken("expected a value")) } else { Ok(()) };
                }
                b' ' | b'\t' | b'\r' | b'\n' if depth == 0 => return Ok(()),
                b'"' if depth == 0 && !empty => {
                    return Err(broken("a text begins in the middle of a value"));
                }
                b'"' => quoted = true,
                b'{' | b'[' => depth += 1,
                // The depth is above 0: a closing bracket at depth 0 has ended the value.
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            empty = false;
            self.take(byte, keep)?;
            if depth == 0 && matches!(byte, b'}' | b']') {
                return Ok(());
            }
        }
    }

    fn take(&mut self, byte: u8, keep: Keep) -> Result<(), Stop> {
        match keep {
            Keep::Yes => self.keep(byte),
            Keep::No => {
                self.cursor.bump();
                Ok(())
            }
        }
    }

    fn keep(&mut self, byte: u8) -> Result<(), Stop> {
        if self.kept.len() == LONGEST {
            let message =
                format!("a value is longer than {} MiB, the most that is read", LONGEST >> 20);
            return Err(Stop::Broken(Code::TooMuch, message, None));
        }
        self.kept.push(byte);
        self.cursor.bump();
        Ok(())
    }

    fn expect(&mut self, byte: u8, otherwise: &str) -> Result<(), Stop> {
        if self.cursor.peek()? != Some(byte) {
            return Err(broken(otherwise));
        }
        self.cursor.bump();
        Ok(())
    }

    /// The next byte that is not blank.
    fn skip_blank(&mut self, keep: Keep) -> Result<Option<u8>, Stop> {
        loop {
            match self.cursor.peek()? {
                Some(byte @ (b' ' | b'\t' | b'\r' | b'\n')) => self.take(byte, keep)?,
                other => return Ok(other),
            }
        }
    }
}

impl Piece<'_> {
    /// The piece as a text to point into, and where in it the piece begins. Columns are true if
    /// the piece is the first on its line, else they count from its beginning.
    pub(in crate::history) fn source(&self) -> (Arc<Source>, usize) {
        let text = " ".repeat(self.indent) + &String::from_utf8_lossy(self.text);
        (Source::excerpt(self.name, text, self.line), self.indent)
    }

    /// A finding about the piece as a whole, at its beginning.
    pub(in crate::history) fn fault(&self, message: impl Into<String>) -> Diagnostic {
        let (source, begin) = self.source();
        let place = Place::new(&source, Span::new(begin, begin + 1));
        Diagnostic::error(Code::BadRecord, place, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<String> {
        let mut bytes = text.as_bytes();
        let mut elements = Elements::new("x", "items", &mut bytes);
        let mut all = Vec::new();
        loop {
            match elements.next().unwrap() {
                Next::Piece(piece) => {
                    let text = std::str::from_utf8(piece.text).unwrap();
                    let suffix = if piece.position == Position::InList { "" } else { " alone" };
                    all.push(format!("{}+{}: {text}{suffix}", piece.line, piece.indent));
                }
                Next::Broken(finding) => {
                    all.push(format!("{}: {}", finding.place.unwrap(), finding.message));
                }
                Next::End => return all,
            }
        }
    }

    #[test]
    fn elements_come_one_by_one() {
        let text = "{\n  \"a\": {\"items\": [1]},\n  \"items\": [\n    {\"n\": \"]}\\\"\"},\n    2, []\n  ],\n  \"kind\": \"List\", \"z\": [\n]}";
        assert_eq!(pieces(text), ["4+4: {\"n\": \"]}\\\"\"}", "5+4: 2", "5+0: []"]);
        assert_eq!(pieces("{\"items\":[]} {\"items\": null}"), ["1+0: {\"items\": null} alone"]);
        assert_eq!(pieces("[{},{}]{}"), ["1+0: {}", "1+0: {}", "1+0: {} alone"]);
        assert_eq!(pieces("\u{feff}{\"items\":[1]}{\"items\":[2]}"), ["1+0: 1", "1+0: 2"]);
        assert_eq!(pieces(" \n"), Vec::<String>::new());
    }

    #[test]
    fn a_broken_stream_has_one_finding() {
        for (text, last) in [
            ("{\"items\":[{\"a\":1}\n,{\"b\"", "x:2:1: the text ends in the middle of a value"),
            ("{\"items\":[1 2]}", "x:1:1: invalid JSON: expected `,` or `]`"),
            ("{\"items\":[1,]}", "x:1:1: invalid JSON: a comma before `]`"),
            ("[1,\n]", "x:2:1: invalid JSON: a comma before `]`"),
            ("{\"a\":1,}", "x:1:1: invalid JSON: a comma before `}`"),
            ("{\"items\":[,1]}", "x:1:1: invalid JSON: expected a value"),
            ("{\"a\" 1}", "x:1:1: invalid JSON: expected `:`"),
            ("{1}", "x:1:1: invalid JSON: expected a key"),
            ("nonsense", "x:1:1: invalid JSON: expected an object"),
            ("{\"items\":[]", "x:1:1: the text ends in the middle of a value"),
        ] {
            assert_eq!(pieces(text).last().map(String::as_str), Some(last), "{text}");
        }
    }
}
