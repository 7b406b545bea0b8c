//! Splits a stream of bytes into lines, with limits on a line and on the stream. Pure.

/// The maximum length of a line of a list: the limit of one gRPC message, which a queue cannot exceed.
const MAX_LINE_BYTES: usize = 4 << 20;
/// The maximum of bytes of a list, so that a faulty server cannot make it endless.
const MAX_STREAM_BYTES: u64 = 1 << 30;
/// The maximum length of an event. It is four times the limit of one gRPC message, as JSON takes more bytes.
const MAX_EVENT_BYTES: usize = 16 << 20;

/// The bytes that are not yet returned as lines.
#[derive(Debug)]
pub(super) struct Lines {
    /// The maximum length of a line.
    max_line: usize,
    /// The maximum of bytes of the stream.
    max_stream: u64,
    buffer: Vec<u8>,
    /// The start of the next line in `buffer`.
    start: usize,
    /// The part of `buffer` up to here has no line break, so it is not searched again.
    searched: usize,
    total: u64,
    ended: bool,
}

/// The limit that a stream exceeds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TooMuch {
    Line,
    Stream,
}

impl TooMuch {
    pub fn message(&self) -> &'static str {
        match self {
            Self::Line => "a line of the list is longer than 4 MiB",
            Self::Stream => "the list is longer than 1 GiB",
        }
    }
}

impl Lines {
    /// The lines of a list.
    pub fn list() -> Self {
        Self::new(MAX_LINE_BYTES, MAX_STREAM_BYTES)
    }

    /// The lines of a stream of events, which may be endless.
    pub fn events() -> Self {
        Self::new(MAX_EVENT_BYTES, u64::MAX)
    }

    fn new(max_line: usize, max_stream: u64) -> Self {
        let (buffer, start, searched, total, ended) = Default::default();
        Self { max_line, max_stream, buffer, start, searched, total, ended }
    }

    /// Appends bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), TooMuch> {
        // Only here are the lines that were returned removed: one move of the rest for each piece, not for each line.
        self.buffer.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        self.total += bytes.len() as u64;
        if self.total > self.max_stream {
            return Err(TooMuch::Stream);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    /// Ends the stream: the rest of the buffer becomes the last line.
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// Returns the next complete line that is not empty, without its line break.
    pub fn next(&mut self) -> Result<Option<&[u8]>, TooMuch> {
        loop {
            let found = memchr::memchr(b'\n', &self.buffer[self.searched..]);
            let (end, next) = match found {
                Some(at) => (self.searched + at, self.searched + at + 1),
                None => (self.buffer.len(), self.buffer.len()),
            };
            // An incomplete line is searched once: the next piece continues where this one ended.
            self.searched = next;
            // An incomplete line counts too, so that a line without an end cannot fill the memory.
            if end - self.start > self.max_line {
                return Err(TooMuch::Line);
            }
            if found.is_none() && !(self.ended && end > self.start) {
                return Ok(None);
            }
            let start = std::mem::replace(&mut self.start, next);
            if !self.buffer[start..end].trim_ascii().is_empty() {
                return Ok(Some(&self.buffer[start..end]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(chunks: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut lines = Lines::list();
        let mut found = Vec::new();
        for chunk in chunks {
            lines.push(chunk).unwrap();
            while let Some(line) = lines.next().unwrap() {
                found.push(line.to_vec());
            }
        }
        lines.end();
        while let Some(line) = lines.next().unwrap() {
            found.push(line.to_vec());
        }
        found
    }

    #[test]
    fn a_line_that_never_ends_is_too_long() {
        let mut lines = Lines::list();
        for _ in 0..4 {
            lines.push(&vec![b'x'; 1 << 20]).unwrap();
            assert_eq!(lines.next(), Ok(None));
        }
        lines.push(b"x").unwrap();
        assert_eq!(lines.next(), Err(TooMuch::Line));
    }

    proptest! {
        #[test]
        fn it_does_not_matter_how_bytes_come(
            text in "[ab\n\r ]{0,40}",
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..5),
        ) {
            let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
            places.extend([0, text.len()]);
            places.sort_unstable();
            let chunks: Vec<&[u8]> =
                places.windows(2).map(|pair| &text.as_bytes()[pair[0]..pair[1]]).collect();
            let whole: Vec<Vec<u8>> = text
                .split('\n')
                .filter(|line| !line.trim().is_empty())
                .map(|line| line.as_bytes().to_vec())
                .collect();
            prop_assert_eq!(all(&chunks), whole);
        }
    }
}
