//! The choices where the draft's formula is ambiguous.
//!
//! Owns the names that a profile's `options` choose by: `hash`, `reduce` and `cap`.

use document::names;

/// One interpretation of the draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Interpretation {
    /// `hash`: the text or bytes that are hashed.
    pub hash: HashText,
    /// `reduce`: the reduction of a digest to seconds.
    pub reduce: Reduction,
    /// `cap`: the bound of a delay.
    pub cap: Ceiling,
}

names! {
    /// The meaning of `session_id || retry_count`. The text of a session's id has 36 characters, lower case with
    /// hyphens; its bytes are 16.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum HashText {
        /// The id's text, then the decimal count.
        #[default]
        TextConcat = "text_concat",
        /// The id's text, a colon, then the decimal count.
        TextColon = "text_colon",
        /// The id's bytes, then the decimal count.
        UuidBytesDec = "uuid_bytes_dec",
        /// The id's bytes, then the count as four bytes, the highest first.
        UuidBytesU32be = "uuid_bytes_u32be",
    }
}

impl HashText {
    /// Returns whether the bytes of a UUID are hashed.
    pub const fn takes_bytes(self) -> bool {
        matches!(self, Self::UuidBytesDec | Self::UuidBytesU32be)
    }
}

names! {
    /// The reduction of a 160-bit digest by a span of seconds, which may have a fraction.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Reduction {
        /// Modulo the span's whole seconds; 0 for a span below one second.
        IntFloorSeconds = "int_floor_seconds",
        /// Modulo the span's whole milliseconds; 0 for a span below one millisecond.
        #[default]
        IntMillis = "int_millis",
        /// Python's `%` of an integer and a float: the integer is rounded to 53 bits first.
        PythonFloatMod = "python_float_mod",
    }
}

names! {
    /// The bound of a delay.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Ceiling {
        /// Delays are at most `max_retry_delay`, however long, and 24 hours only if it is null: the draft's
        /// formula.
        Literal = "literal",
        /// Delays are at most 24 hours, whatever `max_retry_delay` is: the draft's prose.
        #[default]
        Hard = "hard",
    }
}
