//! The times of a history: dates, or offsets from its start.

use crate::units::{GoDuration, Time};

/// Reads the times of one history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    start: Option<Time>,
    seen: Option<Notation>,
    /// What to do where dates are mixed with offsets.
    pub(super) help: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Notation {
    Date,
    Offset,
}

impl Clock {
    /// The clock of a document.
    pub(super) fn of_document(start: Option<Time>) -> Self {
        Self { start, seen: None, help: "set `spec.start` to what the offsets count from" }
    }

    /// The clock of lines, which have no start.
    pub fn of_lines() -> Self {
        Self { start: None, seen: None, help: "write all times of the lines in one way" }
    }

    /// Whether it has read a time, so that it takes others of one notation only.
    pub(crate) fn has_read(&self) -> bool {
        self.seen.is_some()
    }

    /// Whether what another clock has read is written as this one's times are.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        self.seen.zip(other.seen).is_none_or(|(own, other)| own == other)
    }

    /// This clock after what another has read.
    pub(crate) fn after(self, other: &Self) -> Self {
        Self { seen: self.seen.or(other.seen), ..self }
    }

    /// The time that a text says; dates mixed with offsets need an explicit start.
    pub(super) fn read(&mut self, text: &str) -> Result<Time, String> {
        let (notation, time) = match Time::parse(text) {
            Ok(time) => (Notation::Date, time),
            Err(error) => {
                let offset = GoDuration::parse(text).map_err(|_| error.to_string())?;
                (Notation::Offset, self.start.unwrap_or(Time::EPOCH).plus(offset))
            }
        };
        if self.start.is_none() && *self.seen.get_or_insert(notation) != notation {
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
        let mut clock = Clock::of_document(Time::parse("2026-10-01T00:00:00Z").ok());
        assert_eq!(clock.read("1h30m").unwrap().to_string(), "2026-10-01T01:30:00Z");
        assert_eq!(clock.read("2026-10-02T00:00:00Z").unwrap().to_string(), "2026-10-02T00:00:00Z");
        let mut clock = Clock::of_lines();
        assert_eq!(clock.read("10s").unwrap().to_string(), "1970-01-01T00:00:10Z");
        assert!(clock.read("2026-10-02T00:00:00Z").is_err());
    }
}
