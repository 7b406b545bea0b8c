//! How the times of a history are written: as dates, or as offsets from its start.

use document::units::{GoDuration, Time};

/// Reads the times of one history. Dates and offsets may be mixed only if the history has a start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeNotation {
    start: Option<Time>,
    first: Option<Notation>,
    /// Help for a history that mixes dates and offsets.
    pub(super) help: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Notation {
    Date,
    Offset,
}

impl TimeNotation {
    /// The notation of a document with this `spec.start`, before its first time.
    pub(super) fn for_document(start: Option<Time>) -> Self {
        Self { start, first: None, help: "set `spec.start` to the time that offsets count from" }
    }

    /// The notation of lines, which have no start, before the first time.
    pub fn for_lines() -> Self {
        Self { start: None, first: None, help: "write all times in one notation" }
    }

    /// Whether a time has been read, so that times of the other notation are errors.
    pub(crate) fn is_determined(&self) -> bool {
        self.first.is_some()
    }

    /// A bit of the notation that times have; none before the first time.
    pub(crate) fn bit(&self) -> u8 {
        self.first.map_or(0, |notation| 1 << notation as u8)
    }

    /// Whether the times that `other` has read are valid after those of `self`.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        self.first.zip(other.first).is_none_or(|(own, other)| own == other)
    }

    /// This notation after the times that `other` has read.
    pub(crate) fn after(self, other: &Self) -> Self {
        Self { first: self.first.or(other.first), ..self }
    }

    /// The time of a text.
    ///
    /// # Errors
    ///
    /// If the text is neither a date nor an offset, or of the other notation.
    pub(super) fn read(&mut self, text: &str) -> Result<Time, String> {
        // A date first, as most times are dates.
        let (notation, time) = match Time::parse(text) {
            Ok(time) => (Notation::Date, time),
            Err(error) => {
                let offset = GoDuration::parse(text).map_err(|_| error.to_string())?;
                (Notation::Offset, self.start.unwrap_or(Time::EPOCH).plus(offset))
            }
        };
        // With a start, offsets have a meaning beside dates.
        if self.start.is_none() && *self.first.get_or_insert(notation) != notation {
            return Err("dates are mixed with offsets, and the history has no start".to_owned());
        }
        Ok(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_count_from_the_start() {
        let mut notation = TimeNotation::for_document(Time::parse("2026-10-01T00:00:00Z").ok());
        assert_eq!(notation.read("1h30m").unwrap().to_string(), "2026-10-01T01:30:00Z");
        assert_eq!(
            notation.read("2026-10-02T00:00:00Z").unwrap().to_string(),
            "2026-10-02T00:00:00Z"
        );
        let mut notation = TimeNotation::for_lines();
        assert_eq!(notation.read("10s").unwrap().to_string(), "1970-01-01T00:00:10Z");
        assert!(notation.read("2026-10-02T00:00:00Z").is_err());
    }
}
