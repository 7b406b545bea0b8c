//! The choices where the draft's formula is ambiguous.
//!
//! Owns the names that a profile's `options` choose by: `hash`, `reduce` and `cap`.

use document::{choices, document};

document! {
    /// How the draft is read where its formula is ambiguous.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Interpretation = "options" {
        #[doc = "What deterministic jitter hashes as `session_id || retry_count`. Default text_concat."]
        pub hash: HashText = HashText::TextConcat,
        /// How the digest is reduced by wait * jitter_ratio. Default int_millis.
        /// The digest is a whole number, which wait * jitter_ratio need not be.
        pub reduce: Reduction = Reduction::IntMillis,
        /// Whether 24 hours bound a max_retry_delay above them. Default hard.
        pub cap: Ceiling = Ceiling::Hard,
    }
}

choices! {
    /// The meaning of `session_id || retry_count`. The text of a session's id has 36 characters, lower case with
    /// hyphens; its bytes are 16.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum HashText = "hash" {
        /// The id's text, lower case with hyphens, then the decimal count.
        #[default]
        TextConcat = "text_concat",
        /// The same with a colon between.
        TextColon = "text_colon",
        /// The id's 16 bytes, then the decimal count.
        UuidBytesDec = "uuid_bytes_dec",
        /// The id's 16 bytes, then the count as four bytes, the highest first.
        UuidBytesU32be = "uuid_bytes_u32be",
    }
}

impl HashText {
    /// Returns whether the bytes of a UUID are hashed.
    pub const fn takes_bytes(self) -> bool {
        matches!(self, Self::UuidBytesDec | Self::UuidBytesU32be)
    }
}

choices! {
    /// The reduction of a 160-bit digest by a span of seconds, which may have a fraction.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Reduction = "reduction" {
        /// Modulo whole seconds; below one second nothing is added.
        IntFloorSeconds = "int_floor_seconds",
        /// Modulo whole milliseconds.
        #[default]
        IntMillis = "int_millis",
        // The integer is rounded to 53 bits first.
        /// As Python's % of an integer and a float; nothing is added where the span is a power of 2.
        PythonFloatMod = "python_float_mod",
    }
}

choices! {
    /// The bound of a delay.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Ceiling = "cap" {
        // Delays are at most 24 hours, whatever `max_retry_delay` is.
        /// They do: the draft's prose.
        #[default]
        Hard = "hard",
        // Delays are at most `max_retry_delay`, however long, and 24 hours only if it is null.
        /// They do not: the draft's formula.
        Literal = "literal",
    }
}
