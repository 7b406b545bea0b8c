//! Parser of the first JSON value of a body, with the error messages of Go's `encoding/json`.

use super::json::Json;
use super::number::Number;
use document::diag::go_quote;

/// The first value of a body.
#[derive(Debug)]
pub struct FirstValue {
    /// The value; `None` for a body without one.
    pub value: Option<Json>,
    /// Whether anything but white space follows it.
    pub has_more: bool,
}

/// The reason that a body has no valid first value.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// The body ends inside the value.
    #[error("unexpected EOF")]
    Ends,
    /// The body is not JSON.
    #[error("{0}")]
    Syntax(String),
}

/// The maximum depth of lists and objects, as the parser is recursive. Go's maximum is 10,000.
const MAX_DEPTH: usize = 128;

impl Json {
    /// Parses the first value of a body. A body that is empty or only white space is not an error.
    pub fn first(body: &[u8]) -> Result<FirstValue, JsonError> {
        let mut reader = Reader { bytes: body, at: 0 };
        if reader.after_space().is_none() {
            return Ok(FirstValue { value: None, has_more: false });
        }
        let value = Some(reader.value(0)?);
        Ok(FirstValue { value, has_more: reader.after_space().is_some() })
    }
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The next byte that is not white space.
    fn after_space(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
        self.peek()
    }

    /// Go's error message about the next byte.
    fn syntax_error(&self, place: &str) -> JsonError {
        let Some(byte) = self.peek() else { return JsonError::Ends };
        let display = match byte {
            b'\'' => r"\'".to_owned(),
            b'"' => "\"".to_owned(),
            // Go prints the byte as a Latin-1 character.
            byte => go_quote(&char::from(byte).to_string()).trim_matches('"').to_owned(),
        };
        JsonError::Syntax(format!("invalid character '{display}' {place}"))
    }

    fn value(&mut self, depth: usize) -> Result<Json, JsonError> {
        match self.after_space() {
            Some(b'{' | b'[') if depth == MAX_DEPTH => {
                Err(JsonError::Syntax("exceeded max depth".to_owned()))
            }
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.list(depth + 1),
            Some(b'"') => self.text().map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.literal("true", Json::Bool(true)),
            Some(b'f') => self.literal("false", Json::Bool(false)),
            Some(b'n') => self.literal("null", Json::Null),
            _ => Err(self.syntax_error("looking for beginning of value")),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.at += 1;
        let mut items = Vec::new();
        if self.after_space() == Some(b']') {
            self.at += 1;
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth)?);
            if self.skip_separator(b']', "after array element")? {
                return Ok(Json::List(items));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.at += 1;
        let mut entries = Vec::new();
        if self.after_space() == Some(b'}') {
            self.at += 1;
            return Ok(Json::Object(entries));
        }
        loop {
            if self.after_space() != Some(b'"') {
                return Err(self.syntax_error("looking for beginning of object key string"));
            }
            let key = self.text()?;
            if self.after_space() != Some(b':') {
                return Err(self.syntax_error("after object key"));
            }
            self.at += 1;
            entries.push((key, self.value(depth)?));
            if self.skip_separator(b'}', "after object key:value pair")? {
                return Ok(Json::Object(entries));
            }
        }
    }

    /// Skips a comma, or the end of a list or object. Returns whether it was the end.
    fn skip_separator(&mut self, end: u8, place: &str) -> Result<bool, JsonError> {
        let next = self.after_space();
        if next != Some(b',') && next != Some(end) {
            return Err(self.syntax_error(place));
        }
        self.at += 1;
        Ok(next == Some(end))
    }

    fn literal(&mut self, word: &str, value: Json) -> Result<Json, JsonError> {
        for letter in word.bytes() {
            if self.peek() != Some(letter) {
                let letter = char::from(letter);
                return Err(self.syntax_error(&format!("in literal {word} (expecting '{letter}')")));
            }
            self.at += 1;
        }
        Ok(value)
    }

    fn number(&mut self) -> Result<Json, JsonError> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        match self.peek() {
            Some(b'0') => self.at += 1,
            _ => self.digits("in numeric literal")?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits("after decimal point in numeric literal")?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits("in exponent of numeric literal")?;
        }
        let text = String::from_utf8_lossy(&self.bytes[start..self.at]).into_owned();
        Ok(Json::Number(Number::Written(text)))
    }

