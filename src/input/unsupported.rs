//! Unsupported formats, detected by their first bytes, and the commands that convert them to text.

use document::diag::{Code, Diagnostic};
use std::fmt;
use std::io;

/// A format that is not text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnsupportedInput {
    Gzip,
    Zstd,
    Xz,
    Bzip2,
    Tar,
    Zip,
    /// UTF-16 without a byte order mark: `LE` or `BE`.
    Utf16(&'static str),
    Utf32,
}

/// The first bytes of the formats that have a fixed signature.
const SIGNATURES: [(&[u8], UnsupportedInput); 7] = [
    (&[0x1f, 0x8b, 0x08], UnsupportedInput::Gzip),
    (&[0x28, 0xb5, 0x2f, 0xfd], UnsupportedInput::Zstd),
    (&[0xfd, b'7', b'z', b'X', b'Z', 0], UnsupportedInput::Xz),
    (b"BZh", UnsupportedInput::Bzip2),
    (b"PK\x03\x04", UnsupportedInput::Zip),
    (&[0xff, 0xfe, 0, 0], UnsupportedInput::Utf32),
    (&[0, 0, 0xfe, 0xff], UnsupportedInput::Utf32),
];

/// The position of the name in the POSIX header of a tar archive, and the name.
const TAR: (usize, &[u8]) = (257, b"ustar");

/// The number of bytes that detection needs: the name in a tar header ends at byte 262.
pub(super) const HEAD: u64 = 512;

impl UnsupportedInput {
    /// Detects the format by the first bytes; `None` for text.
    pub(super) fn detect(head: &[u8]) -> Option<Self> {
        let (at, name) = TAR;
        if head.get(at..).is_some_and(|rest| rest.starts_with(name)) {
            return Some(Self::Tar);
        }
        let known = SIGNATURES.iter().find(|(beginning, _)| head.starts_with(beginning));
        known.map(|(_, input)| *input).or_else(|| utf16_order(head).map(Self::Utf16))
    }

    /// The format in an error of a reader; `None` for other errors.
    pub(super) fn from_error(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }

    /// The finding about a file with this name.
    pub(super) fn finding(self, name: &str) -> Diagnostic {
        let code = match self {
            Self::Utf16(_) | Self::Utf32 => Code::NotUtf8,
            _ => Code::Unreadable,
        };
        let message = format!("cannot read `{name}`: {self}");
        Diagnostic::without_place(code, message).help(self.help_text(name))
    }

    fn help_text(self, name: &str) -> String {
        // The help has the name only if it needs no quotes in a shell.
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-/+=@".contains(c);
        let file = if name != "-" && name.chars().all(plain) { name } else { "FILE" };
        match self {
            Self::Gzip => format!("decompress it first: `gzip -d {file}`"),
            Self::Zstd => format!("decompress it first: `zstd -d {file}`"),
            Self::Xz => format!("decompress it first: `xz -d {file}`"),
            Self::Bzip2 => format!("decompress it first: `bzip2 -d {file}`"),
            Self::Tar => format!("extract its files first: `tar -xf {file}`"),
            Self::Zip => format!("extract its files first: `unzip {file}`"),
            Self::Utf16(order) => {
                format!("convert it: `iconv -f UTF-16{order} -t UTF-8 {file}`")
            }
            Self::Utf32 => format!("convert it: `iconv -f UTF-32 -t UTF-8 {file}`"),
        }
    }
}

impl fmt::Display for UnsupportedInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gzip => "it is compressed with gzip",
            Self::Zstd => "it is compressed with zstd",
            Self::Xz => "it is compressed with xz",
            Self::Bzip2 => "it is compressed with bzip2",
            Self::Tar => "it is a tar archive",
            Self::Zip => "it is a zip archive",
            Self::Utf16(_) => "the text is UTF-16 without a byte order mark",
            Self::Utf32 => "the text is UTF-32",
        })
    }
}

impl std::error::Error for UnsupportedInput {}

impl From<UnsupportedInput> for io::Error {
    fn from(input: UnsupportedInput) -> Self {
        Self::new(io::ErrorKind::InvalidData, input)
    }
}

/// The byte order of UTF-16 without a byte order mark; text with one is supported. YAML, JSON and outputs of
/// programs are mostly ASCII; in UTF-16 each ASCII character has a NUL byte, in UTF-8 none has.
fn utf16_order(head: &[u8]) -> Option<&'static str> {
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        return None;
    }
    let pairs = head.len() / 2;
    let nul = |which: usize| head.chunks_exact(2).filter(|pair| pair[which] == 0).count();
    let (first, second) = (nul(0), nul(1));
    match () {
        () if pairs < 2 => None,
        () if second * 2 > pairs && first == 0 => Some("LE"),
        () if first * 2 > pairs && second == 0 => Some("BE"),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_supported() {
        for text in ["", "{", "{}", "BZ", "PK", "kind: Job\n", "\u{feff}{}", "é€😀"] {
            assert_eq!(UnsupportedInput::detect(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn wide_text_without_a_mark_is_told_by_its_nuls() {
        let text: Vec<u16> = "apiVersion: v1 # é€".encode_utf16().collect();
        let little: Vec<u8> = text.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = text.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        assert_eq!(UnsupportedInput::detect(&little), Some(UnsupportedInput::Utf16("LE")));
        assert_eq!(UnsupportedInput::detect(&big), Some(UnsupportedInput::Utf16("BE")));
    }

    #[test]
    fn a_command_names_the_file_where_that_needs_no_quotes() {
        let help = |name| UnsupportedInput::Xz.finding(name).help.unwrap_or_default();
        assert_eq!(help("logs/a-1.xz"), "decompress it first: `xz -d logs/a-1.xz`");
        for name in ["-", "a b.xz", "a;rm.xz", "a\\xff.xz"] {
            assert_eq!(help(name), "decompress it first: `xz -d FILE`", "{name}");
        }
    }
}
