//! Streams of lines, cut into pieces at line ends, so that several threads can parse them.

use super::stream::Stream;
use replay::history::{LONGEST_LINE, Piece};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::Arc;

/// Reads streams one after another, as pieces.
pub struct Pieces {
    streams: VecDeque<Stream>,
    name: Arc<str>,
    begins: bool,
    /// The start of a line whose end has not been read yet.
    rest: Vec<u8>,
}

/// The bytes of one read: a piece fits the cache of the thread that reads its lines, and is large enough that its handover
/// costs little.
const PIECE: usize = 1 << 17;
/// The size of the buffer for the first bytes of a stream. Most files are short, and a larger buffer would
/// have to be cleared first.
const FIRST: usize = 1 << 14;

impl Pieces {
    /// The pieces of streams, in order.
    pub fn new(streams: impl IntoIterator<Item = Stream>) -> Self {
        let streams: VecDeque<Stream> = streams.into_iter().collect();
        let name = streams.front().map_or("", |stream| &stream.name).into();
        Self { streams, name, begins: true, rest: Vec::new() }
    }

    /// Whether there are no streams.
    pub fn is_empty(&self) -> bool {
        self.streams.is_empty()
    }

    /// The number of bytes of all streams; `None` if it is not known for each.
    pub fn size(&self) -> Option<u64> {
        self.streams.iter().map(|stream| stream.size).sum()
    }

    /// Whether no piece of the current stream has been returned yet.
    pub fn at_beginning(&self) -> bool {
        self.begins
    }

    /// The name of the current stream in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads the next piece and replaces the bytes of `piece` by it; returns `false` if there is none.
    pub fn read(&mut self, piece: &mut Piece) -> io::Result<bool> {
        loop {
            if self.streams.is_empty() {
                return Ok(false);
            }
            let ended = self.fill(&mut piece.bytes)?;
            (piece.name, piece.begins) = (Arc::clone(&self.name), self.begins);
            self.begins = false;
            if ended {
                self.streams.pop_front();
                self.begins = true;
                self.name = self.streams.front().map_or("", |stream| &stream.name).into();
            }
            if !piece.bytes.is_empty() {
                return Ok(true);
            }
        }
    }

    /// Replaces `bytes` by text up to a line end. Returns `true` if the stream has ended.
    fn fill(&mut self, bytes: &mut Vec<u8>) -> io::Result<bool> {
        let Some(stream) = self.streams.front_mut() else { return Ok(true) };
        let mut filled = self.rest.len();
        // Earlier bytes are overwritten; only the growth of the buffer clears memory.
        let room = PIECE.max(filled + PIECE / 8);
        bytes.resize(room.min(bytes.capacity().max(filled + FIRST)), 0);
        bytes[..filled].copy_from_slice(&self.rest);
        self.rest.clear();
        loop {
            let read = read_full(&mut stream.bytes, &mut bytes[filled..])?;
            filled += read;
            if filled < bytes.len() {
                bytes.truncate(filled);
                return Ok(true);
            }
            if filled < room {
                bytes.resize((filled * 4).min(room), 0);
                continue;
            }
            if let Some(end) = memchr::memrchr(b'\n', bytes) {
                self.rest.extend_from_slice(&bytes[end + 1..]);
                bytes.truncate(end + 1);
                return Ok(false);
            }
            if filled >= LONGEST_LINE {
                let message = format!("the line is longer than {} MiB", LONGEST_LINE >> 20);
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            bytes.resize((filled * 2).min(LONGEST_LINE), 0);
        }
    }
}

/// Reads until the buffer is full or the reader has ended.
fn read_full(reader: &mut impl Read, mut room: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while !room.is_empty() {
        match reader.read(room) {
            Ok(0) => break,
            Ok(read) => {
                filled += read;
                room = &mut room[read..];
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stream(name: &str, text: &[u8]) -> Stream {
        Stream {
            name: name.to_owned(),
            bytes: Box::new(io::Cursor::new(text.to_vec())),
            size: None,
            file: None,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]
        /// No byte is lost, and every piece except the last one of a stream ends at a line end.
        #[test]
        fn pieces_are_whole_lines(lengths in proptest::collection::vec(0usize..120_000, 0..60)) {
            let mut text = Vec::new();
            for length in lengths {
                text.extend(std::iter::repeat_n(b'x', length));
                text.push(b'\n');
            }
            text.pop();
            let mut pieces = Pieces::new([stream("a", &text), stream("b", b""), stream("c", &text)]);
            let (mut piece, mut read) = (Piece::default(), [Vec::new(), Vec::new()]);
            while pieces.read(&mut piece).unwrap() {
                let part = &mut read[usize::from(&*piece.name == "c")];
                prop_assert_eq!(piece.begins, part.is_empty());
                prop_assert!(part.is_empty() || part.ends_with(b"\n"));
                part.extend_from_slice(&piece.bytes);
            }
            prop_assert_eq!(&read[0], &text);
            prop_assert_eq!(&read[1], &text);
        }
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut pieces = Pieces::new([Stream {
            name: "endless".to_owned(),
            bytes: Box::new(io::BufReader::new(io::repeat(b'x'))),
            size: None,
            file: None,
        }]);
        assert!(pieces.read(&mut Piece::default()).is_err());
    }
}
