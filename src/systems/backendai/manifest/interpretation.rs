//! The choices where the draft's formula is ambiguous (facts, 2, "Hash ambiguity").
//!
//! Owns the names that a profile's `options` choose by: `hash`, `reduce` and `cap`.

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

/// What `session_id || retry_count` is. The id of a session has 36 characters as a text, lower
/// case with its hyphens, and 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HashText {
    /// The id's text, then the decimal count.
    #[default]
    TextConcat,
    /// The same with a colon between.
    TextColon,
    /// The id's bytes, then the decimal count.
    UuidBytesDec,
    /// The id's bytes, then the count as four bytes, the highest first.
    UuidBytesU32be,
}

impl HashText {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::TextConcat, Self::TextColon, Self::UuidBytesDec, Self::UuidBytesU32be];

    /// The reading as options name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TextConcat => "text_concat",
            Self::TextColon => "text_colon",
            Self::UuidBytesDec => "uuid_bytes_dec",
            Self::UuidBytesU32be => "uuid_bytes_u32be",
        }
    }

    /// The reading of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reading| reading.as_str() == name)
    }

    /// Whether it hashes the bytes of a UUID.
    pub const fn takes_bytes(self) -> bool {
        matches!(self, Self::UuidBytesDec | Self::UuidBytesU32be)
    }
}

/// How a digest, a number of 160 bits, is reduced by a span of seconds, which is no whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reduction {
    /// Modulo the span's whole seconds; nothing where it has none.
    IntFloorSeconds,
    /// Modulo the span's whole milliseconds; nothing where it has none.
    #[default]
    IntMillis,
    /// What Python's `%` of an integer and a float does: the integer is rounded to 53 bits first.
    PythonFloatMod,
}

impl Reduction {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::IntFloorSeconds, Self::IntMillis, Self::PythonFloatMod];

    /// The reading as options name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::IntFloorSeconds => "int_floor_seconds",
            Self::IntMillis => "int_millis",
            Self::PythonFloatMod => "python_float_mod",
        }
    }

    /// The reading of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reading| reading.as_str() == name)
    }
}

/// What bounds a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ceiling {
    /// `max_retry_delay`, however long, and 24 hours only where it is null: the formula.
    Literal,
    /// At most 24 hours, whatever `max_retry_delay` is: the prose.
    #[default]
    Hard,
}

impl Ceiling {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Literal, Self::Hard];

    /// The reading as options name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Literal => "literal",
            Self::Hard => "hard",
        }
    }

    /// The reading of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reading| reading.as_str() == name)
    }
}
