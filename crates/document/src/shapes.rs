//! Mappings of documents that are checked and then read by hand, and the text of their documentation.

/// Declares mappings of documents that are checked and then read by hand: a static [`Shape`](crate::Shape) each.
///
/// A field is `required` or `optional`; its key is quoted if it is no identifier. A constant [`Field`](crate::Field)
/// is a row by itself. A line that opens with `What` is written as `#[doc = ".."]`: users read it, but comments do not
/// open so.
///
/// ```
/// use document::{Extra, Field, Kind, required};
///
/// const NAME: Field = required("name", Kind::Name, "The name of the queue.");
/// document::shapes! {
///     /// A queue.
///     pub static QUEUE = "queue" (extra: Extra::Ignored) {
///         NAME,
///         /// The weight in fair share.
///         /// Absent means 1.
///         optional weight: Kind::Finite,
///     }
/// }
/// assert_eq!(QUEUE.fields[1].doc, "The weight in fair share.\nAbsent means 1.");
/// ```
#[macro_export]
macro_rules! shapes {
    ($(
        $(#[doc = $doc:literal])*
        $visibility:vis static $shape:ident = $name:tt $(($($member:ident: $value:expr),+ $(,)?))? {$(
            $(#[doc = $line:literal])* $need:ident $($key:ident)? $($quoted:literal)? $(: $kind:expr)?
        ),* $(,)?}
    )*) => {$(
        $(#[doc = $doc])*
        #[allow(clippy::doc_markdown, reason = "the documentation is printed as it is")]
        $visibility static $shape: $crate::Shape = $crate::Shape {
            fields: &[$($crate::shapes!(@field [$($line)*] $need $($key)? $($quoted)? $(: $kind)?)),*],
            $($($member: $value,)+)?
            ..$crate::Shape::new($name, $crate::shapes!(@text $($doc)*))
        };
    )*};
    (@field [] $field:ident) => { $field };
    (@field [$($line:literal)*] $need:ident $key:ident: $kind:expr) => {
        $crate::$need(stringify!($key), $kind, $crate::shapes!(@text $($line)*))
    };
    (@field [$($line:literal)*] $need:ident $key:literal: $kind:expr) => {
        $crate::$need($key, $kind, $crate::shapes!(@text $($line)*))
    };
    // The text of the lines of a documentation.
    (@text $($line:literal)*) => {{
        const LINES: &[&str] = &[$($line),*];
        const BYTES: [u8; $crate::text_length(LINES)] = $crate::text_bytes(LINES);
        const TEXT: &str = match ::core::str::from_utf8(&BYTES) {
            Ok(text) => text,
            Err(_) => panic!("cut at a space"),
        };
        TEXT
    }};
    // A value that may be left out, or another.
    (@or , $other:expr) => { $other };
    (@or $value:expr, $other:expr) => { $value };
}

/// The length of a text of documentation, in bytes.
#[doc(hidden)]
pub const fn text_length(lines: &[&str]) -> usize {
    let (mut length, mut at) = (0, 0);
    while at < lines.len() {
        length += lines[at].len() - start_of(lines[at]) + (at > 0) as usize;
        at += 1;
    }
    length
}

/// The bytes of a text of documentation.
#[doc(hidden)]
pub const fn text_bytes<const N: usize>(lines: &[&str]) -> [u8; N] {
    let mut bytes = [b'\n'; N];
    let (mut to, mut at) = (0, 0);
    while at < lines.len() {
        let line = lines[at].as_bytes();
        let mut from = start_of(lines[at]);
        while from < line.len() {
            bytes[to] = line[from];
            (from, to) = (from + 1, to + 1);
        }
        (at, to) = (at + 1, to + 1);
    }
    bytes
}

/// The place of the first byte behind the space that follows `///`.
const fn start_of(line: &str) -> usize {
    matches!(line.as_bytes(), [b' ', ..]) as usize
}
