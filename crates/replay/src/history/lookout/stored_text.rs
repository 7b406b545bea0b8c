//! Texts as Lookout's database stores them: compressed with zlib, which `PostgreSQL` writes as `\x` and hexadecimal digits.

use flate2::read::ZlibDecoder;
use std::borrow::Cow;
use std::io::Read;

/// The mark of bytes in `PostgreSQL`, and the first byte of a zlib stream with the usual window.
const BEGIN: &str = r"\x78";
/// The most bytes that a text may have. The executor cuts its texts far below this.
const LONGEST: u64 = 16 << 20;

/// The text that a value of the database holds; the value itself if it is not compressed.
///
/// # Errors
///
/// A description of the wrong compressed text.
pub(super) fn stored_text(value: &str) -> Result<Cow<'_, str>, String> {
    if !value.starts_with(BEGIN) {
        return Ok(Cow::Borrowed(value));
    }
    let bytes = bytes_of(&value[2..]).ok_or("`\\x` is not followed by hexadecimal digits")?;
    let mut text = Vec::new();
    // One byte more than the limit shows that the text is too long, without expanding all of it.
    let read = ZlibDecoder::new(bytes.as_slice()).take(LONGEST + 1).read_to_end(&mut text);
    read.map_err(|error| format!("the compressed text is invalid: {error}"))?;
    if text.len() as u64 > LONGEST {
        return Err(format!("the compressed text has more than {LONGEST} bytes"));
    }
    let text = String::from_utf8(text).map_err(|_| "the compressed text is not UTF-8")?;
    Ok(Cow::Owned(text))
}

/// The bytes of hexadecimal digits.
fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = |pair: &[u8]| match pair {
        [high, low] => u8::try_from(digit(*high)? * 16 + digit(*low)?).ok(),
        _ => None,
    };
    pairs.map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use proptest::prelude::*;
    use std::fmt::Write as _;
    use std::io::Write as _;

    fn stored(text: &[u8]) -> String {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        let mut value = r"\x".to_owned();
        for byte in encoder.finish().unwrap() {
            let _ = write!(value, "{byte:02x}");
        }
        value
    }

    proptest! {
        #[test]
        fn texts_are_read_as_they_were(text in ".*") {
            let value = stored(text.as_bytes());
            let found = stored_text(&value);
            prop_assert_eq!(found.as_deref(), Ok(text.as_str()));
        }

        /// No value ends in a panic, and one without the mark is the text itself.
        #[test]
        fn other_values_are_texts_or_errors(value in r"(\\x78)?[0-9a-fé]{0,40}") {
            let text = stored_text(&value);
            prop_assert!(value.starts_with(BEGIN) || text.as_deref() == Ok(&*value));
        }
    }

    #[test]
    fn what_is_wrong_is_an_error() {
        let whole = stored(b"{\"schemaVersion\":1}");
        assert_eq!(
            stored_text(r"\x78zz").unwrap_err(),
            r"`\x` is not followed by hexadecimal digits"
        );
        let cut = &whole[..whole.len() - 12];
        assert!(stored_text(cut).unwrap_err().starts_with("the compressed text is invalid"));
        let other = stored(&[0xff, 0xfe]);
        assert_eq!(stored_text(&other).unwrap_err(), "the compressed text is not UTF-8");
    }
}
