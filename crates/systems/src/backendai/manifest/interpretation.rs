//! The choices where the draft's formula is ambiguous.
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

/// The meaning of `session_id || retry_count`. The text of a session's id has 36 characters, lower case with
/// hyphens; its bytes are 16.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HashText {
    /// The id's text, then the decimal count.
    #[default]
    TextConcat,
    /// The id's text, a colon, then the decimal count.
    TextColon,
    /// The id's bytes, then the decimal count.
    UuidBytesDec,
    /// The id's bytes, then the count as four bytes, the highest first.
    UuidBytesU32be,
}

impl HashText {
    /// All readings.
    pub const ALL: [Self; 4] =
        [Self::TextConcat, Self::TextColon, Self::UuidBytesDec, Self::UuidBytesU32be];

    /// Returns the reading as options name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TextConcat => "text_concat",
            Self::TextColon => "text_colon",
            Self::UuidBytesDec => "uuid_bytes_dec",
            Self::UuidBytesU32be => "uuid_bytes_u32be",
        }
    }

    /// Returns the reading with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reading| reading.as_str() == name)
    }

    /// Returns whether the bytes of a UUID are hashed.
    pub const fn takes_bytes(self) -> bool {
        matches!(self, Self::UuidBytesDec | Self::UuidBytesU32be)
    }
}

/// The reduction of a 160-bit digest by a span of seconds, which may have a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reduction {
    /// Modulo the span's whole seconds; 0 for a span below one second.
    IntFloorSeconds,
    /// Modulo the span's whole milliseconds; 0 for a span below one millisecond.
    #[default]
    IntMillis,
    /// Python's `%` of an integer and a float: the integer is rounded to 53 bits first.
    PythonFloatMod,
}

impl Reduction {
    /// All reductions.
    pub const ALL: [Self; 3] = [Self::IntFloorSeconds, Self::IntMillis, Self::PythonFloatMod];

    /// Returns the reduction as options name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::IntFloorSeconds => "int_floor_seconds",
            Self::IntMillis => "int_millis",
            Self::PythonFloatMod => "python_float_mod",
        }
    }

    /// Returns the reduction with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reading| reading.as_str() == name)
    }
}

/// The bound of a delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ceiling {
    /// Delays are at most `max_retry_delay`, however long, and 24 hours only if it is null: the draft's
    /// formula.
    Literal,
    /// Delays are at most 24 hours, whatever `max_retry_delay` is: the draft's prose.
    #[default]
    Hard,
}

impl Ceiling {
    /// All bounds.
    pub const ALL: [Self; 2] = [Self::Literal, Self::Hard];

    /// Returns the bound as options name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Literal => "literal",
            Self::Hard => "hard",
        }
    }

    /// Returns the bound with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reading| reading.as_str() == name)
    }
}
