//! Encodings of text: UTF-16 with a byte order mark is decoded to UTF-8, formats that are not text are
//! refused, and all other bytes must be UTF-8.

use super::unsupported::{HEAD, UnsupportedInput};
use document::diag::{Code, Diagnostic, Place, Source, Span};
use std::io::{self, BufRead, Read};

type Bytes = Box<dyn BufRead + Send>;

/// The number of bytes decoded at once.
const BUFFER: usize = 1 << 16;

/// The encoding of a text in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// UTF-8; the bytes are unchanged.
    Same,
    /// UTF-16.
    Utf16,
}

/// Decodes bytes that start with the mark of UTF-16. Formats that are not text are errors.
pub(super) fn decode(mut bytes: Bytes) -> io::Result<(Bytes, Encoding)> {
    let mut head = Vec::new();
    bytes.by_ref().take(HEAD).read_to_end(&mut head)?;
    if let Some(unsupported) = UnsupportedInput::detect(&head) {
        return Err(unsupported.into());
    }
    let order = match head.get(..2) {
        Some([0xff, 0xfe]) => u16::from_le_bytes,
        Some([0xfe, 0xff]) => u16::from_be_bytes,
        _ => return Ok((Box::new(io::Cursor::new(head).chain(bytes)), Encoding::Same)),
    };
    let rest = io::Cursor::new(head.split_off(2)).chain(bytes);
    let text = Utf16 { bytes: rest, order, text: Vec::new(), at: 0, high: None };
    Ok((Box::new(text), Encoding::Utf16))
}

/// A reader that decodes UTF-16 after its mark.
struct Utf16<R> {
    bytes: R,
    order: fn([u8; 2]) -> u16,
    /// Decoded text; the bytes before `at` have been consumed.
    text: Vec<u8>,
    at: usize,
    /// The first half of a surrogate pair, if the bytes read so far end in it.
    high: Option<u16>,
}

impl<R: BufRead> BufRead for Utf16<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.text.len() {
            self.refill()?;
        }
        Ok(&self.text[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        self.at = (self.at + amount).min(self.text.len());
    }
}

impl<R: BufRead> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> Utf16<R> {
    /// Decodes more text; the text is empty at the end of the bytes.
    fn refill(&mut self) -> io::Result<()> {
        (self.text, self.at) = (Vec::new(), 0);
        let mut is_end = false;
        while self.text.is_empty() && !is_end {
            let mut bytes = Vec::new();
            (&mut self.bytes).take(BUFFER as u64).read_to_end(&mut bytes)?;
            is_end = bytes.is_empty();
            if bytes.len() % 2 == 1 {
                return Err(broken("it ends in the middle of a character"));
            }
            let pairs = bytes.chunks_exact(2).map(|pair| (self.order)([pair[0], pair[1]]));
            let mut units: Vec<u16> = self.high.take().into_iter().chain(pairs).collect();
            if !is_end {
                self.high = units.pop_if(|last| (0xd800..0xdc00).contains(last));
            }
            let half = |_| broken("it has an unpaired surrogate");
            let text: Result<String, _> = char::decode_utf16(units).collect();
            self.text = text.map_err(half)?.into_bytes();
        }
        Ok(())
    }
}

fn broken(how: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the UTF-16 text is broken: {how}"))
}

/// The error that bytes are not UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotUtf8 {
    /// The text of the bytes, with U+FFFD in place of invalid ones.
    pub text: String,
    /// The position of the first invalid byte, in bytes of `text`.
    pub at: usize,
}

impl NotUtf8 {
    /// The error for bytes in their original encoding.
    pub(super) fn new(bytes: &[u8], error: std::str::Utf8Error) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        Self { text, at: error.valid_up_to() }
    }

    /// The finding about a whole file.
    pub(super) fn finding(self, name: String) -> Diagnostic {
        let source = Source::new(name, self.text);
        let place = Place::new(&source, Span::new(self.at, self.at + 1));
        Diagnostic::error(Code::NotUtf8, place, "the text is not UTF-8")
            .help("save the file as UTF-8")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
    }

    fn read(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        decode(Box::new(io::Cursor::new(bytes)))?.0.read_to_end(&mut text)?;
        Ok(text)
    }

    proptest! {
        #[test]
        fn both_byte_orders_are_read(text in any::<String>(), repeat in 1usize..5000) {
            let text = text.repeat(repeat.min(200_000 / (text.len() + 1)));
            for order in [u16::to_le_bytes, u16::to_be_bytes] {
                let wide = utf16(&text, order);
                // A text that starts with NUL looks like UTF-32.
                if UnsupportedInput::detect(&wide[..wide.len().min(512)]).is_none() {
                    prop_assert_eq!(read(wide).unwrap(), text.as_bytes());
                }
            }
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..80), mark: bool) {
            let _ = read([if mark { &[0xff, 0xfe][..] } else { &[] }, &bytes].concat());
        }
    }

    #[test]
    fn a_pair_that_lies_in_two_reads_is_whole() {
        let text = "a".repeat(BUFFER / 2 - 257) + "😀😀";
        for text in [text.clone(), format!("{text}x"), format!("x{text}"), format!("xx{text}")] {
            assert_eq!(read(utf16(&text, u16::to_le_bytes)).unwrap(), text.as_bytes());
        }
    }

    #[test]
    fn what_is_broken_is_an_error() {
        let error = |bytes: &[u8]| read(bytes.to_vec()).unwrap_err().to_string();
        assert!(error(&[0xff, 0xfe, b'a']).contains("in the middle of a character"));
        assert!(error(&[0xff, 0xfe, 0, 0xd8]).contains("unpaired surrogate"));
        assert!(error(&[0xff, 0xfe, 0, 0xd8, b'a', 0]).contains("unpaired surrogate"));
        assert!(error(&[0xfe, 0xff, 0xdc, 0]).contains("unpaired surrogate"));
    }
}