    /// Skips one or more digits.
    fn digits(&mut self, place: &str) -> Result<(), JsonError> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { Err(self.syntax_error(place)) } else { Ok(()) }
    }

    /// Parses a text; each byte that is not UTF-8 becomes a replacement character.
    fn text(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    self.at += 1;
                    let c = self.escape()?;
                    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Some(byte @ 0x20..) => {
                    bytes.push(byte);
                    self.at += 1;
                }
                _ => return Err(self.syntax_error("in string literal")),
            }
        }
        self.at += 1;
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            // Go replaces each byte alone; `from_utf8_lossy` would replace a sequence of them by one character.
            text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
        }
        Ok(text)
    }

    /// Parses an escape, after its backslash.
    fn escape(&mut self) -> Result<char, JsonError> {
        let c = match self.peek() {
            Some(b'u') => {
                self.at += 1;
                let unit = self.hex_unit()?;
                return Ok(self.join_surrogates(unit));
            }
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            _ => return Err(self.syntax_error("in string escape code")),
        };
        self.at += 1;
        Ok(c)
    }

    /// Parses four hexadecimal digits.
    fn hex_unit(&mut self) -> Result<u16, JsonError> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.syntax_error("in \\u hexadecimal character escape"));
            };
            unit = unit * 16 + digit;
            self.at += 1;
        }
        Ok(u16::try_from(unit).unwrap_or_default())
    }

    /// Returns the character of a UTF-16 unit, together with the next escape if both are a surrogate pair. A
    /// surrogate without its other half becomes a replacement character.
    fn join_surrogates(&mut self, unit: u16) -> char {
        let behind = self.at;
        if let Ok(c) = char::try_from(u32::from(unit)) {
            return c;
        }
        if self.bytes[behind..].starts_with(b"\\u") {
            self.at += 2;
            if let Ok(second) = self.hex_unit()
                && let Some(Ok(c)) = char::decode_utf16([unit, second]).next()
            {
                return c;
            }
        }
        // The second escape is no half of this pair, and is read again as one of its own.
        self.at = behind;
        char::REPLACEMENT_CHARACTER
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(body: &str) -> String {
        Json::first(body.as_bytes()).unwrap().value.unwrap().to_string()
    }

    #[test]
    fn only_the_first_value_is_read() {
        assert!(Json::first(b" \n").unwrap().value.is_none());
        assert!(Json::first(b"{} {").unwrap().has_more);
        assert!(!Json::first(b"{} \n").unwrap().has_more);
        assert!(Json::first(b"1x").unwrap().has_more);
    }

    #[test]
    fn texts_are_gos() {
        for (written, read) in [
            (r#""\ud83d\ude00 \u00e9 \/ \b""#, "\"\u{1f600} é / \\b\""),
            (r#""\ud800""#, "\"\u{fffd}\""),
            (r#""\ud800\ud800x""#, "\"\u{fffd}\u{fffd}x\""),
            (r#""\ude00\n""#, "\"\u{fffd}\\n\""),
        ] {
            assert_eq!(text(written), read, "{written}");
        }
        let bytes = Json::first(b"\"\xff\xfe\xe4\xb8\"").unwrap().value;
        assert_eq!(bytes, Some(Json::Text("\u{fffd}".repeat(4))));
    }

    #[test]
    fn faults_have_gos_words() {
        for (body, words) in [
            ("{", "unexpected EOF"),
            ("[1", "unexpected EOF"),
            ("\"\\u12", "unexpected EOF"),
            ("-", "unexpected EOF"),
            ("tru", "unexpected EOF"),
            ("trux", "invalid character 'x' in literal true (expecting 'e')"),
            ("-x", "invalid character 'x' in numeric literal"),
            ("1.x", "invalid character 'x' after decimal point in numeric literal"),
            ("1e+x", "invalid character 'x' in exponent of numeric literal"),
            ("[1 2]", "invalid character '2' after array element"),
            ("[1,]", "invalid character ']' looking for beginning of value"),
            ("{\"a\" 1}", "invalid character '1' after object key"),
            ("{\"a\":1 \"b\":2}", "invalid character '\"' after object key:value pair"),
            ("\"\n\"", "invalid character '\\n' in string literal"),
            ("\"\\u12g4\"", "invalid character 'g' in \\u hexadecimal character escape"),
            ("\u{c}", "invalid character '\\f' looking for beginning of value"),
        ] {
            assert_eq!(Json::first(body.as_bytes()).unwrap_err().to_string(), words, "{body}");
        }
        let deep = Json::first("[".repeat(100_000).as_bytes());
        assert_eq!(deep.unwrap_err().to_string(), "exceeded max depth");
    }

    proptest! {
        /// serde_json reads the same values, and accepts and refuses the same texts.
        #[test]
        fn values_are_those_of_another_reader(body in "[\\[\\]{}:,\"a\\\\u0e.\\-1 \n]{0,12}|\\PC{0,8}") {
            let other = serde_json::from_str::<serde_json::Value>(&body);
            let own = Json::first(body.as_bytes()).ok().filter(|first| !first.has_more);
            let own = own.and_then(|first| first.value);
            let is_lone_surrogate = body.contains("\\u") && other.is_err();
            let is_too_large = other.as_ref().is_err_and(|e| e.to_string().contains("out of range"));
            if !is_lone_surrogate && !is_too_large {
                prop_assert_eq!(own.is_some(), other.is_ok(), "{:?}", body);
            }
            if let (Some(own), Ok(other)) = (own, other) {
                let again: serde_json::Value = serde_json::from_str(&own.to_string()).unwrap();
                prop_assert_eq!(again, other);
            }
        }
    }
}
